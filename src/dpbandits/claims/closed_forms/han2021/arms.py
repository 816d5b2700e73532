"""The tuple of messages of Algorithm 2 of han2021, one for every arm: what betrays the arm.

The arm that was played gets a message about (x, r), all others one about nothing. Printed: every message has half of
eps and delta. Released and certified: each of them has all. That and the noise are read from the algorithms with a
parameter for every arm.
"""

import math

from scipy import integrate, special

from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.han2021.noise import tuple_ball_eps, tuple_sds
from dpbandits.privacy.l2_ball import keep_probability
from dpbandits.privacy.sensitivities import message_sensitivity

TAIL = 12.0  # sds of a normal distribution that are integrated over; source: our choice


def tuple_squares(weight: float) -> tuple[float, float]:
    """Largest squared distances of two users in units of the vector's sd: of the same arm, and of different arms."""
    return message_sensitivity(weight) ** 2, 2.0 + 2.0 * weight


def other_arm_over_same(calibration: str, delta: float, eps: list[float]) -> Numbers:
    """Proposition 4.1: largest squared distance of users of different arms over that of users of the same arm."""
    found = []
    for each in eps:
        matrix_sd, vector_sd = tuple_sds(calibration, delta, each)
        same, other = tuple_squares((vector_sd / matrix_sd) ** 2)
        found.append((f"squared distance, different arms over the same, at eps = {each:g}", other / same))
    return found


# Which arm it was


def arm_guess_bound(eps: float, delta: float, arms: int) -> float:
    """Largest chance to name one of K equally likely inputs from an (eps, delta)-private output.

    A guess is right with p_a for input a; for any other input it says a with at least e^-eps (p_a - delta), and all
    that it says adds up to 1.
    """
    others = (arms - 1) * math.exp(-eps)
    return (1.0 + others * delta) / (1.0 + others)


def gaussian_arm_guess(length: float, arms: int) -> float:
    """Chance that the largest of K normal numbers is the one with mean `length`; the others have mean 0."""

    def density(z: float) -> float:
        below = float(special.ndtr(z)) ** (arms - 1)
        return math.exp(-0.5 * (z - length) ** 2) / math.sqrt(2.0 * math.pi) * below

    found, _ = integrate.quad(density, length - TAIL, length + TAIL, points=[length], epsabs=1e-12, epsrel=1e-12)
    return float(found)


def ball_arm_guess(eps: float, arms: int) -> float:
    """Chance to name the arm from the sides of the gradient on which the messages lie, the gradient being known.

    Under any arm the other arms' sides are fair coins; all arms with a message on the near side are equally likely, and
    all arms are where none is.
    """
    kept, coins = keep_probability(eps), 0.5 ** (arms - 1)
    return ((2.0**arms - 1.0) * coins * kept + coins * (1.0 - kept)) / arms


def least_squares_arm_guess_less_bound(
    calibration: str, delta: list[float], eps: list[float], arms: list[int], synthetic: int
) -> Numbers:
    """Proposition 4.1: chance of the best guess of the arm from the tuple, |x| = |r| = 1, less what privacy allows.

    x and r are known. With `synthetic` 0 the arms that were not played send nothing, which tells the arm.
    """
    found = []
    for d in delta:
        for each in eps:
            matrix_sd, vector_sd = tuple_sds(calibration, d, each)
            length = math.hypot(1.0 / vector_sd, 1.0 / matrix_sd)
            for n in arms:
                chance = gaussian_arm_guess(length, n) if synthetic else 1.0
                found.append((_guess(n, each, d), chance - arm_guess_bound(each, d, n)))
    return found


def ball_arm_guess_less_bound(calibration: str, eps: list[float], arms: list[int], synthetic: int) -> Numbers:
    """Proposition 4.2: the same of Psi, |g| = R."""
    return [
        (
            _guess(n, each, 0.0),
            (ball_arm_guess(tuple_ball_eps(calibration, each), n) if synthetic else 1.0)
            - arm_guess_bound(each, 0.0, n),
        )
        for each in eps
        for n in arms
    ]


def _guess(arms: int, eps: float, delta: float) -> str:
    return f"guess of one of {arms} arms, less the largest allowed, at eps = {eps:g}, delta = {delta:g}"
