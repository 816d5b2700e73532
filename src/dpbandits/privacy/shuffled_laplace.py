"""Upper bounds on the privacy loss of n shuffled reports with Laplace noise, tighter than for general eps0-LDP reports.

They use the privacy blanket of Balle, Bell, Gascon and Nissim (CRYPTO 2019). The minimum over an interval of values of
the reports' densities has mass e^(-eps0 / 2). The two ends of the interval are the worst pair of values
(docs/proofs/shuffling.md, Theorem 3). The divergence is at most (1/n) E (Z_1 + .. + Z_n)+ with

    Z = V - e^eps or 1 - e^eps V, each with probability e^(-eps0 / 2) / 2, otherwise 0,

where V lies between 1 and e^eps0, and P(V > v) = v^(-1/2) below e^eps0.
"""

import functools
import math

import numpy as np
from scipy import optimize

from dpbandits.privacy.shuffled_sums import Array, positive_part
from dpbandits.privacy.shuffling import LARGEST_EPSILON, clone_delta, largest_local_budget

CELLS = 500  # for the values of V; source: our choice
LARGEST_LOCAL = 24.0  # local epsilon beyond which the blanket is too thin for double precision; source: our choice
PRECISION = 1e-7  # of the solutions for epsilon
TINY = 1e-300  # smaller deltas are replaced by this value


def shuffled_laplace_delta(eps: float, local_eps: float, n: int) -> float:
    """The least delta proven at epsilon `eps`, rounded up: by a single report, by clones or by the blanket.

    Parameters
    ----------
    eps : epsilon after shuffling, >= 0. local_eps : range of the values divided by the noise scale, > 0.
    n : number of reports, >= 1.
    """
    alone = max(0.0, -math.expm1(0.5 * (eps - local_eps)))
    if alone == 0.0 or local_eps > LARGEST_LOCAL:
        return alone
    return min(alone, clone_delta(eps, local_eps, n), positive_part(*blanket(eps, local_eps), n))


def blanket(eps: float, local_eps: float) -> tuple[Array, Array]:
    """Nonzero values of Z and their masses; V is moved to the ends of cells, which keeps the mean of each cell."""
    ends = np.exp(np.linspace(0.0, local_eps, CELLS + 1))
    roots = np.sqrt(ends)
    mass = np.diff(roots) / (roots[1:] * roots[:-1])
    upper = mass * roots[:-1] / (roots[:-1] + roots[1:])  # the mean of a cell is the geometric mean of its ends
    chances = np.append(mass - upper, 1.0 / roots[-1])
    chances[1:] += upper
    values = np.concatenate([ends - math.exp(eps), 1.0 - math.exp(eps) * ends])
    return values, np.tile(0.5 * math.exp(-0.5 * local_eps) * chances, 2)


@functools.cache
def largest_laplace_budget(eps: float, n: int, delta: float) -> float:
    """The largest local epsilon of n shuffled Laplace reports for which (`eps`, `delta`)-DP is proven.

    It is at least `largest_local_budget`, which holds for any reports.

    Raises
    ------
    ValueError
        A budget is not positive, delta does not lie in (0, 1), or there is no report.
    """
    least = largest_local_budget(eps, n, delta)
    if eps > LARGEST_EPSILON:
        return least
    least = max(least, eps - 2.0 * math.log1p(-delta) - PRECISION)

    def excess(local_eps: float) -> float:
        return math.log(max(shuffled_laplace_delta(eps, local_eps, n), TINY) / delta)

    low, high = least * (1.0 + PRECISION), least + 0.5
    if excess(low) > 0.0:
        return least
    while excess(high) <= 0.0:
        low, high = high, high + 0.5
    found = float(optimize.brentq(excess, low, high, xtol=PRECISION, rtol=PRECISION))
    while excess(found) > 0.0:  # the solution may be too large by up to the precision
        found = max(least, found * (1.0 - PRECISION))
    return found
