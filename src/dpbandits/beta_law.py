"""Beta laws as posteriors of a mean: Beta(p n + 1, (1-p) n + 1), with p in [0, 1] and n >= 1 real numbers.

The density is C exp(-n kl(p, x)), where C = C(p, n) is its largest value, attained at x = p; it is log-concave. So on
either side of p it lies below the exponential that touches it at a cut c,

    C exp(-n kl(p, c) + n (p - c) (x - c) / (c (1 - c))),

which bounds the tail beyond c, and from which a draw of the tail is accepted or not: exact, and no integral is needed.
C is the larger the further p is from 1/2. All but the draws are formulas, the same bits in Python and in machine code.
"""

import math

from numpy.random import Generator

from dpbandits.jit import formula, kernel
from dpbandits.kl import bernoulli_kl

SERIES_FROM = 16.0  # from here the four terms of Stirling's series below leave an error below 1e-14


@formula
def log_factorial_rest(x: float) -> float:
    """ln Gamma(x + 1) - x ln x + x for x >= 0: what is of the order of ln x; 0 at 0."""
    if x == 0.0:
        return 0.0
    if x < SERIES_FROM:
        return math.lgamma(x + 1.0) - x * math.log(x) + x
    y = 1.0 / (x * x)
    series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x  # Stirling's
    return 0.5 * math.log(2.0 * math.pi * x) + series


@formula
def log_peak(p: float, n: float) -> float:
    """ln C(p, n), the logarithm of the largest density."""
    most = math.log(n + 1.0) + log_factorial_rest(n)
    return most - log_factorial_rest(p * n) - log_factorial_rest((1.0 - p) * n)


@formula
def log_density(x: float, p: float, n: float) -> float:
    """The logarithm of the density at x in (0, 1)."""
    return log_peak(p, n) - n * bernoulli_kl(p, x)


@formula
def log_slope(x: float, p: float, n: float) -> float:
    """The derivative of the logarithm of the density at x in (0, 1)."""
    return n * (p - x) / (x * (1.0 - x))


@formula
def spread(p: float, n: float) -> float:
    """The standard deviation."""
    a, b = p * n + 1.0, (1.0 - p) * n + 1.0
    return math.sqrt(a * b / (n + 3.0)) / (n + 2.0)


@kernel
def draw(rng: Generator, p: float, n: float) -> float:
    """One draw; for p = 1 it is U^(1/(n+1)), for p = 0 one less that, with U uniform and -ln U exponential."""
    if p == 1.0:
        return math.exp(-rng.standard_exponential() / (n + 1.0))
    if p == 0.0:
        return -math.expm1(-rng.standard_exponential() / (n + 1.0))
    return rng.beta(p * n + 1.0, (1.0 - p) * n + 1.0)
