"""Effects of shuffling in chowdhury2022: ranges of the theorems, local epsilons of a user, numbers of bits sent."""

import math
from itertools import pairwise

from dpbandits.audits.mechanisms.vector_sum import tried_pairs
from dpbandits.claims.closed_form_types import Bounds, Numbers
from dpbandits.claims.closed_forms.chowdhury2022.noise import sensitivity, shuffled_sd, vector_bits, vector_granularity
from dpbandits.privacy import gaussian_scales, vector_sum
from dpbandits.privacy.gaussian import gaussian_eps, gaussian_mu
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.shuffling import shuffled_gaussian_eps, shuffled_gaussian_mu, valid_range
from dpbandits.privacy.vector_sum_bound import neighbors_of, proven_eps

FLOAT_BITS = 64.0  # of each number that a user of P_Amp sends


def eps_over_range(batch: int, delta: float, eps: list[float]) -> Numbers:
    """Theorem 3.2: eps over the largest eps that it covers, sqrt(ln(2/delta) / B)."""
    limit = math.sqrt(math.log(2.0 / delta) / batch)
    return [(f"eps over the largest covered at eps = {each:g}", each / limit) for each in eps]


def local_epsilon_less_range(batch: int, delta: float, eps: list[float]) -> Numbers:
    """Proof of Theorem 3.2: eps0 = eps sqrt(B / ln(2/delta)) less Lemma B.4's largest eps0 at delta' = delta/2."""
    limit = valid_range(batch, 0.5 * delta)
    root = math.sqrt(batch / math.log(2.0 / delta))
    return [(f"eps0 less the largest covered at eps = {each:g}", each * root - limit) for each in eps]


def shuffled_local_exponent_less(
    calibration: str, delta: float, eps: float, batch: list[float], printed: float
) -> Numbers:
    """Remark 3.4: exponent of B in the local epsilon of a report of P_Amp at delta/B, less the printed one."""
    return _exponents([(n, _local_epsilon(calibration, delta, eps, n)) for n in batch], printed)


def _local_epsilon(calibration: str, delta: float, eps: float, batch: float) -> float:
    sd = shuffled_sd(calibration, int(batch), delta, eps)
    return gaussian_eps(sensitivity(calibration) / sd, delta / batch)


def vector_local_epsilon(
    calibration: str, delta: float, dimension: int, eps: float, scale: float, batch: list[float]
) -> Bounds:
    """Remark 3.7: bounds on the local epsilon at delta of one user's bits in P_Vec, over eps sqrt(B)."""
    found = []
    for n in batch:
        low, high = _vector_local(calibration, delta, dimension, eps, scale, n)
        root = eps * math.sqrt(n)
        found.append((f"local epsilon over eps sqrt(B) at B = {n:g}", (low / root, high / root)))
    return found


def _vector_local(
    calibration: str, delta: float, dimension: int, eps: float, scale: float, batch: float
) -> tuple[float, float]:
    """Bounds on a local epsilon: below, exact for the pairs tried, if feasible; above, proven for all pairs."""
    trials = float(math.floor(vector_bits(calibration, int(batch), delta, dimension, eps, scale)))
    g, bound = vector_granularity(calibration, int(batch), dimension)
    released, least = calibration == "released", 0.0
    for first, second in tried_pairs(released, dimension):
        if trials <= vector_sum.MOST_TRIALS:
            least = max(least, vector_sum.sums_eps(first, second, delta, trials, g, bound=bound, upwards=False))
    users = neighbors_of(dimension, vector_sum.RELEASED_ONCE if released else JOINT_SENSITIVITY, g, bound)
    return least, max(least, proven_eps(users, trials, delta))


def privacy_targeted_reports(delta0: float, dimension: int, eps0: list[float], horizon: list[float]) -> Bounds:
    """Corollary B.3: bounds on the epsilon of B shuffled (eps0, delta0)-LDP reports, over the claimed epsilon.

    B = d^(-1/4) T^(3/4) eps0^(-1/2) ln(1/delta0)^(1/4), rounded. The claimed epsilon is eps0 sqrt(ln(1/delta0) / B) at
    B delta0. The lower bound is from the sum of the reports, the upper bound from the clones.
    """
    found = []
    for each in eps0:
        mu, log_term = JOINT_SENSITIVITY / gaussian_scales.local_sd_printed(each, delta0), math.log(1.0 / delta0)
        for T in horizon:
            n = round(T**0.75 * (log_term / (dimension * each**2)) ** 0.25)
            claimed, delta = each * math.sqrt(log_term / n), n * delta0
            ends = gaussian_eps(mu / math.sqrt(n), delta), shuffled_gaussian_eps(mu, delta, n)
            label = f"shuffled epsilon over the claimed one at eps0 = {each:g}, T = {T:g}"
            found.append((label, (ends[0] / claimed, max(ends) / claimed)))
    return found


def privacy_targeted_bits(delta0: float, dimension: int, eps0: float, batch: list[float]) -> Bounds:
    """Corollary C.3: bounds on the epsilon at delta0 of n users' bits, over the claimed epsilon, eps0 / sqrt(n).

    g = max(d, 4). The bits are those of Theorem C.1 for batches of one, without other users' bits.
    """
    g, bits = max(dimension, 4), vector_sum.bits_printed(eps0, delta0, 1, dimension)
    users, (first, second) = neighbors_of(dimension, JOINT_SENSITIVITY, g), vector_sum.worst_pair(dimension)
    found = []
    for n in batch:
        least = 0.0
        if n * bits <= vector_sum.MOST_TRIALS:
            least = vector_sum.sums_eps(first, second, delta0, n * bits, g, upwards=False)
        ends, claimed = (least, max(least, proven_eps(users, n * bits, delta0))), eps0 / math.sqrt(n)
        found.append((f"epsilon over the claimed one of {n:g} users", (ends[0] / claimed, ends[1] / claimed)))
    return found


def _exponents(epsilons: list[tuple[float, float]], printed: float) -> Numbers:
    """Slopes of log epsilon in log B between consecutive B, less `printed`.

    Raises
    ------
    ValueError
        An epsilon is 0, because delta alone suffices.
    """
    if min(epsilon for _, epsilon in epsilons) <= 0.0:
        raise ValueError(f"no exponent of epsilons {epsilons}")
    return [
        (f"exponent from B = {m:g} to {n:g}, less {printed:g}", math.log(y / x) / math.log(n / m) - printed)
        for (m, x), (n, y) in pairwise(epsilons)
    ]


def bits_over_floats(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Numbers:
    """Section 6: bits that a user sends in P_Vec, k (2g + b), over those in P_Amp, k numbers of 64 bits."""
    g, _ = vector_granularity(calibration, batch, dimension)
    return [
        (
            f"bits of a user over 64-bit numbers at eps = {each:g}",
            (math.ceil(2.0 * g) + math.floor(vector_bits(calibration, batch, delta, dimension, each, scale)))
            / FLOAT_BITS,
        )
        for each in eps
    ]


def provable_amplification(batch: list[float], delta: float, eps: float) -> Numbers:
    """Sd of a local Gaussian report over the sd that the clones prove sufficient with shuffling; the paper: sqrt(B)."""
    alone = gaussian_mu(eps, delta)
    return [
        (f"noise saved by shuffling {n:g} reports at eps = {eps:g}", shuffled_gaussian_mu(eps, delta, int(n)) / alone)
        for n in batch
    ]
