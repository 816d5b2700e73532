"""Confidence limits of smooth functions of means, for runs that are skewed or have rare large values.

A small sample looks well-behaved exactly when it lacks the rare large runs that dominate a mean. Several limits are
therefore computed, and the one farthest from the estimate counts:

* Student's t;
* Hall's transformation with the skewness of the sample [1]_;
* the Cornish-Fisher expansion [2]_ with the skewness of many more runs: those of the same curve in other settings of
  its experiment. If there are few seeds for that skewness, or for that of the sample, the spread of the additional runs
  also counts if it is larger: once relative to the estimated mean, and once relative to the mean at the limit.

Some algorithms settle on a wrong arm now and then. If the additional runs show such large runs, a mean is decomposed
into the mean of ordinary runs, the rate of large runs and their size. A single mean of ordinary runs uses the spread of
the additional runs. The rate has exact limits from the additional runs, and the size has Student's and Hall's limits. A
sample with enough large runs may be decomposed by its own runs alone. A sample of many seeds may also be used without
decomposition. The narrower limits count. If an algorithm has large runs in other experiments but none in this one,
their rate is taken to be as large as the exact limit for zero events.

A ratio of two means x and y has Fieller's limits [3]_: c is a limit if that of x - c y is zero. Limits of a ratio of
ratios are computed on the logarithmic scale.

`tests/statistical/test_false_verdicts.py` measures how often the limits miss the truth, each alone and all together.

.. [1] Hall, On the removal of skewness by transformation, J. R. Statist. Soc. B 54, 1992, 221-228.
.. [2] Hall, The Bootstrap and Edgeworth Expansion, 1992, section 2.2: the studentized mean.
.. [3] Fieller, Some problems in interval estimation, J. R. Statist. Soc. B 16, 1954, 175-185.
.. [4] Zou and Donner, Construction of confidence limits about effect measures, Statist. Med. 27, 2008, 1693-1702.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpbandits.numerics.roots import falling_root
from dpbandits.numerics.samples import Sample, Samples
from dpbandits.numerics.statistics import (
    ROUNDING,
    Floats,
    Interval,
    Statistic,
    contrast,
    mean,
    samples_of,
)
from dpbandits.numerics.tails import FEWEST_LARGE, Large, Tail, Tails, no_tails

FEW = 1.2  # times 1 + squared skewness + squared quantile: with fewer seeds the sample's spread is not trusted
FARTHEST = 100.0  # limits from additional runs lie within this multiple of the sample mean; our choice
TINY = 1e-9  # a skewness below this counts as 0
WIDER = 0.05  # probability: a sample with a spread this unlikely suggests another spread in its cell; our choice
OUTER = 0.2  # tail probability: a count this extreme suggests another rate in its cell; our choice
MOST_LOG = 700.0  # exponents above this overflow


def limits(
    statistic: Statistic, alpha: float, tails: "Tails | Samples" = no_tails, seeds: float | None = None
) -> Interval:
    """Lower and upper confidence limit, each wrong with probability at most `alpha`, up to the approximation.

    Parameters
    ----------
    statistic : over n seeds.
    alpha : error probability of one side, in (0, 0.5).
    tails : what additional runs show about the samples of the statistic.
    seeds : forecast the limits for this many seeds, 2 or more. The number of additional runs grows by the same factor,
        and all new runs resemble the existing ones. None for the limits of the statistic itself.

    Returns
    -------
    The interval between both limits, of level 1 - 2 alpha. A point if the statistic does not vary.
    """
    level, estimate, played = 1.0 - 2.0 * alpha, statistic.estimate, statistic.influence.size
    n = played if seeds is None else seeds
    samples = tails if isinstance(tails, Samples) else Samples(tails)
    if statistic.share is not None:
        events, runs = (each * n / played for each in statistic.share)
        return Interval(estimate, *exact_share(events, runs, alpha), level)
    if statistic.quotient is not None:
        return Interval(*_fieller(*statistic.quotient, estimate, alpha, samples, n), level)
    if statistic.log:
        parts = tuple((row, weight / estimate) for row, weight in statistic.parts)
        log = Statistic(math.log(estimate), statistic.influence / estimate, parts, form=statistic.form)
        logs = limits(log, alpha, samples, n)
        return Interval(_exp(logs.estimate), _exp(logs.low), _exp(logs.high), level)
    found = _of_shown(statistic, alpha, samples, n)
    below, above = _of_known(statistic, alpha, samples, n / played)
    low, high = (math.hypot(reach, by) for reach, by in zip(_reaches(found), (below, above), strict=True))
    return Interval(found.estimate, found.estimate - low, found.estimate + high, level)


def _of_shown(statistic: Statistic, alpha: float, samples: Samples, n: float) -> Interval:
    """Limits of a smooth function of means, given the kinds of runs seen in its samples and the additional runs."""
    level, estimate, played = 1.0 - 2.0 * alpha, statistic.estimate, statistic.influence.size
    own = statistic.standard_error * math.sqrt(played)
    q = float(special.stdtrit(n - 1, 1.0 - alpha))
    more = _of_more_runs(statistic, own, q / math.sqrt(n), samples)
    if own == 0.0 and more.spread == 0.0:
        return Interval(estimate, estimate, estimate, level)
    skewness = max(more.tails, abs(statistic.skewness))
    trusted = not more.constant and n >= FEW * (1.0 + skewness**2) * q**2
    rare = [sample for sample in (samples(row) for row, _ in statistic.parts) if sample.shown]
    found: list[tuple[float, float, float]] = []
    if trusted or not rare:
        wide, up, down = (own, own, own) if trusted else (more.spread, more.up, more.down)
        shift = more.skewness * (2.0 * q * q + 1.0) / (6.0 * math.sqrt(n))
        above = max(q * own, own * _hall(q, statistic.skewness, n), (q + shift) * wide, q * up)
        below = max(q * own, own * _hall(-q, statistic.skewness, n), (q - shift) * wide, q * down)
        found.append((estimate, estimate - below / math.sqrt(n), estimate + above / math.sqrt(n)))
    least = min((int(sample.large.sum()) for sample in rare), default=0)
    if least > 1 and least * n >= FEWEST_LARGE * played:  # a forecast may reach that number, but one size has no spread
        found.append(_taken_apart(statistic, alpha, samples, n, alone=True))
    if rare and not (found and any(_unlikely(sample, n / played) for sample in rare)):
        found.append(_taken_apart(statistic, alpha, samples, n, alone=False))
    low, high = sorted((max(low for _, low, _ in found), min(high for _, _, high in found)))
    center = found[0 if trusted else -1][0]
    return Interval(min(max(center, low), high), low, high, level)


def _of_known(statistic: Statistic, alpha: float, samples: Samples, more: float) -> tuple[float, float]:
    """How far down and up a statistic may move by large runs that only occur in other experiments.

    Their rate is taken as the upper exact limit for no event in all additional runs, wrong with probability `alpha`. A
    statistic of logarithms of means moves by the logarithm of the added amount.
    """
    down = up = 0.0
    for row, weight in samples_of(statistic):
        sample = samples(row)
        tail = sample.tail
        if tail is None or tail.known is None:
            continue
        part = exact_share(0.0, tail.runs * more, alpha)[1] * (tail.known - 1.0)
        moved = weight * sample.mean * (math.log1p(part) if statistic.form == "logs" else part)
        down, up = down + max(0.0, -moved), up + max(0.0, moved)
    return down, up


def _exp(value: float) -> float:
    """The exponential function; infinite on overflow."""
    return math.exp(value) if value < MOST_LOG else math.inf


def _fieller(
    above: Statistic, below: Statistic, ratio: float, alpha: float, samples: Samples, n: float
) -> tuple[float, float, float]:
    """A ratio of means and its limits c: those for which a limit of (first mean) - c (second mean) is zero."""
    sign = math.copysign(1.0, below.estimate)

    def beyond(c: float, side: float) -> float:
        """The upper limit of the difference for side 1, minus the lower limit for side -1; decreases outward."""
        found = limits(contrast(above, below, c), alpha, samples, n)
        return found.high if side * sign > 0.0 else -found.low

    starts = [ratio]
    if min(beyond(ratio, -1.0), beyond(ratio, 1.0)) < 0.0:  # decomposed means have a different ratio
        first, second = (_taken_apart(each, alpha, samples, n, alone=False)[0] for each in (above, below))
        ratio = first / second
        starts.append(ratio)
    slope = abs(below.estimate)
    low, high = (falling_root(lambda c, side=side: beyond(c, side), starts, side, slope) for side in (-1.0, 1.0))  # type: ignore[misc]
    values = [each.influence + each.estimate for each in (above, below)]
    if all(x.min() >= 0.0 or x.max() <= 0.0 for x in values):  # then the ratio cannot have the other sign
        low, high = (max(low, 0.0), high) if ratio >= 0.0 else (low, min(high, 0.0))
    return ratio, low, high


def exact_share(events: float, runs: float, alpha: float) -> tuple[float, float]:
    """Exact Clopper-Pearson limits of the probability of an event, each wrong with probability at most `alpha`."""
    low = 0.0 if events == 0 else float(special.betaincinv(events, runs - events + 1, alpha))
    high = 1.0 if events == runs else float(special.betaincinv(events + 1, runs - events, 1.0 - alpha))
    return low, high


@dataclass(frozen=True)
class _More:
    """What the additional runs show about the influence of a seed.

    Attributes
    ----------
    skewness : of the influence.
    tails : the skewnesses of all samples, without cancellation between samples.
    spread : standard deviation, at least that of the sample.
    up, down : the standard deviation at the upper and at the lower limit.
    constant : whether a sample does not vary although the additional runs do.
    """

    skewness: float
    tails: float
    spread: float
    up: float
    down: float
    constant: bool


def _of_more_runs(statistic: Statistic, own: float, reach: float, samples: Samples) -> _More:
    """Skewness and standard deviation of the influence of a seed, as far as the additional runs show them.

    The variance of the sample is increased to the spread of the additional runs, cell by cell. That spread is relative
    to the mean: if the mean of a cell grows by `reach` standard deviations towards a limit, the increase grows in
    proportion. Each cell contributes to the third moment as if cells were independent.
    """
    variance = up = down = own**2
    constant = False
    moments: list[tuple[float, float]] = []
    for row, weight in samples_of(statistic):
        sample = samples(row)
        tail = sample.tail
        if tail is None:
            continue
        center, square = weight * sample.mean, weight**2 * sample.variance
        lacking = max(0.0, (tail.spread * center) ** 2 - square)
        growth = 1.0 / max(1.0 - reach * tail.spread, 1.0 / FARTHEST) ** 2
        variance += lacking
        up += lacking * (growth if center > 0.0 else 1.0)
        down += lacking * (growth if center < 0.0 else 1.0)
        constant |= square <= (ROUNDING * center) ** 2 < lacking
        moments.append((square + lacking, math.copysign(tail.skewness, center * tail.skewness)))
    if variance == 0.0:
        return _More(0.0, 0.0, 0.0, 0.0, 0.0, False)
    terms = [min(1.0, square / variance) ** 1.5 * skewness for square, skewness in moments]
    spread, up, down = math.sqrt(variance), math.sqrt(up), math.sqrt(down)
    return _More(sum(terms), sum(map(abs, terms)), spread, up, down, constant)


def _taken_apart(
    statistic: Statistic, alpha: float, samples: Samples, n: float, alone: bool
) -> tuple[float, float, float]:
    """A statistic of means decomposed as o (1 + p (s - 1)), and its limits.

    The means o of ordinary runs are paired by seed; a large run counts as their mean. The rate p of large runs comes
    from the additional runs or, if `alone`, from the sample. Their size s comes from the additional runs too, or from a
    sample with enough large runs. The reaches of ordinary runs, rates and sizes are independent, so that their squares
    add up [4]_. Reaches of several samples may depend on the same runs, so they add up without squaring. A statistic
    that is linear neither in the means nor in their logarithms is linearized, and its limits include its value at the
    sample means.
    """
    estimate, influence = statistic.estimate, statistic.influence
    parts: list[tuple[Floats, float]] = []
    known: dict[int, Tail | None] = {}
    reaches = np.zeros((2, 2))  # of rates and sizes, below and above
    for row, weight in samples_of(statistic):
        sample = samples(row)
        large = sample.shown
        if large is None:
            parts.append((row, weight))
            known[id(row)] = sample.tail
            continue
        center, mean_of_row = float(row[~sample.large].mean()), sample.mean
        own = Large(row[sample.large] / center, row.size, 0.0, large.ordinary)
        many = own.sizes.size >= FEWEST_LARGE
        rate = _rate(own if alone else large, sample, alpha, n / row.size)
        size = _size(own if alone or many else large, alpha, n / row.size)
        factor = 1.0 + rate.estimate * (size.estimate - 1.0)
        calm = np.where(sample.large, center, row)
        if statistic.form == "logs":
            slope = weight * mean_of_row  # derivative with respect to the logarithm of the mean
            estimate += slope * math.log(factor * center / mean_of_row)
            scale, derivative = abs(slope), slope / center
            each = np.log1p(_reaches_of_factor(rate, size) * [-1.0, 1.0] / factor) * [-1.0, 1.0]
        else:
            estimate += weight * (factor * center - mean_of_row)
            scale, derivative = abs(weight) * center, weight * factor
            each = _reaches_of_factor(rate, size)
        influence = influence + derivative * (calm - center) - weight * (row - mean_of_row)
        parts.append((calm, derivative))
        known[id(calm)] = large.ordinary
        reaches += scale * (each if weight > 0.0 else each[:, ::-1])
    found = _of_one_sample(estimate, parts, known, alpha, n)
    ordinary = Samples(lambda row: known[id(row)])
    found = found or _of_shown(Statistic(estimate, influence, tuple(parts)), alpha, ordinary, n)
    below, above = np.sqrt((np.array([_reaches(found), *reaches]) ** 2).sum(axis=0)).tolist()
    low, high = estimate - below, estimate + above
    if statistic.form == "other":
        low, high = min(low, statistic.estimate), max(high, statistic.estimate)
    return estimate, low, high


def _of_one_sample(
    estimate: float, parts: Sequence[tuple[Floats, float]], known: Mapping[int, Tail | None], alpha: float, n: float
) -> Interval | None:
    """Limits of the mean of one sample of ordinary runs, using the spread of the additional runs.

    These are the Cornish-Fisher limit, with the normal quantile, and the limit at which the spread is relative to the
    mean. None if several samples vary, or if the sample's spread is too large according to `WIDER`.
    """
    varying = [(row, weight) for row, weight in parts if np.ptp(row) > 0.0]
    tail = known[id(varying[0][0])] if len(varying) == 1 else None
    if tail is None or tail.spread == 0.0:  # the runs differ only by rounding
        return None
    (row, weight), q, root = varying[0], float(special.ndtri(1.0 - alpha)), math.sqrt(n)
    center = weight * float(row.mean())
    ratio = float(row.std(ddof=1) / row.mean()) / tail.spread
    if special.chdtrc(row.size - 1, (row.size - 1) * ratio**2) < WIDER:
        return None
    shift = math.copysign(tail.skewness, center * tail.skewness) * (2.0 * q * q + 1.0) / (6.0 * root)
    grown = 1.0 / max(1.0 - q / root * tail.spread, 1.0 / FARTHEST)
    up, down = (grown, 1.0) if center > 0.0 else (1.0, grown)
    reach = tail.spread * abs(center) / root
    below, above = reach * max(q - shift, q * down), reach * max(q + shift, q * up)
    return Interval(estimate, estimate - below, estimate + above, 1.0 - 2.0 * alpha)


def _reaches_of_factor(rate: Interval, size: Interval) -> Floats:
    """Reaches of 1 + p (s - 1) from the limits of the rate p and of the size s, (2, 2): each below and above."""
    return np.array([_reaches(rate), _reaches(size)]) * [[size.estimate - 1.0], [rate.estimate]]


def _unlikely(sample: Sample, more: float) -> bool:
    """Whether the sample's count of large runs is so unlikely that its cell may have another rate than the others."""
    large, own = sample.shown, int(sample.large.sum())
    return large is not None and _far(own * more, sample.row.size * more, large.sizes.size / large.runs)


def _far(count: float, runs: float, rate: float) -> bool:
    """Whether a binomial count, possibly fractional, is far from its expectation on either side."""
    few = float(special.betaincc(count + 1.0, runs - count, rate)) if count < runs else 1.0
    many = float(special.betainc(count, runs - count + 1.0, rate)) if count > 0 else 1.0
    return min(few, many) < OUTER


def _rate(large: Large, sample: Sample, alpha: float, more: float) -> Interval:
    """The rate of large runs in a cell, with limits as if there were `more` times as many runs.

    If the sample's count is so unlikely that its cell may have another rate, the sample's own limits count as well.
    """
    count, own, size = large.sizes.size, int(sample.large.sum()), sample.row.size
    rate = count / large.runs
    low, high = exact_share(count * more, large.runs * more, alpha)
    if _far(own * more, size * more, rate):
        ends = exact_share(own * more, size * more, alpha)
        low, high = min(low, ends[0]), max(high, ends[1])
    return Interval(rate, low, high, 1.0 - 2.0 * alpha)


def _size(large: Large, alpha: float, more: float) -> Interval:
    """Mean size of large runs in a cell, which varies around that of all cells, with `more` times as many runs."""
    count = large.sizes.size
    found = limits(mean(large.sizes), alpha, seeds=max(2.0, count * more))
    vary = float(special.stdtrit(count - 1, 1.0 - alpha)) * large.variation
    below, above = (math.hypot(reach, vary) for reach in _reaches(found))
    return Interval(found.estimate, max(1.0, found.estimate - below), found.estimate + above, found.level)


def _reaches(interval: Interval) -> tuple[float, float]:
    """Distances of the limits from the estimate, below and above."""
    return interval.estimate - interval.low, interval.high - interval.estimate


def _hall(q: float, g: float, n: float) -> float:
    """The quantile of Hall's statistic with skewness g, upwards (q > 0) or downwards (q < 0), as a positive number."""
    if abs(g) < TINY:
        return abs(q)
    y = -q / math.sqrt(n)
    turned = 3.0 / g * (np.cbrt(1.0 + g * (y - g / (6.0 * n))) - 1.0)
    return float(-turned if q > 0 else turned) * math.sqrt(n)
