"""The vector sum of chowdhury2022, P_Vec: exact laws of what it shows, its bias and its variance."""

import math
from collections.abc import Callable

import numpy as np

from dpbandits.audits.vector_sum import tried_pairs
from dpbandits.claims.analytic.chowdhury2022_noise import vector_bits, vector_levels
from dpbandits.claims.analytic.kinds import Bounds, Numbers
from dpbandits.privacy import vector_sum


def vector_bounds(
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
    for first, second in tried_pairs(calibration == "released", dimension):
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
    return vector_bounds(calibration, dimension, batch, bits, levels, vector_sum.sums_delta, eps)


def vector_eps(
    calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float
) -> tuple[float, float]:
    """Bounds on the true eps of P_Vec at its nominal delta."""
    bits = vector_bits(calibration, batch, delta, dimension, eps, scale)
    levels = vector_levels(calibration, batch, dimension)
    return vector_bounds(calibration, dimension, batch, bits, levels, vector_sum.sums_eps, delta)


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
