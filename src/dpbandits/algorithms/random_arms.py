"""Random arms in a contextual bandit: in every round one of the K arms, each with the same chance.

No learning and no message: what the regret of an algorithm is to be measured against. All calibrations coincide.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.contextual import add, shortfall
from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import Problem, world
from dpbandits.jit import kernel

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Nothing to choose."""


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid: none."""
    return Params()


def run(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """The regret at the checkpoints, (len(checkpoints), 1); arms may share one context or one parameter."""
    return play(rng, world(problem), problem, checkpoints)


@kernel
def play(rng: Generator, stream: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """As `run`, for contexts from `stream`; a reward is drawn and not read, so that later contexts are the same."""
    contexts = np.empty((1 if len(problem.theta) > 1 else problem.arms, problem.theta.shape[1]))
    means = np.empty(problem.arms)
    trace = np.empty((len(checkpoints), 1))
    lost, at = np.zeros(2), 0
    for t in range(1, checkpoints[-1] + 1):
        offer(stream, problem, t - 1, contexts, means)
        arm = rng.integers(0, problem.arms)
        reward(stream, problem, means[arm])
        add(lost, shortfall(means, arm))
        if t == checkpoints[at]:
            trace[at, 0] = lost[0]
            at += 1
    return trace


def run_literal(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    stream, means, losses = world(problem), np.empty(problem.arms), [0.0]
    contexts = np.empty((1 if problem.shared else problem.arms, problem.theta.shape[1]))
    for t in range(int(checkpoints[-1])):
        offer(stream, problem, t, contexts, means)
        arm = int(rng.integers(problem.arms))
        reward(stream, problem, means[arm])
        losses.append(means.max() - means[arm])
    return np.cumsum(losses)[checkpoints]
