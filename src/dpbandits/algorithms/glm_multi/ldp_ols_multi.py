"""LDP-OLS with a parameter for every arm: greedy choices, with least squares from messages to all arms.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 2 with the least-squares messages.

Pseudo-code. K arms; user t has the context X_t, ||X_t|| <= 1, and the reward r_t; psi(x, r) = (x x' + W, r x + xi), W
symmetric, normal noise:

    L1  theta_i = 0 for every arm i
    L2  for t = 1, 2, ...:
    L3      if t <= warm_up: a_t = (t mod K) + 1, and arm a_t alone gets psi(X_t, r_t)
    L4      else: kept = {i : X_t' frozen_i > max_j X_t' frozen_j - h / 2}, frozen the estimates after the warm-up
    L5          a_t = argmax over kept of X_t' theta_i; arm a_t gets psi(X_t, r_t), every other arm psi(0, 0)
    L6      theta_i = (sum M + c sqrt(n) I)^-1 sum u over the messages (M, u) of arm i, n their number

Calibrations:
    printed     s = 2 sqrt(2 ln(1.25 / (delta / 2))) / (eps / 2); W has standard deviation 2 s, xi has s, and
                c = 2 s (4 sqrt(d) + 2 ln(2 T K / failure)).
    released    Other rounds: see `ldp_ols_multi_released`.
    certified   The least sd for which the K messages of a user together are (eps, delta)-DP; c = 2 sd (4 sqrt(d) + ...)
                as printed. Contexts and rewards are clipped to 1.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. If the two users play
different arms, two messages change, each by at most sqrt(2) in norm, 2 in total. If they play the same arm, one message
changes by at most sqrt(4.5). So the K messages need no more noise than one.

Choices that the paper leaves open:
    warm_up     The paper does not give its length. Default: 3000 rounds, as in the released code.
    threshold   h in L4; the paper does not give it. Default: null, no elimination.

Cost: K (d + 1) (d + 2) / 2 normals and K solves per round, since noise in all arms changes every estimate.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Look
from dpbandits.algorithms.glm_multi import by_arm
from dpbandits.algorithms.glm_multi import ldp_ols_multi_released as program
from dpbandits.algorithms.glm_multi.by_arm import (
    CLIPPED,
    ELIMINATED,
    INDEFINITE,
    answer,
    count_regret,
    greedy,
    opened,
    record,
    shorten,
)
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds, shown
from dpbandits.algorithms.shared.contextual_literal import gaussian, symmetric
from dpbandits.algorithms.shared.entries_glm import (
    ALL,
    MESSAGES,
    SHARED_SPHERE,
    TUPLE,
    WARM_UP,
    WARMED_UP,
    on_contexts,
)
from dpbandits.algorithms.shared.noisy_least_squares import receive, receive_noise, solve_each
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SHARED
from dpbandits.environments.contextual.distributions import offer
from dpbandits.environments.contextual.problem import Problem
from dpbandits.privacy.local_scales import printed_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

Array = np.ndarray

OUTPUTS = by_arm.GREEDY
"""Outputs of `by_arm`; rounds played with at least one estimate from a matrix that was not positive definite; mean
number of arms eliminated per round after the warm-up; rounds in which the context or the reward was clipped."""


class Rules(NamedTuple):
    """Constants of the algorithm.

    Attributes
    ----------
    warm_up : number of rounds in which the arms take turns.
    threshold : h; infinite for no elimination.
    matrix_sd, vector_sd : standard deviations of W and of xi.
    shift : c.
    clip : bound on contexts and rewards; infinite for no clipping.
    """

    warm_up: int
    threshold: float
    matrix_sd: float
    vector_sd: float
    shift: float
    clip: float


@dataclass(frozen=True)
class Params:
    """Arguments of `run`: the constants of the rounds above, or of the released rounds."""

    rules: Rules | program.Released


ALGORITHM = Algorithm(
    label="LDP-OLS with a parameter for every arm",
    short="LDP-OLS",
    reference="Han et al. 2021, Algorithm 2",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=TUPLE,
    parameters={**MESSAGES, **WARM_UP},
    arms=SHARED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts(WARMED_UP, {"sd": 0.5}, SHARED_SPHERE),
    agrees="stream",
    look=Look("s", "-", "dark"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on every entry of the K messages of a user."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point.

    Reads from the setting: eps, delta, T, arms, dimension, warm_up, threshold, failure.
    """
    if calibration == "released":
        return Params(program.params_of(setting))
    warm_up, threshold = int(setting["warm_up"]), setting["threshold"] or math.inf
    width = 2.0 * spread(setting["dimension"], setting["T"], setting["failure"], setting["arms"])
    if calibration == "certified":
        sd = noise["sd"]
        return Params(Rules(warm_up, threshold, sd, sd, sd * width, 1.0))
    sd = printed_sd(0.5 * setting["eps"], 0.5 * setting["delta"])
    return Params(Rules(warm_up, threshold, 2.0 * sd, sd, sd * width, math.inf))


def run(rng: Generator, problem: Problem, rules: Rules | program.Released, checkpoints: Array) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    play = program.simulate if isinstance(rules, program.Released) else simulate
    return play(rng, opened(problem), problem, rules, checkpoints)


@kernel
def simulate(rng: Generator, stream: Generator, problem: Problem, rules: Rules, checkpoints: Array) -> Array:
    """Same as `run`, given the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means = np.empty((1, d)), np.empty(arms)
    gram, target, count = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)
    theta, frozen, work = np.zeros((arms, d)), np.zeros((arms, d)), np.empty((arms, d, d + 1))  # L1
    regret_sum, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    indefinite, eliminated, clipped, row, definite = 0, 0, 0, 0, True
    for now in range(checkpoints[-1]):  # L2
        t, warm = now + 1, now < rules.warm_up
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, rules.clip)
        arm = t % arms  # L3
        if not warm:
            arm, gone = greedy(x, theta, frozen, rules.threshold)  # L4, L5
            eliminated += gone
            indefinite += not definite
        value, large = answer(stream, problem, now, means[arm], rules.clip)
        clipped += long or large
        count_regret(regret_sum, means, arm, not warm)
        for k in range(arms):
            if k == arm:
                receive(rng, x, value, rules.matrix_sd, rules.vector_sd, gram[k], target[k])  # L3 or L5
                count[k] += 1
            elif not warm:
                receive_noise(rng, rules.matrix_sd, rules.vector_sd, gram[k], target[k])  # L5
                count[k] += 1
        if t >= rules.warm_up or t == checkpoints[row]:
            definite = estimate(gram, target, count, rules.shift, work, theta)  # L6
            if t == rules.warm_up:
                frozen[:] = theta  # L4
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = indefinite
            trace[row, ELIMINATED] = eliminated / max(1, t - rules.warm_up)
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


@kernel
def estimate(gram: Array, target: Array, count: Array, shift: float, work: Array, theta: Array) -> bool:
    """L6 for all arms; return whether the matrices of all arms with messages are positive definite."""
    shifts = np.empty(len(count))
    for k in range(len(count)):
        shifts[k] = shift * math.sqrt(count[k])
    return solve_each(gram, shifts, target, count, work, theta) == 0  # L6


def run_literal(rng: Generator, problem: Problem, rules: Rules | program.Released, checkpoints: Array) -> Array:
    """Same as `run`, in NumPy, every line in every round; returns the trace."""
    if isinstance(rules, program.Released):
        return program.run_literal(rng, problem, rules, checkpoints)
    arms, d = problem.theta.shape
    M, u, n = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms)
    theta = frozen = np.zeros((arms, d))
    definite, recorder = True, Recorder(problem, rules.warm_up)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        warm = t <= rules.warm_up
        x, long = shown(X, rules.clip)
        kept = frozen @ x > np.max(frozen @ x) - rules.threshold / 2
        arm = t % arms if warm else int(np.argmax(np.where(kept, theta @ x, -np.inf)))
        r = pay(arm)
        value = max(-rules.clip, min(rules.clip, r))
        for i in [arm] if warm else range(arms):
            sent = x if i == arm else np.zeros(d)
            M[i] += np.outer(sent, sent) + symmetric(rng, rules.matrix_sd, d)
            u[i] += value * sent + gaussian(rng, rules.vector_sd, d)
            n[i] += 1
        counts = (not warm and not definite, 0 if warm else arms - kept.sum(), long or value != r)
        shifted = [M[i] + rules.shift * np.sqrt(n[i]) * np.eye(d) for i in range(arms)]
        theta = np.array([np.linalg.solve(shifted[i], u[i]) if n[i] else np.zeros(d) for i in range(arms)])
        definite = all(np.linalg.eigvalsh(shifted[i])[0] > 0 for i in range(arms) if n[i])
        frozen = theta if t == rules.warm_up else frozen
        recorder.write(means, arm, theta, *counts)
    trace = recorder.trace(checkpoints)
    trace[:, ELIMINATED] /= np.maximum(1, checkpoints - rules.warm_up)
    return trace
