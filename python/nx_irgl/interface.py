"""What NetworkX asks of a backend: the functions by their names, conversions, and which calls it takes."""

import itertools
from typing import Any

import networkx as nx

from . import bipartite, components, measures, paths, sets, traversal, trees
from .graph import Graph, convert_from_nx, convert_to_nx
from .registry import ALGORITHMS, Work

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "should_run", *ALGORITHMS]

for _module in (bipartite, components, measures, paths, sets, traversal, trees):
    for _name in vars(_module).keys() & ALGORITHMS.keys():
        globals()[_name] = getattr(_module, _name)

# The fewest arcs with which irgl is not slower, conversion and results included, and with which it is not where the graph is
# converted already (python/tests/nx_overhead.py).
_LEAST: dict[Work, tuple[int, int]] = {"search": (200_000, 40_000), "heavy": (100_000, 15_000), "all": (20_000, 20_000)}


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether irgl does a call, or why not. Weights are looked at when the graph is converted."""
    a = ALGORITHMS.get(name)
    return (a.refusal(args, kwargs) or True) if a else f"irgl has no {name}"


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether irgl is likely to be faster, or why not."""
    g = args[0] if args else next(iter(kwargs.values()))
    if isinstance(g, Graph):
        return True
    converted = bool(((getattr(g, "__networkx_cache__", None) or {}).get("backends") or {}).get("irgl"))
    work = ALGORITHMS[name].work
    if work == "pair" or kwargs.get("usebounds"):
        return "NetworkX may look at little of the graph"
    least = _LEAST[work][converted]
    return _has_arcs(g, least) or f"the graph has less than {least} arcs"


def _has_arcs(g: nx.Graph, least: int) -> bool:
    return any(total >= least for total in itertools.accumulate(map(len, g._adj.values())))
