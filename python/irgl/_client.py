"""The server behind the package: one child process irgl serve, started at first use, which ends with this one.

Requests of several threads go over its pipes (docs/serve.md): each thread has a queue of its own, one thread reads
the replies and hands them out by their numbers. A thread that is interrupted cancels what it waits for.
"""

import atexit
import collections
import itertools
import os
import select
import struct
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _cbor
from ._arena import Arena, Lease, nameless
from ._binary import binary
from ._version import __version__
from .errors import ArgumentError, ServerError, of_reply

_PROTOCOL = (1, 3)
_LENGTH = struct.Struct("<I")
# The most bytes of a message.
_LONGEST = 1 << 20
# Messages up to this are written at once or not at all, so that an exception leaves none in part (POSIX, PIPE_BUF).
_ATOMIC = 4096
# Handles that are closed at once: requests for it take less than _ATOMIC bytes.
_BATCH = 64
# Milliseconds after which the reader looks for what is to be closed.
_IDLE = 500
# Bytes of the server's log that an error shows, of its beginning and of its end.
_SAID = 4096
# How long a call waits before it first asks how far the work is, and between that and the next time.
_PATIENCE = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a long call is."""

    phase: str
    """What is being done: "reading", "generating", "building", "symmetrizing", "compiling", "preparing", "running", "verifying", "copying", "tuning"."""
    done: int
    total: int
    """Bytes of a file, or candidates of a search; 0 where it is not known."""


_LOOK = 0.2  # seconds between looks at signals


class _Slot:
    """A request without a reply."""

    __slots__ = ("_arrived", "as_", "number", "reply")

    def __init__(self, as_: int | None) -> None:
        self._arrived = threading.Lock()
        self._arrived.acquire()
        self.as_ = as_  # the handle of what is made
        self.number = 0  # of the request, once it may have been sent
        self.reply: dict[str, Any] | None = None

    def put(self, reply: dict[str, Any]) -> None:
        self.reply = reply
        self._arrived.release()

    def wait(self, timeout: float = -1) -> bool:
        """Whether the reply is there. An interrupt ends the wait.

        A wait without an end is one of many short ones: packages such as polars have the system restart a wait behind a signal, and
        Python looks at signals between instructions.
        """
        if timeout >= 0:
            return self._arrived.acquire(timeout=timeout)
        while not self._arrived.acquire(timeout=_LOOK):
            pass
        return True


# Descriptors of pipes to servers, and of their logs. A forked child closes them: else a server would live as long as both.
_owned: set[int] = set()


def _pipe() -> tuple[int, int]:
    ends = os.pipe()
    _owned.update(ends)
    return ends


def _own(descriptor: int) -> int:
    _owned.add(descriptor)
    return descriptor


def _close(*descriptors: int) -> None:
    for d in descriptors:
        if d in _owned:
            _owned.discard(d)
            os.close(d)


class _Lent(weakref.ref[Lease]):
    """A reference to a lease that knows its handle when it is gone."""

    __slots__ = ("handle",)

    def __init__(self, lease: Lease, callback: Callable[["_Lent"], object] | None = None) -> None:
        super().__init__(lease, callback)  # type: ignore[call-arg]
        self.handle = lease.handle

    def __new__(cls, lease: Lease, callback: Callable[["_Lent"], object] | None = None) -> "_Lent":
        return super().__new__(cls, lease, callback)

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Server:
    """A child process and what is shared with it."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.arena = Arena()
        self._log = _own(nameless())  # the child's standard error
        requests, self._in = _pipe()
        self._out, replies = _pipe()
        try:
            self._child = subprocess.Popen(
                [str(binary()), "serve", "--protocol=1", f"--arena={self.arena.file}"], stdin=requests, stdout=replies, stderr=self._log,
                pass_fds=[self.arena.file], process_group=0,  # a group of its own: interrupts of the terminal are this process's
            )
        except BaseException:
            _close(self._in, self._out, self._log)
            raise
        finally:
            _close(requests, replies)
        self._write = threading.Lock()
        self._ids = itertools.count(1)
        self._handles = itertools.count(1)
        self._slots: dict[int, _Slot] = {}
        self._leases: set[_Lent] = set()
        self._closed: collections.deque[_Lent] = collections.deque()  # what is to be closed
        self._writable = select.poll()
        self._writable.register(self._in, select.POLLOUT)
        self._ended = ""  # how the server has ended
        self._over = threading.Event()
        threading.Thread(target=self._read, name="irgl", daemon=True).start()
        try:
            self.about = self.request("hello", protocol=_PROTOCOL, client=f"irgl-python {__version__}", arena=self.arena.size)
        except BaseException:
            self._child.kill()
            raise
        if tuple(self.about["protocol"]) < _PROTOCOL:
            self.end()
            raise ServerError(f"{binary()} is irgl {self.about['irgl']}, which is older than this package (hint: unset IRGL_BINARY, or build the command again)")

    @property
    def alive(self) -> bool:
        """Whether the server takes requests."""
        return not self._ended and self.pid == os.getpid()

    @property
    def child(self) -> int:
        """The number of the child process."""
        return self._child.pid

    def request(
        self, do: str, given: Mapping[str, Any] | None = None, /, *, making: bool = False, progress: Callable[[Progress], object] | None = None,
        **args: Any,
    ) -> dict[str, Any]:
        """Makes a request and returns its results, with its handle as "as" if it makes one.

        An exception in the meantime, such as KeyboardInterrupt, cancels the request, and is raised when that has ended;
        a second one is raised at once.
        """
        if self.pid != os.getpid():  # its pipes are closed here, and its lock may be held for ever
            raise ServerError("this belongs to the process that this one was forked from (hint: make it again here)")
        args = {name: _plain(name, value) for name, value in {**args, **(given or {})}.items()}
        if making:
            args["as"] = next(self._handles)
        slot = _Slot(args.get("as"))
        try:
            with self._write:
                self._flush()
                self._put(do, args, slot)
            if progress is None:
                slot.wait()
            else:
                self._watch(slot, progress)
        except BrokenPipeError:
            self._slots.pop(slot.number, None)
            self._over.wait(10)  # the reader says how
            raise ServerError(self._ended or "the server of irgl does not answer") from None
        except BaseException:
            self._cancel(slot)
            raise
        reply = slot.reply
        assert reply is not None
        if reply.get("error") is not None:
            raise of_reply(reply["error"])
        if making:
            reply["as"] = args["as"]
        return reply

    def lease(self, handle: int) -> Lease:
        """What has a handle closed when it is not referred to any more."""
        lease = Lease(handle)
        # The callback is no code of Python: an interrupt in it would be lost. The reader thread closes what it finds.
        self._leases.add(_Lent(lease, self._closed.append))
        return lease

    def release(self, handle: int) -> None:
        """Has a handle closed soon."""
        self._closed.append(_Lent(Lease(handle)))

    def end(self) -> None:
        """Ends the server and waits for it. What it has is lost, but for arrays."""
        if self.pid != os.getpid():
            return
        with self._write:
            self._ended = self._ended or "the server of irgl was stopped (hint: make graphs again)"
            _close(self._in)
        try:
            self._child.wait(timeout=8)  # the server waits 5 seconds for what runs
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def forked(self) -> None:
        """Has a forked child know that the server is its parent's."""
        self._child.returncode = 0  # nothing waits for it here

    def _put(self, do: str, args: dict[str, Any], slot: _Slot) -> None:
        """Writes a request. The caller holds the lock."""
        if self._ended:
            raise ServerError(self._ended)
        number = next(self._ids)
        try:
            message = self._message(number, do, args)
        except (TypeError, ValueError, OverflowError) as err:
            raise ArgumentError(f"{do}: {err}") from None
        if len(message) - _LENGTH.size > _LONGEST:
            raise ArgumentError(f"{do}: the arguments take {len(message)} bytes, and a request has at most {_LONGEST}")
        slot.number = number
        self._slots[number] = slot
        try:
            sent = os.write(self._in, message)
            while sent < len(message):
                sent += os.write(self._in, message[sent:])
        except BrokenPipeError:
            raise
        except BaseException:
            if len(message) > _ATOMIC:  # a part may have been written
                self._child.kill()
            raise

    def _message(self, number: int, do: str, args: Mapping[str, Any]) -> bytes:
        body = _cbor.dumps({"id": number, "do": do, "queue": threading.get_ident(), **args})
        return _LENGTH.pack(len(body)) + body

    def _flush(self) -> None:
        """Closes some of what waits for it, unless that would block. The caller holds the lock."""
        if not self._closed or self._ended or not self._writable.poll(0):
            return
        batch, messages = [self._closed[i] for i in range(min(_BATCH, len(self._closed)))], b""
        for lent in batch:
            messages += self._message(next(self._ids), "close", {"handle": lent.handle})
        os.write(self._in, messages)  # all, since there is room for _ATOMIC bytes
        # After an interrupt before this, handles are closed twice: the second time is an error that nobody hears.
        for lent in batch:
            self._closed.popleft()
            self._leases.discard(lent)

    def _watch(self, slot: _Slot, progress: Callable[[Progress], object]) -> None:
        """Waits, and says how far the request is."""
        while not slot.wait(_PATIENCE):
            r = self.request("progress", request=slot.number)
            if r["found"] and r["phase"]:
                progress(Progress(r["phase"], r["done"], max(0, r["total"])))

    def _cancel(self, slot: _Slot) -> None:
        """Ends a request that may be under way, and closes what it makes."""
        try:
            # The reply to a request that is not found came before this one's, if it was ever sent.
            if slot.number and slot.reply is None and self.request("cancel", request=slot.number)["found"]:
                slot.wait()
        except ServerError:
            return
        finally:
            self._slots.pop(slot.number, None)
            if slot.as_ is not None:
                self.release(slot.as_)

    def _read(self) -> None:
        """Hands replies out, and closes what is not referred to any more, until the server ends."""
        wrong = ""
        try:
            buffer = bytearray()
            ready = select.poll()
            ready.register(self._out, select.POLLIN)
            while True:
                if ready.poll(_IDLE):
                    part = os.read(self._out, 1 << 16)
                    if not part:
                        break
                    buffer += part
                    self._hand_out(buffer)
                if self._closed and self._write.acquire(blocking=False):
                    try:
                        self._flush()
                    finally:
                        self._write.release()
        except Exception as err:
            wrong = f"what the server of irgl sent cannot be read ({type(err).__name__}: {err})"
            self._child.kill()
        finally:
            self._finish(wrong)

    def _hand_out(self, buffer: bytearray) -> None:
        """Hands out the replies in a buffer, and takes them out of it."""
        at = 0
        while len(buffer) - at >= _LENGTH.size:
            start = at + _LENGTH.size
            length = _LENGTH.unpack_from(buffer, at)[0]
            if length > _LONGEST:
                raise ValueError(f"a message of {length} bytes")
            end = start + length
            if len(buffer) < end:
                break
            reply = _cbor.loads(bytes(buffer[start:end]))
            slot = self._slots.pop(reply["id"], None)
            if slot is not None:
                slot.put(reply)
            at = end
        del buffer[:at]

    def _finish(self, wrong: str) -> None:
        """Fails what waits, since the server has ended, or what it sent was wrong."""
        how = wrong or "the server of irgl ended unexpectedly"
        try:
            how = self._how(wrong)
        finally:
            with self._write:
                self._ended = self._ended or how
                _close(self._in, self._out, self._log)
            self._over.set()
            while self._slots:
                _, slot = self._slots.popitem()
                slot.put({"error": {"kind": "internal", "message": self._ended}})

    def _how(self, wrong: str) -> str:
        """Waits for the end of the server, and says how it came."""
        try:
            code = self._child.wait(timeout=8)
        except subprocess.TimeoutExpired:
            self._child.kill()
            code = self._child.wait()
        if code == 0 and not wrong:
            return "the server of irgl has ended"
        how = f"signal {-code}" if code < 0 else f"status {code}"
        text = wrong or f"the server of irgl ended unexpectedly ({how})"
        text += "; the next call starts another one, and graphs must be made again"
        size = os.fstat(self._log).st_size
        log = os.pread(self._log, 2 * _SAID, 0)
        if size > len(log):  # the reason comes first, and stacks behind it
            log = log[:_SAID] + b"\n...\n" + os.pread(self._log, _SAID, size - _SAID)
        said = log.decode(errors="replace").strip()
        return f"{text}; it said:\n{said}" if said else text


def _plain(name: str, value: Any) -> Any:
    """An argument with numbers of Python's for numpy's, and with texts for paths."""
    if isinstance(value, dict):
        return {k: _plain(k, v) for k, v in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "dtype"):
        if value.ndim > 0:
            raise ArgumentError(f"{name} is an array, and should be one value")
        return value.item()
    return value


_server: Server | None = None
_starting = threading.Lock()


def server() -> Server:
    """The server of this process, which is started if there is none."""
    global _server
    s = _server
    if s is not None and s.alive:
        return s
    with _starting:
        if _server is None or not _server.alive:
            _server = Server()
        return _server


def stop() -> None:
    """Ends the server, if there is one. Graphs and programs in it are lost; the next call starts another one."""
    global _server
    with _starting:
        s, _server = _server, None
        if s is not None:
            s.end()


def _after_fork() -> None:
    global _server, _starting
    _starting = threading.Lock()
    s, _server = _server, None
    if s is not None:
        s.forked()
    _close(*_owned.copy())


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
