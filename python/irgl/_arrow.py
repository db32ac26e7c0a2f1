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
        fields = {name: schema.children[known.index(name)].contents for name in names}
        self.chunks = {name: [np.empty(0, dtype=_kind(name, field))] for name, field in fields.items()}
        first = 0
        while True:
            batch = _Array()
            self._call(self._stream.get_next, batch)
            if not batch.release:
                return
            self._held.append(batch)
            _complete("the table", _valid(batch, batch.offset, batch.length), first)
            for name, field in fields.items():
                self.chunks[name].append(_values(name, field, batch.children[known.index(name)].contents, batch.offset, batch.length, first))
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


def _kind(name: str, schema: Any) -> np.dtype[Any]:
    """The type of a column's arrays: object for strings."""
    form = schema.format.decode()
    if schema.dictionary:
        if form not in _FIXED:
            raise ArgumentError(f"column {name!r} has indices of Arrow's type {form!r}")
        return _kind(name, schema.dictionary.contents)
    if form not in _FIXED and form not in _STRINGS:
        raise ArgumentError(f"column {name!r} is of Arrow's type {form!r}, and should have numbers or strings")
    return np.dtype(_FIXED.get(form, object))


def _valid(array: Any, at: int, length: int) -> npt.NDArray[np.bool_] | None:
    """Which of the elements have values; None if all do."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    bits = np.unpackbits(_buffer(array, 0, "u1", (at + length + 7) // 8), bitorder="little")[at : at + length].astype(np.bool_)
    return None if bits.all() else bits


def _complete(what: str, valid: npt.NDArray[np.bool_] | None, row: int) -> None:
    if valid is not None and not valid.all():
        raise GraphError(f"{what} has no value in row {row + int(np.argmin(valid))}")


def _values(name: str, schema: Any, array: Any, offset: int, length: int, row: int) -> npt.NDArray[Any]:
    """The values of a part of a column, which begins with a row of the table: numbers, or an array of strings."""
    at = array.offset + offset
    _complete(f"column {name!r}", _valid(array, at, length), row)
    if not schema.dictionary:
        return _elements(schema.format.decode(), array, at, length, None)
    of = array.dictionary.contents
    chosen = _buffer(array, 1, _FIXED[schema.format.decode()], at + length)[at:]
    known = _valid(of, of.offset, of.length)
    if known is not None:
        _complete(f"column {name!r}", known[chosen], row)
    words: npt.NDArray[Any] = _elements(schema.dictionary.contents.format.decode(), of, of.offset, of.length, known)[chosen]
    return words


def _elements(form: str, array: Any, at: int, length: int, valid: npt.NDArray[np.bool_] | None) -> npt.NDArray[Any]:
    if form in _FIXED:
        return _buffer(array, 1, _FIXED[form], at + length)[at:]
    out = np.empty(length, dtype=object)
    out[:] = list(_strings(array, _STRINGS[form], at, length, valid))
    return out


def _strings(array: Any, offsets: str, at: int, length: int, valid: npt.NDArray[np.bool_] | None) -> Iterator[str]:
    """The strings, with empty ones for those without values, which may be anywhere."""
    if length == 0:
        return
    known = [True] * length if valid is None else valid.tolist()
    if offsets:
        ends = _buffer(array, 1, offsets, at + length + 1)[at:].tolist()
        text = _buffer(array, 2, "u1", ends[-1]).data
        for i in range(length):
            yield str(text[ends[i] : ends[i + 1]], "utf-8") if known[i] else ""
        return
    views = _buffer(array, 1, _VIEW, at + length)[at:]
    sizes = _buffer(array, array.n_buffers - 1, "i8", array.n_buffers - 3)
    texts = [_buffer(array, 2 + k, "u1", int(n)).data for k, n in enumerate(sizes)]
    raw = memoryview(views.tobytes())
    for i, (n, _, k, start) in enumerate(views.tolist()):
        if not known[i]:
            yield ""
        else:
            yield str(raw[16 * i + 4 : 16 * i + 4 + n] if n <= 12 else texts[k][start : start + n], "utf-8")


def _buffer(array: Any, i: int, kind: npt.DTypeLike, length: int) -> npt.NDArray[Any]:
    """A view of the elements of a buffer."""
    dtype: np.dtype[Any] = np.dtype(kind)
    if length <= 0 or not array.buffers[i]:
        return np.empty(0, dtype=dtype)
    return np.frombuffer(memoryview((ctypes.c_char * (length * dtype.itemsize)).from_address(array.buffers[i])), dtype=dtype)
