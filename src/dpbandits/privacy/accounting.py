"""From a promise to the least noise that keeps it.

The Laplace mechanism moved by at most s in l1 with scale b has, at level eps, exactly
delta(eps) = max(0, 1 - exp((eps - s/b) / 2)) (the hockey-stick divergence of Lap(b) and its shift by s).
"""

import math

from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.shuffling import largest_local_budget


def laplace_delta(sensitivity: float, scale: float, eps: float) -> float:
    """The least delta with which Lap(`scale`) is (eps, delta)-DP at that l1 sensitivity."""
    return max(0.0, -math.expm1(0.5 * (eps - sensitivity / scale)))


def laplace_scale(sensitivity: float, eps: float, delta: float) -> float:
    """The least scale with which the Laplace mechanism is (eps, delta)-DP: s / (eps - 2 ln(1 - delta)).

    Raises
    ------
    ValueError
        sensitivity or eps is not positive, or delta does not lie in [0, 1).
    """
    if not (sensitivity > 0.0 and eps > 0.0 and 0.0 <= delta < 1.0):
        raise ValueError(f"no Laplace scale for sensitivity {sensitivity}, eps {eps}, delta {delta}")
    return sensitivity / (eps - 2.0 * math.log1p(-delta))


def shuffled_laplace_scale(sensitivity: float, eps: float, delta: float, n: int) -> float:
    """The least scale of the noise on each of n shuffled reports for which (eps, delta)-DP is proven (`shuffling`)."""
    return sensitivity / largest_local_budget(eps, n, delta)


def least_noise(request: NoiseRequest) -> float:
    """The least noise that answers a request, in the unit of the released value.

    Raises
    ------
    ValueError
        The mechanism is unknown, or the promise is none.
    """
    if request.mechanism == "laplace":
        return laplace_scale(request.sensitivity, request.eps, request.delta)
    if request.mechanism == "shuffled_laplace":
        return shuffled_laplace_scale(request.sensitivity, request.eps, request.delta, request.n)
    raise ValueError(f"no accounting for the mechanism {request.mechanism}")
