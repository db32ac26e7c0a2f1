"""Columns of tables, by the C stream interface of Apache Arrow (docs/format/CStreamInterface): pyarrow, polars, pandas, DuckDB and others have it."""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError, GraphError

# The formats of columns whose values are in one buffer.
_FIXED = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "f": "f4", "g": "f8", "e": "f2"}
# The formats of strings, with the type of their offsets; "" for views.
_STRINGS = {"u": "i4", "U": "i8", "vu": ""}
_VIEW = np.dtype([("length", "i4"), ("prefix", "S4"), ("buffer", "i4"), ("offset", "i4")])


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))), ("dictionary", ctypes.POINTER(_Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ("private_data", ctypes.c_void_p),
]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)), ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)), ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    ]


class Columns:
    """Some columns of a table, each a list of numpy arrays, in the order of the rows. Numbers are views of the table's memory, until close."""

    def __init__(self, table: Any, names: list[str]) -> None:
        self._held: list[Any] = []  # arrays, to be released
        self.chunks: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in names}
        self._capsule = table.__arrow_c_stream__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        # The capsule gives the stream back.
        self._stream = _Stream.from_address(get(self._capsule, b"arrow_array_stream"))
        schema = _Schema()
        self._call(self._stream.get_schema, schema)
        try:
            self._read(schema, names)
        except BaseException:
            self.close()
            raise
        finally:
            schema.release(ctypes.addressof(schema))

    def _call(self, function: Any, to: Any) -> None:
        at = ctypes.addressof(self._stream)
        if function(at, ctypes.addressof(to)) != 0:
            why = self._stream.get_last_error(at)
            raise GraphError("the table cannot be read: " + (why.decode(errors="replace") if why else "its producer does not say why"))

    def _read(self, schema: Any, names: list[str]) -> None:
        if schema.format != b"+s":
            raise ArgumentError("a table has columns, and this one is a single one")
        known = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
        for name in names:
            if name not in known:
                raise ArgumentError(f"the table has no column {name!r} (hint: it has {', '.join(map(repr, known)) or 'none'})")
        first = 0
        while True:
            batch = _Array()
            self._call(self._stream.get_next, batch)
            if not batch.release:
                return
            self._held.append(batch)
            for name in names:
                i = known.index(name)
                self.chunks[name].append(_values(name, schema.children[i].contents, batch.children[i].contents, batch.offset, batch.length, first))
            first += batch.length

    def close(self) -> None:
        """Gives the table's memory back."""
        self.chunks = {}
        while self._held:
            batch = self._held.pop()
            batch.release(ctypes.addressof(batch))

    def __enter__(self) -> "Columns":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _values(name: str, schema: Any, array: Any, offset: int, length: int, row: int) -> npt.NDArray[Any]:
    """The values of a part of a column, which begins with a row of the table: numbers, or an array of strings."""
    at = array.offset + offset
    if array.null_count != 0 and array.n_buffers > 0 and array.buffers[0]:
        bits = np.unpackbits(_buffer(array, 0, "u1", (at + length + 7) // 8), bitorder="little")[at : at + length]
        if not bits.all():
            raise GraphError(f"column {name!r} has no value in row {row + int(np.argmin(bits))}")
    form = schema.format.decode()
    if schema.dictionary:
        if form not in _FIXED:
            raise ArgumentError(f"column {name!r} has indices of Arrow's type {form!r}")
        of = array.dictionary.contents
        words = _values(name, schema.dictionary.contents, of, 0, of.length, row)
        chosen: npt.NDArray[Any] = words[_buffer(array, 1, _FIXED[form], at + length)[at:]]
        return chosen
    if form in _FIXED:
        return _buffer(array, 1, _FIXED[form], at + length)[at:]
    if form in _STRINGS:
        out = np.empty(length, dtype=object)
        out[:] = list(_strings(array, _STRINGS[form], at, length))
        return out
    raise ArgumentError(f"column {name!r} is of Arrow's type {form!r}, and should have numbers or strings")


def _strings(array: Any, offsets: str, at: int, length: int) -> Iterator[str]:
    if offsets:
        ends = _buffer(array, 1, offsets, at + length + 1)[at:].tolist() if length else []
        text = _buffer(array, 2, "u1", ends[-1] if ends else 0).tobytes()
        for i in range(length):
            yield text[ends[i] : ends[i + 1]].decode()
        return
    views = _buffer(array, 1, _VIEW, at + length)[at:]
    sizes = _buffer(array, array.n_buffers - 1, "i8", array.n_buffers - 3)
    texts = [_buffer(array, 2 + k, "u1", int(n)).tobytes() for k, n in enumerate(sizes)]
    raw = views.tobytes()
    for i, (n, _, k, start) in enumerate(views.tolist()):
        yield (raw[16 * i + 4 : 16 * i + 4 + n] if n <= 12 else texts[k][start : start + n]).decode()


def _buffer(array: Any, i: int, kind: npt.DTypeLike, length: int) -> npt.NDArray[Any]:
    """A view of the elements of a buffer."""
    dtype: np.dtype[Any] = np.dtype(kind)
    if length <= 0 or not array.buffers[i]:
        return np.empty(0, dtype=dtype)
    return np.frombuffer(memoryview((ctypes.c_char * (length * dtype.itemsize)).from_address(array.buffers[i])), dtype=dtype)
