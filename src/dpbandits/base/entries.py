"""Building blocks for the entries of algorithms and bounds: domains of constants and the look of curves."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

CALIBRATIONS = ("printed", "released", "tuned", "certified")
"""Sources of an algorithm's constants, in the order in which the report shows them."""


@dataclass(frozen=True)
class Range:
    """The range of a number.

    Attributes
    ----------
    low, high : the ends, included if `closed`.
    whole : whether the number must be an integer.
    null : the number that `null` stands for, if the configuration may give `null`.
    """

    low: float
    high: float
    closed: bool = False
    whole: bool = False
    null: float | None = None

    def allows(self, number: float) -> bool:
        """Whether the number lies in the range, or stands for null."""
        if self.null is not None and number == self.null:
            return True
        inside = self.low <= number <= self.high if self.closed else self.low < number < self.high
        return inside and math.isfinite(number) and (not self.whole or float(number).is_integer())

    def number(self, value: object) -> float:
        """The number that a value of the configuration stands for; ValueError if it is not allowed."""
        if value is None and self.null is not None:
            return self.null
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValueError(f"must be {self}")
        if not self.allows(value) or value == self.null:
            raise ValueError(f"must be {self}")
        return float(value)

    def __str__(self) -> str:
        """Text such as `> 0 and < 1`; an infinite upper end is left out."""
        equal = "=" if self.closed else ""
        sides = [f">{equal} {self.low:g}", *([f"<{equal} {self.high:g}"] if math.isfinite(self.high) else [])]
        return ("a whole number " if self.whole else "") + " and ".join(sides) + ", or null" * (self.null is not None)


@dataclass(frozen=True)
class Switch:
    """A constant that is true or false. The kernel gets 1 or 0."""

    whole = True

    def allows(self, number: float) -> bool:
        """Whether the number stands for true or false."""
        return number in (0.0, 1.0)

    def number(self, value: object) -> float:
        """1 for true, 0 for false; ValueError for anything else."""
        if not isinstance(value, bool):
            raise ValueError(f"must be {self}")
        return float(value)

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Choice:
    """A constant that is one of several words. The kernel gets the index of the word."""

    words: Mapping[str, float]
    whole = True

    def allows(self, number: float) -> bool:
        """Whether the number stands for one of the words."""
        return number in self.words.values()

    def number(self, value: object) -> float:
        """The index of a word; ValueError for anything else."""
        if not isinstance(value, str) or value not in self.words:
            raise ValueError(f"must be {self}")
        return self.words[value]

    def __str__(self) -> str:
        return "one of: " + ", ".join(self.words)


Domain = Range | Switch | Choice
"""The allowed values of a constant and their conversion to the number that the kernel gets."""
POSITIVE = Range(0.0, math.inf)
NOT_NEGATIVE = Range(0.0, math.inf, closed=True)
PROBABILITY = Range(0.0, 1.0)
SWITCH = Switch()


Shade = Literal["plain", "dark", "light"]


@dataclass(frozen=True)
class Look:
    """Marker, dash and shade that set a curve apart from others of its trust model, which gives the color.

    Attributes
    ----------
    marker, dash : in matplotlib's notation; no two curves of a figure share both.
    shade : which shade of the trust model's color to use (`figures/style.py`).
    """

    marker: str
    dash: str
    shade: Shade = "plain"
