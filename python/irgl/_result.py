"""What a run leaves behind."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._client import Server
from ._graph import Rows, rows_of
from .errors import ArgumentError

INF = 2**31 - 1
"""The level of a node that cannot be reached, and the distance where distances have 32 bits."""

Distances: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]
"""Distances of 32 bits, or of 64 where paths may be longer; no path is the largest value of the type."""


@dataclass(frozen=True)
class Kernel:
    """What a run recorded of all launches of one kernel, with profile=True."""

    name: str
    launches: int
    ms: float
    items: int
    """Items popped from the worklist, pushed to it, and pushed for another attempt."""
    pushes: int
    retries: int


@dataclass(frozen=True)
class RunStats:
    """What a run took and did. Times are in milliseconds."""

    program: str
    """The program that ran, and by what it was chosen; "" where it was asked for."""
    program_from: str
    device: str
    """"cpu", "cuda", "interp" or "simt", and what it is."""
    model: str
    switches: str
    """The throughput switches of the code that ran, and where they come from."""
    switches_from: str
    iterations: int
    """Rounds of the program's loops."""
    launches: int
    """Kernel invocations."""
    restarts: int
    """How often the run began again with larger worklists."""
    prepare_ms: float
    """Making the graph fit the program, and placing it on the device; next to nothing when that was done before."""
    compile_ms: float
    """From checked text to loaded code, by the first run."""
    run_ms: float
    """The program with its initial values and worklists."""
    device_ms: float
    """The part of it in which a GPU had work, by its own clock; 0 on other devices."""
    bytes_copied: int
    """Bytes of results that were copied to the memory that is shared."""
    kernels: list[Kernel] = field(default_factory=list)
    """By decreasing time; empty unless the run was asked for a profile."""
    notes: list[str] = field(default_factory=list)
    """What a user should know about how the program ran, such as that the interpreter took the place of compiled code."""


class Result:
    """The outputs of a run: result["level"]. Arrays are in memory that is shared with the server.

    They stay valid as long as anything of the process that made them refers to them, also after the server has ended. They are that
    process's: in a forked child they change when it gives them up.
    """

    def __init__(self, s: Server, reply: dict[str, Any]) -> None:
        self._server = s
        self._lease = s.lease(reply["as"])
        self._outputs = {o["name"]: o for o in reply["outputs"] or []}
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        self.printed: str = reply["printed"].decode(errors="replace") if reply["printed"] else ""
        """What the program printed, up to 256 KiB."""
        self.verified: bool | None = reply["verified"]
        """True if the result was compared with an independent answer; None if not."""
        t = reply["stats"]
        self.stats = RunStats(
            program=t["program"], program_from=t["programfrom"], device=t["device"], model=t["model"], switches=t["switches"],
            switches_from=t["switchesfrom"], iterations=t["iterations"], launches=t["launches"], restarts=t["restarts"],
            prepare_ms=t["prepare"], compile_ms=t["compile"], run_ms=t["run"], device_ms=t["ondevice"], bytes_copied=reply["copied"],
            kernels=[Kernel(**k) for k in t["kernels"] or []], notes=t["notes"] or [],
        )

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return list(self._outputs)

    def __getitem__(self, name: str) -> Any:
        """An output: an array with a value for each node or edge of the graph, or the value of a variable."""
        o = self._outputs.get(name)
        if o is None:
            raise ArgumentError(f"{self.stats.program} has no output {name!r}: it has {', '.join(self._outputs)}")
        if o["value"] is not None:
            return bool(o["value"]) if o["declared"] == "bool" else o["value"]
        if name not in self._arrays:
            dtype = "bool" if o["declared"].startswith("bool") else o["type"]
            self._arrays[name] = self._server.arena.array(o["at"], dtype, (o["length"],), self._lease, writable=True)
        return self._arrays[name]

    def rows(self) -> Rows:
        """The rows of the graph that the program ran on, in new arrays: values of edges are in their order.

        It is the graph that was given, or what was made of it to fit the program, such as a symmetric one. Only results with values
        of edges have it.
        """
        return rows_of(self._server, self._server.request("arrays", making=True, result=self._lease.handle))

    def __repr__(self) -> str:
        values = [f"{n}={o['value']}" if o["value"] is not None else f"{n}: {o['length']} x {o['type']}" for n, o in self._outputs.items()]
        return f"<{type(self).__name__} of {self.stats.program} on {self.stats.device}: {', '.join(values)}>"
