"""The sessions of docs/python.md and docs/networkx.md give what they show."""

import doctest
import os
import unittest

import irgl  # noqa: F401

try:
    import scipy.sparse  # noqa: F401
except ImportError:
    scipy = None

try:
    import networkx as nx
except ImportError:
    nx = None

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")


class Documents(unittest.TestCase):
    def check(self, name, least):
        """A page has at least that many examples, and they give what they show."""
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF
        path = os.path.join(DOCS, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        # Fences are no output.
        text = "\n".join("" if line.startswith("```") else line for line in text.splitlines()) + "\n"
        test = doctest.DocTestParser().get_doctest(text, {}, f"docs/{name}", path, 0)
        self.assertGreaterEqual(len(test.examples), least)
        out: list[str] = []
        results = doctest.DocTestRunner(optionflags=flags).run(test, out=out.append)
        self.assertEqual(results.failed, 0, "".join(out))

    @unittest.skipIf(scipy is None, "there is no scipy here")
    def test_python(self):
        self.check("python.md", 39)

    @unittest.skipIf(nx is None, "there is no NetworkX here")
    def test_networkx(self):
        nx.config.warnings_to_ignore.add("cache")
        self.check("networkx.md", 7)

    @unittest.skipIf(nx is None, "there is no NetworkX here")
    def test_functions(self):
        """The page lists what the backend has."""
        import _nx_irgl

        with open(os.path.join(DOCS, "networkx.md"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        listed = {line.split("|")[1].strip(" `"): line.split("|")[2].strip() for line in lines if line.startswith("| `")}
        weights = _nx_irgl.WEIGHTS
        self.assertEqual(listed, {name: text.replace(weights, "weights as above") for name, text in _nx_irgl.FUNCTIONS.items()})


if __name__ == "__main__":
    unittest.main()
