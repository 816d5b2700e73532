"""What predicates make: comparisons and counts, from a test of the YAML and samples.

A comparison is a statistic with the range in which the claim wants it; `verdicts` puts an interval around it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dpbandits.config.models.compared import Comparison as Test
from dpbandits.config.models.compared import SlopeOf
from dpbandits.config.models.comparisons import Ordered, RatioBetween, SlopeOrder
from dpbandits.config.models.fields import Bounds
from dpbandits.numerics.statistics import Statistic, Undefined, of_rows

Setting = Mapping[str, float]
POSITIVE: Bounds = (0.0, None)
ANY: Bounds = (None, None)


class Sample(Protocol):
    """Values at the horizon by seed, (seeds,), the same seeds in the same order for all.

    `curve` is `algorithm[:variant][@calibration]`; `column` an output of the algorithm, or `T`, the horizon.
    """

    def __call__(self, curve: str, setting: Setting, column: str = "regret") -> np.ndarray: ...


@dataclass(frozen=True)
class Comparison:
    """One statistic and the closed range in which the claim wants it.

    Outside the wider range that is tolerated the claim fails; between the two it neither holds nor fails. A statistic
    of None is undefined on these data, as the slope of means that are not all positive. Where the curves are equal in
    distribution, or all but so, no number of seeds decides. An interval that lies wholly in the range `equivalent`, and
    not in the claimed one, shows that there is no difference worth the name, and the claim fails. Comparisons with the
    same `any_of` are alternatives: it is enough that one of them holds, and they fail only together.

    `typical` counts the runs in which the comparison is as claimed, seed by seed, and all runs that differ: that is
    what happens in a typical run. It is None where a comparison is not one of two curves. `of_means` is False where
    medians take the place of means.
    """

    reading: str
    label: str
    curve: str
    statistic: Statistic | None
    low: float
    high: float
    tolerated_low: float
    tolerated_high: float
    equivalent: tuple[float, float] | None = None
    any_of: str = ""
    typical: tuple[int, int] | None = None
    of_means: bool = True


@dataclass(frozen=True)
class Count:
    """How many of so many independent runs show what should happen at no more than this rate."""

    reading: str
    label: str
    curve: str
    events: int
    runs: int
    seeds: int
    rate: float


def place(setting: Setting) -> str:
    """`eps = 0.1`."""
    return ", ".join(f"{name} = {value:g}" for name, value in setting.items())


def output(curve: str, column: str) -> str:
    """What a comparison is about: the curve, and which of its outputs where that is not regret."""
    return curve if column == "regret" else f"{column} of {curve}"


def span(test: Test, along: str) -> str:
    """The setting of a test along one grid value: `T = 1e+06 .. 5e+07, eps = 1`, without `worst`."""
    found, worst = test.settings, worst_of(test)
    values = [setting[along] for setting in found]
    rest = {name: value for name, value in found[0].items() if name not in (along, worst)}
    return ", ".join(filter(None, [f"{along} = {min(values):g} .. {max(values):g}", place(rest)]))


def worst_of(test: Test) -> str | None:
    """The grid value over which a slope is that of the largest mean, where it is."""
    return test.worst if isinstance(test, SlopeOf | SlopeOrder) else None


def ends(bounds: Bounds) -> tuple[float, float]:
    """A range, open sides infinite."""
    low, high = bounds
    return (-math.inf if low is None else float(low), math.inf if high is None else float(high))


def compare(
    test: Test,
    label: str,
    curve: str,
    statistic: Statistic | None,
    bounds: Bounds | None = None,
    tolerated: Bounds | None = None,
) -> Comparison:
    """A comparison with the bounds of the test, or with others in their place; without any, every number is allowed."""
    inner = bounds or test.allowed or ANY
    outer = tolerated or test.outer or inner
    return Comparison(test.reading, label, curve, statistic, *ends(inner), *ends(outer))


def defined(statistic: Callable[..., Statistic], *samples: np.ndarray) -> Statistic | None:
    """The statistic of some samples; None where it is undefined."""
    try:
        return statistic(*samples)
    except Undefined:
        return None


def summed(statistic: Statistic | None, *rows: Sequence[tuple[np.ndarray, float]]) -> Statistic | None:
    """The statistic, each of whose samples is a sum of runs with factors, with these runs as its parts."""
    return None if statistic is None else of_rows(statistic, rows)


def premise(test: Test, label: str, curve: str, statistic: Statistic) -> Comparison:
    """A comparison that makes the others meaningful: the statistic is positive."""
    return compare(test, label, curve, statistic, POSITIVE, POSITIVE)


def equivalent(test: Test, comparison: Comparison, center: float, size: float) -> Comparison:
    """The comparison with the range in which its curves count as equal: a part of `size` to both sides of `center`."""
    if not isinstance(test, RatioBetween | Ordered) or test.equivalent is None:
        return comparison
    half = test.equivalent * abs(size)
    return replace(comparison, equivalent=(center - half, center + half))


def counted(comparison: Comparison, as_claimed: np.ndarray, differ: np.ndarray) -> Comparison:
    """The comparison with the number of runs that are as claimed, among those that differ."""
    return replace(comparison, typical=(int(np.count_nonzero(as_claimed & differ)), int(np.count_nonzero(differ))))


def rows_along(test: Test, along: str) -> list[list[dict[str, float]]]:
    """The settings of a test in rows that differ in one grid value alone."""
    rows: dict[tuple[tuple[str, float], ...], list[dict[str, float]]] = {}
    for setting in test.settings:
        rest = tuple(sorted((name, value) for name, value in setting.items() if name != along))
        rows.setdefault(rest, []).append(setting)
    return list(rows.values())
