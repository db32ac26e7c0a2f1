"""Shortest paths, by arcs or by weights."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from . import answers
from .graph import Graph, Ints, Node
from .registry import algorithm

# From 3.5 on these results are what they are below; before, some were iterators, and others dictionaries.
NEW = tuple(int(part) for part in nx.__version__.split(".")[:2]) >= (3, 5)


def _old(_: dict[str, Any]) -> str:
    return "" if NEW else "irgl gives what NetworkX 3.5 does"


def _all_in_old(given: dict[str, Any]) -> str:
    return _old(given) if given["source"] is None else ""


def source_number(G: Graph, source: Node, text: str = "Source {} is not in G", kind: type[Exception] = nx.NodeNotFound) -> int:
    """The number of a node, or the exception that NetworkX has for one that is not there."""
    number = G.number(source)
    if number is None:
        raise kind(text.format(source))
    return number


def deepest(cutoff: float | None) -> float:
    """The level that NetworkX reaches with a cutoff."""
    if cutoff is None or cutoff == math.inf:
        return math.inf
    return math.ceil(cutoff) if cutoff > 0 else 0  # NaN is not


# By arcs.


def _level_dict(G: Graph, source: int, cutoff: float | None = None, *, reverse: bool = False) -> dict[Node, int]:
    level = answers.levels(G, source, reverse=reverse)
    order, _ = answers.discovered(G.reversed() if reverse else G.rows, level, source, deepest(cutoff))
    return dict(zip(G.labels(order), level[order].tolist(), strict=True))


def _path_dict(G: Graph, source: int, cutoff: float | None = None, *, reverse: bool = False, to: bool = False) -> dict[Node, list[Node]]:
    """Paths from a node; over reversed arcs also to it, that is with their nodes in the other order."""
    level = answers.levels(G, source, reverse=reverse)
    order, parents = answers.discovered(G.reversed() if reverse else G.rows, level, source, deepest(cutoff))
    names = G.nodes
    paths: dict[Node, list[Node]] = {names[source]: [names[source]]}
    for v, u in zip(order[1:].tolist(), parents.tolist(), strict=True):
        known = paths[names[u]]
        paths[names[v]] = [names[v], *known] if to else [*known, names[v]]
    return paths


@algorithm()
def single_source_shortest_path_length(G: Graph, source: Node, cutoff: float | None = None) -> dict[Node, int]:
    return _level_dict(G, source_number(G, source), cutoff)


@algorithm(refuses=_old)
def single_target_shortest_path_length(G: Graph, target: Node, cutoff: float | None = None) -> dict[Node, int]:
    return _level_dict(G, source_number(G, target, "Target {} is not in G"), cutoff, reverse=True)


@algorithm("all")
def all_pairs_shortest_path_length(G: Graph, cutoff: float | None = None) -> Iterator[tuple[Node, dict[Node, int]]]:
    return ((v, _level_dict(G, i, cutoff)) for i, v in enumerate(G.nodes))


@algorithm()
def single_source_shortest_path(G: Graph, source: Node, cutoff: float | None = None) -> dict[Node, list[Node]]:
    return _path_dict(G, source_number(G, source, "Source {} not in G"), cutoff)


@algorithm()
def single_target_shortest_path(G: Graph, target: Node, cutoff: float | None = None) -> dict[Node, list[Node]]:
    return _path_dict(G, source_number(G, target, "Target {} not in G"), cutoff, reverse=True, to=True)


@algorithm("all")
def all_pairs_shortest_path(G: Graph, cutoff: float | None = None) -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    return ((v, _path_dict(G, i, cutoff)) for i, v in enumerate(G.nodes))


def _between(G: Graph, source: Node, target: Node) -> int:
    """The number of arcs on a shortest path between two nodes."""
    start = source_number(G, source)
    end = source_number(G, target, "Target {} is not in G" if NEW else "Source {} is not in G")
    found = int(answers.levels(G, start)[end])
    if found < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


@algorithm("pair")
def has_path(G: Graph, source: Node, target: Node) -> bool:
    try:
        _between(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


# By weights.


def numbers(G: Graph, dist: Ints, weight: Any, source: int | None = None) -> list[Any]:
    """Distances as NetworkX has them: floats where weights are, but for that of the source, which is an integer."""
    floats = weight is not None and G.weights(weight).floats
    out: list[Any] = (dist.astype(np.float64) if floats else dist).tolist()
    if source is not None:
        out[source] = 0
    return out


def _settled(
    G: Graph, sources: list[int], weight: Any, cutoff: float | None, target: int | None = None,
) -> tuple[list[int], list[int], list[Any]]:
    """The nodes in the order of Dijkstra's algorithm, the one before each, and the distance of each.

    With a target only that, and what is before it.
    """
    dist = answers.distances_from(G, sources, weight)
    if cutoff is not None:
        dist[dist > cutoff] = -1
        dist[sources] = 0
    if target is not None:
        dist[dist > dist[target]] = -1
    order, before = answers.settled(G, dist, sources, weight)
    lengths = numbers(G, dist, weight)
    for s in sources:
        lengths[s] = 0
    return order, before, lengths


def _length_dict(G: Graph, sources: list[int], weight: Any, cutoff: float | None = None) -> dict[Node, Any]:
    order, _, lengths = _settled(G, sources, weight, cutoff)
    return {G.nodes[v]: lengths[v] for v in order}


def _dijkstra(G: Graph, sources: list[int], weight: Any, cutoff: float | None = None) -> tuple[dict[Node, Any], dict[Node, list[Node]]]:
    order, before, lengths = _settled(G, sources, weight, cutoff)
    names = G.nodes
    paths: dict[Node, list[Node]] = {}
    for v in order:
        u = before[v]
        paths[names[v]] = [names[v]] if u < 0 else [*paths[names[u]], names[v]]
    return {names[v]: lengths[v] for v in order}, paths


def _path_to(G: Graph, sources: list[int], target: Node, weight: Any, cutoff: float | None, missing: str) -> tuple[Any, list[Node]]:
    end = G.number(target)
    if end is not None and end in sources:
        return 0, [target]
    if end is not None:
        order, before, lengths = _settled(G, sources, weight, cutoff, end)
        if end in order:
            path = [end]
            while before[path[-1]] >= 0:
                path.append(before[path[-1]])
            return lengths[end], [G.nodes[v] for v in reversed(path)]
    raise nx.NetworkXNoPath(missing)


def _weighted_source(G: Graph, source: Node) -> int:
    return source_number(G, source, "Node {} not found in graph")


def _several(G: Graph, sources: Any) -> list[int]:
    if not sources:
        raise ValueError("sources must not be empty")
    return list(dict.fromkeys(_weighted_source(G, s) for s in sources))


@algorithm("heavy", weight="weight")
def single_source_dijkstra_path_length(G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight") -> dict[Node, Any]:
    return _length_dict(G, [_weighted_source(G, source)], weight, cutoff)


@algorithm("heavy", weight="weight")
def single_source_dijkstra_path(G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight") -> dict[Node, list[Node]]:
    return _dijkstra(G, [_weighted_source(G, source)], weight, cutoff)[1]


@algorithm("heavy", weight="weight")
def single_source_dijkstra(G: Graph, source: Node, target: Node = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    sources = [_weighted_source(G, source)]
    if target is None:
        return _dijkstra(G, sources, weight, cutoff)
    return _path_to(G, sources, target, weight, cutoff, f"No path to {target}.")


@algorithm("heavy", weight="weight")
def multi_source_dijkstra_path_length(G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> dict[Node, Any]:
    return _length_dict(G, _several(G, sources), weight, cutoff)


@algorithm("heavy", weight="weight")
def multi_source_dijkstra_path(G: Graph, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> dict[Node, list[Node]]:
    return _dijkstra(G, _several(G, sources), weight, cutoff)[1]


@algorithm("heavy", weight="weight")
def multi_source_dijkstra(G: Graph, sources: Any, target: Node = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    starts = _several(G, sources)
    if target is None:
        return _dijkstra(G, starts, weight, cutoff)
    return _path_to(G, starts, target, weight, cutoff, f"No path to {target}.")


@algorithm("pair", weight="weight")
def dijkstra_path(G: Graph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    return _path_to(G, [_weighted_source(G, source)], target, weight, None, f"No path to {target}.")[1]


def _weighted_length(G: Graph, source: Node, target: Node, weight: Any, missing: str) -> Any:
    start, end = _weighted_source(G, source), G.number(target)
    found = answers.distances_from(G, [start], weight)
    if end is None or found[end] < 0:
        raise nx.NetworkXNoPath(missing)
    return 0 if start == end else numbers(G, found[end : end + 1], weight)[0]


@algorithm("pair", weight="weight")
def dijkstra_path_length(G: Graph, source: Node, target: Node, weight: Any = "weight") -> Any:
    return _weighted_length(G, source, target, weight, f"Node {target} not reachable from {source}")


@algorithm("pair", weight="weight")
def bellman_ford_path_length(G: Graph, source: Node, target: Node, weight: Any = "weight") -> Any:
    return _weighted_length(G, source, target, weight, f"node {target} not reachable from {source}")


@algorithm("all", weight="weight")
def all_pairs_dijkstra_path_length(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, dict[Node, Any]]]:
    G.weights(weight)
    return ((v, _length_dict(G, [i], weight, cutoff)) for i, v in enumerate(G.nodes))


@algorithm("all", weight="weight")
def all_pairs_dijkstra_path(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    G.weights(weight)
    return ((v, _dijkstra(G, [i], weight, cutoff)[1]) for i, v in enumerate(G.nodes))


@algorithm("all", weight="weight")
def all_pairs_dijkstra(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, Any]]:
    G.weights(weight)
    return ((v, _dijkstra(G, [i], weight, cutoff)) for i, v in enumerate(G.nodes))


def _bellman_ford(G: Graph, source: int, weight: Any) -> dict[Node, Any]:
    """Distances in ascending order, which are not in the order in which that algorithm comes to nodes."""
    dist = answers.distances_from(G, [source], weight)
    reached = np.flatnonzero(dist >= 0)
    order = reached[np.argsort(dist[reached], kind="stable")]
    lengths = numbers(G, dist, weight, source)
    return {G.nodes[v]: lengths[v] for v in order.tolist()}


@algorithm("heavy", weight="weight")
def single_source_bellman_ford_path_length(G: Graph, source: Node, weight: Any = "weight") -> dict[Node, Any]:
    return _bellman_ford(G, source_number(G, source, "Source {} not in G"), weight)


@algorithm("all", weight="weight")
def all_pairs_bellman_ford_path_length(G: Graph, weight: Any = "weight") -> Iterator[tuple[Node, dict[Node, Any]]]:
    G.weights(weight)
    return ((v, _bellman_ford(G, i, weight)) for i, v in enumerate(G.nodes))


@algorithm("pair", none=("heuristic", "cutoff"), weight="weight")
def astar_path_length(G: Graph, source: Node, target: Node, heuristic: None = None, weight: Any = "weight", *, cutoff: None = None) -> Any:
    if G.number(source) is None or G.number(target) is None:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    return _weighted_length(G, source, target, weight, f"Node {target} not reachable from {source}")


@algorithm("heavy", weight="weight")
def voronoi_cells(G: Graph, center_nodes: Any, weight: Any = "weight") -> dict[Node, set[Node]]:
    if not center_nodes:
        raise ValueError("sources must not be empty")
    order, before, _ = _settled(G, _several(G, center_nodes), weight, None)
    centre: dict[int, int] = {}
    cells: dict[Node, set[Node]] = {}
    for v in order:
        c = centre[v] = centre[before[v]] if before[v] >= 0 else v
        cells.setdefault(G.nodes[c], set()).add(G.nodes[v])
    if len(order) < len(G):
        reached = set(order)
        cells["unreachable"] = {v for i, v in enumerate(G.nodes) if i not in reached}
    return cells


# By one or the other, as arguments say.


def _method(given: dict[str, Any]) -> str:
    return "" if given["method"] in (None, "dijkstra", "bellman-ford", "unweighted") else f"irgl has no method {given['method']}"


def _pairs(one: Callable[[Graph, int, Any], Any], G: Graph, weight: Any) -> Iterator[tuple[Node, Any]]:
    if weight is not None:
        G.weights(weight)
    return ((v, one(G, i, weight)) for i, v in enumerate(G.nodes))


def _lengths(G: Graph, source: int, weight: Any) -> dict[Node, Any]:
    return _level_dict(G, source) if weight is None else _length_dict(G, [source], weight)


def _paths(G: Graph, source: int, weight: Any) -> dict[Node, list[Node]]:
    return _path_dict(G, source) if weight is None else _dijkstra(G, [source], weight)[1]


@algorithm(
    weight="weight",
    refuses=lambda given: _method(given) or (_all_in_old(given) if given["target"] is None else "")
    or ("irgl has no weighted paths to one node" if given["source"] is None and given["target"] is not None and given["weight"] is not None else ""),
)
def shortest_path_length(G: Graph, source: Node = None, target: Node = None, weight: Any = None, method: str = "dijkstra") -> Any:
    text = "Source {} is not in G" if weight is None else "Node {} not found in graph"
    if source is None:
        if target is None:
            return _pairs(_lengths, G, weight)
        return _level_dict(G, source_number(G, target), reverse=True)
    if target is None:
        return _lengths(G, source_number(G, source, text), weight)
    if weight is None:
        return _between(G, source, target)
    return dijkstra_path_length(G, source, target, weight)


@algorithm(
    weight="weight",
    refuses=lambda given: _method(given) or _all_in_old(given)
    or ("irgl has no paths between two nodes: it may find another one" if given["source"] is not None and given["target"] is not None else "")
    or ("irgl has no weighted paths to one node" if given["target"] is not None and given["weight"] is not None else "")
    or ("irgl's paths are those of Dijkstra's algorithm" if given["weight"] is not None and given["method"] != "dijkstra" else ""),
)
def shortest_path(G: Graph, source: Node = None, target: Node = None, weight: Any = None, method: str = "dijkstra") -> Any:
    if source is None and target is None:
        return _pairs(_paths, G, weight)
    if source is None:
        return _path_dict(G, source_number(G, target, "Source {} not in G"), reverse=True, to=True)
    text = "Source {} not in G" if weight is None else "Node {} not found in graph"
    return _paths(G, source_number(G, source, text), weight)
