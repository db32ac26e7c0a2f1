"""The error of a program that is not in the subset of Python."""


class TranslationError(Exception):
    """Says what cannot be translated, and where: str() is file:line:column: message."""

    def __init__(self, path, at, message, hint=""):
        self.path = path
        self.line = getattr(at, "lineno", 1)
        self.column = getattr(at, "col_offset", 0) + 1
        self.message = message
        self.hint = hint
        super().__init__(message)

    def __str__(self):
        text = f"{self.path}:{self.line}:{self.column}: error: {self.message}"
        if self.hint:
            text += f"\n  hint: {self.hint}"
        return text
