"""The memory that this process shares with its server."""

import ctypes
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import OutOfMemoryError, ServerError

# The address space that is reserved; where there is not as much, less is.
_SIZES = [1 << bits for bits in (36, 35, 34, 32, 30)]

_POPULATE_WRITE = 23


def _find_madvise() -> Callable[[int, int, int], int] | None:
    if sys.platform != "linux":
        return None
    function = ctypes.CDLL(None, use_errno=True).madvise
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    call: Callable[[int, int, int], int] = function
    return call


_madvise = _find_madvise()  # not mmap.madvise, which keeps the interpreter's lock


class Arena:
    """A file without a name, mapped by both processes. The server alone allocates in it; memory is used only where it has."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            raise ServerError("graphs are not served on Windows yet (hint: python -m irgl is the command)")
        self.file = nameless()
        # It is open as long as the memory is there: a descriptor that was closed sooner might be another file's when a thread writes.
        self._close = weakref.finalize(self, os.close, self.file)
        self._close.atexit = False
        for size in _SIZES:
            try:
                os.ftruncate(self.file, size)
                self._map = mmap.mmap(self.file, size)
                break
            except (OSError, ValueError):
                if size == _SIZES[-1]:
                    raise
        self.size = size
        if sys.platform == "linux":
            import fcntl

            fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self._start = (ctypes.c_char * 0).from_buffer(self._map)  # keeps the mapping, too
        self.base = ctypes.addressof(self._start)
        self.populates = _madvise is not None and _madvise(self.base, 0, _POPULATE_WRITE) == 0
        """Whether populate and write can be used (from Linux 5.14 on)."""

    def populate(self, at: int, size: int) -> None:
        """Allocates and maps the pages of a range that is to be written.

        Without, each page costs a fault; and a page that cannot be had is an error here, and would be a signal there.
        """
        assert _madvise is not None
        first = at & -mmap.PAGESIZE
        if _madvise(self.base + first, at + size - first, _POPULATE_WRITE) != 0:
            raise _out_of_memory(size, ctypes.get_errno())

    def write(self, at: int, data: memoryview) -> None:
        """Fills a range whose pages are not there yet: the system neither clears nor maps them first."""
        while data:
            try:
                written = os.pwrite(self.file, data, at)
            except OSError as err:
                raise _out_of_memory(len(data), err.errno or 0) from None
            at, data = at + written, data[written:]

    def array(self, at: int, dtype: npt.DTypeLike, shape: Any, owner: object, *, writable: bool) -> npt.NDArray[Any]:
        """An array over bytes of the arena. It keeps its owner alive."""
        kind = np.dtype(dtype)
        a = np.asarray(_Bytes(self, at, kind, shape, owner, writable))
        return a if a.dtype == kind else a.view(kind)  # gaps of structures have names in numpy's interface


def _out_of_memory(size: int, code: int) -> OutOfMemoryError:
    return OutOfMemoryError(f"{size} bytes of shared memory cannot be had: {os.strerror(code)}")


def nameless() -> int:
    """The descriptor of a new file that is in no folder."""
    if sys.platform == "linux":
        return os.memfd_create("irgl", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile(prefix="irgl") as f:
        return os.dup(f.fileno())


class Lease:
    """A handle of the server, which is closed when nothing refers to this any more: a range of the arena, or a graph."""

    __slots__ = ("__weakref__", "handle")

    def __init__(self, handle: int) -> None:
        self.handle = handle


class _Bytes:
    """What a numpy array in the arena is made from, and refers to as its base."""

    def __init__(self, arena: Arena, at: int, dtype: np.dtype[Any], shape: Any, owner: object, writable: bool) -> None:
        self.arena = arena
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (arena.base + at, not writable), "shape": shape, "typestr": dtype.str, "descr": dtype.descr}


def leased(array: npt.NDArray[Any], arena: Arena) -> int | None:
    """The offset of a contiguous array that is in the arena, and aligned there; None for any other."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, _Bytes) or base.arena is not arena or not array.flags.c_contiguous:
        return None
    at: int = array.ctypes.data - arena.base
    return at if at % array.itemsize == 0 else None
