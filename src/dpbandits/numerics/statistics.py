"""Estimates, intervals and tests over seeds: the only place where statistics are computed.

Claims compare smooth functions of per-seed means: mean, paired difference, ratio, slope. A `Statistic` holds the
estimate and its influence values, one per seed [1]_; `limits` computes confidence limits from it. Every function raises
ValueError for non-finite samples, fewer than two seeds, or a level outside (0, 1).

.. [1] Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 2.7.
.. [2] David and Nagaraja, Order Statistics, 3rd ed., 2003, section 7.1.
.. [3] Holm, Scand. J. Statist. 6, 1979, 65-70.
.. [4] Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987, 657-680: two one-sided tests.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

LEVEL = 0.95  # default confidence level; our choice
ROUNDING = 16 * float(np.finfo(float).eps)  # a spread below this fraction of the data's size is rounding
MOST_SEEDS = 10**7  # larger numbers of seeds are not affordable; our choice
Floats = NDArray[np.float64]
Form = Literal["means", "logs", "other"]


class Undefined(ValueError):
    """The statistic does not exist for these valid samples, for example because a mean in a denominator is zero."""


@dataclass(frozen=True)
class Interval:
    """A closed confidence interval [low, high] of nominal coverage `level`, in the unit of the estimate."""

    estimate: float
    low: float
    high: float
    level: float

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"level: must lie between 0 and 1, got {self.level}")


@dataclass(frozen=True, eq=False)
class Statistic:
    """A smooth function of per-seed means; `influence` (seeds,) sums to 0, in the unit of the estimate.

    Attributes
    ----------
    parts : the samples whose means it is a function of, each with the derivative by its mean; empty if not known.
    share : for a share of runs, the numbers of events and of runs, which give exact limits.
    quotient : for a ratio of means, both means.
    log : whether it is positive and its logarithm is closer to normal than the statistic itself.
    form : `means` if linear in the means of its parts; `logs` if it, or its logarithm where `log`, is linear in their
        logarithms; otherwise `other`.
    """

    estimate: float
    influence: Floats
    parts: tuple[tuple[Floats, float], ...] = ()
    share: tuple[int, int] | None = None
    quotient: "tuple[Statistic, Statistic] | None" = None
    log: bool = False
    form: Form = "other"

    @cached_property
    def size(self) -> float:
        """The largest absolute influence."""
        return float(np.abs(self.influence).max())

    @cached_property
    def standard_error(self) -> float:
        """Sample standard deviation (divisor n - 1) of the influence over sqrt(n); 0.0 if it is only rounding."""
        (influence,) = _samples(self.influence)
        if not math.isfinite(self.estimate):
            raise ValueError(f"estimate: must be finite, got {self.estimate}")
        constant = influence.max() - influence.min() <= ROUNDING * abs(self.estimate)
        return 0.0 if constant else float(np.std(influence, ddof=1) / math.sqrt(influence.size))

    @cached_property
    def skewness(self) -> float:
        """Skewness of the influence; 0.0 if the influence does not vary."""
        d = self.influence - self.influence.mean()
        variance = float(d @ d) / d.size
        return float((d * d) @ d) / d.size / variance**1.5 if variance > 0.0 else 0.0


def samples_of(statistic: Statistic) -> list[tuple[Floats, float]]:
    """The distinct samples of a statistic, each with the derivative by its mean."""
    found: dict[int, tuple[Floats, float]] = {}
    for row, weight in statistic.parts:
        found[id(row)] = (row, weight + (found[id(row)][1] if id(row) in found else 0.0))
    return list(found.values())


def mean(x: ArrayLike) -> Statistic:
    """Mean of `x` (seeds,), in the unit of x."""
    (values,) = _samples(x)
    found = _statistic(values.mean(), values, np.abs(values).max(), (values, 1.0))
    return replace(found, form="means")


def share(x: ArrayLike) -> Statistic:
    """Share of true values among `x` (seeds,)."""
    (values,) = _samples(x)
    found = _statistic(values.mean(), values, 1.0, (values, 1.0))
    return replace(found, share=(int(np.count_nonzero(values)), values.size))


def difference(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Mean of x - y, both (seeds,), paired by seed. Raises ValueError for unequal lengths."""
    first, second = _samples(x, y)
    size = np.abs([first, second]).max()
    found = _statistic((first - second).mean(), first - second, size, (first, 1.0), (second, -1.0))
    return replace(found, form="means")


def ratio(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Ratio r = mean(x) / mean(y) of samples (seeds,) paired by seed; dimensionless if x and y have the same unit.

    The influence is (x - r y) / mean(y) (delta method [1]_), accurate if mean(y) is well away from zero.
    Raises ValueError for unequal lengths, Undefined if mean(y) is zero up to rounding.
    """
    first, second = _samples(x, y)
    below = second.mean()
    if abs(below) <= ROUNDING * np.abs(second).max():
        raise Undefined("ratio: the mean of y is zero")
    r = first.mean() / below
    size = np.abs([first, r * second]).max() / abs(below)
    found = _statistic(r, (first - r * second) / below, size, (first, 1.0 / below), (second, -r / below))
    return replace(found, quotient=(mean(first), mean(second)))


def ratio_of_ratios(x: ArrayLike, y: ArrayLike, u: ArrayLike, v: ArrayLike) -> Statistic:
    """(mean(x) / mean(y)) / (mean(u) / mean(v)) of four samples (seeds,) paired by seed, all with positive mean.

    The influence is the estimate times x / mean(x) - y / mean(y) - u / mean(u) + v / mean(v) (delta method [1]_).
    Raises ValueError for unequal lengths, Undefined if a mean is not positive.
    """
    rows = _samples(x, y, u, v)
    means = [row.mean() for row in rows]
    if any(m <= ROUNDING * np.abs(row).max() for m, row in zip(means, rows, strict=True)):
        raise Undefined(f"ratio_of_ratios: every mean must be positive, got {means}")
    a, b, c, d = (row / m for row, m in zip(rows, means, strict=True))
    estimate = means[0] / means[1] / (means[2] / means[3])
    size = estimate * sum(np.abs(row).max() for row in (a, b, c, d))
    signs = zip(rows, means, (1.0, -1.0, -1.0, 1.0), strict=True)
    parts = [(row, sign * estimate / float(m)) for row, m, sign in signs]
    return replace(_statistic(estimate, estimate * (a - b - c + d), size, *parts), log=True, form="logs")


def log_log_slope(settings: ArrayLike, samples: ArrayLike) -> Statistic:
    """Least-squares slope b of log(mean of column) on log(setting): the exponent of mean ~ setting**b.

    `settings` (k,) are positive, at least two of them distinct. `samples` (seeds, k) hold one column per setting,
    rows paired by seed, every column mean positive. As b = sum_j c_j log m_j with sum_j c_j = 0, the
    influence of seed i is sum_j c_j x_ij / m_j (delta method [1]_). Raises ValueError otherwise.
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
    size = np.abs(relative).max(axis=0) @ np.abs(c)
    parts = zip(table.T, (c / means).tolist(), strict=True)
    return replace(_statistic(c @ np.log(means), relative @ c, size, *parts), form="logs")


def contrast(x: Statistic, y: Statistic, factor: float = 1.0) -> Statistic:
    """x - factor * y for two statistics over the same seeds in the same order; influences subtract [1]_."""
    if x.influence.shape != y.influence.shape:
        raise ValueError(f"contrast: needs the same seeds, got {x.influence.shape} and {y.influence.shape}")
    size = max(x.size, abs(factor) * y.size)
    parts = (*x.parts, *((row, -factor * weight) for row, weight in y.parts))
    found = _statistic(x.estimate - factor * y.estimate, x.influence - factor * y.influence, size, *parts)
    return replace(found, form=x.form if x.form == y.form and not (x.log or y.log) else "other")


def of_rows(statistic: Statistic, rows: Sequence[Sequence[tuple[Floats, float]]]) -> Statistic:
    """The statistic re-expressed with other samples as its parts, where each old part is a sum of new ones.

    Parameters
    ----------
    rows : for each part of the statistic, the samples (seeds,) that sum to it, each with its factor.
    """
    parts = [
        (row, weight * factor)
        for (_, weight), summed in zip(statistic.parts, rows, strict=True)
        for row, factor in summed
    ]
    quotient = statistic.quotient
    if quotient is not None:
        above, below = (replace(each, parts=tuple(summed)) for each, summed in zip(quotient, rows, strict=True))
        quotient = (above, below)
    form: Form = "other" if statistic.form == "logs" and any(len(summed) > 1 for summed in rows) else statistic.form
    return replace(statistic, parts=tuple(parts), quotient=quotient, form=form)


def median_values(x: ArrayLike) -> Floats:
    """Pseudo-values (seeds,) whose mean is the median of `x`, so that functions of means apply to medians.

    Their spread is such that the standard error of their mean equals that of the median. That standard error is half
    the distance of two order statistics, divided by the normal quantile of their coverage [2]_.
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

    Equals `mean`, `standard_error` and `t_interval` applied column by column; each value (k,).
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


def t_interval(statistic: Statistic, level: float = LEVEL) -> Interval:
    """Student's t interval with n - 1 degrees of freedom: exact for means of normal data, otherwise approximate."""
    half = float(special.stdtrit(statistic.influence.size - 1, (1 + level) / 2)) * statistic.standard_error
    return Interval(statistic.estimate, statistic.estimate - half, statistic.estimate + half, level)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's adjusted p-values (m,), in input order, valid under any dependence [3]_: reject where <= alpha."""
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values: must be one row of numbers in [0, 1]")
    order = np.argsort(p, kind="stable")
    return np.maximum.accumulate(np.minimum(1.0, p[order] * np.arange(p.size, 0, -1)))[np.argsort(order)]


def equivalent(interval: Interval, low: float, high: float) -> bool:
    """Whether the interval lies inside [low, high], which amounts to two one-sided tests [4]_.

    Each test rejects at (1 - level) / 2: at 95 %, True is wrong with probability at most 2.5 %. False does not prove a
    difference.
    """
    if not low <= high:
        raise ValueError(f"equivalent: low {low} must not exceed high {high}")
    return low <= interval.low and interval.high <= high


def seeds_needed(interval: Interval, n: int, threshold: float) -> int | None:
    """Forecast of the number of seeds at which the interval of `n` seeds, shrunk as 1/sqrt(n), excludes the threshold.

    The least N with reach * sqrt(n / N) < |estimate - threshold|, where reach is the half width on the side of
    the threshold. It exceeds n if the interval contains the threshold now. None if N would exceed 1e7: the
    estimate is next to the threshold, or the interval is infinite. Raises ValueError for NaN.
    """
    if n < 2 or np.isnan([interval.low, interval.estimate, interval.high, threshold]).any():
        raise ValueError(f"seeds_needed: at least 2 seeds and no NaN, got {n}, {interval}, {threshold}")
    end = interval.high if threshold > interval.estimate else interval.low
    reach, distance = abs(end - interval.estimate), abs(threshold - interval.estimate)
    if reach >= distance * math.sqrt(MOST_SEEDS / n):
        return None
    return max(2, math.floor(n * (reach / distance) ** 2) + 1)  # exceeds n if inside, where reach >= distance


def _samples(*rows: ArrayLike) -> list[Floats]:
    """The rows as finite arrays (seeds,) of equal length, at least two."""
    arrays = [np.asarray(row, dtype=float) for row in rows]
    shapes = [array.shape for array in arrays]
    if len(shapes[0]) != 1 or shapes[0][0] < 2 or len(set(shapes)) != 1:
        raise ValueError(f"samples: need one value per seed, 2 seeds or more, equal lengths; got {shapes}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError("samples: values must be finite")
    return arrays


def _statistic(estimate: float, values: Floats, size: float, *parts: tuple[Floats, float]) -> Statistic:
    """Build a statistic with centered influence; zeros if it varies only by rounding of data of this `size`."""
    constant = values.max() - values.min() <= ROUNDING * size
    return Statistic(float(estimate), np.zeros_like(values) if constant else values - values.mean(), tuple(parts))
