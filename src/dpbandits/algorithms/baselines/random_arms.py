"""Random arms in a contextual bandit: no learning, the reference against which regret is measured.

Pseudo-code. K arms:

    L1  for t = 1, 2, ...:
    L2      play an arm drawn uniformly from the K arms

Privacy: not needed. No user sends a message, and the arms depend on no data. All calibrations coincide.

Cost: O(K d) per round. Rewards are drawn but not used, so that later contexts are the same as for other algorithms.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Guarantee, Look
from dpbandits.algorithms.shared.contextual import add, shortfall
from dpbandits.algorithms.shared.entries_glm import ALL, SHARED_SPHERE, on_contexts
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS, SHARED
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="Random arms",
    short="random",
    reference="does not learn; a reference for large regret",
    trust_model="none",
    guarantee=Guarantee("none: the actions use no data", ""),
    parameters={},
    arms=(CONTEXTS, SHARED),
    grid=(),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=(*on_contexts({}), Example(SHARED_SPHERE, {}, 120)),
    agrees="stream",
    look=Look("x", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


def run(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """The regret at the checkpoints, (len(checkpoints), 1); arms may share one context or one parameter."""
    return play(rng, instance_stream(problem), problem, checkpoints)


@kernel
def play(rng: Generator, stream: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, with contexts from `stream`; unused rewards are drawn, so that later contexts stay the same."""
    contexts = np.empty((1 if len(problem.theta) > 1 else problem.arms, problem.theta.shape[1]))
    means = np.empty(problem.arms)
    trace = np.empty((len(checkpoints), 1))
    regret_sum, at = np.zeros(2), 0
    for t in range(1, checkpoints[-1] + 1):  # L1
        offer(stream, problem, t - 1, contexts, means)
        arm = rng.integers(0, problem.arms)  # L2
        reward(stream, problem, t - 1, means[arm])
        add(regret_sum, shortfall(means, arm))
        if t == checkpoints[at]:
            trace[at, 0] = regret_sum[0]
            at += 1
    return trace


def run_literal(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    stream, means, losses = instance_stream(problem), np.empty(problem.arms), [0.0]
    contexts = np.empty((1 if problem.shared else problem.arms, problem.theta.shape[1]))
    for t in range(int(checkpoints[-1])):
        offer(stream, problem, t, contexts, means)
        arm = int(rng.integers(problem.arms))
        reward(stream, problem, t, means[arm])
        losses.append(means.max() - means[arm])
    return np.cumsum(losses)[checkpoints]
