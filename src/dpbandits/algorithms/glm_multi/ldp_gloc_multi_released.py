"""The released rounds of `ldp_gloc_multi`: a user sends the number x' x instead of the matrix x x'.

Authors' program of Han, Liang, Wang and Zhang (arXiv 2106.03365), not their Algorithm 3.

Pseudo-code. K arms, D = K d, x_a in R^D the context in the block of arm a and 0 elsewhere, x that of the arm played, r
its reward; linear rewards, mu(z) = z; theta~ decides, theta^ learns online:

    L1  v = 0, u = 0; theta~ and theta^ are random unit vectors in R^D
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta~ + beta_s |x_a|_s
    L4      the user sends x' x + w and z x + xi, z = x' theta^, standard deviation sigma
    L5      the user sends (mu(z) - r) x + rho, standard deviation 2 sigma
    L6      v and u += the two messages of L4
    L7      theta^ = theta^ - zeta times the message of L5
    L8      at a refresh: theta~ = (v 1 1' + c_t I)^-1 u, s = t

The refreshes and |x|_s are those of `ldp_gloc_multi`, with V = v 1 1', whose entries are all v. The inverse is
(I - v 1 1' / (c_s + D v)) / c_s: its diagonal blocks are equal. So the bonus is equal for all arms and the rule is
greedy in x_a' u. If the square is negative, it is negative for all arms, and the first arm is played.

Constants: sigma = 6 sqrt(2 ln(2.5 / delta)) / eps; c_t and beta_t are those of `ldp_ucb_multi` with d for D.
zeta = 1 / sqrt(T); with `scheme: appendix`, d K / (1000 sqrt(T)). Contexts and rewards are not clipped.

Privacy: local. theta^, contexts and rewards are unbounded here, so that two messages may be arbitrarily far apart.

Cost: D normals and O(K d^2) per round.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_multi.by_arm import COMMON, count_regret, record
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server, State, open_refresh, open_state, optimistic
from dpbandits.algorithms.glm_multi.optimism_by_arm_literal import LiteralServer
from dpbandits.algorithms.shared.contextual_literal import gaussian, unit
from dpbandits.algorithms.shared.ldp_ucb_bonus import ldp_ucb_bonus
from dpbandits.base.jit import kernel
from dpbandits.environments.contextual.distributions import mean_reward, offer, on_sphere, reward
from dpbandits.environments.contextual.problem import Problem
from dpbandits.numerics.linalg import dot
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import add_gaussian

Array = np.ndarray

INDEFINITE, NEGATIVE = len(COMMON), len(COMMON) + 1
SLOPE = 2.0  # factor of the standard deviation in L5
SLOW_STEP = 1e-3  # factor of zeta for `scheme: appendix`, in units of d K / sqrt T


class Released(NamedTuple):
    """Constants of the user and of theta^: the standard deviation of rho, and zeta."""

    gradient_sd: float
    step: float


def params_of(setting: Mapping[str, float]) -> tuple[Released, Server]:
    """Constants at one grid point.

    Reads from the setting: eps, delta, T, arms, dimension, failure, bonus, lazy, scheme.
    """
    d, horizon, bonus = setting["dimension"], setting["T"], setting["bonus"]
    sigma = baseline_sd(setting["eps"], setting["delta"], 2)
    upsilon = sigma * spread(d, horizon, setting["failure"])
    base, growth = ldp_ucb_bonus(sigma, upsilon, d, horizon)
    server = Server(sigma, 2.0 * upsilon, bonus * base, bonus * growth, int(setting["lazy"]))
    return Released(SLOPE * sigma, step_size(setting)), server


def step_size(setting: Mapping[str, float]) -> float:
    """The step size zeta."""
    scale = SLOW_STEP * (setting["arms"] * setting["dimension"]) if setting["scheme"] == 2 else 1.0
    return scale / math.sqrt(setting["T"])


@kernel
def simulate(
    rng: Generator, stream: Generator, problem: Problem, rules: Released, server: Server, checkpoints: Array
) -> Array:
    """Play one run, given the stream of contexts and rewards; return the trace (len(checkpoints), outputs)."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)  # L1
    learner, regret_sum, trace = np.empty((arms, d)), np.zeros((2, 2)), np.zeros((len(checkpoints), 7))
    negative, row = 0, 0
    on_sphere(rng, 1.0, state.theta.ravel())  # L1
    on_sphere(rng, 1.0, learner.ravel())  # L1
    for now in range(checkpoints[-1]):  # L2
        t = now + 1
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        arm, strange = optimistic(state, x)  # L3
        negative += strange
        value = reward(stream, problem, now, means[arm])
        count_regret(regret_sum, means, arm, True)
        z = dot(x, learner[arm])  # L4
        slope = mean_reward(problem.link, z) - value
        gather_number(state, x, arm, z)  # L4, L6
        for k in range(arms):
            for i in range(d):
                gradient = slope * x[i] if k == arm else 0.0
                learner[k, i] -= rules.step * add_gaussian(rng, gradient, rules.gradient_sd, 1.0)  # L5, L7
        refresh_number(rng, server, state, t)  # L4, L6, L8
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t, learner, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            row += 1
    return trace


@kernel
def gather_number(state: State, x: Array, arm: int, z: float) -> None:
    """Add the messages of L4 without noise; v is the first entry of `gram`."""
    first = arm * len(x)
    state.gram[0, 0] += dot(x, x)  # L4, L6
    for i in range(len(x)):
        state.target[first + i] += z * x[i]  # L4, L6


@kernel
def refresh_number(rng: Generator, server: Server, state: State, now: int) -> None:
    """If a refresh is due after round `now`: add the noise of the messages since the last one, v first; then L8."""
    if now < state.clock[1]:
        return
    times = open_refresh(server, state, now)
    state.gram[0, 0] = add_gaussian(rng, state.gram[0, 0], server.sd, times)  # L4, L6
    for i in range(len(state.target)):
        state.target[i] = add_gaussian(rng, state.target[i], server.sd, times)  # L4, L6
    state.clock[2] += not rules_of_equal_entries(state, server.shift * math.sqrt(now))  # L8


@kernel
def rules_of_equal_entries(state: State, shift: float) -> bool:
    """Compute theta~ and the blocks of the inverse; return whether the matrix is positive definite."""
    D, (arms, d) = len(state.target), state.theta.shape
    last = shift + D * state.gram[0, 0]  # the eigenvalue for the vector of ones
    lean = state.gram[0, 0] / last
    offset = lean * np.sum(state.target)
    for k in range(arms):
        for i in range(d):
            state.theta[k, i] = (state.target[k * d + i] - offset) / shift
            for j in range(d):
                state.blocks[k, i, j] = ((1.0 if i == j else 0.0) - lean) / shift
    return last > 0.0


class NumberServer(LiteralServer):
    """Server that adds x' x and its noise to all entries of V."""

    def message(self, x: Array, value: float) -> None:
        """Add a message without noise, which nothing uses before the next refresh."""
        self.V += x @ x
        self.u += value * x

    def noise(self, rng: Generator, sd: float) -> Array:
        """The noise on all entries of the matrix."""
        return gaussian(rng, sd, 1)


def run_literal(rng: Generator, problem: Problem, rules: Released, server: Server, checkpoints: Array) -> Array:
    """Same as `run`, in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    ucb, recorder = NumberServer(server, arms, d), Recorder(problem)
    ucb.theta, learner = unit(rng, arms * d), unit(rng, arms * d)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        arm, strange = ucb.choose(X)
        x, r = ucb.feature(X, arm), pay(arm)
        z = float(x @ learner)
        ucb.message(x, z)
        noisy = (mean_reward(problem.link, z) - r) * x + gaussian(rng, rules.gradient_sd, arms * d)
        learner = learner - rules.step * noisy
        bad = ucb.refresh(rng, t)
        recorder.write(means, arm, learner.reshape(arms, d), bad, strange, 0)
    return recorder.trace(checkpoints)
