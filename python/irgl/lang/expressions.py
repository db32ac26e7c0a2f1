"""Expressions of Python as C text.

Where an operator means something else in C the translation keeps Python's
meaning (/ is a division of doubles), or refuses it and names the function that
means C's (// and %, whose results differ for negative numbers).
"""

import ast

from .ctypes_of import NAMES, last_name

# C's precedences, from the loosest.
COND, OR, AND, BITOR, BITXOR, BITAND, EQ, REL, SHIFT, ADD, MUL, UNARY, POSTFIX = range(1, 14)

BINARY = {
    ast.Add: ("+", ADD), ast.Sub: ("-", ADD), ast.Mult: ("*", MUL), ast.LShift: ("<<", SHIFT), ast.RShift: (">>", SHIFT),
    ast.BitAnd: ("&", BITAND), ast.BitOr: ("|", BITOR), ast.BitXor: ("^", BITXOR),
}
COMPARE = {
    ast.Eq: ("==", EQ), ast.NotEq: ("!=", EQ), ast.Lt: ("<", REL), ast.LtE: ("<=", REL), ast.Gt: (">", REL), ast.GtE: (">=", REL),
}
REFUSED = {
    ast.FloorDiv: ("//", "div(a, b) is C's division, which rounds toward zero"),
    ast.Mod: ("%", "rem(a, b) is C's remainder, which has the sign of a"),
    ast.Pow: ("**", "pow(a, b) computes with doubles"),
    ast.MatMult: ("@", ""),
}
ATOMICS = {"atomic" + name for name in ("Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor", "CAS", "Inc", "Dec")}
LOCKS = {
    "atomic": "with atomic(lock): waits, if atomic(lock): ... else: tries once",
    "exclusive": "with exclusive(mesh, cavity[:n]): or if exclusive(mesh, cavity[:n]): ... else:",
}
STATEMENTS = {
    "iterate", "pipe", "reduce_and_return", "retry", "respawn", "sync_running_threads", "local_barrier", "c_block", "names", *LOCKS,
}


class Expressions:
    """The part of the translator that makes C expressions; it needs fail,
    load and address_of of the class that it is mixed into."""

    def expr(self, e, level=COND):
        """The C text of e, in brackets if it binds looser than level."""
        text, own = self.parts(e)
        return f"({text})" if own < level else text

    def parts(self, e):
        """The C text of e and its precedence."""
        method = getattr(self, "expr_" + type(e).__name__, None)
        if method is None:
            self.fail(e, f"{type(e).__name__} is not in the subset of Python that can be translated")
        return method(e)

    def expr_Name(self, e):
        self.load(e)
        return e.id, POSTFIX

    def expr_Constant(self, e):
        v = e.value
        if isinstance(v, bool):
            return ("true" if v else "false"), POSTFIX
        if isinstance(v, int):
            if v >= 2**64:
                self.fail(e, "this number is too large: integers have at most 64 bits")
            return str(v) + ("ul" if v >= 2**63 else ""), POSTFIX
        if isinstance(v, float):
            if v in (float("inf"), float("-inf")):
                self.fail(e, "this number is too large", "INFINITY is the infinite one")
            return repr(v), POSTFIX
        if isinstance(v, str):
            if any(0xD800 <= ord(c) <= 0xDFFF for c in v):
                self.fail(e, "this string has half of a surrogate pair")
            return c_string(v), POSTFIX
        self.fail(e, f"{v!r} has no value in C", "NULL is the pointer to nothing" if v is None else "")

    def expr_Attribute(self, e):
        if last_name(e) is not None:  # irgl.INF
            return e.attr, POSTFIX
        return f"{self.expr(e.value, POSTFIX)}.{e.attr}", POSTFIX

    def expr_Subscript(self, e):
        index = e.slice
        if isinstance(index, (ast.Slice, ast.Tuple)):
            self.fail(e, "a slice has no value in C", "it may be an argument of exclusive, or an item of initial=[...]")
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            self.fail(index, "an index from the end does not exist in C")
        return f"{self.expr(e.value, POSTFIX)}[{self.expr(index)}]", POSTFIX

    def slice_parts(self, e):
        """The C text of a slice of an array, a[start:end:step]: a, start, end
        and step, of which start and step may be None."""
        s = e.slice
        if s.upper is None:
            self.fail(e, "a slice needs its end: C's arrays have no length", "as in cavity[:n]")
        parts = []
        for x in (s.lower, s.upper, s.step):
            if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub):
                self.fail(x, "an index from the end does not exist in C")
            parts.append(None if x is None else self.expr(x))
        return [self.expr(e.value, POSTFIX), *parts]

    def expr_UnaryOp(self, e):
        op = {ast.USub: "-", ast.UAdd: "+", ast.Not: "!", ast.Invert: "~"}[type(e.op)]
        operand = self.test(e.operand, UNARY) if op == "!" else self.expr(e.operand, UNARY)
        if operand.startswith(op):  # - -x must not become --x
            operand = f"({operand})"
        return op + operand, UNARY

    def expr_BinOp(self, e):
        if isinstance(e.op, ast.Div):
            return f"(double){self.expr(e.left, UNARY)} / {self.expr(e.right, UNARY)}", MUL
        if type(e.op) in REFUSED:
            op, hint = REFUSED[type(e.op)]
            self.fail(e, f"{op} does not mean the same in C", hint)
        op, level = BINARY[type(e.op)]
        return f"{self.expr(e.left, level)} {op} {self.expr(e.right, level + 1)}", level

    def expr_BoolOp(self, e):
        """and, or: in Python the value is that of an operand, in C 0 or 1, so
        that as a value both must be conditions."""
        for v in e.values:
            if not is_condition(v):
                self.fail(v, "the operands of and and or must be conditions where the value is used", "write bool(x)")
        return self.bool_op(e)

    def bool_op(self, e):
        op, level = ("&&", AND) if isinstance(e.op, ast.And) else ("||", OR)
        return f" {op} ".join(self.test(v, level + 1) for v in e.values), level

    def test(self, e, level=COND):
        """The C text of a condition, whose value is only true or false."""
        if isinstance(e, ast.BoolOp):
            text, own = self.bool_op(e)
            return f"({text})" if own < level else text
        return self.expr(e, level)

    def expr_Compare(self, e):
        texts, left = [], e.left
        for i, (op, right) in enumerate(zip(e.ops, e.comparators)):
            if type(op) not in COMPARE:
                self.fail(e, "is and in are not in the subset of Python that can be translated")
            if i > 0 and not isinstance(left, (ast.Name, ast.Constant)):
                self.fail(left, "the middle of a chain of comparisons must be a name or a number", "C would compute it twice")
            text, level = COMPARE[type(op)]
            texts.append(f"{self.expr(left, level)} {text} {self.expr(right, level + 1)}")
            left = right
        return (texts[0], level) if len(texts) == 1 else (" && ".join(texts), AND)

    def expr_IfExp(self, e):
        return f"{self.test(e.test, OR)} ? {self.expr(e.body)} : {self.expr(e.orelse)}", COND

    def expr_Call(self, e):
        name = last_name(e.func)
        if name in STATEMENTS:
            self.fail(e, f"{name} is a statement and has no value", LOCKS.get(name, ""))
        if name in ("any", "all", "Any", "All"):
            return self.reduction(e, name.capitalize()), POSTFIX
        if name == "invoke":
            self.fail(e, "the value of an invocation needs its reduction", "any(invoke(...)) or all(invoke(...))")
        self.no_keywords(e)
        if name in NAMES:  # int(x)
            if len(e.args) != 1:
                self.fail(e, f"{name} converts one value")
            return f"({NAMES[name]}){self.expr(e.args[0], UNARY)}", UNARY
        if name in ("div", "rem"):
            if len(e.args) != 2:
                self.fail(e, f"{name} has two operands")
            op = "/" if name == "div" else "%"
            return f"{self.expr(e.args[0], MUL)} {op} {self.expr(e.args[1], UNARY)}", MUL
        args = [self.expr(a) for a in e.args]
        if name in ATOMICS:
            if not e.args or not isinstance(e.args[0], (ast.Name, ast.Attribute, ast.Subscript)):
                self.fail(e, f"the first argument of {name} is what it changes: a property, a global or an element")
            args[0] = "&" + self.expr(e.args[0], UNARY)
        fun = name if name is not None else self.expr(e.func, POSTFIX)
        return f"{fun}({', '.join(args)})", POSTFIX

    def reduction(self, e, aggr):
        """any(invoke(K, ...)) as C text."""
        if len(e.args) == 1 and isinstance(e.args[0], ast.Call) and last_name(e.args[0].func) == "invoke":
            kernel, args = self.kernel_call(e.args[0])
            return f"{aggr}(Invoke {kernel}({', '.join(args)}))"
        self.fail(e, f"{aggr.lower()} is for invocations: {aggr.lower()}(invoke(K, ...))")

    def kernel_call(self, e, keywords=()):
        """The kernel's name and the arguments of invoke(K, ...) or iterate(K, ...)."""
        for k in e.keywords:
            if k.arg not in keywords:
                self.fail(k.value, f"{last_name(e.func)} has no argument {k.arg}")
        if not e.args or not isinstance(e.args[0], ast.Name):
            self.fail(e, f"the first argument of {last_name(e.func)} is a kernel's name")
        return e.args[0].id, [self.expr(a) for a in e.args[1:]]

    def no_keywords(self, e):
        if e.keywords:
            self.fail(e.keywords[0].value, "arguments by name are not in the subset of Python that can be translated")
        for a in e.args:
            if isinstance(a, ast.Starred):
                self.fail(a, "starred arguments are not in the subset of Python that can be translated")


def is_slice(e):
    """Whether e is a slice, such as a[1:n]."""
    return isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Slice)


def is_condition(e):
    """Whether e is true or false, so that C and Python agree on its value."""
    if isinstance(e, ast.BoolOp):
        return all(is_condition(v) for v in e.values)
    return (
        isinstance(e, ast.Compare)
        or isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not)
        or isinstance(e, ast.Constant) and isinstance(e.value, bool)
        or isinstance(e, ast.Call) and last_name(e.func) in ("bool", "any", "all", "Any", "All")
    )


def c_string(s):
    """s as a string of C, in UTF-8."""
    out = []
    for c in s:
        if c in '"\\':
            out.append("\\" + c)
        elif c == "\n":
            out.append("\\n")
        elif c == "\t":
            out.append("\\t")
        elif ord(c) < 32 or ord(c) == 127:
            out.append(f"\\{ord(c):03o}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'
