"""Kernels that draw the contexts, mean rewards and reward of a round of a contextual bandit.

Distributions of contexts, each with the contents of the problem's `numbers`:

    SPHERE      uniform on the unit sphere, independent; -
    GAUSSIAN    N(0, s^2 I), independent; s
    MARGIN      two arms, x = +- g theta + y v with 2 g = U^(1/b), U and y uniform on [0, 1] and [-0.8, 0.8], v a random
                unit vector orthogonal to theta, ||theta|| = 1: the gap 2 g of the means has P(gap <= h) = h^b; b
    CORNER      two arms in R^3, x_1 = (1 - U, U', 0) and x_2 = (0, 0, 1); -
    INTERCEPT   first coordinate 1/sqrt 2, the rest uniform on the sphere of radius 1/sqrt 2; -
    DIRECTION   always the first unit vector; -
    LOANS       see `environments.auto_lending`; least and largest value of each of the d features, then the K prices

Han, Liang, Wang and Zhang (arXiv 2106.03365); the margin is its Assumption 4 with gamma = 1.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.contextual.problem import (
    CORNER,
    DIRECTION,
    GAUSSIAN,
    INTERCEPT,
    LINEAR,
    LOGISTIC,
    LOGISTIC_MEAN,
    MARGIN,
    SPHERE,
    Problem,
    instance_stream,
)

Array = np.ndarray
WIDEST = 0.8  # largest |y| in MARGIN; source: our choice, for which norms are at most 0.95
HALF = math.sqrt(0.5)
MOST_AHEAD = 25_000_000  # most numbers drawn ahead, 200 megabytes; source: our choice


@round_step
def offer(stream: Generator, problem: Problem, now: int, contexts: Array, means: Array) -> None:
    """Fill the contexts and mean rewards of round `now` = 0, 1, ...

    Parameters
    ----------
    contexts : (K, d), or (1, d) if the arms share one context.
    means : (K,)
    """
    draw(stream, problem, now, contexts)
    shared = len(problem.theta) > 1
    for k in range(problem.arms):
        x, theta = contexts[0 if shared else k], problem.theta[k if shared else 0]
        s = 0.0
        for i in range(len(theta)):
            s += x[i] * theta[i]
        means[k] = mean_reward(problem.link, s)


@round_step
def draw(stream: Generator, problem: Problem, now: int, contexts: Array) -> None:
    """Fill the contexts of round `now`."""
    if len(problem.contexts):
        for k in range(contexts.shape[0]):
            for i in range(contexts.shape[1]):
                contexts[k, i] = problem.contexts[now, k, i]
        return
    for k in range(len(contexts)):
        x = contexts[k]
        if problem.distribution == SPHERE:
            on_sphere(stream, 1.0, x)
        elif problem.distribution == GAUSSIAN:
            for i in range(len(x)):
                x[i] = problem.numbers[0] * stream.standard_normal()
        elif problem.distribution == CORNER:
            x[:] = 0.0
            if k == 0:
                x[0], x[1] = 1.0 - stream.random(), stream.random()
            else:
                x[2] = 1.0
        elif problem.distribution == INTERCEPT:
            x[0] = HALF
            on_sphere(stream, HALF, x[1:])
        elif problem.distribution == DIRECTION:
            x[:] = 0.0
            x[0] = 1.0
    if problem.distribution == MARGIN:
        with_margin(stream, problem.theta[0], problem.numbers[0], contexts)
    elif problem.distribution > DIRECTION:
        loans(problem, now, contexts)


@round_step
def on_sphere(stream: Generator, radius: float, x: Array) -> None:
    """Fill `x` with a uniform point on the sphere of this radius."""
    s = 0.0
    for i in range(len(x)):
        x[i] = stream.standard_normal()
        s += x[i] * x[i]
    scale = radius / math.sqrt(s)
    for i in range(len(x)):
        x[i] *= scale


@round_step
def with_margin(stream: Generator, theta: Array, beta: float, contexts: Array) -> None:
    """Fill the two contexts of MARGIN."""
    d = len(theta)
    half = 0.5 * stream.random() ** (1.0 / beta)
    if stream.random() < 0.5:
        half = -half
    for k in range(2):
        x = contexts[k]
        on_sphere(stream, 1.0, x)
        along = 0.0
        for i in range(d):
            along += x[i] * theta[i]
        s = 0.0
        for i in range(d):
            x[i] -= along * theta[i]
            s += x[i] * x[i]
        across = (2.0 * stream.random() - 1.0) * WIDEST / math.sqrt(s)
        for i in range(d):
            x[i] = across * x[i] + (half if k == 0 else -half) * theta[i]


@round_step
def loans(problem: Problem, now: int, contexts: Array) -> None:
    """Features of the user of round `now` at every price: (1, price) times the base features, scaled to [0, 1]."""
    arms, d = contexts.shape
    row = problem.rows[now % len(problem.rows)]
    for k in range(arms):
        price = problem.numbers[2 * d + k]
        for i in range(d):
            value = row[i] if i < len(row) else price * row[i - len(row)]
            contexts[k, i] = (value - problem.numbers[i]) / (problem.numbers[d + i] - problem.numbers[i])


@round_step
def mean_reward(link: int, z: float) -> float:
    """The inverse link function mu(z)."""
    if link == LINEAR:
        return z
    if link in (LOGISTIC, LOGISTIC_MEAN):
        return 1.0 / (1.0 + math.exp(-z))
    return math.exp(z)


@round_step
def reward(stream: Generator, problem: Problem, now: int, mean: float) -> float:
    """Draw a reward with this mean in round `now`; consumes the same draws from `stream` for every mean."""
    chance = problem.chances[now] if len(problem.chances) else decide(stream, problem)
    if problem.link == LINEAR:
        return mean + problem.noise * chance if problem.noise > 0.0 else mean
    if problem.link == LOGISTIC:
        return 1.0 if chance < mean else 0.0
    if problem.link == LOGISTIC_MEAN:
        return mean
    count, rest = 0.0, math.exp(-mean)
    below = rest
    while chance >= below and rest > 0.0:
        count += 1.0
        rest *= mean / count
        below += rest
    return count


@round_step
def decide(stream: Generator, problem: Problem) -> float:
    """The random number that decides a reward: a normal draw for noisy linear rewards, else a uniform draw."""
    if problem.link != LINEAR:
        return stream.random()
    return stream.standard_normal() if problem.noise > 0.0 else 0.0


def drawn_ahead(instance: tuple[Problem], rounds: int) -> tuple[Problem]:
    """The instance with the contexts and chances of `rounds` rounds drawn ahead from its own stream.

    Runs of several settings on one instance share these draws. The instance is returned unchanged if it would need more
    than `MOST_AHEAD` numbers, or if its contexts are not random.
    """
    (problem,) = instance
    shape = rounds, 1 if problem.shared else problem.arms, problem.theta.shape[1]
    if problem.distribution >= DIRECTION or math.prod(shape) + rounds > MOST_AHEAD:
        return instance
    contexts, chances = np.empty(shape), np.empty(rounds)
    draw_all(instance_stream(problem), problem, contexts, chances)
    return (problem._replace(contexts=contexts, chances=chances),)


@kernel
def draw_all(stream: Generator, problem: Problem, contexts: Array, chances: Array) -> None:
    """Fill the contexts and chances of all rounds, in the order in which a run draws them."""
    for now in range(len(chances)):
        draw(stream, problem, now, contexts[now])
        chances[now] = decide(stream, problem)
