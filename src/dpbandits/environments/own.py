"""User-defined environments: a function that draws an instance, or a module like those of the package.

The function takes `rng` (numpy.random.Generator) and the arguments of the environment by name. It returns the mean
rewards of the arms, (arms,), each in [0, 1]; rewards are 0 or 1. A module has an entry `FAMILY` and a function `draw`,
and may have arms of any kind in `environments.base`.
"""

import inspect
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.base.entries import Range
from dpbandits.base.own_code import Fault, loaded, raised
from dpbandits.base.registry import Own
from dpbandits.environments.base import MEANS, Family

ANY = Range(-1e300, 1e300, closed=True)


class OfFunction:
    """Adapter that gives a function which draws means the interface of an environment module."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = name
        arguments = tuple(inspect.signature(function).parameters)
        if "rng" not in arguments:
            raise Fault(
                "environment", f"`{function.__name__}` does not take `rng`. Add it: draw all randomness from it."
            )
        others = tuple(each for each in arguments if each != "rng")
        self.FAMILY = Family(MEANS, others, refuses=True, ranges=dict.fromkeys(others, ANY))

    def draw(self, rng: Generator, **arguments: Any) -> tuple[np.ndarray]:
        """Means of the arms, (arms,) float64.

        Raises
        ------
        ValueError
            The function fails, or returns an invalid value.
        """
        try:
            means = np.array(self.function(rng=rng, **arguments), dtype=np.float64)
        except Exception as fault:
            raise ValueError(f"`{self.function.__name__}` failed with {raised(fault)}") from fault
        if means.ndim != 1 or len(means) < 2 or not ((means >= 0) & (means <= 1)).all():
            says = f"must be an array of at least two means from 0 to 1; `{self.function.__name__}` returned {means}"
            raise ValueError(" ".join(says.split()))
        if means.min() == means.max():
            raise ValueError("all means are equal; one arm must be better than another")
        return (means,)


def module_of(name: str, own: Own) -> "OfFunction | ModuleType":
    """Load user code as the module of an environment.

    Raises
    ------
    Fault
        It cannot be imported, or is neither a function nor a module with the entry `FAMILY` and `draw`.
    """
    found = loaded("environment", own)
    if isinstance(found, ModuleType):
        for needed in ("FAMILY", "draw"):
            if not hasattr(found, needed):
                remedy = "Add it, or name a function that draws means, as in my_arms.py:draw_means."
                raise Fault("environment", f"got {own!r}; this module has no `{needed}`. {remedy}")
        return found
    if not inspect.isfunction(found):
        raise Fault("environment", f"got {own!r}; must be a function draw(rng, ...) that returns means")
    return _of_function(name, found)


@cache
def _of_function(name: str, function: Callable[..., Any]) -> OfFunction:
    return OfFunction(name, function)
