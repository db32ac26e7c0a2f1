"""Graphs of arrays, matrices, files and generators: what they hold, what is copied, and what is refused."""

import gc
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

import irgl
from irgl import _client, _copying
from irgl._client import server

try:
    import scipy.sparse
except ImportError:
    scipy = None

# 0 -> 1 -> 2 -> 0 and 2 -> 3, and 4 alone.
OFFSETS, SOURCES, TARGETS, WEIGHTS = [0, 1, 2, 4, 4, 4], [0, 1, 2, 2], [1, 2, 0, 3], [5, 1, 2, 9]


class Arrays(unittest.TestCase):
    def check(self, g, weights=""):
        self.assertEqual((g.nnodes, g.nedges, g.weights), (5, 4, weights))
        rows = g.arrays()
        np.testing.assert_array_equal(rows.offsets, OFFSETS)
        np.testing.assert_array_equal(rows.targets, TARGETS)
        np.testing.assert_array_equal(rows.sources, SOURCES)
        self.assertIsNone(rows.names)
        if weights:
            np.testing.assert_array_equal(rows.weights, WEIGHTS)
            self.assertEqual(rows.weights.dtype, weights)
        np.testing.assert_array_equal(irgl.bfs(g, source=0, verify=True).level, [0, 1, 2, 3, irgl.INF])

    def test_types(self):
        for kind in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
            with self.subTest(kind):
                a = [np.array(x, dtype=kind) for x in (OFFSETS, SOURCES, TARGETS, WEIGHTS)]
                self.check(irgl.Graph.from_csr(a[0], a[2], a[3]), "int32")
                self.check(irgl.Graph.from_edges(a[1], a[2], a[3], nodes=5), "int32")
        for kind in ("float16", "float32", "float64"):
            self.check(irgl.Graph.from_csr(OFFSETS, TARGETS, np.array(WEIGHTS, dtype=kind)), "float64")
        self.check(irgl.Graph.from_edges(SOURCES, TARGETS, nodes=5))
        self.check(irgl.Graph.from_edges(np.array(SOURCES)[::-1][::-1], np.repeat(TARGETS, 2)[::2], nodes=5))  # strides
        self.assertEqual(irgl.Graph.from_edges([0, 7], [7, 3]).nnodes, 8)

    def test_without_edges(self):
        self.assertEqual(irgl.Graph.from_edges([], []).nnodes, 0)
        g = irgl.Graph.from_edges([], [], nodes=3)
        self.assertEqual(irgl.cc(g).components, 3)
        self.assertEqual(irgl.Graph.from_csr([0], []).nnodes, 0)

    def test_copies(self):
        a, b = np.array(OFFSETS, dtype=np.int64), np.array(TARGETS, dtype=np.int32)
        self.assertEqual(irgl.Graph.from_csr(a, b).bytes_copied, a.nbytes + b.nbytes)
        a[1] = 4  # the graph has its own
        rows, heads = irgl.empty(6, np.int64), irgl.empty(4, np.int32)
        self.assertEqual(rows.tolist(), [0] * 6)
        rows[:], heads[:] = OFFSETS, TARGETS
        g = irgl.Graph.from_csr(rows, heads)
        self.assertEqual(g.bytes_copied, 0)
        with self.assertRaises(ValueError):
            heads[0] = 3  # read-only from now on
        self.check(g)
        del rows, heads
        gc.collect()
        self.check(g)  # it keeps the memory
        again = irgl.Graph.from_csr(*g.arrays()[:2])
        self.assertEqual(again.bytes_copied, 0)
        self.check(again)
        self.assertEqual(irgl.Graph.from_edges(g.arrays().targets, np.array(TARGETS, dtype=np.int32)).bytes_copied, 16)

    def test_shared_writes_are_seen(self):
        """What is said not to be copied is written on one side, and read on the other."""
        heads = irgl.empty(4, np.int32)
        rows = irgl.empty(6, np.int64)
        rows[:] = OFFSETS
        other = heads[:]
        g = irgl.Graph.from_csr(rows, heads)  # all edges lead to 0 so far
        self.assertEqual(g.bytes_copied, 0)
        other[:] = TARGETS  # which the caller promised not to do: no copy would show it
        np.testing.assert_array_equal(g.arrays().targets, TARGETS)

    def test_read_only(self):
        """What a graph is made of cannot be written by what it is a view of; what no graph was made of can be."""
        rows, heads = irgl.empty(6, np.int64), irgl.empty((2, 3), np.int32)
        rows[:], heads.reshape(-1)[:4] = OFFSETS, TARGETS
        flat = heads.reshape(-1)
        part = flat[1:]
        with self.assertRaises(irgl.GraphError):
            irgl.Graph.from_csr(rows, part)
        self.assertTrue(rows.flags.writeable and part.flags.writeable and heads.flags.writeable)
        g = irgl.Graph.from_csr(rows, flat[:4])
        self.assertEqual(g.bytes_copied, 0)
        with self.assertRaises(ValueError):
            heads[:] = 1
        level = irgl.bfs(g, source=0).level
        irgl.Graph.from_edges(level[:2], level[1:3], nodes=5)
        with self.assertRaises(ValueError):
            level[0] = 7

    def test_unaligned(self):
        part = irgl.empty(101, np.uint8)[1:41].view(np.int32)
        self.assertEqual(irgl.Graph.from_edges(part, part).bytes_copied, 80)

    def test_structures(self):
        a = irgl.empty((2, 3), [("x", "i4"), ("y", "f8")])
        a["x"] = 5
        gaps = np.dtype({"names": ["p", "q"], "formats": ["i1", "f8"], "offsets": [0, 8]})
        self.assertEqual(irgl.empty(2, gaps).dtype, gaps)
        self.assertEqual(irgl.empty(2, "V5").dtype, np.dtype("V5"))
        self.assertEqual((a.shape, a.dtype.names, a["x"].sum(), a["y"].sum()), ((2, 3), ("x", "y"), 30, 0))
        self.assertEqual(irgl.Graph.from_edges(irgl.empty(3, [("n", "i4")])["n"], [1, 2, 3]).nnodes, 4)
        self.assertEqual(irgl.empty((), "M8[s]").shape, ())

    def test_scalars(self):
        """numpy's numbers are numbers, also where Python's are meant, and paths are texts."""
        src = np.array(SOURCES)
        g = irgl.Graph.from_edges(src, TARGETS, nodes=src.max() + 3)
        self.assertEqual(g.nnodes, 5)
        g = g.with_random_weights(np.int64(3), seed=np.uint8(3))
        r = irgl.bfs(g, source=np.int16(0), workers=np.int64(2), verify=np.True_, tuning=pathlib.Path("/nowhere/at.all"))
        self.assertTrue(r.verified)
        for source in (np.array([1, 2]), 2**64, [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]], list(range(300_000)), "\ud800"):
            with self.assertRaises(irgl.ArgumentError):
                irgl.bfs(g, source=source)
        self.assertEqual(g.statistics().nodes, 5)  # by the same server

    def test_spare(self):
        """A matrix may have more room than elements."""
        m = types.SimpleNamespace(shape=(5, 5), format="csr", indptr=np.array(OFFSETS), indices=np.array([*TARGETS, 99]), data=np.array([*WEIGHTS, 99]))
        self.check(irgl.Graph.from_scipy(m), "int32")

    def test_stray(self):
        """A stray number of a node is an error, and not the end of the server."""
        g = irgl.Graph.generate("path:2")
        with self.assertRaisesRegex(irgl.GraphError, "of memory|at most"):
            irgl.Graph.from_edges([0], [2**31 - 2])
        self.assertEqual(g.statistics().nodes, 2)

    def test_large(self):
        n, m = 100_000, 1_500_000  # copied by several threads
        rng = np.random.default_rng(1)
        src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
        g = irgl.Graph.from_edges(src, dst, np.arange(m), nodes=n)
        rows = g.arrays()
        order = np.argsort(src, kind="stable")
        np.testing.assert_array_equal(rows.targets, dst[order])
        np.testing.assert_array_equal(rows.weights, order)
        dst[m - 3] = 1 << 40
        with self.assertRaisesRegex(irgl.GraphError, rf"targets\[{m - 3}\] is {1 << 40}"):
            irgl.Graph.from_edges(src, dst, nodes=n)

    def test_refusals(self):
        for make, kind, text in [
            (lambda: irgl.Graph.from_edges([0, 1], [1]), irgl.GraphError, "2 sources, 1 destinations"),
            (lambda: irgl.Graph.from_edges([0], [5], nodes=5), irgl.GraphError, "5 nodes"),
            (lambda: irgl.Graph.from_edges([0], [-1], nodes=5), irgl.GraphError, r"targets\[0\] is -1"),
            (lambda: irgl.Graph.from_csr([0, -1, 3], [0, 1, 0]), irgl.GraphError, r"offsets\[1\] is -1"),
            (lambda: irgl.Graph.from_edges([0], [1], nodes=2.0), irgl.ArgumentError, "nodes"),
            (lambda: irgl.Graph.from_edges([0], [1], nodes=2).with_random_weights(2**64), irgl.ArgumentError, "64 bits"),
            (lambda: irgl.Graph.generate("x" * (2 << 20)), irgl.ArgumentError, "at most 1048576"),
            (lambda: irgl.Graph.generate("x" * 900_000), irgl.ArgumentError, "generator"),
            (lambda: irgl.Graph.from_edges([0], [1], [1 << 31]), irgl.GraphError, "does not fit int32"),
            (lambda: irgl.Graph.from_edges([0], [1], [1, 2]), irgl.GraphError, "2 weights"),
            (lambda: irgl.Graph.from_edges([0.0], [1]), irgl.ArgumentError, "should have integers"),
            (lambda: irgl.Graph.from_edges([[0]], [1]), irgl.ArgumentError, "dimensions"),
            (lambda: irgl.Graph.from_edges([0], [1], ["a"]), irgl.ArgumentError, "integers or floats"),
            (lambda: irgl.Graph.from_edges([0], [1], nodes=-1), irgl.GraphError, "-1 nodes"),
            (lambda: irgl.Graph.from_csr([0, 2, 1], [0, 1]), irgl.GraphError, "RowStart"),
            (lambda: irgl.Graph.from_csr([], []), irgl.GraphError, "no offsets"),
            (lambda: irgl.Graph.generate("cube:3"), irgl.ArgumentError, "cube"),
            (lambda: irgl.Graph.from_file("/nowhere/at.all"), irgl.GraphError, "no such file"),
            (lambda: irgl.empty(3, object), irgl.ArgumentError, "object"),
            (lambda: irgl.empty(-3), irgl.ArgumentError, "shape"),
            (lambda: irgl.empty((-1, -1)), irgl.ArgumentError, "shape"),
            (lambda: irgl.empty(2.5), irgl.ArgumentError, "shape"),
            (lambda: irgl.empty(3, "V0"), irgl.ArgumentError, "no memory"),
            (lambda: irgl.empty(1 << 45), irgl.OutOfMemoryError, "memory"),
            (lambda: irgl.empty(1 << 60, np.int64), irgl.OutOfMemoryError, "memory"),
            (lambda: irgl.empty((1 << 62, 4), np.int64), irgl.OutOfMemoryError, "memory"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                make()

    def test_closed(self):
        g = irgl.Graph.generate("path:3")
        with g:
            r = irgl.bfs(g, source=0)
        with self.assertRaisesRegex(irgl.ArgumentError, "closed"):
            irgl.bfs(g, source=0)
        np.testing.assert_array_equal(r.level, [0, 1, 2])


class Files(unittest.TestCase):
    def test_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "edges.txt")
            with open(path, "w") as f:
                f.write("10 20\n20 70\n")
            g = irgl.Graph.from_file(path)
            self.assertTrue(g.named)
            np.testing.assert_array_equal(g.arrays().names, [10, 20, 70])
            np.testing.assert_array_equal(irgl.bfs(g, source=20).level, [irgl.INF, 0, 1])
            with open(path, "w") as f:
                f.write("10 20\n20 x\n")
            with self.assertRaises(irgl.GraphError) as caught:
                irgl.Graph.from_file(path)
            self.assertEqual(caught.exception.position, f"{path}:2")

    def test_derived(self):
        g = irgl.Graph.generate("rmat:8:4:wmax=0")
        s = g.symmetrized().with_random_weights(9, seed=3)
        facts = s.statistics()
        self.assertTrue(facts.symmetric and facts.weight_min >= 1 and facts.weight_max <= 9)
        self.assertEqual((facts.nodes, facts.edges), (s.nnodes, s.nedges))
        np.testing.assert_array_equal(g.transposed().transposed().arrays().targets, g.arrays().targets)


@unittest.skipIf(scipy is None, "there is no scipy here")
class Scipy(unittest.TestCase):
    def test_formats(self):
        rng = np.random.default_rng(2)
        dense = rng.integers(0, 4, (30, 30)) * (rng.random((30, 30)) < 0.2)
        for form in "csr csc coo lil dok dia bsr".split():
            for kind in (scipy.sparse.csr_matrix, scipy.sparse.csr_array):
                for dtype in ("int64", "float64", "float32"):
                    with self.subTest(form, kind=kind, dtype=dtype):
                        a = kind(dense.astype(dtype)).asformat(form)
                        g = irgl.Graph.from_scipy(a)
                        np.testing.assert_array_equal(g.to_scipy().toarray(), dense)
        self.assertEqual(irgl.Graph.from_scipy(scipy.sparse.csr_array(dense > 0)).weights, "")
        self.assertEqual(irgl.Graph.from_scipy(scipy.sparse.csr_array(dense), weighted=False).weights, "")

    def test_answers(self):
        """scipy's own answers."""
        from scipy.sparse import csgraph

        rng = np.random.default_rng(3)
        a = scipy.sparse.random_array((400, 400), density=0.01, rng=rng, data_sampler=lambda size: rng.integers(1, 100, size), dtype=np.int64).tocsr()
        g = irgl.Graph.from_scipy(a)
        want = csgraph.dijkstra(a, indices=7)
        got = irgl.sssp(g, source=7).dist.astype(float)
        got[got == irgl.INF] = np.inf
        np.testing.assert_array_equal(got, want)
        self.assertEqual(irgl.cc(g).components, csgraph.connected_components(a, directed=False)[0])

    def test_refusals(self):
        for a in (scipy.sparse.csr_array((3, 4)), np.zeros((3, 3)), None):
            with self.assertRaisesRegex(irgl.ArgumentError, "square sparse matrix"):
                irgl.Graph.from_scipy(a)


class Memory(unittest.TestCase):
    def test_nothing_grows(self):
        """Graphs and results that are gone leave nothing behind, in either process."""

        def usage():
            gc.collect()
            irgl.Graph.generate("path:2")  # what waits to be closed is closed by the next requests
            with open(f"/proc/{_client.server().child}/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))

        def work(n):
            src = np.arange(10_000)
            for _ in range(n):
                g = irgl.Graph.from_edges(src, src[::-1])
                self.assertEqual(irgl.cc(g).components, 5000)

        work(100)
        before = usage()
        work(300)
        after = usage()
        self.assertLess(after[0] - before[0], 64 << 20)
        self.assertEqual(after[1], before[1])


if not os.path.exists("/proc/self/statm"):
    del Memory


class Copies(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "pages are allocated by hand on Linux")
    def test_fresh(self):
        """A range without pages is filled by a thread that writes, or by several that map it first: both convert, and look at integers."""
        s = server()
        self.assertTrue(s.arena.populates)
        n, kept = 300_000, []  # what is given back has pages
        sources = [np.arange(n), np.arange(n, dtype=np.int32), np.arange(n) / 7, np.arange(2 * n)[::2], np.arange(n, dtype=">i8"), np.empty(0, np.int64)]
        for most in (0, 8):
            for source in sources:
                for dtype in (np.dtype(np.int32), np.dtype(np.float64)):
                    if source.dtype.kind == "f" and dtype.kind == "i":
                        continue
                    with self.subTest(most=most, source=source.dtype, to=dtype), unittest.mock.patch.object(_copying, "_WRITER_BEATS", most):
                        r = s.request("room", making=True, size=max(1, len(source)) * dtype.itemsize + (64 << 20), lazy=True)
                        self.assertFalse(r["dirty"])
                        kept.append(room := s.arena.array(r["at"], dtype, (len(source),), s.lease(r["as"]), writable=True))
                        _copying.copy("a", room, source, _copying.Fresh(s.arena, r["at"]))
                        np.testing.assert_array_equal(room, source.astype(dtype))
            with unittest.mock.patch.object(_copying, "_WRITER_BEATS", most), self.assertRaisesRegex(irgl.GraphError, r"targets\[1\] is 4294967296"):
                irgl.Graph.from_csr([0, 2], [0, 2**32])


if __name__ == "__main__":
    unittest.main()
