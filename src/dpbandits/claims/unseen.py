"""Kinds of runs that no sample contains: how rare they must be, and how large to change a verdict.

A kind of run that is rarer than the resolution may be missing from every sample, and no rule can detect it. It would
change a verdict if its runs were large enough. A record therefore states the size from which they would, and readers
can judge for themselves.
"""

import math
from collections.abc import Iterator, Sequence

from dpbandits.claims.comparisons import Comparison
from dpbandits.claims.judgements import FAILS, HOLDS, Judged
from dpbandits.numerics.statistics import Floats, Statistic, samples_of
from dpbandits.numerics.tails import Tails

RARE = 3.0  # expected number of occurrences of a kind of run that 5 % of samples miss
COMMON = 0.05  # rate from which a kind of run must have been seen, if it exists, before a mean is decided; our choice


def resolution(comparisons: Sequence[Comparison], n: int, tails: Tails) -> float:
    """The rate from which a kind of run would probably have been seen, for every compared algorithm."""
    rows = {id(row): row for c in comparisons if c.statistic is not None for row, _ in c.statistic.parts}
    found = [seen(row, tails)[0] for row in rows.values()]
    return min(1.0, RARE / min((each for each in found if math.isfinite(each)), default=n))


def seen(row: Floats, tails: Tails) -> tuple[float, int]:
    """Number of runs of a sample's algorithm, in all experiments and in its own experiment."""
    tail = tails(row)
    return (row.size, row.size) if tail is None else (max(tail.runs, tail.seen), tail.runs)


def enough(alpha: float) -> int:
    """The least number of runs that miss a kind of run of rate `COMMON` with probability at most `alpha`."""
    return math.ceil(math.log(alpha) / math.log1p(-COMMON))


def lacking(comparison: Comparison, alpha: float, tails: Tails, more: float = 1.0) -> float:
    """Number of seeds missing before a mean may be decided at `alpha`; 0 for medians and shares of runs.

    More seeds of an experiment add that many runs to each of its cells. A forecast multiplies the runs of all
    experiments by `more`.
    """
    statistic = comparison.statistic
    if statistic is None or statistic.share is not None or not comparison.of_means:
        return 0.0
    found = ((row.size, *seen(row, tails)) for row, _ in samples_of(statistic))
    return max((n * max(0.0, enough(alpha) / more - every) / own for n, every, own in found), default=0.0)


def turning_size(
    comparisons: Sequence[Comparison], judged: Sequence[Judged], verdict: str, rate: float
) -> float | None:
    """The size of an unseen run, in means of its cell, that would change the verdict.

    The kind has this rate in one cell and shifts the limits by its contribution to the mean there, to first order. A
    claim that holds changes with the comparison that needs the smallest size; a claim that fails changes if all failing
    comparisons do. A set of alternatives of which one does not fail makes no claim fail.

    Returns
    -------
    The size; None if no size changes the verdict, for other verdicts, and for medians and shares of runs.
    """
    sets: dict[object, list[float]] = {}
    keys = [(c.reading, c.any_of) if c.any_of else k for k, c in enumerate(comparisons)]
    open_ = {key for key, each in zip(keys, judged, strict=True) if verdict == FAILS and each.verdict != FAILS}
    for key, comparison, each in zip(keys, comparisons, judged, strict=True):
        counts = each.verdict == verdict and key not in open_
        if counts and comparison.statistic is not None and comparison.of_means:
            sets.setdefault(key, []).append(min(sizes(comparison, each, comparison.statistic, rate), default=math.inf))
    found = math.inf
    if sets and verdict == HOLDS:
        found = min(max(alternatives) for alternatives in sets.values())
    elif sets and verdict == FAILS:
        found = max(min(alternatives) for alternatives in sets.values())
    return found if math.isfinite(found) else None


def sizes(comparison: Comparison, judged: Judged, statistic: Statistic, rate: float) -> Iterator[float]:
    """The sizes of unseen runs from which a comparison's verdict changes, upwards and downwards."""
    weights = [weight * float(row.mean()) for row, weight in samples_of(statistic)]
    for sign, distance in distances(comparison, judged):
        most = max((sign * each for each in weights), default=0.0)
        if most > 0.0 and statistic.share is None and math.isfinite(distance):
            yield 1.0 + max(0.0, distance) / (rate * most)


def distances(comparison: Comparison, judged: Judged) -> Iterator[tuple[int, float]]:
    """Direction (1 up, -1 down) and distance by which a limit must move to change the verdict."""
    own, joint = judged.interval, judged.joint
    if judged.verdict == HOLDS:
        yield from ((1, comparison.high - own.high), (-1, own.low - comparison.low))
    elif judged.tied and judged.equivalent is not None:
        yield from ((1, judged.equivalent[1] - joint.high), (-1, joint.low - judged.equivalent[0]))
    elif joint.high < comparison.tolerated_low:
        yield 1, comparison.tolerated_low - joint.high
    else:
        yield -1, joint.low - comparison.tolerated_high
