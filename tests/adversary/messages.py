"""Users of linear and generalized linear bandits, and what they send: messages that get Gaussian noise.

With noise of a fixed amount on every entry only the distance of two messages in standard deviations counts.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special, stats

from .search import Array, Domain, ball, largest, one_of, sphere, unit

ABSOLUTE = 1e-12  # to which an epsilon is solved for


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least epsilon of two normal distributions at the distance `mu`, by their hockey-stick divergence."""

    def excess(eps: float) -> float:
        second = math.exp(min(0.0, eps + stats.norm.logcdf(-0.5 * mu - eps / mu)))
        return float(stats.norm.cdf(0.5 * mu - eps / mu)) - second - delta

    if math.isinf(mu):
        return math.inf
    if mu == 0.0 or excess(0.0) <= 0.0:
        return 0.0
    return float(optimize.brentq(excess, 0.0, 0.5 * mu**2 + 40.0 * mu, xtol=ABSOLUTE, rtol=1e-13))


def farthest(domain: Domain, sds: tuple[float, ...]) -> float:
    """The largest distance that was found of two messages of a domain, in standard deviations of their entries."""
    bare = tuple(sd == 0.0 for sd in sds)
    if any(bare) and _squares(domain, tuple(float(each) for each in bare)) > 0.0:
        return math.inf  # an entry that moves has no noise
    weights = tuple(round(sds[-1] / sd, 12) if sd else 0.0 for sd in sds)
    return math.sqrt(_squares(domain, weights)) / sds[-1]


@functools.cache
def _squares(domain: Domain, weights: tuple[float, ...]) -> float:
    """The largest sum of squares of the differences of two messages, each times its weight."""
    column = np.array(weights)[:, None]

    def objective(points: Array) -> Array:
        first, second = domain.pair(points)
        return (((first - second) * column) ** 2).sum(axis=0)

    return largest(objective, domain.parameters)[0]


def two_users(numbers: int, message: Callable[[Array], Array]) -> Domain:
    """Any two users, of so many numbers each, who send `message`."""
    return Domain(2 * numbers, lambda p: (message(p[:numbers]), message(p[numbers:])))


def triangle(x: Array) -> Array:
    """The products x_i x_j (d (d + 1) / 2, n), j <= i, row by row."""
    return np.array([x[i] * x[j] for i in range(len(x)) for j in range(i + 1)])


def of_arm(arm: Array, arms: int, block: Array) -> Array:
    """(arms k, n): a block (k, n) at the place of an arm, zeros for all others."""
    return np.concatenate([np.where(arm == place, block, 0.0) for place in range(arms)])


# Least squares


@functools.cache
def regression(d: int, reward: float = 1.0) -> Domain:
    """Contexts x of norm at most 1 and rewards r in [-reward, reward]: x x' and r x."""
    return two_users(d + 1, lambda p: np.concatenate([triangle(ball(p[:d])), reward * p[d] * ball(p[:d])]))


@functools.cache
def regression_of_arms(d: int, arms: int) -> Domain:
    """The same with any arm, whose message is x x' and r x; the messages of all other arms are 0."""

    def message(p: Array) -> Array:
        x = ball(p[:d])
        return of_arm(one_of(p[d + 1], arms), arms, np.concatenate([triangle(x), p[d] * x]))

    return two_users(d + 2, message)


@functools.cache
def stacked_regression(d: int, arms: int) -> Domain:
    """The same with one message about the context of all arms, which is x at the place of the arm and 0 elsewhere."""

    def message(p: Array) -> Array:
        x = of_arm(one_of(p[d + 1], arms), arms, ball(p[:d]))
        return np.concatenate([triangle(x), p[d] * x])

    return two_users(d + 2, message)


@functools.cache
def unbounded_contexts(d: int, arms: int, longest: float) -> Domain:
    """Contexts up to `longest`, any arm, rewards that a unit parameter gives: all x x' and r x, squares summed up.

    What moves is returned as two numbers, the lengths of both parts of the difference.
    """

    def pair(p: Array) -> tuple[Array, Array]:
        theta = sphere(p[-d:])
        parts = []
        for start in (0, d + 1):
            x = longest * ball(p[start : start + d])
            arm, reward = one_of(p[start + d], arms), (x * theta).sum(axis=0)
            parts.append((of_arm(arm, arms, triangle(x)), of_arm(arm, arms, reward * x)))
        lengths = [np.sqrt(((a - b) ** 2).sum(axis=0)) for a, b in zip(*parts, strict=True)]
        return np.array(lengths), np.zeros((2, p.shape[1]))

    return Domain(3 * d + 2, pair)


# Gradients


@functools.cache
def occurring_gradients(theta: tuple[float, ...], with_matrix: bool) -> Domain:
    """The contexts (0, 0, 1) and (1, 0, 0), mean rewards, estimate 0: the gradient -r x, after x x' if asked for."""

    def message(p: Array) -> Array:
        x = np.where(p[0] > 0.0, np.array([[0.0], [0.0], [1.0]]), np.array([[1.0], [0.0], [0.0]]))
        gradient = -np.array(theta) @ x * x
        return np.concatenate([triangle(x), gradient]) if with_matrix else gradient

    return two_users(1, message)


@functools.cache
def cut_gradients(d: int, bound: float, with_matrix: bool) -> Domain:
    """Any context of norm at most 1 and any reward: a gradient along x cut to `bound`, after x x' if asked for."""

    def message(p: Array) -> Array:
        x = ball(p[:d])
        gradient = bound * p[d] * sphere(x)
        return np.concatenate([triangle(x), gradient]) if with_matrix else gradient

    return two_users(d + 1, message)


# LDP-GLOC


@functools.cache
def online_learner(d: int, logistic: bool) -> Domain:
    """|x| <= 1, an estimate |theta| <= 1 that all know, the link's rewards: x x', (x'theta) x and the gradient."""

    def message(p: Array, theta: Array) -> Array:
        x = ball(p[:d])
        along = (x * theta).sum(axis=0)
        residual = special.expit(along) - unit(p[d]) if logistic else along - p[d]
        return np.concatenate([triangle(x), along * x, residual * x])

    def pair(p: Array) -> tuple[Array, Array]:
        theta = ball(p[-d:])
        return message(p[: d + 1], theta), message(p[d + 1 : 2 * d + 2], theta)

    return Domain(3 * d + 2, pair)


@functools.cache
def online_learner_of_arms(d: int, arms: int, norm_alone: bool) -> Domain:
    """The same, linear, with an estimate for every arm: the gradient, X X' or the number X'X, and (x'theta) x.

    X is x at the place of the arm and 0 elsewhere.
    """

    def message(p: Array, thetas: list[Array]) -> Array:
        x, arm = ball(p[:d]), one_of(p[d + 1], arms)
        along = (x * np.choose(arm, thetas)).sum(axis=0)
        stacked = of_arm(arm, arms, x)
        matrix = (x**2).sum(axis=0, keepdims=True) if norm_alone else triangle(stacked)
        return np.concatenate([(along - p[d]) * stacked, matrix, along * stacked])

    def pair(p: Array) -> tuple[Array, Array]:
        thetas = [ball(p[start : start + d]) for start in range(2 * d + 4, len(p), d)]
        return message(p[: d + 2], thetas), message(p[d + 2 : 2 * d + 4], thetas)

    return Domain(2 * d + 4 + arms * d, pair)


# LinUCB


def feature_numbers(d: int, released: bool) -> int:
    """How many numbers choose a user of `feature_message`."""
    return d if released else d + 1


def feature_message(d: int, released: bool) -> Callable[[Array], Array]:
    """phi y and phi phi' of |phi| <= 1, y in [0, 1]; released: phi = (z, 1) with |z| = 1, y 0 or 1."""

    def message(p: Array) -> Array:
        phi, y = ball(p[:d]), unit(p[-1])
        if released:
            phi, y = np.concatenate([sphere(p[: d - 1]), np.ones((1, p.shape[1]))]), np.where(p[-1] > 0.0, 1.0, 0.0)
        return np.concatenate([phi * y, triangle(phi)])

    return message


@functools.cache
def features(d: int, released: bool) -> Domain:
    """Any two users of `feature_message`."""
    return two_users(feature_numbers(d, released), feature_message(d, released))
