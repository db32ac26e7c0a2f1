"""The functions of the backend, and what each refuses before a graph is converted."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

Work = Literal["search", "heavy", "pair", "all"]
"""What a function takes: one look at all of the graph, several or dear ones, perhaps a look at little of it (a path between two nodes), or a search from every node."""


@dataclass(frozen=True)
class Algorithm:
    """A function of NetworkX that irgl has."""

    function: Callable[..., Any]
    signature: inspect.Signature
    work: Work
    none: tuple[str, ...]
    weight: str
    refuses: Callable[[dict[str, Any]], str]

    def refusal(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """Why these arguments are refused; "" if they are not."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as err:
            return str(err)
        bound.apply_defaults()
        given = bound.arguments
        for name in self.none:
            if given[name] is not None:
                return f"irgl has no {name}"
        if self.weight and callable(given[self.weight]):
            return "irgl takes no functions as weights"
        return self.refuses(given)


ALGORITHMS: dict[str, Algorithm] = {}


def algorithm(work: Work = "search", *, none: tuple[str, ...] = (), weight: str = "", refuses: Callable[[dict[str, Any]], str] = lambda _: "") -> Callable[[F], F]:
    """Enters a function of NetworkX, which has the same name and parameters.

    The parameters of none are refused unless they are None; weight is the parameter that names the weights; refuses
    says what else is wrong with arguments, or "".
    """

    def enter(function: F) -> F:
        name = function.__name__
        ALGORITHMS[name] = Algorithm(function, inspect.signature(function), work, none, weight, refuses)

        def checked(*args: Any, **kwargs: Any) -> Any:
            if reason := ALGORITHMS[name].refusal(args, kwargs):
                raise NotImplementedError(reason)
            return function(*args, **kwargs)

        checked.__name__, checked.__doc__, checked.__wrapped__ = name, function.__doc__, function  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return enter
