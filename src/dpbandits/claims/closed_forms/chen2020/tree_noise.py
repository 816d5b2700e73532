"""The tree of chen2020: its bonus against its noise, and exact epsilons of the tree and of reports."""

import math
from itertools import pairwise

import numpy as np

from dpbandits.algorithms.semi_bandit.widths import laplace_sum_bound
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import layers, printed_scale, tree_sensitivity

DIGITS = 9  # to which epsilons are rounded for comparison


# Bonus of the central algorithm against the noise of its tree


def tree_bonus_over_needed(horizon: list[int]) -> Numbers:
    """The printed bonus 12 L^3 over a bound on the noise of a prefix, D nodes, with failure probability T^-2.

    The unit K / (n eps) cancels.
    """
    found = []
    for T in horizon:
        printed, nodes = printed_noise_bonus(T), laplace_sum_bound(layers(T), 2.0 * math.log(T))
        for name, scale in (("printed", printed_scale(1, T, 1.0)), ("least", tree_sensitivity(1, T))):
            found.append((f"printed bonus over that for the {name} noise at T = {T:g}", printed / (scale * nodes)))
    return found


def printed_noise_bonus(horizon: float) -> float:
    """The printed bonus 12 L^3, in units of K / (n eps)."""
    return 12.0 * math.log(horizon) ** 3


def needed_bonus_powers(horizon: list[int]) -> Numbers:
    """Power of L in the bonus that the printed noise needs, between consecutive horizons; the printed power is 3.

    Use powers of two as horizons, because D jumps there.
    """
    needed = {T: printed_scale(1, T, 1.0) * laplace_sum_bound(layers(T), 2.0 * math.log(T)) for T in horizon}
    return [
        (f"power of ln T from T = {s:g} to {t:g}", math.log(needed[t] / needed[s]) / math.log(math.log(t, s)))
        for s, t in pairwise(horizon)
    ]


# Epsilons


def tree_epsilon_over_eps(calibration: str, size: list[int], horizon: list[int]) -> Numbers:
    """Theorem 7: exact epsilon of all nodes of the tree over eps, for two bases of the printed logarithm."""
    found = []
    for k in size:
        for T in horizon:
            moved = tree_sensitivity(k, T)
            if calibration == "certified":
                scales = {"least noise": least_noise(NoiseRequest("laplace", moved, 1.0, 0.0, 1))}
            else:
                scales = {
                    "natural logarithm": printed_scale(k, T, 1.0),
                    "binary logarithm": printed_scale(k, T, 1.0, 2.0),
                }
            found += [
                (f"actual epsilon / eps at K = {k}, T = {T:g}, {name}", round(moved / scale, DIGITS))
                for name, scale in scales.items()
            ]
    return found


def report_epsilon_over_eps(eps: list[float], size: list[int]) -> Numbers:
    """Theorems 1 and 3: exact epsilon over eps, of K numbers with Lap(K/eps) noise and of one with Lap(1/eps) noise."""
    found = []
    for each in eps:
        for k in size:
            found.append((f"actual epsilon / eps of {k} numbers at eps = {each:g}", report_epsilon(k, k / each) / each))
        found.append((f"actual epsilon / eps of one of them at eps = {each:g}", report_epsilon(1, 1.0 / each) / each))
    return [(label, round(epsilon, DIGITS)) for label, epsilon in found]


def report_epsilon(numbers: int, scale: float) -> float:
    """Largest log-ratio of the densities of 0 .. 0 and 1 .. 1 plus Lap(`scale`) noise, attained at y <= 0."""
    y = np.zeros(numbers)
    return float(np.sum(np.abs(y - 1.0) - np.abs(y)) / scale)
