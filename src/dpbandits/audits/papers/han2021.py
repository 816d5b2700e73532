"""Releases of Han, Liang, Wang and Zhang (arXiv 2106.03365), with the noise of the shipped algorithms.

Any two users are neighbors. Contexts have norm at most 1 and rewards lie in [-1, 1], unless an audit says otherwise.
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy import optimize, special

from dpbandits.algorithms.glm_multi import ldp_gloc_multi_released, ldp_sgd_multi_released
from dpbandits.algorithms.glm_single.ldp_gloc import bounded
from dpbandits.audits.constants import constants_of, noise_of
from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.l2_ball import L2Ball
from dpbandits.audits.mechanisms.least_squares import farthest_contexts, lower, lower_sds, numbers
from dpbandits.audits.release import Release
from dpbandits.environments.contextual.corner_contexts import parameter
from dpbandits.privacy.l2_ball import L2_BALL_NOISE
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, Noise

Setting = Mapping[str, float]
Message = tuple[tuple[float, ...], tuple[float, ...]]
TYPICAL_DIMENSION = 20  # of the released contexts with one parameter per arm


def _normal(algorithm: str) -> Noise:
    """Return the function that adds normal noise."""
    return noise_of(algorithm, GAUSSIAN_NOISE.kind)


def _ball(algorithm: str) -> Noise:
    """Return the function that applies the l2-ball mechanism to a vector."""
    return noise_of(algorithm, L2_BALL_NOISE.kind)


# Least squares


def message(algorithm: str, calibration: str, setting: Setting) -> Release:
    """x x' and r x with noise, in LDP-OLS and LDP-UCB."""
    found, d = constants_of(algorithm, calibration, setting), int(setting["dimension"])
    if algorithm == "ldp_ucb":
        return Gaussian(*_message(d, found.sigma, found.sigma), added=_normal(algorithm))
    return Gaussian(*_message(d, found.matrix_sd, found.vector_sd), added=_normal(algorithm))


def messages_to_all_arms(algorithm: str, calibration: str, setting: Setting) -> Release:
    """Messages for all arms at once, about zero for arms not played; both users play the first arm."""
    found, d, arms = constants_of(algorithm, calibration, setting), int(setting["dimension"]), int(setting["arms"])
    if algorithm == "ldp_ucb_multi":
        first, second = (np.append(x, np.zeros((arms - 1) * d)) for x in farthest_contexts(1.0, d))
        shifts = numbers(lower(second) - lower(first), second - first)
        return Gaussian(shifts, (found.server.sd,) * len(shifts), added=_normal(algorithm))
    shifts, sds = _message(d, found.rules.matrix_sd, found.rules.vector_sd)
    return Gaussian(shifts + (0.0,) * (arms - 1) * len(shifts), sds * arms, added=_normal(algorithm))


def typical_contexts(algorithm: str, calibration: str, setting: Setting) -> Release:
    """Two users with different arms and contexts N(0, I), at the root mean square of their distance.

    The view is their message along the direction in which it moves, x x' first. The distance of users is unbounded.
    """
    rules = constants_of(algorithm, calibration, setting).rules
    matrix, vector = mean_squares(TYPICAL_DIMENSION)["different arms"]
    shifts, sds = (math.sqrt(matrix), math.sqrt(vector)), (rules.matrix_sd, rules.vector_sd)
    return Gaussian(shifts, sds, math.inf, added=_normal(algorithm))


def mean_squares(dimension: int) -> dict[str, tuple[float, float]]:
    """Mean squared distances of two users in x x', on and above the diagonal, and in r x, for normal x and r = x'theta.

    x and x' are independent N(0, I_d), |theta| = 1. The mean sums of squares are 3 d + d (d - 1) / 2 for x x' and d + 2
    for r x; the squares of the means of x x' and r x sum to d and 1. If the arms differ, each user's message is
    compared with nothing, which counts twice. With the same arm, twice the squares of the means are subtracted.
    """
    d = float(dimension)
    return {
        "the same arm": (d**2 + 3.0 * d, 2.0 * (d + 1.0)),
        "different arms": (d**2 + 5.0 * d, 2.0 * (d + 2.0)),
    }


def warm_up(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The least-squares message in the released warm-up of LDP-SGD with one parameter per arm."""
    rules = constants_of(algorithm, calibration, setting).rules
    return Gaussian(*_message(int(setting["dimension"]), rules.sd, rules.sd), added=_normal(algorithm))


def estimator(algorithm: str, calibration: str, setting: Setting) -> Release:
    """x x' and r x with noise, in Figure 3, for mean rewards up to `reward`; above 1, normal noise allows no bound."""
    found = constants_of(algorithm, calibration, setting)
    reward = 1.0 if found.clip else setting["reward"]
    shifts, sds = _message(int(setting["dimension"]), found.matrix_sd, found.vector_sd, found.extra_sd, reward)
    return Gaussian(shifts, sds, math.inf if reward > 1.0 else None, added=_normal(algorithm))


def _message(d: int, matrix_sd: float, vector_sd: float, extra_sd: float = 0.0, reward: float = 1.0) -> Message:
    """Shifts and sds of x x', row by row, and of r x, for the two users with the largest distance."""
    diagonal = math.hypot(matrix_sd, extra_sd)
    first, second = farthest_contexts((vector_sd / (reward * diagonal)) ** 2, d)
    shifts = numbers(lower(second) - lower(first), reward * (second - first))
    return shifts, lower_sds(d, diagonal, matrix_sd) + (vector_sd,) * d


# Gradients


def gradient(algorithm: str, calibration: str, setting: Setting) -> Release:
    """A gradient by the l2-ball mechanism, for opposite gradients of the largest length."""
    channel = constants_of(algorithm, calibration, setting).channel
    one, other = _opposite(int(setting["dimension"]), channel.bound)
    return L2Ball((one,), (other,), channel.bound, channel.keep, channel.radius, _ball(algorithm))


def gradients_to_all_arms(algorithm: str, calibration: str, setting: Setting) -> Release:
    """Gradients for all arms: two users with different arms, or opposite gradients if all arms share one message."""
    found = constants_of(algorithm, calibration, setting)
    ball, d, arms = found.ball, int(setting["dimension"]), int(setting["arms"])
    if isinstance(found.rules, ldp_sgd_multi_released.Released):
        one, other = _opposite(arms * d, ball.bound)
        return L2Ball((one,), (other,), ball.bound, ball.keep, ball.radius, _ball(algorithm))
    nothing, something = (0.0,) * d, _opposite(d, ball.bound)[0]
    rest = (nothing,) * (arms - 2)
    return L2Ball(
        (something, nothing, *rest), (nothing, something, *rest), ball.bound, ball.keep, ball.radius, _ball(algorithm)
    )


def gaussian_gradient(algorithm: str, calibration: str, setting: Setting) -> Release:
    """A gradient with normal noise: clipped to R, or unclipped at theta = 0 for two possible contexts and mean rewards.

    Greedy first also sends x x'. With clipping, the two users with the largest distance have opposite gradients of
    length R along one line; one of them has a context near 0 and a large reward. The largest squared distances of both
    parts sum to 4 R^2 + 2.
    """
    found, d = constants_of(algorithm, calibration, setting), int(setting["dimension"])
    sd, bound = (found.channel.sd, found.channel.cut) if algorithm == "ldp_sgd" else (found.sd, found.bound)
    first, last = np.eye(d)[0], np.eye(d)[-1]
    if math.isinf(bound):
        moved, matrix, largest = gradient_shift(setting["T"]), lower(first) - lower(last), math.inf
    else:
        moved, matrix, largest = 2.0 * bound * first, -lower(first), math.sqrt(4.0 * bound**2 + 2.0)
    if algorithm == "ldp_greedy_first":
        sds = lower_sds(d, found.matrix_sd, found.matrix_sd) + (sd,) * d
        return Gaussian(numbers(matrix, moved), sds, largest / sd, added=_normal(algorithm))
    reach = math.inf if math.isinf(bound) else None
    return Gaussian(numbers(moved), (sd,) * d, reach, added=_normal(algorithm))


def gradient_shift(horizon: float) -> np.ndarray:
    """Difference (3,) of the gradients -r x at (1, 0, 0) and (0, 0, 1), theta = 0, mean rewards `corner_contexts`."""
    theta = parameter(int(horizon))
    return np.array([-theta[0], 0.0, theta[2]])


def _opposite(dimension: int, length: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two opposite vectors along an axis."""
    rest = (0.0,) * (dimension - 1)
    return (length, *rest), (-length, *rest)


# LDP-GLOC


def ldp_gloc(algorithm: str, calibration: str, setting: Setting) -> Release:
    """x x', (x'theta^) x and the gradient (mu(x'theta^) - r) x with noise, for a known theta^ with |theta^| <= 1.

    The contexts are at an angle 2h, with theta^ orthogonal to their bisector, so x'theta^ = -+ sin h. The rewards are
    at the ends of their range with the opposite sign. Both vectors then move along x + x', by sin h and by the largest
    residual. No users are farther apart (`docs/proofs/gloc.md`) if theta^ is projected on the unit ball. The released
    code does not project.
    """
    rules, d = constants_of(algorithm, calibration, setting).rules, int(setting["dimension"])

    def residual(along: float) -> float:
        return float(special.expit(along)) if bounded(setting) else 1.0 + along

    def squares(half: float) -> float:
        vectors = (math.sin(half) / rules.user_sd) ** 2 + (residual(math.sin(half)) / rules.gradient_sd) ** 2
        return 2.0 * (math.sin(2.0 * half) / rules.user_sd) ** 2 + 4.0 * math.cos(half) ** 2 * vectors

    ends = 0.0, 0.5 * math.pi
    found = optimize.minimize_scalar(lambda h: -squares(h), bounds=ends, method="bounded", options={"xatol": 1e-9})
    half = float(found.x)
    first, second = np.zeros((2, d))
    first[:2] = math.cos(0.25 * math.pi - half), math.sin(0.25 * math.pi - half)
    second[:2] = first[1], first[0]
    both, along = first + second, math.sin(half)
    shifts = numbers(lower(second) - lower(first), along * both, residual(along) * both)
    sds = (rules.user_sd,) * (len(shifts) - d) + (rules.gradient_sd,) * d
    return Gaussian(shifts, sds, proven=math.isfinite(rules.norm), added=_normal(algorithm))


def ldp_gloc_to_all_arms(algorithm: str, calibration: str, setting: Setting) -> Release:
    """As `ldp_gloc` with one parameter per arm, |theta^| <= 1 for each; the gradient first.

    The two users play different arms, each along its theta^, with reward -1. No users are farther apart
    (`docs/proofs/gloc.md`) if every arm's theta^ is projected on the unit ball. The released code does not project. In
    the authors' code the matrix is the number x'x, equal for both users.
    """
    found, d, arms = constants_of(algorithm, calibration, setting), int(setting["dimension"]), int(setting["arms"])
    first, second = np.eye(arms * d)[0], np.eye(arms * d)[d]
    number = isinstance(found.rules, ldp_gloc_multi_released.Released)
    matrix = np.zeros(1) if number else lower(second) - lower(first)
    shifts = numbers(2.0 * (second - first), matrix, second - first)
    rest = len(shifts) - arms * d
    sds = (found.rules.gradient_sd,) * (arms * d) + (found.server.sd,) * rest
    proven = not number and math.isfinite(found.rules.norm)
    return Gaussian(shifts, sds, proven=proven, added=_normal(algorithm))
