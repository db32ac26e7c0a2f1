"""irgl: graph algorithms on GPUs and CPUs.

    >>> import irgl
    >>> g = irgl.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> irgl.bfs(g, source=0).level
    array([0, 1, 2, 3], dtype=int32)

Graphs are made of numpy arrays, scipy.sparse matrices, files, or by rule; every program that comes with irgl is a function
of irgl.programs, and Program runs others. irgl.lang has the words for programs that are written as Python functions. The work is
done by one child process, which is started at first use. docs/python.md shows it all.
"""

from typing import TYPE_CHECKING, Any

from ._version import __version__

# What is imported when it is first used: irgl.lang and python -m irgl do without numpy.
_HOMES = {
    "Graph": "_graph", "Rows": "_graph", "Statistics": "_graph", "empty": "_graph",
    "INF": "_result", "Kernel": "_result", "Result": "_result", "RunStats": "_result", "Distances": "_result",
    "Output": "_program", "Param": "_program", "Program": "_program", "Remark": "_program", "RunOptions": "_program", "Tuning": "_program",
    "compile": "_program",
    "Progress": "_client", "stop": "_client",
    "Device": "_devices", "devices": "_devices",
    "ArgumentError": "errors", "CancelledError": "errors", "DeviceError": "errors", "Diagnostic": "errors", "Error": "errors",
    "FaultError": "errors", "GraphError": "errors", "OutOfMemoryError": "errors", "ProgramError": "errors", "ServerError": "errors",
    "WrongAnswerError": "errors",
}

if TYPE_CHECKING:
    from ._client import Progress as Progress
    from ._client import stop as stop
    from ._devices import Device as Device
    from ._devices import devices as devices
    from ._graph import Graph as Graph
    from ._graph import Rows as Rows
    from ._graph import Statistics as Statistics
    from ._graph import empty as empty
    from ._program import Output as Output
    from ._program import Param as Param
    from ._program import Program as Program
    from ._program import Remark as Remark
    from ._program import RunOptions as RunOptions
    from ._program import Tuning as Tuning
    from ._program import compile as compile
    from ._result import INF as INF
    from ._result import Distances as Distances
    from ._result import Kernel as Kernel
    from ._result import Result as Result
    from ._result import RunStats as RunStats
    from .errors import ArgumentError as ArgumentError
    from .errors import CancelledError as CancelledError
    from .errors import DeviceError as DeviceError
    from .errors import Diagnostic as Diagnostic
    from .errors import Error as Error
    from .errors import FaultError as FaultError
    from .errors import GraphError as GraphError
    from .errors import OutOfMemoryError as OutOfMemoryError
    from .errors import ProgramError as ProgramError
    from .errors import ServerError as ServerError
    from .errors import WrongAnswerError as WrongAnswerError
    from .programs import *  # noqa: F403


def __getattr__(name: str) -> Any:
    import importlib

    if name in ("errors", "lang", "programs"):
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        if name.startswith("_"):
            raise AttributeError(f"module 'irgl' has no attribute {name!r}")
        home = "programs"
    try:
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    except AttributeError:
        raise AttributeError(f"module 'irgl' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from . import programs

    return sorted([*_HOMES, *programs.__all__, "__version__", "errors", "lang", "programs"])


__all__ = ["__version__", *_HOMES]
