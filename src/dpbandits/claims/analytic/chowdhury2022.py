"""Closed forms behind claims of Chowdhury and Zhou, arXiv 2202.05567: what its formulas say without a simulation.

Every function takes the arguments that the claim's section of the YAML gives, and the calibration where the noise
matters, and returns labelled numbers, or lower and upper bounds on them; the range in which the claim wants them stands
in the YAML. One user is replaced by another; printed and certified users have |phi| <= 1, those of the authors' code
features (z, 1) with |z| = 1; rewards lie in [0, 1]. `scale` is the constant that the authors tuned, released only.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dpbandits.claims.analytic.kinds import Bounds, Numbers
from dpbandits.privacy import gaussian_scales, tree, vector_sum
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu
from dpbandits.privacy.mechanisms import NoiseRequest, VectorSumRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.shuffling import (
    shuffled_gaussian_delta,
    shuffled_gaussian_eps,
    shuffled_gaussian_mu,
    valid_range,
)

Pair = tuple[np.ndarray, np.ndarray]
FLOAT_BITS = 64.0  # of a number that a user of P_Amp sends
RELEASED_BOUND = math.sqrt(2.0)  # D of the authors' code, the largest norm of its features
TREE_SENSITIVITY = 2.0
"""Least by which two users can differ for the tree, relative to the sd of an off-diagonal entry: diagonal variances are
double, so that the squares are 2 - 2c from the vector and 1 - c^2 from the matrix, largest at c = -1."""


@dataclass(frozen=True)
class Audit:
    """What is true of a mechanism at one setting.

    Attributes
    ----------
    mechanism : `local`, `shuffled`, `tree` or `vector_sum`. calibration : of the noise.
    eps, delta : nominal, those of the claim.
    noise : sd of an entry of a report or node; number of bits of the vector sum.
    in_range : eps and delta are what the theorem is about.
    levels : bounds on the true eps at the nominal delta. deltas : bounds on the true delta at the nominal eps.
    method : how the bounds were found.
    """

    mechanism: str
    calibration: str
    eps: float
    delta: float
    noise: float
    in_range: bool
    levels: tuple[float, float]
    deltas: tuple[float, float]
    method: str


# Noise


def local_sd(calibration: str, delta: float, eps: float) -> float:
    """Sd of every entry of a report of the local algorithm."""
    if calibration == "certified":
        return least_noise(NoiseRequest("gaussian", JOINT_SENSITIVITY, eps, delta, 1))
    formula = gaussian_scales.local_sd_released if calibration == "released" else gaussian_scales.local_sd_printed
    return formula(eps, delta)


def shuffled_sd(calibration: str, batch: int, delta: float, eps: float) -> float:
    """Sd of every entry of a report of P_Amp."""
    if calibration == "certified":
        return least_noise(NoiseRequest("shuffled_gaussian", JOINT_SENSITIVITY, eps, delta, batch))
    released = calibration == "released"
    formula = gaussian_scales.shuffled_sd_released if released else gaussian_scales.shuffled_sd_printed
    return formula(eps, delta, batch)


def tree_sd(calibration: str, horizon: int, delta: float, eps: float) -> float:
    """Sd of every entry of a node of the tree; the authors' code has no tree.

    Raises
    ------
    ValueError
        The calibration is `released`.
    """
    if calibration == "released":
        raise ValueError("no tree in the released code")
    if calibration == "certified":
        nodes = tree.levels(horizon)
        sensitivity = JOINT_SENSITIVITY * math.sqrt(nodes)
        return least_noise(NoiseRequest("gaussian", sensitivity, eps, delta, 1))
    return gaussian_scales.tree_sd_printed(eps, delta, horizon)


def vector_bits(calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float) -> float:
    """b of P_Vec; a fraction in the authors' code."""
    if calibration == "certified":
        return least_noise(VectorSumRequest("vector_sum", eps, delta, batch, dimension, 1))
    if calibration == "released":
        return vector_sum.bits_released(eps, delta, batch, dimension, scale)
    return vector_sum.bits_printed(eps, delta, batch, dimension)


def vector_levels(calibration: str, batch: int, dimension: int) -> tuple[float, float]:
    """g and D of P_Vec."""
    if calibration == "released":
        return vector_sum.levels_released(batch, dimension), RELEASED_BOUND
    return vector_sum.levels(batch, dimension), 1.0


def _sensitivity(calibration: str) -> float:
    return vector_sum.RELEASED_FULL if calibration == "released" else JOINT_SENSITIVITY


# Exact levels of the vector sum


def _pairs(calibration: str, dimension: int) -> list[Pair]:
    """Neighbours that are tried: the worst of the unit ball; z against -z, z along an axis, a diagonal, or all axes."""
    if calibration != "released":
        return [vector_sum.worst_pair(dimension)]
    found = []
    for axes in sorted({1, min(2, dimension - 1), dimension - 1}):
        z = np.zeros(dimension)
        z[:axes] = 1.0 / math.sqrt(axes)
        z[-1] = 1.0
        opposite = np.append(-z[:-1], 1.0)
        found.append((vector_sum.user_entries(z, 1.0), vector_sum.user_entries(opposite, 1.0)))
    return found


def _vector_bounds(
    calibration: str,
    dimension: int,
    users: int,
    bits: float,
    levels: tuple[float, float],
    value: Callable[..., float],
    at: float,
) -> tuple[float, float]:
    """Bounds on `value`, `sums_delta` or `sums_eps`, at a level or delta, for the counts of so many users.

    Lower: the exact law of the pairs tried, the other users' rounding included; they hold what the first one holds
    where g is a fraction, and whole multiples elsewhere. Upper: the laws of `charged` pairs.
    """
    (g, bound), trials = levels, float(users * math.floor(bits))
    least, most = 0.0, 0.0
    for first, second in _pairs(calibration, dimension):
        others = np.tile(first, (users - 1, 1)) if calibration == "released" else None
        if trials <= vector_sum.MOST_TRIALS:
            low = value(first, second, at, trials, g, bound=bound, others=others, upwards=False)
            least = max(least, low)
        shifts = vector_sum.charged(first, second, g, bound)
        most = max(most, value(*vector_sum.as_users(shifts, g, bound), at, trials, g, bound=bound))
    return least, most


def vector_deltas(
    calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float
) -> tuple[float, float]:
    """Bounds on the true delta of P_Vec at its nominal eps."""
    bits = vector_bits(calibration, batch, delta, dimension, eps, scale)
    levels = vector_levels(calibration, batch, dimension)
    return _vector_bounds(calibration, dimension, batch, bits, levels, vector_sum.sums_delta, eps)


def vector_eps(
    calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float
) -> tuple[float, float]:
    """Bounds on the true eps of P_Vec at its nominal delta."""
    bits = vector_bits(calibration, batch, delta, dimension, eps, scale)
    levels = vector_levels(calibration, batch, dimension)
    return _vector_bounds(calibration, dimension, batch, bits, levels, vector_sum.sums_eps, delta)


# Claims


def eps_over_range(batch: int, delta: float, eps: list[float]) -> Numbers:
    """Theorem 3.2: eps relative to the largest one that it covers, sqrt(ln(2/delta) / B)."""
    limit = math.sqrt(math.log(2.0 / delta) / batch)
    return [(f"eps over the largest covered at eps = {each:g}", each / limit) for each in eps]


def local_level_less_range(batch: int, delta: float, eps: list[float]) -> Numbers:
    """Proof of Theorem 3.2: eps0 = eps sqrt(B / ln(2/delta)) less what Lemma B.4 covers, with delta' = delta/2."""
    limit = valid_range(batch, 0.5 * delta)
    root = math.sqrt(batch / math.log(2.0 / delta))
    return [(f"eps0 less the largest covered at eps = {each:g}", each * root - limit) for each in eps]


def vector_sum_delta(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Bounds:
    """Theorem 3.5: bounds on the true delta of the counts that P_Vec shows."""
    return [
        (f"delta at eps = {each:g}", vector_deltas(calibration, batch, delta, dimension, each, scale)) for each in eps
    ]


def vector_sum_level(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Bounds:
    """Theorem 3.5: bounds on the true level at delta of the counts that P_Vec shows, relative to eps."""
    found = {each: vector_eps(calibration, batch, delta, dimension, each, scale) for each in eps}
    return [(f"true level / eps at eps = {each:g}", (low / each, high / each)) for each, (low, high) in found.items()]


def analyser_bias(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float, batches: int
) -> Numbers:
    """Algorithm 7: what the analyser adds to every entry in all batches together, in expectation."""
    found = []
    for each in eps:
        bits = vector_bits(calibration, batch, delta, dimension, each, scale)
        g, bound = vector_levels(calibration, batch, dimension)
        bias, _ = vector_sum.moments(np.zeros(batch), bits, g, bound)
        found.append((f"bias of an entry after {batches} batches at eps = {each:g}", batches * bias))
    return found


def analyser_variance_ratio(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Numbers:
    """Proof of Theorem C.1: the largest variance of an entry, all users midway between two levels, over the printed."""
    found = []
    for each in eps:
        bits = vector_bits(calibration, batch, delta, dimension, each, scale)
        g, bound = vector_levels(calibration, batch, dimension)
        midway = (math.floor(g) - 0.5) * bound / g - bound
        _, variance = vector_sum.moments(np.full(batch, midway), bits, g, bound)
        printed = vector_sum.variance_printed(batch, bits, g, bound)
        found.append((f"variance of an entry over the printed one at eps = {each:g}", variance / printed))
    return found


def shuffled_local_level(calibration: str, delta: float, eps: float, batch: list[float]) -> Numbers:
    """Remark 3.4: local level of a report of P_Amp at delta/B, relative to eps sqrt(B / ln(2/delta))."""
    return [
        (
            f"local level over eps sqrt(B / ln(2/delta)) at B = {n:g}",
            _local_level(calibration, delta, eps, n) / (eps * math.sqrt(n / math.log(2.0 / delta))),
        )
        for n in batch
    ]


def shuffled_local_exponent_less(
    calibration: str, delta: float, eps: float, batch: list[float], printed: float
) -> Numbers:
    """Remark 3.4: exponent of B in the local level of a report of P_Amp at delta/B, less the printed one."""
    return _exponents([(n, _local_level(calibration, delta, eps, n)) for n in batch], printed)


def _local_level(calibration: str, delta: float, eps: float, batch: float) -> float:
    sd = shuffled_sd(calibration, int(batch), delta, eps)
    return gaussian_eps(_sensitivity(calibration) / sd, delta / batch)


def vector_local_level(
    calibration: str, delta: float, dimension: int, eps: float, scale: float, batch: list[float]
) -> Bounds:
    """Remark 3.7: bounds on the local level at delta of a user's own bits of P_Vec, relative to eps sqrt(B)."""
    found = []
    for n in batch:
        low, high = _vector_local(calibration, delta, dimension, eps, scale, n)
        root = eps * math.sqrt(n)
        found.append((f"local level over eps sqrt(B) at B = {n:g}", (low / root, high / root)))
    return found


def vector_local_exponent_less(
    calibration: str, delta: float, dimension: int, eps: float, scale: float, batch: list[float], printed: float
) -> Numbers:
    """Remark 3.7: exponent of B in the lower bound on the local level of `vector_local_level`, less the printed one."""
    levels = [(n, _vector_local(calibration, delta, dimension, eps, scale, n)[0]) for n in batch]
    return _exponents(levels, printed)


def _vector_local(
    calibration: str, delta: float, dimension: int, eps: float, scale: float, batch: float
) -> tuple[float, float]:
    bits = vector_bits(calibration, int(batch), delta, dimension, eps, scale)
    levels = vector_levels(calibration, int(batch), dimension)
    return _vector_bounds(calibration, dimension, 1, bits, levels, vector_sum.sums_eps, delta)


def _exponents(levels: list[tuple[float, float]], printed: float) -> Numbers:
    """Slopes of log level on log B between neighbouring B, less `printed`.

    Raises
    ------
    ValueError
        A level is 0: delta alone covers all there is to see.
    """
    if min(level for _, level in levels) <= 0.0:
        raise ValueError(f"no exponent of levels {levels}")
    return [
        (f"exponent from B = {m:g} to {n:g}, less {printed:g}", math.log(y / x) / math.log(n / m) - printed)
        for (m, x), (n, y) in pairwise(levels)
    ]


def bits_over_floats(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Numbers:
    """Section 6: bits that a user of P_Vec sends, k (2g + b), relative to those of P_Amp, k numbers of 64 bits."""
    g, _ = vector_levels(calibration, batch, dimension)
    return [
        (
            f"bits of a user over 64-bit numbers at eps = {each:g}",
            (math.ceil(2.0 * g) + math.floor(vector_bits(calibration, batch, delta, dimension, each, scale)))
            / FLOAT_BITS,
        )
        for each in eps
    ]


def provable_amplification(batch: list[float], delta: float, eps: float) -> Numbers:
    """Sd of a local Gaussian report over that which the clones prove enough after shuffling; the paper has sqrt(B)."""
    alone = gaussian_mu(eps, delta)
    return [
        (f"noise saved by shuffling {n:g} reports at eps = {eps:g}", shuffled_gaussian_mu(eps, delta, int(n)) / alone)
        for n in batch
    ]


# Audit


def audit_local(calibration: str, delta: float, eps: float) -> Audit:
    """A report sent in the open, Proposition F.1."""
    sd = local_sd(calibration, delta, eps)
    mu = _sensitivity(calibration) / sd
    level, at_eps = gaussian_eps(mu, delta), gaussian_delta(mu, eps)
    return Audit("local", calibration, eps, delta, sd, eps <= 1.0, (level, level), (at_eps, at_eps), "exact")


def audit_shuffled(calibration: str, batch: int, delta: float, eps: float) -> Audit:
    """A batch of shuffled reports, Theorem 3.2; from below by their sum, from above alone or by clones."""
    sd = shuffled_sd(calibration, batch, delta, eps)
    mu = _sensitivity(calibration) / sd
    summed = mu / math.sqrt(batch)
    levels = gaussian_eps(summed, delta), shuffled_gaussian_eps(mu, delta, batch)
    deltas = gaussian_delta(summed, eps), shuffled_gaussian_delta(mu, eps, batch)
    in_range = eps <= math.sqrt(math.log(2.0 / delta) / batch)
    return Audit("shuffled", calibration, eps, delta, sd, in_range, levels, deltas, "sum; local and clones")


def audit_tree(calibration: str, horizon: int, delta: float, eps: float) -> Audit:
    """All nodes of the tree; released, the difference of two states is a user's data as they are."""
    if calibration == "released":
        nothing = (math.inf, math.inf), (1.0, 1.0)
        return Audit("tree", calibration, eps, delta, 0.0, eps <= 1.0, *nothing, "differences of states")
    sd, root = tree_sd(calibration, horizon, delta, eps), math.sqrt(tree.levels(horizon))
    most = JOINT_SENSITIVITY
    mus = [root * least / sd for least in (most if calibration == "certified" else TREE_SENSITIVITY, most)]
    levels = [gaussian_eps(mu, delta) for mu in mus]
    deltas = [gaussian_delta(mu, eps) for mu in mus]
    bounds = (levels[0], levels[1]), (deltas[0], deltas[1])
    return Audit("tree", calibration, eps, delta, sd, eps <= 1.0, *bounds, "all nodes of a leaf")


def audit_vector_sum(calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float) -> Audit:
    """The counts of a batch, Theorem 3.5; from below by the pairs tried, from above with their rounding charged."""
    bits = vector_bits(calibration, batch, delta, dimension, eps, scale)
    levels = vector_eps(calibration, batch, delta, dimension, eps, scale)
    deltas = vector_deltas(calibration, batch, delta, dimension, eps, scale)
    in_range = eps <= 15.0 and delta < 0.5
    return Audit("vector_sum", calibration, eps, delta, bits, in_range, levels, deltas, "worst pair found; charged")


def audit(
    calibration: str, horizon: int, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> list[Audit]:
    """All four mechanisms at every eps."""
    rows = []
    for each in eps:
        rows += [
            audit_local(calibration, delta, each),
            audit_shuffled(calibration, batch, delta, each),
            audit_tree(calibration, horizon, delta, each),
            audit_vector_sum(calibration, batch, delta, dimension, each, scale),
        ]
    return rows
