"""Independent and dominating sets, triangles, ranks."""

import random
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from . import answers
from .graph import Graph, Node, Rows
from .registry import algorithm


def _neighbours(G: Graph, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether each node is a neighbour of one of some nodes."""
    chosen = np.zeros(len(G), bool)
    chosen[numbers] = True
    near = np.zeros(len(G), bool)
    near[G.rows.targets[chosen[G.rows.sources]]] = True
    return near


def _seeded(given: dict[str, Any]) -> str:
    # NetworkX's decorator has put a generator in the place of None.
    return "" if given["seed"] is None or given["seed"] is getattr(random, "_inst", None) else "irgl's set does not depend on a seed"


@algorithm(refuses=_seeded)
def maximal_independent_set(G: Graph, nodes: Any = None, seed: Any = None) -> list[Node]:
    if not nodes:
        if len(G) == 0:
            raise IndexError("Cannot choose from an empty sequence")
        return G.labels(answers.independent(G))
    given = set(nodes)
    numbers = [G.number(v) for v in given]
    if None in numbers:
        raise nx.NetworkXUnfeasible(f"{given} is not a subset of the nodes of G")
    chosen = np.array(numbers, np.int64)
    near = _neighbours(G, chosen)
    if near[chosen].any():
        raise nx.NetworkXUnfeasible(f"{given} is not an independent set of G")
    near[chosen] = True
    return [*given, *G.labels(answers.independent(G, near))]


def _directed(given: dict[str, Any]) -> str:
    return "irgl does this for undirected graphs" if given["G"].is_directed() else ""


@algorithm(refuses=lambda given: _directed(given) or ("" if len(given["G"]) else "a graph without nodes"))
def dominating_set(G: Graph, start_with: Node = None) -> set[Node]:
    """A maximal independent set, which dominates."""
    start = 0 if start_with is None else G.number(start_with)
    if start is None:
        raise nx.NetworkXError(f"node {start_with} is not in G")
    near = _neighbours(G, np.array([start]))
    near[start] = True
    return {G.nodes[start], *G.labels(answers.independent(G, near))}


@algorithm("heavy", refuses=_directed)
def transitivity(G: Graph) -> float:
    if G.multigraph:
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    closed = 6 * answers.triangles(G) if len(G) else 0
    if closed == 0:
        return 0
    sources, targets = G.rows.sources, G.rows.targets
    degrees = np.diff(G.rows.offsets) - np.bincount(sources[sources == targets], minlength=len(G))
    return closed / int((degrees * (degrees - 1)).sum())


@algorithm("heavy", none=("personalization", "nstart", "dangling"), weight="weight")
def pagerank(
    G: Graph, alpha: float = 0.85, personalization: None = None, max_iter: int = 100, tol: float = 1e-6, nstart: None = None, weight: Any = "weight",
    dangling: None = None,
) -> dict[Node, float]:
    if len(G) == 0:
        return {}
    if not 0 <= alpha <= 1 or not tol > 0 or max_iter < 1:
        raise NotImplementedError("irgl's PageRank takes an alpha from 0 to 1, a positive tol and a round or more")
    rows = _repeated(G, weight)
    rank, rounds = answers.ranks(G, rows, alpha, tol, max_iter)
    if rounds >= max_iter and _change(rows, rank, alpha) >= len(G) * tol:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G.nodes, rank.tolist(), strict=True))


# How many times as many arcs a graph may have where weights stand for numbers of parallel arcs.
_MOST_REPEATED = 16


def _repeated(G: Graph, weight: Any) -> Rows:
    """The rows of the graph with as many parallel arcs for each as its weight says: the walk takes each with the same probability."""
    if weight is None:
        return G.rows
    values = G.weights(weight).values
    if (values == values[:1]).all() and (values > 0).all():
        return G.rows
    counts = values // max(1, int(np.gcd.reduce(values)))
    if counts.sum() > _MOST_REPEATED * len(counts):
        raise NotImplementedError(f"irgl's PageRank takes weights that are small multiples of one, {_MOST_REPEATED} on average")
    before = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=before[1:])
    return Rows(before[G.rows.offsets], np.repeat(G.rows.targets, counts))


def _change(rows: Rows, rank: npt.NDArray[np.float64], alpha: float) -> float:
    """The sum of the changes of ranks in one more round."""
    n, degrees = len(rank), np.diff(rows.offsets)
    given = np.divide(rank, degrees, out=np.zeros(n), where=degrees > 0)
    came = np.bincount(rows.targets, given[rows.sources], minlength=n) + rank[degrees == 0].sum() / n
    return float(np.abs(alpha * came + (1 - alpha) / n - rank).sum())
