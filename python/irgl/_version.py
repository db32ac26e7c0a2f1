"""The version of the package, which its wheels have, too."""

__version__ = "0.1.0"
