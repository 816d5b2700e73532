"""LDP-UCB with a parameter for every arm: the linear rival of Han et al. (arXiv 2106.03365), after Zheng et al. (2020).

In R^D, D = K d; the rules of `optimism_by_arm` from messages (x x' + W, r x + xi), all noise of sd sigma:

    Upsilon_t = sigma sqrt t (4 sqrt D + 2 ln(2 T / failure)), c_t = 2 Upsilon_t
    beta_t = 2 sigma sqrt(D ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(D t / Upsilon_t)) D ln T

printed    sigma = 6 sqrt(2 ln(2.5 / delta)) / eps
released   the same and a ridge of 1; with scheme 2 a tenth of c_t
certified  the least sigma with which a message is (eps, delta)-DP; contexts and rewards are clipped to 1

`bonus` multiplies beta_t. `open`: no noise, a ridge of 1 and beta = 1. In the first `warm_up` rounds the arms take
turns, as in the released comparison; the paper's rival has none.

Privacy: a message is (eps, delta)-locally private for ||x||, |r| <= 1; the noise on all K blocks hides the arm.
Cost: K d^2 a round, and D^3 a refresh.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, opened, record, shorten
from dpbandits.algorithms.by_arm_constants import OPEN_RIDGE, OPEN_WIDTH, rival_width
from dpbandits.algorithms.by_arm_literal import Diary, rounds, unit_ball
from dpbandits.algorithms.optimism_by_arm import Server, gather, open_state, optimistic, refresh
from dpbandits.algorithms.optimism_by_arm_literal import Rival
from dpbandits.contexts.laws import offer
from dpbandits.contexts.problem import Problem
from dpbandits.jit import kernel
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "negative", "clipped")
"""Those of `by_arm`; refreshes whose matrix was not positive definite; rounds that played an arm for its negative
square; rounds in which the context or the reward was clipped."""
INDEFINITE, NEGATIVE, CLIPPED = range(len(COMMON), len(OUTPUTS))


@dataclass(frozen=True)
class Params:
    """What `run` takes."""

    warm_up: int  # rounds in which the arms take turns
    clip: int  # 1 where contexts and rewards are clipped
    server: Server


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, T, arms, dimension, warm_up, failure, width, lazy, scheme (1 or 2, released), open.
    """
    D, horizon, released = setting["arms"] * setting["dimension"], setting["T"], calibration == "released"
    warm_up, clip, lazy = int(setting["warm_up"]), int(calibration == "certified"), int(setting["lazy"])
    if setting["open"]:
        return Params(warm_up, clip, Server(0.0, 0.0, OPEN_RIDGE, setting["bonus"] * OPEN_WIDTH, 0.0, lazy, 0))
    sd = noise["sd"] if clip else baseline_sd(setting["eps"], setting["delta"], 2)
    upsilon = sd * spread(D, horizon, setting["failure"])
    shift = (0.2 if released and setting["scheme"] == 2 else 2.0) * upsilon
    base, growth = (setting["bonus"] * part for part in rival_width(sd, upsilon, D, horizon))
    return Params(warm_up, clip, Server(sd, shift, float(released), base, growth, lazy, 0))


def run(rng: Generator, problem: Problem, warm_up: int, clip: int, server: Server, checkpoints: Array) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, warm_up, clip, server, checkpoints)


@kernel
def simulate(
    rng: Generator, world: Generator, problem: Problem, warm_up: int, clip: int, server: Server, checkpoints: Array
) -> Array:
    """As `run`, with the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)
    lost, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    negative, clipped, row = 0, 0, 0
    for now in range(checkpoints[-1]):
        t, warm = now + 1, now < warm_up
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, 1.0) if clip else False
        arm = t % arms
        if not warm:
            arm, strange = optimistic(state, x)
            negative += strange
        value, large = answer(world, problem, means[arm], clip)
        clipped += long or large
        count_regret(lost, means, arm, not warm)
        gather(server, state, x, arm, value)
        refresh(rng, server, state, t)
        if t == checkpoints[row]:
            record(trace[row], lost, state.theta, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


def run_literal(rng: Generator, problem: Problem, warm_up: int, clip: int, server: Server, checkpoints: Array) -> Array:
    """The same in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    rival, diary = Rival(server, arms, d), Diary(problem, warm_up)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        x = unit_ball(X) if clip else X
        arm, strange = rival.choose(x) if t > warm_up else (t % arms, False)
        r = pay(arm)
        value = max(-1.0, min(1.0, r)) if clip else r
        rival.message(rival.feature(x, arm), value)
        bad = rival.refresh(rng, t)
        diary.write(means, arm, rival.theta.reshape(arms, d), bad, strange, x is not X or value != r)
    return diary.trace(checkpoints)
