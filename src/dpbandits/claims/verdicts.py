"""From the comparisons of a claim to its verdict and record, and what it would take to know.

`judgements` has the verdict of each comparison. A claim holds when all hold and fails when one fails; of comparisons
that are alternatives the one nearest to holding counts. So `k` alternatives share the error of holding, and all sets of
alternatives share that of failing (Bonferroni, the first step of Holm's procedure). A claim with several readings
(`combine: readings`) is judged reading by reading and is unclear when they disagree. A claim is not tested where the
data cannot decide it: with too few seeds, or as `gates` says.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.claims.comparisons import Comparison, Count
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
from dpbandits.numerics.limits import Tails, exact_share, limits, no_tails
from dpbandits.numerics.statistics import Interval, seeds_needed

METHOD = (
    "limits of 97.5 % to either side, paired by seed (Student, Hall, Cornish-Fisher with the skewness of more runs); "
    "it holds if all comparisons do, and fails if one does at 2.5 % over all of them (Bonferroni)"
)
METHOD_OF_COUNTS = "exact limits of Clopper and Pearson, 97.5 % to either side; it fails at 2.5 % over all counts"
MOST_RUNS = 10**9  # no affordable number of runs lies above; our choice
RARE = 3.0  # in so many runs, on average, a kind of run happens that is missed in 5 % of samples


def judge(comparisons: Sequence[Comparison], how: str, tails: Tails = no_tails) -> dict[str, Any]:
    """The verdict part of a claim record.

    Parameters
    ----------
    comparisons : all comparisons of the claim.
    how : `all` or `readings`.
    tails : what more runs of a curve say about a sample of it.

    Returns
    -------
    dict with verdict, estimate, interval, joint, level, comparisons (their number), n (seeds), method, margin, decisive
    (label of the comparison that estimate, intervals and margin belong to), flips_at, resolution, needs, readings
    (verdict by reading) and details.
    """
    n = seeds_of(comparisons)
    every = list(zip(comparisons, *intervals_of(comparisons, tails), strict=True))
    sets = sets_of(comparisons, [judge_one(*each, n >= FEWEST_SEEDS) for each in every])
    judged = [nearest_to_holding(each) for each in sets]
    verdict, readings = concluded(judged, how)
    return record(sets, verdict, readings, n, METHOD) | {
        "level": LEVEL,
        "resolution": resolution(comparisons, n, tails),
        "needs": needs(judged, [wanted_seeds(j, n) for j in judged], verdict, how, n),
    }


def seeds_of(comparisons: Sequence[Comparison]) -> int:
    """The number of seeds, the same for all."""
    defined = [c.statistic for c in comparisons if c.statistic is not None]
    if not defined:
        raise ValueError("every mean that a comparison divides by is zero")
    return len(defined[0].influence)


def intervals_of(comparisons: Sequence[Comparison], tails: Tails) -> tuple[list[Interval], list[Interval]]:
    """Of every comparison its own interval and the joint one; of an undefined statistic the whole line."""
    sets = [(c.reading, c.any_of) if c.any_of else index for index, c in enumerate(comparisons)]
    whole = Interval(math.nan, -math.inf, math.inf, LEVEL)
    own, joint = [], []
    for comparison, key in zip(comparisons, sets, strict=True):
        statistic = comparison.statistic
        own.append(whole if statistic is None else limits(statistic, ALPHA / sets.count(key), tails))
        joint.append(whole if statistic is None else limits(statistic, ALPHA / len(set(sets)), tails))
    return own, joint


def resolution(comparisons: Sequence[Comparison], n: int, tails: Tails) -> float:
    """The rate of a kind of run that would probably have been seen in the runs of every curve that is compared."""
    rows = {id(row): row for c in comparisons if c.statistic is not None for row, _ in c.statistic.parts}
    found = [tails(row) for row in rows.values()]
    return min(1.0, RARE / min((n if tail is None else tail.runs for tail in found), default=n))


def judge_counts(counts: Sequence[Count], how: str) -> dict[str, Any]:
    """The verdict part of the record of a claim about rare events, as `judge`."""
    alpha, n = ALPHA / len(counts), counts[0].seeds
    judged = [judge_count(count, alpha) for count in counts]
    verdict, readings = concluded(judged, how)
    wanted = [runs_needed(c, alpha) * c.seeds / c.runs for c in counts]
    return record([[j] for j in judged], verdict, readings, n, METHOD_OF_COUNTS) | {
        "level": LEVEL,
        "resolution": min(1.0, RARE / min(c.runs for c in counts)),
        "needs": needs(judged, wanted, verdict, how, n),
    }


def runs_needed(count: Count, alpha: float) -> float:
    """Runs with which a count would be decided at the rate that was seen: the least, up to a part in a thousand.

    `alpha` is as in `judge_count`. Infinite where no affordable number does.
    """
    low, high = count.runs, count.runs
    while not _decided(count, high, alpha):
        if high > MOST_RUNS:
            return math.inf
        low, high = high, 2 * high
    while high - low > 1 + high // 1000:
        middle = (low + high) // 2
        low, high = (low, middle) if _decided(count, middle, alpha) else (middle, high)
    return high


def _decided(count: Count, runs: int, alpha: float) -> bool:
    """Whether the count would be decided with so many runs, and as many events as are a part of them now."""
    events = count.events * runs / count.runs
    return exact_share(events, runs, ALPHA)[1] <= count.rate or exact_share(events, runs, alpha)[0] > count.rate


def judge_findings(findings: Sequence[Finding], how: str) -> dict[str, Any]:
    """The verdict part of the record of an analytic or exact claim, as `judge`."""
    judged = [judge_finding(each) for each in findings]
    verdict, readings = concluded(judged, how)
    return record([[j] for j in judged], verdict, readings, None, "closed form") | {
        "level": None,
        "resolution": None,
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
    sets: Sequence[Sequence[Judged]], verdict: str, readings: Mapping[str, str], n: int | None, method: str
) -> dict[str, Any]:
    """What records of all kinds share; decisive is the smallest margin among the comparisons that have the verdict."""
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
    """What comparisons of two curves come to in a typical run, each by the exact limits of its share of runs.

    More than half of the runs are as claimed: it holds; less than half: it fails. None where nothing says so.
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
    """For each bound of the decisive comparison, the thresholds at which comparisons with this range change.

    Returns
    -------
    By bound, `low` or `high`, where it is finite: with which thresholds these comparisons would hold, `holds`, and with
    which one of them would fail, `fails`. A `high` holds from `holds` on and fails below `fails`; a `low` holds up to
    `holds` and fails above `fails`.
    """
    same = [each for each in sets if (each[0].reading, each[0].allowed) == (decisive.reading, decisive.allowed)]
    low, high = decisive.allowed
    found: dict[str, Any] = {}
    if math.isfinite(low):
        ends = (
            min(max(j.interval.low for j in alternatives) for alternatives in same),
            min(max(j.joint.high for j in alternatives) for alternatives in same),
        )
        found["low"] = dict(zip(("holds", "fails"), finite(*ends), strict=True))
    if math.isfinite(high):
        ends = (
            max(min(j.interval.high for j in alternatives) for alternatives in same),
            max(min(j.joint.low for j in alternatives) for alternatives in same),
        )
        found["high"] = dict(zip(("holds", "fails"), finite(*ends), strict=True))
    return found


def needs(judged: Sequence[Judged], wanted: Sequence[float], verdict: str, how: str, n: int) -> dict[str, Any]:
    """What would decide a claim: `seeds` (how many in all), or `none` when it is decided or no number of seeds would.

    None would where an estimate lies next to its bound or between the bounds of holding and failing, and where
    readings disagree or are about to. `wanted` is the number of seeds in all that decides each comparison.
    """
    if verdict == NOT_TESTED:
        return {"what": "seeds", "seeds": FEWEST_SEEDS}
    groups: dict[str, list[tuple[Judged, float]]] = {}
    for j, seeds in zip(judged, wanted, strict=True):
        groups.setdefault(j.reading if how == "readings" else "", []).append((j, seeds))
    forecasts = [forecast(group, n) for group in groups.values()]
    slowest = max(number for _, number in forecasts)
    if verdict != UNCLEAR or slowest == math.inf or len({each for each, _ in forecasts}) > 1:
        return {"what": "none", "seeds": None}
    return {"what": "seeds", "seeds": math.ceil(slowest)}


def forecast(group: Sequence[tuple[Judged, float]], n: int) -> tuple[str, float]:
    """The verdict once the intervals have shrunk around these estimates, and the seeds in all that this takes."""
    verdict = combine([j.verdict for j, _ in group])
    if verdict != UNCLEAR:
        return verdict, n
    unclear = [(j.destined, seeds) for j, seeds in group if j.verdict == UNCLEAR]
    outside = [seeds for destined, seeds in unclear if destined == FAILS]
    return (FAILS, min(outside)) if outside else (HOLDS, max(seeds for _, seeds in unclear))


def wanted_seeds(judged: Judged, n: int) -> float:
    """Seeds in all with which a comparison is decided; infinite where no affordable number does."""
    estimate = judged.interval.estimate
    if math.isnan(estimate):  # undefined so far: what it rests on is compared as well, and says when
        return n
    if judged.destined == UNCLEAR:
        return math.inf
    low, high = judged.decided_by
    interval = judged.interval if judged.destined == HOLDS else judged.joint
    bounds = [low, high] if low <= estimate <= high else [low if estimate < low else high]
    numbers = [seeds_needed(interval, n, bound) for bound in bounds]
    return max(math.inf if number is None else number for number in numbers)


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
        "joint": finite(judged.joint.low, judged.joint.high),
        "allowed": finite(*judged.allowed),
        "verdict": judged.verdict,
        "margin": judged.margin,
        **({} if judged.equivalent is None else {"equivalent": finite(*judged.equivalent), "tied": judged.tied}),
        **({} if judged.typical is None else {"typical": list(judged.typical)}),
    }


def measured(comparisons: Sequence[Comparison], tails: Tails = no_tails) -> dict[str, Any]:
    """A record without a verdict: every comparison with its estimate and its own interval."""
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
