"""Beta posteriors of a mean: Beta(p n + 1, (1-p) n + 1), for real p in [0, 1] and n > 0.

The density at x is C exp(-n kl(p, x)). It is log-concave and largest at x = p, with value C = C(p, n). On either side
of p, the tangent of the log-density at a cut c on that side gives an exponential upper bound:

    C exp(-n kl(p, c) + s (x - c)),  s = n (p - c) / (c (1 - c)).

A tail beyond c can be drawn from this bound by rejection: the draws are exact and need no integral of the density. As
a function of p, C decreases up to 1/2 and increases from there.

All functions except `draw` are formulas that kernels compile in: they give the same bits in Python and machine code.
"""

import math

from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.numerics.kl import bernoulli_kl

SERIES_FROM = 16.0  # from here on, four terms of Stirling's series have an error below 1e-13


@formula
def log_factorial_rest(x: float) -> float:
    """ln Gamma(x + 1) - x ln x + x for x >= 0, which grows like (ln 2 pi x) / 2; 0 at 0.

    Uses Stirling's series, and below `SERIES_FROM` the recursion Gamma(x + 1) = Gamma(y + 1) / ((x + 1) ... y).
    `math.lgamma` would give different bits in Python and machine code.
    """
    if x == 0.0:
        return 0.0
    y, product = x, 1.0
    while y < SERIES_FROM:
        y += 1.0
        product *= y
    z = 1.0 / (y * y)
    series = 1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))
    rest = 0.5 * math.log(2.0 * math.pi * y) + series / y
    if product > 1.0:
        rest += y * math.log(y) - x * math.log(x) - (y - x) - math.log(product)
    return rest


@formula
def log_peak(p: float, n: float) -> float:
    """ln C(p, n), where C is the largest value of the density."""
    inner = log_factorial_rest(n) - log_factorial_rest(p * n) - log_factorial_rest((1.0 - p) * n)
    return math.log(n + 1.0) + inner


@formula
def log_density(x: float, p: float, n: float) -> float:
    """The logarithm of the density at x in (0, 1)."""
    return log_peak(p, n) - n * bernoulli_kl(p, x)


@formula
def log_slope(x: float, p: float, n: float) -> float:
    """The derivative of the log-density with respect to x, at x in (0, 1): positive below p, negative above."""
    return n * (p - x) / (x * (1.0 - x))


@formula
def standard_deviation(p: float, n: float) -> float:
    """Standard deviation of Beta(p n + 1, (1 - p) n + 1)."""
    a, b = p * n + 1.0, (1.0 - p) * n + 1.0
    return math.sqrt(a * b / (n + 3.0)) / (n + 2.0)


@kernel
def draw(rng: Generator, p: float, n: float) -> float:
    """One draw; for p = 1 it is U^(1/(n+1)), for p = 0 one minus that, where -ln U is a standard exponential draw."""
    if p == 1.0:
        return math.exp(-rng.standard_exponential() / (n + 1.0))
    if p == 0.0:
        return -math.expm1(-rng.standard_exponential() / (n + 1.0))
    return rng.beta(p * n + 1.0, (1.0 - p) * n + 1.0)
