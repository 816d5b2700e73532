"""True levels of privacy of single messages of han2021, |x| <= 1 and |r| <= 1 unless said otherwise."""

import math

from dpbandits.audits.han2021 import TYPICAL_DIMENSION, gradient_shift, mean_squares
from dpbandits.audits.l2_ball import densities
from dpbandits.claims.analytic.han2021_noise import ball_eps, message_sds, tuple_sds
from dpbandits.claims.analytic.kinds import Numbers
from dpbandits.privacy.gaussian import gaussian_eps
from dpbandits.privacy.sensitivities import message_sensitivity

DIGITS = 9  # to which levels are compared


def least_squares_level_over_eps(calibration: str, delta: list[float], eps: list[float]) -> Numbers:
    """Proposition 3.1: exact level at delta of the message for least squares, relative to eps."""
    return [
        (
            f"true level / eps at eps = {each:g}, delta = {d:g}",
            round(gaussian_eps(message_mu(calibration, d, each), d) / each, DIGITS),
        )
        for d in delta
        for each in eps
    ]


def message_mu(calibration: str, delta: float, eps: float) -> float:
    """Largest distance of two users in sds of the message for least squares."""
    matrix_sd, vector_sd = message_sds(calibration, delta, eps)
    return message_sensitivity((vector_sd / matrix_sd) ** 2) / vector_sd


def ball_level_over_eps(calibration: str, eps: list[float], length: list[float]) -> Numbers:
    """Proposition 3.2: exact level of Psi relative to eps for inputs no longer than `length` times R.

    The density of the output relative to a uniform one takes two values, on either side of the input; level: log-ratio
    of the largest and the smallest over all inputs. Longer inputs than R are projected.
    """
    found = []
    for each in eps:
        for longest in length:
            near, far = densities(ball_eps(calibration, each), longest)
            level = math.log(near / far)
            found.append(
                (f"true level / eps of lengths up to {longest:g} R at eps = {each:g}", round(level / each, DIGITS))
            )
    return found


def gaussian_contexts_level_over_eps(calibration: str, nominal: float, delta: list[float], eps: list[float]) -> Numbers:
    """Section 5: level at delta of two typical users with contexts N(0, I_20), relative to eps.

    The noise is made for `nominal` delta; the users are as far apart as the `mean_squares` say. There are pairs as far
    apart as one likes: no level holds for all.
    """
    found = []
    for name, (matrix, vector) in mean_squares(TYPICAL_DIMENSION).items():
        for each in eps:
            matrix_sd, vector_sd = tuple_sds(calibration, nominal, each)
            mu = math.sqrt(matrix / matrix_sd**2 + vector / vector_sd**2)
            found += [
                (f"level / eps for {name} at eps = {each:g}, delta = {other:g}", gaussian_eps(mu, other) / each)
                for other in delta
            ]
    return found


def gradient_level_over_eps(delta: float, eps: list[float], horizon: float) -> Numbers:
    """Figures 2, 4, 5: level of two gradients r x at theta = 0 with noise of sd 1/eps, relative to eps.

    Both users have contexts that occur, (0, 0, 1) and (1, 0, 0), and mean rewards: 5 and 5 + 4 / sqrt T.
    """
    moved = math.hypot(*gradient_shift(horizon))
    return [
        (f"level / eps at eps = {each:g}, delta = {delta:g}", gaussian_eps(moved * each, delta) / each) for each in eps
    ]


def estimator_level_over_eps(delta: float, eps: float, reward: list[float]) -> Numbers:
    """Figure 3: exact level of its message relative to eps for rewards up to `reward`; they reach sqrt 2 there.

    Sds, in units of s = sqrt(8 ln(1.25/delta)) / eps: 1 of r x, 2 off the diagonal and 2 sqrt 2 on it. Users with the
    same x and opposite rewards are farthest apart, by 2 `reward`, where it is at least 1/2.
    """
    s = math.sqrt(8.0 * math.log(1.25 / delta)) / eps
    return [
        (f"true level / eps for rewards up to {each:.3g}", gaussian_eps(2.0 * each / s, delta) / eps) for each in reward
    ]
