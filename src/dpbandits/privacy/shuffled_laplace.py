"""Upper bounds on the privacy of n shuffled reports with Laplace noise: sharper than those of all eps0-LDP reports.

By the privacy blanket of Balle, Bell, Gascon and Nissim (CRYPTO 2019): the densities of the reports of all values in an
interval have a minimum, of mass e^(-eps0 / 2). The pair of values that shows most is that of the two ends
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

CELLS = 500  # of the values of V; source: our choice
LARGEST_LOCAL = 24.0  # local epsilon beyond which the blanket is too thin for double precision; source: our choice
PRECISION = 1e-7  # to which epsilons are solved for
TINY = 1e-300  # smaller deltas are taken for this one


def shuffled_laplace_delta(eps: float, local_eps: float, n: int) -> float:
    """The least delta that is proven at epsilon `eps`, rounded upward: by a report alone, clones or the blanket.

    Parameters
    ----------
    eps : epsilon after shuffling, >= 0. local_eps : range of the values over the scale of the noise, > 0.
    n : reports, >= 1.
    """
    alone = max(0.0, -math.expm1(0.5 * (eps - local_eps)))
    if alone == 0.0 or local_eps > LARGEST_LOCAL:
        return alone
    return min(alone, clone_delta(eps, local_eps, n), positive_part(*blanket(eps, local_eps), n))


def blanket(eps: float, local_eps: float) -> tuple[Array, Array]:
    """Values of Z other than 0 and their masses, of V moved to the ends of cells so that the mean in a cell stays."""
    ends = np.exp(np.linspace(0.0, local_eps, CELLS + 1))
    roots = np.sqrt(ends)
    mass = np.diff(roots) / (roots[1:] * roots[:-1])
    upper = mass * roots[:-1] / (roots[:-1] + roots[1:])  # the mean in a cell is the geometric mean of its ends
    chances = np.append(mass - upper, 1.0 / roots[-1])
    chances[1:] += upper
    values = np.concatenate([ends - math.exp(eps), 1.0 - math.exp(eps) * ends])
    return values, np.tile(0.5 * math.exp(-0.5 * local_eps) * chances, 2)


@functools.cache
def largest_laplace_budget(eps: float, n: int, delta: float) -> float:
    """The largest local epsilon that n shuffled Laplace reports may have for (`eps`, `delta`)-DP to be proven.

    Never less than what reports of any kind may have, `largest_local_budget`.

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
    while excess(found) > 0.0:  # the solution may lie on the wrong side by the precision
        found = max(least, found * (1.0 - PRECISION))
    return found
