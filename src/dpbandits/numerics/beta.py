"""Beta distributions as beliefs about a mean: Beta(p n + 1, (1-p) n + 1), for real p in [0, 1] and n > 0.

The density at x is C exp(-n kl(p, x)): largest at x = p, where it is C = C(p, n), and log-concave. So on either side of
p it lies below the exponential function that touches it at a cut c of that side,

    C exp(-n kl(p, c) + s (x - c)),  s = n (p - c) / (c (1 - c)),

of which a tail beyond c can be drawn, and its draws accepted or not: exact, without an integral of the density. In p,
C falls up to 1/2 and grows from there.

All but the draw are formulas that kernels compile in: the same bits in Python and in machine code.
"""

import math

from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.numerics.kl import bernoulli_kl

SERIES_FROM = 16.0  # from here on four terms of Stirling's series leave less than 1e-13


@formula
def log_factorial_rest(x: float) -> float:
    """ln Gamma(x + 1) - x ln x + x for x >= 0, which grows as (ln 2 pi x) / 2; 0 at 0.

    Stirling's series, and below `SERIES_FROM` Gamma(x + 1) = Gamma(y + 1) / ((x + 1) ... y): `math.lgamma` has other
    bits in Python than in machine code.
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
    """The derivative in x of the logarithm of the density at x in (0, 1): positive below p, negative above."""
    return n * (p - x) / (x * (1.0 - x))


@formula
def standard_deviation(p: float, n: float) -> float:
    """Standard deviation of Beta(p n + 1, (1 - p) n + 1)."""
    a, b = p * n + 1.0, (1.0 - p) * n + 1.0
    return math.sqrt(a * b / (n + 3.0)) / (n + 2.0)


@kernel
def draw(rng: Generator, p: float, n: float) -> float:
    """One draw; U^(1/(n+1)) for p = 1 and one less that for p = 0, with U uniform, so that -ln U is exponential."""
    if p == 1.0:
        return math.exp(-rng.standard_exponential() / (n + 1.0))
    if p == 0.0:
        return -math.expm1(-rng.standard_exponential() / (n + 1.0))
    return rng.beta(p * n + 1.0, (1.0 - p) * n + 1.0)
