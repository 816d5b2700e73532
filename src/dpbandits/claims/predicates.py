"""Predicates: functions from a test of the YAML and samples to statistics with the ranges that the claim allows.

A predicate decides nothing. It lists the comparisons of a claim; `verdicts` adds intervals and derives the verdict.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations as pairs
from itertools import pairwise
from typing import Any

import numpy as np

from dpbandits.claims.comparisons import (
    Comparison,
    Count,
    Sample,
    Setting,
    Test,
    compare,
    counted,
    defined,
    equivalent,
    output,
    place,
    premise,
    summed,
)
from dpbandits.claims.forms import affine_between, form_ratio
from dpbandits.claims.slopes import argmin_between, falling_supremum, increments, slope_between, slope_order
from dpbandits.config.models.compared import DispersionOf, FlatOf, MeanOf, OfMeans, RatioOf, ShareOf
from dpbandits.config.models.comparisons import (
    Decreasing,
    ExcessRatioBetween,
    FallingExcess,
    Never,
    Ordered,
    WithinFactor,
)
from dpbandits.config.models.fields import Bounds
from dpbandits.numerics.fits import dispersion
from dpbandits.numerics.statistics import Statistic, difference, mean, median_values, ratio, ratio_of_ratios
from dpbandits.numerics.statistics import share as share_of

Predicate = Callable[[Any, Sample], list[Comparison]]
FALLS: Bounds = (None, 0.0)
SHRINKS: Bounds = (None, 1.0)


def ratio_between(test: RatioOf, sample: Sample) -> list[Comparison]:
    """The ratio of mean regrets of each curve and `against` lies within `bounds` at every setting.

    `column` and `against_column` replace regret by other outputs. `reference` gives the grid values of the denominator,
    which is the same curve unless `against` names another.
    """
    found = []
    above, below = test.column_of(), test.column_of("against")
    for curve in test.curves:
        for setting in test.settings:
            other, base = test.against or curve, {**setting, **test.moved}
            label = f"{output(curve, above)} / {output(other, below)} at {place(setting)}"
            if test.moved:
                beside = f"{output(other, below)} at " if test.against else ""
                label = f"{output(curve, above)}: {place(setting)} over {beside}{place(test.moved)}"
            x, y = sample(curve, setting, above), sample(other, base, below)
            comparison = equivalent(test, compare(test, label, curve, defined(ratio, x, y)), 1.0, 1.0)
            if test.against:
                inside = np.full(x.shape, True)
                for end, sign in ((comparison.low, 1.0), (comparison.high, -1.0)):
                    inside &= sign * (x - end * y) >= 0.0 if math.isfinite(end) else inside
                comparison = counted(comparison, inside, np.full(x.shape, True))
            found.append(comparison)
    return found


def excess_ratio_between(test: ExcessRatioBetween, sample: Sample) -> list[Comparison]:
    """The ratio of mean excesses over `baseline` of each curve and `against` lies within `bounds`.

    The excess of `against` must also be positive, because with a negative one a worse curve has a smaller ratio.
    """

    against = test.against
    premises, found = [], []
    for setting in test.settings:
        other, base = sample(against, setting), sample(test.baseline, setting)
        premises.append(premise(test, f"excess of {against} at {place(setting)}", against, difference(other, base)))
    for curve in test.curves:
        for setting in test.settings:
            own, other, base = (sample(name, setting) for name in (curve, against, test.baseline))
            excess = defined(ratio, own - base, other - base)
            statistic = summed(excess, [(own, 1.0), (base, -1.0)], [(other, 1.0), (base, -1.0)])
            label = f"excess of {curve} / excess of {against} at {place(setting)}"
            found.append(compare(test, label, curve, statistic))
    return premises + found


def falling_excess(test: FallingExcess, sample: Sample) -> list[Comparison]:
    """The mean excess over `baseline` changes by an amount within `bounds` from each setting to the next.

    Without bounds it decreases. Both excesses, and so their difference, are over the same instances.
    """
    found = []
    for curve in test.curves:
        for before, after in pairwise(test.settings):
            rows = [(sample(curve, step), sample(test.baseline, step)) for step in (after, before)]
            change = difference(*(own - base for own, base in rows))
            statistic = summed(change, *([(own, 1.0), (base, -1.0)] for own, base in rows))
            label = f"excess of {curve}: {place(after)} - {place(before)}"
            found.append(compare(test, label, curve, statistic, test.bounds or FALLS))
    return found


def ordered(test: Ordered, sample: Sample) -> list[Comparison]:
    """Mean regret increases from each curve of the list to the next at every setting.

    With `equivalent`, two curves count as equal if their means differ by less than that share of the smaller mean.
    """
    found = []
    for lower, upper in pairwise(test.curves):
        for setting in test.settings:
            first, second = sample(lower, setting), sample(upper, setting)
            label = f"{lower} - {upper} at {place(setting)}"
            comparison = compare(test, label, lower, difference(first, second), FALLS)
            comparison = equivalent(test, comparison, 0.0, min(abs(float(x.mean())) for x in (first, second)))
            found.append(counted(comparison, first < second, first != second))
    return found


def decreasing(test: Decreasing, sample: Sample) -> list[Comparison]:
    """Mean regret changes by a factor within `bounds` from each setting to the next, and decreases overall.

    With `against`, the ratio of the two mean regrets does. A bound of 1.05 allows a plateau. The comparison of the last
    setting with the first rejects a curve that is one long plateau or creeps up.
    """
    steps = test.settings
    changes = [(before, after, "", test.bounds) for before, after in pairwise(steps)]
    changes.append((steps[0], steps[-1], ", in all", SHRINKS))

    def factor(curve: str, before: Setting, after: Setting) -> Statistic | None:
        other = test.against
        if other is None:
            return defined(ratio, sample(curve, after), sample(curve, before))
        return defined(
            ratio_of_ratios, sample(curve, after), sample(other, after), sample(curve, before), sample(other, before)
        )

    over = f" / {test.against}" if test.against else ""
    return [
        compare(
            test,
            f"{curve}{over}: {place(after)} over {place(before)}{remark}",
            curve,
            factor(curve, before, after),
            bounds,
        )
        for curve in test.curves
        for before, after, remark, bounds in changes
    ]


def within_factor(test: WithinFactor, sample: Sample) -> list[Comparison]:
    """Mean regret of each curve, over that of `against` if given, varies by at most `factor` between settings."""
    found, bounds = [], (1.0 / test.factor, test.factor)
    over = f" / {test.against}" if test.against else ""
    for curve in test.curves:
        for before, after in pairs(test.settings, 2):
            if test.against:
                four = [sample(name, step) for step in (after, before) for name in (curve, test.against)]
                statistic = defined(ratio_of_ratios, *four)
            else:
                statistic = defined(ratio, sample(curve, after), sample(curve, before))
            label = f"{curve}{over}: {place(after)} over {place(before)}"
            found.append(compare(test, label, curve, statistic, bounds))
    return found


SCALES: Mapping[str, Callable[[float], float]] = {
    "T": lambda rounds: rounds,
    "sqrt_T_log_T": lambda rounds: math.sqrt(rounds * math.log(rounds)),
}


def flat(test: FlatOf, sample: Sample) -> list[Comparison]:
    """Mean regret divided by the function `over` of T, relative to its average over settings, lies within `bounds`."""
    steps = test.settings
    found = []
    for curve in test.curves:
        rows = [sample(curve, setting) for setting in steps]
        factors = [1.0 / SCALES[test.over](setting["T"]) for setting in steps]
        scaled = [row / SCALES[test.over](setting["T"]) for row, setting in zip(rows, steps, strict=True)]
        average = np.mean(scaled, axis=0)
        every = [(row, factor / len(rows)) for row, factor in zip(rows, factors, strict=True)]
        for row, factor, x, setting in zip(rows, factors, scaled, steps, strict=True):
            label = f"{curve} over {test.over}, relative to its average, at {place(setting)}"
            statistic = summed(defined(ratio, x, average), [(row, factor)], every)
            found.append(compare(test, label, curve, statistic))
    return found


def share(test: ShareOf, sample: Sample) -> list[Comparison]:
    """The share of runs of each curve in which `column` exceeds `above` lies within `bounds` at every setting."""
    return [
        compare(
            test,
            f"share of runs of {curve} with {test.column} above {test.above:g} at {place(setting)}",
            curve,
            share_of(events_of(test, sample(curve, setting, test.column))),
        )
        for curve in test.curves
        for setting in test.settings
    ]


def events_of(test: ShareOf | Never, column: np.ndarray) -> np.ndarray:
    """In which runs the output exceeds its limit; ValueError if it is not defined in all runs."""
    if np.isnan(column).any():
        raise ValueError(f"{test.column} is not defined in {np.count_nonzero(np.isnan(column))} of {column.size} runs")
    return column > test.above


def mean_of(test: MeanOf, sample: Sample) -> list[Comparison]:
    """The mean of `column` of each curve at every setting; a measurement."""
    return _each(test, sample, "mean", mean)


def dispersion_of(test: DispersionOf, sample: Sample) -> list[Comparison]:
    """The standard deviation of `column` of each curve between runs, over its mean, at every setting; a measurement."""
    return _each(test, sample, "dispersion", dispersion)


def _each(test: Test, sample: Sample, what: str, statistic: Callable[..., Statistic]) -> list[Comparison]:
    column = test.column_of()
    return [
        compare(
            test,
            f"{what} of {column} of {curve} at {place(setting)}",
            curve,
            defined(statistic, sample(curve, setting, column)),
        )
        for curve in test.curves
        for setting in test.settings
    ]


def never(test: Never, sample: Sample) -> list[Count]:
    """`column` exceeds `above` in at most a share `rate` of the runs of each curve, pooled over all settings."""
    found = []
    for curve in test.curves:
        columns = [sample(curve, setting, test.column) for setting in test.settings]
        events = sum(int(np.count_nonzero(events_of(test, column))) for column in columns)
        label = f"runs of {curve} with {test.column} above {test.above:g}"
        runs = sum(column.size for column in columns)
        found.append(Count(test.reading, label, curve, events, runs, columns[0].size, test.rate))
    return found


PREDICATES: Mapping[str, Predicate] = {
    "ratio_between": ratio_between,
    "excess_ratio_between": excess_ratio_between,
    "falling_excess": falling_excess,
    "ordered": ordered,
    "decreasing": decreasing,
    "slope_between": slope_between,
    "slope_order": slope_order,
    "increments": increments,
    "argmin_between": argmin_between,
    "falling_supremum": falling_supremum,
    "within_factor": within_factor,
    "flat": flat,
    "affine_between": affine_between,
    "form_ratio": form_ratio,
    "share": share,
    "mean_of": mean_of,
    "dispersion": dispersion_of,
}
COUNTS: Mapping[str, Callable[[Any, Sample], list[Count]]] = {"never": never}


def comparisons(test: Test, sample: Sample) -> list[Comparison]:
    """The comparisons of a test; `statistic: median` replaces means by medians over runs."""
    predicate = PREDICATES[test.predicate]
    if not isinstance(test, OfMeans) or test.statistic is None:
        return predicate(test, sample)

    def median(curve: str, setting: Setting, column: str = "regret") -> np.ndarray:
        return median_values(sample(curve, setting, column))

    found = predicate(test, median)
    return [replace(each, label=f"medians: {each.label}", typical=None, of_means=False) for each in found]
