"""Where the command is that the package drives."""

import os
import sys
from pathlib import Path


def binary() -> Path:
    """The path of the command irgl: the file that IRGL_BINARY names, or else the package's own.

    Raises FileNotFoundError where there is none, as in a checkout without a wheel.
    """
    given = os.environ.get("IRGL_BINARY")
    path = Path(given) if given else Path(__file__).parent / "bin" / ("irgl.exe" if sys.platform == "win32" else "irgl")
    if not path.is_file():
        raise FileNotFoundError(f"there is no command irgl at {path} (hint: install a wheel of irgl, or set IRGL_BINARY to the path of the command)")
    return path
