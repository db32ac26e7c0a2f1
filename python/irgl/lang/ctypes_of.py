"""The types of annotations, as C has them."""

import ast

# Python's int stands for C's int, which wraps at 32 bits; its float for
# double, which is what Python computes with.
NAMES = {
    "bool": "bool", "int": "int", "float": "double", "double": "double", "long": "long", "node": "node", "edge": "edge",
    "point": "point", "element": "element",
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long", "uint8": "unsigned char",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long", "float32": "float", "float64": "double",
}


def last_name(e):
    """The name of irgl.x or x, None for any other expression."""
    if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id == "irgl":
        return e.attr
    return e.id if isinstance(e, ast.Name) else None


def subscript(e, name):
    """The index of name[index], None if e is not that."""
    if isinstance(e, ast.Subscript) and last_name(e.value) == name:
        return e.slice
    return None


def c_type(tr, e):
    """The C text of the type that an annotation names."""
    name = last_name(e)
    if name in NAMES:
        return NAMES[name]
    if name == "None" or isinstance(e, ast.Constant) and e.value is None:
        return "void"
    index = subscript(e, "array")
    if isinstance(index, ast.Tuple) and len(index.elts) == 2:
        base, bracket, rest = c_type(tr, index.elts[0]).partition(" [")  # of an array of arrays the outer length is first
        return f"{base} [{tr.expr(index.elts[1])}]{bracket.lstrip()}{rest}"
    tr.fail(e, f"{ast.unparse(e)} is no type", "there are " + ", ".join(sorted(NAMES)) + ", and array[T, n]")
