"""Copies into the arena, by several threads: numpy gives the interpreter's lock up meanwhile."""

import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arena import Arena
from .errors import GraphError

# Elements that are copied at a time: they fit a processor's cache, so that pages that were cleared, and integers whose range
# was looked at, are still there.
_PART = 1 << 17
# Elements below which a second thread does not pay.
_FEW = 1 << 18
# The most threads than which one that writes is faster, where pages are not there yet.
_WRITER_BEATS = 2


class Fresh(NamedTuple):
    """A range of the arena whose pages are not there yet."""

    arena: Arena
    at: int


def copy(name: str, to: npt.NDArray[Any], source: npt.NDArray[Any], fresh: Fresh | None = None, first: int = 0) -> None:
    """Copies a one-dimensional array, converted to the type of the other; GraphError for integers that do not fit it, counted from first.

    fresh says where the other one is if its pages are not there yet. To allocate them takes most of the time. One thread that
    writes to the file is faster than two that map and clear pages and then fill them, and takes half their processor time; of writers
    the system lets in one.
    """
    exact = np.can_cast(source.dtype, to.dtype, "safe") or to.dtype.kind == "f"
    limits = None if exact else np.iinfo(to.dtype)
    writing = fresh is not None and _workers(len(source)) <= _WRITER_BEATS

    def part(lo: int, hi: int) -> None:
        for i in range(lo, hi, _PART):
            piece = source[i : min(i + _PART, hi)]
            if limits is not None:
                for value in (piece.min(), piece.max()):
                    if not limits.min <= int(value) <= limits.max:
                        raise GraphError(f"{name}[{first + i + int(np.argmax(piece == value))}] is {value}, which does not fit {to.dtype}")
            if fresh is not None and writing:
                converted = np.ascontiguousarray(piece.astype(to.dtype, casting="unsafe", copy=False))
                fresh.arena.write(fresh.at + i * to.itemsize, converted.data.cast("B"))
                continue
            if fresh is not None:
                fresh.arena.populate(fresh.at + i * to.itemsize, len(piece) * to.itemsize)
            np.copyto(to[i : i + len(piece)], piece, casting="unsafe")

    if writing:
        part(0, len(source))
    else:
        in_parallel(len(source), part)


def _workers(n: int) -> int:
    """How many threads work on n elements."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, n // _FEW + 1, 8)


def in_parallel(n: int, part: Callable[[int, int], None]) -> None:
    """Calls part for the parts of n elements, and raises the first error."""
    workers = _workers(n)
    bounds = [n * i // workers for i in range(workers + 1)]
    errors: list[BaseException] = []

    def guarded(lo: int, hi: int) -> None:
        try:
            part(lo, hi)
        except BaseException as err:
            errors.append(err)

    threads = [threading.Thread(target=guarded, args=(bounds[i], bounds[i + 1])) for i in range(1, workers)]
    for t in threads:
        t.start()
    guarded(bounds[0], bounds[1])
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
