"""The released rounds of `ldp_ols_multi`: matrices are shifted by the round, and no arm is eliminated.

Authors' program of Han, Liang, Wang and Zhang (arXiv 2106.03365), not their Algorithm 2.

Pseudo-code. K arms; user t has the context X_t and the reward r_t; psi(x, r) = (x x' + W, r x + xi), W symmetric, all
entries normal with standard deviation s:

    L1  theta_i = 0 for every arm i
    L2  for t = 1, 2, ...:
    L3      if t <= warm_up: a_t = (t mod K) + 1, and arm a_t alone gets psi(X_t, r_t)
    L4      else: a_t = argmax X_t' theta_i; arm a_t gets psi(X_t, r_t), every other arm psi(0, 0)
    L5      theta_i = (sum M + c sqrt(t) I)^-1 sum u over the messages (M, u) of arm i, if it has any

The kernel solves L5 at checkpoints, and after the warm-up in rounds in which `near_solutions` cannot decide L4.

Constants: s = 6 sqrt(2 ln(2.5 / delta)) / eps; c = 2 s (4 sqrt(d) + 2 ln(2 T / failure)).

Privacy: local. The messages are (eps, delta)-LDP for contexts and rewards up to 1. The program does not clip them.

Cost: K (d + 1) (d + 2) / 2 normals and K products of a matrix and a vector per round, or K solves.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_multi.by_arm import GREEDY, INDEFINITE, count_regret, record
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds
from dpbandits.algorithms.glm_multi.near_solutions import nearly_greedy
from dpbandits.algorithms.shared.contextual import greedy
from dpbandits.algorithms.shared.contextual_literal import gaussian, symmetric
from dpbandits.algorithms.shared.noisy_least_squares import receive, receive_noise, solve_each
from dpbandits.base.jit import kernel
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem
from dpbandits.privacy.local_scales import baseline_sd, spread

Array = np.ndarray


class Released(NamedTuple):
    """Constants of the rounds.

    Attributes
    ----------
    warm_up : number of rounds in which the arms take turns.
    matrix_sd, vector_sd : s, for W and for xi.
    shift : c.
    """

    warm_up: int
    matrix_sd: float
    vector_sd: float
    shift: float


def params_of(setting: Mapping[str, float]) -> Released:
    """Constants at one grid point.

    Reads from the setting: eps, delta, T, dimension, warm_up, failure.
    """
    sd = baseline_sd(setting["eps"], setting["delta"], 2)
    shift = 2.0 * sd * spread(setting["dimension"], setting["T"], setting["failure"])
    return Released(int(setting["warm_up"]), sd, sd, shift)


@kernel
def simulate(rng: Generator, stream: Generator, problem: Problem, rules: Released, checkpoints: Array) -> Array:
    """Play one run, given the stream of contexts and rewards; return the trace (len(checkpoints), len(GREEDY))."""
    arms, d = problem.theta.shape
    contexts, means, theta = np.empty((1, d)), np.empty(arms), np.zeros((arms, d))  # L1
    gram, target, count = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)
    shifts, work = np.empty(arms), np.empty((arms, d, d + 1))
    regret_sum, trace = np.zeros((2, 2)), np.zeros((len(checkpoints), len(GREEDY)))
    room, indefinite, row, definite, solved = np.empty((2, max(arms, d))), 0, 0, True, True
    for now in range(checkpoints[-1]):  # L2
        t, warm = now + 1, now < rules.warm_up
        offer(stream, problem, now, contexts, means)
        x, arm = contexts[0], t % arms  # L3
        if not warm and not solved:
            arm, definite = nearly_greedy(gram, shifts, target, count, room, theta, x), True  # L4, L5
            if arm < 0:
                definite = solve_each(gram, shifts, target, count, work, theta) == 0  # L5
        if not warm and (solved or arm < 0):
            arm = greedy(theta, x)  # L4
        value = reward(stream, problem, now, means[arm])
        count_regret(regret_sum, means, arm, not warm)
        indefinite += not warm and not definite
        for k in range(arms):
            if k == arm:
                receive(rng, x, value, rules.matrix_sd, rules.vector_sd, gram[k], target[k])  # L3 or L4
                count[k] += 1
            elif not warm:
                receive_noise(rng, rules.matrix_sd, rules.vector_sd, gram[k], target[k])  # L4
                count[k] += 1
        shifts[:] = rules.shift * math.sqrt(t)
        solved = t == checkpoints[row]
        if solved:
            definite = solve_each(gram, shifts, target, count, work, theta) == 0  # L5
            record(trace[row], regret_sum, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = indefinite
            row += 1
    return trace


def run_literal(rng: Generator, problem: Problem, rules: Released, checkpoints: Array) -> Array:
    """Same as `run`, in NumPy, every line in every round; returns the trace."""
    arms, d = problem.theta.shape
    M, u, n = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms)
    theta, definite, recorder = np.zeros((arms, d)), True, Recorder(problem, rules.warm_up)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        warm = t <= rules.warm_up
        arm = t % arms if warm else int(np.argmax(theta @ X))
        r, bad = pay(arm), not warm and not definite
        for i in [arm] if warm else range(arms):
            x = X if i == arm else np.zeros(d)
            M[i] += np.outer(x, x) + symmetric(rng, rules.matrix_sd, d)
            u[i] += r * x + gaussian(rng, rules.vector_sd, d)
            n[i] += 1
        shifted = M + rules.shift * np.sqrt(t) * np.eye(d)
        theta = np.array([np.linalg.solve(shifted[i], u[i]) if n[i] else np.zeros(d) for i in range(arms)])
        definite = bool(np.linalg.eigvalsh(shifted[n > 0]).min() > 0)
        recorder.write(means, arm, theta, bad, 0, 0)
    return recorder.trace(checkpoints)
