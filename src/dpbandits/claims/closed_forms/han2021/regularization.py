"""Rounds in which regularization and bonus outweigh the data in least squares with local privacy (han2021)."""

import math

from scipy import integrate, special

from dpbandits.algorithms.glm_single import ldp_ols
from dpbandits.algorithms.shared.ldp_ucb_bonus import ldp_ucb_bonus
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.han2021.noise import constants, ldp_ucb_sd
from dpbandits.privacy.local_scales import ALPHA, spread


def shift_over_root(calibration: str, horizon: float, dimension: int, delta: float, eps: float) -> float:
    """c~ of the regularization c~ sqrt t of LDP-OLS, if it has one."""
    found = constants(ldp_ols, calibration, eps, delta, T=horizon, dimension=dimension, regularization=2.0)
    return float(found.growth)


def least_growth(dimension: int, arms: int) -> float:
    """Least eigenvalue of E x x' for the best of K contexts that are independent and uniform on the sphere.

    It is E(1 - M^2) / (d - 1), where M is the largest of the K heights.

    Raises
    ------
    ValueError
        The dimension is less than 2.
    """
    if dimension < 2:
        raise ValueError(f"no second direction in dimension {dimension}")
    half = 0.5 * (dimension - 1)

    def below(height: float) -> float:
        return float(special.betainc(half, half, 0.5 * (1.0 + height)))

    squares, _ = integrate.quad(lambda m: 2.0 * m * (below(m) ** arms - below(-m) ** arms), 0.0, 1.0)
    return squares / (dimension - 1)  # E(1 - M^2) = integral of 2 m P(|M| <= m) over m in (0, 1)


def rounds_of_regularization(
    calibration: str, horizon: float, dimension: int, arms: int, delta: float, eps: list[float]
) -> Numbers:
    """Theorem 3.3: rounds t until lambda t exceeds the regularization c~ sqrt t of LDP-OLS; lambda: `least_growth`."""
    growth = least_growth(dimension, arms)
    return [
        (
            f"rounds until the data exceed the regularization at eps = {each:g}",
            (shift_over_root(calibration, horizon, dimension, delta, each) / growth) ** 2,
        )
        for each in eps
    ]


def bonus(sd: float, horizon: float, dimension: int, now: float, growth: float) -> float:
    """Bonus of LDP-UCB for a unit vector in round t, if V = growth t I and the regularization is 2 Upsilon_t."""
    upsilon = sd * spread(dimension, horizon, ALPHA)
    base, rise = ldp_ucb_bonus(sd, upsilon, dimension, horizon)
    return (base + rise * now**0.25) / math.sqrt(growth * now + 2.0 * upsilon * math.sqrt(now))


def bonus_over_range(
    calibration: str, horizon: float, dimension: int, arms: int, delta: float, eps: list[float], rounds: list[float]
) -> Numbers:
    """Table 1: bonus of LDP-UCB in some rounds over the range of mean rewards, 2; growth is `least_growth`."""
    growth = least_growth(dimension, arms)
    return [
        (
            f"bonus over the range at eps = {each:g}, round {now:g}",
            bonus(ldp_ucb_sd(calibration, delta, each), horizon, dimension, now, growth) / 2.0,
        )
        for each in eps
        for now in rounds
    ]


def rounds_of_bonus(
    calibration: str, horizon: float, dimension: int, arms: int, delta: float, eps: list[float], size: float
) -> Numbers:
    """Table 1: round from which the bonus of LDP-UCB is below `size`; `horizon` only sets the constants."""
    growth = least_growth(dimension, arms)
    found = []
    for each in eps:
        sd, now = ldp_ucb_sd(calibration, delta, each), 1.0
        while bonus(sd, horizon, dimension, now, growth) > size:
            now *= 2.0
        low, high = 0.5 * now, now
        while high > low * (1.0 + 1e-9):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if bonus(sd, horizon, dimension, middle, growth) > size else (low, middle)
        found.append((f"rounds until the bonus is below {size:g} at eps = {each:g}", high))
    return found
