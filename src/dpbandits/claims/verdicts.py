"""From comparisons to a verdict: `holds`, `fails` or `unclear`, and what it would take to know.

All comparisons of a claim share one simultaneous interval. A comparison holds when its whole interval lies in the
allowed range, fails when its whole interval lies outside, and is unclear otherwise; so is a point on a bound, as of two
curves that are equal. A claim holds when all hold and fails when one fails; a claim with several readings (`combine:
readings`) is judged reading by reading and is unclear when they disagree.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.claims.predicates import Comparison
from dpbandits.statistics import Interval, Statistic, seeds_needed, simultaneous_intervals

LEVEL = 0.95  # simultaneous level of all comparisons of a claim
FEWEST_SEEDS = 8  # below, no verdict
WIDEST_MARGIN = 1000.0  # margins of intervals without width are cut here
CLOSED_FORM = "closed form"  # the reading of claims that need no data
HOLDS, FAILS, UNCLEAR = "holds", "fails", "unclear"


@dataclass(frozen=True)
class Finding:
    """A number that needs no simulation, and the closed range in which the claim wants it."""

    label: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Judged:
    """A comparison with its interval, verdict and margin.

    The margin is the distance from the estimate to the nearest bound in half-widths of the interval, positive inside
    the allowed range: 1 or more holds, below -1 fails.
    """

    comparison: Comparison
    interval: Interval
    verdict: str
    margin: float


def judge_one(comparison: Comparison, interval: Interval, enough: bool) -> Judged:
    """Verdict of one comparison from its interval."""
    low, high = comparison.low, comparison.high
    inside = min(interval.estimate - low, high - interval.estimate)
    half = 0.5 * (interval.high - interval.low)
    margin = inside / half if half > 0.0 else WIDEST_MARGIN * float(np.sign(inside))
    if not enough or inside == half == 0.0:
        verdict = UNCLEAR
    elif low <= interval.low and interval.high <= high:
        verdict = HOLDS
    elif interval.high < low or interval.low > high:
        verdict = FAILS
    else:
        verdict = UNCLEAR
    return Judged(comparison, interval, verdict, max(-WIDEST_MARGIN, min(WIDEST_MARGIN, margin)))


def combine(verdicts: Sequence[str]) -> str:
    """`fails` if one fails, `holds` if all hold, else `unclear`."""
    if FAILS in verdicts:
        return FAILS
    return HOLDS if all(verdict == HOLDS for verdict in verdicts) else UNCLEAR


def judge(comparisons: Sequence[Comparison], rng: Generator, how: str) -> dict[str, Any]:
    """The verdict part of a claim record.

    Parameters
    ----------
    comparisons : all comparisons of the claim.
    rng : stream of the resamples behind the simultaneous interval.
    how : `all` or `readings`.

    Returns
    -------
    dict with verdict, estimate, interval, level, comparisons (their number), n (seeds), margin, decisive (label of the
    comparison that estimate, interval and margin belong to), needs, readings (verdict by reading) and details.
    """
    n = len(comparisons[0].statistic.influence)
    enough = n >= FEWEST_SEEDS
    intervals = simultaneous_intervals([c.statistic for c in comparisons], rng, LEVEL)
    judged = [judge_one(c, i, enough) for c, i in zip(comparisons, intervals, strict=True)]
    readings = {
        reading: combine([j.verdict for j in judged if j.comparison.reading == reading])
        for reading in dict.fromkeys(c.reading for c in comparisons)
    }
    verdict = combine([j.verdict for j in judged])
    if how == "readings" and len(set(readings.values())) > 1:
        verdict = UNCLEAR
    return record(judged, verdict, readings, n) | {"level": LEVEL, "needs": needs(judged, verdict, how, n)}


def judge_findings(findings: Sequence[Finding]) -> dict[str, Any]:
    """The verdict part of the record of an analytic or exact claim, as `judge`; there are no seeds and no intervals."""
    judged = [
        replace(
            judge_one(
                Comparison(CLOSED_FORM, each.label, Statistic(each.value, np.zeros(0)), each.low, each.high),
                Interval(each.value, each.value, each.value, LEVEL),
                enough=True,
            ),
            verdict=HOLDS if each.low <= each.value <= each.high else FAILS,  # exact: a value on a bound is inside
        )
        for each in findings
    ]
    verdict = combine([j.verdict for j in judged])
    needed = {"what": "none", "seeds": None, "cost": None}
    return record(judged, verdict, {CLOSED_FORM: verdict}, None) | {"level": None, "needs": needed}


def record(judged: Sequence[Judged], verdict: str, readings: Mapping[str, str], n: int | None) -> dict[str, Any]:
    """What records of all kinds share; the decisive comparison is the one with the smallest margin."""
    decisive = min(judged, key=lambda j: j.margin)
    return {
        "verdict": verdict,
        "estimate": decisive.interval.estimate,
        "interval": finite(decisive.interval.low, decisive.interval.high),
        "comparisons": len(judged),
        "n": n,
        "margin": decisive.margin,
        "decisive": decisive.comparison.label,
        "readings": [{"reading": reading, "verdict": each} for reading, each in readings.items()],
        "details": [detail(j) for j in judged],
    }


def needs(judged: Sequence[Judged], verdict: str, how: str, n: int) -> dict[str, Any]:
    """What would settle an unclear verdict: `seeds` (how many in all), or `none` when no number of seeds would.

    None would where an estimate lies next to its bound, and where readings disagree or are about to.
    """
    if verdict == UNCLEAR and n < FEWEST_SEEDS:
        return {"what": "seeds", "seeds": FEWEST_SEEDS}
    groups: dict[str, list[Judged]] = {}
    for j in judged:
        groups.setdefault(j.comparison.reading if how == "readings" else "", []).append(j)
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
    wanted = [(j.margin, wanted_seeds(j, n)) for j in judged if j.verdict == UNCLEAR]
    outside = [number for margin, number in wanted if margin < 0.0]
    return (FAILS, min(outside)) if outside else (HOLDS, max(number for _, number in wanted))


def wanted_seeds(judged: Judged, n: int) -> float:
    """Seeds in all with which a comparison is decided; infinite where no affordable number does."""
    low, high = judged.comparison.low, judged.comparison.high
    estimate = judged.interval.estimate
    number = seeds_needed(judged.interval, n, low if estimate - low < high - estimate else high)
    return math.inf if number is None else number


def finite(*ends: float) -> list[float | None]:
    """Ends of an interval or of a range as JSON has them: None where infinite."""
    return [end if math.isfinite(end) else None for end in ends]


def detail(judged: Judged) -> dict[str, Any]:
    """One comparison of a claim record."""
    comparison, interval = judged.comparison, judged.interval
    return {
        "reading": comparison.reading,
        "label": comparison.label,
        "estimate": interval.estimate,
        "interval": finite(interval.low, interval.high),
        "allowed": finite(comparison.low, comparison.high),
        "verdict": judged.verdict,
        "margin": judged.margin,
    }
