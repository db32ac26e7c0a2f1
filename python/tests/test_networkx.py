"""nx_irgl gives what NetworkX itself does: on random graphs of each kind, and where there is little."""

import copy
import inspect
import math
import pickle
import random
import unittest
from fractions import Fraction

try:
    import networkx as nx
except ImportError as err:
    raise unittest.SkipTest("there is no NetworkX here") from err

import _nx_irgl
import nx_irgl
from nx_irgl.interface import ALGORITHMS, can_run, should_run

# Before 3.6 paths came in another order, and some functions or parameters were not there; irgl gives what 3.6 does.
CURRENT = tuple(int(part) for part in nx.__version__.split(".")[:2]) >= (3, 6)

LABELS = [
    lambda i: i, lambda i: f"n{i}", lambda i: (i, "x"), lambda i: frozenset([i]), lambda i: float(i), lambda i: 1000 - i, lambda i: Fraction(i, 3),
    lambda i: i if i % 2 else str(i), lambda i: i == 1 if i < 2 else i,
]


def reals(r):
    """A weight that is a float."""
    return float(r.randrange(1, 6))


def make(kind, n, m, seed, weigh=None):
    """A random graph, some of whose edges are loops, with labels that the seed chooses."""
    r = random.Random(seed)
    label = LABELS[seed % len(LABELS)]
    g = kind()
    nodes = [label(i) for i in range(n)]
    r.shuffle(nodes)
    g.add_nodes_from(nodes)
    for _ in range(m):
        u, v = r.choice(nodes), r.choice(nodes)
        # Integers stand beside edges without a weight, which have 1; floats with integers are refused.
        g.add_edge(u, v, **({"weight": weigh(r)} if weigh and (weigh is reals or r.random() < 0.9) else {}))
    return g


def plain(value):
    """A result to compare: what iterators and dictionaries have in their order, with the types of numbers."""
    if isinstance(value, dict):
        items = [(k, plain(v)) for k, v in value.items()]
        return "dict", items if CURRENT else sorted(items, key=repr)
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(v) for v in value]
    if isinstance(value, nx.Graph):
        return type(value), value.graph, plain(list(value.nodes.items())), plain(list(value.edges(data=True)))
    if isinstance(value, (int, float)):
        return type(value), value
    if isinstance(value, (set, str, frozenset, Fraction)):
        return value
    return "iterator", [plain(v) for v in value]


def answer(function, *args, **kwargs):
    """What a call gives, or the class of what it raises."""
    try:
        return plain(function(*args, **kwargs))
    except (nx.NetworkXException, ValueError, KeyError, ZeroDivisionError) as err:
        return type(err)


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
SIZES = [(0, 0), (1, 0), (1, 1), (2, 1), (7, 5), (12, 20), (30, 60), (40, 400)]
WEIGHTS = {"none": None, "int": lambda r: r.randrange(4), "float": reals, "wide": lambda r: r.randrange(2**30)}


def setUpModule():
    nx.config.warnings_to_ignore.add("cache")  # that it is used is what is wanted


class Same(unittest.TestCase):
    """Each call has NetworkX's result, or is refused; checks counts how many were not."""

    def graphs(self):
        for kind in KINDS:
            for seed, (n, m) in enumerate(SIZES * 2):
                for weigh in WEIGHTS.values():
                    yield make(kind, n, m, seed, weigh)

    def check(self, name, g, *args, exact=True, **kwargs):
        function = getattr(nx, name, None) or getattr(nx.bipartite, name, None)
        if function is None and not CURRENT:
            return
        want = answer(function, g, *args, backend="networkx", **kwargs)
        try:
            got = answer(function, g, *args, backend="irgl", **kwargs)
        except NotImplementedError:
            self.refused[name] = self.refused.get(name, 0) + 1
            return
        if exact or isinstance(want, type) or isinstance(got, type):
            self.assertEqual(got, want, f"{name}{args}{kwargs} of {g} {list(g.edges(data=True))[:40]}")
        else:
            self.near(got, want, name)
        self.ran[name] = self.ran.get(name, 0) + 1

    def near(self, got, want, name):
        """Equal but for the last digits of floats."""
        if isinstance(want, float):
            self.assertTrue(math.isclose(got, want, rel_tol=1e-9) or math.isnan(got) and math.isnan(want), f"{name}: {got}, not {want}")
        elif isinstance(want, (tuple, list)):
            self.assertEqual(len(got), len(want), name)
            for a, b in zip(got, want, strict=True):
                self.near(a, b, name)
        else:
            self.assertEqual(got, want, name)

    def setUp(self):
        self.ran, self.refused = {}, {}

    def assert_ran(self, *names, refused=0.0):
        for name in names:
            self.assertGreater(self.ran.get(name, 0), 20, name)
            self.assertLessEqual(self.refused.get(name, 0) / self.ran[name], refused, name)

    def test_whole(self):
        names = [
            "is_strongly_connected", "is_weakly_connected", "is_connected", "number_connected_components", "number_weakly_connected_components",
            "connected_components", "weakly_connected_components", "is_tree", "is_forest", "is_arborescence", "is_branching", "is_eulerian",
            "is_semieulerian", "has_eulerian_path", "is_bipartite", "sets",
        ]
        for g in self.graphs():
            for name in names:
                self.check(name, g)
            self.check("transitivity", g)
            got = {}
            for backend in ("networkx", "irgl"):  # nodes come in another order
                try:
                    got[backend] = nx.bipartite.color(g, backend=backend)
                except nx.NetworkXError as err:
                    got[backend] = str(err)
            self.assertEqual(got["irgl"], got["networkx"])
        self.assert_ran(*names)
        self.assert_ran("transitivity", refused=1)

    def test_trees(self):
        """On forests, which random graphs are not."""
        for n in (1, 2, 5, 9):
            for kind in (nx.Graph, nx.DiGraph):
                g = kind(nx.random_labeled_tree(n, seed=n)) if n > 1 else kind([(0, 0)])
                for name in ("is_tree", "is_forest", "is_arborescence", "is_branching", "is_bipartite", "sets", "is_eulerian"):
                    self.check(name, g)
                arrows = nx.bfs_tree(g, 0)
                for name in ("is_arborescence", "is_branching", "is_forest"):
                    self.check(name, arrows)
                arrows.add_edge("a", "b")
                for name in ("is_arborescence", "is_branching", "is_forest", "is_tree"):
                    self.check(name, arrows)

    def test_searches(self):
        names = [
            "single_source_shortest_path_length", "single_target_shortest_path_length", "single_source_shortest_path", "single_target_shortest_path",
            "bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "bfs_layers", "descendants", "ancestors", "generic_bfs_edges",
        ]
        limited = {"bfs_edges": "depth_limit", "bfs_predecessors": "depth_limit", "single_source_shortest_path": "cutoff", "single_target_shortest_path_length": "cutoff"}
        for g in self.graphs():
            nodes = list(g)
            for v in [*nodes[:2], *nodes[-1:], "missing"]:
                for name in names:
                    if name != "bfs_layers" or v != "missing":
                        self.check(name, g, v)
                for name, argument in limited.items():
                    for limit in (0, 1, 2.5, -1, math.nan, -math.inf):
                        self.check(name, g, v, **{argument: limit})
                self.check("bfs_edges", g, v, reverse=True)
                self.check("descendants_at_distance", g, v, 2)
                if not g.is_directed():
                    self.check("node_connected_component", g, v)
                for w in nodes[:4]:
                    self.check("has_path", g, v, w)
                    self.check("shortest_path_length", g, v, w)
                    self.check("efficiency", g, v, w)
                self.check("shortest_path", g, source=v)
                self.check("shortest_path", g, target=v)
                self.check("shortest_path_length", g, source=v)
                self.check("shortest_path_length", g, target=v)
        if not CURRENT:  # its results were iterators before 3.5
            names.remove("single_target_shortest_path_length")
            del limited["single_target_shortest_path_length"]
        self.assert_ran(*names, *limited, "has_path", "shortest_path_length", "descendants_at_distance", "node_connected_component")

    def test_weighted(self):
        for g in self.graphs():
            nodes = list(g)
            for v in [*nodes[:2], *nodes[-1:], "missing"]:
                for name in ("single_source_dijkstra", "single_source_dijkstra_path", "single_source_dijkstra_path_length"):
                    self.check(name, g, v)
                    self.check(name, g, v, cutoff=5)
                    self.check(name, g, v, weight=None)
                for w in nodes[:4]:
                    for name in ("dijkstra_path", "dijkstra_path_length", "bellman_ford_path_length", "astar_path_length"):
                        self.check(name, g, v, w)
                    self.check("single_source_dijkstra", g, v, target=w)
                    self.check("shortest_path_length", g, v, w, weight="weight")
                self.check("shortest_path", g, source=v, weight="weight")
                self.check("shortest_path_length", g, source=v, weight="weight")
                if v != "missing":
                    got, want = (dict(nx.single_source_bellman_ford_path_length(g, v, backend=b)) for b in ("irgl", "networkx"))
                    self.assertEqual({k: (type(x), x) for k, x in got.items()}, {k: (type(x), x) for k, x in want.items()})
            for several in (set(nodes[:1]), set(nodes[:3]), set(nodes)):
                for name in ("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length", "voronoi_cells"):
                    self.check(name, g, several)
        self.assert_ran("dijkstra_path", "single_source_dijkstra", "multi_source_dijkstra", "voronoi_cells", "shortest_path", refused=0.5)

    def test_measures(self):
        whole = ["eccentricity", "diameter", "radius", "periphery", "center", "barycenter", "average_shortest_path_length"]
        for g in self.graphs():
            if len(g) > 30:
                continue
            strong = g.copy()
            nx.add_cycle(strong, list(strong))
            for h in (g, strong):
                for name in whole:
                    self.check(name, h, exact=False)
                    self.check(name, h, weight="weight", exact=False)
                for name in ("wiener_index", "hyper_wiener_index", "schultz_index", "gutman_index"):
                    self.check(name, h, exact=False)
                    self.check(name, h, weight="weight", exact=False)
                if len(h) and not h.is_directed():
                    for name in ("diameter", "radius", "periphery", "center"):
                        self.check(name, h, usebounds=True)
            self.check("eccentricity", strong, v=next(iter(strong), None))
            self.check("global_efficiency", g, exact=False)
            self.check("closeness_centrality", g, wf_improved=False, exact=False)
            for name in ("all_pairs_shortest_path_length", "all_pairs_shortest_path", "all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length"):
                self.check(name, g)
            self.check("shortest_path", g)
            self.check("shortest_path_length", g, weight="weight")
            for distance in (None, "weight"):
                self.check("closeness_centrality", g, distance=distance, exact=False)
                self.assertEqual(
                    {k: round(x, 9) for k, x in nx.harmonic_centrality(g, distance=distance, backend="irgl").items()},
                    {k: round(x, 9) for k, x in nx.harmonic_centrality(g, distance=distance, backend="networkx").items()},
                )
            self.check("harmonic_diameter", g, exact=False)
        self.check("eccentricity", nx.Graph([(0, 1, {"weight": 0.0}), (1, 2, {"weight": 0.0})]), weight="weight")
        self.assert_ran(*whole, "closeness_centrality", "wiener_index", refused=0.5)

    def test_spanning(self):
        weights = {**WEIGHTS, "real": lambda r: r.random(), "mixed": lambda r: r.choice([1, 1.5, Fraction(1, 2), 2]), "negative": lambda r: r.randrange(-3, 3)}
        for kind in (nx.Graph, nx.MultiGraph):
            for seed, (n, m) in enumerate(SIZES * 3):
                for weigh in weights.values():
                    g = make(kind, n, m, seed, weigh)
                    g.graph["name"] = "g"
                    for v in g:
                        g.nodes[v]["at"] = 1
                    for most in ("minimum", "maximum"):
                        self.check(f"{most}_spanning_edges", g)
                        self.check(f"{most}_spanning_edges", g, data=False, keys=False)
                        self.check(f"{most}_spanning_tree", g)
                    self.check("minimum_spanning_edges", g, algorithm="prim")
        self.assertEqual(self.refused.keys(), {"minimum_spanning_edges"})  # by Prim
        self.assertEqual(self.refused["minimum_spanning_edges"] * 2, self.ran["minimum_spanning_edges"])
        g = nx.Graph([(0, 1), (1, 2), (2, 0)])
        g[0][1]["weight"] = math.nan
        self.check("minimum_spanning_edges", g)
        self.check("minimum_spanning_edges", g, ignore_nan=True)

    def test_sets(self):
        for g in self.graphs():
            if g.is_directed() or not len(g):
                continue
            for given in ([], list(g)[:1]):
                if any(g.has_edge(v, v) for v in given):
                    with self.assertRaises(nx.NetworkXUnfeasible):
                        nx.maximal_independent_set(g, given, backend="irgl")
                    continue
                chosen = nx.maximal_independent_set(g, given, backend="irgl")
                self.assertEqual(len(chosen), len(set(chosen)))
                self.assertLessEqual(set(given), set(chosen))
                for v in g:
                    near = set(g[v]) - {v}
                    self.assertEqual(v in chosen, not near & set(chosen), "independent, and maximal")
            for start in (None, list(g)[-1]):
                found = nx.dominating_set(g, start, backend="irgl")
                self.assertTrue(nx.is_dominating_set(g, found, backend="networkx"))
                self.assertIn(list(g)[0] if start is None else start, found)
        g = nx.path_graph(4)
        with self.assertRaisesRegex(nx.NetworkXUnfeasible, "not an independent set"):
            nx.maximal_independent_set(g, [0, 1], backend="irgl")
        with self.assertRaisesRegex(nx.NetworkXUnfeasible, "not a subset"):
            nx.maximal_independent_set(g, [9], backend="irgl")
        self.assertIn("seed", can_run("maximal_independent_set", (g,), {"seed": random.Random(1)}))

    def test_pagerank(self):
        for g in self.graphs():
            for alpha in (0.85, 0.5):
                try:
                    got = nx.pagerank(g, alpha, tol=1e-10, max_iter=1000, backend="irgl")
                except NotImplementedError:
                    continue
                want = nx.pagerank(g, alpha, tol=1e-10, max_iter=1000, backend="networkx")
                self.assertEqual(list(got), list(want))
                for v, rank in want.items():
                    self.assertIs(type(got[v]), float)
                    self.assertAlmostEqual(got[v], rank, delta=1e-8)
                self.ran["pagerank"] = self.ran.get("pagerank", 0) + 1
        self.assertGreater(self.ran["pagerank"], 300)
        with self.assertRaises(nx.PowerIterationFailedConvergence):
            nx.pagerank(nx.path_graph(50), tol=1e-12, max_iter=3, backend="irgl")


class Backend(unittest.TestCase):
    def test_names(self):
        """What NetworkX is told is what there is, and has the parameters of NetworkX's functions."""
        self.assertEqual(_nx_irgl.FUNCTIONS.keys(), ALGORITHMS.keys())
        self.assertGreaterEqual(len(ALGORITHMS), 70)
        from networkx.utils.backends import _registered_algorithms as known

        for name, a in ALGORITHMS.items():
            if name not in known and not CURRENT:
                continue
            theirs = [(p.name, p.default) for p in inspect.signature(known[name]).parameters.values() if p.name not in ("backend", "backend_kwargs")]
            ours = [(p.name, p.default) for p in a.signature.parameters.values()]
            if not CURRENT:
                ours = ours[: len(theirs)]
            self.assertEqual(ours, theirs, name)

    def test_refusals(self):
        g = nx.path_graph(3)
        for name, args, kwargs, reason in [
            ("pagerank", (g,), {"personalization": {0: 1}}, "no personalization"),
            ("dijkstra_path", (g, 0, 1), {"weight": lambda *_: 1}, "functions as weights"),
            ("diameter", (g,), {"e": {0: 1}}, "no e"),
            ("bfs_layers", (g, [0, 1]), {}, "one node"),
            ("shortest_path", (g, 0, 2), {}, "between two nodes"),
            ("betweenness_centrality", (g,), {}, "no betweenness_centrality"),
        ]:
            with self.subTest(name):
                self.assertRegex(str(can_run(name, args, kwargs)), reason)
        self.assertIs(can_run("pagerank", (g,), {}), True)
        with self.assertRaises(NotImplementedError):
            nx.pagerank(g, personalization={0: 1}, backend="irgl")
        for weight, reason in [(-1, "from 0"), (2**31, "from 0"), (0.5, "integral"), (math.nan, "from 0"), (math.inf, "from 0"), (None, "all integers"), ("7", "all integers"), (10**30, "from 0")]:
            h = nx.Graph()
            h.add_edge(0, 1, weight=weight)
            with self.subTest(weight=weight), self.assertRaisesRegex(NotImplementedError, reason):
                nx_irgl.convert_from_nx(h).weights("weight")
        with self.assertRaises(NotImplementedError):
            nx.dijkstra_path_length(h, 0, 1, backend="irgl")

    def test_chosen(self):
        small, large = nx.path_graph(5), nx.gnm_random_graph(2000, 60000, seed=1)
        self.assertIn("less than", should_run("pagerank", (small,), {}))
        self.assertIs(should_run("pagerank", (), {"G": large}), True)
        self.assertIn("little", should_run("has_path", (large, 0, 1), {}))
        self.assertIs(should_run("has_path", (nx_irgl.convert_from_nx(small), 0, 1), {}), True)

    def test_conversion(self):
        """Conversions are kept until the graph changes, and serve for all attributes."""
        g = nx.gnm_random_graph(50, 200, seed=1)
        first = nx_irgl.convert_from_nx(g)
        self.assertIsNot(nx_irgl.convert_from_nx(g), first)  # nobody keeps it
        nx.number_connected_components(g, backend="irgl")
        kept = nx_irgl.convert_from_nx(g)
        self.assertIs(nx_irgl.convert_from_nx(g), kept)
        nx.dijkstra_path_length(g, 0, 1, backend="irgl")
        self.assertIs(nx_irgl.convert_from_nx(g), kept)
        g.add_edge(0, "new", weight=7)
        self.assertIsNot(nx_irgl.convert_from_nx(g), kept)
        self.assertEqual(nx.dijkstra_path_length(g, 0, "new", backend="irgl"), 7)
        with self.assertRaisesRegex(nx.NetworkXError, "changed"):
            kept.data()

    def test_back(self):
        for kind in KINDS:
            g = make(kind, 12, 30, 3, lambda r: r.randrange(9))
            g.graph["name"] = "g"
            for v in g:
                g.nodes[v]["at"] = 1
            h = nx_irgl.convert_to_nx(nx_irgl.convert_from_nx(g))
            self.assertEqual((type(h), h.graph, h._node, h._adj), (type(g), g.graph, g._node, g._adj))
        view = nx.path_graph(9).subgraph([1, 2, 3, 7])
        self.assertEqual(list(nx.connected_components(view, backend="irgl")), [{1, 2, 3}, {7}])

    def test_copies(self):
        """A graph that was used is pickled and copied as any other."""
        g = make(nx.Graph, 9, 20, 1)
        want = nx.is_connected(g, backend="irgl")
        for h in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g), pickle.loads(pickle.dumps(nx_irgl.convert_from_nx(g)))):
            self.assertEqual(nx.is_connected(h, backend="irgl"), want)

    def test_servers(self):
        """A graph outlives its server."""
        import irgl

        g = nx_irgl.convert_from_nx(nx.path_graph(5))
        from nx_irgl import interface

        self.assertEqual(interface.number_connected_components(g), 1)
        irgl.stop()
        self.assertEqual(interface.number_connected_components(g), 1)


if __name__ == "__main__":
    unittest.main()
