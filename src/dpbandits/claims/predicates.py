"""Predicates: a test of the YAML and samples in, statistics with the range that the claim allows out.

A predicate decides nothing. It names the comparisons that a claim consists of; `verdicts` puts one simultaneous
interval around all comparisons of a claim and reads the verdict from it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from dpbandits.combinations import combinations, exponent
from dpbandits.statistics import (
    ROUNDING,
    Statistic,
    Undefined,
    contrast,
    difference,
    log_log_slope,
    mean,
    ratio,
    ratio_of_ratios,
)

Setting = Mapping[str, float]


class Sample(Protocol):
    """Values at the horizon by seed, (seeds,), the same seeds in the same order for all.

    `curve` is an algorithm, or `algorithm:variant`; `column` an output of the algorithm, or `T`, the horizon.
    """

    def __call__(self, curve: str, setting: Setting, column: str = "regret") -> np.ndarray: ...


@dataclass(frozen=True)
class Comparison:
    """One statistic and the closed range in which the claim wants it.

    Outside the wider range that is tolerated the claim fails; between the two it neither holds nor fails. A statistic
    of None is undefined on these data, as the slope of means that are not all positive. Where the curves are equal in
    law, or all but so, no number of seeds decides. An interval that lies wholly in the range `equivalent`, and not in
    the claimed one, shows that there is no difference worth the name, and the claim fails. Comparisons with the same
    `any_of` are alternatives: it is enough that one of them holds, and they fail only together.
    """

    reading: str
    label: str
    curve: str
    statistic: Statistic | None
    low: float
    high: float
    tolerated_low: float
    tolerated_high: float
    indistinguishable: bool = False
    equivalent: tuple[float, float] | None = None
    any_of: str = ""


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


Test = Mapping[str, Any]
Predicate = Callable[[Test, Sample], list[Comparison]]


def settings(test: Test) -> list[dict[str, float]]:
    """The grid settings of a test, in its order."""
    return combinations(test["at"])


def place(setting: Setting) -> str:
    """`eps = 0.1`."""
    return ", ".join(f"{name} = {value:g}" for name, value in setting.items())


def span(test: Test, along: str) -> str:
    """The setting of a test along one grid value: `T = 1e+06 .. 5e+07, eps = 1`."""
    found = settings(test)
    values = [setting[along] for setting in found]
    rest = {name: value for name, value in found[0].items() if name != along}
    return ", ".join(filter(None, [f"{along} = {min(values):g} .. {max(values):g}", place(rest)]))


def bounds(test: Test, key: str = "bounds") -> tuple[float, float]:
    """A range, open sides infinite, and infinite altogether where none is given."""
    low, high = test.get(key) or (None, None)
    return (-math.inf if low is None else float(low), math.inf if high is None else float(high))


def compare(test: Test, label: str, curve: str, statistic: Statistic | None) -> Comparison:
    """A comparison with the bounds of the test."""
    low, high = bounds(test)
    outer_low, outer_high = bounds(test, "tolerated" if "tolerated" in test else "bounds")
    equal = test.get("indistinguishable", False)
    return Comparison(test["reading"], label, curve, statistic, low, high, outer_low, outer_high, equal)


def defined(statistic: Callable[..., Statistic], *samples: np.ndarray) -> Statistic | None:
    """The statistic of some samples; None where it is undefined."""
    try:
        return statistic(*samples)
    except Undefined:
        return None


def premise(test: Test, label: str, curve: str, statistic: Statistic) -> Comparison:
    """A comparison that makes the others meaningful: the statistic is positive."""
    return compare({**test, "bounds": [0.0, None], "tolerated": [0.0, None]}, label, curve, statistic)


def equivalent(test: Test, comparison: Comparison, centre: float, size: float) -> Comparison:
    """The comparison with the range in which its curves count as equal: a part of `size` to both sides of `centre`."""
    if "equivalent" not in test:
        return comparison
    half = test["equivalent"] * abs(size)
    return replace(comparison, equivalent=(centre - half, centre + half))


def ratio_between(test: Test, sample: Sample) -> list[Comparison]:
    """Mean regret of each curve over that of `against` lies within `bounds` at every setting.

    With `reference` in place of `against` it is that of the curve itself, where the grid has these values.
    """
    found = []
    for curve in test["curves"]:
        for setting in settings(test):
            other, base = test.get("against", curve), {**setting, **test.get("reference", {})}
            label = f"{curve} / {other} at {place(setting)}"
            if "reference" in test:
                label = f"{curve}: {place(setting)} over {place(test['reference'])}"
            statistic = defined(ratio, sample(curve, setting), sample(other, base))
            found.append(equivalent(test, compare(test, label, curve, statistic), 1.0, 1.0))
    return found


def excess_ratio_between(test: Test, sample: Sample) -> list[Comparison]:
    """Mean excess of each curve over `baseline`, relative to that of `against`, lies within `bounds`.

    That the excess of `against` is positive is compared too: over a negative one, a worse curve has a smaller ratio.
    """

    def excess(curve: str, setting: Setting) -> np.ndarray:
        return sample(curve, setting) - sample(test["baseline"], setting)

    against = test["against"]
    premises = [
        premise(test, f"excess of {against} at {place(setting)}", against, mean(excess(against, setting)))
        for setting in settings(test)
    ]
    return premises + [
        compare(
            test,
            f"excess of {curve} / excess of {against} at {place(setting)}",
            curve,
            defined(ratio, excess(curve, setting), excess(against, setting)),
        )
        for curve in test["curves"]
        for setting in settings(test)
    ]


def falling_excess(test: Test, sample: Sample) -> list[Comparison]:
    """From each setting to the next the mean excess over `baseline` changes by an amount within `bounds`.

    Without bounds it falls. Both excesses are over the same instances, and so is their difference.
    """

    def excess(curve: str, setting: Setting) -> np.ndarray:
        return sample(curve, setting) - sample(test["baseline"], setting)

    return [
        compare(
            {"bounds": [None, 0.0], **test},
            f"excess of {curve}: {place(after)} - {place(before)}",
            curve,
            difference(excess(curve, after), excess(curve, before)),
        )
        for curve in test["curves"]
        for before, after in pairwise(settings(test))
    ]


def ordered(test: Test, sample: Sample) -> list[Comparison]:
    """Mean regret increases from each curve of the list to the next at every setting.

    With `equivalent` two curves count as equal whose means differ by less than that part of the larger one's.
    """
    found = []
    for lower, upper in pairwise(test["curves"]):
        for setting in settings(test):
            first, second = sample(lower, setting), sample(upper, setting)
            rule, label = {**test, "bounds": [None, 0.0]}, f"{lower} - {upper} at {place(setting)}"
            comparison = compare(rule, label, lower, difference(first, second))
            found.append(equivalent(test, comparison, 0.0, float(second.mean())))
    return found


def decreasing(test: Test, sample: Sample) -> list[Comparison]:
    """From each setting to the next the mean regret changes by a factor within `bounds`, and in all it decreases.

    With `against` it is the ratio of the two mean regrets that does. A bound of 1.05 allows a plateau; the comparison
    of the last setting with the first keeps a curve that is nothing but a plateau, or that creeps up, from passing.
    """
    steps = settings(test)
    pairs = [(before, after, "", test) for before, after in pairwise(steps)]
    pairs.append((steps[0], steps[-1], ", in all", {**test, "bounds": [None, 1.0]}))

    def factor(curve: str, before: Setting, after: Setting) -> Statistic | None:
        if "against" not in test:
            return defined(ratio, sample(curve, after), sample(curve, before))
        other = test["against"]
        return defined(
            ratio_of_ratios, sample(curve, after), sample(other, after), sample(curve, before), sample(other, before)
        )

    over = f" / {test['against']}" if "against" in test else ""
    return [
        compare(
            rule,
            f"{curve}{over}: {place(after)} over {place(before)}{remark}",
            curve,
            factor(curve, before, after),
        )
        for curve in test["curves"]
        for before, after, remark, rule in pairs
    ]


def slope_between(test: Test, sample: Sample) -> list[Comparison]:
    """The least-squares slope of log mean regret on the log of the grid value `along` lies within `bounds`.

    With `baseline` it is the mean excess over that curve, which must be positive at every setting. Where a mean is not
    positive, the slope is undefined, and the means that it rests on are compared in any case.
    """
    found = []
    for curve in test["curves"]:
        premises, slope = slope_of(test, sample, curve)
        what = f"excess of {curve}" if "baseline" in test else curve
        label = f"slope of {what} in {test['along']}, {span(test, test['along'])}"
        found += [*premises, compare(test, label, curve, slope)]
    return found


def slope_of(test: Test, sample: Sample, curve: str) -> tuple[list[Comparison], Statistic | None]:
    """The slope of one curve along the settings of a test, and before it the means that it rests on, if in doubt."""
    along, steps = test["along"], settings(test)
    columns = [sample(curve, setting) for setting in steps]
    what = curve
    if "baseline" in test:
        columns = [x - sample(test["baseline"], setting) for x, setting in zip(columns, steps, strict=True)]
        what = f"excess of {curve}"
    positive = all(x.mean() > ROUNDING * np.abs(x).max() for x in columns)
    premises = []
    if "baseline" in test or not positive:
        premises = [
            premise(test, f"{what} at {place(setting)}", curve, mean(x))
            for x, setting in zip(columns, steps, strict=True)
        ]
    slope = log_log_slope([setting[along] for setting in steps], np.stack(columns, axis=1)) if positive else None
    return premises, slope


def slope_order(test: Test, sample: Sample) -> list[Comparison]:
    """From each curve to the next the slope of `slope_between` grows by an amount within `bounds`.

    Without bounds it grows at all. Slopes are over the same seeds, and so is their difference.
    """
    found, slopes = [], {}
    for curve in test["curves"]:
        premises, slopes[curve] = slope_of(test, sample, curve)
        found += premises
    for lower, upper in pairwise(test["curves"]):
        first, second = slopes[lower], slopes[upper]
        grows = None if first is None or second is None else contrast(second, first)
        label = f"slope of {upper} - slope of {lower} in {test['along']}, {span(test, test['along'])}"
        found.append(compare({"bounds": [0.0, None], **test}, label, upper, grows))
    return found


def argmin_between(test: Test, sample: Sample) -> list[Comparison]:
    """Along the grid value `along`, mean regret is least at some T**e with e within `bounds`.

    Every value outside must be worse than some value inside. Its differences from all of those are alternatives: one
    that is positive for certain is enough, and where all are negative for certain, the value outside is better than
    every one inside. All pairs share the claim's simultaneous interval, so that nothing is chosen from the data that
    judge it.
    """
    along, (low, high) = test["along"], bounds(test)
    found = []
    for curve in test["curves"]:
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
                    comparison = compare({**test, "bounds": [0.0, None]}, f"{curve} {said}", curve, statistic)
                    found.append(replace(comparison, any_of=f"{curve} at {place(worse)}"))
    return found


def rows_along(test: Test, along: str) -> list[list[dict[str, float]]]:
    """The settings of a test in rows that differ in one grid value alone."""
    rows: dict[tuple[tuple[str, float], ...], list[dict[str, float]]] = {}
    for setting in settings(test):
        rest = tuple(sorted((name, value) for name, value in setting.items() if name != along))
        rows.setdefault(rest, []).append(setting)
    return list(rows.values())


SCALES: Mapping[str, Callable[[float], float]] = {
    "T": lambda rounds: rounds,
    "sqrt_T_log_T": lambda rounds: math.sqrt(rounds * math.log(rounds)),
}


def flat(test: Test, sample: Sample) -> list[Comparison]:
    """Mean regret over the scale `over` of T, relative to its average over the settings, lies within `bounds`."""
    steps = settings(test)
    found = []
    for curve in test["curves"]:
        scaled = [sample(curve, setting) / SCALES[test["over"]](setting["T"]) for setting in steps]
        average = np.mean(scaled, axis=0)
        found += [
            compare(
                test,
                f"{curve} over {test['over']}, relative to its average, at {place(setting)}",
                curve,
                defined(ratio, x, average),
            )
            for x, setting in zip(scaled, steps, strict=True)
        ]
    return found


def share(test: Test, sample: Sample) -> list[Comparison]:
    """The share of runs of each curve in which `column` exceeds `above`, at every setting; a measurement."""
    return [
        compare(
            test,
            f"share of runs of {curve} with {test['column']} above {test['above']:g} at {place(setting)}",
            curve,
            mean((sample(curve, setting, test["column"]) > test["above"]).astype(float)),
        )
        for curve in test["curves"]
        for setting in settings(test)
    ]


def never(test: Test, sample: Sample) -> list[Count]:
    """`column` exceeds `above` in at most the share `rate` of the runs of each curve, over all settings together."""
    found = []
    for curve in test["curves"]:
        columns = [sample(curve, setting, test["column"]) for setting in settings(test)]
        events = sum(int(np.count_nonzero(column > test["above"])) for column in columns)
        label = f"runs of {curve} with {test['column']} above {test['above']:g}"
        runs = sum(column.size for column in columns)
        found.append(Count(test["reading"], label, curve, events, runs, columns[0].size, float(test["rate"])))
    return found


PREDICATES: Mapping[str, Predicate] = {
    "ratio_between": ratio_between,
    "excess_ratio_between": excess_ratio_between,
    "falling_excess": falling_excess,
    "ordered": ordered,
    "decreasing": decreasing,
    "slope_between": slope_between,
    "slope_order": slope_order,
    "argmin_between": argmin_between,
    "flat": flat,
    "share": share,
}
COUNTS: Mapping[str, Callable[[Test, Sample], list[Count]]] = {"never": never}
