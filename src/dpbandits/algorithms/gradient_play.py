"""Gradient steps from private messages with rounds of exploration: what epoch greedy and greedy first share.

    theta_0 = 0; the user of round t sends her noisy gradient (x_t' theta - r_t) x_t + N(0, sd^2 I), and
    epoch greedy    a_t is random at t in T_S: t_1 = 1, t_{i+1} = t_i + ceil(sqrt i); else argmax_a x_{t,a}' theta
                    theta -= gradient / k, k the number of steps, at t in T_S, or in every round
    greedy first    blocks of W rounds in which theta is left alone and argmax_a x_{t,a}' theta is played
                    at the end of block b: theta -= (sum of the gradients of the block) / b
                    where lambda_min(sum of x_t x_t' over the block) < 1e-4 W: epoch greedy from the next round on,
                    with theta = 0 and the schedule from its start

Ties go to the smallest index. Gradients may be clipped, and x x' may carry noise as well.

Han, Liang, Wang and Zhang (arXiv 2106.03365), the longer version; rules and constants from the authors' code.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.contextual import add, errors, greedy, shortfall
from dpbandits.algorithms.noisy_least_squares import receive
from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import LINEAR, Problem
from dpbandits.jit import kernel
from dpbandits.linalg import dot, least_eigenvalue

Array = np.ndarray

OUTPUTS = ("regret", "error", "updates", "switched")
"""Up to the checkpoint: pseudo-regret, ||theta - theta*||, steps of theta, round of the switch to epoch greedy (0 for
none)."""
LEAST = 1e-4  # eigenvalue of the sum over a block, as a part of its rounds; source: authors' code


class Rules(NamedTuple):
    """What the algorithms differ in.

    Attributes
    ----------
    sd : of the noise on a gradient.
    bound : length to which a gradient is clipped before; infinite for none.
    frequent : 1 where epoch greedy makes a step in every round.
    block : W; 0 for epoch greedy from the first round on.
    averaged : 1 where the step of a block is the mean of its gradients, not the sum, over its number.
    matrix_sd : of the noise on x x', x clipped to length 1; 0 for neither.
    """

    sd: float
    bound: float
    frequent: int
    block: int
    averaged: int
    matrix_sd: float


def check(problem: Problem) -> None:
    """Whether these algorithms can play it.

    Raises
    ------
    ValueError
        The arms have parameters of their own, or the link is not linear.
    """
    if problem.shared or problem.link != LINEAR:
        raise ValueError("gradient steps with exploration are for one parameter and the linear link")


@kernel
def play(rng: Generator, world: Generator, problem: Problem, rules: Rules, checkpoints: Array) -> Array:
    """One run; returns the trace (len(checkpoints), len(OUTPUTS))."""
    d = problem.theta.shape[1]
    contexts, means = np.empty((problem.arms, d)), np.empty(problem.arms)
    theta, gradient, total, gram = np.zeros(d), np.empty(d), np.zeros(d), np.zeros((d, d))
    trace, lost = np.empty((len(checkpoints), 4)), np.zeros(2)
    epochs, switched = rules.block == 0, 0
    turn, steps, blocks, updates, row = 1, 0, 0, 0, 0
    exploration = 1  # the next round of T_S
    for t in range(1, checkpoints[-1] + 1):
        offer(world, problem, t - 1, contexts, means)
        explores = epochs and t == exploration
        if explores:
            arm = rng.integers(0, problem.arms)
            exploration += math.ceil(math.sqrt(turn))
            turn += 1
        else:
            arm = greedy(contexts, theta)
        value = reward(world, problem, means[arm])
        add(lost, shortfall(means, arm))
        x = contexts[arm]
        if not epochs:
            shrink = min(1.0, 1.0 / math.sqrt(dot(x, x))) if rules.matrix_sd > 0.0 else 1.0
            residual = clipped_residual(x, theta, value, rules.bound) / shrink
            for i in range(d):
                gradient[i] = shrink * x[i]
            receive(rng, gradient, residual, rules.matrix_sd, rules.sd, gram, total)
            if t % rules.block == 0:
                blocks += 1
                updates += 1
                step = 1.0 / (blocks * rules.block) if rules.averaged else 1.0 / blocks
                for i in range(d):
                    theta[i] -= step * total[i]
                if least_eigenvalue(gram) < LEAST * rules.block:
                    epochs, switched, exploration = True, t, t + 1
                    theta[:] = 0.0
                total[:] = 0.0
                gram[:] = 0.0
        elif explores or rules.frequent:
            steps += 1
            updates += 1
            residual = clipped_residual(x, theta, value, rules.bound)
            for i in range(d):
                theta[i] -= (residual * x[i] + rules.sd * rng.standard_normal()) / steps
        if t == checkpoints[row]:
            trace[row, 0] = lost[0]
            trace[row, 1] = errors(theta, problem.theta[0])[0]
            trace[row, 2] = updates
            trace[row, 3] = switched
            row += 1
    return trace


@kernel
def clipped_residual(x: Array, theta: Array, value: float, bound: float) -> float:
    """x' theta - value; nearer to 0 where this times x is longer than `bound`."""
    residual = dot(x, theta) - value
    size = abs(residual) * math.sqrt(dot(x, x))
    return residual * (bound / size) if size > bound else residual
