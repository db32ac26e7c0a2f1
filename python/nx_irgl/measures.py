"""Measures of distances from every node: each takes a search for each node."""

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from . import answers
from .components import connected, is_strongly_connected
from .graph import Graph, Ints, Node
from .paths import numbers
from .registry import algorithm


def _everywhere(G: Graph, weight: Any, *, reverse: bool = False) -> Iterator[Ints]:
    """The distances from each node, or to it; -1 where there is no path."""
    for i in range(len(G)):
        yield answers.distances(G, i, weight, reverse=reverse)



@algorithm("all", none=("sp",), weight="weight")
def eccentricity(G: Graph, v: Any = None, sp: None = None, weight: Any = None) -> Any:
    one = v is not None and v in G
    if v is not None and not one:
        raise NotImplementedError("irgl's eccentricities are of one node or of all")
    nodes = [G.number(v)] if one else range(len(G))
    found = {}
    for i in nodes:
        assert i is not None
        dist = answers.distances(G, i, weight)
        if (dist < 0).any():
            kind = "digraph is not strongly connected" if G.directed else "graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        most = int(dist.argmax())
        found[G.nodes[i]] = numbers(G, dist[most : most + 1], weight, 0 if dist[most] == 0 else None)[0]
    return found[v] if one else found


@algorithm("all", none=("e",), weight="weight")
def diameter(G: Graph, e: None = None, usebounds: bool = False, weight: Any = None) -> Any:
    # Bounds spare NetworkX searches, and lead to the same answer.
    return max(eccentricity(G, weight=weight).values())


@algorithm("all", none=("e",), weight="weight")
def radius(G: Graph, e: None = None, usebounds: bool = False, weight: Any = None) -> Any:
    return min(eccentricity(G, weight=weight).values())


@algorithm("all", none=("e",), weight="weight")
def periphery(G: Graph, e: None = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    found = eccentricity(G, weight=weight)
    most = max(found.values())
    return [v for v in found if found[v] == most]


def _is_tree(G: Graph, weight: Any) -> bool:
    """NetworkX has other algorithms for trees, with another order of nodes, and finds there that a graph has none."""
    return weight is None and not G.directed and G.number_of_edges() == max(0, len(G) - 1)


@algorithm("all", none=("e",), weight="weight")
def center(G: Graph, e: None = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    if _is_tree(G, weight):
        raise NotImplementedError("irgl's centres are not of trees")
    found = eccentricity(G, weight=weight)
    least = min(found.values())
    return [v for v in found if found[v] == least]


@algorithm("all", none=("attr", "sp"), weight="weight")
def barycenter(G: Graph, weight: Any = None, attr: None = None, sp: None = None) -> list[Node]:
    if _is_tree(G, weight):
        raise NotImplementedError("irgl's barycentres are not of trees")
    sums = []
    for dist in _everywhere(G, weight):
        if (dist < 0).any():
            raise nx.NetworkXNoPath("Input graph is disconnected, so every induced subgraph has infinite barycentricity.")
        sums.append(int(dist.sum()))
    least = min(sums, default=0)
    return [v for v, s in zip(G.nodes, sums, strict=True) if s == least]


@algorithm("all", none=("sp",), weight="weight")
def harmonic_diameter(G: Graph, sp: None = None, *, weight: Any = None) -> float:
    n = len(G)
    total = sum(_inverse(dist).sum() for dist in _everywhere(G, weight))
    if total != 0:
        return float(n * (n - 1) / total)
    return math.inf if n > 1 else math.nan


def _inverse(dist: Ints) -> np.ndarray:
    """1 / distance to the nodes that are reached, but for those at none; 0 to others."""
    return np.divide(1.0, dist, out=np.zeros(len(dist)), where=dist > 0)


@algorithm("all", weight="distance")
def closeness_centrality(G: Graph, u: Node = None, distance: Any = None, wf_improved: bool = True) -> Any:
    if u is None:
        return {v: _closeness(G, i, distance, wf_improved) for i, v in enumerate(G.nodes)}
    i = G.number(u)
    if i is None:
        raise nx.NodeNotFound(f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    return _closeness(G, i, distance, wf_improved)


def _closeness(G: Graph, i: int, distance: Any, wf_improved: bool) -> float:
    dist = answers.distances(G, i, distance, reverse=True)
    reached, total, n = int((dist >= 0).sum()), int(dist[dist > 0].sum()), len(G)
    if total == 0 or n < 2:
        return 0.0
    found = (reached - 1.0) / total
    return found * ((reached - 1.0) / (n - 1)) if wf_improved else found


@algorithm("all", none=("nbunch", "sources"), weight="distance")
def harmonic_centrality(G: Graph, nbunch: None = None, distance: Any = None, sources: None = None) -> dict[Node, float]:
    total = np.zeros(len(G))
    for dist in _everywhere(G, distance):
        total += _inverse(dist)
    return dict(zip(G.nodes, (x or 0 for x in total.tolist()), strict=True))


@algorithm("pair")
def efficiency(G: Graph, u: Node, v: Node) -> float:
    start, end = G.number(u), G.number(v)
    if start is None or end is None:
        raise nx.NodeNotFound(f"Source {u if start is None else v} is not in G")
    found = int(answers.levels(G, start)[end])
    return 1 / found if found >= 0 else 0


@algorithm("all")
def global_efficiency(G: Graph) -> float:
    n = len(G)
    if n < 2:
        return 0
    return float(sum(_inverse(dist).sum() for dist in _everywhere(G, None)) / (n * (n - 1)))


@algorithm("all", weight="weight", refuses=lambda given: "" if given["method"] in (None, "unweighted", "dijkstra", "bellman-ford") else f"irgl has no method {given['method']}")
def average_shortest_path_length(G: Graph, weight: Any = None, method: str | None = None) -> float:
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if G.directed and not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    if not G.directed and not connected(G):
        raise nx.NetworkXError("Graph is not connected.")
    if method == "unweighted":
        weight = None
    return sum(int(dist.sum()) for dist in _everywhere(G, weight)) / (n * (n - 1))


def _sums(G: Graph, weight: Any, of: Any) -> Any:
    """The sum over all pairs of nodes, half of it in undirected graphs; inf if there is no path for one."""
    if not (is_strongly_connected(G) if G.directed else connected(G)):
        return math.inf
    most = (2 * int(_degrees(G).max()) + 1) ** 2 * len(G)
    total = 0
    for i, dist in enumerate(_everywhere(G, weight)):
        fits = most * (int(dist.max()) + 1) ** 2 < 2**63
        total += int(of(i, dist if fits else dist.astype(object)))
    if not G.directed:
        return total / 2
    return float(total) if weight is not None and len(G) > 1 and G.weights(weight).floats else total


@algorithm("all", weight="weight")
def wiener_index(G: Graph, weight: Any = None) -> Any:
    return _sums(G, weight, lambda _, dist: dist.sum())


@algorithm("all", weight="weight")
def hyper_wiener_index(G: Graph, weight: Any = None) -> Any:
    return _sums(G, weight, lambda _, dist: (dist + dist * dist).sum())


def _degrees(G: Graph) -> Ints:
    """The number of each node's edges, as NetworkX has it here also with weights; loops count twice."""
    sources, targets = G.rows.sources, G.rows.targets
    return np.diff(G.rows.offsets) + np.bincount(sources[sources == targets], minlength=len(G))


@algorithm("all", weight="weight")
def schultz_index(G: Graph, weight: Any = None) -> Any:
    degrees = _degrees(G)
    return _sums(G, weight, lambda i, dist: (dist * (degrees[i] + degrees)).sum())


@algorithm("all", weight="weight")
def gutman_index(G: Graph, weight: Any = None) -> Any:
    degrees = _degrees(G)
    return _sums(G, weight, lambda i, dist: (dist * degrees[i] * degrees).sum())
