"""From comparisons to a verdict: `holds`, `fails` or `unclear`, and what it would take to know.

All comparisons of a claim share one simultaneous interval. A comparison holds when its whole interval lies in the
allowed range, fails when its whole interval lies outside (where the test tolerates a wider range, outside that), and is
unclear otherwise; so is a point on a bound, as of two curves that are equal. Where a range of equivalence is given, an
interval that lies in it and does not hold fails: the difference that the claim speaks of is not there. A claim holds
when all hold and fails when one fails; of comparisons that are alternatives the one nearest to holding counts. A claim
with several readings (`combine: readings`) is judged reading by reading and is unclear when they disagree.

Of rare events the number of runs that show them is counted: none in enough runs holds, a rate whose exact interval
lies above the allowed one fails. Closed forms are numbers, or bounds on a number from both sides.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import special

from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.statistics import Interval, bonferroni_intervals, equivalent, seeds_needed, simultaneous_intervals

LEVEL = 0.95  # simultaneous level of all comparisons of a claim
FEWEST_SEEDS = 8  # below, no verdict
FEWEST_RUNS = 1000  # in which a rare event must not have happened
WIDEST_MARGIN = 1000.0  # margins of intervals without width are cut here
METHODS = {
    "bootstrap": "one simultaneous 95 % interval (studentised bootstrap, paired by seed)",
    "student": "Student's intervals by seed, 95 % jointly (Bonferroni)",
}
"""How a paper's intervals are made: by resampling, or where regret takes few values, by Student's t."""
HOLDS, FAILS, UNCLEAR = "holds", "fails", "unclear"


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
        verdict = UNCLEAR
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
    """Of every set of alternatives the one nearest to holding; what has no alternative as it is."""
    sets: dict[tuple[object, ...], list[Judged]] = {}
    for k, (comparison, each) in enumerate(zip(comparisons, judged, strict=True)):
        key = (comparison.reading, comparison.any_of) if comparison.any_of else (k,)
        sets.setdefault(key, []).append(each)
    order = [FAILS, UNCLEAR, HOLDS]
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


def combine(verdicts: Sequence[str]) -> str:
    """`fails` if one fails, `holds` if all hold, else `unclear`."""
    if FAILS in verdicts:
        return FAILS
    return HOLDS if all(verdict == HOLDS for verdict in verdicts) else UNCLEAR


def judge(comparisons: Sequence[Comparison], rng: Generator, how: str, intervals: str = "bootstrap") -> dict[str, Any]:
    """The verdict part of a claim record.

    Parameters
    ----------
    comparisons : all comparisons of the claim.
    rng : stream of the resamples behind the simultaneous interval.
    how : `all` or `readings`.
    intervals : a key of `METHODS`.

    Returns
    -------
    dict with verdict, estimate, interval, level, comparisons (their number), n (seeds), method, margin, decisive (label
    of the comparison that estimate, interval and margin belong to), needs, readings (verdict by reading) and details.
    """
    n, found = intervals_of(comparisons, rng, intervals)
    judged = [judge_one(c, i, n >= FEWEST_SEEDS) for c, i in zip(comparisons, found, strict=True)]
    judged = nearest_to_holding(comparisons, judged)
    verdict, readings = concluded(judged, how)
    return record(judged, verdict, readings, n, METHODS[intervals]) | {
        "level": LEVEL,
        "needs": needs(judged, verdict, how, n),
    }


def intervals_of(comparisons: Sequence[Comparison], rng: Generator, intervals: str) -> tuple[int, list[Interval]]:
    """Number of seeds, and simultaneous intervals; of an undefined statistic the whole line."""
    defined = [c.statistic for c in comparisons if c.statistic is not None]
    if not defined:
        raise ValueError("every mean that a comparison divides by is zero")
    student = intervals == "student"
    found = iter(bonferroni_intervals(defined, LEVEL) if student else simultaneous_intervals(defined, rng, LEVEL))
    whole = Interval(math.nan, -math.inf, math.inf, LEVEL)
    return len(defined[0].influence), [whole if c.statistic is None else next(found) for c in comparisons]


def judge_counts(counts: Sequence[Count], how: str) -> dict[str, Any]:
    """The verdict part of the record of a claim about rare events, as `judge`; the level is shared evenly."""
    judged = [judge_count(count, 1.0 - (1.0 - LEVEL) / len(counts)) for count in counts]
    verdict, readings = concluded(judged, how)
    seeds = max(c.seeds * math.ceil(FEWEST_RUNS / c.runs) for c in counts)
    more = verdict == UNCLEAR and not any(c.events for c in counts)
    needed = {"what": "seeds", "seeds": seeds} if more else {"what": "none", "seeds": None}
    method = f"none in {FEWEST_RUNS} runs or more holds; fails by exact intervals (Clopper and Pearson), 95 % jointly"
    return record(judged, verdict, readings, counts[0].seeds, method) | {"level": LEVEL, "needs": needed}


def judge_findings(findings: Sequence[Finding], how: str) -> dict[str, Any]:
    """The verdict part of the record of an analytic or exact claim, as `judge`; a value on a bound is inside."""
    judged = []
    for each in findings:
        interval = Interval(each.most if each.least < each.low else each.least, each.least, each.most, LEVEL)
        verdict = UNCLEAR
        if each.low <= each.least and each.most <= each.high:
            verdict = HOLDS
        elif each.most < each.low or each.least > each.high:
            verdict = FAILS
        allowed = (each.low, each.high)
        margin = margin_of(interval, *allowed)
        judged.append(Judged(each.reading, each.label, "", interval, allowed, allowed, verdict, margin, verdict))
    verdict, readings = concluded(judged, how)
    return record(judged, verdict, readings, None, "closed form") | {
        "level": None,
        "needs": {"what": "none", "seeds": None, "cost": None},
    }


def concluded(judged: Sequence[Judged], how: str) -> tuple[str, dict[str, str]]:
    """The verdict of a claim, and that of each of its readings."""
    readings = {
        reading: combine([j.verdict for j in judged if j.reading == reading])
        for reading in dict.fromkeys(j.reading for j in judged)
    }
    return overall(readings, how), readings


def overall(readings: Mapping[str, str], how: str) -> str:
    """The verdict that those of the readings come to."""
    if how == "readings" and len(set(readings.values())) > 1:
        return UNCLEAR
    return combine(list(readings.values()))


def record(
    judged: Sequence[Judged], verdict: str, readings: Mapping[str, str], n: int | None, method: str
) -> dict[str, Any]:
    """What records of all kinds share; decisive is the smallest margin among the comparisons that have the verdict."""
    decisive = min([j for j in judged if j.verdict == verdict] or judged, key=lambda j: j.margin)
    return {
        "verdict": verdict,
        "estimate": finite(decisive.interval.estimate)[0],
        "interval": finite(decisive.interval.low, decisive.interval.high),
        "comparisons": len(judged),
        "n": n,
        "method": method,
        "margin": decisive.margin,
        "decisive": decisive.label,
        "readings": [{"reading": reading, "verdict": each} for reading, each in readings.items()],
        "details": [detail(j) for j in judged],
    }


def needs(judged: Sequence[Judged], verdict: str, how: str, n: int) -> dict[str, Any]:
    """What would settle an unclear verdict: `seeds` (how many in all), or `none` when no number of seeds would.

    None would where an estimate lies next to its bound or between the bounds of holding and failing, and where
    readings disagree or are about to.
    """
    if verdict == UNCLEAR and n < FEWEST_SEEDS:
        return {"what": "seeds", "seeds": FEWEST_SEEDS}
    groups: dict[str, list[Judged]] = {}
    for j in judged:
        groups.setdefault(j.reading if how == "readings" else "", []).append(j)
    forecasts = [forecast(group, n) for group in groups.values()]
    seeds = max(number for _, number in forecasts)
    if verdict != UNCLEAR or seeds == math.inf or len({each for each, _ in forecasts}) > 1:
        return {"what": "none", "seeds": None}
    return {"what": "seeds", "seeds": int(seeds)}


def forecast(judged: Sequence[Judged], n: int) -> tuple[str, float]:
    """The verdict once the intervals have shrunk around these estimates, and the seeds in all that this takes."""
    verdict = combine([j.verdict for j in judged])
    if verdict != UNCLEAR:
        return verdict, n
    wanted = [(j.destined, wanted_seeds(j, n)) for j in judged if j.verdict == UNCLEAR]
    outside = [number for destined, number in wanted if destined == FAILS]
    return (FAILS, min(outside)) if outside else (HOLDS, max(number for _, number in wanted))


def wanted_seeds(judged: Judged, n: int) -> float:
    """Seeds in all with which a comparison is decided; infinite where no affordable number does."""
    estimate = judged.interval.estimate
    if math.isnan(estimate):  # undefined so far: what it rests on is compared as well, and says when
        return n
    if judged.destined == UNCLEAR:
        return math.inf
    low, high = judged.decided_by
    number = seeds_needed(judged.interval, n, low if estimate - low < high - estimate else high)
    return math.inf if number is None else number


def finite(*ends: float) -> list[float | None]:
    """Numbers as JSON has them: None where infinite or undefined."""
    return [end if math.isfinite(end) else None for end in ends]


def detail(judged: Judged) -> dict[str, Any]:
    """One comparison of a claim record."""
    return {
        "reading": judged.reading,
        "label": judged.label,
        "curve": judged.curve,
        "estimate": finite(judged.interval.estimate)[0],
        "interval": finite(judged.interval.low, judged.interval.high),
        "allowed": finite(*judged.allowed),
        "verdict": judged.verdict,
        "margin": judged.margin,
    } | ({} if judged.equivalent is None else {"equivalent": finite(*judged.equivalent)})


def measured(comparisons: Sequence[Comparison], rng: Generator, intervals: str = "bootstrap") -> dict[str, Any]:
    """A record without a verdict: every comparison with its estimate and its simultaneous interval."""
    n, found = intervals_of(comparisons, rng, intervals)
    rows = [
        {
            "reading": c.reading,
            "label": c.label,
            "curve": c.curve,
            "estimate": finite(i.estimate)[0],
            "interval": finite(i.low, i.high),
        }
        for c, i in zip(comparisons, found, strict=True)
    ]
    return {"n": n, "level": LEVEL, "details": rows}
