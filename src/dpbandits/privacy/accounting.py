"""The least noise with which each mechanism satisfies a privacy guarantee.

For the Laplace mechanism with l1 sensitivity s and scale b, the exact delta at epsilon eps is
delta(eps) = max(0, 1 - exp((eps - s/b) / 2)), the hockey-stick divergence between Lap(b) and its shift by s.
"""

import math

from dpbandits.privacy import vector_sum, vector_sum_bound
from dpbandits.privacy.gaussian import gaussian_mu
from dpbandits.privacy.mechanisms import NoiseRequest, VectorSumRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.shuffled_laplace import largest_laplace_budget
from dpbandits.privacy.shuffling import shuffled_gaussian_mu


def laplace_delta(sensitivity: float, scale: float, eps: float) -> float:
    """The least delta for which Lap(`scale`) noise is (eps, delta)-DP at this l1 sensitivity."""
    return max(0.0, -math.expm1(0.5 * (eps - sensitivity / scale)))


def laplace_scale(sensitivity: float, eps: float, delta: float) -> float:
    """The least scale for which the Laplace mechanism is (eps, delta)-DP: s / (eps - 2 ln(1 - delta)).

    Raises
    ------
    ValueError
        sensitivity or eps is not positive, or delta does not lie in [0, 1).
    """
    if not (sensitivity > 0.0 and eps > 0.0 and 0.0 <= delta < 1.0):
        raise ValueError(
            f"Laplace noise: sensitivity and eps must be > 0, delta in [0, 1); got {sensitivity}, {eps}, {delta}"
        )
    return sensitivity / (eps - 2.0 * math.log1p(-delta))


def shuffled_laplace_scale(sensitivity: float, eps: float, delta: float, n: int) -> float:
    """The least scale of Laplace noise on each of n shuffled reports for which (eps, delta)-DP is proven."""
    return sensitivity / largest_laplace_budget(eps, n, delta)


def report_noisy_max_scale(sensitivity: float, eps: float, delta: float) -> float:
    """The least scale for which report noisy max with Lap(scale) noise on each sum is eps-DP: 2 s / eps.

    One record moves every sum by at most s, up or down. Fix the noise of all other sums: the noise that a sum needs to
    be the largest then moves by at most 2 s, which costs 2 s / b in epsilon with Lap(b). The scale is tight. If two
    sums that are far apart move towards each other by s, the smaller one wins about e^(2 s / b) times as often.

    Raises
    ------
    ValueError
        sensitivity or eps is not positive, or delta is not 0.
    """
    if not (sensitivity > 0.0 and eps > 0.0 and delta == 0.0):
        raise ValueError(
            f"report noisy max: sensitivity and eps must be > 0, delta 0; got {sensitivity}, {eps}, {delta}"
        )
    return 2.0 * sensitivity / eps


def gaussian_sd(sensitivity: float, eps: float, delta: float) -> float:
    """The least standard deviation for which the Gaussian mechanism is (eps, delta)-DP at this l2 sensitivity.

    Raises
    ------
    ValueError
        The sensitivity is not positive, or epsilon or delta is out of range.
    """
    if not 0.0 < sensitivity < math.inf:
        raise ValueError(f"Gaussian noise: the sensitivity must be positive and finite; got {sensitivity}")
    return sensitivity / gaussian_mu(eps, delta)


def shuffled_gaussian_sd(sensitivity: float, eps: float, delta: float, n: int) -> float:
    """The least standard deviation of noise on n shuffled reports for which (eps, delta)-DP is proven (`shuffling`).

    Raises
    ------
    ValueError
        The sensitivity is not positive, or epsilon or delta is out of range.
    """
    if not 0.0 < sensitivity < math.inf:
        raise ValueError(f"Gaussian noise: the sensitivity must be positive and finite; got {sensitivity}")
    return sensitivity / shuffled_gaussian_mu(eps, delta, n)


def vector_sum_bits(request: VectorSumRequest) -> float:
    """The least number of noise bits per user and entry that is proven to be sufficient (`vector_sum_bound`).

    Raises
    ------
    ValueError
        eps is negative, delta is not in (0, 1), or the request has no user or no batch.
    """
    g = vector_sum.granularity(request.n, request.dimension)
    found = vector_sum_bound.neighbors_of(request.dimension, JOINT_SENSITIVITY, g, batches=request.batches)
    return float(vector_sum_bound.proven_bits(found, request.n, request.eps, request.delta))


def least_noise(request: NoiseRequest | VectorSumRequest) -> float:
    """The least noise that satisfies a request, in the unit of the released value or as a number of bits.

    Raises
    ------
    ValueError
        The mechanism is unknown, or epsilon or delta is out of range.
    """
    if isinstance(request, VectorSumRequest):
        if request.mechanism == "vector_sum":
            return vector_sum_bits(request)
    elif request.mechanism == "laplace":
        return laplace_scale(request.sensitivity, request.eps, request.delta)
    elif request.mechanism == "shuffled_laplace":
        return shuffled_laplace_scale(request.sensitivity, request.eps, request.delta, request.n)
    elif request.mechanism == "report_noisy_max":
        return report_noisy_max_scale(request.sensitivity, request.eps, request.delta)
    elif request.mechanism == "gaussian":
        return gaussian_sd(request.sensitivity, request.eps, request.delta)
    elif request.mechanism == "shuffled_gaussian":
        return shuffled_gaussian_sd(request.sensitivity, request.eps, request.delta, request.n)
    raise ValueError(f"cannot scale the noise of the mechanism {request.mechanism}")
