"""The rounds of `ldp_gloc` with `broken_bonus`: the bonus is beta ||x||, independent of the server's state.

Authors' program of Han, Liang, Wang and Zhang (arXiv 2106.03365) for their larger problem, not their Algorithm 3.

Pseudo-code. mu the link, x the context of the arm played, r its reward; theta~ decides, theta^ learns online:

    L1  V = 0, u = 0, theta~ = theta^ = 0; random unit vectors with `released_start`
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta~ + beta_{t-1} ||x_a||
    L4      the user sends x x' + W_t and (x' theta^) x + xi_t, W_t symmetric, standard deviation sigma
    L5      the user sends (mu(x' theta^) - r) x + rho_t, standard deviation C sigma
    L6      V and u += the two messages of L4
    L7      theta^ = theta^ - zeta times the message of L5, projected on the unit ball
    L8      theta~ = (V + c_t I)^-1 u

Only L3 differs from `ldp_gloc`, which has the constants, their calibrations and the privacy guarantee. For contexts of
one norm the bonus is the same for all arms, so the rule is greedy in theta~.

Cost: O(K d + d^3) per round.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_single.ldp_gloc_learner import Rules, learn, record
from dpbandits.algorithms.shared.contextual import add, first_best, shortfall
from dpbandits.algorithms.shared.noisy_least_squares import ellipsoid
from dpbandits.base.jit import kernel
from dpbandits.environments.contextual.distributions import offer, on_sphere, reward
from dpbandits.environments.contextual.problem import Problem
from dpbandits.numerics.linalg import dot

Array = np.ndarray


class BrokenBonus(NamedTuple):
    """The bonus of L3: beta_t^2 = squared sqrt(d t)."""

    squared: float


@kernel
def play(
    rng: Generator, stream: Generator, problem: Problem, rules: Rules, bonus: BrokenBonus, checkpoints: Array
) -> Array:
    """Play one run, with contexts and rewards from `stream`; return the trace (len(checkpoints), 5)."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, indices = np.empty((arms, d)), np.empty(arms), np.empty(arms)
    gram, target, work = np.zeros((d, d)), np.zeros(d), np.empty((d, d))  # L1
    learned, decided = np.zeros(d), np.zeros(d)  # L1: theta^, theta~
    trace, regret_sum, indefinite, at = np.empty((len(checkpoints), 5)), np.zeros(2), 0, 0
    if rules.random_start:
        on_sphere(rng, 1.0, learned)  # L1
        on_sphere(rng, 1.0, decided)  # L1
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        beta = math.sqrt(bonus.squared * math.sqrt(d * max(t - 1, 1)))
        for k in range(arms):
            x = contexts[k]
            indices[k] = dot(x, decided) + beta * math.sqrt(dot(x, x))  # L3
        arm = first_best(indices)  # L3
        r = reward(stream, problem, t - 1, means[arm])
        add(regret_sum, shortfall(means, arm))
        learn(rng, problem.link, contexts[arm], r, rules, gram, target, learned)  # L4, L5, L6, L7
        definite = ellipsoid(gram, rules.shift * math.sqrt(t), target, work, decided)  # L8
        indefinite += not definite
        if t == checkpoints[at]:
            record(trace[at], regret_sum, learned, decided, problem.theta[0], indefinite)
            at += 1
    return trace
