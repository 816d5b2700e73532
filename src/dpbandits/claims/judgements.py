"""The verdict of one comparison, count or finding: `holds`, `fails`, `unclear` or `not_tested`.

A comparison holds when its whole interval lies in the allowed range, fails when its whole interval lies outside (where
the test tolerates a wider range, outside that), and is unclear otherwise; so is a point on a bound, as of two curves
that are equal. Where a range of equivalence is given, an interval that lies in it and does not hold fails: the
difference that the claim speaks of is not there. With fewer seeds than `FEWEST_SEEDS` it is not tested.

Of rare events the number of runs that show them is counted: none in enough runs holds, a rate whose exact interval
lies above the allowed one fails. Closed forms are numbers, or bounds on a number from both sides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.numerics.statistics import Interval, equivalent

LEVEL = 0.95  # simultaneous level of all comparisons of a claim
FEWEST_SEEDS = 8  # below, no comparison is tested
FEWEST_RUNS = 1000  # in which a rare event must not have happened
WIDEST_MARGIN = 1000.0  # margins of intervals without width are cut here
HOLDS, FAILS, UNCLEAR, NOT_TESTED = "holds", "fails", "unclear", "not_tested"


@dataclass(frozen=True)
class Finding:
    """Lower and upper bound on a number that needs no simulation, and the closed range in which the claim wants it."""

    reading: str
    label: str
    least: float
    most: float
    low: float
    high: float


@dataclass(frozen=True)
class Judged:
    """A comparison, count or finding with its interval, the range that is allowed, its verdict and margin.

    The margin is the distance from the estimate to the nearest bound, in reaches of the interval towards it, positive
    inside the allowed range: 1 or more holds, below -1 fails. `destined` is the first verdict if the estimate stayed
    and the interval shrank, and `decided_by` the range whose nearest end then decides it.
    """

    reading: str
    label: str
    curve: str
    interval: Interval
    allowed: tuple[float, float]
    decided_by: tuple[float, float]
    verdict: str
    margin: float
    destined: str
    equivalent: tuple[float, float] | None = None


def margin_of(interval: Interval, low: float, high: float) -> float:
    """Distance to the nearest bound, in reaches of the interval towards that bound, cut at +-`WIDEST_MARGIN`."""
    estimate = interval.estimate
    if math.isnan(estimate) or math.isinf(interval.high - interval.low):
        return 0.0
    margins = [WIDEST_MARGIN]
    for bound, inside in ((low, estimate - low), (high, high - estimate)):
        reach = interval.high - estimate if bound > estimate else estimate - interval.low
        margins.append(inside / reach if reach > 0.0 else WIDEST_MARGIN * float(np.sign(inside)))
    return max(-WIDEST_MARGIN, min(margins))


def judge_one(comparison: Comparison, interval: Interval, enough: bool) -> Judged:
    """Verdict of one comparison from its interval."""
    low, high = comparison.low, comparison.high
    outer_low, outer_high = comparison.tolerated_low, comparison.tolerated_high
    on_bound = interval.low == interval.high and interval.estimate in (low, high)
    equal = comparison.equivalent is not None and equivalent(interval, *comparison.equivalent)
    if not enough:
        verdict = NOT_TESTED
    elif low <= interval.low and interval.high <= high and not on_bound:
        verdict = HOLDS
    elif equal or ((interval.high < outer_low or interval.low > outer_high) and not on_bound):
        verdict = FAILS
    else:
        verdict = UNCLEAR
    destined, decided_by = destiny(comparison, interval)
    return Judged(
        comparison.reading,
        comparison.label,
        comparison.curve,
        interval,
        (low, high),
        decided_by,
        verdict,
        margin_of(interval, low, high),
        destined,
        comparison.equivalent,
    )


def destiny(comparison: Comparison, interval: Interval) -> tuple[str, tuple[float, float]]:
    """The verdict that an interval shrinking around its estimate comes to first, and the range that decides it."""
    allowed = (comparison.low, comparison.high)
    tolerated = (comparison.tolerated_low, comparison.tolerated_high)
    found = (UNCLEAR, allowed)
    if comparison.indistinguishable:
        return found
    distance = 0.0
    if allowed[0] <= interval.estimate <= allowed[1]:
        found, distance = (HOLDS, allowed), margin_of(interval, *allowed)
    elif interval.estimate < tolerated[0] or interval.estimate > tolerated[1]:
        found, distance = (FAILS, tolerated), -margin_of(interval, *tolerated)
    if comparison.equivalent is not None and margin_of(interval, *comparison.equivalent) > distance:
        found = (FAILS, comparison.equivalent)
    return found


def nearest_to_holding(comparisons: Sequence[Comparison], judged: Sequence[Judged]) -> list[Judged]:
    """The alternative nearest to holding from each set of alternatives; a comparison without alternatives as it is."""
    sets: dict[tuple[object, ...], list[Judged]] = {}
    for k, (comparison, each) in enumerate(zip(comparisons, judged, strict=True)):
        key = (comparison.reading, comparison.any_of) if comparison.any_of else (k,)
        sets.setdefault(key, []).append(each)
    order = [FAILS, NOT_TESTED, UNCLEAR, HOLDS]
    return [max(each, key=lambda j: (order.index(j.verdict), j.margin)) for each in sets.values()]


def judge_count(count: Count, level: float) -> Judged:
    """Verdict of one count, from the interval of Clopper and Pearson for the rate."""
    tail = 0.5 * (1.0 - level)
    events, runs = count.events, count.runs
    low = 0.0 if events == 0 else float(special.betaincinv(events, runs - events + 1, tail))
    high = 1.0 if events == runs else float(special.betaincinv(events + 1, runs - events, 1.0 - tail))
    interval = Interval(events / runs, low, high, level)
    if low > count.rate:
        verdict = FAILS
    elif events == 0 and runs >= FEWEST_RUNS:
        verdict = HOLDS
    else:
        verdict = UNCLEAR
    destined = HOLDS if events == 0 else UNCLEAR
    margin = margin_of(interval, -math.inf, count.rate) if verdict != HOLDS else 1.0
    allowed = (-math.inf, count.rate)
    return Judged(count.reading, count.label, count.curve, interval, allowed, allowed, verdict, margin, destined)


def judge_finding(finding: Finding) -> Judged:
    """Verdict of one finding; a value on a bound is inside."""
    least, most, allowed = finding.least, finding.most, (finding.low, finding.high)
    interval = Interval(most if least < finding.low else least, least, most, LEVEL)
    verdict = UNCLEAR
    if finding.low <= least and most <= finding.high:
        verdict = HOLDS
    elif most < finding.low or least > finding.high:
        verdict = FAILS
    margin = margin_of(interval, *allowed)
    return Judged(finding.reading, finding.label, "", interval, allowed, allowed, verdict, margin, verdict)


def combine(verdicts: Sequence[str]) -> str:
    """`fails` if one fails, else `not_tested` if one is not tested, `holds` if all hold, else `unclear`."""
    for verdict in (FAILS, NOT_TESTED, UNCLEAR):
        if verdict in verdicts:
            return verdict
    return HOLDS
