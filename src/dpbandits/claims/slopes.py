"""Predicates along one grid value: exponents of regret, their order, and the minimizer of regret."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from dpbandits.base.combinations import exponent
from dpbandits.claims.comparisons import (
    POSITIVE,
    Comparison,
    Sample,
    Setting,
    compare,
    defined,
    ends,
    output,
    place,
    premise,
    rows_along,
    span,
    summed,
)
from dpbandits.config.models.compared import SlopeOf
from dpbandits.config.models.comparisons import ArgminBetween, FallingSupremum, Increments, SlopeOrder
from dpbandits.numerics.statistics import (
    ROUNDING,
    Statistic,
    contrast,
    difference,
    log_log_slope,
    mean,
    of_rows,
    ratio,
    ratio_of_ratios,
)


def slope_between(test: SlopeOf, sample: Sample) -> list[Comparison]:
    """The least-squares slope of log mean regret in the log of the grid value `along` lies within `bounds`.

    `baseline`: the slope of the mean excess over that curve, which must be positive at every setting. If a mean is not
    positive, the slope is undefined and the means are compared as premises. `against`: the slope of the ratio of the
    two mean regrets, which is the difference of their slopes. `column`: that output replaces regret. `scale: log`: the
    slope in the log of the log of the value, an exponent of log T. `worst`: the slope of the largest mean over that
    grid value.
    """
    found = []
    column, variable = test.column_of(), f"log {test.along}" if test.scale else test.along
    for curve in test.curves:
        premises, slope = slope_of(test, sample, curve)
        what = f"excess of {output(curve, column)}" if test.baseline else output(curve, column)
        if test.against:
            more, other = slope_of(test, sample, test.against)
            premises, what = [*premises, *more], f"{output(curve, column)} / {output(test.against, column)}"
            slope = None if slope is None or other is None else contrast(slope, other)
        what = f"largest {what} over {test.worst}" if test.worst else what
        label = f"slope of {what} in {variable}, {span(test, test.along)}"
        found += [*premises, compare(test, label, curve, slope)]
    return found


def slope_of(test: SlopeOf | SlopeOrder, sample: Sample, curve: str) -> tuple[list[Comparison], Statistic | None]:
    """The slope of one curve along the settings of a test, preceded by premises about its means if these may fail.

    With `worst`, the setting with the largest mean represents all settings that differ only in that value. If its mean
    is significantly the largest, the slope is that of the largest mean to first order.
    """
    column = test.column_of()
    steps = test.settings
    if test.worst:
        rows = rows_along(test, test.worst)
        steps = [max(row, key=lambda setting: float(sample(curve, setting, column).mean())) for row in rows]
    values = np.array([setting[test.along] for setting in steps])
    runs = [sample(curve, setting, column) for setting in steps]
    columns, parts = runs, [[(row, 1.0)] for row in runs]
    what = output(curve, column)
    baseline, logarithm = (test.baseline, test.scale) if isinstance(test, SlopeOf) else (None, None)
    if baseline:
        bases = [sample(baseline, setting, column) for setting in steps]
        columns = [row - base for row, base in zip(runs, bases, strict=True)]
        parts = [[(row, 1.0), (base, -1.0)] for row, base in zip(runs, bases, strict=True)]
        what = f"excess of {what}"
    positive = all(x.mean() > ROUNDING * np.abs(x).max() for x in columns)
    premises = []
    if baseline or not positive:
        premises = [
            premise(test, f"{what} at {place(setting)}", curve, of_rows(mean(x), [part]))
            for x, part, setting in zip(columns, parts, steps, strict=True)
        ]
    places = np.log(values) if logarithm else values
    slope = log_log_slope(places, np.stack(columns, axis=1)) if positive else None
    return premises, summed(slope, *parts)


def slope_order(test: SlopeOrder, sample: Sample) -> list[Comparison]:
    """The slope of `slope_between` increases by an amount within `bounds` from each curve to the next.

    Without bounds any increase is enough. Slopes, and so their differences, are over the same seeds. With `across`, the
    slope of each curve increases from each value of that grid value to the next.
    """
    if test.across:
        return slope_order_across(test, test.across, sample)
    found, slopes = [], {}
    for curve in test.curves:
        premises, slopes[curve] = slope_of(test, sample, curve)
        found += premises
    for lower, upper in pairwise(test.curves):
        first, second = slopes[lower], slopes[upper]
        grows = None if first is None or second is None else contrast(second, first)
        label = f"slope of {upper} - slope of {lower} in {test.along}, {span(test, test.along)}"
        found.append(compare(test, label, upper, grows, test.bounds or POSITIVE))
    return found


def slope_order_across(test: SlopeOrder, across: str, sample: Sample) -> list[Comparison]:
    """The slopes along one grid value, compared between the values of another, in the order of the test."""
    found = []
    values = list(dict.fromkeys(setting[across] for setting in test.settings))
    for curve in test.curves:
        slopes = []
        for value in values:
            steps = [step for step in test.settings if step[across] == value]
            premises, slope = slope_of(test.at_settings(steps), sample, curve)
            found += premises
            slopes.append(slope)
        for (before, first), (after, second) in pairwise(zip(values, slopes, strict=True)):
            grows = None if first is None or second is None else contrast(second, first)
            label = f"slope of {curve} in {test.along} at {across} = {after:g} less that at {before:g}"
            found.append(compare(test, label, curve, grows, test.bounds or POSITIVE))
    return found


def increments(test: Increments, sample: Sample) -> list[Comparison]:
    """The ratio of consecutive increments of mean regret along `along` lies within `bounds`.

    The increments in the denominator must also be positive.
    """
    along, column, found = test.along, test.column_of(), []
    for curve in test.curves:
        for steps in rows_along(test, along):
            for first, second, third in zip(steps, steps[1:], steps[2:], strict=False):
                low, middle, high = (sample(curve, step, column) for step in (first, second, third))
                where = f"{place(first)} .. {place(third)}"
                found.append(premise(test, f"increment of {curve} to {place(second)}", curve, difference(middle, low)))
                above, below = [(high, 1.0), (middle, -1.0)], [(middle, 1.0), (low, -1.0)]
                growth = summed(defined(ratio, high - middle, middle - low), above, below)
                found.append(compare(test, f"increment of {curve} over the one before, {where}", curve, growth))
    return found


def argmin_between(test: ArgminBetween, sample: Sample) -> list[Comparison]:
    """Mean regret along the grid value `along` is minimal at some T**e with e within `bounds`.

    Every value outside must be worse than some value inside. Its differences from all values inside are alternatives.
    One difference that is certainly positive is enough. If all are certainly negative, the value outside is better than
    every value inside. Alternatives share the error of holding, which accounts for the selection.
    """
    along, (low, high) = test.along, ends(test.bounds)
    found = []
    for curve in test.curves:
        for steps in rows_along(test, along):
            rounds = float(sample(curve, steps[0], "T")[0])
            powers = {step[along]: exponent(step[along], rounds) for step in steps}
            inside = [step for step in steps if low <= powers[step[along]] <= high]
            outside = [step for step in steps if step not in inside]
            if not inside or not outside:
                raise ValueError(
                    f"no value of {along} at T = {rounds:g} lies {'outside' if inside else 'within'} bounds"
                )
            for worse in outside:
                for better in inside:
                    said = " - ".join(f"at {place(x)} (T^{powers[x[along]]:.2f})" for x in (worse, better))
                    statistic = difference(sample(curve, worse), sample(curve, better))
                    comparison = compare(test, f"{curve} {said}", curve, statistic, POSITIVE)
                    found.append(replace(comparison, any_of=f"{curve} at {place(worse)}"))
    return found


def falling_supremum(test: FallingSupremum, sample: Sample) -> list[Comparison]:
    """The largest ratio to `against` over the other settings changes by a factor within `bounds` along `along`.

    The factor is from each value of `along` to the next; without bounds the largest ratio does not increase. No ratio
    at the later value may exceed all earlier ratios. The factors of a later ratio over all earlier ratios are
    alternatives: it is enough that one of them lies within the bounds.
    """
    along, steps = test.along, test.settings
    found = []

    def scaled(curve: str, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
        return sample(curve, setting), sample(test.against, setting)

    for curve in test.curves:
        for before, after in pairwise(sorted({step[along] for step in steps})):
            earlier, later = ([step for step in steps if step[along] == value] for value in (before, after))
            for new in later:
                for old in earlier:
                    statistic = defined(ratio_of_ratios, *scaled(curve, new), *scaled(curve, old))
                    said = f"{curve} / {test.against}: {place(new)} over {place(old)}"
                    comparison = compare(test, said, curve, statistic, test.bounds or (None, 1.0))
                    found.append(replace(comparison, any_of=f"{curve} at {place(new)}"))
    return found
