"""NetworkX's own tests with the backend: python3 python/nxsuite.py [--all] [pytest arguments]

Without --all the test files of the functions that irgl has are run; with it the whole suite. What fails is said as pytest says it. Then
comes a table of the calls of each function that irgl has: those that it ran, refused (the reasons are listed), and that raised one
of NetworkX's errors. A refused call is done by NetworkX, so that the tests go on. It needs networkx, pytest, scipy and pandas beside
nx_irgl.
"""

import collections
import os
import sys

os.environ["NETWORKX_TEST_BACKEND"] = "irgl"
os.environ["NETWORKX_FALLBACK_TO_NX"] = "True"

# The test files of what irgl has, below networkx.algorithms.
FILES = [
    "bipartite.tests.test_basic", "centrality.tests.test_closeness_centrality", "centrality.tests.test_harmonic_centrality", "components",
    "link_analysis.tests.test_pagerank", "shortest_paths", "tests.test_cluster", "tests.test_dag", "tests.test_distance_measures",
    "tests.test_dominating", "tests.test_efficiency", "tests.test_euler", "tests.test_mis", "tests.test_voronoi", "tests.test_wiener",
    "traversal", "tree.tests.test_mst", "tree.tests.test_recognition",
]


class Count:
    """Counts calls of the backend's functions."""

    def __init__(self) -> None:
        self.ran: collections.Counter[str] = collections.Counter()
        self.raised: collections.Counter[str] = collections.Counter()
        self.refused: collections.Counter[tuple[str, str]] = collections.Counter()

    def install(self) -> None:
        """Has all calls counted from now on."""
        from nx_irgl import interface

        can_run = interface.can_run

        def counted_can_run(name, args, kwargs):
            answer = can_run(name, args, kwargs)
            if name in interface.ALGORITHMS and answer is not True:
                self.refused[name, answer] += 1
            return answer

        interface.can_run = counted_can_run
        for name in interface.ALGORITHMS:
            setattr(interface, name, self.counted(name, getattr(interface, name)))

    def counted(self, name, function):
        def call(*args, **kwargs):
            try:
                result = function(*args, **kwargs)
            except NotImplementedError as err:
                self.refused[name, str(err)] += 1
                raise
            except Exception:
                self.raised[name] += 1
                raise
            self.ran[name] += 1
            return result

        return call

    def report(self) -> None:
        names = sorted({*self.ran, *self.raised, *(name for name, _ in self.refused)})
        print(f"\n{'function':45} {'ran':>7} {'raised':>7} {'refused':>8}")
        for name in names:
            reasons = {reason: n for (of, reason), n in self.refused.items() if of == name}
            print(f"{name:45} {self.ran[name]:7} {self.raised[name]:7} {sum(reasons.values()):8}")
            for reason, n in sorted(reasons.items()):
                print(f"    {n}: {reason}")
        done, refused = self.ran.total() + self.raised.total(), self.refused.total()
        if done + refused:
            print(f"{len(names)} functions, {done + refused} calls: irgl did {done} ({100 * done / (done + refused):.1f} %), and refused {refused}")


def main() -> int:
    import pytest

    given = sys.argv[1:]
    whole = "--all" in given
    arguments = [a for a in given if a != "--all"]
    modules = ["networkx"] if whole else [f"networkx.algorithms.{name}" for name in FILES]
    count = Count()
    count.install()
    status = pytest.main(["-q", "-p", "no:cacheprovider", *arguments, "--pyargs", *modules])
    count.report()
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
