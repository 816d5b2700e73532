"""The horizons at which the algorithms of chen2020 start to learn, given their printed bonuses."""

import math
from collections.abc import Callable

from dpbandits.algorithms.semi_bandit.widths import Width
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.chen2020.local_bonus import local_width
from dpbandits.claims.closed_forms.chen2020.tree_noise import printed_noise_bonus


def _width_of_local(power: float, horizon: float, eps: float, size: float) -> Width:
    return Width(local_width(horizon, eps, size, power), 0.0, 0.0, 0.0)


WIDTHS: dict[str, Callable[[float, float, float, float], Width]] = {
    "CUCB-LDP2": lambda T, m, K, eps: _width_of_local(0.0, T, eps, K),
    "CUCB-LDP1": lambda T, m, K, eps: _width_of_local(1.0, T, eps, K),
    "CUCB-LDP1, K^2": lambda T, m, K, eps: _width_of_local(2.0, T, eps, K),
    "CUCB-DP": lambda T, m, K, eps: Width(2.0 * math.sqrt(math.log(m * T)), K * printed_noise_bonus(T) / eps, 0.0, 0.0),
    "CUCB": lambda T, m, K, eps: Width(math.sqrt(1.5 * math.log(T)), 0.0, 0.0, 0.0),
}
"""Printed bonus as a function of T, m, K and eps; LDP1 also with K^2 under the root; CUCB with ln T for ln t."""
LARGEST = 1e60  # the horizon at which the downward search starts; source: our choice
SETTLED = 1e-13


def reports_until(width: Width, gap: float) -> float:
    """The n at which root / sqrt(n) + linear / n equals the gap."""
    root = 0.5 * (width.root + math.sqrt(width.root**2 + 4.0 * gap * width.linear)) / gap
    return root * root


def plays_until(name: str, horizon: float, arms: float, size: float, gap: float, eps: float) -> float:
    """Plays of a path of K arms until its bonuses sum to K times the gap; LDP2 updates one arm per play."""
    reports = reports_until(WIDTHS[name](horizon, arms, size, eps), gap)
    return size * reports if name == "CUCB-LDP2" else reports


def learnable_horizon(name: str, arms: float, size: float, gap: float, eps: float) -> float:
    """Least horizon at which every suboptimal one of m / K disjoint paths can be told from the best; linear reward.

    It is the largest solution of T = (m/K - 1) n(T) with `plays_until` as n, which neglects the best path's bonus and
    plays. Without a solution it is m / K, one play of each path.
    """
    paths = arms / size
    return settled(lambda T: (paths - 1.0) * plays_until(name, T, arms, size, gap, eps), paths)


def settled(needed: Callable[[float], float], least: float) -> float:
    """The largest T >= `least` with T = needed(T), or `least` without a solution; needed grows like a power of ln T.

    Raises
    ------
    ValueError
        The solution exceeds `LARGEST`.
    """
    T = LARGEST
    if needed(T) > T:
        raise ValueError(f"no horizon below {LARGEST:g}")
    while True:
        below = max(least, needed(T))
        if below >= T * (1.0 - SETTLED):
            return below
        T = below


def learnable_horizons(arms: float, size: float, gap: float, eps: list[float]) -> Numbers:
    """`learnable_horizon` for every algorithm."""
    return [
        (f"smallest T of {name} at eps = {each:g}", learnable_horizon(name, arms, size, gap, each))
        for name in WIDTHS
        for each in eps
    ]


def informed_horizon(name: str, arms: float, size: float, mean: float, eps: float) -> float:
    """Least horizon at which an arm's final index is below 1, if the arm is updated in all rounds and the noise is 0.

    At shorter horizons the oracle sees only indices of 1. Computed by `settled` with 1 - mean as the gap.
    """
    return settled(lambda T: reports_until(WIDTHS[name](T, arms, size, eps), 1.0 - mean), 2.0)


def informed_horizons(arms: float, size: float, mean: float, eps: list[float]) -> Numbers:
    """`informed_horizon` for every algorithm."""
    return [
        (
            f"smallest T of {name} with an index below 1 at eps = {each:g}",
            informed_horizon(name, arms, size, mean, each),
        )
        for name in WIDTHS
        for each in eps
    ]
