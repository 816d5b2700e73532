"""What a verdict says about kinds of runs that nobody saw: how rare they are, and how large they would have to be.

A kind of run that is rarer than the resolution may be in no sample, and no rule can know of it. It would turn a verdict
if its runs were large enough. So a record says from which size on they would, and readers may judge for themselves.
"""

import math
from collections.abc import Iterator, Sequence

from dpbandits.claims.comparisons import Comparison
from dpbandits.claims.judgements import FAILS, HOLDS, Judged
from dpbandits.numerics.statistics import Statistic
from dpbandits.numerics.tails import Tails

RARE = 3.0  # in so many runs, on average, a kind of run happens that is missed in 5 % of samples


def resolution(comparisons: Sequence[Comparison], n: int, tails: Tails) -> float:
    """The rate of a kind of run that would probably have been seen in the runs of every curve that is compared."""
    rows = {id(row): row for c in comparisons if c.statistic is not None for row, _ in c.statistic.parts}
    found = [tails(row) for row in rows.values()]
    return min(1.0, RARE / min((n if tail is None else tail.runs for tail in found), default=n))


def turning_size(
    comparisons: Sequence[Comparison], judged: Sequence[Judged], verdict: str, rate: float
) -> float | None:
    """How many times the mean of its cell a run of an unseen kind must have, for the verdict to be another.

    The kind has this rate in one cell, and moves the limits by what it adds to the mean there, to first order. A claim
    that holds is turned by the comparison that needs least; one that fails when all that fail are turned.

    Returns
    -------
    The size; None where runs of no size turn the verdict, for other verdicts, and for medians and shares of runs.
    """
    sets: dict[object, list[float]] = {}
    for k, (comparison, each) in enumerate(zip(comparisons, judged, strict=True)):
        if each.verdict == verdict and comparison.statistic is not None and comparison.of_means:
            key = (comparison.reading, comparison.any_of) if comparison.any_of else k
            sets.setdefault(key, []).append(min(sizes(comparison, each, comparison.statistic, rate), default=math.inf))
    found = math.inf
    if sets and verdict == HOLDS:
        found = min(max(alternatives) for alternatives in sets.values())
    elif sets and verdict == FAILS:
        found = max(min(alternatives) for alternatives in sets.values())
    return found if math.isfinite(found) else None


def sizes(comparison: Comparison, judged: Judged, statistic: Statistic, rate: float) -> Iterator[float]:
    """The sizes of unseen runs from which on a comparison has another verdict, upwards and downwards."""
    weights: dict[int, float] = {}
    for row, weight in statistic.parts:
        weights[id(row)] = weights.get(id(row), 0.0) + weight * float(row.mean())
    for sign, distance in distances(comparison, judged):
        most = max((sign * each for each in weights.values()), default=0.0)
        if most > 0.0 and statistic.share is None and math.isfinite(distance):
            yield 1.0 + max(0.0, distance) / (rate * most)


def distances(comparison: Comparison, judged: Judged) -> Iterator[tuple[int, float]]:
    """How far a limit is from where the verdict turns: 1 if it must rise and -1 if it must fall, and by how much."""
    own, joint = judged.interval, judged.joint
    if judged.verdict == HOLDS:
        yield from ((1, comparison.high - own.high), (-1, own.low - comparison.low))
    elif judged.tied and judged.equivalent is not None:
        yield from ((1, judged.equivalent[1] - joint.high), (-1, joint.low - judged.equivalent[0]))
    elif joint.high < comparison.tolerated_low:
        yield 1, comparison.tolerated_low - joint.high
    else:
        yield -1, joint.low - comparison.tolerated_high
