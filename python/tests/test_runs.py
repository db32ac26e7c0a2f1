"""Programs: those that come with irgl, one's own, and what is wrong with them."""

import inspect
import os
import tempfile
import textwrap
import unittest

import numpy as np

import irgl

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

COUNT = """// Counts nodes.
Graph g { Output Node int next = 0; }
Output long sum = 0;
Output int table[3];
Output bool any = false;
Kernel K(g) { ForAll (n In g.nodes) { n.next = n.id + 1; atomicAdd(&sum, (long)n.next); } }
Host main(int times = 2, bool loud = true) {
  for (i = 0; i < times; i++) { Invoke K(g); }
  any = loud;
  table[1] = times;
  if (loud) { printf("%d times\\n", times); }
}
"""


class Bundled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = irgl.Graph.generate("rmat:7:4:wmax=9")

    def functions(self):
        return {name: f for name, f in vars(irgl.programs).items() if name in irgl.programs.__all__ and inspect.isfunction(f)}

    def test_all(self):
        """Each function runs on each device, verified, and its result has what its class says."""
        self.assertGreater(len(self.functions()), 16)
        for name, f in self.functions().items():
            parameters = inspect.signature(f).parameters
            args = {"source": 3} if "source" in parameters else {}
            for device in ("cpu", "interp", "simt"):
                with self.subTest(name, device=device):
                    r = f(self.graph, **args, device=device, verify=True)
                    self.assertTrue(r.verified)
                    self.assertEqual(r.stats.device, device)
                    for output in r.outputs:
                        self.assertIsNotNone(getattr(r, output))
                        self.assertIn(f"{output}: ", inspect.getdoc(f))
                    for p in parameters:
                        if p not in ("options", "program"):
                            self.assertIn(f"{p}: ", inspect.getdoc(f))
                    self.assertIs(type(r), f.__annotations__["return"])

    def test_choice(self):
        r = irgl.bfs(self.graph, source=0)
        self.assertIn("default for a graph", r.stats.program_from)
        for program in ("bfs", "bfs_do", "bfs_st"):
            r = irgl.bfs(self.graph, source=0, program=program)
            self.assertEqual((r.stats.program, r.stats.program_from), (program, ""))
        self.assertEqual(irgl.pr(self.graph, tolerance=1e-3, max_rounds=1).rounds, 1)

    def test_arrays(self):
        r = irgl.mst(self.graph)
        self.assertEqual(r.chosen.dtype, np.bool_)
        rows = r.rows()
        self.assertEqual(int(rows.weights[r.chosen].sum()), r.weight)
        self.assertEqual(int(r.chosen.sum()), r.edges)
        self.assertEqual(r.stats.bytes_copied, r.chosen.nbytes)
        self.assertIs(r.chosen, r["chosen"])
        with self.assertRaisesRegex(irgl.ArgumentError, "no output 'weights': it has chosen, weight, edges"):
            r["weights"]
        with self.assertRaisesRegex(irgl.ArgumentError, "no values of edges"):
            irgl.bfs(self.graph, source=0).rows()

    def test_statistics(self):
        r = irgl.bfs_do(self.graph, source=0, alpha=2, device="simt", switches="none", profile=True, seed=5)
        self.assertEqual((r.stats.switches, r.stats.switches_from), ("none", "given"))
        self.assertTrue(r.stats.kernels and r.stats.launches >= sum(k.launches for k in r.stats.kernels) > 0)
        irgl.bfs(self.graph, source=0)
        self.assertLess(irgl.bfs(self.graph, source=0).stats.prepare_ms, 5)

    def test_refusals(self):
        bare = irgl.Graph.generate("path:3:wmax=0")
        for run, kind, text in [
            (lambda: irgl.bfs(self.graph, source=128), irgl.ArgumentError, "no node 128"),
            (lambda: irgl.bfs(self.graph, source=-1), irgl.ArgumentError, "not the number"),
            (lambda: irgl.bfs(self.graph, source=0, divice="cpu"), irgl.ArgumentError, "neither a parameter nor an option 'divice'"),
            (lambda: irgl.bfs(self.graph, source=0, device="tpu"), irgl.ArgumentError, "no device"),
            (lambda: irgl.bfs(self.graph, source=0, device="cuda:77"), irgl.DeviceError, ""),
            (lambda: irgl.pr(self.graph, damping=2.0), irgl.ArgumentError, "damping"),
            (lambda: irgl.sssp(bare, source=0), irgl.GraphError, "hint: "),
            (lambda: irgl.Program.bundled("bfd"), irgl.ArgumentError, "bfs"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                run()


class Own(unittest.TestCase):
    def setUp(self):
        self.graph = irgl.Graph.generate("path:3")

    def test_run(self):
        p = irgl.compile(COUNT, name="count.irgl")
        self.assertEqual((p.name, p.doc, [(q.name, q.default) for q in p.params]), ("count", "Counts nodes.", [("times", "2"), ("loud", "true")]))
        r = p.run(self.graph, times=np.int64(3), device="interp")
        self.assertEqual((r["sum"], r.printed, r["any"]), (18, "3 times\n", True))
        np.testing.assert_array_equal(r["next"], [1, 2, 3])
        np.testing.assert_array_equal(r["table"], [0, 3, 0])
        r = p.run(self.graph, loud=False, options={"device": "simt"})
        self.assertEqual((r["sum"], r.printed, r["any"]), (12, "", False))
        with self.assertRaisesRegex(irgl.ArgumentError, "needs a graph"):
            p.run(device="interp")
        with self.assertRaises(irgl.ArgumentError):
            p.run(self.graph, verify=True, device="interp")

    def test_long_text(self):
        text = COUNT + "// " + "x" * 5_000_000 + "\n"
        self.assertEqual(irgl.compile(text).run(self.graph, device="interp")["sum"], 12)

    def test_errors(self):
        with self.assertRaises(irgl.ProgramError) as caught:
            irgl.compile(COUNT.replace("n.next = n", "n.nxt = n"), name="count.irgl")
        err = caught.exception
        self.assertEqual((err.position, err.diagnostics[0].line, err.diagnostics[0].column), ("count.irgl:6:41", 6, 41))
        self.assertTrue(err.code and err.message)
        self.assertIn("6 | Kernel K(g)", str(err))
        self.assertRegex(str(err), r"\n      \| {41}\^~*\n")

    def test_fault(self):
        p = irgl.compile("Graph g { Output Node int n = 0; }\nKernel K(g) { ForAll (v In g.nodes) { g.nodes(0).n += v.id; } }\nHost main() { Invoke K(g); }\n", name="race.irgl")
        g = irgl.Graph.generate("path:300")
        with self.assertRaisesRegex(irgl.FaultError, r"(?s)race\.irgl:2.*hint: "):
            p.run(g, device="simt")
        irgl.bfs(g, source=0, device="simt", verify=True)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "count.irgl")
            with open(path, "w") as f:
                f.write(COUNT)
            self.assertEqual(irgl.Program(path).run(self.graph, device="interp")["sum"], 12)
            bad = os.path.join(folder, "bad.py")
            with open(bad, "w") as f:
                f.write(textwrap.dedent("""
                    from irgl.lang import host

                    @host
                    def main(x: int):
                        y = x // 2
                """))
            with self.assertRaises(irgl.ProgramError) as caught:
                irgl.Program(bad)
            self.assertEqual(caught.exception.position, f"{bad}:6:9")
            self.assertIn("div(a, b)", caught.exception.hint)
        p = irgl.Program(os.path.join(HERE, "examples", "bfs.py"))
        np.testing.assert_array_equal(p.run(self.graph, source=0, device="interp")["level"], [0, 1, 2])
        with self.assertRaises(FileNotFoundError):
            irgl.Program("/nowhere/at.irgl")

    def test_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("latin.irgl", "latin.py"):
                path = os.path.join(folder, name)
                with open(path, "wb") as f:
                    f.write(b"x = 1\n# caf\xe9\n")
                with self.assertRaises(irgl.ProgramError) as caught:
                    irgl.Program(path)
                self.assertEqual(caught.exception.position, f"{path}:2:6")
        for text in ("\n \ud800", "\n \ud800" + " " * 4000):
            with self.assertRaises(irgl.ProgramError) as caught:
                irgl.compile(text)
            self.assertEqual(caught.exception.position, "program.irgl:2:2")
        with self.assertRaises(irgl.ArgumentError):
            irgl.compile(COUNT, name="\ud800")

    def test_empty_text(self):
        p = irgl.compile("", name="bfs")
        self.assertEqual((p.params, p.outputs), ([], []))

    def test_long_line(self):
        """A line that is too long to be shown has no caret."""
        with self.assertRaises(irgl.ProgramError) as caught:
            irgl.compile("Graph g { Node int x = 0; } " + " " * 20000 + "Kernel K(g) { ForAll (n In g.nodes) { n.y = 1; } } Host main() { Invoke K(g); }")
        self.assertLess(len(str(caught.exception)), 6000)
        self.assertNotIn("^", str(caught.exception))

    def test_explain(self):
        p = irgl.Program.bundled("sssp_nf")
        remarks = p.explain()
        missed = p.explain(missed=True)
        self.assertTrue(0 < len(missed) < len(remarks) and all(r.missed for r in missed))
        self.assertRegex(str(remarks[0]), r"^sssp_nf\.irgl:\d+:\d+: remark: ")

    def test_tune(self):
        seen = []
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "tuning.json")
            g = irgl.Graph.generate("grid:5:5")
            p = irgl.Program.bundled("bfs")
            found = p.tune(g, device="simt", candidates=3, tuning=file, src=0, progress=seen.append)
            self.assertEqual((found.program, found.metric), ("bfs", "cost"))
            self.assertIn("| bfs |", found.table)
            self.assertIn("tuned on", p.run(g, source=0, device="simt", tuning=file).stats.switches_from)

    def test_devices(self):
        self.assertTrue({"cpu", "interp", "simt"} <= {d.device for d in irgl.devices()})


if __name__ == "__main__":
    unittest.main()
