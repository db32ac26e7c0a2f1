"""Breadth-first search."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import networkx as nx
import numpy as np

from . import answers
from .graph import Graph, Node
from .paths import deepest, source_number
from .registry import algorithm


def _start(G: Graph, source: Node) -> int:
    kind = "digraph" if G.directed else "graph"
    return source_number(G, source, f"The node {{}} is not in the {kind}.", nx.NetworkXError)


def _edges(G: Graph, source: Node, depth_limit: float | None, *, reverse: bool = False) -> tuple[list[Node], list[Node]]:
    """The ends of the edges of the tree of a search, in its order."""
    start = _start(G, source)
    level = answers.levels(G, start, reverse=reverse)
    order, parents = answers.discovered(G.reversed() if reverse else G.rows, level, start, deepest(depth_limit))
    return G.labels(parents), G.labels(order[1:])


@algorithm(none=("neighbors",))
def generic_bfs_edges(G: Graph, source: Node, neighbors: None = None, depth_limit: float | None = None) -> Iterator[tuple[Node, Node]]:
    return zip(*_edges(G, source, depth_limit), strict=True)


@algorithm(none=("sort_neighbors",))
def bfs_edges(
    G: Graph, source: Node, reverse: bool = False, depth_limit: float | None = None, sort_neighbors: None = None,
) -> Iterator[tuple[Node, Node]]:
    return zip(*_edges(G, source, depth_limit, reverse=reverse), strict=True)


@algorithm(none=("sort_neighbors",))
def bfs_tree(G: Graph, source: Node, reverse: bool = False, depth_limit: float | None = None, sort_neighbors: None = None) -> nx.DiGraph:
    edges = _edges(G, source, depth_limit, reverse=reverse)
    T = nx.DiGraph()
    T.add_node(source)
    T.add_edges_from(zip(*edges, strict=True))
    return T


@algorithm(none=("sort_neighbors",))
def bfs_predecessors(G: Graph, source: Node, depth_limit: float | None = None, sort_neighbors: None = None) -> Iterator[tuple[Node, Node]]:
    parents, children = _edges(G, source, depth_limit)
    return zip(children, parents, strict=True)


@algorithm(none=("sort_neighbors",))
def bfs_successors(G: Graph, source: Node, depth_limit: float | None = None, sort_neighbors: None = None) -> Iterator[tuple[Node, list[Node]]]:
    parents, children = _edges(G, source, depth_limit)
    if not parents:
        return iter([(source, [])])
    groups = groupby(zip(parents, children, strict=True), key=lambda edge: edge[0])
    return ((parent, [child for _, child in edges]) for parent, edges in groups)


@algorithm(refuses=lambda given: "" if given["sources"] in given["G"] else "irgl's searches begin at one node")
def bfs_layers(G: Graph, sources: Any) -> Iterator[list[Node]]:
    start = _start(G, sources)
    level = answers.levels(G, start)
    order, _ = answers.discovered(G.rows, level, start)
    cuts = np.flatnonzero(np.diff(level[order])) + 1
    return (G.labels(layer) for layer in np.split(order, cuts))


@algorithm()
def descendants_at_distance(G: Graph, source: Node, distance: int) -> set[Node]:
    start = source_number(G, source, "The node {} is not in the graph.", nx.NetworkXError)
    level = answers.levels(G, start)
    return set(G.labels(np.flatnonzero((level == distance) & (level >= 0))))


def _others(G: Graph, source: Node, *, reverse: bool) -> set[Node]:
    start = _start(G, source)
    return set(G.labels(np.flatnonzero(answers.levels(G, start, reverse=reverse) > 0)))


@algorithm()
def descendants(G: Graph, source: Node) -> set[Node]:
    return _others(G, source, reverse=False)


@algorithm()
def ancestors(G: Graph, source: Node) -> set[Node]:
    return _others(G, source, reverse=True)
