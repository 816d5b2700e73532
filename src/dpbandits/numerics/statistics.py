"""Estimates, intervals and tests over seeds: the only place where statistics are computed.

Claims compare smooth functions of per-seed means: mean, paired difference, ratio, slope. `Statistic` holds
one as its estimate and its influence values, one per seed [1]_; one t interval and one bootstrap serve all.
Neither repairs heavy tails: `tests/statistical/test_coverage.py` measures how far they fail there. Every function
raises ValueError for non-finite samples, fewer than two seeds, a level outside (0, 1).

.. [1] Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 2.7.
.. [2] David and Nagaraja, Order Statistics, 3rd ed., 2003, section 7.1.
.. [3] Hall, On symmetric bootstrap confidence intervals, J. R. Statist. Soc. B 50, 1988, 35-45.
.. [4] Romano and Wolf, J. Amer. Statist. Assoc. 100, 2005, 94-108: the maximum of studentised statistics.
.. [5] Holm, Scand. J. Statist. 6, 1979, 65-70.
.. [6] Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987, 657-680: two one-sided tests.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy import special

LEVEL = 0.95  # confidence level unless told otherwise; our choice
RESAMPLES = 2000  # bootstrap resamples: sd of the level reached is 0.005 at 95 %; our choice
ROUNDING = 16 * float(np.finfo(float).eps)  # a spread below this part of the data's size is rounding
FLAT = 1e-10  # a resample with variance below this part of its second moment has |t*| > 1e5: infinite
BLOCK = 2**20  # resampling weights held at once: 24 bytes each, hence 25 MB
MOST_SEEDS = 10**7  # no affordable number of seeds lies above; our choice
Floats = NDArray[np.float64]


class Undefined(ValueError):
    """The statistic does not exist for these samples, though they are in order: a mean that divides is zero."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval [low, high], closed, of nominal coverage `level`, in the unit of the estimate."""

    estimate: float
    low: float
    high: float
    level: float

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"level: must lie between 0 and 1, got {self.level}")


@dataclass(frozen=True, eq=False)
class Statistic:
    """A smooth function of means of seeds; `influence` (seeds,) sums to 0, in the unit of the estimate."""

    estimate: float
    influence: Floats


def mean(x: ArrayLike) -> Statistic:
    """Mean of `x` (seeds,), in the unit of x."""
    (values,) = _samples(x)
    return _statistic(values.mean(), values, np.abs(values).max())


def difference(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Mean of x - y, both (seeds,), paired by seed. Raises ValueError for unequal lengths."""
    first, second = _samples(x, y)
    return _statistic((first - second).mean(), first - second, np.abs([first, second]).max())


def ratio(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Ratio r = mean(x) / mean(y) of samples (seeds,) paired by seed, without unit if theirs agree.

    The influence is (x - r y) / mean(y) (delta method [1]_), good where mean(y) is well away from zero.
    Raises ValueError for unequal lengths, Undefined for a mean of y that is zero up to rounding.
    """
    first, second = _samples(x, y)
    below = second.mean()
    if abs(below) <= ROUNDING * np.abs(second).max():
        raise Undefined("ratio: the mean of y is zero")
    r = first.mean() / below
    return _statistic(r, (first - r * second) / below, np.abs([first, r * second]).max() / abs(below))


def ratio_of_ratios(x: ArrayLike, y: ArrayLike, u: ArrayLike, v: ArrayLike) -> Statistic:
    """(mean(x) / mean(y)) / (mean(u) / mean(v)) of four samples (seeds,) paired by seed, all of positive mean.

    The influence is the estimate times x / mean(x) - y / mean(y) - u / mean(u) + v / mean(v) (delta method [1]_).
    Raises ValueError for unequal lengths, Undefined for a mean that is not positive.
    """
    rows = _samples(x, y, u, v)
    means = [row.mean() for row in rows]
    if any(m <= ROUNDING * np.abs(row).max() for m, row in zip(means, rows, strict=True)):
        raise Undefined(f"ratio_of_ratios: every mean must be positive, got {means}")
    a, b, c, d = (row / m for row, m in zip(rows, means, strict=True))
    estimate = means[0] / means[1] / (means[2] / means[3])
    return _statistic(estimate, estimate * (a - b - c + d), estimate * sum(np.abs(row).max() for row in (a, b, c, d)))


def log_log_slope(settings: ArrayLike, samples: ArrayLike) -> Statistic:
    """Least-squares slope b of log(mean of column) on log(setting): the exponent of mean ~ setting**b.

    `settings` (k,) are positive, at least two distinct; `samples` (seeds, k) hold one column per setting,
    rows paired by seed, every column mean positive. As b = sum_j c_j log m_j with sum_j c_j = 0, the
    influence of seed i is sum_j c_j x_ij / m_j (delta method [1]_). Raises ValueError for all else.
    """
    places, table = np.asarray(settings, dtype=float), np.asarray(samples, dtype=float)
    if places.ndim != 1 or table.ndim != 2 or len(table) < 2 or table.shape[1] != places.size:
        raise ValueError(f"samples {table.shape}: need 2 seeds or more, and {places.size} settings")
    if not (np.isfinite(table).all() and np.isfinite(places).all() and (places > 0).all()):
        raise ValueError("log_log_slope: samples must be finite, settings finite and positive")
    logs = np.log(places)
    if places.size < 2 or np.ptp(logs) == 0:
        raise ValueError("log_log_slope: at least two distinct settings are needed")
    means = table.mean(axis=0)
    if (means <= ROUNDING * np.abs(table).max(axis=0)).any():
        raise ValueError(f"log_log_slope: every column mean must be positive, got {means}")
    c = (logs - logs.mean()) / (logs.size * np.var(logs))
    relative = table / means
    return _statistic(c @ np.log(means), relative @ c, np.abs(relative).max(axis=0) @ np.abs(c))


def contrast(x: Statistic, y: Statistic) -> Statistic:
    """x - y of two statistics over the same seeds in the same order: their influences subtract [1]_."""
    if x.influence.shape != y.influence.shape:
        raise ValueError(f"contrast: needs the same seeds, got {x.influence.shape} and {y.influence.shape}")
    size = np.abs([x.influence, y.influence]).max()
    return _statistic(x.estimate - y.estimate, x.influence - y.influence, size)


def median_values(x: ArrayLike) -> Floats:
    """Values (seeds,) that stand for `x` where medians take the place of means: functions of their mean are functions
    of the median of x, and their spread is such that the standard error of their mean is that of the median.

    That is half the distance of two order statistics, over the normal quantile of their coverage [2]_.
    """
    (values,) = _samples(x)
    n, center = values.size, float(np.median(values))
    rank = max(1, round(0.5 * (n + 1) - math.sqrt(n)))
    coverage = 1.0 - 2.0 * float(special.bdtr(rank - 1, n, 0.5))
    low, high = np.partition(values, (rank - 1, n - rank))[[rank - 1, n - rank]]
    error = 0.5 * (high - low) / float(special.ndtri(0.5 + 0.5 * coverage))
    signs = np.sign(values - center)
    signs -= signs.mean()
    spread = signs.std(ddof=1)
    found: Floats = center + (signs * error * math.sqrt(n) / spread if spread > 0.0 else 0.0 * signs)
    return found


def column_moments(table: ArrayLike, level: float = LEVEL) -> dict[str, Floats]:
    """`mean`, `standard_error`, `low` and `high` of the t interval, and `median` of the columns of `table` (seeds, k).

    As `mean`, `standard_error` and `t_interval` column by column; each value (k,).
    """
    values = np.asarray(table, dtype=float)
    if values.ndim != 2 or len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(f"column_moments: needs finite values of 2 seeds or more, got a table {values.shape}")
    means = values.mean(axis=0)
    constant = np.ptp(values, axis=0) <= ROUNDING * np.abs(values).max(axis=0)
    errors = np.where(constant, 0.0, values.std(axis=0, ddof=1) / math.sqrt(len(values)))
    half = float(special.stdtrit(len(values) - 1, (1 + level) / 2)) * errors
    medians = np.median(values, axis=0)
    return {"mean": means, "standard_error": errors, "low": means - half, "high": means + half, "median": medians}


def standard_error(statistic: Statistic) -> float:
    """Sample standard deviation (divisor n - 1) of the influence over sqrt(n); 0.0 if it is but rounding."""
    (influence,) = _samples(statistic.influence)
    if not math.isfinite(statistic.estimate):
        raise ValueError(f"estimate: must be finite, got {statistic.estimate}")
    constant = np.ptp(influence) <= ROUNDING * abs(statistic.estimate)
    return 0.0 if constant else float(np.std(influence, ddof=1) / math.sqrt(influence.size))


def t_interval(statistic: Statistic, level: float = LEVEL) -> Interval:
    """Student's interval with n - 1 degrees of freedom: exact for means of normal data, else approximate."""
    half = float(special.stdtrit(statistic.influence.size - 1, (1 + level) / 2)) * standard_error(statistic)
    return Interval(statistic.estimate, statistic.estimate - half, statistic.estimate + half, level)


def bootstrap_interval(
    statistic: Statistic, rng: Generator, level: float = LEVEL, resamples: int = RESAMPLES
) -> Interval:
    """Symmetric bootstrap-t interval [3]_: `simultaneous_intervals` of one statistic."""
    return simultaneous_intervals([statistic], rng, level, resamples)[0]


def bonferroni_intervals(statistics: Sequence[Statistic], level: float = LEVEL) -> list[Interval]:
    """Student's intervals that cover all at once with probability `level`, which they share evenly.

    They lean on no resample, so that they are finite where all seeds but a few agree, as of data on a few values; there
    no method covers well. Wider than `simultaneous_intervals` for many statistics that are nearly normal.
    """
    each = 1 - (1 - level) / len(statistics)
    return [t_interval(statistic, each) for statistic in statistics]


def simultaneous_intervals(
    statistics: Sequence[Statistic], rng: Generator, level: float = LEVEL, resamples: int = RESAMPLES
) -> list[Interval]:
    """Intervals that cover all at once with probability `level`, in the order given.

    Each is estimate +- c * standard error; c is the level-quantile, order statistic ceil(level (resamples
    + 1)), of max_j |t*_j| over the resamples [4]_. t*_j = mean* / (sd* / sqrt n) of influence j, with seeds
    drawn jointly for all statistics, so that pairing and correlation count: all must be over the same n
    seeds in the same order. `rng` yields resamples * n integers. A constant influence gives a point and does
    not enter the maximum. A resample without spread counts as infinite: so is the interval for n <= 3 at 95 %
    or where all seeds but one agree. Raises ValueError also for no statistic, unequal n, too few resamples.
    """
    if len({s.influence.shape for s in statistics}) != 1:
        raise ValueError("simultaneous_intervals: needs statistics, all over the same number of seeds")
    rank = math.ceil(level * (resamples + 1))
    if not 0 < rank <= resamples:
        raise ValueError(f"resamples: {resamples} do not give level {level}")
    errors = np.array([standard_error(s) for s in statistics])
    varying = errors > 0
    scores = np.stack([s.influence for s in statistics], axis=1)[:, varying]
    largest = _largest_t(scores - scores.mean(axis=0), rng, resamples)
    halves = np.zeros(errors.size)
    halves[varying] = np.partition(largest, rank - 1)[rank - 1] * errors[varying]
    pairs = zip((s.estimate for s in statistics), halves.tolist(), strict=True)
    return [Interval(estimate, estimate - half, estimate + half, level) for estimate, half in pairs]


def holm(p_values: ArrayLike) -> Floats:
    """Holm's adjusted p-values (m,), in the order given, for any dependence [5]_: reject where <= alpha."""
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values: must be one row of numbers in [0, 1]")
    order = np.argsort(p, kind="stable")
    return np.maximum.accumulate(np.minimum(1.0, p[order] * np.arange(p.size, 0, -1)))[np.argsort(order)]


def equivalent(interval: Interval, low: float, high: float) -> bool:
    """Whether the interval lies inside [low, high]: two one-sided tests at once [6]_.

    Each rejects its side at (1 - level) / 2: at 95 % True errs in at most 2.5 %. False shows no difference.
    """
    if not low <= high:
        raise ValueError(f"equivalent: low {low} must not exceed high {high}")
    return low <= interval.low and interval.high <= high


def seeds_needed(interval: Interval, n: int, threshold: float) -> int | None:
    """Seeds at which the interval of `n` seeds, shrunk as 1/sqrt(n), would exclude the threshold: a forecast.

    The least N with reach * sqrt(n / N) < |estimate - threshold|, reach being the half width on the side of
    the threshold; above n where the threshold lies in the interval now. None where no affordable number
    settles it, N > 1e7: an estimate next to the threshold, an infinite interval. Raises ValueError for NaN.
    """
    if n < 2 or np.isnan([interval.low, interval.estimate, interval.high, threshold]).any():
        raise ValueError(f"seeds_needed: at least 2 seeds and no NaN, got {n}, {interval}, {threshold}")
    end = interval.high if threshold > interval.estimate else interval.low
    reach, distance = abs(end - interval.estimate), abs(threshold - interval.estimate)
    if reach >= distance * math.sqrt(MOST_SEEDS / n):
        return None
    return max(2, math.floor(n * (reach / distance) ** 2) + 1)  # above n if inside, where reach >= distance


def _largest_t(scores: Floats, rng: Generator, resamples: int) -> Floats:
    """max_j |t*_j| (resamples,) of centered scores (seeds, statistics), infinite where one has no spread."""
    n, width = scores.shape
    both = np.hstack([scores, scores**2])
    rows = max(1, BLOCK // (n + 4 * width))
    largest = np.empty(resamples)
    for start in range(0, resamples, rows):
        part = largest[start : start + rows]
        draws = rng.integers(n, size=(part.size, n)) + n * np.arange(part.size)[:, None]
        weights = np.bincount(draws.ravel(), minlength=draws.size).reshape(draws.shape)  # multinomial rows
        first, second = np.hsplit(weights.astype(float) @ both / n, 2)
        variance = second - first**2
        squares = np.full_like(first, np.inf)
        np.divide((n - 1) * first**2, variance, out=squares, where=variance > FLAT * second)
        part[:] = np.sqrt(squares.max(axis=1, initial=0.0))
    return largest


def _samples(*rows: ArrayLike) -> list[Floats]:
    """The rows as finite arrays (seeds,) of one length, which is at least two."""
    arrays = [np.asarray(row, dtype=float) for row in rows]
    shapes = [array.shape for array in arrays]
    if len(shapes[0]) != 1 or shapes[0][0] < 2 or len(set(shapes)) != 1:
        raise ValueError(f"samples: need one value per seed, 2 seeds or more, equal lengths; got {shapes}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError("samples: values must be finite")
    return arrays


def _statistic(estimate: float, values: Floats, size: float) -> Statistic:
    """Center the influence; zeros where it varies by mere rounding of data of this `size`."""
    constant = np.ptp(values) <= ROUNDING * size
    return Statistic(float(estimate), np.zeros_like(values) if constant else values - values.mean())
