"""What irgl's programs answer about graphs, by numbers of nodes, and the order in which NetworkX would have found it."""

import math
from collections.abc import Sequence
from typing import Any

import irgl
import networkx as nx
import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows


def options() -> irgl.RunOptions:
    """The options of runs: nx.config.backends.irgl.device."""
    config = getattr(nx.config.backends, "irgl", None)
    return {"device": getattr(config, "device", None) or "auto"}


def levels(g: Graph, source: int, *, reverse: bool = False) -> Ints:
    """The number of arcs on a shortest path from a node to each, or from each to it; -1 where there is none."""
    level = g.call_on(reverse, None, irgl.bfs, source, **options()).level
    out = level.astype(np.int64)
    out[level == irgl.INF] = -1
    return out


def distances(g: Graph, source: int, weight: Any = None, *, reverse: bool = False) -> Ints:
    """The least sum of weights on a path from a node to each, or from each to it; -1 where there is no path.

    NotImplementedError for weights that irgl does not take.
    """
    if weight is None:
        return levels(g, source, reverse=reverse)
    return _reached(g.call_on(reverse, weight, irgl.sssp, source, **options()).dist)


def distances_from(g: Graph, sources: Sequence[int], weight: Any) -> Ints:
    """The same from the nearest of several nodes."""
    if len(sources) == 1:
        return distances(g, sources[0], weight)
    n, count = len(g), len(sources)
    values = g.weights(weight).values
    # One node more has arcs without length to all of them.
    tails = np.concatenate([g.rows.sources, np.full(count, n, np.int32)])
    heads = np.concatenate([g.rows.targets, np.array(sources, np.int32)])
    rooted = irgl.Graph.from_edges(tails, heads, np.concatenate([values, np.zeros(count, np.int64)]), nodes=n + 1)
    return _reached(irgl.sssp(rooted, n, **options()).dist)[:n]


def _reached(dist: irgl.Distances) -> Ints:
    out = dist.astype(np.int64)
    out[dist == np.iinfo(dist.dtype).max] = -1
    return out


def labels(g: Graph) -> npt.NDArray[np.int32]:
    """The smallest node of each node's component, which is a weak one in a directed graph."""
    return g.call(irgl.cc, **options()).comp


def component_count(g: Graph) -> int:
    """The number of components."""
    return g.call(irgl.cc, **options()).components if len(g) else 0


def groups(label: npt.NDArray[Any]) -> list[npt.NDArray[np.int64]]:
    """The nodes of each label, both in ascending order."""
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []


def discovered(rows: Rows, level: Ints, source: int, most: float = math.inf) -> tuple[Ints, Ints]:
    """The nodes of a breadth-first search down to a level in the order in which it finds them, and the node from which each but the first is found.

    level is that of each node: of those with the same one, a search finds first what the first node of the level before leads to.
    """
    frontier = np.array([source], np.int64)
    order, parents = [frontier], []
    place = np.empty(len(level), np.int64)
    depth = 0
    while len(frontier) and depth < most:
        depth += 1
        arcs, tails = _arcs(rows, frontier)
        heads = rows.targets[arcs]
        new = level[heads] == depth
        heads, tails = heads[new], tails[new]
        numbers = np.arange(len(heads))
        place[heads[::-1]] = numbers[::-1]  # the first of equal ones is written last
        first = place[heads] == numbers
        frontier = heads[first].astype(np.int64)
        order.append(frontier)
        parents.append(tails[first])
    return np.concatenate(order), np.concatenate(parents) if parents else np.empty(0, np.int64)


def _arcs(rows: Rows, nodes: Ints) -> tuple[Ints, Ints]:
    """The arcs that leave some nodes, in their order, and the node that each leaves."""
    starts = rows.offsets[nodes]
    counts = rows.offsets[nodes + 1] - starts
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum())), np.repeat(nodes, counts)


def settled(g: Graph, dist: Ints, sources: Sequence[int], weight: Any) -> tuple[list[int], list[int]]:
    """The nodes in the order in which Dijkstra's algorithm, as NetworkX has it, settles them, and for each node the one before it on the path; -1 for none.

    Nodes of one distance come in the order in which the heap got that distance of theirs: that of the first node that gives it,
    and then of its arcs. Nodes that arcs without length give it come last, in the order of a queue.
    """
    rows, values = g.rows, g.weights(weight).values
    tails, heads = rows.sources, rows.targets
    tight = (dist[tails] >= 0) & (dist[tails] + values == dist[heads]) & (tails != heads)
    free: dict[int, list[int]] = {}
    for u, v in np.stack([tails, heads])[:, tight & (values == 0)].T.tolist():
        free.setdefault(u, []).append(v)
    arcs = np.flatnonzero(tight & (values > 0))
    arcs = arcs[np.argsort(heads[arcs], kind="stable")]
    bounds = np.searchsorted(heads[arcs], np.arange(len(dist) + 1)).tolist()
    froms, numbers = tails[arcs].tolist(), arcs.tolist()

    reached = np.flatnonzero(dist >= 0)
    reached = reached[np.argsort(dist[reached], kind="stable")]
    cuts = np.flatnonzero(np.diff(dist[reached])) + 1
    rank, before = [0] * len(dist), [-1] * len(dist)
    order: list[int] = []
    nodes = reached.tolist()
    for lo, hi in zip([0, *cuts.tolist()], [*cuts.tolist(), len(nodes)], strict=True):
        group: list[int] = []
        if lo == 0:
            group = list(sources)
        else:
            pushed = []
            for v in nodes[lo:hi]:
                if bounds[v] < bounds[v + 1]:
                    _, number, u = min((rank[froms[i]], numbers[i], froms[i]) for i in range(bounds[v], bounds[v + 1]))
                    pushed.append((rank[u], number, v))
                    before[v] = u
            group = [v for _, _, v in sorted(pushed)]
        if len(group) < hi - lo:
            known = set(group)
            for u in group:  # it grows
                for v in free.get(u, ()):
                    if v not in known:
                        known.add(v)
                        before[v] = u
                        group.append(v)
        for v in group:
            rank[v] = len(order)
            order.append(v)
    return order, before


def ranks(g: Graph, rows: Rows, damping: float, tolerance: float, rounds: int) -> tuple[npt.NDArray[np.float64], int]:
    """PageRank in rows that are the graph's, or others of its nodes, and after how many rounds."""

    def run(graph: irgl.Graph) -> irgl.PRResult:
        return irgl.pr(graph, damping=float(damping), tolerance=float(tolerance), max_rounds=rounds, **options())

    r = g.call(run) if rows is g.rows else run(rows.load())
    return r.rank, r.rounds


def triangles(g: Graph) -> int:
    """The number of triangles."""
    return g.call(irgl.tri, **options()).triangles


def independent(g: Graph, without: npt.NDArray[np.bool_] | None = None) -> Ints:
    """A maximal independent set of the nodes, or of those that are not left out."""
    if without is None:
        return np.flatnonzero(g.call(irgl.mis, **options()).inside)
    nodes = np.flatnonzero(~without)
    number = np.full(len(g), -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    tails, heads = number[g.rows.sources], number[g.rows.targets]
    inner = (tails >= 0) & (heads >= 0)
    part = irgl.Graph.from_edges(tails[inner], heads[inner], nodes=len(nodes))
    return nodes[np.flatnonzero(irgl.mis(part, **options()).inside)]


def forest(g: Graph, arcs: Ints) -> Ints:
    """Which of some arcs Kruskal's algorithm chooses that takes them in this order, by their place in it."""
    if len(arcs) == 0:
        return np.empty(0, np.int64)
    # Where all weights differ there is one spanning forest: a program that works in another order finds the same.
    ordered = irgl.Graph.from_edges(g.rows.sources[arcs], g.rows.targets[arcs], np.arange(len(arcs)), nodes=len(g), symmetrize=True)
    r = irgl.mst(ordered, **options())
    weights = r.rows().weights
    assert weights is not None
    return np.sort(weights[r.chosen]).astype(np.int64)
