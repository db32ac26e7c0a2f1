"""How fast functions are by irgl and by NetworkX: python3 -m tests.nx_overhead [SPEC...], in the folder above. Not a test: it only measures.

A specification is karate, or one of irgl graph gen's. Times are in milliseconds, the least of a few: by NetworkX; by irgl with the
conversion of the graph; and by irgl for a graph that was converted before.
"""

import sys
import time

import irgl
import networkx as nx

CALLS = {
    "single_source_shortest_path_length": (lambda g, s: nx.single_source_shortest_path_length(g, s)),
    "bfs_edges": (lambda g, s: list(nx.bfs_edges(g, s))),
    "number_connected_components": (lambda g, s: nx.number_connected_components(g)),
    "connected_components": (lambda g, s: list(nx.connected_components(g))),
    "pagerank": (lambda g, s: nx.pagerank(g, weight=None)),
    "single_source_dijkstra_path_length": (lambda g, s: nx.single_source_dijkstra_path_length(g, s)),
    "minimum_spanning_tree": (lambda g, s: nx.minimum_spanning_tree(g)),
    "transitivity": (lambda g, s: nx.transitivity(g)),
    "maximal_independent_set": (lambda g, s: nx.maximal_independent_set(g)),
}


def graph(spec):
    if spec == "karate":
        return nx.karate_club_graph()
    rows = irgl.Graph.generate(spec).symmetrized().arrays()
    g = nx.Graph()
    g.add_nodes_from(range(len(rows.offsets) - 1))
    weights = rows.weights.tolist() if rows.weights is not None else [1] * len(rows.targets)
    g.add_weighted_edges_from((u, v, w) for u, v, w in zip(rows.sources.tolist(), rows.targets.tolist(), weights, strict=True) if u < v)
    return g


def least(f, seconds=2.0):
    """The least time of a call."""
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() > end:
            return best * 1e3


def main():
    nx.config.warnings_to_ignore.add("cache")
    ratios = []
    for spec in sys.argv[1:] or ["karate", "uniform:300:4:wmax=100", "uniform:2000:8:wmax=100", "rmat:12:8:wmax=100", "rmat:14:8:wmax=100"]:
        g = graph(spec)
        source = max(g, key=g.degree)
        print(f"{spec}: {len(g)} nodes, {g.number_of_edges()} edges")
        for name, call in CALLS.items():
            with nx.config.backend_priority(algos=[]):
                theirs = least(lambda call=call, g=g, source=source: call(g, source))

            def converted(call=call, g=g, source=source):
                g.__networkx_cache__.clear()
                call(g, source)

            with nx.config.backend_priority(algos=["irgl"]):  # also where should_run would leave it to NetworkX
                from nx_irgl import interface

                asked, interface.should_run = interface.should_run, lambda *_: True
                first, again = least(converted), least(lambda call=call, g=g, source=source: call(g, source))
                interface.should_run = asked
            if g.number_of_edges() >= 100_000:
                ratios.append(theirs / first)
            print(f"  {name:36} {theirs:10.2f} {first:10.2f} {again:10.2f}   {theirs / first:7.1f}x")
    if ratios:
        product = 1.0
        for r in ratios:
            product *= r
        print(f"geometric mean from 100,000 edges on: {product ** (1 / len(ratios)):.1f}x")


if __name__ == "__main__":
    main()
