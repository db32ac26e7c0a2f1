"""Programs for irgl, written as Python functions.

The decorators graph, kernel, host and function mark what belongs to a program.
Nothing of it is executed by Python: the command

    python3 -m irgl.lang.emit program.py > program.json

reads the source of the file and writes the program as JSON, the abstract syntax
of IrGL (Lowering IrGL to CUDA, Listing 6), which irgl checks, compiles and runs.
See README.md for the part of Python that can be used.

This module defines the names that a program uses, so that the file can be
imported, read by an editor and checked by a linter like any other.
"""


from typing import Any as _AnyType
from typing import TypeVar as _TypeVar

from .errors import TranslationError
from .translate import translate, translate_file

__all__ = [
    "All", "Any", "Edge", "Element", "INF", "Node", "Output", "Point", "TranslationError", "WL", "array", "atomic", "c_block",
    "div", "double", "edge", "element", "exclusive", "float32", "float64", "function", "graph", "host", "int16", "int32",
    "int64", "int8", "invoke", "iterate", "kernel", "launch_bounds", "local_barrier", "long", "mesh", "names", "node", "pipe",
    "point", "reduce_and_return", "rem", "respawn", "retry", "serial", "sync_running_threads", "translate", "translate_file",
    "uint16", "uint32", "uint64", "uint8",
]

_T = _TypeVar("_T")


def graph(cls: _T) -> _T:
    """Marks the class that declares the graph's properties."""
    return cls


def mesh(cls: _T) -> _T:
    """Marks the class that declares the properties of the triangle mesh."""
    return cls


def kernel(fn: _T) -> _T:
    """Marks a kernel: a function that runs on the device."""
    return fn


def launch_bounds(max_threads: int, min_blocks: int | None = None) -> _AnyType:
    """Bounds a kernel's thread blocks: how many threads they have at most, and
    how many of them a multiprocessor should hold."""
    return lambda fn: fn


def host(fn: _T) -> _T:
    """Marks a host function: it invokes kernels. The parameters of the entry
    are the arguments of a run."""
    return fn


def function(fn: _T) -> _T:
    """Marks a function that kernels and host functions call."""
    return fn


def names(*words: str) -> None:
    """At file level: names that the C text of the program defines, each an int."""


def c_block(text: str, reads: list[_AnyType] | None = None, writes: list[_AnyType] | None = None) -> None:
    """Text that goes to CUDA's compiler as it is, at file level or in a
    function, with the variables and properties that it reads and writes."""


class _Type:
    """A type in an annotation: node, int64, Node[int], array[int, 4]."""

    def __class_getitem__(cls, item: object) -> _AnyType:
        return cls


class node(_Type):
    """A node of the graph."""


class edge(_Type):
    """An edge of the graph."""


class Node(_Type):
    """Node[T]: a property with one value a node."""


class Edge(_Type):
    """Edge[T]: a property with one value an edge."""


class point(_Type):
    """A point of the mesh."""


class element(_Type):
    """A triangle of the mesh."""


class Point(_Type):
    """Point[T]: a property with one value a point of the mesh."""


class Element(_Type):
    """Element[T]: a property with one value a triangle of the mesh."""


class Output(_Type):
    """Output[T]: a property or global that is a result of the program."""


class array(_Type):
    """array[T, n]: an array of n elements."""


int8 = int16 = int32 = int64 = uint8 = uint16 = uint32 = uint64 = int
long = int
float32 = float64 = double = float


class _Word:
    """A word of the language that Python only has to be able to name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: object, **kwargs: object) -> _AnyType:
        raise RuntimeError(f"{self._name} is not executed by Python: translate the program with python3 -m irgl.lang.emit")

    def __getattr__(self, name: str) -> _AnyType:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Word(f"{self._name}.{name}")

    def __repr__(self) -> str:
        return f"<irgl {self._name}>"


WL = _Word("WL")
INF = 2**31 - 1
Any = any
All = all

iterate = _Word("iterate")
pipe = _Word("pipe")
invoke = _Word("invoke")
reduce_and_return = _Word("reduce_and_return")
atomic = _Word("atomic")
exclusive = _Word("exclusive")
retry = _Word("retry")
respawn = _Word("respawn")
sync_running_threads = _Word("sync_running_threads")
local_barrier = _Word("local_barrier")
serial = _Word("serial")
div = _Word("div")
rem = _Word("rem")

_ATOMICS = ("Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor", "CAS", "Inc", "Dec")
for _name in [*("atomic" + _a for _a in _ATOMICS), "printf"]:
    globals()[_name] = _Word(_name)
    __all__.append(_name)
