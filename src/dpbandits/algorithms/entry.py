"""What the table of algorithms says about one of them, and the ranges in which constants may lie."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """Where a constant may lie: between `low` and `high`, which belong to it if `closed`; a whole number if `whole`."""

    low: float
    high: float
    closed: bool = False
    whole: bool = False

    def allows(self, value: float) -> bool:
        """Whether the value lies in the range."""
        inside = self.low <= value <= self.high if self.closed else self.low < value < self.high
        return inside and math.isfinite(value) and (not self.whole or float(value).is_integer())

    def __str__(self) -> str:
        """`> 0 and < 1`, without what is infinite."""
        equal = "=" if self.closed else ""
        sides = [f">{equal} {self.low:g}", *([f"<{equal} {self.high:g}"] if math.isfinite(self.high) else [])]
        return ("a whole number " if self.whole else "") + " and ".join(sides)


POSITIVE = Range(0.0, math.inf)
NOT_NEGATIVE = Range(0.0, math.inf, closed=True)
PROBABILITY = Range(0.0, 1.0)
SWITCH = Range(0.0, 1.0, closed=True, whole=True)


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    label : name in lists.
    short : name in legends and verdicts, where the paper is known.
    reference : paper and algorithm number.
    guarantee : what `certified` promises, with the neighbouring relation.
    parameters : constants that the configuration gives, with the range in which each must lie.
    arms : what it is told about its arms: it plays the families of `environments.table` of these kinds.
    grid : names of the grid values that it needs.
    outputs : columns of its trace, the same as the module's `OUTPUTS`.
    calibrations : the calibrations that apply; a value other than its key says with which one it coincides.
    noise_asks : arguments of the environment that its certified noise hangs on.
    """

    label: str
    short: str
    reference: str
    guarantee: str
    parameters: Mapping[str, Range]
    arms: str | tuple[str, ...]
    grid: tuple[str, ...]
    outputs: tuple[str, ...]
    calibrations: Mapping[str, str]
    noise_asks: tuple[str, ...] = ()

    def plays(self, arms: str) -> bool:
        """Whether it plays families of that kind."""
        return arms in self.arms if isinstance(self.arms, tuple) else arms == self.arms
