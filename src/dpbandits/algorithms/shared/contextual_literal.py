"""Transcription shared by contextual bandits with one parameter: rounds one by one, in NumPy."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.contextual import ROUNDING
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import LINEAR, POISSON, Problem, instance_stream

Array = np.ndarray


def literal(
    problem: Problem,
    choose: Callable[[int, Array], int],
    learn: Callable[[int, Array, float], Array],
    checkpoints: Array,
) -> Array:
    """Regret, error and direction at the checkpoints, (len(checkpoints), 3).

    Parameters
    ----------
    choose : round 1, 2, ... and contexts (K, d) -> arm.
    learn : round, context of the arm (d,) and reward -> the new estimate (d,).
    """
    stream, theta = instance_stream(problem), problem.theta[0]
    contexts, means = np.empty((problem.arms, len(theta))), np.empty(problem.arms)
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        offer(stream, problem, t - 1, contexts, means)
        arm = choose(t, contexts)
        estimate = learn(t, contexts[arm].copy(), reward(stream, problem, t - 1, means[arm]))
        regret += means.max() - means[arm]
        if t in checkpoints:
            size = np.linalg.norm(estimate)
            apart = estimate / size - theta / np.linalg.norm(theta) if size else np.array([1.0, 1.0])
            found.append((regret, np.linalg.norm(estimate - theta), np.linalg.norm(apart)))
    return np.array(found)


def symmetric(rng: Generator, sd: float, d: int) -> Array:
    """A symmetric matrix (d, d) of independent N(0, sd^2), drawn row by row up to the diagonal; no draws if sd = 0."""
    noise = np.zeros((d, d))
    if sd:
        noise[np.tril_indices(d)] = rng.normal(0.0, sd, d * (d + 1) // 2)
    return noise + np.tril(noise, -1).T


def gaussian(rng: Generator, sd: float, d: int) -> Array:
    """A vector (d,) of independent N(0, sd^2); no draws if sd = 0."""
    return rng.normal(0.0, sd, d) if sd else np.zeros(d)


def unit(rng: Generator, d: int) -> Array:
    """A random unit vector (d,)."""
    x = rng.normal(size=d)
    return x / np.linalg.norm(x)


def shorter(x: Array, bound: float) -> Array:
    """x, scaled to length `bound` if it is longer."""
    return x * min(1.0, bound / np.linalg.norm(x)) if x.any() else x


def link(kind: int, z: float) -> float:
    """The inverse link function mu(z)."""
    if kind == LINEAR:
        return z
    return float(np.exp(z) if kind == POISSON else 1 / (1 + np.exp(-z)))


def root(squares: Array) -> Array:
    """Square roots; NaN for negative numbers."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(squares)


def first_best(indices: Array) -> int:
    """The first arm whose index is NaN; otherwise the first arm with the largest index, up to rounding."""
    if np.isnan(indices).any():
        return int(np.argmax(np.isnan(indices)))
    return int(np.argmax(np.isclose(indices, indices.max(), rtol=ROUNDING, atol=0.0)))
