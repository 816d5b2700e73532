"""The verdict of one comparison, count or finding: `holds`, `fails`, `unclear` or `not_tested`.

A comparison has two intervals: an individual one, and a joint one, which is simultaneous for all comparisons of the
claim. It holds if its individual interval lies in the allowed range. It fails if its joint interval lies outside (if
the test tolerates a wider range, outside that). In both cases its algorithms must have as many runs as `unseen`
requires. Otherwise it is unclear, and so is a point on a bound, for example for two equal curves. If a range of
equivalence is given, a comparison that does not hold fails if its joint interval lies in that range: the claimed
difference does not exist. With fewer seeds than `FEWEST_SEEDS` it is not tested.

Why two intervals: a claim holds only if all comparisons hold, so each is tested individually (an intersection-union
test). It fails as soon as one comparison fails, so all are tested jointly.

The rate of a rare event has exact limits, and the upper limit must be at most the allowed rate. Closed forms are
numbers, or lower and upper bounds on a number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.numerics.limits import exact_share
from dpbandits.numerics.statistics import Interval, equivalent

ALPHA = 0.025  # probability of a wrong `holds` of a comparison, and of a wrong `fails` of a claim; our choice
LEVEL = 1.0 - 2.0 * ALPHA  # of both intervals
FEWEST_SEEDS = 8  # with fewer, no comparison is tested; our choice
WIDEST_MARGIN = 1000.0  # largest margin, for intervals without width
HOLDS, FAILS, UNCLEAR, NOT_TESTED = "holds", "fails", "unclear", "not_tested"


@dataclass(frozen=True)
class Finding:
    """Lower and upper bound on a number from a calculation, and the closed range that the claim requires."""

    reading: str
    label: str
    least: float
    most: float
    low: float
    high: float


@dataclass(frozen=True)
class Judged:
    """A comparison, count or finding with its intervals, allowed range, verdict and margin.

    The margin is the distance from the estimate to the nearest bound, in units of the interval's reach towards it.
    Inside the allowed range it is positive and uses the individual interval: 1 or more holds. Outside it is negative
    and uses the joint interval: below -1 fails. `tied` says that the comparison fails because there is no difference.
    `typical` is that of the comparison. `destined` is the first verdict if the estimate stayed and the intervals
    shrank, and `decided_by` is the range that then decides. `lacking` is the number of seeds missing before it may
    hold, and before it may fail.
    """

    reading: str
    label: str
    curve: str
    interval: Interval
    joint: Interval
    allowed: tuple[float, float]
    decided_by: tuple[float, float]
    verdict: str
    margin: float
    destined: str
    equivalent: tuple[float, float] | None = None
    tied: bool = False
    typical: tuple[int, int] | None = None
    lacking: tuple[float, float] = (0.0, 0.0)

    @property
    def lacks_runs(self) -> bool:
        """Whether the interval is decisive but too few runs were seen."""
        return self.verdict == UNCLEAR and max(self.lacking) > 0.0 and abs(self.margin) >= 1.0


def margin_between(own: Interval, joint: Interval, low: float, high: float) -> float:
    """The margin of a comparison: by the individual interval inside the range, by the joint interval outside."""
    return margin_of(own if low <= own.estimate <= high else joint, low, high)


def margin_of(interval: Interval, low: float, high: float) -> float:
    """Distance to the nearest bound in units of the interval's reach towards it, cut at +-`WIDEST_MARGIN`."""
    estimate = interval.estimate
    if math.isnan(estimate):
        return 0.0
    margins = [WIDEST_MARGIN]
    for bound, inside in ((low, estimate - low), (high, high - estimate)):
        if math.isfinite(bound):
            reach = interval.high - estimate if bound > estimate else estimate - interval.low
            margins.append(inside / reach if reach > 0.0 else WIDEST_MARGIN * float(np.sign(inside)))
    return max(-WIDEST_MARGIN, min(margins))


def judge_one(
    comparison: Comparison,
    interval: Interval,
    joint: Interval,
    enough: bool,
    lacking: tuple[float, float] = (0.0, 0.0),
) -> Judged:
    """Judge one comparison by its individual and joint intervals and the number of seeds missing for each."""
    low, high = comparison.low, comparison.high
    outer_low, outer_high = comparison.tolerated_low, comparison.tolerated_high
    on_bound = interval.low == interval.high and interval.estimate in (low, high)
    outside = (joint.high < outer_low or joint.low > outer_high) and not on_bound
    equal = comparison.equivalent is not None and equivalent(joint, *comparison.equivalent)
    if not enough:
        verdict = NOT_TESTED
    elif low <= interval.low and interval.high <= high and not on_bound and lacking[0] == 0.0:
        verdict = HOLDS
    elif (equal or outside) and lacking[1] == 0.0:
        verdict = FAILS
    else:
        verdict = UNCLEAR
    destined, decided_by = destiny(comparison, interval, joint)
    return Judged(
        comparison.reading,
        comparison.label,
        comparison.curve,
        interval,
        joint,
        (low, high),
        decided_by,
        verdict,
        margin_between(interval, joint, low, high),
        destined,
        comparison.equivalent,
        verdict == FAILS and not outside,
        comparison.typical,
        lacking,
    )


def destiny(comparison: Comparison, interval: Interval, joint: Interval) -> tuple[str, tuple[float, float]]:
    """The first verdict reached as the intervals shrink around the estimate, and the range that decides it."""
    allowed = (comparison.low, comparison.high)
    tolerated = (comparison.tolerated_low, comparison.tolerated_high)
    found = (UNCLEAR, allowed)
    distance = 0.0
    if allowed[0] <= interval.estimate <= allowed[1]:
        found, distance = (HOLDS, allowed), margin_of(interval, *allowed)
    elif interval.estimate < tolerated[0] or interval.estimate > tolerated[1]:
        found, distance = (FAILS, tolerated), -margin_of(joint, *tolerated)
    if comparison.equivalent is not None and margin_of(joint, *comparison.equivalent) > distance:
        found = (FAILS, comparison.equivalent)
    return found


def sets_of(comparisons: Sequence[Comparison], judged: Sequence[Judged]) -> list[list[Judged]]:
    """The sets of alternatives; a comparison without alternatives is its own set."""
    sets: dict[tuple[object, ...], list[Judged]] = {}
    for k, (comparison, each) in enumerate(zip(comparisons, judged, strict=True)):
        key = (comparison.reading, comparison.any_of) if comparison.any_of else (k,)
        sets.setdefault(key, []).append(each)
    return list(sets.values())


def nearest_to_holding(alternatives: Sequence[Judged]) -> Judged:
    """The alternative that is nearest to holding."""
    order = [FAILS, NOT_TESTED, UNCLEAR, HOLDS]
    return max(alternatives, key=lambda j: (order.index(j.verdict), j.margin))


def judge_count(count: Count, alpha: float) -> Judged:
    """Judge one count by exact limits for its rate; `alpha` is the count's part of `ALPHA` for failing."""
    rate = count.events / count.runs
    interval = Interval(rate, *exact_share(count.events, count.runs, ALPHA), LEVEL)
    joint = Interval(rate, *exact_share(count.events, count.runs, alpha), 1.0 - 2.0 * alpha)
    allowed = (-math.inf, count.rate)
    verdict = HOLDS if interval.high <= count.rate else FAILS if joint.low > count.rate else UNCLEAR
    destined = HOLDS if rate < count.rate else FAILS if rate > count.rate else UNCLEAR
    margin = margin_between(interval, joint, *allowed)
    return Judged(count.reading, count.label, count.curve, interval, joint, allowed, allowed, verdict, margin, destined)


def judge_finding(finding: Finding) -> Judged:
    """Judge one finding; a value on a bound is inside the range."""
    least, most, allowed = finding.least, finding.most, (finding.low, finding.high)
    interval = Interval(most if least < finding.low else least, least, most, LEVEL)
    verdict = UNCLEAR
    if finding.low <= least and most <= finding.high:
        verdict = HOLDS
    elif most < finding.low or least > finding.high:
        verdict = FAILS
    margin = margin_of(interval, *allowed)
    return Judged(finding.reading, finding.label, "", interval, interval, allowed, allowed, verdict, margin, verdict)


def combine(verdicts: Sequence[str]) -> str:
    """`fails` if one verdict fails, else `not_tested` if one is not tested, `holds` if all hold, else `unclear`."""
    for verdict in (FAILS, NOT_TESTED, UNCLEAR):
        if verdict in verdicts:
            return verdict
    return HOLDS
