"""python -m irgl: the command irgl, which is in the package."""

import os
import subprocess
import sys

from ._binary import binary


def main() -> int:
    """Runs the command with this process's arguments, in its place where the system can do that."""
    try:
        command = [str(binary()), *sys.argv[1:]]
    except FileNotFoundError as err:
        print(f"irgl: {err}", file=sys.stderr)
        return 1
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
