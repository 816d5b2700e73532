"""LDP-GLOC with a parameter for every arm: optimism on least squares fed by an online learner.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 3, after Zheng et al. (2020).

Pseudo-code. K arms, D = K d, x_a in R^D the context in the block of arm a and 0 elsewhere, x that of the arm played, r
its reward; linear rewards, mu(z) = z; theta~ decides, theta^ learns online:

    L1  V = 0, u = 0, theta~ = theta^ = 0, all in D dimensions; random of norm `start` if `start` > 0
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta~ + beta_s |x_a|_s
    L4      the user sends x x' + W and z x + xi, z = x' theta^, W symmetric, standard deviation sigma
    L5      the user sends (mu(z) - r) x + rho, standard deviation C sigma
    L6      V and u += the two messages of L4
    L7      theta^ = Proj(theta^ - zeta times the message of L5), zeta = 1 / sqrt(T)
    L8      at a refresh: theta~ = (V + c_t I)^-1 u, s = t

`optimism_by_arm` has L3 and the refreshes: after every round t < 2 `lazy`, then every floor(t / `lazy`) rounds; after
every round if `lazy` is null. In L3, s is the round of the last refresh, and |x|_s^2 = x' (V_s + c_s I)^-1 x, with c_1
for s = 0.

    Upsilon_t = sigma sqrt(t) (4 sqrt(D) + 2 ln(2 T / failure)), c_t = 2 Upsilon_t, beta_t^2 = sigma sqrt(D t)

The parameter `bonus` multiplies beta_t. The algorithm has no warm-up. The errors in the trace are those of theta^.

Calibrations:
    printed     sigma = 6 sqrt(2 ln(3.75 / delta)) / eps, C = 2.
    released    sigma = 6 sqrt(2 ln(2.5 / delta)) / eps, C = 2; `start` = 1, no projection; with `scheme:
                appendix`, zeta = d K / (1000 sqrt(T)). The program has `broadcast: true`, with other rounds: see
                `ldp_gloc_multi_released`. `broadcast: false` is a repair, not the program: the rounds above.
    certified   The least sigma for which the message is (eps, delta)-DP, one sigma for its three parts. Contexts and
                rewards are clipped to 1.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Certified: two
messages differ by at most GLOC_BY_ARM (`sensitivities`), where the estimate of every arm lies in a ball of norm 1.
This holds for all users and all such estimates (`docs/proofs/gloc.md`).

Choices that the paper leaves open:
    Proj        On the unit ball of every arm, since all parameters together are longer than 1.
    zeta        The paper does not give its constant. Ours is 1.

Cost: D normals and O(K d^2) per round, and O(D^3) per refresh.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, SWITCH, Algorithm, Look
from dpbandits.algorithms.glm_multi import ldp_gloc_multi_released as program
from dpbandits.algorithms.glm_multi.by_arm import COMMON, answer, count_regret, opened, record, shorten
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds, shown
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server, gather, open_state, optimistic, refresh
from dpbandits.algorithms.glm_multi.optimism_by_arm_literal import LiteralServer
from dpbandits.algorithms.shared.contextual_literal import gaussian, shorter, unit
from dpbandits.algorithms.shared.entries_glm import (
    ALL,
    LAZY,
    MESSAGE,
    MESSAGES,
    SCHEME,
    SHARED_SPHERE,
    TUPLE,
    on_contexts,
)
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import SHARED
from dpbandits.environments.contextual.distributions import mean_reward, offer, on_sphere
from dpbandits.environments.contextual.problem import Problem
from dpbandits.numerics.linalg import dot, project
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest, add_gaussian
from dpbandits.privacy.sensitivities import GLOC_BY_ARM

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "negative", "clipped")
"""Outputs of `by_arm`; refreshes whose matrix was not positive definite; rounds that played an arm for its negative
square; rounds in which the context or the reward was clipped."""
INDEFINITE, NEGATIVE, CLIPPED = range(len(COMMON), len(OUTPUTS))
SLOPE = 2.0  # C, the bound on |mu(z) - r|


class Rules(NamedTuple):
    """Constants of the user and of theta^.

    Attributes
    ----------
    clip : bound on contexts and rewards; infinite for no clipping.
    gradient_sd : standard deviation of rho.
    step : zeta.
    start : norm of the random initial theta~ and theta^; 0 to start at 0.
    norm : radius of the ball on which theta^ is projected; infinite for no projection.
    """

    clip: float
    gradient_sd: float
    step: float
    start: float
    norm: float


@dataclass(frozen=True)
class Params:
    """Arguments of `run`: the constants of the rounds above, or of the released rounds."""

    rules: Rules | program.Released
    server: Server


ALGORITHM = Algorithm(
    label="LDP-GLOC with a parameter for every arm",
    short="LDP-GLOC",
    reference="Han et al. 2021, Algorithm 3",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=TUPLE,
    parameters={**MESSAGES, "bonus": POSITIVE, "lazy": LAZY, "scheme": SCHEME, "broadcast": SWITCH},
    arms=SHARED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts(
        {**MESSAGE, "bonus": 0.1, "lazy": 50.0, "scheme": 1.0, "broadcast": 0.0}, {"sd": 0.5}, SHARED_SPHERE
    ),
    agrees="stream",
    look=Look("D", "--", "dark"),
    looks={"outer_products": Look("v", "-.", "light")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", GLOC_BY_ARM, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point.

    Reads from the setting: eps, delta, T, arms, dimension, failure, bonus, lazy, scheme and broadcast (released).
    """
    eps, delta, d, horizon, failure = (setting[key] for key in ("eps", "delta", "dimension", "T", "failure"))
    released, certified, D = calibration == "released", calibration == "certified", setting["arms"] * d
    if released and setting["broadcast"]:
        return Params(*program.params_of(setting))
    sigma = noise["sd"] if certified else baseline_sd(eps, delta, 2 if released else 3)
    growth = setting["bonus"] * (math.sqrt(sigma) * D**0.25)
    server = Server(sigma, 2.0 * (sigma * spread(D, horizon, failure)), 0.0, growth, int(setting["lazy"]))
    rules = Rules(
        clip=1.0 if certified else math.inf,
        gradient_sd=sigma if certified else SLOPE * sigma,
        step=program.step_size(setting) if released else 1.0 / math.sqrt(horizon),
        start=float(released),
        norm=math.inf if released else 1.0,
    )
    return Params(rules, server)


def run(rng: Generator, problem: Problem, rules: Rules | program.Released, server: Server, checkpoints: Array) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    play = program.simulate if isinstance(rules, program.Released) else simulate
    return play(rng, opened(problem), problem, rules, server, checkpoints)


@kernel
def simulate(
    rng: Generator, stream: Generator, problem: Problem, rules: Rules, server: Server, checkpoints: Array
) -> Array:
    """Same as `run`, given the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means, state = np.empty((1, d)), np.empty(arms), open_state(server, arms, d)  # L1
    learner, regret_sum, trace = np.zeros((arms, d)), np.zeros((2, 2)), np.empty((len(checkpoints), 7))  # L1
    negative, clipped, row = 0, 0, 0
    if rules.start > 0.0:
        on_sphere(rng, rules.start, state.theta.ravel())  # L1
        on_sphere(rng, rules.start, learner.ravel())  # L1
    for now in range(checkpoints[-1]):  # L2
        t = now + 1
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, rules.clip)
        arm, strange = optimistic(state, x)  # L3
        negative += strange
        value, large = answer(stream, problem, now, means[arm], rules.clip)
        count_regret(regret_sum, means, arm, True)
        z = dot(x, learner[arm])  # L4
        clipped += long or large
        gather(state, x, arm, z)  # L4, L6
        descend(rng, rules, x, arm, mean_reward(problem.link, z) - value, learner)  # L5, L7
        refresh(rng, server, state, t)  # L4, L6, L8
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t, learner, problem.theta)
            trace[row, INDEFINITE] = state.clock[2]
            trace[row, NEGATIVE] = negative
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


@round_step
def descend(rng: Generator, rules: Rules, x: Array, arm: int, slope: float, learner: Array) -> None:
    """Update theta^ by the message of L5, whose noise is drawn arm by arm."""
    for k in range(len(learner)):
        for i in range(len(x)):
            gradient = slope * x[i] if k == arm else 0.0
            if rules.gradient_sd > 0.0:
                gradient = add_gaussian(rng, gradient, rules.gradient_sd, 1.0)  # L5
            learner[k, i] -= rules.step * gradient  # L7
        if rules.norm < np.inf:
            project(learner[k], rules.norm)  # L7


def run_literal(
    rng: Generator, problem: Problem, rules: Rules | program.Released, server: Server, checkpoints: Array
) -> Array:
    """Same as `run`, in NumPy, with features in R^D; returns the trace."""
    if isinstance(rules, program.Released):
        return program.run_literal(rng, problem, rules, server, checkpoints)
    arms, d = problem.theta.shape
    ucb, recorder, learner = LiteralServer(server, arms, d), Recorder(problem), np.zeros(arms * d)
    if rules.start:
        ucb.theta, learner = rules.start * unit(rng, arms * d), rules.start * unit(rng, arms * d)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        near, long = shown(X, rules.clip)
        arm, strange = ucb.choose(near)
        x, r = ucb.feature(near, arm), pay(arm)
        y = max(-rules.clip, min(rules.clip, r))
        z = float(x @ learner)
        ucb.message(x, z)
        noisy = (mean_reward(problem.link, z) - y) * x + gaussian(rng, rules.gradient_sd, arms * d)
        learner = learner - rules.step * noisy
        learner = np.concatenate([shorter(each, rules.norm) for each in learner.reshape(arms, d)])
        bad = ucb.refresh(rng, t)
        recorder.write(means, arm, learner.reshape(arms, d), bad, strange, long or y != r)
    return recorder.trace(checkpoints)
