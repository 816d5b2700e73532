"""LDP-GLOC with a parameter for every arm: Algorithm 3 of Han et al. (arXiv 2106.03365), after Zheng et al. (2020).

In R^D, D = K d; theta~ of `optimism_by_arm` decides, theta^ learns online; linear rewards.

    L1  the arm is argmax over a of x_a' theta~ + beta |x_a|;  z = x' theta^
    L2  the user sends x x' + W and z x + xi of sd sigma, and (mu(z) - r) x + rho, rho of sd C sigma
    L3  the server adds the first two to V and u;  theta^ = Proj(theta^ - zeta times the third), zeta = 1 / sqrt T
    Upsilon_t = sigma sqrt t (4 sqrt D + 2 ln(2 T / failure)), c_t = 2 Upsilon_t, beta_t^2 = sigma sqrt(D t)

printed    sigma = 6 sqrt(2 ln(3.75 / delta)) / eps, C = 2
released   users' noise 6 sqrt(2 ln(2.5 / delta)) / eps, C = 1; the server's sigma as printed; random starts, no
           projection, z clipped to [-5, 5] in the gradient; with scheme 2 the bonus is that of an identity matrix, so
           that with one context for all it is the same for all arms. `broadcast`: of V, see `optimism_by_arm`, and
           beta_t of LDP-UCB
certified  the least sigma with which the message is (eps, delta)-DP, the same for its three parts; contexts and
           rewards are clipped to 1

Errors are those of theta^. Proj is on the unit ball of every arm, since all parameters together are longer than 1. The
constant of zeta is not in the paper; ours is 1. `bonus`, `warm_up` and `open` as in `least_squares_ucb_by_arm`.

Privacy: two users differ most when they play two arms, each along its estimate: squares of 2, 2 and 8 of the three
parts. With the same arm it is GLOC_LINEAR of `sensitivities`, less.
Cost: D normals and K d^2 a round, and D^3 a refresh.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, opened, random_starts, record, shorten
from dpbandits.algorithms.by_arm_constants import OPEN_RIDGE, OPEN_WIDTH, rival_width
from dpbandits.algorithms.by_arm_literal import Diary, normals, rounds, starts, unit_ball
from dpbandits.algorithms.optimism_by_arm import Server, gather, open_state, optimistic, refresh
from dpbandits.algorithms.optimism_by_arm_literal import Rival
from dpbandits.contexts.laws import mean_reward, offer
from dpbandits.contexts.problem import Problem
from dpbandits.jit import kernel
from dpbandits.linalg import dot
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "negative", "clipped")
"""Those of `by_arm`; refreshes whose matrix was not positive definite; rounds that played an arm for its negative
square; rounds in which the context, the reward or z was clipped."""
INDEFINITE, NEGATIVE, CLIPPED = range(len(COMMON), len(OUTPUTS))
SQUARED_SENSITIVITY = 12.0
SLOPE = 2.0  # C, of |mu(z) - r|
REACH = 5.0  # of z, released code


class Rules(NamedTuple):
    """Constants of the user and of theta^.

    Attributes
    ----------
    warm_up : rounds in which the arms take turns.
    clip : 1 where contexts and rewards are clipped.
    gradient_sd : of rho.
    step : zeta.
    reach : z is clipped to [-reach, reach] in the gradient.
    start : 1 for random starts of theta~ and theta^.
    project : 1 where theta^ is projected.
    """

    warm_up: int
    clip: int
    gradient_sd: float
    step: float
    reach: float
    start: int
    project: int


@dataclass(frozen=True)
class Params:
    """What `run` takes."""

    rules: Rules
    server: Server


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", math.sqrt(SQUARED_SENSITIVITY), setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, T, arms, dimension, warm_up, failure, width, lazy, scheme and broadcast (released),
    open.
    """
    eps, delta, horizon, width = (setting[key] for key in ("eps", "delta", "T", "bonus"))
    D, released, certified = (
        setting["arms"] * setting["dimension"],
        calibration == "released",
        calibration == "certified",
    )
    broadcast, lazy = int(released and setting["broadcast"]), int(setting["lazy"])
    sd = sigma = noise["sd"] if certified else baseline_sd(eps, delta, 3)
    gradient_sd = SLOPE * sd
    if released:
        sd = gradient_sd = baseline_sd(eps, delta, 2)
    elif certified:
        gradient_sd = sd
    upsilon = sigma * spread(D, horizon, setting["failure"])
    base, growth = 0.0, math.sqrt(sigma) * D**0.25
    if broadcast:
        base, growth = rival_width(sigma, upsilon, D, horizon)
    if released and setting["scheme"] == 2:
        base, growth = 0.0, 0.0
    server = Server(sd, 2.0 * upsilon, 0.0, width * base, width * growth, lazy, broadcast)
    if setting["open"]:
        server, gradient_sd = Server(0.0, 0.0, OPEN_RIDGE, width * OPEN_WIDTH, 0.0, lazy, broadcast), 0.0
    rules = Rules(
        warm_up=int(setting["warm_up"]),
        clip=int(certified),
        gradient_sd=gradient_sd,
        step=1.0 / math.sqrt(horizon),
        reach=REACH if released else math.inf,
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
        random_starts(rng, state.theta)
        random_starts(rng, learner)
    for now in range(checkpoints[-1]):
        t, warm = now + 1, now < rules.warm_up
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        cut = shorten(x, 1.0) if rules.clip else False
        arm = t % arms
        if not warm:
            arm, strange = optimistic(state, x)  # L1
            negative += strange
        value, large = answer(world, problem, means[arm], rules.clip)
        count_regret(lost, means, arm, not warm)
        z = dot(x, learner[arm])
        clipped += cut or large or abs(z) > rules.reach
        gather(server, state, x, arm, z)
        slope = mean_reward(problem.link, min(max(z, -rules.reach), rules.reach)) - value
        descend(rng, rules, x, arm, slope, learner)
        refresh(rng, server, state, t)
        if t == checkpoints[row]:
            record(trace[row], lost, learner, problem.theta)
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
            shorten(learner[k], 1.0)


def run_literal(rng: Generator, problem: Problem, rules: Rules, server: Server, checkpoints: Array) -> Array:
    """The same in NumPy, with features in R^D; returns the trace."""
    arms, d = problem.theta.shape
    rival, diary, learner = Rival(server, arms, d), Diary(problem, rules.warm_up), np.zeros(arms * d)
    if rules.start:
        rival.theta, learner = starts(rng, arms, d).ravel(), starts(rng, arms, d).ravel()
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        shown = unit_ball(X) if rules.clip else X
        arm, strange = rival.choose(shown) if t > rules.warm_up else (t % arms, False)
        x, r = rival.feature(shown, arm), pay(arm)
        y = max(-1.0, min(1.0, r)) if rules.clip else r
        z = float(x @ learner)
        rival.message(x, z)
        near = max(-rules.reach, min(rules.reach, z))
        noisy = (mean_reward(problem.link, near) - y) * x + normals(rng, arms * d, rules.gradient_sd)
        learner = learner - rules.step * noisy
        if rules.project:
            learner = np.concatenate([unit_ball(each) for each in learner.reshape(arms, d)])
        bad = rival.refresh(rng, t)
        cut = shown is not X or y != r or near != z
        diary.write(means, arm, learner.reshape(arms, d), bad, strange, cut)
    return diary.trace(checkpoints)
