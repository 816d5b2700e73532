"""LinUCB without noise on a hundred arms in five dimensions, with a release in every round.

Our kernel and the C loop also draw the reward of the best arm when they play another, for the realized regret. No other
side does.
"""

import math

import numpy as np
from numpy.random import Generator

from benchmarks import c_loops
from benchmarks.batched import group_by_group, in_blocks
from benchmarks.comparison import OURS, Family, Goal, LeftOut, family
from benchmarks.timing import Play, Side, seed_by_seed, stream
from dpbandits.algorithms.linucb import linucb
from dpbandits.algorithms.linucb.rule import Radius
from dpbandits.environments.linear import bernoulli_linear

Array = np.ndarray
ARMS, DIMENSION, HORIZON = 100, 5, 20000
RIDGE = 1.0
RADIUS = Radius(1.0, 1.0, 2.0 * math.log(2.0 * HORIZON), 1.0, RIDGE)
SHRINK = 1e-9  # arm j is shortened by j times this, so that ties in the first round do not depend on rounding


def instance(arms: int, dimension: int) -> tuple[Array, Array]:
    """Features (arms, dimension) and parameter (dimension,) of `bernoulli_linear`, with slightly different norms."""
    features, theta = bernoulli_linear.draw(stream(7), arms, dimension)
    return features * (1.0 - SHRINK * np.arange(arms))[:, None], theta


FEATURES, THETA = instance(ARMS, DIMENSION)


def ours(features: Array, theta: Array) -> Play:
    """The kernel."""

    def run(rng: Generator, checkpoints: Array) -> Array:
        return linucb.run(rng, features, theta, 1, RIDGE, RADIUS, checkpoints)[:, 0]

    return seed_by_seed(run)


def radii(dimension: int, ridge: float, confidence: float, horizon: int) -> Array:
    """Confidence radius beta of each round, (horizon,)."""
    return math.sqrt(ridge) + np.sqrt(confidence + dimension * np.log(1.0 + np.arange(horizon) / (dimension * ridge)))


def plain(rng: Generator, checkpoints: Array) -> Array:
    """NumPy loop over rounds, with a matrix inverse in each."""
    arms, d = FEATURES.shape
    means = FEATURES @ THETA
    gaps = means.max() - means
    gram, target, plays, regrets = RIDGE * np.eye(d), np.zeros(d), np.zeros(arms), []
    for t in range(1, int(checkpoints[-1]) + 1):
        beta = 1.0 + math.sqrt(RADIUS.confidence + d * math.log(1.0 + (t - 1) / (d * RIDGE)))
        inverse = np.linalg.inv(gram)
        squared = ((FEATURES @ inverse) * FEATURES).sum(axis=1)
        arm = (FEATURES @ (inverse @ target) + beta * np.sqrt(squared)).argmax()
        x = FEATURES[arm]
        gram += np.outer(x, x)
        target += (rng.random() < means[arm]) * x
        plays[arm] += 1
        if t == checkpoints[len(regrets)]:
            regrets.append(plays @ gaps)
    return np.array(regrets)


def batched(rng: Generator, seeds: int, checkpoints: Array) -> Array:
    """Rank-one updates for all seeds at once: inverse (seeds, d, d), squared widths (seeds, arms), theta (seeds, d)."""
    (arms, d), horizon = FEATURES.shape, int(checkpoints[-1])
    columns, means = np.ascontiguousarray(FEATURES.T), FEATURES @ THETA
    gaps, betas = means.max() - means, radii(d, RIDGE, RADIUS.confidence, horizon)
    inverse, theta = np.tile(np.eye(d) / RIDGE, (seeds, 1, 1)), np.zeros((seeds, d))
    squared = np.tile((FEATURES * FEATURES).sum(axis=1) / RIDGE, (seeds, 1))
    index, first = np.empty((seeds, arms)), np.arange(seeds) * arms
    plays, regrets, marks = np.zeros(seeds * arms), [], set(checkpoints.tolist())
    for t, u in enumerate(in_blocks(rng.random, (seeds,), horizon), 1):
        np.sqrt(squared, out=index)
        index *= betas[t - 1]
        index += theta @ columns
        arm = index.argmax(axis=1)
        x = FEATURES[arm]
        h = (inverse @ x[:, :, None])[:, :, 0]
        weight = 1.0 / (1.0 + squared.ravel().take(arm + first))[:, None]
        theta += ((u < means[arm]) - (x * theta).sum(axis=1))[:, None] * weight * h
        scaled = h * np.sqrt(weight)
        inverse -= scaled[:, :, None] * scaled[:, None, :]
        np.matmul(scaled, columns, out=index)
        index *= index
        squared -= index
        np.maximum(squared, 0.0, out=squared)
        plays[arm + first] += 1.0
        if t in marks:
            regrets.append(plays.reshape(seeds, arms) @ gaps)
    return np.array(regrets).T


def family_of() -> Family:
    """The family with all sides."""
    numbers = (FEATURES, FEATURES @ THETA, ARMS, DIMENSION, RIDGE, RADIUS.constant, RADIUS.scale, RADIUS.confidence)
    return family(
        "linucb",
        "LinUCB",
        f"d = {DIMENSION}, K = {ARMS}, Bernoulli rewards, T = {HORIZON}",
        [
            Side(OURS, OURS, ours(FEATURES, THETA), seeds=20, horizon=HORIZON),
            Side("numpy", "plain NumPy loop: an inverse a round", seed_by_seed(plain), seeds=1, horizon=HORIZON),
            Side("numpy_seeds", "NumPy over 50 seeds: rank-one", group_by_group(batched), seeds=50, horizon=HORIZON),
            c_loops.side("linucb", numbers, seeds=40, horizon=HORIZON),
            LeftOut("mabwiser", "MABWiser LinUCB", "it fits a parameter for every arm: other work"),
            LeftOut("smpybandits", "SMPyBandits", "it has no linear bandits"),
        ],
        {"c": Goal(0.75, 1.0)},
    )
