"""The horizons from which on the algorithms of chen2020 learn anything, by their printed bonuses."""

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
"""Printed bonus by T, m, K and eps; of LDP1 also with K^2 under the root; of CUCB with ln T in place of ln t."""
LARGEST = 1e60  # a horizon from which the search comes down; source: our choice
SETTLED = 1e-13


def reports_until(width: Width, gap: float) -> float:
    """n where root / sqrt(n) + linear / n is the gap."""
    root = 0.5 * (width.root + math.sqrt(width.root**2 + 4.0 * gap * width.linear)) / gap
    return root * root


def plays_until(name: str, horizon: float, arms: float, size: float, gap: float, eps: float) -> float:
    """Plays of a path of K arms until its bonuses sum to K times the gap; LDP2 updates one arm in a play."""
    reports = reports_until(WIDTHS[name](horizon, arms, size, eps), gap)
    return size * reports if name == "CUCB-LDP2" else reports


def learnable_horizon(name: str, arms: float, size: float, gap: float, eps: float) -> float:
    """Horizon from which on all suboptimal ones of m / K disjoint paths, reward linear, can be told from the best.

    T = (m/K - 1) n(T) with `plays_until` as n: the best path's own bonus is neglected, as are its plays. The largest
    solution; m / K plays, one of each path, where there is none.
    """
    paths = arms / size
    return settled(lambda T: (paths - 1.0) * plays_until(name, T, arms, size, gap, eps), paths)


def settled(needed: Callable[[float], float], least: float) -> float:
    """The largest T >= `least` with T = needed(T), which grows like a power of ln T; `least` where there is none.

    Raises
    ------
    ValueError
        It is beyond the largest horizon from which is sought.
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
    """`learnable_horizon` of every algorithm."""
    return [
        (f"smallest T of {name} at eps = {each:g}", learnable_horizon(name, arms, size, gap, each))
        for name in WIDTHS
        for each in eps
    ]


def informed_horizon(name: str, arms: float, size: float, mean: float, eps: float) -> float:
    """Horizon from which on an arm has an index below 1 at the end, if it is updated in all rounds and noise is 0.

    Before, the oracle sees nothing but ones; `settled` with 1 - mean as the gap.
    """
    return settled(lambda T: reports_until(WIDTHS[name](T, arms, size, eps), 1.0 - mean), 2.0)


def informed_horizons(arms: float, size: float, mean: float, eps: list[float]) -> Numbers:
    """`informed_horizon` of every algorithm."""
    return [
        (
            f"smallest T of {name} with an index below 1 at eps = {each:g}",
            informed_horizon(name, arms, size, mean, each),
        )
        for name in WIDTHS
        for each in eps
    ]
