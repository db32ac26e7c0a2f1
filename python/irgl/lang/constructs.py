"""The constructs that Python has no statement for: locks, worklists, the kernels
that work on them, and text that is passed on.
"""

import ast

from .ctypes_of import last_name
from .expressions import Expressions, is_slice


class Constructs(Expressions):
    """The part of the translator that makes the nodes of irgl's own calls; it
    needs body of the class that it is mixed into."""

    def locked(self, call, body, other):
        """An Atomic or an Exclusive with its statements, and those of its Else,
        which are None for a with."""
        self.no_keywords(call)
        if last_name(call.func) == "exclusive":
            node = {"_type": "Exclusive", "objs_lock": self.locks(call)}
            return {**node, "stmts": self.body(body), "fail_stmts": self.body(other) if other else []}
        if len(call.args) != 1:
            self.fail(call, "atomic has one lock, an int in device memory", "as in atomic(locks[i])")
        lock, index = call.args[0], None
        if isinstance(lock, ast.Subscript) and not is_slice(lock):
            self.expr(lock)  # for its errors
            lock, index = lock.value, self.expr(lock.slice)
        node = {"_type": "Atomic", "lock": self.expr(lock), "lockndx": index}
        return {**node, "stmts": self.body(body), "fail_stmts": [] if other is None else self.body(other)}

    def locks(self, call):
        """The Tuple of exclusive(object, a[:n], n, a, b[1:n:2])."""
        if len(call.args) < 2:
            self.fail(call, "exclusive has an object, and what to lock of it", "as in exclusive(mesh, cavity[:n])")
        items, rest = [], list(call.args[1:])
        while rest:
            a = rest.pop(0)
            if is_slice(a):
                array, start, end, step = self.slice_parts(a)
                if start is None and step is None:
                    items.append({"_type": "Array", "size": end, "name": array})
                else:
                    items.append({"_type": "ArrayIterator", "array": array, "start": start or "0", "end": end, "step": step})
            elif rest:
                items.append({"_type": "Array", "size": self.expr(a), "name": self.expr(rest.pop(0))})
            else:
                self.fail(a, "what is locked is a part of an array, or a size and an array", "cavity[:n], or n, cavity")
        return {"_type": "Tuple", "object": self.expr(call.args[0]), "items": items}

    def initial(self, call, keywords):
        """The initializer of a worklist, None without initial=[...]."""
        size = keywords.get("size")
        if "initial" not in keywords:
            if size is not None:
                self.fail(size, f"the size of a worklist goes with its items: {last_name(call.func)}(initial=[...], size=...)")
            return None
        size, items = None if size is None else self.expr(size), keywords["initial"]
        if not isinstance(items, ast.List):
            self.fail(items, "the initial items are a list in brackets", "initial=[src], or initial=[todo[:n]]")
        texts = []
        for x in items.elts:
            if not is_slice(x):
                texts.append(self.expr(x))
                continue
            array, start, end, step = self.slice_parts(x)
            if len(items.elts) == 1 and start is None and step is None:
                return {"_type": "WorklistInitializerFromArray", "size": size, "array": array, "array_size": end}
            texts.append(f"{array}[{start or ''} : {end}{'' if step is None else ' : ' + step}]")
        return {"_type": "WorklistInitializer", "size": size, "initial": texts}

    def extra(self, call, keywords):
        """The extra condition and_= or or_= of an iterate, or None."""
        given = [name for name in ("and_", "or_") if name in keywords]
        if len(given) == 2:
            self.fail(call, "and_ and or_ exclude each other")
        return {"_type": given[0].strip("_").capitalize(), "cond": self.test(keywords[given[0]])} if given else None

    def orchestration(self, call, body):
        """An Iterate or a Pipe with its statements."""
        keywords = {k.arg: k.value for k in call.keywords}
        initial = self.initial(call, keywords)
        if last_name(call.func) == "pipe":
            for name, value in keywords.items():
                if name not in ("once", "initial", "size"):
                    self.fail(value, f"pipe has no argument {name}")
            if call.args:
                self.fail(call.args[0], "pipe has only the arguments once, initial and size")
            once = keywords.get("once")
            if once is not None and not (isinstance(once, ast.Constant) and isinstance(once.value, bool)):
                self.fail(once, "once is True or False")
            return {"_type": "Pipe", "stmts": self.body(body), "wlinit": initial, "once": once is not None and once.value}
        kernel, args = self.kernel_call(call, ("initial", "size", "while_", "until", "and_", "or_"))
        cond = aggr = None
        for name in ("while_", "until"):
            if name in keywords:
                if cond is not None:
                    self.fail(call, "while_ and until exclude each other")
                cond, aggr = name.strip("_").capitalize(), (last_name(keywords[name]) or "").capitalize()
                if aggr not in ("Any", "All"):
                    self.fail(keywords[name], f"{name} is any or all")
        return {
            "_type": "Iterate", "cond": cond, "aggr": aggr, "kernel": kernel, "args": args, "wlinit": initial,
            "extra_cond": self.extra(call, keywords), "stmts": self.body(body) if body else [],
        }

    def again(self, e, name):
        """retry(item), retry(item, merge=True), respawn(item)."""
        merge = False
        for k in e.keywords:
            if name != "retry" or k.arg != "merge":
                self.fail(k.value, f"{name} has no argument {k.arg}")
            if not isinstance(k.value, ast.Constant) or not isinstance(k.value.value, bool):
                self.fail(k.value, "merge is True or False")
            merge = k.value.value
        if len(e.args) != 1 or isinstance(e.args[0], ast.Starred):
            self.fail(e, f"{name} has one item")
        node = {"_type": name.capitalize(), "args": self.expr(e.args[0])}
        if name == "retry":
            node["merge"] = merge
        return node

    def passed_on(self, e):
        """c_block("text", reads=[...], writes=[...]): a name in the lists is a
        variable, a string is one too or a property."""
        if len(e.args) != 1 or not isinstance(e.args[0], ast.Constant) or not isinstance(e.args[0].value, str):
            self.fail(e, "c_block has one text, a string", 'c_block("text", reads=[], writes=["level"])')
        self.parts(e.args[0])  # for its errors
        node = {"_type": "CBlock", "stmts": e.args[0].value.split("\n"), "parse": False, "reads": [], "writes": []}
        for k in e.keywords:
            if k.arg not in ("reads", "writes"):
                self.fail(k.value, f"c_block has no argument {k.arg}")
            if not isinstance(k.value, (ast.List, ast.Tuple)):
                self.fail(k.value, f'{k.arg} is a list of names, as in ["level", x]')
            for x in k.value.elts:
                if isinstance(x, ast.Name):
                    self.load(x)
                    node[k.arg].append(x.id)
                elif isinstance(x, ast.Constant) and isinstance(x.value, str) and is_name(x.value):
                    node[k.arg].append(x.value)
                else:
                    self.fail(x, f'{k.arg} is a list of names, as in ["level", x]')
        if not e.keywords:
            self.fail(e, "c_block says what its text reads and writes", 'c_block("text", reads=[], writes=["level"])')
        return node


def is_name(s):
    """Whether s is a name in C."""
    return s.isascii() and s.isidentifier()
