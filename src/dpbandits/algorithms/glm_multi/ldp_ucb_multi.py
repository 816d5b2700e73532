"""LDP-UCB with a parameter for every arm: optimism on least squares from private messages.

Zheng et al. (2020), as Han, Liang, Wang and Zhang (arXiv 2106.03365) run it as their linear baseline.

Pseudo-code. K arms, D = K d, x_a in R^D the context in the block of arm a and 0 elsewhere, x that of the arm played, r
its reward; W symmetric, all noise of standard deviation sigma:

    L1  V = 0, u = 0, theta = 0, all in D dimensions
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta + beta_s |x_a|_s
    L4      the user sends x x' + W and r x + xi
    L5      V and u += the message
    L6      at a refresh: theta = (V + c_t I)^-1 u, s = t

`optimism_by_arm` has L3 and the refreshes: after every round t < 2 `lazy`, then every floor(t / `lazy`) rounds; after
every round if `lazy` is null. In L3, s is the round of the last refresh, and |x|_s^2 = x' (V_s + c_s I)^-1 x, with c_1
for s = 0.

    Upsilon_t = sigma sqrt(t) (4 sqrt(D) + 2 ln(2 T / failure)), c_t = 2 Upsilon_t
    beta_t = 2 sigma sqrt(D ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(D t / Upsilon_t)) D ln T

The parameter `bonus` multiplies beta_t. The algorithm has no warm-up.

Calibrations:
    printed     sigma = 6 sqrt(2 ln(2.5 / delta)) / eps.
    released    The same sigma; in c_t and beta_t, d replaces D.
    certified   The least sigma for which a message is (eps, delta)-DP. Contexts and rewards are clipped to 1.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. A message is (eps,
delta)-LDP for ||x|| <= 1 and |r| <= 1. The noise on all K blocks hides the arm.

Cost: O(K d^2) per round, and O(D^3) per refresh.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Look
from dpbandits.algorithms.glm_multi.by_arm import COMMON, answer, count_regret, opened, record, shorten
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds, shown
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server, gather, open_state, optimistic, refresh
from dpbandits.algorithms.glm_multi.optimism_by_arm_literal import LiteralServer
from dpbandits.algorithms.shared.entries_glm import (
    ALL,
    LAZY,
    MESSAGE,
    MESSAGES,
    SHARED_SPHERE,
    TUPLE,
    on_contexts,
)
from dpbandits.algorithms.shared.ldp_ucb_bonus import ldp_ucb_bonus
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SHARED
from dpbandits.environments.contextual.distributions import offer
from dpbandits.environments.contextual.problem import Problem
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "negative", "clipped")
"""Outputs of `by_arm`; refreshes whose matrix was not positive definite; rounds that played an arm for its negative
square; rounds in which the context or the reward was clipped."""
INDEFINITE, NEGATIVE, CLIPPED = range(len(COMMON), len(OUTPUTS))


@dataclass(frozen=True)
class Params:
    """Arguments of `run`."""

    clip: float  # bound on contexts and rewards; infinite for no clipping
    server: Server


ALGORITHM = Algorithm(
    label="LDP-UCB with a parameter for every arm",
    short="LDP-UCB",
    reference="Zheng et al. 2020; Han et al. 2021, baseline",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=TUPLE,
    parameters={**MESSAGES, "bonus": POSITIVE, "lazy": LAZY},
    arms=SHARED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({**MESSAGE, "bonus": 0.1, "lazy": 50.0}, {"sd": 0.5}, SHARED_SPHERE),
    agrees="stream",
    look=Look("^", "-", "light"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point.

    Reads from the setting: eps, delta, T, arms, dimension, failure, bonus, lazy.
    """
    horizon, certified = setting["T"], calibration == "certified"
    dimension = setting["dimension"] * (1.0 if calibration == "released" else setting["arms"])
    sd = noise["sd"] if certified else baseline_sd(setting["eps"], setting["delta"], 2)
    upsilon = sd * spread(dimension, horizon, setting["failure"])
    base, growth = (setting["bonus"] * part for part in ldp_ucb_bonus(sd, upsilon, dimension, horizon))
    server = Server(sd, 2.0 * upsilon, base, growth, int(setting["lazy"]))
    return Params(1.0 if certified else math.inf, server)


def run(rng: Generator, problem: Problem, clip: float, server: Server, checkpoints: Array) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, clip, server, checkpoints)


@kernel
def simulate(
    rng: Generator, stream: Generator, problem: Problem, clip: float, server: Server, checkpoints: Array
) -> Array:
    """Same as `run`, given the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)  # L1
    regret_sum, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    negative, clipped, row = 0, 0, 0
    for now in range(checkpoints[-1]):  # L2
        t = now + 1
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, clip)
        arm, strange = optimistic(state, x)  # L3
        negative += strange
        value, large = answer(stream, problem, now, means[arm], clip)
        clipped += long or large
        count_regret(regret_sum, means, arm, True)
        gather(state, x, arm, value)  # L4, L5
        refresh(rng, server, state, t)  # L4, L5, L6
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t, state.theta, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


def run_literal(rng: Generator, problem: Problem, clip: float, server: Server, checkpoints: Array) -> Array:
    """Same as `run`, in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    ucb, recorder = LiteralServer(server, arms, d), Recorder(problem)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        x, long = shown(X, clip)
        arm, strange = ucb.choose(x)
        r = pay(arm)
        value = max(-clip, min(clip, r))
        ucb.message(ucb.feature(x, arm), value)
        bad = ucb.refresh(rng, t)
        recorder.write(means, arm, ucb.theta.reshape(arms, d), bad, strange, long or value != r)
    return recorder.trace(checkpoints)
