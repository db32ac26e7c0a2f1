"""Programs, and runs of them."""

import os
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from ._arena import Lease
from ._client import Progress, Server, server
from ._graph import Graph
from ._result import Result
from .errors import ArgumentError, Diagnostic, ProgramError, WrongAnswerError, diagnostics


class RunOptions(TypedDict, total=False):
    """The options of a run, which all programs have. docs/python.md says what each does."""

    device: str
    """"auto" (the default: a GPU where there is one, or else the CPU), "cuda", "cuda:1", "cpu", "interp", "simt"."""
    verify: bool
    """Compare the result with an answer computed independently of the compiler; WrongAnswerError if they differ."""
    workers: int
    """The threads of the device cpu; 0 for one on each processor."""
    seed: int
    """Permutes the order of what has none, on simt and interp."""
    switches: str
    """Throughput switches, as irgl tune prints them, or "none"; "" leaves them to irgl."""
    tuning: str | None
    """The file of irgl tune from which switches and programs are chosen; None for the user's own, "" for none."""
    profile: bool
    """Record what each kernel took, in stats.kernels."""
    unchecked: bool
    """Have simt look for no faults, and be several times as fast."""
    capacity: int
    """The initial size of worklists in items; 0 for the program's own. Lists grow."""
    progress: Callable[[Progress], object] | None
    """Called now and then during a long run, in the thread that waits for it. An exception that it raises ends the run."""


@dataclass(frozen=True)
class Param:
    """A parameter of a program."""

    name: str
    type: str
    """As C writes it; "node" for a node."""
    default: str
    """"" when an argument must be given."""


@dataclass(frozen=True)
class Output:
    """A result of a program."""

    name: str
    type: str
    """As C writes it; "node" for a node, "dist_t" for a distance, whose width depends on the graph."""
    of: str
    """What it has one value each of: "node", "edge", "point", "element"; "" for an output variable."""


@dataclass(frozen=True)
class Remark:
    """What the optimiser says about one place of a program: what it did there, or what it left, and why."""

    file: str
    line: int
    column: int
    pass_: str
    function: str
    missed: bool
    """It was left."""
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: remark: {self.text} [{self.pass_}{', missed' if self.missed else ''}]"


@dataclass(frozen=True)
class Tuning:
    """What a search for the fastest switches found."""

    program: str
    device: str
    metric: str
    """"ms", or on simt "cost": a weighted sum of what the emulator counts."""
    best: float
    switches: str
    """Those of the best."""
    default: float
    """With the switches that irgl chooses without a search."""
    plain: float
    """Without any."""
    measured: int
    stopped: str
    """Why the search ended early; "" if it is complete."""
    table: str
    """All that was found, for people, as Markdown."""


R = TypeVar("R", bound=Result)


class Program:
    """An IrGL program: Program("mine.irgl").run(g, source=0).

    A path that ends in .py is that of a program written as Python functions, with irgl.lang. The text is read and checked here;
    ProgramError says what is wrong with it, and where, and OSError that the file cannot be read. A program may be used by several threads at
    once, and outlives the server.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fsdecode(path)
        try:
            if name.endswith(".py"):
                text = _translated(name)
            else:
                with open(path, encoding="utf-8") as f:
                    text = f.read()
        except UnicodeDecodeError as err:
            raise _not_utf8(name, bytes(err.object[: err.start])) from None
        self._init({"name": name + ".json" if name.endswith(".py") else name, "text": text})

    @classmethod
    def bundled(cls, name: str) -> "Program":
        """A program that comes with irgl, such as "bfs_do"."""
        p = cls.__new__(cls)
        p._init({"name": name})
        return p

    @classmethod
    def problem(cls, name: str) -> "Program":
        """The bundled programs that solve a problem, such as "bfs": the one runs that suits the graph and the device."""
        p = cls.__new__(cls)
        p._init({"problem": name})
        return p

    def _init(self, origin: dict[str, str]) -> None:
        self._origin = origin
        self._making = threading.Lock()
        self._made: tuple[weakref.ref[Server], Lease] | None = None  # weak: the memory of a server that was stopped goes
        self._handle(server())

    def _handle(self, s: Server) -> int:
        """The program in a server, where it is compiled if it is not yet."""
        with self._making:
            if self._made is None or self._made[0]() is not s:
                r = self._compile(s)
                self._made = weakref.ref(s), s.lease(r["as"])
                self._about = r
                self.name: str = r["name"]
                self.doc: str = r["doc"]
                """The first paragraph of the comment that begins the text."""
                self.params = [Param(**p) for p in r["params"] or []]
                self.outputs = [Output(**o) for o in r["outputs"] or []]
                self.warnings: list[Diagnostic] = diagnostics(r["warnings"])
                """What is allowed in the text and probably wrong."""
            return self._made[1].handle

    def _compile(self, s: Server) -> dict[str, Any]:
        try:
            text = self._origin.get("text", "").encode()
        except UnicodeEncodeError as err:
            raise _not_utf8(self._origin["name"], self._origin["text"][: err.start].encode()) from None
        if len(text) < 3000:
            return s.request("compile", self._origin, making=True)
        # A long text goes by the memory, not by the pipe: see Server.
        room = s.request("room", making=True, size=len(text))
        lease = s.lease(room["as"])
        s.arena.array(room["at"], "uint8", (len(text),), lease, writable=True)[:] = memoryview(text)
        return s.request("compile", making=True, name=self._origin["name"], at=room["at"], size=len(text))

    def run(self, graph: Graph | None = None, /, *, options: RunOptions | None = None, **args: Any) -> Result:
        """Runs the program on a graph, which is None for a program that has none.

        The keyword arguments are the program's: nodes as the graph numbers them, numbers, booleans. source stands for the first parameter
        that is a node, whatever it is called. The options of the run are given as a dictionary, or also as keyword arguments where
        the program has no parameter of that name. ArgumentError, GraphError, FaultError, CancelledError say what is wrong.
        """
        own = {p.name for p in self.params}
        chosen: dict[str, Any] = dict(options or {})
        for name in RunOptions.__annotations__:
            if name in args and name not in own:
                chosen[name] = args.pop(name)
        if "source" in args and "source" not in own:
            nodes = [p.name for p in self.params if p.type == "node"]
            if nodes:
                args[nodes[0]] = args.pop("source")
        return self._run(Result, graph, args, chosen)

    def _run(self, kind: type[R], graph: Graph | None, args: Mapping[str, Any], options: Mapping[str, Any]) -> R:
        s = graph._server if graph is not None and graph._handle else server()
        o = dict(options)
        progress = o.pop("progress", None)
        unknown = o.keys() - RunOptions.__annotations__.keys()
        if unknown:
            raise ArgumentError(f"{self.name} has neither a parameter nor an option {sorted(unknown)[0]!r}")
        r = s.request(
            "run", o, making=True, progress=progress, program=self._handle(s), graph=graph._handle if graph is not None else 0,
            args=dict(args),
        )
        if r["wrong"]:
            s.release(r["as"])
            raise WrongAnswerError(r["wrong"])
        return kind(s, r)

    def explain(self, *, switches: str = "", missed: bool = False) -> list[Remark]:
        """What the optimiser does with the program, or with missed only what it leaves, and why, in the order of the text."""
        s = server()
        remarks: list[Remark] = []
        while True:
            r = s.request("explain", {"from": len(remarks)}, program=self._handle(s), switches=switches, missed=missed)
            remarks += [Remark(**{("pass_" if k == "pass" else k): v for k, v in m.items()}) for m in r["remarks"] or []]
            if len(remarks) >= r["total"]:
                return remarks

    def tune(
        self, graph: Graph | None = None, /, *, device: str = "auto", seconds: float = 120, candidates: int = 0, tuning: str | None = None, save: bool = True,
        progress: Callable[[Progress], object] | None = None, **args: Any,
    ) -> Tuning:
        """Looks for the throughput switches with which the program is fastest on a graph, on a GPU or, by what it counts, on simt.

        No candidate is measured after the seconds, nor more than that many candidates (0: no limit). With save, what was found goes to the file
        tuning (None: the user's own), from which later runs take it.
        """
        s = graph._server if graph is not None and graph._handle else server()
        r = s.request(
            "tune", progress=progress, program=self._handle(s), graph=graph._handle if graph is not None else 0, device=device,
            seconds=float(seconds), candidates=candidates, tuning=tuning, save=save, args=dict(args),
        )
        return Tuning(**{f: r[f] for f in Tuning.__dataclass_fields__})

    def __repr__(self) -> str:
        return f"<irgl.Program {self.name}({', '.join(p.name for p in self.params)})>"


def _not_utf8(name: str, before: bytes) -> ProgramError:
    """The error of a text that is no UTF-8 after some bytes."""
    line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
    return ProgramError("the text of a program is UTF-8, and this is not", position=f"{name}:{line}:{column}")


def _translated(path: str) -> str:
    """The text of a program in Python, as JSON."""
    import json

    from .lang import TranslationError, translate_file

    try:
        return json.dumps(translate_file(path))
    except TranslationError as err:
        raise ProgramError(err.message, position=f"{err.path}:{err.line}:{err.column}", hint=err.hint) from None


def compile(text: str, *, name: str = "program.irgl") -> Program:
    """The program of a text; name is the file's in messages. ProgramError says what is wrong with it, and where."""
    p = Program.__new__(Program)
    p._init({"name": name, "text": text})
    return p


_problems: dict[tuple[str, str], Program] = {}
_solving = threading.Lock()


def solve(kind: type[R], origin: str, name: str, graph: Graph, args: Mapping[str, Any], options: Mapping[str, Any]) -> R:
    """Runs a bundled program, or one for a problem, as origin says; arguments that are None are left to it."""
    with _solving:
        p = _problems.get((origin, name))
        if p is None:
            p = _problems[origin, name] = Program.problem(name) if origin == "problem" else Program.bundled(name)
    return p._run(kind, graph, {k: v for k, v in args.items() if v is not None}, options)


def _after_fork() -> None:
    """Renews locks that another thread may have held."""
    global _solving
    _solving = threading.Lock()
    for p in _problems.values():
        p._making = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
