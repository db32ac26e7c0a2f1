"""python3 -m irgl.lang.emit program.py: writes the program as JSON to the standard output."""

import argparse
import json
import sys

from .errors import TranslationError
from .translate import translate_file


def main(argv=None):
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m irgl.lang.emit", description="Write an irgl program in Python as JSON.")
    parser.add_argument("file", help="a Python file with functions decorated by irgl")
    parser.add_argument("-o", "--output", help="write to this file and not to the standard output")
    args = parser.parse_args(argv)
    try:
        module = translate_file(args.file)
    except TranslationError as err:
        print(err, file=sys.stderr)
        return 1
    except (OSError, UnicodeDecodeError) as err:
        print(f"irgl.lang.emit: {args.file}: {err}", file=sys.stderr)
        return 1
    text = json.dumps(module, indent=2, ensure_ascii=False) + "\n"
    if args.output is None:
        sys.stdout.buffer.write(text.encode("utf-8"))
        return 0
    try:
        with open(args.output, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as err:
        print(f"irgl.lang.emit: {args.output}: {err}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
