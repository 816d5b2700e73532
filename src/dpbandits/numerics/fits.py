"""Statistics of curves fitted to the means of settings, and of any other smooth function of means.

Samples are (seeds, k): one column per setting, rows paired by seed. Every function raises ValueError for samples that
are not finite or have fewer than two seeds, and Undefined if the statistic does not exist for these means.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.numerics.statistics import ROUNDING, Floats, Statistic, Undefined

STEP = float(np.finfo(float).eps) ** (1 / 3)  # of a central difference: balances rounding and curvature, error 1e-10
NOISE = 1e-8  # relative size below which a difference is rounding error


def smooth(function: Callable[[Floats], float], samples: ArrayLike) -> Statistic:
    """A smooth `function` of the column means of `samples`.

    The influence of a seed is the sum over columns of its deviation from the mean times the partial derivative (delta
    method, as in `statistics`). Derivatives are central differences. The step is proportional to the mean, or to the
    standard deviation of the column if that is larger. A column that does not vary has no influence, so that its
    derivative is not computed.
    """
    table = _table(samples)
    means = table.mean(axis=0)
    varies = np.ptp(table, axis=0) > ROUNDING * np.abs(table).max(axis=0)
    steps = STEP * np.maximum(np.abs(means), table.std(axis=0))
    gradient = np.zeros(means.size)
    for j in np.flatnonzero(varies):
        above, below = means.copy(), means.copy()
        above[j] += steps[j]
        below[j] -= steps[j]
        gradient[j] = (function(above) - function(below)) / (above[j] - below[j])
    estimate = float(function(means))
    if not np.isfinite([estimate, *gradient]).all():
        raise Undefined(f"smooth: not finite at means {means}")
    terms = (table - means) * gradient
    influence = terms.sum(axis=1)
    constant = np.ptp(influence) <= NOISE * np.abs(terms).max(axis=0).sum()
    parts = tuple(zip(table.T, gradient.tolist(), strict=True))
    return Statistic(estimate, np.zeros_like(influence) if constant else influence, parts)


def dispersion(x: ArrayLike) -> Statistic:
    """Coefficient of variation of `x` (seeds,): sample standard deviation (divisor n - 1) over the nonzero mean.

    Computed from the means of x - c and (x - c)^2, where c is the sample mean, so that no digits cancel.
    """
    values = _table(np.asarray(x, dtype=float)[:, None])[:, 0]
    n, center = values.size, values.mean()
    if abs(center) <= ROUNDING * np.abs(values).max():
        raise Undefined("dispersion: the mean is zero")

    def coefficient(moments: Floats) -> float:
        shift, square = moments
        return float(np.sqrt((square - shift**2) * n / (n - 1)) / (center + shift))

    return smooth(coefficient, np.stack([values - center, (values - center) ** 2], axis=1))


def affine_weights(places: ArrayLike) -> tuple[Floats, Floats]:
    """Weights (k,) of the samples in intercept a and slope b of the least-squares line a + b x at x = `places`."""
    x = np.asarray(places, dtype=float)
    slopes = _slope_weights(x)
    return 1 / x.size - x.mean() * slopes, slopes


def determination(places: ArrayLike, samples: ArrayLike) -> Statistic:
    """R^2 of the least-squares line through the column means: the share of their variance that the line explains."""
    x = np.asarray(places, dtype=float)
    weights = _slope_weights(x)

    def explained(means: Floats) -> float:
        around = means - means.mean()
        if np.ptp(means) <= ROUNDING * np.abs(means).max():
            raise Undefined("determination: all means are equal")
        left = around - (x - x.mean()) * (weights @ means)
        return float(1 - left @ left / (around @ around))

    return smooth(explained, samples)


def error_ratio(forms: ArrayLike, others: ArrayLike, samples: ArrayLike) -> Statistic:
    """Ratio of the root mean square relative errors m'/m - 1 of two models fitted to the column means.

    The rows of `forms` and `others` (terms, k) are the terms of the two models at the settings. Their coefficients
    are fitted by least squares of these relative errors; m' is the fitted value and m the mean, which is positive.
    """

    def error(terms: ArrayLike, means: Floats) -> float:
        design = np.transpose(np.asarray(terms, dtype=float) / means)
        weights = np.linalg.lstsq(design, np.ones(means.size), rcond=None)[0]
        return float(np.sqrt(np.mean((design @ weights - 1) ** 2)))

    def compared(means: Floats) -> float:
        if means.min() <= 0:
            raise Undefined(f"error_ratio: every mean must be positive, got {means}")
        below = error(others, means)
        if below <= NOISE:
            raise Undefined("error_ratio: the form that divides fits without error")
        return error(forms, means) / below

    return smooth(compared, samples)


def _slope_weights(x: Floats) -> Floats:
    """Weights of the means in the slope of the least-squares line on `x`."""
    if x.size < 2 or np.ptp(x) == 0:
        raise ValueError("places: at least two must be distinct")
    around = x - x.mean()
    return around / (around @ around)


def _table(samples: ArrayLike) -> Floats:
    table = np.asarray(samples, dtype=float)
    if table.ndim != 2 or len(table) < 2 or not np.isfinite(table).all():
        raise ValueError(f"samples: need finite values of 2 seeds or more, got a table {table.shape}")
    return table
