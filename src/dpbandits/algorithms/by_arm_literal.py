"""What the transcriptions of the algorithms with a parameter for every arm share: the rounds, and their records."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator

from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import Problem, world

Array = np.ndarray


def rounds(problem: Problem, horizon: int) -> Iterator[tuple[int, Array, Array, Callable[[int], float]]]:
    """Round t = 1, 2, ..., its context (d,), the mean rewards (K,), and what an arm pays."""
    stream = world(problem)
    arms, d = problem.theta.shape
    for t in range(1, horizon + 1):
        X, means = np.empty((1, d)), np.empty(arms)
        offer(stream, problem, t - 1, X, means)
        yield t, X[0], means, lambda arm, means=means: reward(stream, problem, means[arm])  # type: ignore[misc]


def unit_ball(x: Array) -> Array:
    """The nearest vector of norm 1 or less; `x` itself where that is it."""
    length = float(np.linalg.norm(x))
    return x / length if length > 1.0 + 1e-9 else x


def symmetric_noise(rng: Generator, d: int, sd: float) -> Array:
    """A symmetric matrix of normals, drawn row by row on and below the diagonal; zeros for sd = 0."""
    lower = np.zeros((d, d))
    if sd:
        lower[np.tril_indices(d)] = sd * rng.standard_normal(d * (d + 1) // 2)
    return lower + np.tril(lower, -1).T


def normals(rng: Generator, d: int, sd: float) -> Array:
    """A vector of normals; zeros for sd = 0."""
    return sd * rng.standard_normal(d) if sd else np.zeros(d)


def starts(rng: Generator, arms: int, d: int) -> Array:
    """Uniform on the unit sphere, (arms, d)."""
    drawn = rng.standard_normal((arms, d))
    return np.array([each / np.linalg.norm(each) for each in drawn])


class Diary:
    """Regret, errors and counts of every round."""

    def __init__(self, problem: Problem, warm_up: int) -> None:
        self.theta, self.warm_up = problem.theta, warm_up
        self.rows: list[list[float]] = []
        self.sums: list[list[float]] = []

    def write(self, means: Array, arm: int, estimates: Array, *counts: float) -> None:
        """Close a round: the arm played, the estimates after it (K, d), and what is to be summed up over rounds."""
        gap = means.max() - means[arm]
        late = len(self.rows) >= self.warm_up
        with np.errstate(invalid="ignore"):
            found, true = (each / np.linalg.norm(each, axis=1)[:, None] for each in (estimates, self.theta))
        apart = np.linalg.norm(estimates - self.theta, axis=1).sum()
        turned = np.nan_to_num(np.linalg.norm(found - true, axis=1), nan=np.sqrt(2.0)).mean()
        self.rows.append([0.0, apart, turned, 0.0, *np.zeros(len(counts))])
        self.sums.append([gap, 0.0, 0.0, gap * late, *counts])

    def trace(self, checkpoints: Array) -> Array:
        """(len(checkpoints), outputs)"""
        return (np.array(self.rows) + np.cumsum(self.sums, axis=0))[checkpoints - 1]
