"""Standard deviations of the Gaussian noise of Chowdhury and Zhou (arXiv 2202.05567), as printed and as released.

Every entry of phi y and of phi phi' is released with noise of the same standard deviation. Released: the authors' code,
which drops constants and takes n reports for sums. No function here says that its noise satisfies a guarantee: see
`accounting`.
"""

import math


def local_sd_printed(eps: float, delta: float) -> float:
    """Proposition F.1: of every report that is sent in the open."""
    return 4.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / eps


def local_sd_released(eps: float, delta: float) -> float:
    """As `local_sd_printed`, in the authors' code."""
    return math.sqrt(math.log(2.5 / delta)) / eps


def shuffled_sd_printed(eps: float, delta: float, n: int) -> float:
    """Theorem B.1: of each of n reports that are shuffled together."""
    return 4.0 * math.sqrt(2.0 * math.log(2.5 * n / delta) * math.log(2.0 / delta)) / (eps * math.sqrt(n))


def shuffled_sd_released(eps: float, delta: float, n: int) -> float:
    """As `shuffled_sd_printed`, in the authors' code."""
    return math.sqrt(math.log(2.5 * n / delta)) / (eps * math.sqrt(n))


def shuffled_sd_returning(eps: float, delta: float, n: int, horizon: float) -> float:
    """Theorem E.3: of each of n reports of a batch, where a user takes part in every batch of the horizon."""
    return 16.0 * math.log(2.0 / delta) * math.sqrt(horizon * math.log(5.0 * horizon / delta)) / (eps * n)


def tree_sd_printed(eps: float, delta: float, horizon: int) -> float:
    """Shariff and Sheffet (NeurIPS 2018): of every node, rows (phi, y) with a squared norm of at most 2.

    A user is in m = 1 + ceil(log2 T) nodes, and the variance is 16 m 2^2 ln^2(4/delta) / eps^2.
    """
    nodes = 1 + math.ceil(math.log2(horizon))
    return 4.0 * 2.0 * math.sqrt(nodes) * math.log(4.0 / delta) / eps
