"""From the comparisons of a claim to its verdict and record, and what it would take to know.

All comparisons of a claim share one simultaneous interval; `judgements` has the verdict of each. A claim holds when all
hold and fails when one fails; of comparisons that are alternatives the one nearest to holding counts. A claim with
several readings (`combine: readings`) is judged reading by reading and is unclear when they disagree. A claim is not
tested where the data cannot decide it: with too few seeds, or as `gates` says.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.random import Generator

from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.claims.judgements import (
    FAILS,
    FEWEST_RUNS,
    FEWEST_SEEDS,
    HOLDS,
    LEVEL,
    NOT_TESTED,
    UNCLEAR,
    Finding,
    Judged,
    combine,
    judge_count,
    judge_finding,
    judge_one,
    nearest_to_holding,
)
from dpbandits.numerics.statistics import Interval, bonferroni_intervals, seeds_needed, simultaneous_intervals

METHODS = {
    "bootstrap": "one simultaneous 95 % interval (studentised bootstrap, paired by seed)",
    "student": "Student's intervals by seed, 95 % jointly (Bonferroni)",
}
"""How a paper's intervals are made: by resampling, or where regret takes few values, by Student's t."""


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
    """The verdict part of the record of an analytic or exact claim, as `judge`."""
    judged = [judge_finding(each) for each in findings]
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
    found = list(readings.values())
    if how == "readings" and len(set(found) - {NOT_TESTED}) > 1:
        return UNCLEAR
    return NOT_TESTED if how == "readings" and NOT_TESTED in found else combine(found)


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
        "unplayed": [],
        "unresolved": [],
    }


def needs(judged: Sequence[Judged], verdict: str, how: str, n: int) -> dict[str, Any]:
    """What would decide a claim: `seeds` (how many in all), or `none` when it is decided or no number of seeds would.

    None would where an estimate lies next to its bound or between the bounds of holding and failing, and where
    readings disagree or are about to.
    """
    if verdict == NOT_TESTED:
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
