"""Two colours of nodes, by the parity of levels of a breadth-first search from all components at once."""

from typing import Any

import irgl
import networkx as nx
import numpy as np
import numpy.typing as npt

from . import answers
from .components import connected
from .graph import Graph, Node
from .registry import algorithm


def _colours(G: Graph) -> npt.NDArray[np.int64]:
    """1 for the first node of each component that arcs leave, and for those at even distances of it; 0 for others."""
    n = len(G)
    sources, targets = G.rows.sources, G.rows.targets
    leaving = np.flatnonzero(np.diff(G.rows.offsets))
    _, first = np.unique(answers.labels(G)[leaving], return_index=True)
    starts = leaving[first]
    # One node more leads to the first of each.
    tails: list[npt.NDArray[Any]] = [sources, np.full(len(starts), n)]
    heads: list[npt.NDArray[Any]] = [targets, starts]
    if G.directed:
        tails.append(targets)
        heads.append(sources)
    rooted = irgl.Graph.from_edges(np.concatenate(tails), np.concatenate(heads), nodes=n + 1)
    level = irgl.bfs(rooted, n, **answers.options()).level[:n]
    colours = np.where(level == irgl.INF, 0, level % 2).astype(np.int64)
    if (colours[sources] == colours[targets]).any():
        raise nx.NetworkXError("Graph is not bipartite.")
    return colours


@algorithm()
def color(G: Graph) -> dict[Node, int]:
    return dict(zip(G.nodes, _colours(G).tolist(), strict=True)) if len(G) else {}


@algorithm()
def is_bipartite(G: Graph) -> bool:
    try:
        color(G)
    except nx.NetworkXError:
        return False
    return True


@algorithm(none=("top_nodes",))
def sets(G: Graph, top_nodes: object = None) -> tuple[set[Node], set[Node]]:
    if not connected(G):
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    colours = color(G)
    top = {v for v, c in colours.items() if c}
    return top, colours.keys() - top
