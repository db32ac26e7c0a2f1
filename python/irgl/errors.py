"""The errors of irgl: each says what is wrong, where, and how to put it right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """One message about a program's text, or about a statement that failed in a run."""

    severity: str
    """"error", "warning" or "note"."""
    code: str
    """The stable name of the kind of message, such as C0015; docs/diagnostics.md lists them."""
    file: str
    line: int
    """Line and column count from 1, columns in bytes; both are 0 where the message has no place."""
    column: int
    end_line: int
    end_column: int
    message: str
    hint: str
    """How to put it right; may be empty."""
    source: str
    """The text of the line."""
    origin: str
    """The file and line that a front end has generated the text from; "" for none."""

    def __str__(self) -> str:
        """The message as the command prints it, with its line and a caret."""
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        lines = [f"{place}{self.severity}: {self.message}" + (f" [{self.code}]" if self.code else "")]
        if self.origin:
            lines.append(f"  from {self.origin}")
        if self.line and self.source:
            line = self.source.expandtabs(1)
            width = self.end_column - self.column if self.end_line == self.line else 1
            lines.append(f"{self.line:5} | {line}")
            if self.column <= len(line.encode(errors="replace")) + 1:  # a long line is cut
                lines.append("      | " + " " * (self.column - 1) + "^" + "~" * (max(1, width) - 1))
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def diagnostics(items: Any) -> list[Diagnostic]:
    """The diagnostics of a reply."""
    names = {"end_line": "endline", "end_column": "endcolumn"}
    return [Diagnostic(**{f: d[names.get(f, f)] for f in Diagnostic.__dataclass_fields__}) for d in items or []]


class Error(Exception):
    """What went wrong. str() has the place, the message and the hint."""

    def __init__(self, message: str, *, position: str = "", hint: str = "", code: str = "", diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        """FILE:LINE:COLUMN, or as much of it as is known."""
        self.hint = hint
        """How to put it right; may be empty."""
        self.code = code
        """The stable name of the kind of error, where it has one."""
        self.diagnostics = diagnostics or []
        """All that is to be said about a program's text."""

    def __str__(self) -> str:
        if self.diagnostics:
            return "\n".join(str(d) for d in self.diagnostics)
        text = self.message
        if self.position and self.position not in text:
            text = f"{self.position}: {text}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class ProgramError(Error):
    """A program that breaks a rule, or a statement that failed in a run."""


class GraphError(Error, ValueError):
    """A graph that cannot be read, is inconsistent, or does not fit the program."""


class ArgumentError(Error, ValueError):
    """An argument that there is not, or that is out of its range."""


class DeviceError(Error):
    """There is no such device, or no driver for it."""


class OutOfMemoryError(Error, MemoryError):
    """Data that do not fit in the memory of the device, or of the server."""


class FaultError(Error):
    """A fault in a kernel. After one on a GPU the device is opened again by the next run."""


class WrongAnswerError(Error):
    """A result that differs from an answer computed independently of the compiler."""


class CancelledError(Error):
    """A run that was stopped."""


class ServerError(Error):
    """The server ended, or an object is of one that has ended. The next call starts another one."""


_KINDS: Mapping[str, type[Error]] = {
    "argument": ArgumentError, "syntax": ProgramError, "refused": ProgramError, "input": GraphError, "memory": OutOfMemoryError,
    "device": DeviceError, "fault": FaultError, "cancelled": CancelledError,
}


def of_reply(error: Mapping[str, Any]) -> Error:
    """The exception for the error of a reply."""
    kind = _KINDS.get(error["kind"], ServerError)
    return kind(
        error["message"], position=error.get("position", ""), hint=error.get("hint", ""), code=error.get("code", ""),
        diagnostics=diagnostics(error.get("diagnostics")),
    )
