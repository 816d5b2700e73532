"""Where a falling function has its zero, to one side of where it is positive."""

import math
from collections.abc import Callable, Sequence
from functools import cache

from scipy import optimize

BEYOND = 1.0625  # times as far as a line has its zero: as far the search begins; our choice
MOST_STEPS = 1e6  # the search ends this many times the start away from it; our choice


def falling_root(function: Callable[[float], float], starts: Sequence[float], side: float, slope: float) -> float:
    """Where a function falls to zero, towards one side of a start at which it is positive; infinite where it does not.

    The start farthest to that side counts; where the function is positive at none, it is the limit itself. It falls
    with about this slope.
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
    return float(optimize.brentq(function, inner, outer, rtol=1e-9, xtol=1e-12 * scale))
