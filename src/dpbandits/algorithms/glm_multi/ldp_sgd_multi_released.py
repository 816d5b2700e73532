"""The released rounds of `ldp_sgd_multi`: a warm-up by least squares, then one gradient message per round.

Authors' program of Han, Liang, Wang and Zhang (arXiv 2106.03365), not their Algorithm 2.

Pseudo-code. K arms; user t has the context X_t and the reward r_t; psi(x, r) = (x x' + W, r x + xi), W symmetric, all
entries normal with standard deviation s; Psi of `l2_ball`:

    L1  theta_i is a random unit vector for every arm i
    L2  for t = 1, 2, ...:
    L3      if t <= warm_up: a_t = (t mod K) + 1, and arm a_t gets psi(X_t, r_t)
    L4          theta_i = (sum M + c sqrt(t) I)^-1 sum u over the messages (M, u) of arm i, if it has any
    L5      else: a_t = argmax X_t' theta_i; the user sends Psi(g), g = (mu(X_t' theta_i) - r_t) X_t in the block of
            arm a_t of R^(K d), and 0 in all others
    L6          theta = theta - eta_t (Psi(g) + penalty theta), for the K vectors as one

The kernel solves L4 only when the result is used: at checkpoints and after the last round of the warm-up.

Constants: s = 6 sqrt(2 ln(2.5 / delta)) / eps; c = 2 s (4 sqrt(d) + 2 ln(2 T / failure)). Psi has eps and R = 1 in K d
dimensions, but its sphere has the radius for d dimensions. eta_t = 5 K / t and penalty = 0.05; with `scheme: appendix`,
eta_t = sqrt(K) d / (200 t) and no penalty. No arm is eliminated, and no context or reward is clipped.

Privacy: local. The gradient messages are eps-LDP. The messages of the warm-up are (eps, delta)-LDP for contexts and
rewards up to 1, but the program does not clip them.

Cost: O(K d) per round.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_multi.by_arm import CLIPPED, GREEDY, INDEFINITE, count_regret, record
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds
from dpbandits.algorithms.glm_multi.gradient_messages_multi import fill_gradient
from dpbandits.algorithms.shared.contextual import greedy
from dpbandits.algorithms.shared.contextual_literal import gaussian, symmetric, unit
from dpbandits.algorithms.shared.noisy_least_squares import receive, solve_each
from dpbandits.base.jit import kernel
from dpbandits.environments.contextual.distributions import mean_reward, offer, on_sphere, reward
from dpbandits.environments.contextual.problem import Problem
from dpbandits.privacy.l2_ball import Ball, keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.local_scales import baseline_sd, spread

Array = np.ndarray

BOUND = 1.0  # R
STEP = 5.0  # eta_t t / K for `scheme: main`
PENALTY = 0.05  # for `scheme: main`
SLOW_STEP = 1.0 / 200.0  # eta_t t / (sqrt(K) d) for `scheme: appendix`


class Released(NamedTuple):
    """Constants of the warm-up: number of rounds, s, and c."""

    warm_up: int
    sd: float
    shift: float


class ReleasedStep(NamedTuple):
    """Constants of L6: eta_t = size / t."""

    size: float
    penalty: float


def params_of(setting: Mapping[str, float]) -> tuple[Released, Ball, ReleasedStep]:
    """Constants at one grid point.

    Reads from the setting: eps, delta, failure, T, arms, dimension, warm_up, scheme.
    """
    eps, d, arms = setting["eps"], int(setting["dimension"]), int(setting["arms"])
    sd = baseline_sd(eps, setting["delta"], 2)
    rules = Released(int(setting["warm_up"]), sd, 2.0 * sd * spread(d, setting["T"], setting["failure"]))
    step = ReleasedStep(STEP * arms, PENALTY)
    if setting["scheme"] == 2:
        step = ReleasedStep(SLOW_STEP * math.sqrt(arms) * d, 0.0)
    return rules, Ball(BOUND, keep_probability(eps), sphere_radius(eps, d, BOUND)), step


@kernel
def simulate(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    rules: Released,
    ball: Ball,
    step: ReleasedStep,
    checkpoints: Array,
) -> Array:
    """Play one run, given the stream of contexts and rewards; return the trace (len(checkpoints), len(GREEDY))."""
    arms, d = problem.theta.shape
    contexts, means, theta = np.empty((1, d)), np.empty(arms), np.empty((arms, d))
    for k in range(arms):
        on_sphere(rng, 1.0, theta[k])  # L1
    gram, target, count = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)
    work, gradient, message = np.empty((arms, d, d + 1)), np.zeros((arms, d)), np.empty((arms, d))
    regret_sum, trace = np.zeros((2, 2)), np.zeros((len(checkpoints), len(GREEDY)))
    indefinite, clipped, row = 0, 0, 0
    for now in range(checkpoints[-1]):  # L2
        t, warm = now + 1, now < rules.warm_up
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        arm = t % arms if warm else greedy(theta, x)  # L3 or L5
        value = reward(stream, problem, now, means[arm])
        count_regret(regret_sum, means, arm, not warm)
        if warm:
            receive(rng, x, value, rules.sd, rules.sd, gram[arm], target[arm])  # L3
            count[arm] += 1
            if t == rules.warm_up or t == checkpoints[row]:
                shifts = np.full(arms, rules.shift * math.sqrt(t))
                indefinite = solve_each(gram, shifts, target, count, work, theta)  # L4
        else:
            clipped += fill_gradient(problem.link, x, theta[arm], value, ball.bound, gradient[arm])
            l2_ball(rng, gradient.ravel(), ball.bound, ball.keep, ball.radius, message.ravel())  # L5
            gradient[arm] = 0.0
            eta = step.size / t
            for k in range(arms):
                for i in range(d):
                    theta[k, i] -= eta * (message[k, i] + step.penalty * theta[k, i])  # L6
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = indefinite
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


def run_literal(
    rng: Generator, problem: Problem, rules: Released, ball: Ball, step: ReleasedStep, checkpoints: Array
) -> Array:
    """Same as `run`, in NumPy, every line in every round; returns the trace."""
    arms, d = problem.theta.shape
    theta = np.array([unit(rng, d) for _ in range(arms)])
    M, u, n = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms)
    recorder, indefinite, psi = Recorder(problem, rules.warm_up), 0, np.empty(arms * d)
    for t, x, means, pay in rounds(problem, checkpoints[-1]):
        g, theta, before = np.zeros((arms, d)), theta.copy(), indefinite
        if t <= rules.warm_up:
            arm = t % arms
            M[arm] += np.outer(x, x) + symmetric(rng, rules.sd, d)
            u[arm] += pay(arm) * x + gaussian(rng, rules.sd, d)
            n[arm] += 1
            shift = rules.shift * np.sqrt(t) * np.eye(d)
            theta[n > 0] = [np.linalg.solve(M[i] + shift, u[i]) for i in range(arms) if n[i]]
            indefinite = sum(np.linalg.eigvalsh(M[i] + shift)[0] <= 0 for i in range(arms) if n[i])
        else:
            arm = int(np.argmax(theta @ x))
            g[arm] = (mean_reward(problem.link, x @ theta[arm]) - pay(arm)) * x
            l2_ball(rng, g.ravel(), ball.bound, ball.keep, ball.radius, psi)
            theta -= step.size / t * (psi.reshape(arms, d) + step.penalty * theta)
        recorder.write(means, arm, theta, indefinite - before, 0, bool(np.linalg.norm(g) > ball.bound))
    return recorder.trace(checkpoints)
