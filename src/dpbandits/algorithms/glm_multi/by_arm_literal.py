"""Shared by transcriptions of algorithms with a parameter for every arm: the rounds and their records."""

from collections.abc import Callable, Iterator

import numpy as np

from dpbandits.algorithms.glm_multi.by_arm import COMMON
from dpbandits.algorithms.shared.contextual_literal import shorter
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream

Array = np.ndarray


def rounds(problem: Problem, horizon: int) -> Iterator[tuple[int, Array, Array, Callable[[int], float]]]:
    """Yield t = 1, 2, ..., the context (d,), the mean rewards (K,), and a function that draws the reward of an arm."""
    stream = instance_stream(problem)
    arms, d = problem.theta.shape
    for t in range(1, horizon + 1):
        X, means = np.empty((1, d)), np.empty(arms)
        offer(stream, problem, t - 1, X, means)
        yield t, X[0], means, lambda arm, t=t, means=means: reward(stream, problem, t - 1, means[arm])  # type: ignore[misc]


def shown(X: Array, clip: float) -> tuple[Array, bool]:
    """The context after clipping by the user, (d,), and whether it was shortened, beyond rounding."""
    return shorter(X, clip), bool(np.linalg.norm(X) > clip + 1e-9)


class Recorder:
    """Records the regret, errors and counts of every round."""

    def __init__(self, problem: Problem, warm_up: int = 0) -> None:
        self.theta, self.warm_up = problem.theta, warm_up
        self.rows: list[list[float]] = []
        self.sums: list[list[float]] = []

    def write(self, means: Array, arm: int, estimates: Array, *counts: float) -> None:
        """Close a round: the arm played, the estimates after it (K, d), and counts that are summed over rounds."""
        gap = means.max() - means[arm]
        late = len(self.rows) >= self.warm_up
        with np.errstate(invalid="ignore"):
            found, true = (each / np.linalg.norm(each, axis=1)[:, None] for each in (estimates, self.theta))
        apart = np.linalg.norm(estimates - self.theta, axis=1).sum()
        turned = np.nan_to_num(np.linalg.norm(found - true, axis=1), nan=np.sqrt(2.0)).mean()
        self.rows.append([0.0, apart, turned, 0.0, *np.zeros(len(counts))])
        self.sums.append([gap, 0.0, 0.0, gap * late, *counts])

    def trace(self, checkpoints: Array) -> Array:
        """The trace, (len(checkpoints), outputs)."""
        found = (np.array(self.rows) + np.cumsum(self.sums, axis=0))[checkpoints - 1]
        found[:, COMMON.index("regret_after_warm_up")] /= np.maximum(1, checkpoints - self.warm_up)
        return found
