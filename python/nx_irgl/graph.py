"""Graphs of NetworkX as arrays, and on irgl's server."""

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

import irgl
import networkx as nx
import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Node: TypeAlias = Hashable
P = ParamSpec("P")
R = TypeVar("R")

_MOST_WEIGHT = 2**31 - 1


@dataclass(eq=False)
class Rows:
    """Arcs in rows: those of node v lead to targets[offsets[v]:offsets[v + 1]], in NetworkX's order."""

    offsets: Ints
    targets: npt.NDArray[np.int32]

    @cached_property
    def sources(self) -> npt.NDArray[np.int32]:
        """The node that each arc leaves."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))

    def load(self, weights: Ints | None = None) -> irgl.Graph:
        """The graph on the server."""
        return irgl.Graph.from_csr(self.offsets, self.targets, weights)


class Weights(NamedTuple):
    """Weights of the arcs, in the order of the rows, where all are integers, or floats with integral values, that irgl takes."""

    values: Ints
    floats: bool
    """NetworkX has floats, and so have sums of them."""


class Graph:
    """A graph of NetworkX: its nodes numbered in its order, and its arcs.

    An undirected edge is two arcs, and a loop one; parallel edges of a multigraph are parallel arcs. Other forms, such as the one with
    reversed arcs, are made when they are first asked for, and kept. NetworkX gives a conversion up when its graph changes.
    """

    __networkx_backend__ = "irgl"

    def __init__(self, g: nx.Graph) -> None:
        # The dictionaries of the graph, not the graph, which refers to this in its cache.
        self._adj, self._pred = g._adj, g._pred if g.is_directed() else g._adj
        self.graph, self.attributes = g.graph, g._node
        self.directed: bool = g.is_directed()
        self.multigraph: bool = g.is_multigraph()
        self.type: type[nx.Graph] = g.__class__
        self.nodes: list[Node] = list(g)
        self._numbered = self.nodes == list(range(len(self.nodes)))
        self._numbers: dict[Node, int] | None = None
        self._reversed: Rows | None = None
        self._weights: dict[Any, Weights | str] = {}
        self._loaded: dict[Any, irgl.Graph] = {}
        self.rows = self._rows_of(self._adj)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is on the server: NetworkX's graphs, which keep this, are pickled and copied with it."""
        return {**self.__dict__, "_loaded": {}}

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterable[Node]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        return self.number(node) is not None

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    @property
    def loops(self) -> int:
        return int(np.count_nonzero(self.rows.sources == self.rows.targets))

    def number_of_edges(self) -> int:
        arcs = len(self.rows.targets)
        return arcs if self.directed else (arcs + self.loops) // 2

    def number(self, node: object) -> int | None:
        """The number of a node; None if it is not in the graph."""
        if self._numbered:
            try:
                i = operator.index(node)  # type: ignore[arg-type]
                return i if 0 <= i < len(self.nodes) else None
            except TypeError:
                pass
        try:
            return self._index().get(node)
        except TypeError:  # it has no hash
            return None

    def labels(self, numbers: npt.NDArray[Any]) -> list[Node]:
        """The nodes with these numbers."""
        return list(map(self.nodes.__getitem__, numbers.tolist()))

    def reversed(self) -> Rows:
        """The rows of the graph with every arc reversed."""
        if not self.directed:
            return self.rows
        if self._reversed is None:
            self._reversed = self._rows_of(self._pred)
        return self._reversed

    def weights(self, attribute: Any) -> Weights:
        """The attribute of each arc, 1 where it has none. NotImplementedError for what irgl does not take."""
        w = self._weights.get(attribute)
        if w is None:
            w = self._weights[attribute] = _weights(self.values(attribute))
        if isinstance(w, str):
            raise NotImplementedError(w)
        return w

    def values(self, attribute: Any) -> list[Any]:
        """The attribute of each arc, 1 where it has none."""
        return [d.get(attribute, 1) for d in self.data()]

    def data(self) -> list[dict[Any, Any]]:
        """The attributes of each arc."""
        rows = map(self._adj.__getitem__, self.nodes)
        if self.multigraph:
            found = [d for row in rows for edges in row.values() for d in edges.values()]
        else:
            found = [d for row in rows for d in row.values()]
        if len(found) != len(self.rows.targets):
            raise nx.NetworkXError("the graph was changed after it was converted")
        return found

    def keys(self) -> list[Any]:
        """The key of each arc of a multigraph."""
        return [k for row in map(self._adj.__getitem__, self.nodes) for edges in row.values() for k in edges]

    def call(self, function: Callable[Concatenate[irgl.Graph, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a function of irgl on the graph."""
        return self._call("forward", self.rows.load, function, *args, **kwargs)

    def call_on(self, reverse: bool, attribute: Any, function: Callable[Concatenate[irgl.Graph, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a function of irgl on the graph, or its reverse, with the weights of an attribute, or none."""
        reverse = reverse and self.directed
        if attribute is None and not reverse:
            return self.call(function, *args, **kwargs)

        def make() -> irgl.Graph:
            if attribute is None:
                return self.reversed().load()
            values = self.weights(attribute).values
            if not reverse:
                return self.rows.load(values)
            # The order of arcs in a row is no matter to the program.
            return irgl.Graph.from_edges(self.rows.targets, self.rows.sources, values, nodes=len(self))

        return self._call((reverse, attribute), make, function, *args, **kwargs)

    def _call(self, form: Any, make: Callable[[], irgl.Graph], function: Callable[Concatenate[irgl.Graph, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        kept = self._loaded.get(form)
        if kept is not None:
            try:
                return function(kept, *args, **kwargs)
            except irgl.ServerError:  # the server has ended, or is a forked parent's
                pass
        kept = self._loaded[form] = make()
        return function(kept, *args, **kwargs)

    def _index(self) -> dict[Node, int]:
        if self._numbers is None:
            self._numbers = dict(zip(self.nodes, range(len(self.nodes)), strict=True))
        return self._numbers

    def _rows_of(self, adjacency: Mapping[Node, Mapping[Node, Any]]) -> Rows:
        rows = list(map(adjacency.__getitem__, self.nodes))
        if type(adjacency) is not dict:  # a view, which counts also what it does not show
            rows = [dict(row) for row in rows]
        n = len(rows)
        degrees = np.fromiter(map(len, rows), np.int64, n)
        heads: Iterable[Any] = chain.from_iterable(rows)
        if not self._numbered:
            heads = map(self._index().__getitem__, heads)
        targets = np.fromiter(heads, np.int32, int(degrees.sum()))
        if self.multigraph:
            parallel = np.fromiter((len(edges) for row in rows for edges in row.values()), np.int64, len(targets))
            targets = np.repeat(targets, parallel)
            degrees = np.bincount(np.repeat(np.arange(n), degrees), parallel, minlength=n).astype(np.int64)
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(degrees, out=offsets[1:])
        return Rows(offsets, targets)


def _weights(values: list[Any]) -> Weights | str:
    """The weights, or why irgl does not take them."""
    kinds = set(map(type, values))
    if all(issubclass(k, (int, np.integer)) for k in kinds):
        floats = False
    elif all(issubclass(k, (float, np.floating)) for k in kinds):
        floats = True
    else:
        return "irgl takes weights that are all integers, or all floats"
    try:
        a = np.array(values, np.float64 if floats else np.int64)
    except OverflowError:
        return "irgl takes weights from 0 to 2147483647"
    if len(a) and not (a.min() >= 0 and a.max() <= _MOST_WEIGHT):  # NaN is neither
        return "irgl takes weights from 0 to 2147483647"
    integers = a.astype(np.int64)
    return Weights(integers, floats) if (integers == a).all() else "irgl takes weights with integral values"


def convert_from_nx(graph: nx.Graph, **_: Any) -> Graph:
    """The conversion of a graph: a kept one serves for all attributes, which are read when they are needed."""
    cache = getattr(graph, "__networkx_cache__", None) or {}
    for kept in cache.get("backends", {}).get("irgl", {}).values():
        if isinstance(kept, Graph):
            return kept
    return Graph(graph)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """A graph as NetworkX's; all other results are NetworkX's already."""
    if not isinstance(result, Graph):
        return result
    g = result.type()
    g.graph.update(result.graph)
    g.add_nodes_from((v, result.attributes[v]) for v in result.nodes)
    ends = [result.labels(a) for a in (result.rows.sources, result.rows.targets)]
    if result.multigraph:
        g.add_edges_from(zip(*ends, result.keys(), result.data(), strict=True))
    else:
        g.add_edges_from(zip(*ends, result.data(), strict=True))
    return g
