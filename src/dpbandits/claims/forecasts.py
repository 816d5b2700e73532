"""Forecasts of the total number of seeds or runs that would decide an unclear claim.

A forecast keeps the estimates and shrinks the intervals around them, so it is right about half of the time.
"""

import math
from collections.abc import Sequence
from typing import Any

from dpbandits.claims.comparisons import Count
from dpbandits.claims.judgements import (
    ALPHA,
    FAILS,
    FEWEST_SEEDS,
    HOLDS,
    NOT_TESTED,
    UNCLEAR,
    Judged,
    combine,
)
from dpbandits.numerics.limits import exact_share
from dpbandits.numerics.statistics import seeds_needed

MOST_RUNS = 10**9  # largest affordable number of runs; our choice


def needs(judged: Sequence[Judged], wanted: Sequence[float], verdict: str, how: str, n: int) -> dict[str, Any]:
    """What would decide a claim: `seeds` (their total number), or `none` if it is decided or no number of seeds would.

    It is `runs` if intervals are narrow enough but too few runs were seen. No number decides if an estimate lies next
    to its bound or between the bounds of holding and failing, or if readings disagree or are about to. `wanted` is the
    total number of seeds that decides each comparison.
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
    only_runs = all(j.lacks_runs for j in judged if j.verdict == UNCLEAR)
    return {"what": "runs" if only_runs else "seeds", "seeds": math.ceil(slowest)}


def forecast(group: Sequence[tuple[Judged, float]], n: int) -> tuple[str, float]:
    """The verdict once the intervals have shrunk around these estimates, and the total number of seeds for it."""
    verdict = combine([j.verdict for j, _ in group])
    if verdict != UNCLEAR:
        return verdict, n
    unclear = [(j.destined, seeds) for j, seeds in group if j.verdict == UNCLEAR]
    outside = [seeds for destined, seeds in unclear if destined == FAILS]
    return (FAILS, min(outside)) if outside else (HOLDS, max(seeds for _, seeds in unclear))


def wanted_seeds(judged: Judged, n: int) -> float:
    """Total number of seeds that decides a comparison; infinite if no affordable number does."""
    estimate = judged.interval.estimate
    if math.isnan(estimate):  # undefined so far: its premises are compared too, and they determine the number
        return n
    if judged.destined == UNCLEAR:
        return math.inf
    low, high = judged.decided_by
    interval = judged.interval if judged.destined == HOLDS else judged.joint
    bounds = [low, high] if low <= estimate <= high else [low if estimate < low else high]
    numbers = [seeds_needed(interval, n, bound) for bound in bounds if math.isfinite(bound)]
    more = n + judged.lacking[0 if judged.destined == HOLDS else 1]
    return max([more, *(math.inf if number is None else number for number in numbers)])


def runs_needed(count: Count, alpha: float) -> float:
    """Least number of runs that would decide a count at its observed rate, to a relative precision of 1/1000.

    `alpha` is as in `judge_count`. Infinite if no affordable number does.
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
    """Whether the count would be decided with this number of runs at the observed rate."""
    events = count.events * runs / count.runs
    return exact_share(events, runs, ALPHA)[1] <= count.rate or exact_share(events, runs, alpha)[0] > count.rate
