"""The root of a decreasing function, on one side of a point where it is positive."""

import math
from collections.abc import Callable, Sequence
from functools import cache

from scipy import optimize

BEYOND = 1.0625  # the search starts at this multiple of the distance to the root of the linear model; our choice
MOST_STEPS = 1e6  # the search ends at this multiple of |start| away from it; our choice


def falling_root(function: Callable[[float], float], starts: Sequence[float], side: float, slope: float) -> float:
    """The root of a decreasing function, on one side of a start at which it is positive; infinite if there is none.

    Searches from the start farthest to that side at which the function is positive. If it is positive at no start,
    the farthest start is returned. `slope` is the approximate slope of the decrease.
    """
    function = cache(function)
    start = max(starts, key=lambda c: (function(c) > 0.0, side * c))
    if function(start) <= 0.0:
        return start
    scale = abs(start) or 1.0
    step = max(BEYOND * function(start) / slope, 2.0**-20 * scale)
    inner, outer = start, start + side * step
    while function(outer) > 0.0:
        step *= 2.0
        if step > MOST_STEPS * scale:
            return side * math.inf
        inner, outer = outer, start + side * step
    # As an argument: SciPy leaves what it is given as the function in a reference cycle, with all samples that it uses.
    return float(optimize.brentq(_value, inner, outer, (function,), rtol=1e-9, xtol=1e-12 * scale))


def _value(at: float, function: Callable[[float], float]) -> float:
    return function(at)
