"""Components, and what their number decides."""

from collections.abc import Iterator

import networkx as nx
import numpy as np

from . import answers
from .graph import Graph, Node
from .registry import algorithm


def _components(G: Graph) -> Iterator[set[Node]]:
    return iter([set(G.labels(part)) for part in answers.groups(answers.labels(G))] if len(G) else [])


def connected(G: Graph) -> bool:
    """Whether there is one (weak) component."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return answers.component_count(G) == 1


@algorithm()
def connected_components(G: Graph) -> Iterator[set[Node]]:
    return _components(G)


@algorithm()
def weakly_connected_components(G: Graph) -> Iterator[set[Node]]:
    return _components(G)


@algorithm()
def number_connected_components(G: Graph) -> int:
    return answers.component_count(G)


@algorithm()
def number_weakly_connected_components(G: Graph) -> int:
    return answers.component_count(G)


@algorithm()
def is_connected(G: Graph) -> bool:
    return connected(G)


@algorithm()
def is_weakly_connected(G: Graph) -> bool:
    return connected(G)


@algorithm()
def is_strongly_connected(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool((answers.levels(G, 0) >= 0).all() and (answers.levels(G, 0, reverse=True) >= 0).all())


@algorithm("pair")
def node_connected_component(G: Graph, n: Node) -> set[Node]:
    source = G.number(n)
    if source is None:
        raise KeyError(n)
    return set(G.labels(np.flatnonzero(answers.levels(G, source) >= 0)))


@algorithm()
def is_tree(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - 1 == G.number_of_edges() and connected(G)


@algorithm()
def is_forest(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    # A component has at least one edge less than nodes, so that all have if there are as many in total.
    return G.number_of_edges() == len(G) - answers.component_count(G)


def _most_in(G: Graph) -> int:
    return int(np.bincount(G.rows.targets, minlength=len(G)).max())


@algorithm()
def is_arborescence(G: Graph) -> bool:
    return is_tree(G) and _most_in(G) <= 1


@algorithm()
def is_branching(G: Graph) -> bool:
    return is_forest(G) and _most_in(G) <= 1


def _degrees(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Of a directed graph the in- and out-degrees; else the degrees, twice."""
    out = np.diff(G.rows.offsets)
    if G.directed:
        return np.bincount(G.rows.targets, minlength=len(G)), out
    sources, targets = G.rows.sources, G.rows.targets
    degrees = out + np.bincount(sources[sources == targets], minlength=len(G))
    return degrees, degrees


@algorithm()
def is_eulerian(G: Graph) -> bool:
    ins, outs = _degrees(G)
    if G.directed:
        return bool((ins == outs).all()) and is_strongly_connected(G)
    return bool((ins % 2 == 0).all()) and connected(G)


@algorithm(none=("source",))
def has_eulerian_path(G: Graph, source: Node = None) -> bool:
    if is_eulerian(G):
        return True
    ins, outs = _degrees(G)
    if not G.directed:
        return int((ins % 2).sum()) == 2 and connected(G)
    more = ins - outs
    if np.abs(more).max() > 1:
        return False
    return int((more == 1).sum()) <= 1 and int((more == -1).sum()) <= 1 and connected(G)


@algorithm()
def is_semieulerian(G: Graph) -> bool:
    return has_eulerian_path(G) and not is_eulerian(G)
