"""The tuple of messages in Algorithm 2 of han2021, one per arm, and how much it reveals about the played arm.

The played arm gets a message about (x, r); every other arm gets a message about zero. Printed: every message uses half
of eps and delta. Released and certified: every message uses all of them. These shares and the noise are taken from the
algorithms with one parameter per arm.
"""

import math

from scipy import integrate, special

from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.han2021.noise import tuple_ball_eps, tuple_sds
from dpbandits.privacy.l2_ball import keep_probability
from dpbandits.privacy.sensitivities import message_sensitivity

TAIL = 12.0  # range of integration in sds of a normal distribution; source: our choice


def tuple_squares(weight: float) -> tuple[float, float]:
    """Largest squared distances of two users in units of the vector's sd, with the same arm and with different arms."""
    return message_sensitivity(weight) ** 2, 2.0 + 2.0 * weight


def other_arm_over_same(calibration: str, delta: float, eps: list[float]) -> Numbers:
    """Proposition 4.1: largest squared distance of users with different arms over that of users with the same arm."""
    found = []
    for each in eps:
        matrix_sd, vector_sd = tuple_sds(calibration, delta, each)
        same, other = tuple_squares((vector_sd / matrix_sd) ** 2)
        found.append((f"squared distance, different arms over the same, at eps = {each:g}", other / same))
    return found


# Which arm it was


def arm_guess_bound(eps: float, delta: float, arms: int) -> float:
    """Largest probability of guessing one of K equally likely inputs from an (eps, delta)-private output.

    Let p_a be the probability of a right guess for input a. For any other input the guess is a with probability at
    least e^-eps (p_a - delta), and the probabilities of all guesses sum to 1.
    """
    others = (arms - 1) * math.exp(-eps)
    return (1.0 + others * delta) / (1.0 + others)


def gaussian_arm_guess(length: float, arms: int) -> float:
    """Probability that the normal variable with mean `length` is the largest of K; the others have mean 0."""

    def density(z: float) -> float:
        below = float(special.ndtr(z)) ** (arms - 1)
        return math.exp(-0.5 * (z - length) ** 2) / math.sqrt(2.0 * math.pi) * below

    found, _ = integrate.quad(density, length - TAIL, length + TAIL, points=[length], epsabs=1e-12, epsrel=1e-12)
    return float(found)


def ball_arm_guess(eps: float, arms: int) -> float:
    """Probability of guessing the arm from the sides of the known gradient on which the messages lie.

    The sides of the arms that were not played are fair coins. All arms with a message on the near side are equally
    likely; if there is none, all arms are.
    """
    kept, coins = keep_probability(eps), 0.5 ** (arms - 1)
    return ((2.0**arms - 1.0) * coins * kept + coins * (1.0 - kept)) / arms


def least_squares_arm_guess_less_bound(
    calibration: str, delta: list[float], eps: list[float], arms: list[int], synthetic: int
) -> Numbers:
    """Proposition 4.1: probability of the best guess of the arm from the tuple, less the largest that privacy allows.

    x and r are known, |x| = |r| = 1. With `synthetic` 0, arms that were not played send nothing, which reveals the arm.
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
    """Proposition 4.2: as `least_squares_arm_guess_less_bound` for messages Psi(g), |g| = R."""
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
