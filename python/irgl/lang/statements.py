"""Statements of Python as nodes of the abstract syntax.

A name in Python belongs to its function, in IrGL to the block that first
assigns it. The translator follows the blocks, and refuses a name that is used
outside the block that has it.
"""

import ast

from .constructs import Constructs
from .ctypes_of import c_type, last_name

AUGMENTED = {
    ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.LShift: "<<=", ast.RShift: ">>=", ast.BitAnd: "&=", ast.BitOr: "|=",
    ast.BitXor: "^=",
}


class Locals:
    """The names of one function."""

    def __init__(self, params, names, assigned, global_names):
        self.blocks = [set(params)]  # declared names, innermost last
        self.names = names           # all that occur in the function
        self.assigned = assigned     # all that the function assigns
        self.globals = global_names  # of its global statements
        self.fixed = []              # variables of the loops over ranges around

    def declared(self, name):
        return any(name in b for b in self.blocks)


class Statements(Constructs):
    """The part of the translator that makes statements."""

    def enter_function(self, f, params):
        names, assigned, global_names = set(params), set(), set()
        for n in ast.walk(f):
            if isinstance(n, ast.Name):
                names.add(n.id)
                if isinstance(n.ctx, ast.Store):
                    assigned.add(n.id)
            elif isinstance(n, ast.Global):
                global_names.update(n.names)
        self.locals = Locals(params, names, assigned, global_names)

    def load(self, e):
        """Checks that a name that is read is in scope."""
        f, name = self.locals, e.id
        if f is None or name in f.globals or f.declared(name) or name not in f.assigned:
            return
        self.fail(e, f"{name} has no value here in C: it belongs to the block that first assigns it",
                  f"declare it before, as in {name}: int = 0")

    def store(self, e):
        """Notes an assignment to a name; reports whether it declares it."""
        f, name = self.locals, e.id
        if name in f.fixed:
            self.fail(e, f"{name} is the variable of a loop over a range and cannot be assigned in it")
        if name in f.globals:
            return False
        if f.declared(name):
            return False
        if name in self.globals:
            self.fail(e, f"{name} is a global, and this would declare a local of its name", f"global {name}")
        f.blocks[-1].add(name)
        return True

    def block(self, body, names=()):
        """The nodes of a block, in which names are declared."""
        self.locals.blocks.append(set(names))
        out = []
        for s in body:
            method = getattr(self, "stmt_" + type(s).__name__, None)
            if method is None:
                self.fail(s, f"{type(s).__name__} is not in the subset of Python that can be translated")
            for node in method(s):
                node["_line"] = s.lineno
                out.append(node)
        self.locals.blocks.pop()
        return out

    def body(self, stmts, names=()):
        """The list of one Block that loops and branches have."""
        return [{"_type": "Block", "stmts": self.block(stmts, names)}]

    def stmt_Pass(self, _):
        return []

    def stmt_Global(self, s):
        for name in s.names:
            if name not in self.globals:
                self.fail(s, f"there is no global {name}", f"at file level: {name}: int = 0")
        return []

    def stmt_Break(self, _):
        return [c_block("break;")]

    def stmt_Continue(self, _):
        return [c_block("continue;")]

    def stmt_Return(self, s):
        return [c_block("return;" if s.value is None else f"return {self.expr(s.value)};")]

    def stmt_Assign(self, s):
        if len(s.targets) != 1 or isinstance(s.targets[0], (ast.Tuple, ast.List)):
            self.fail(s, "one assignment has one target")
        target, rhs = s.targets[0], self.expr(s.value)
        if isinstance(target, ast.Name):
            self.store(target)
        return [{"_type": "Assign", "lhs": self.expr(target), "rhs": rhs}]

    def stmt_AnnAssign(self, s):
        if not isinstance(s.target, ast.Name):
            self.fail(s, "a declaration declares a name")
        rhs = None if s.value is None else self.expr(s.value)
        typ = c_type(self, s.annotation)
        if not self.store(s.target):
            self.fail(s, f"{s.target.id} is declared already")
        decl = {"type": typ, "name": s.target.id, "initializer": rhs}
        return [{"_type": "CDecl", "decls": [decl], "parse": True, "dont_move": False}]

    def stmt_AugAssign(self, s):
        if type(s.op) not in AUGMENTED:
            self.fail(s, "this operator does not mean the same in C", "div, rem, or a division of doubles with /")
        rhs = self.expr(s.value)
        if isinstance(s.target, ast.Name):
            self.load(s.target)
            if self.store(s.target):
                self.fail(s.target, f"{s.target.id} has no value here")
        return [c_expr(f"{self.expr(s.target)} {AUGMENTED[type(s.op)]} {rhs}")]

    def stmt_If(self, s):
        call = last_name(s.test.func) if isinstance(s.test, ast.Call) else None
        if call in ("atomic", "exclusive"):  # tries once, and the else is for those that fail
            return [self.locked(s.test, s.body, s.orelse)]
        return [{
            "_type": "If", "cond": self.test(s.test), "true_stmts": self.body(s.body),
            "false_stmts": self.body(s.orelse) if s.orelse else [],
        }]

    def stmt_While(self, s):
        self.no_else(s)
        return [{"_type": "While", "cond": self.test(s.test), "stmts": self.body(s.body)}]

    def no_else(self, s):
        if s.orelse:
            self.fail(s.orelse[0], "a loop's else is not in the subset of Python that can be translated")

    def stmt_For(self, s):
        self.no_else(s)
        call = last_name(s.iter.func) if isinstance(s.iter, ast.Call) else None
        if call in ("iterate", "pipe"):  # for _ in iterate(...): a loop, so that break is Python too
            if not isinstance(s.target, ast.Name) or s.target.id != "_":
                self.fail(s.target, f"a loop over {call}(...) has no variable", f"for _ in {call}(...):")
            return [self.orchestration(s.iter, s.body)]
        if not isinstance(s.target, ast.Name):
            self.fail(s.target, "a loop has one variable")
        if call == "range":
            return [self.range_loop(s)]
        name, it = "ForAll", s.iter
        if call == "serial":
            if len(it.args) != 1 or it.keywords:
                self.fail(it, "serial is for one range of nodes or edges", "for e in serial(n.edges):")
            name, it = "For", it.args[0]
        var = self.loop_variable(s)
        return [{"_type": name, "ndxvar": var, "iterator": self.expr(it), "stmts": self.body(s.body, [var])}]

    def loop_variable(self, s):
        name = s.target.id
        if self.locals.declared(name) or name in self.locals.globals:
            self.fail(s.target, f"{name} is in use: the variable of a loop is the loop's own", "give it another name")
        return name

    def range_loop(self, s):
        """for i in range(...): the stop is computed once, as in Python."""
        self.no_keywords(s.iter)
        args, var = s.iter.args, self.loop_variable(s)
        if not 1 <= len(args) <= 3:
            self.fail(s.iter, "range has one to three arguments")
        step = 1
        if len(args) == 3:
            try:
                step = ast.literal_eval(args[2])
            except ValueError:
                step = None
            if type(step) is not int or step == 0:
                self.fail(args[2], "the step of a range is a number other than 0")
        start = self.expr(args[0]) if len(args) > 1 else "0"
        stop = args[0] if len(args) == 1 else args[1]
        init, end, names = f"int {var} = {start}", self.expr(stop), [var]
        if not isinstance(stop, ast.Constant):
            limit = f"{var}_stop"
            while limit in self.locals.names:
                limit += "_"
            init, end, names = f"{init}, {limit} = {end}", limit, [var, limit]
        update = f"{var}++" if step == 1 else f"{var}--" if step == -1 else f"{var} += {step}" if step > 0 else f"{var} -= {-step}"
        self.locals.fixed.append(var)
        body = self.body(s.body, names)
        self.locals.fixed.pop()
        return {"_type": "CFor", "init": init, "cond": f"{var} {'<' if step > 0 else '>'} {end}", "update": update, "stmts": body}

    def stmt_With(self, s):
        call = s.items[0].context_expr
        name = last_name(call.func) if isinstance(call, ast.Call) else None
        if len(s.items) != 1 or s.items[0].optional_vars is not None or name not in ("iterate", "pipe", "atomic", "exclusive"):
            self.fail(s, "with is for iterate(...), pipe(...), atomic(...) and exclusive(...)")
        if name in ("atomic", "exclusive"):
            return [self.locked(call, s.body, None)]
        return [self.orchestration(call, s.body)]

    def stmt_Expr(self, s):
        e = s.value
        if isinstance(e, ast.Constant):
            return []  # a string as a comment, or ...
        if not isinstance(e, ast.Call):
            self.fail(e, "this expression does nothing")
        name = last_name(e.func)
        if name == "iterate":
            return [self.orchestration(e, [])]
        if name == "pipe":
            self.fail(e, "a pipe has statements", "with pipe(...):")
        if name == "invoke":
            kernel, args = self.kernel_call(e)
            return [{"_type": "Invoke", "aggr": None, "kernel": kernel, "args": args}]
        if name == "reduce_and_return":
            self.no_keywords(e)
            if len(e.args) != 1:
                self.fail(e, "reduce_and_return has one condition")
            return [{"_type": "ReduceAndReturn", "value": self.test(e.args[0])}]
        if name in ("retry", "respawn"):
            return [self.again(e, name)]
        if name in ("sync_running_threads", "local_barrier"):
            self.no_keywords(e)
            if e.args:
                self.fail(e.args[0], f"{name} has no arguments")
            return [{"_type": "SyncRunningThreads" if name == "sync_running_threads" else "LocalBarrier"}]
        if name == "c_block":
            return [self.passed_on(e)]
        if name in ("atomic", "exclusive"):
            self.fail(e, f"{name} has statements", f"with {name}(...): or if {name}(...): ... else:")
        if isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Name) and name is None:
            self.no_keywords(e)
            self.load(e.func.value)
            obj = e.func.value.id
            call = {"_type": "MethodInvocation", "obj": obj, "method": e.func.attr,
                    "obj_type": self.objects.get(obj, ""), "args": [self.expr(a) for a in e.args]}
            return [{"_type": "Expr", "e": call}]
        return [c_expr(self.expr(e))]


def c_block(text):
    return {"_type": "CBlock", "stmts": [text], "parse": True}


def c_expr(text):
    return {"_type": "Expr", "e": {"_type": "CExpr", "expr": text, "parse": True}}
