"""Shared by algorithms for bandits with one context per round and a parameter for every arm.

If the guarantee requires it, users shorten their context to the norm `clip` and clip their reward to [-clip, clip];
otherwise `clip` is infinite. In a warm-up the arms take turns: arm (t mod K) + 1 in round t = 1, 2, ...

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
"""Outputs of every algorithm: cumulative pseudo-regret; sum over arms of the distance between estimate and parameter;
mean over arms of that distance after both are scaled to norm 1, as in `contextual`; regret per round after the warm-up,
0 before it ends."""
GREEDY = (*COMMON, "indefinite", "eliminated", "clipped")
"""Outputs of the greedy algorithms."""
INDEFINITE, ELIMINATED, CLIPPED = range(len(COMMON), len(GREEDY))
ROUNDING = 1e-12  # a bound exceeded by at most this relative amount counts as kept


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
    """Scale a context longer than `clip` to that norm; return whether it was longer, beyond rounding."""
    if clip == np.inf:
        return False
    long = dot(x, x) > clip * clip + ROUNDING
    project(x, clip)
    return long


@round_step
def answer(stream: Generator, problem: Problem, now: int, mean: float, clip: float) -> tuple[float, bool]:
    """The reward in the message of the user of round `now`, and whether it was clipped to [-clip, clip]."""
    found = reward(stream, problem, now, mean)
    if abs(found) > clip + ROUNDING:
        return math.copysign(clip, found), True
    return found, False


@round_step
def greedy(x: Array, theta: Array, frozen: Array, threshold: float) -> tuple[int, int]:
    """The first arm with the largest x' theta among the arms kept, and the number of eliminated arms.

    An arm is kept if its x' frozen exceeds the largest one minus threshold / 2; all are kept if the threshold is
    infinite. Line marks refer to `ldp_ols_multi` and `ldp_sgd_multi`, whose L4 and L5 have the same rule.
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
    """Add the regret of a round to the sums `regret_sum` (2, 2), rows: all rounds, and those after the warm-up."""
    gap = shortfall(means, arm)
    add(regret_sum[0], gap)
    if after:
        add(regret_sum[1], gap)


@kernel
def record(row: Array, regret_sum: Array, late: int, estimates: Array, theta: Array) -> None:
    """Write the `COMMON` outputs.

    Parameters
    ----------
    row : (outputs,); regret_sum : see `count_regret`; late : number of rounds after the warm-up, <= 0 during it.
    estimates, theta : (K, d).
    """
    row[0], row[1], row[2], row[3] = regret_sum[0, 0], 0.0, 0.0, regret_sum[1, 0] / max(1, late)
    arms = len(theta)
    for k in range(arms):
        error, direction = errors(estimates[k], theta[k])
        row[1] += error
        row[2] += direction / arms
