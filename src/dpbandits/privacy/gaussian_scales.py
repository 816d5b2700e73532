"""Standard deviations of the Gaussian noise of Chowdhury and Zhou (arXiv 2202.05567), as printed and as released.

All entries of phi y and of phi phi' are released with the same standard deviation. "Released" is the authors' code,
which drops the factor 4 sqrt(2) and, for shuffled reports, sqrt(ln(2/delta)). These functions do not certify a
guarantee: see `accounting`.
"""

import math


def local_sd_printed(eps: float, delta: float) -> float:
    """Noise of a report without shuffling, Proposition F.1."""
    return 4.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / eps


def local_sd_released(eps: float, delta: float) -> float:
    """Noise of a report without shuffling in the authors' code."""
    return math.sqrt(math.log(2.5 / delta)) / eps


def shuffled_sd_printed(eps: float, delta: float, n: int) -> float:
    """Noise of each of n reports that are shuffled together, Theorem B.1."""
    return 4.0 * math.sqrt(2.0 * math.log(2.5 * n / delta) * math.log(2.0 / delta)) / (eps * math.sqrt(n))


def shuffled_sd_released(eps: float, delta: float, n: int) -> float:
    """Noise of each of n shuffled reports in the authors' code."""
    return math.sqrt(math.log(2.5 * n / delta)) / (eps * math.sqrt(n))


def shuffled_sd_returning(eps: float, delta: float, n: int, horizon: float) -> float:
    """Noise of each of n reports of a batch if users take part in every batch of the horizon, Theorem E.3."""
    return 16.0 * math.log(2.0 / delta) * math.sqrt(horizon * math.log(5.0 * horizon / delta)) / (eps * n)


def tree_sd_printed(eps: float, delta: float, horizon: int) -> float:
    """Noise of a tree node by Shariff and Sheffet (NeurIPS 2018), for rows (phi, y) with squared norm at most 2.

    A user is in m = 1 + ceil(log2 T) nodes. The variance is 16 m 2^2 ln^2(4/delta) / eps^2.
    """
    nodes = 1 + math.ceil(math.log2(horizon))
    return 4.0 * 2.0 * math.sqrt(nodes) * math.log(4.0 / delta) / eps
