"""Axes of small figures: equal numbers look equal, and values beyond a bound visibly lie beyond it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from dpbandits.text.text import number

SPREAD = 30.0
"""Ratio of largest to smallest value above which an axis is not linear and comparisons do not share an axis."""
ROOM = 0.06
"""Share of the axis left free beyond the outermost values."""
LEAST = 0.05
"""Minimum length of a linear axis, as a share of its largest value; a thousandth then fills a fiftieth of the axis."""
FEWEST, MOST = 3, 5
"""Allowed numbers of ticks."""
STEPS = (1.0, 2.0, 5.0, 2.5, 4.0, 3.0, 1.5, 6.0, 8.0)
"""Steps between ticks of a linear axis, up to a power of ten, preferred ones first; together they suit every axis."""
DIGITS = ((1,), (1, 3), (1, 2, 5))
"""First digits of ticks on a nonlinear axis, preferred ones first."""
DIGIT = 7.0
"""Upper bound on the width of a digit in a label, in a wide font of 11 px; sign, point and comma take half of it."""
APART = 6.0
"""Smallest gap between two labels."""
Detail = Mapping[str, Any]


@dataclass(frozen=True)
class Scale:
    """Scale of an axis; `symmetric` is linear up to about `unit` on both sides of 0, and logarithmic beyond."""

    kind: Literal["linear", "logarithmic", "symmetric"]
    unit: float = 1.0

    def measure(self, value: float) -> float:
        """Distance of a value from the origin of the scale, strictly increasing in the value."""
        if self.kind == "linear":
            return value
        if self.kind == "symmetric":
            return math.asinh(value / self.unit)
        return math.log(value) if value > 0.0 else -math.inf

    def value(self, measure: float) -> float:
        """Value at a distance; the inverse of `measure`."""
        if self.kind == "linear":
            return measure
        return self.unit * math.sinh(measure) if self.kind == "symmetric" else math.exp(measure)

    @property
    def words(self) -> str:
        """Name of the scale for readers; empty for a linear scale, the default."""
        return {"linear": "", "logarithmic": "logarithmic", "symmetric": "linear near 0 and logarithmic beyond"}[
            self.kind
        ]


LINEAR = Scale("linear")
LOGARITHMIC = Scale("logarithmic")


@dataclass(frozen=True)
class Axis:
    """Axis from `low` at `left` to `high` at `right`, with a scale in between."""

    low: float
    high: float
    left: float
    right: float
    scale: Scale = LINEAR

    def at(self, value: float) -> float:
        """Position of a value, clipped to the ends of the axis."""
        low, high, found = (self.scale.measure(each) for each in (self.low, self.high, value))
        return self.left + min(max((found - low) / (high - low), 0.0), 1.0) * (self.right - self.left)

    @property
    def words(self) -> str:
        """Range of the axis in words, and its scale if it is not linear."""
        return ", ".join(filter(None, (f"{number(self.low)} to {number(self.high)}", self.scale.words)))


@dataclass(frozen=True)
class Tick:
    """A tick; its label spans `start` to `end`, and is moved if it would leave the figure."""

    value: float
    place: float
    label: str
    start: float
    end: float


def _finite(values: Iterable[float | None]) -> list[float]:
    return [float(value) for value in values if value is not None]


def _found_of(detail: Detail) -> list[float]:
    return _finite((detail["estimate"], *detail["interval"]))


def values_of(detail: Detail) -> list[float]:
    """All finite numbers that the figure of a comparison shows."""
    return _found_of(detail) + _finite((*detail["allowed"], *detail.get("equivalent", ())))


def _size(values: Iterable[float]) -> float:
    return max((abs(value) for value in values), default=0.0)


def _alike(one: Detail, other: Detail) -> bool:
    """Whether two comparisons of one reading may share an axis; an exponent and a regret may not."""
    sizes = sorted(_size(values_of(detail)) for detail in (one, other))
    return one["allowed"] == other["allowed"] or sizes[1] < SPREAD * sizes[0]


def groups(details: Iterable[Detail]) -> list[tuple[str, list[Detail]]]:
    """Readings with comparisons that share an axis. A reading is repeated if its units differ."""
    found: list[tuple[str, list[Detail]]] = []
    for detail in details:
        for reading, group in found:
            if reading == detail["reading"] and _alike(group[0], detail):
                group.append(detail)
                break
        else:
            found.append((detail["reading"], [detail]))
    return found


def scale_of(details: Sequence[Detail]) -> Scale:
    """Scale on which all bounds of some comparisons are distinguishable from all estimates."""
    values = [value for detail in details for value in values_of(detail)] or [0.0]
    if min(values) > 0.0:
        return LOGARITHMIC if max(values) >= SPREAD * min(values) else LINEAR
    # An end of an interval that happens to lie close to 0 says nothing about the scale, and a narrow range of
    # equivalence around 0 would push estimates far from it together; both are left out.
    sizes = [_size(_found_of(detail)) for detail in details]
    sizes += [abs(bound) for detail in details for bound in _finite(detail["allowed"])]
    unit = min(filter(None, sizes), default=0.0)
    return Scale("symmetric", unit) if unit and _size(values) >= SPREAD * unit else LINEAR


def axis_of(details: Sequence[Detail], left: float, right: float) -> Axis:
    """Shared axis for some comparisons, with room beyond the outermost values."""
    values = [value for detail in details for value in values_of(detail)] or [0.0]
    scale = scale_of(details)
    low, high = scale.measure(min(values)), scale.measure(max(values))
    length = high - low
    if scale == LINEAR:  # the others are long
        length = max(length, LEAST * _size(values)) or 1.0
    middle, reach = (low + high) / 2, length * (0.5 + ROOM)
    return Axis(scale.value(middle - reach), scale.value(middle + reach), left, right, scale)


def _families(axis: Axis) -> Iterator[list[list[float]]]:
    """Sets of candidate tick values, preferred ones first; within a family only the step differs."""
    if axis.scale == LINEAR:
        decade = 10.0 ** math.floor(math.log10(axis.high - axis.low))
        for digit in STEPS:
            family = []
            for step in (digit * decade, digit * decade / 10.0):
                counts = range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1)
                values = [count * step for count in counts]
                family += [values, values[1:], values[:-1]]  # the label at an end may have no room
            yield family
        return
    first = math.floor(math.log10(axis.low if axis.scale == LOGARITHMIC else axis.scale.unit))
    last = math.floor(math.log10(max(-axis.low, axis.high)))
    for digits in DIGITS:
        family = []
        every = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
        for start in range(len(every)):
            for step in range(1, len(every) + 1):
                sizes = every[start::step]
                if axis.scale.kind == "symmetric":
                    sizes = [*(-size for size in reversed(sizes)), 0.0, *sizes]
                family.append([value for value in sizes if axis.low <= value <= axis.high])
        yield family


def _tick(value: float, axis: Axis, width: float) -> Tick:
    label = number(value)
    length = DIGIT * (len(label) - sum(map(label.count, "-.,")) / 2)
    place = axis.at(value)
    start = max(min(place + length / 2, width) - length, 0.0)
    return Tick(value, place, label, start, start + length)


def _apart(found: Sequence[Tick]) -> bool:
    return all(two.start - one.end >= APART for one, two in pairwise(found))


def ticks(axis: Axis, width: float) -> list[Tick]:
    """Three to five ticks at round numbers, spaced as evenly as possible, without overlapping labels.

    One or two ticks if labels are too long, such as hundreds of millions.
    """

    def widest(found: Sequence[Tick]) -> float:
        return max(two - one for one, two in pairwise([axis.left, *(tick.place for tick in found), axis.right]))

    for fewest in range(FEWEST, 0, -1):
        for family in _families(axis):
            every = [[_tick(value, axis, width) for value in values] for values in family if len(values) <= MOST]
            fitting = [found for found in every if len(found) >= fewest and _apart(found)]
            if fitting:
                return min(fitting, key=widest)
    return []
