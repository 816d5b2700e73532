"""Comparisons and counts, which predicates build from a test of the YAML and from samples.

A comparison is a statistic with the range that the claim requires; `verdicts` adds its interval.
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
    """Values at the horizon, (seeds,), with the same seeds in the same order for all curves and settings.

    `curve` is `algorithm[:variant][@calibration]`; `column` an output of the algorithm, or `T`, the horizon.
    """

    def __call__(self, curve: str, setting: Setting, column: str = "regret") -> np.ndarray: ...


@dataclass(frozen=True)
class Comparison:
    """One statistic and the closed range that the claim requires.

    The claim fails outside the wider, tolerated range; between the two ranges it neither holds nor fails. A statistic
    of None is undefined on these data, for example the slope of means that are not all positive. If the curves are
    equal in distribution, or nearly so, no number of seeds decides. If the interval lies inside the range `equivalent`,
    and not inside the claimed one, there is no relevant difference, and the claim fails. Comparisons with the same
    `any_of` are alternatives: the set holds if one of them holds, and fails only if all fail.

    `typical` is the number of runs, paired by seed, in which the comparison is as claimed, and the number of runs that
    differ. It is None unless two curves are compared. `of_means` is False if medians replace means. A premise makes
    other comparisons meaningful, such as a positive mean.
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
    is_premise: bool = False


@dataclass(frozen=True)
class Count:
    """The number of independent runs with an event, and the rate that the claim allows for it."""

    reading: str
    label: str
    curve: str
    events: int
    runs: int
    seeds: int
    rate: float


def place(setting: Setting) -> str:
    """Text of a setting, such as `eps = 0.1`."""
    return ", ".join(f"{name} = {value:g}" for name, value in setting.items())


def output(curve: str, column: str) -> str:
    """Text of a curve and its output, such as `late of cucb`; regret is not named."""
    return curve if column == "regret" else f"{column} of {curve}"


def span(test: Test, along: str) -> str:
    """Text of a test's settings along one grid value, such as `T = 1e+06 .. 5e+07, eps = 1`, without `worst`."""
    found, worst = test.settings, worst_of(test)
    values = [setting[along] for setting in found]
    rest = {name: value for name, value in found[0].items() if name not in (along, worst)}
    return ", ".join(filter(None, [f"{along} = {min(values):g} .. {max(values):g}", place(rest)]))


def worst_of(test: Test) -> str | None:
    """The grid value over which a slope takes the largest mean; None if it does not."""
    return test.worst if isinstance(test, SlopeOf | SlopeOrder) else None


def ends(bounds: Bounds) -> tuple[float, float]:
    """A range as two numbers; open sides are infinite."""
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
    """A comparison with the given bounds or else the bounds of the test; without either, every number is allowed."""
    inner = bounds or test.allowed or ANY
    outer = tolerated or test.outer or inner
    return Comparison(test.reading, label, curve, statistic, *ends(inner), *ends(outer))


def defined(statistic: Callable[..., Statistic], *samples: np.ndarray) -> Statistic | None:
    """The statistic of some samples; None if it is undefined."""
    try:
        return statistic(*samples)
    except Undefined:
        return None


def summed(statistic: Statistic | None, *rows: Sequence[tuple[np.ndarray, float]]) -> Statistic | None:
    """The statistic with the runs of its samples as parts; each sample is a weighted sum of runs."""
    return None if statistic is None else of_rows(statistic, rows)


def premise(test: Test, label: str, curve: str, statistic: Statistic) -> Comparison:
    """A comparison that requires a positive statistic, without which the others are meaningless."""
    return replace(compare(test, label, curve, statistic, POSITIVE, POSITIVE), is_premise=True)


def equivalent(test: Test, comparison: Comparison, center: float, size: float) -> Comparison:
    """The comparison with its range of equivalence: `center` plus or minus the test's share of `size`."""
    if not isinstance(test, RatioBetween | Ordered) or test.equivalent is None:
        return comparison
    half = test.equivalent * abs(size)
    return replace(comparison, equivalent=(center - half, center + half))


def counted(comparison: Comparison, as_claimed: np.ndarray, differ: np.ndarray) -> Comparison:
    """The comparison with the number of runs that are as claimed, among the runs that differ."""
    return replace(comparison, typical=(int(np.count_nonzero(as_claimed & differ)), int(np.count_nonzero(differ))))


def rows_along(test: Test, along: str) -> list[list[dict[str, float]]]:
    """The settings of a test, grouped into rows that differ only in one grid value."""
    rows: dict[tuple[tuple[str, float], ...], list[dict[str, float]]] = {}
    for setting in test.settings:
        rest = tuple(sorted((name, value) for name, value in setting.items() if name != along))
        rows.setdefault(rest, []).append(setting)
    return list(rows.values())
