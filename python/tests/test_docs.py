"""The sessions of docs/python.md give what they show."""

import doctest
import os
import unittest

import irgl  # noqa: F401

try:
    import scipy.sparse  # noqa: F401
except ImportError:
    scipy = None

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "python.md")


@unittest.skipIf(scipy is None, "there is no scipy here")
class Documents(unittest.TestCase):
    def test_page(self):
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF
        with open(PAGE, encoding="utf-8") as f:
            text = f.read()
        # Fences are no output.
        text = "\n".join("" if line.startswith("```") else line for line in text.splitlines()) + "\n"
        test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", PAGE, 0)
        self.assertGreater(len(test.examples), 35)
        out: list[str] = []
        results = doctest.DocTestRunner(optionflags=flags).run(test, out=out.append)
        self.assertEqual(results.failed, 0, "".join(out))


if __name__ == "__main__":
    unittest.main()
