"""nx_irgl: NetworkX's functions by irgl (docs/networkx.md).

NetworkX finds it by itself: nx.pagerank(G, backend="irgl"), or nx.config.backend_priority.algos = ["irgl"]. A graph is
converted once (graph.py); each function asks programs of irgl for numbers of nodes, and gives NetworkX's own answer: the same
nodes, order, types of numbers, and exceptions. What it does not do it refuses, with the reason, and NetworkX does it.
"""

from .graph import Graph, convert_from_nx, convert_to_nx

__all__ = ["Graph", "convert_from_nx", "convert_to_nx"]
