"""The part of CBOR (RFC 8949) that the protocol of irgl serve uses: integers of 64 bits, 64-bit floats, text, bytes,
booleans, null, arrays, and maps with text keys, all of definite length."""

import struct
from typing import Any

_DOUBLE = struct.Struct(">d")
_HEADS = {24: struct.Struct(">B"), 25: struct.Struct(">H"), 26: struct.Struct(">I"), 27: struct.Struct(">Q")}
_FLOATS = {25: struct.Struct(">e"), 26: struct.Struct(">f"), 27: _DOUBLE}
# How deep what is sent may be nested.
_DEEPEST = 16
_SIMPLE = {20: False, 21: True, 22: None}


def dumps(value: object) -> bytes:
    """The value as one CBOR item. TypeError and ValueError for what the protocol has not, OverflowError for integers beyond 64 bits."""
    out = bytearray()
    _write(out, value, 1)
    return bytes(out)


def _head(out: bytearray, kind: int, n: int) -> None:
    if n < 24:
        out.append(kind << 5 | n)
        return
    for code, form in _HEADS.items():
        if n < 1 << 8 * form.size:
            out.append(kind << 5 | code)
            out += form.pack(n)
            return
    raise OverflowError(f"{n} does not fit 64 bits")


def _write(out: bytearray, value: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise ValueError("a value is nested too deeply")
    if value is None:
        out.append(0xF6)
    elif value is True:
        out.append(0xF5)
    elif value is False:
        out.append(0xF4)
    elif isinstance(value, int):
        if value < -(1 << 63):
            raise OverflowError(f"{value} does not fit 64 bits")
        _head(out, 0 if value >= 0 else 1, value if value >= 0 else -1 - value)
    elif isinstance(value, float):
        out.append(0xFB)
        out += _DOUBLE.pack(value)
    elif isinstance(value, str):
        text = value.encode("utf-8", "surrogateescape")  # names of files are any bytes
        _head(out, 3, len(text))
        out += text
    elif isinstance(value, bytes):
        _head(out, 2, len(value))
        out += value
    elif isinstance(value, (list, tuple)):
        _head(out, 4, len(value))
        for v in value:
            _write(out, v, depth + 1)
    elif isinstance(value, dict):
        _head(out, 5, len(value))
        for k, v in value.items():
            if not isinstance(k, str):
                raise TypeError(f"a key is a {type(k).__name__}")
            _write(out, k, depth + 1)
            _write(out, v, depth + 1)
    else:
        raise TypeError(f"a value of type {type(value).__name__} cannot be sent")


def loads(data: bytes) -> Any:
    """The value of one CBOR item. ValueError for anything else."""
    try:
        value, end = _read(data, 0, 0)
    except (IndexError, struct.error):
        raise ValueError("a message ends too early") from None
    if end != len(data):
        raise ValueError("there is something behind a message")
    return value


def _read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > 32:
        raise ValueError("a message is nested too deeply")
    first = data[at]
    kind, n = first >> 5, first & 31
    at += 1
    if kind == 7:
        if n in _SIMPLE:
            return _SIMPLE[n], at
        form = _FLOATS.get(n)
        if form is None:
            raise ValueError(f"a simple value {n}")
        return form.unpack_from(data, at)[0], at + form.size
    if n >= 24:
        head = _HEADS.get(n)
        if head is None:
            raise ValueError(f"a length {n}")
        n = head.unpack_from(data, at)[0]
        at += head.size
    if kind == 0:
        return n, at
    if kind == 1:
        return -1 - n, at
    if kind in (2, 3):
        if at + n > len(data):
            raise IndexError
        part = data[at : at + n]
        return (part if kind == 2 else part.decode("utf-8", "surrogateescape")), at + n
    if kind == 4:
        items = []
        for _ in range(n):
            item, at = _read(data, at, depth + 1)
            items.append(item)
        return items, at
    if kind == 5:
        pairs: dict[str, Any] = {}
        for _ in range(n):
            key, at = _read(data, at, depth + 1)
            if not isinstance(key, str):
                raise ValueError("a key is no text")
            pairs[key], at = _read(data, at, depth + 1)
        return pairs, at
    raise ValueError("a tag")
