"""LDP-UCB with a parameter for every arm: the linear rival of Han et al. (arXiv 2106.03365), after Zheng et al. (2020).

In R^D, D = K d; the rules of `optimism_by_arm` from messages (x x' + W, r x + xi), all noise of sd sigma:

    Upsilon_t = sigma sqrt t (4 sqrt D + 2 ln(2 T / failure)), c_t = 2 Upsilon_t
    beta_t = 2 sigma sqrt(D ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(D t / Upsilon_t)) D ln T

printed    sigma = 6 sqrt(2 ln(2.5 / delta)) / eps
released   the same sigma; in c_t and beta_t d in place of D
certified  the least sigma with which a message is (eps, delta)-DP; contexts and rewards are clipped to 1

`bonus` multiplies beta_t. There is no warm-up.

Privacy: a message is (eps, delta)-locally private for ||x||, |r| <= 1; the noise on all K blocks hides the arm.
Cost: K d^2 a round, and D^3 a refresh.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, opened, record, shorten
from dpbandits.algorithms.by_arm_constants import rival_width
from dpbandits.algorithms.by_arm_literal import Diary, rounds, shown
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

    clip: int  # 1 where contexts and rewards are clipped
    server: Server


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, T, arms, dimension, failure, bonus, lazy.
    """
    horizon, clip = setting["T"], int(calibration == "certified")
    dimension = setting["dimension"] * (1.0 if calibration == "released" else setting["arms"])
    sd = noise["sd"] if clip else baseline_sd(setting["eps"], setting["delta"], 2)
    upsilon = sd * spread(dimension, horizon, setting["failure"])
    base, growth = (setting["bonus"] * part for part in rival_width(sd, upsilon, dimension, horizon))
    return Params(clip, Server(sd, 2.0 * upsilon, base, growth, int(setting["lazy"]), 0))


def run(rng: Generator, problem: Problem, clip: int, server: Server, checkpoints: Array) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, clip, server, checkpoints)


@kernel
def simulate(
    rng: Generator, world: Generator, problem: Problem, clip: int, server: Server, checkpoints: Array
) -> Array:
    """As `run`, with the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)
    lost, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    negative, clipped, row = 0, 0, 0
    for now in range(checkpoints[-1]):
        t = now + 1
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, clip)
        arm, strange = optimistic(state, x)
        negative += strange
        value, large = answer(world, problem, means[arm], clip)
        clipped += long or large
        count_regret(lost, means, arm, True)
        gather(server, state, x, arm, value)
        refresh(rng, server, state, t)
        if t == checkpoints[row]:
            record(trace[row], lost, t, state.theta, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


def run_literal(rng: Generator, problem: Problem, clip: int, server: Server, checkpoints: Array) -> Array:
    """The same in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    rival, diary = Rival(server, arms, d), Diary(problem)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        x, long = shown(X, clip)
        arm, strange = rival.choose(x)
        r = pay(arm)
        value = max(-1.0, min(1.0, r)) if clip else r
        rival.message(rival.feature(x, arm), value)
        bad = rival.refresh(rng, t)
        diary.write(means, arm, rival.theta.reshape(arms, d), bad, strange, long or value != r)
    return diary.trace(checkpoints)
