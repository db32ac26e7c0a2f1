"""Each construct of the subset becomes its node, and what is not in it is refused where it stands."""

import contextlib
import importlib
import io
import json
import os
import tempfile
import textwrap
import unittest

from irgl.lang import TranslationError, emit, translate

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def body(text, kind="kernel", before=""):
    """The statements of a function with the given body, without their lines."""
    params = "g, x: int, y: int" if kind == "kernel" else "x: int, y: int"
    source = before + f"@{kind}\ndef f({params}):\n" + textwrap.indent(text, "    ")
    return strip(translate(source)["stmts"][-1]["stmts"]["stmts"])


def strip(node):
    if isinstance(node, dict):
        return {k: strip(v) for k, v in node.items() if k != "_line"}
    if isinstance(node, list):
        return [strip(n) for n in node]
    return node


def expression(text):
    """The C text of an expression."""
    (node,) = body(f"z = {text}")
    return node["rhs"]


class Expressions(unittest.TestCase):
    def test_text(self):
        for python, c in [
            ("x + y * 2", "x + y * 2"),
            ("(x + y) * 2", "(x + y) * 2"),
            ("x - (y - 1)", "x - (y - 1)"),
            ("x - y - 1", "x - y - 1"),
            ("-(-x)", "-(-x)"),
            ("~x << 3", "~x << 3"),
            ("x / y", "(double)x / y"),
            ("(x + 1) / (y * 2)", "(double)(x + 1) / (y * 2)"),
            ("div(x + 1, y)", "(x + 1) / y"),
            ("div(x, div(y, 2))", "x / (y / 2)"),
            ("rem(x * 2, y)", "x * 2 % y"),
            ("0 <= x < y", "0 <= x && x < y"),
            ("not x == y", "!(x == y)"),
            ("x < y and (x > 0 or y > 0)", "x < y && (x > 0 || y > 0)"),
            ("1 if x else 2", "x ? 1 : 2"),
            ("(1 if x else 2) + 3", "(x ? 1 : 2) + 3"),
            ("1 if x and y else 2", "x && y ? 1 : 2"),
            ("int(x + 1.5)", "(int)(x + 1.5)"),
            ("int64(x) * y", "(long)x * y"),
            ("True", "true"),
            ("1e30", "1e+30"),
            ("9223372036854775808", "9223372036854775808ul"),
            ("irgl.INF", "INF"),
            ("atomicAdd(x, 1)", "atomicAdd(&x, 1)"),
            ("atomicMin(n.dist, x + 1)", "atomicMin(&n.dist, x + 1)"),
            ("g.nodes(x).edges", "g.nodes(x).edges"),
            ("table[x + 1]", "table[x + 1]"),
            ("any(invoke(K, g, x))", "Any(Invoke K(g, x))"),
            ("all(invoke(K))", "All(Invoke K())"),
            ('printf("a\\n\\"%d\\"", x)', 'printf("a\\n\\"%d\\"", x)'),
        ]:
            with self.subTest(python):
                self.assertEqual(expression(python), c)

    def test_precedence_of_masks(self):
        self.assertEqual(expression("x & (y == 1)"), "x & y == 1")
        self.assertEqual(expression("x & y == 1"), "(x & y) == 1")  # Python's & binds tighter than ==


class Statements(unittest.TestCase):
    def check(self, text, *nodes, **kw):
        self.assertEqual(body(text, **kw), list(nodes))

    def test_assignments(self):
        self.check("z = x", {"_type": "Assign", "lhs": "z", "rhs": "x"})
        self.check("x += 2", {"_type": "Expr", "e": {"_type": "CExpr", "expr": "x += 2", "parse": True}})
        self.check("z: float32 = 1.5", {
            "_type": "CDecl", "decls": [{"type": "float", "name": "z", "initializer": "1.5"}], "parse": True, "dont_move": False})

    def test_loops(self):
        block = [{"_type": "Block", "stmts": []}]
        self.check("for n in g.nodes: pass", {"_type": "ForAll", "ndxvar": "n", "iterator": "g.nodes", "stmts": block})
        self.check("for n in serial(g.nodes): pass", {"_type": "For", "ndxvar": "n", "iterator": "g.nodes", "stmts": block})
        self.check("for i in range(10): pass", {
            "_type": "CFor", "init": "int i = 0", "cond": "i < 10", "update": "i++", "stmts": block})
        self.check("for i in range(x, y, 2): pass", {
            "_type": "CFor", "init": "int i = x, i_stop = y", "cond": "i < i_stop", "update": "i += 2", "stmts": block})
        self.check("for i in range(i_stop): pass", {
            "_type": "CFor", "init": "int i = 0, i_stop_ = i_stop", "cond": "i < i_stop_", "update": "i++", "stmts": block})
        self.check("while x and y: break", {
            "_type": "While", "cond": "x && y",
            "stmts": [{"_type": "Block", "stmts": [{"_type": "CBlock", "stmts": ["break;"], "parse": True}]}]})

    def test_orchestration(self):
        block = [{"_type": "Block", "stmts": []}]
        start = {"_type": "WorklistInitializer", "size": None, "initial": ["x", "0"]}
        rest = {"kernel": "K", "args": ["g", "x + 1"], "extra_cond": None}
        self.check("with iterate(K, g, x + 1, initial=[x, 0]): pass",
                   {"_type": "Iterate", "cond": None, "aggr": None, "wlinit": start, "stmts": block, **rest}, kind="host")
        self.check("for _ in iterate(K, g, x + 1, until=all): pass",
                   {"_type": "Iterate", "cond": "Until", "aggr": "All", "wlinit": None, "stmts": block, **rest}, kind="host")
        self.check("iterate(K, g, x + 1, while_=any)",
                   {"_type": "Iterate", "cond": "While", "aggr": "Any", "wlinit": None, "stmts": [], **rest}, kind="host")
        self.check("with pipe(once=True, initial=[x, 0]):\n    invoke(K, g)", {
            "_type": "Pipe", "once": True, "wlinit": start,
            "stmts": [{"_type": "Block", "stmts": [{"_type": "Invoke", "aggr": None, "kernel": "K", "args": ["g"]}]}]}, kind="host")
        self.check("reduce_and_return(x < y)", {"_type": "ReduceAndReturn", "value": "x < y"})
        self.check("WL.push(x)", {"_type": "Expr", "e": {
            "_type": "MethodInvocation", "obj": "WL", "method": "push", "obj_type": "Worklist", "args": ["x"]}})

    def test_worklists(self):
        def start(text):
            (node,) = body(f"with pipe({text}): pass", kind="host")
            return node["wlinit"]

        items = {"_type": "WorklistInitializer", "size": None}
        self.assertEqual(start("initial=[t[x:y:2], 3, t[:y]]"), {**items, "initial": ["t[x : y : 2]", "3", "t[ : y]"]})
        self.assertEqual(start("initial=[x], size=2 * y"), {**items, "size": "2 * y", "initial": ["x"]})
        array = {"_type": "WorklistInitializerFromArray", "array": "t", "array_size": "y"}
        self.assertEqual(start("initial=[t[:y]]"), {**array, "size": None})
        self.assertEqual(start("initial=[t[:y]], size=x"), {**array, "size": "x"})
        (node,) = body("iterate(K, initial=[x], or_=x < y)", kind="host")
        self.assertEqual(node["extra_cond"], {"_type": "Or", "cond": "x < y"})

    def test_locks(self):
        empty, block = [], [{"_type": "Block", "stmts": []}]
        lock = {"_type": "Atomic", "lock": "locks", "lockndx": "x + 1", "stmts": block}
        self.check("with atomic(locks[x + 1]): pass", {**lock, "fail_stmts": empty})
        self.check("if atomic(locks[x + 1]): pass", {**lock, "fail_stmts": block})
        self.check("with atomic(total): pass", {**lock, "lock": "total", "lockndx": None, "fail_stmts": empty})
        part = {"_type": "Array", "size": "x", "name": "cavity"}
        some = {"_type": "ArrayIterator", "array": "a.b", "start": "0", "end": "y", "step": "2"}
        exclusive = {"_type": "Exclusive", "objs_lock": {"_type": "Tuple", "object": "m", "items": [part]}, "stmts": block}
        self.check("with exclusive(m, cavity[:x]): pass", {**exclusive, "fail_stmts": empty})
        self.check("with exclusive(m, x, cavity): pass", {**exclusive, "fail_stmts": empty})
        self.check("if exclusive(m, cavity[:x]): pass\nelse: retry(x, merge=True)", {
            **exclusive, "fail_stmts": [{"_type": "Block", "stmts": [{"_type": "Retry", "args": "x", "merge": True}]}]})
        (node,) = body("with exclusive(g.nodes, a.b[:y:2], 1, cavity): pass")
        self.assertEqual(node["objs_lock"], {"_type": "Tuple", "object": "g.nodes", "items": [some, {**part, "size": "1"}]})

    def test_words(self):
        self.check("sync_running_threads()", {"_type": "SyncRunningThreads"})
        self.check("local_barrier()", {"_type": "LocalBarrier"})
        self.check("retry(x)", {"_type": "Retry", "args": "x", "merge": False})
        self.check("respawn(x + 1)", {"_type": "Respawn", "args": "x + 1"})
        self.check("c_block('x++;\\nx--;', reads=['level', x], writes=['level'])", {
            "_type": "CBlock", "stmts": ["x++;", "x--;"], "parse": False, "reads": ["level", "x"], "writes": ["level"]})
        self.check("m.add_point(0, x)", {"_type": "Expr", "e": {
            "_type": "MethodInvocation", "obj": "m", "method": "add_point", "obj_type": "Mesh", "args": ["0", "x"]}},
            before="@mesh\nclass m: pass\n")

    def test_declarations(self):
        module = strip(translate(
            "names('LIMIT', 'DEBUG')\nc_block('#include <x.h>', reads=[])\n@mesh\nclass m:\n    h: Point[array[array[int, 3], 2]]\n"
            "@kernel\n@launch_bounds(256, 2)\ndef f(m): pass"))
        self.assertEqual(module["stmts"][:3], [
            {"_type": "Names", "names": ["LIMIT", "DEBUG"]},
            {"_type": "CBlock", "stmts": ["#include <x.h>"], "parse": False, "reads": [], "writes": []},
            {"_type": "Mesh", "name": "m", "requires": [], "racy": [], "props": [
                {"type": "int [2][3]", "name": "h", "initializer": None, "domain": "Point", "output": False}]}])
        self.assertEqual(module["stmts"][3]["launch_bounds"], ["256", "2"])

    def test_scopes(self):
        # A name of a block may be used again in another, as one of its own.
        nodes = body("if x:\n    z = 1\nelse:\n    z = 2\nz = 3")
        self.assertEqual(len(nodes), 2)
        self.check("global total\ntotal = x", {"_type": "Assign", "lhs": "total", "rhs": "x"}, before="total: int = 0\n")


class Errors(unittest.TestCase):
    def refuse(self, text, line, column, message, **kw):
        with self.subTest(text):
            with self.assertRaises(TranslationError) as caught:
                body(text, **kw)
            err = caught.exception
            first = str(err).splitlines()[0]
            self.assertIn(message, first)
            before = kw.get("before", "").count("\n") + 2  # the decorator and the head
            self.assertTrue(first.startswith(f"<text>:{line + before}:{column}: error: "), first)

    def test_statements(self):
        for text, line, column, message in [
            ("pass\nz = x // y", 2, 9, "// does not mean the same in C"),
            ("z = x % y", 1, 9, "% does not mean the same"),
            ("x //= 2", 1, 5, "does not mean the same"),
            ("z = x ** 2", 1, 9, "** does not mean the same"),
            ("z = x is y", 1, 9, "is and in"),
            ("z = x or y", 1, 9, "must be conditions"),
            ("z = 0 < x + 1 < y", 1, 13, "the middle of a chain"),
            ("z = [1]", 1, 9, "List is not in the subset"),
            ("z = f'{x}'", 1, 9, "JoinedStr is not in the subset"),
            ("z = lambda: 1", 1, 9, "Lambda is not in the subset"),
            ("z = None", 1, 9, "None has no value"),
            ("z = table[1:2]", 1, 9, "a slice has no value"),
            ("exclusive(m, a[:x])", 1, 5, "exclusive has statements"),
            ("z = exclusive(m, a[:x])", 1, 9, "is a statement"),
            ("if not atomic(x): pass", 1, 12, "is a statement"),
            ("with exclusive(m): pass", 1, 10, "what to lock of it"),
            ("with exclusive(m, x): pass", 1, 23, "a part of an array"),
            ("with exclusive(m, a[1:]): pass", 1, 23, "needs its end"),
            ("with exclusive(m, a[:-1]): pass", 1, 26, "from the end"),
            ("with exclusive(m, a[:x], blocking=1): pass", 1, 39, "by name"),
            ("with atomic(a, x): pass", 1, 10, "one lock"),
            ("retry(x, y)", 1, 5, "one item"),
            ("retry(x, merge=y)", 1, 20, "True or False"),
            ("respawn(x, merge=True)", 1, 22, "no argument merge"),
            ("local_barrier(x)", 1, 19, "has no arguments"),
            ("c_block('x++;')", 1, 5, "reads and writes"),
            ("c_block('x++;', reads=x)", 1, 27, "a list of names"),
            ("c_block('x++;', reads=[x + 1])", 1, 28, "a list of names"),
            ("c_block('x++;', uses=[x])", 1, 26, "no argument uses"),
            ("c_block(x, reads=[])", 1, 5, "one text"),
            ("iterate(K, size=x)", 1, 21, "goes with its items"),
            ("iterate(K, initial=x)", 1, 24, "in brackets"),
            ("iterate(K, and_=x < y, or_=x > y)", 1, 5, "exclude"),
            ("z = table[-1]", 1, 15, "from the end"),
            ("x, y = y, x", 1, 5, "one target"),
            ("try:\n    pass\nfinally:\n    pass", 1, 5, "Try is not in the subset"),
            ("def h(): pass", 1, 5, "FunctionDef is not in the subset"),
            ("with open(x): pass", 1, 5, "with is for iterate"),
            ("for i in range(x):\n    pass\nelse:\n    pass", 4, 9, "a loop's else"),
            ("for i in range(0, x, y): pass", 1, 26, "the step"),
            ("for i in range(x):\n    i = 2", 2, 9, "cannot be assigned in it"),
            ("for x in range(3): pass", 1, 9, "x is in use"),
            ("x == 1", 1, 5, "does nothing"),
            ("z = invoke(K)", 1, 9, "needs its reduction"),
            ("z = any(x)", 1, 9, "any is for invocations"),
            ("z = iterate(K)", 1, 9, "is a statement"),
            ("iterate(K, when=x)", 1, 21, "has no argument when"),
            ("iterate(K, while_=any, until=any)", 1, 5, "exclude"),
            ("iterate(K, while_=x)", 1, 23, "while_ is any or all"),
            ("atomicAdd(x + 1, 1)", 1, 5, "what it changes"),
            ("z: list = 1", 1, 8, "list is no type"),
            ("z = 1\nz: int = 2", 2, 5, "declared already"),
            ("z = 1e999", 1, 9, "too large"),
            ("z = 2 ** 2", 1, 9, "**"),
            ("f(x, y=1)", 1, 12, "arguments by name"),
            ("f(*x)", 1, 7, "starred"),
        ]:
            self.refuse(text, line, column, message)

    def test_scopes(self):
        self.refuse("if x:\n    z = 1\ny = z", 3, 9, "z has no value here in C")
        self.refuse("for e in g.nodes:\n    pass\ny = e", 3, 9, "e has no value here in C")
        self.refuse("while x:\n    y = z\n    z = 1", 2, 13, "z has no value here in C")
        self.refuse("z += 1", 1, 5, "z has no value here in C")
        self.refuse("total = 1", 1, 5, "total is a global", before="total: int = 0\n")
        self.refuse("global none", 1, 5, "there is no global none")

    def test_declarations(self):
        for text, where, message in [
            ("def f(): pass", "1:1", "needs one decorator"),
            ("@kernel\nclass A: pass", "2:1", "graph and mesh are for classes"),
            ("@mesh\ndef f(): pass", "2:1", "graph and mesh are for classes"),
            ("@mesh\nclass m:\n    a: Node[int]", "3:5", "Point[type] or Element[type]"),
            ("@graph\nclass g:\n    a: Point[int]", "3:5", "Node[type] or Edge[type]"),
            ("@launch_bounds(3)\n@host\ndef f(): pass", "1:2", "launch_bounds is for kernels"),
            ("@launch_bounds()\n@kernel\ndef f(): pass", "1:2", "the threads of a block"),
            ("@kernel\n@launch_bounds(1)\n@launch_bounds(2)\ndef f(): pass", "3:2", "one launch_bounds"),
            ("names(LIMIT)", "1:7", "names in quotes"),
            ("names('a b')", "1:7", "names in quotes"),
            ("names()", "1:1", "at least one name"),
            ("c_block('#include <x>')", "1:1", "reads and writes"),
            ("@host\ndef f(x): pass", "2:7", "x needs a type"),
            ("@kernel\ndef f(*x): pass", "2:1", "plain names"),
            ("@kernel\ndef f(g) -> int: pass", "2:13", "returns nothing"),
            ("@function\ndef f(x: int = 1): pass", "2:16", "have defaults"),
            ("@graph\nclass g:\n    level: int = 0", "3:5", "Node[type]"),
            ("@graph\nclass g:\n    requires = weights", "3:16", "a list of words"),
            ("print(1)", "1:1", "cannot stand at file level"),
            ("x = (", "1:5", "never closed"),
        ]:
            with self.subTest(text):
                with self.assertRaises(TranslationError) as caught:
                    translate(text)
                if message == "never closed":  # Python's own words, which differ between versions
                    self.assertTrue(str(caught.exception).startswith("<text>:1:"))
                    continue
                self.assertTrue(str(caught.exception).startswith(f"<text>:{where}: error: "), str(caught.exception))
                self.assertIn(message, str(caught.exception))

    def test_depth(self):
        with self.assertRaisesRegex(TranslationError, "nested too deeply"):
            translate("X = " + "-" * 3000 + "1")


class Command(unittest.TestCase):
    def run_emit(self, *args):
        out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = emit.main(list(args))
        out.flush()
        return status, out.buffer.getvalue().decode("utf-8"), err.getvalue()

    def test_examples(self):
        for name in ("bfs", "components", "sssp"):
            status, out, err = self.run_emit(os.path.join(HERE, "examples", name + ".py"))
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(json.loads(out)["_type"], "Module")
            importlib.import_module(f"examples.{name}")  # each is valid Python as well
        importlib.import_module("tests.lang.programs.refine")

    def test_readme(self):
        """The example in README.md is the file that it names."""
        with open(os.path.join(HERE, "lang.md"), encoding="utf-8") as f:
            example = f.read().split("```python\n")[1].split("```")[0]
        with open(os.path.join(HERE, "examples", "bfs.py"), encoding="utf-8") as f:
            self.assertEqual(f.read(), example)

    def test_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write("x = 1 // 2\n")
            out_path = os.path.join(folder, "out.json")
            status, out, err = self.run_emit(path, "-o", out_path)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(f"{path}:1:5: error: //", err)
            self.assertIn("hint: div(a, b)", err)
            self.assertFalse(os.path.exists(out_path))
            status, out, err = self.run_emit(os.path.join(folder, "none.py"))
            self.assertEqual((status, out), (1, ""))
            self.assertIn("none.py", err)


if __name__ == "__main__":
    unittest.main()
