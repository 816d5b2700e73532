"""Bandits with one context a round and a parameter for every arm: what their algorithms share.

Where the guarantee needs it, a user shortens a context to the norm `clip` and a reward to [-clip, clip]; `clip` is
infinite elsewhere. Where there is a warm-up the arms take turns in it: (t mod K) + 1 in round t = 1, 2, ...

Han, Liang, Wang and Zhang (arXiv 2106.03365), Section 4.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.contextual import add, errors, shortfall
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.contextual.distributions import reward
from dpbandits.environments.contextual.problem import Problem, instance_stream
from dpbandits.numerics.linalg import dot, project

Array = np.ndarray

COMMON = ("regret", "error", "direction", "regret_after_warm_up")
"""Of every algorithm, up to the checkpoint: cumulative pseudo-regret; sum over arms of the distance of the estimate
from the parameter; mean over arms of that distance after both are scaled to norm 1, as in `contextual`; regret per
round of the rounds after the warm-up, 0 before there are any. Without a warm-up the last is the mean of all rounds."""
GREEDY = (*COMMON, "indefinite", "eliminated", "clipped")
"""Of the greedy algorithms."""
INDEFINITE, ELIMINATED, CLIPPED = range(len(COMMON), len(GREEDY))
ROUNDING = 1e-12  # what exceeds a bound by this factor does not


def opened(problem: Problem) -> Generator:
    """The stream of contexts and rewards.

    Raises
    ------
    ValueError
        The arms share one parameter.
    """
    if not problem.shared:
        raise ValueError("every arm needs a parameter of its own")
    return instance_stream(problem)


@round_step
def shorten(x: Array, clip: float) -> bool:
    """Scale a context longer than `clip` to that norm; whether it was longer by more than rounding."""
    if clip == np.inf:
        return False
    long = dot(x, x) > clip * clip + ROUNDING
    project(x, clip)
    return long


@round_step
def answer(stream: Generator, problem: Problem, now: int, mean: float, clip: float) -> tuple[float, bool]:
    """The reward of the user of round `now` as the message has it, and whether it was cut to [-clip, clip]."""
    found = reward(stream, problem, now, mean)
    if abs(found) > clip + ROUNDING:
        return math.copysign(clip, found), True
    return found, False


@round_step
def greedy(x: Array, theta: Array, frozen: Array, threshold: float) -> tuple[int, int]:
    """The arm of largest x' theta among those kept, the first of equal ones, and how many were eliminated.

    Kept are arms whose x' frozen is more than the largest less threshold / 2; all, where the threshold is infinite.
    Marks are lines of `ldp_ols_multi` and `ldp_sgd_multi`, whose L4 and L5 have the same rule.
    """
    arms = len(theta)
    least, gone = -np.inf, 0
    if threshold < np.inf:
        for k in range(arms):
            least = max(least, dot(x, frozen[k]) - 0.5 * threshold)  # L4
    arm, best = -1, -np.inf
    for k in range(arms):
        if least > -np.inf and not dot(x, frozen[k]) > least:  # L4
            gone += 1
            continue
        score = dot(x, theta[k])
        if arm < 0 or score > best:
            arm, best = k, score  # L5
    return arm, gone


@round_step
def count_regret(regret_sum: Array, means: Array, arm: int, after: bool) -> None:
    """Add the regret of a round to the sums, rows of `regret_sum` (2, 2): all rounds, and those after the warm-up."""
    gap = shortfall(means, arm)
    add(regret_sum[0], gap)
    if after:
        add(regret_sum[1], gap)


@kernel
def record(row: Array, regret_sum: Array, late: int, estimates: Array, theta: Array) -> None:
    """Write the `COMMON` outputs.

    Parameters
    ----------
    row : (outputs,); regret_sum : see `count_regret`; late : rounds after the warm-up, 0 or less in it.
    estimates, theta : (K, d).
    """
    row[0], row[1], row[2], row[3] = regret_sum[0, 0], 0.0, 0.0, regret_sum[1, 0] / max(1, late)
    arms = len(theta)
    for k in range(arms):
        error, direction = errors(estimates[k], theta[k])
        row[1] += error
        row[2] += direction / arms
