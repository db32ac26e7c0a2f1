"""Spanning trees, as Kruskal's algorithm finds them."""

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from . import answers
from .graph import Graph, Ints
from .registry import algorithm


def _order(values: list[Any], least: bool) -> Ints:
    """The places of weights in ascending order, or in descending; equal ones stay as they are."""
    kinds = set(map(type, values))
    if kinds == {float}:
        a = np.array(values)
        order: Ints = np.argsort(a if least else -a, kind="stable")
        return order
    return np.array(sorted(range(len(values)), key=values.__getitem__, reverse=not least), np.int64)


def _forest(G: Graph, weight: Any, ignore_nan: bool, least: bool, keys: bool = True, data: bool = True) -> list[tuple[Any, ...]]:
    """The edges of the forest, in the order in which Kruskal's algorithm takes them."""
    sources, targets, attributes = G.rows.sources, G.rows.targets, G.data()
    arcs = np.flatnonzero(targets >= sources)  # each edge once, as G.edges has it
    values = [attributes[i].get(weight, 1) for i in arcs.tolist()]
    wrong = np.fromiter(map(math.isnan, values), bool, len(values))
    if wrong.any():
        if not ignore_nan:
            raise ValueError(f"NaN found as an edge weight. Edge {_edges(G, arcs[wrong][:1], True, attributes)[0]}")
        arcs = arcs[~wrong]
        values = [w for w in values if not math.isnan(w)]
    ordered: Ints = arcs[_order(values, least)]
    ordered = ordered[targets[ordered] != sources[ordered]]
    return _edges(G, ordered[answers.forest(G, ordered)], keys, attributes if data else None)


def _edges(G: Graph, arcs: Ints, keys: bool, attributes: list[dict[Any, Any]] | None) -> list[tuple[Any, ...]]:
    """Arcs as edges of NetworkX."""
    parts: list[list[Any]] = [G.labels(G.rows.sources[arcs]), G.labels(G.rows.targets[arcs])]
    if G.multigraph and keys:
        names = G.keys()
        parts.append([names[i] for i in arcs.tolist()])
    if attributes is not None:
        parts.append([attributes[i] for i in arcs.tolist()])
    return list(zip(*parts, strict=True))


def _algorithm(given: dict[str, Any]) -> str:
    # An unknown one is an error that NetworkX has.
    return "" if given["algorithm"] == "kruskal" else "irgl's edges are those of Kruskal's algorithm"


@algorithm("heavy", weight="weight", refuses=_algorithm)
def minimum_spanning_edges(
    G: Graph, algorithm: str = "kruskal", weight: Any = "weight", keys: bool = True, data: bool = True, ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    yield from _forest(G, weight, ignore_nan, True, keys, data)  # NetworkX, too, finds errors when it is asked for edges


@algorithm("heavy", weight="weight", refuses=_algorithm)
def maximum_spanning_edges(
    G: Graph, algorithm: str = "kruskal", weight: Any = "weight", keys: bool = True, data: bool = True, ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    yield from _forest(G, weight, ignore_nan, False, keys, data)


def _tree(G: Graph, weight: Any, ignore_nan: bool, least: bool) -> nx.Graph:
    if G.directed:
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    T = G.type()
    T.graph.update(G.graph)
    T.add_nodes_from(G.attributes.items())
    T.add_edges_from(_forest(G, weight, ignore_nan, least))
    return T


@algorithm("heavy", weight="weight", refuses=_algorithm)
def minimum_spanning_tree(G: Graph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> nx.Graph:
    return _tree(G, weight, ignore_nan, True)


@algorithm("heavy", weight="weight", refuses=_algorithm)
def maximum_spanning_tree(G: Graph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> nx.Graph:
    return _tree(G, weight, ignore_nan, False)


@algorithm(
    "heavy",
    weight="weight",
    refuses=lambda given: "" if given["partition"] is None else "irgl has no partitions",
)
def kruskal_mst_edges(
    G: Graph, minimum: bool, weight: Any = "weight", keys: bool = True, data: bool = True, ignore_nan: bool = False, partition: Any = None,
) -> Iterator[tuple[Any, ...]]:
    yield from _forest(G, weight, ignore_nan, minimum, keys, data)
