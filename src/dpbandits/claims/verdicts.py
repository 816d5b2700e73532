"""Derives the verdict and record of a claim from its comparisons.

`judgements` gives the verdict of each comparison. A claim holds if all comparisons hold and fails if one fails; among
alternatives, the one nearest to holding counts. So `k` alternatives share the error of holding, and all sets of
alternatives share the error of failing (Bonferroni, the first step of Holm's procedure). A claim with several readings
(`combine: readings`) is judged reading by reading and is unclear if they disagree. A claim is not tested if the data
cannot decide it: with too few seeds, or according to `gates`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.claims.forecasts import needs, runs_needed, wanted_seeds
from dpbandits.claims.judgements import (
    ALPHA,
    FAILS,
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
    sets_of,
)
from dpbandits.claims.unseen import RARE, lacking, resolution, turning_size
from dpbandits.numerics.limits import exact_share, limits
from dpbandits.numerics.samples import Samples
from dpbandits.numerics.statistics import Interval
from dpbandits.numerics.tails import Tails, no_tails

METHOD = (
    "the widest of four one-sided 97.5 % confidence limits, of which two use further runs of a curve, paired by seed; "
    "the claim holds if every comparison holds, and fails if one fails at 2.5 % over all comparisons (Bonferroni)"
)
METHOD_OF_COUNTS = (
    "exact one-sided Clopper-Pearson limits at 97.5 %; the claim fails if one count fails at 2.5 % over all counts "
    "(Bonferroni)"
)


def judge(comparisons: Sequence[Comparison], how: str, tails: Tails = no_tails) -> dict[str, Any]:
    """The verdict part of a claim record.

    Parameters
    ----------
    comparisons : all comparisons of the claim.
    how : `all` or `readings`.
    tails : the tails of samples, estimated from more runs of their curves.

    Returns
    -------
    dict with verdict, estimate, interval, joint, level, comparisons (number), n (seeds), method, margin, decisive
    (label of the comparison with this estimate, intervals and margin), flips_at, resolution, turning_size, needs,
    readings (verdict by reading) and details.
    """
    n = seeds_of(comparisons)
    every = list(zip(comparisons, *intervals_of(comparisons, tails), strict=True))
    singly = [judge_one(*each, n >= FEWEST_SEEDS, lacking_of(*each, tails)) for each in every]
    sets = sets_of(comparisons, singly)
    judged = [nearest_to_holding(each) for each in sets]
    verdict, readings = concluded(judged, how)
    rate = resolution(comparisons, n, tails)
    return record(sets, verdict, readings, n, METHOD) | {
        "level": LEVEL,
        "resolution": rate,
        "turning_size": turning_size(comparisons, singly, verdict, rate),
        "needs": needs(judged, [wanted_seeds(j, n) for j in judged], verdict, how, n),
    }


def seeds_of(comparisons: Sequence[Comparison]) -> int:
    """The number of seeds, the same for all."""
    defined = [c.statistic for c in comparisons if c.statistic is not None]
    if not defined:
        raise ValueError("every mean that a comparison divides by is zero")
    return len(defined[0].influence)


def intervals_of(comparisons: Sequence[Comparison], tails: Tails) -> tuple[list[Interval], list[Interval]]:
    """The individual and joint interval of every comparison; the whole line if the statistic is undefined."""
    sets = [(c.reading, c.any_of) if c.any_of else index for index, c in enumerate(comparisons)]
    samples = Samples(tails)
    whole = Interval(math.nan, -math.inf, math.inf, LEVEL)
    own, joint = [], []
    for comparison, key in zip(comparisons, sets, strict=True):
        statistic = comparison.statistic
        own.append(whole if statistic is None else limits(statistic, ALPHA / sets.count(key), samples))
        joint.append(whole if statistic is None else limits(statistic, ALPHA / len(set(sets)), samples))
    return own, joint


def lacking_of(comparison: Comparison, own: Interval, joint: Interval, tails: Tails) -> tuple[float, float]:
    """Seeds missing before a comparison may hold by its individual interval, or fail by the joint one."""
    first, second = (lacking(comparison, 0.5 * (1.0 - each.level), tails) for each in (own, joint))
    return first, second


def judge_counts(counts: Sequence[Count], how: str) -> dict[str, Any]:
    """The verdict part of the record of a claim about rare events, as from `judge`."""
    alpha, n = ALPHA / len(counts), counts[0].seeds
    judged = [judge_count(count, alpha) for count in counts]
    verdict, readings = concluded(judged, how)
    wanted = [runs_needed(c, alpha) * c.seeds / c.runs for c in counts]
    return record([[j] for j in judged], verdict, readings, n, METHOD_OF_COUNTS) | {
        "level": LEVEL,
        "resolution": min(1.0, RARE / min(c.runs for c in counts)),
        "turning_size": None,
        "needs": needs(judged, wanted, verdict, how, n),
    }


def judge_findings(findings: Sequence[Finding], how: str) -> dict[str, Any]:
    """The verdict part of the record of an analytic or exact claim, as from `judge`."""
    judged = [judge_finding(each) for each in findings]
    verdict, readings = concluded(judged, how)
    return record([[j] for j in judged], verdict, readings, None, "closed form") | {
        "level": None,
        "resolution": None,
        "turning_size": None,
        "needs": {"what": "none", "seeds": None, "cost": None},
    }


def concluded(judged: Sequence[Judged], how: str) -> tuple[str, dict[str, str]]:
    """The verdict of a claim and of each of its readings."""
    readings = {
        reading: combine([j.verdict for j in judged if j.reading == reading])
        for reading in dict.fromkeys(j.reading for j in judged)
    }
    return overall(readings, how), readings


def overall(readings: Mapping[str, str], how: str) -> str:
    """The verdict of a claim, combined from its readings."""
    found = list(readings.values())
    if how == "readings" and len(set(found) - {NOT_TESTED}) > 1:
        return UNCLEAR
    return NOT_TESTED if how == "readings" and NOT_TESTED in found else combine(found)


def record(
    sets: Sequence[Sequence[Judged]], verdict: str, readings: Mapping[str, str], n: int | None, method: str
) -> dict[str, Any]:
    """The fields common to all records; decisive is the comparison with the verdict that has the smallest margin."""
    judged = [nearest_to_holding(each) for each in sets]
    decisive = min([j for j in judged if j.verdict == verdict] or judged, key=lambda j: j.margin)
    return {
        "verdict": verdict,
        "estimate": finite(decisive.interval.estimate)[0],
        "interval": finite(decisive.interval.low, decisive.interval.high),
        "joint": finite(decisive.joint.low, decisive.joint.high),
        "flips_at": flips_at(sets, decisive),
        "comparisons": len(judged),
        "n": n,
        "method": method,
        "margin": decisive.margin,
        "decisive": decisive.label,
        "readings": [{"reading": reading, "verdict": each} for reading, each in readings.items()],
        "details": [detail(j) for j in judged],
        "typical_run": typical_run(judged),
        "unplayed": [],
        "unresolved": [],
    }


def typical_run(judged: Sequence[Judged]) -> str | None:
    """The verdict of comparisons of two curves in a typical run, by exact limits on the share of runs.

    It holds if more than half of the runs are as claimed, and fails if less than half are. None if no comparison
    applies.
    """
    found = [typical(j.typical) for j in judged if j.typical is not None]
    return combine(found) if found else None


def typical(counted: tuple[int, int]) -> str:
    """The verdict of one comparison in a typical run."""
    runs, every = counted
    if every < FEWEST_SEEDS:
        return NOT_TESTED
    low, high = exact_share(runs, every, ALPHA)
    return HOLDS if low > 0.5 else FAILS if high < 0.5 else UNCLEAR


def flips_at(sets: Sequence[Sequence[Judged]], decisive: Judged) -> dict[str, Any]:
    """For each bound of the decisive comparison, the thresholds at which comparisons with this range change verdict.

    Returns
    -------
    By finite bound, `low` or `high`: the threshold `holds`, at which these comparisons would hold, and the threshold
    `fails`, at which one of them would fail. A `high` holds from `holds` on and fails below `fails`; a `low` holds up
    to `holds` and fails above `fails`.
    """
    same = [each for each in sets if (each[0].reading, each[0].allowed) == (decisive.reading, decisive.allowed)]
    low, high = decisive.allowed
    found: dict[str, tuple[float, float]] = {}
    if math.isfinite(low):
        found["low"] = (
            min(max(j.interval.low for j in alternatives) for alternatives in same),
            min(max(j.joint.high for j in alternatives) for alternatives in same),
        )
    if math.isfinite(high):
        found["high"] = (
            max(min(j.interval.high for j in alternatives) for alternatives in same),
            max(min(j.joint.low for j in alternatives) for alternatives in same),
        )
    return {bound: dict(zip(("holds", "fails"), finite(*ends), strict=True)) for bound, ends in found.items()}


def finite(*ends: float) -> list[float | None]:
    """Numbers for JSON: None if infinite or undefined."""
    return [end if math.isfinite(end) else None for end in ends]


def detail(judged: Judged) -> dict[str, Any]:
    """One comparison of a claim record."""
    return {
        "reading": judged.reading,
        "label": judged.label,
        "curve": judged.curve,
        "estimate": finite(judged.interval.estimate)[0],
        "interval": finite(judged.interval.low, judged.interval.high),
        "joint": finite(judged.joint.low, judged.joint.high),
        "allowed": finite(*judged.allowed),
        "verdict": judged.verdict,
        "margin": judged.margin,
        **({} if judged.equivalent is None else {"equivalent": finite(*judged.equivalent), "tied": judged.tied}),
        **({} if judged.typical is None else {"typical": list(judged.typical)}),
    }


def measured(comparisons: Sequence[Comparison], tails: Tails = no_tails) -> dict[str, Any]:
    """A record without a verdict: every comparison with its estimate and individual interval."""
    rows = [
        {
            "reading": c.reading,
            "label": c.label,
            "curve": c.curve,
            "estimate": finite(i.estimate)[0],
            "interval": finite(i.low, i.high),
        }
        for c, i in zip(comparisons, intervals_of(comparisons, tails)[0], strict=True)
    ]
    return {"n": seeds_of(comparisons), "level": LEVEL, "details": rows}
