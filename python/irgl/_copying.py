"""Copies into the arena, by several threads: numpy gives the interpreter's lock up meanwhile."""

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import GraphError

# Elements that are copied at a time: they fit a processor's cache, so that pages that were cleared, and integers whose range
# was looked at, are still there.
_PART = 1 << 17
# Elements below which a second thread does not pay.
_FEW = 1 << 18


def copy(name: str, to: npt.NDArray[Any], source: npt.NDArray[Any], populate: Callable[[int, int], None] | None = None, at: int = 0) -> None:
    """Copies a one-dimensional array, converted to the type of the other; GraphError for integers that do not fit it.

    populate allocates the pages of the other, which is at an offset, as they are needed.
    """
    exact = np.can_cast(source.dtype, to.dtype, "safe") or to.dtype.kind == "f"
    limits = None if exact else np.iinfo(to.dtype)

    def part(lo: int, hi: int) -> None:
        for i in range(lo, hi, _PART):
            piece = source[i : min(i + _PART, hi)]
            if limits is not None:
                for value in (piece.min(), piece.max()):
                    if not limits.min <= int(value) <= limits.max:
                        raise GraphError(f"{name}[{i + int(np.argmax(piece == value))}] is {value}, which does not fit {to.dtype}")
            if populate is not None:
                populate(at + i * to.itemsize, len(piece) * to.itemsize)
            np.copyto(to[i : i + len(piece)], piece, casting="unsafe")

    in_parallel(len(source), part)


def in_parallel(n: int, part: Callable[[int, int], None]) -> None:
    """Calls part for the parts of n elements, and raises the first error."""
    workers = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, n // _FEW + 1, 8)
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
