"""LDP-GLOC with a parameter for every arm: Algorithm 3 of Han et al. (arXiv 2106.03365), after Zheng et al. (2020).

In R^D, D = K d; theta~ of `optimism_by_arm` decides, theta^ learns online; linear rewards.

    L1  the arm is argmax over a of x_a' theta~ + beta |x_a|;  z = x' theta^
    L2  the user sends x x' + W and z x + xi of sd sigma, and (mu(z) - r) x + rho, rho of sd C sigma
    L3  the server adds the first two to V and u;  theta^ = Proj(theta^ - zeta times the third), zeta = 1 / sqrt T
    Upsilon_t = sigma sqrt t (4 sqrt D + 2 ln(2 T / failure)), c_t = 2 Upsilon_t, beta_t^2 = sigma sqrt(D t)

printed    sigma = 6 sqrt(2 ln(3.75 / delta)) / eps, C = 2
released   sigma = 6 sqrt(2 ln(2.5 / delta)) / eps, C = 2; random starts in R^D, no projection; with scheme 2
           zeta = d K / (1000 sqrt T). The program has `broadcast`, see `optimism_by_arm`, with which the bonus is the
           same for all arms, so that the rule is greedy in u; and c_t and beta_t of LDP-UCB with d in place of D.
           `broadcast` 0 is a repair, not the program: whole products x x', c_t and beta_t as above
certified  the least sigma with which the message is (eps, delta)-DP, the same for its three parts; contexts and
           rewards are clipped to 1

Errors are those of theta^. Proj is on the unit ball of every arm, since all parameters together are longer than 1. The
constant of zeta is not in the paper; ours is 1. `bonus` multiplies beta_t. There is no warm-up.

Privacy: GLOC_BY_ARM of `sensitivities`, in a ball of norm 1 for the estimate of every arm.
Cost: D normals and K d^2 a round, and D^3 a refresh.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, opened, record, shorten
from dpbandits.algorithms.by_arm_constants import rival_width
from dpbandits.algorithms.by_arm_literal import Diary, rounds, shown
from dpbandits.algorithms.contextual_literal import gaussian, shorter, unit
from dpbandits.algorithms.optimism_by_arm import Server, gather, open_state, optimistic, refresh
from dpbandits.algorithms.optimism_by_arm_literal import Rival
from dpbandits.contexts.laws import mean_reward, offer, on_sphere
from dpbandits.contexts.problem import Problem
from dpbandits.jit import kernel
from dpbandits.linalg import dot, project
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import GLOC_BY_ARM

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "negative", "clipped")
"""Those of `by_arm`; refreshes whose matrix was not positive definite; rounds that played an arm for its negative
square; rounds in which the context or the reward was clipped."""
INDEFINITE, NEGATIVE, CLIPPED = range(len(COMMON), len(OUTPUTS))
SLOPE = 2.0  # C, of |mu(z) - r|
SLOW_STEP = 1e-3  # of zeta over d K / sqrt T; released code, scheme 2


class Rules(NamedTuple):
    """Constants of the user and of theta^.

    Attributes
    ----------
    clip : 1 where contexts and rewards are clipped.
    gradient_sd : of rho.
    step : zeta.
    start : 1 for random starts of theta~ and theta^.
    project : 1 where theta^ is projected.
    """

    clip: int
    gradient_sd: float
    step: float
    start: int
    project: int


@dataclass(frozen=True)
class Params:
    """What `run` takes."""

    rules: Rules
    server: Server


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", GLOC_BY_ARM, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, T, arms, dimension, failure, bonus, lazy, scheme and broadcast (released).
    """
    eps, delta, d, horizon, failure = (setting[key] for key in ("eps", "delta", "dimension", "T", "failure"))
    released, certified, D = calibration == "released", calibration == "certified", setting["arms"] * d
    broadcast = int(released and setting["broadcast"])
    sigma = noise["sd"] if certified else baseline_sd(eps, delta, 2 if released else 3)
    upsilon = sigma * spread(d if broadcast else D, horizon, failure)
    base, growth = rival_width(sigma, upsilon, d, horizon) if broadcast else (0.0, math.sqrt(sigma) * D**0.25)
    bonus, lazy = setting["bonus"], int(setting["lazy"])
    server = Server(sigma, 2.0 * upsilon, bonus * base, bonus * growth, lazy, broadcast)
    scale = SLOW_STEP * D if released and setting["scheme"] == 2 else 1.0
    rules = Rules(
        clip=int(certified),
        gradient_sd=sigma if certified else SLOPE * sigma,
        step=scale / math.sqrt(horizon),
        start=int(released),
        project=int(not released),
    )
    return Params(rules, server)


def run(rng: Generator, problem: Problem, rules: Rules, server: Server, checkpoints: Array) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, rules, server, checkpoints)


@kernel
def simulate(
    rng: Generator, world: Generator, problem: Problem, rules: Rules, server: Server, checkpoints: Array
) -> Array:
    """As `run`, with the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)
    learner, lost, trace = np.zeros((arms, d)), np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    negative, clipped, row = 0, 0, 0
    if rules.start:
        on_sphere(rng, 1.0, state.theta.ravel())
        on_sphere(rng, 1.0, learner.ravel())
    for now in range(checkpoints[-1]):
        t = now + 1
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, rules.clip)
        arm, strange = optimistic(state, x)  # L1
        negative += strange
        value, large = answer(world, problem, means[arm], rules.clip)
        count_regret(lost, means, arm, True)
        z = dot(x, learner[arm])
        clipped += long or large
        gather(server, state, x, arm, z)
        descend(rng, rules, x, arm, mean_reward(problem.link, z) - value, learner)
        refresh(rng, server, state, t)
        if t == checkpoints[row]:
            record(trace[row], lost, t, learner, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


@kernel
def descend(rng: Generator, rules: Rules, x: Array, arm: int, slope: float, learner: Array) -> None:
    """L3 for theta^; noise is drawn arm by arm."""
    for k in range(len(learner)):
        for i in range(len(x)):
            gradient = slope * x[i] if k == arm else 0.0
            if rules.gradient_sd > 0.0:
                gradient += rules.gradient_sd * rng.standard_normal()
            learner[k, i] -= rules.step * gradient
        if rules.project:
            project(learner[k], 1.0)


def run_literal(rng: Generator, problem: Problem, rules: Rules, server: Server, checkpoints: Array) -> Array:
    """The same in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    rival, diary, learner = Rival(server, arms, d), Diary(problem), np.zeros(arms * d)
    if rules.start:
        rival.theta, learner = unit(rng, arms * d), unit(rng, arms * d)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        near, long = shown(X, rules.clip)
        arm, strange = rival.choose(near)
        x, r = rival.feature(near, arm), pay(arm)
        y = max(-1.0, min(1.0, r)) if rules.clip else r
        z = float(x @ learner)
        rival.message(x, z)
        noisy = (mean_reward(problem.link, z) - y) * x + gaussian(rng, rules.gradient_sd, arms * d)
        learner = learner - rules.step * noisy
        if rules.project:
            learner = np.concatenate([shorter(each, 1.0) for each in learner.reshape(arms, d)])
        bad = rival.refresh(rng, t)
        diary.write(means, arm, learner.reshape(arms, d), bad, strange, long or y != r)
    return diary.trace(checkpoints)
