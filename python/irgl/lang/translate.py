"""Python functions to the abstract syntax of IrGL.

translate takes the text of a file and returns its Module: dictionaries in the
form that irgl reads, with the line of each statement in _line. The file is
parsed and never executed.
"""

import ast
from typing import Any

from .constructs import is_name
from .ctypes_of import c_type, last_name, subscript
from .errors import TranslationError
from .statements import Statements

TOO_DEEP = "an expression or a statement is nested too deeply"
CLASSES = {"graph": ("Graph", ("Node", "Edge")), "mesh": ("Mesh", ("Point", "Element"))}
DECORATORS = ("graph", "mesh", "kernel", "host", "function")


def translate_file(path: str) -> dict[str, Any]:
    """The Module of a file."""
    with open(path, encoding="utf-8") as f:
        return translate(f.read(), path)


def translate(source: str, path: str = "<text>") -> dict[str, Any]:
    """The Module of a text; raises TranslationError for what has none."""
    try:
        tree = ast.parse(source, path)
    except SyntaxError as err:
        at = ast.Pass(lineno=err.lineno or 1, col_offset=max(0, (err.offset or 1) - 1))
        raise TranslationError(path, at, err.msg) from None
    except ValueError as err:  # a null character
        raise TranslationError(path, None, str(err)) from None
    except (MemoryError, RecursionError):  # how Python's parser says that it is too deep for it
        raise TranslationError(path, None, TOO_DEEP) from None
    try:
        return Translator(path).module(tree)
    except RecursionError:
        raise TranslationError(path, None, TOO_DEEP) from None


class Translator(Statements):
    """Translates one file."""

    def __init__(self, path):
        self.path = path
        self.globals = set()  # names that functions need a global statement for
        self.locals = None    # of the function in hand
        self.objects = {"WL": "Worklist"}  # the types of what has methods

    def fail(self, at, message, hint=""):
        raise TranslationError(self.path, at, message, hint)

    def module(self, tree):
        stmts = []
        for s in tree.body:
            self.collect(s)
        for i, s in enumerate(tree.body):
            if i == 0 and docstring(s) is not None:
                stmts.append({"_type": "NOP", "doc": comments(docstring(s))})
                continue
            node = self.declaration(s)
            if node is not None:
                node["_line"] = s.lineno
                stmts.append(node)
        return {"_type": "Module", "stmts": stmts, "_source": self.path}

    def collect(self, s):
        """Notes the names that a statement of the file declares."""
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
            self.globals.add(s.target.id)
        elif isinstance(s, ast.Assign):
            self.globals.update(t.id for t in s.targets if isinstance(t, ast.Name))
        elif isinstance(s, ast.ClassDef):
            for mark in s.decorator_list:
                if last_name(mark) in CLASSES:
                    self.objects[s.name] = CLASSES[last_name(mark)][0]
        elif called(s) == "names":
            self.globals.update(a.value for a in s.value.args if isinstance(a, ast.Constant))

    def declaration(self, s):
        """The node of a statement of the file, None for one that is Python's own."""
        if isinstance(s, (ast.Import, ast.ImportFrom)) or docstring(s) is not None:
            return None
        if isinstance(s, ast.If) and ast.unparse(s.test) in ("__name__ == '__main__'", "'__main__' == __name__"):
            return None
        if isinstance(s, ast.AnnAssign):
            return self.variable(s)
        if isinstance(s, ast.Assign):
            if len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                return {"_type": "Names", "names": [s.targets[0].id], "values": [self.expr(s.value)]}
            self.fail(s, "at file level a constant is NAME = value")
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            bounds = [d for d in s.decorator_list if isinstance(d, ast.Call) and last_name(d.func) == "launch_bounds"]
            marks = [last_name(d) for d in s.decorator_list if d not in bounds]
            if len(marks) != 1 or marks[0] not in DECORATORS:
                self.fail(s, f"{s.name} needs one decorator of irgl", "graph, mesh, kernel, host or function")
            if isinstance(s, ast.ClassDef) != (marks[0] in CLASSES):
                self.fail(s, "graph and mesh are for classes, the other decorators are for functions")
            if bounds and marks[0] != "kernel":
                self.fail(bounds[0], "launch_bounds is for kernels")
            node = self.properties(s, *CLASSES[marks[0]]) if marks[0] in CLASSES else self.function(s, marks[0])
            if bounds:
                node["launch_bounds"] = self.launch_bounds(bounds)
            return node
        if called(s) == "names":
            return self.foreign(s.value)
        if called(s) == "c_block":
            return self.passed_on(s.value)
        self.fail(s, f"{type(s).__name__} cannot stand at file level")

    def variable(self, s):
        """A global variable: name: type = value, or Output[type]."""
        if not isinstance(s.target, ast.Name):
            self.fail(s.target, "a declaration declares a name")
        output = subscript(s.annotation, "Output")
        typ = c_type(self, s.annotation if output is None else output)
        decl = {"type": typ, "name": s.target.id, "initializer": None if s.value is None else self.expr(s.value)}
        node = {"_type": "CDeclGlobal", "decls": [decl], "parse": True, "dont_move": False}
        if output is not None:
            node["attrs"] = ["Output"]
        return node

    def launch_bounds(self, bounds):
        """The annotation of @launch_bounds(threads) or (threads, blocks)."""
        call = bounds[0]
        if len(bounds) > 1:
            self.fail(bounds[1], "a kernel has one launch_bounds")
        self.no_keywords(call)
        if not 1 <= len(call.args) <= 2:
            self.fail(call, "launch_bounds has the threads of a block, and blocks of a multiprocessor")
        return [self.expr(a) for a in call.args]

    def foreign(self, call):
        """names("A", "B"): what the C text of the program brings along."""
        self.no_keywords(call)
        for a in call.args:
            if not isinstance(a, ast.Constant) or not isinstance(a.value, str) or not is_name(a.value):
                self.fail(a, "names has names in quotes", 'as in names("LIMIT")')
        if not call.args:
            self.fail(call, "names has at least one name", 'as in names("LIMIT")')
        return {"_type": "Names", "names": [a.value for a in call.args]}

    def properties(self, c, word, domains):
        """A Graph or a Mesh."""
        node = {"_type": word, "name": c.name, "requires": [], "props": [], "racy": []}
        if c.bases or c.keywords:
            self.fail(c, f"a {word.lower()} has no base classes")
        for s in c.body:
            if docstring(s) is not None:
                node["doc"] = comments(docstring(s))
            elif isinstance(s, ast.AnnAssign):
                node["props"].append(self.prop(s, domains))
            elif isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id in ("requires", "racy"):
                self.graph_list(node, s.targets[0].id, s.value)
            elif not isinstance(s, ast.Pass):
                self.fail(s, f"a {word.lower()} has properties, requires = [...] and racy = {{...}}", f"as in level: {domains[0]}[int] = INF")
        return node

    def graph_list(self, node, name, value):
        at = value
        try:
            value = ast.literal_eval(at)
        except ValueError:
            value = None
        if name == "requires" and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
            node["requires"] += value
        elif name == "racy" and isinstance(value, dict) and all(isinstance(v, str) for kv in value.items() for v in kv):
            node["racy"] += [{"name": k, "reason": v} for k, v in value.items()]
        else:
            self.fail(at, 'requires is a list of words, racy is {"property": "reason"}')

    def prop(self, s, domains):
        """A property: name: Node[type] = value, or Output[Node[type]]."""
        output = subscript(s.annotation, "Output")
        inner = s.annotation if output is None else output
        for kind in domains:
            typ = subscript(inner, kind)
            if typ is not None and isinstance(s.target, ast.Name):
                return {
                    "type": c_type(self, typ), "name": s.target.id, "initializer": None if s.value is None else self.expr(s.value),
                    "domain": kind, "output": output is not None,
                }
        self.fail(s, f"a property is {domains[0]}[type] or {domains[1]}[type]", f"as in level: {domains[0]}[int] = INF")

    def function(self, f, kind):
        a = f.args
        if a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg:
            self.fail(f, "parameters are plain names")
        if kind == "kernel" and f.returns is not None and c_type(self, f.returns) != "void":
            self.fail(f.returns, "a kernel returns nothing", "reduce_and_return(condition) contributes to any(invoke(...))")
        params = []
        defaults = [None] * (len(a.args) - len(a.defaults)) + a.defaults
        for p, default in zip(a.args, defaults):
            if p.annotation is None and kind != "kernel":
                self.fail(p, f"the parameter {p.arg} needs a type", f"as in {p.arg}: int")
            param = {"type": None if p.annotation is None else c_type(self, p.annotation), "name": p.arg}
            if default is not None:
                if kind != "host":
                    self.fail(default, "only a host function's parameters have defaults")
                param["default"] = self.expr(default)
            params.append(param)
        result = "void" if f.returns is None or kind == "kernel" else c_type(self, f.returns)
        if kind == "host" and result != "void":
            self.fail(f.returns, "a host function returns nothing", "a result is a property or a global in Output[...]")
        body, doc = f.body, None
        if docstring(body[0]) is not None:
            doc, body = comments(docstring(body[0])), body[1:]
        self.enter_function(f, [p.arg for p in a.args])
        node = {
            "_type": "Kernel", "name": f.name, "params": params, "stmts": {"_type": "Block", "stmts": self.block(body)},
            "ret_type": result, "host": kind in ("host", "function"), "device": kind == "function",
        }
        self.locals = None
        if doc:
            node["doc"] = doc
        return node


def called(s):
    """The name of the function that a statement calls, else None."""
    return last_name(s.value.func) if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None


def docstring(s):
    """The text of a statement that is a string, else None."""
    if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str):
        return s.value.value
    return None


def comments(text):
    """The lines of a docstring as C comments."""
    lines = [line.strip().replace("\\", "/") for line in text.strip().splitlines()]
    return [("// " + line).rstrip() for line in lines]
