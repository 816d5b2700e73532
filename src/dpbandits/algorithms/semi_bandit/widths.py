"""Confidence widths for the mean of n noisy reports: those of Chen et al. (arXiv 2006.00706), and certified ones.

By Chernoff's bound with E exp(s Lap(1)) = 1 / (1 - s^2), for any 0 < s < 1, the sum of `count` independent Lap(1)
exceeds

    (e - count ln(1 - s^2)) / s

with probability at most exp(-e). The minimum is at u = s^2 that solves 2 u / (1 - u) + ln(1 - u) = e / count.
"""

import math
from typing import NamedTuple

from dpbandits.base.jit import formula

# e / count below which u = y - 3/2 y^2 + 17/6 y^3 is close enough (any u gives a bound); source: our choice
SERIES = 0.02
STEPS = 5  # Newton steps above that value; source: our choice


class Width(NamedTuple):
    """The width root / sqrt(n) + linear / n + scale q_n / n.

    q_n bounds a sum of n Lap(1), except with probability exp(-exponent). This term is omitted if the exponent is 0.
    """

    root: float
    linear: float
    exponent: float
    scale: float


@formula
def laplace_sum_bound(count: float, exponent: float) -> float:
    """A bound that the sum of `count` Lap(1) exceeds with probability at most exp(-exponent)."""
    y = exponent / count
    if y < SERIES:
        u = y * (1.0 + y * (-1.5 + y * (17.0 / 6.0)))
    else:
        u = y / (1.0 + 1.5 * y) if y < 1.0 else 1.0 - 2.0 / (y + 4.0)
        for _ in range(STEPS):
            slope = 2.0 / ((1.0 - u) * (1.0 - u)) - 1.0 / (1.0 - u)
            u -= (2.0 * u / (1.0 - u) + math.log1p(-u) - y) / slope
            u = min(max(u, 1e-12), 1.0 - 1e-12)
    return (exponent - count * math.log1p(-u)) / math.sqrt(u)


@formula
def width_of(n: float, width: Width) -> float:
    """The width after n reports, n > 0."""
    found = width.root / math.sqrt(n) + width.linear / n
    if width.exponent > 0.0:
        found += width.scale * laplace_sum_bound(n, width.exponent) / n
    return found


@formula
def sampling_root(horizon: int) -> float:
    """sqrt(1.5 ln T), the numerator of CUCB's width for means without noise, with ln T instead of ln t."""
    return math.sqrt(1.5 * math.log(horizon))


@formula
def printed_local(eps: float, power: float, factor: float, horizon: int) -> Width:
    """Printed bonus of Algorithms 1 and 2, factor 4 sqrt(2 power ln T / (eps^2 n)); `power` is K, K^2 or 1."""
    return Width(factor * 4.0 * math.sqrt(2.0 * power * math.log(horizon)) / eps, 0.0, 0.0, 0.0)


@formula
def certified_local(scale: float, horizon: int) -> Width:
    """Bonus for means of reports with Lap(`scale`): CUCB's for sampling, and Chernoff's with error T^-3 for noise."""
    return Width(sampling_root(horizon), 0.0, 3.0 * math.log(horizon), scale)


@formula
def printed_central(eps: float, size: float, factor: float, arms: int, horizon: int) -> Width:
    """Printed bonus of Algorithm 3, sqrt(4 ln(m T) / n) + factor 12 K ln(T)^3 / (n eps); `size` is K."""
    return Width(math.sqrt(4.0 * math.log(arms * horizon)), central_noise_bonus(eps, size, factor, horizon), 0.0, 0.0)


@formula
def cucb_root_central(eps: float, size: float, factor: float, horizon: int) -> Width:
    """Same as `printed_central`, with sqrt(1.5 ln T / n) for the sampling, as in CUCB."""
    return Width(sampling_root(horizon), central_noise_bonus(eps, size, factor, horizon), 0.0, 0.0)


@formula
def central_noise_bonus(eps: float, size: float, factor: float, horizon: int) -> float:
    """factor 12 K ln(T)^3 / eps, the numerator of the noise term in the bonus of Algorithm 3."""
    log_T = math.log(horizon)
    return factor * 12.0 * size * log_T * log_T * log_T / eps


@formula
def certified_central(scale: float, layers: int, horizon: int) -> Width:
    """Bonus for sums from trees with `layers` layers and Lap(`scale`) on every node.

    CUCB's bonus for sampling, and Chernoff's bound with error T^-2 on the sum of one node per layer.
    """
    bound = laplace_sum_bound(float(layers), 2.0 * math.log(horizon))
    return Width(sampling_root(horizon), scale * bound, 0.0, 0.0)
