"""Exact samplers that numba's Generator lacks."""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel

# Stirling's error ln(n!) - ln(sqrt(2 pi n) (n/e)^n) for n = 0..15; beyond, its series is accurate to the last digits.
_STIRLING_ERRORS = np.array(
    [0.0] + [math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi) for n in range(1, 16)]
)


@kernel
def stirling_error(n: int) -> float:
    """ln(n!) - ln(sqrt(2 pi n) (n/e)^n) for an integer n >= 1."""
    if n < 16:
        return _STIRLING_ERRORS[n]
    s = 1.0 / (float(n) * n)
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / n


@kernel
def deviance(x: float, mean: float) -> float:
    """x ln(x / mean) + mean - x, without cancellation near x = mean (Loader 2000)."""
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        s = (x - mean) * v
        term = 2.0 * x * v
        j = 1
        while True:
            term *= v * v
            longer = s + term / (2 * j + 1)
            if longer == s:
                return s
            s = longer
            j += 1
    return x * math.log(x / mean) + mean - x


@kernel
def binomial_pmf(k: int, n: int, p: float) -> float:
    """P(Bin(n, p) = k) for 0 < p < 1 by Loader's saddle-point expansion, accurate to about 1e-14 near its mean."""
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    exponent = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    exponent -= deviance(float(k), n * p) + deviance(float(n - k), n * (1.0 - p))
    return math.exp(exponent) * math.sqrt(n / (2.0 * math.pi * k * (n - k)))


@kernel
def hypergeometric(rng: Generator, good: int, bad: int, sample: int) -> int:
    """Number of good items among `sample` items drawn without replacement from `good` + `bad` items.

    Exact, by inversion of one uniform draw. Outcomes are visited outward from the mode, so that the cost is
    O(standard deviation) operations.
    """
    low, high = max(0, sample - bad), min(good, sample)
    if low == high:
        return low
    total = good + bad
    mode = int((sample + 1.0) * (good + 1.0) / (total + 2.0))
    mode = min(max(mode, low), high)
    p = sample / total
    here = binomial_pmf(mode, good, p) * binomial_pmf(sample - mode, bad, p) / binomial_pmf(sample, total, p)
    u = rng.random() - here
    left, right, at_left, at_right = mode, mode, here, here
    while u > 0.0 and (left > low or right < high):
        if right < high:
            at_right *= float(good - right) * (sample - right) / ((right + 1.0) * (bad - sample + right + 1.0))
            right += 1
            u -= at_right
            if u <= 0.0:
                return right
        if left > low:
            at_left *= left * float(bad - sample + left) / ((good - left + 1.0) * (sample - left + 1.0))
            left -= 1
            u -= at_left
            if u <= 0.0:
                return left
        if at_left + at_right == 0.0:  # the remaining probability is below the rounding error of the sum
            break
    return mode
