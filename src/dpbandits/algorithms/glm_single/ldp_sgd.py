"""LDP-SGD: greedy choices, with stochastic gradient descent on private gradients.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 1 with the gradient messages.

Pseudo-code. mu the link, x the context of the arm played, r its reward, Psi the mechanism of `l2_ball` for vectors of
length up to R:

    L1  theta_0 = 0; a random unit vector with `released_start`
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta_{t-1}
    L4      the user sends psi_t = Psi((mu(x' theta_{t-1}) - r) x)
    L5      theta_t = theta_{t-1} - eta_t psi_t

Variant `gaussian`, as in the released scripts on diversity, has instead of L4:

    L6      the user sends psi_t = (mu(x' theta_{t-1}) - r) x + N(0, sd^2 I)

Calibrations:
    printed     R = `bound` = 2; eta_t = c' d / (kappa_l zeta p_* t) with `step` = c', `curvature` = kappa_l p_* / d and
                `slope` = zeta, the least of mu', with `offset` = 1 (`schedule: theorem`).
    released    R = 1. `schedule: inverse`: eta_t = step / (t - 1 + offset), with step 5 and offset 1, or 1 and 50 for
                the loans. `schedule: inverse_root`: eta_t = step sqrt(K) d / (1000 sqrt(t - 1 + offset)). `penalty` =
                0.05 for links other than the linear one: L5 also subtracts eta_t penalty theta_{t-1}. `released_start`.
    certified   After every step theta is projected on the unit ball.
    `gaussian`  sd = 1 / eps for a gradient of any length, which is not private for any eps. Certified: the least sd for
                gradients that are cut to R first. The theta* of the scripts is longer than 1, so nothing is projected.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Psi is eps-LDP for any
context and reward, at every calibration.

Choices that the paper leaves open:
    long gradient  Psi has no output as printed for a gradient longer than R. Here the gradient is cut to R.

Cost: O(K d) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NOT_NEGATIVE, POSITIVE, PROBABILITY, SWITCH, Algorithm, Guarantee, Look
from dpbandits.algorithms.glm_single.noisy_gradient import LARGEST, Steps, descend, fill_gradient, safe, step_size
from dpbandits.algorithms.shared import contextual, contextual_literal
from dpbandits.algorithms.shared.contextual import add, errors, greedy, shortfall
from dpbandits.algorithms.shared.contextual_literal import gaussian, literal, shorter
from dpbandits.algorithms.shared.entries_glm import ALL, GRADIENT, SCHEDULE, START, on_contexts
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, on_sphere, reward
from dpbandits.environments.contextual.problem import LINEAR, Problem, instance_stream
from dpbandits.numerics.linalg import project
from dpbandits.privacy.l2_ball import L2_BALL_NOISE, Ball, keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest, add_gaussian

Array = np.ndarray

OUTPUTS = (*contextual.OUTPUTS, "clipped")
"""Outputs of `contextual`, and the fraction of messages so far whose gradient was longer than R."""
THEORY, INVERSE, ROOT = range(3)
ROOT_SCALE = 1000.0  # divisor of the steps of `schedule: inverse_root`; source: authors' code


class Rules(NamedTuple):
    """Constants of L1 and L5.

    Attributes
    ----------
    random_start : 1 if theta_0 is random.
    penalty : see `released`.
    norm : radius of the ball on which theta is projected; infinite for no projection.
    """

    random_start: int
    penalty: float
    norm: float


class Normal(NamedTuple):
    """Constants of L6.

    Attributes
    ----------
    bound : R; longer gradients are counted.
    cut : length to which gradients are clipped; infinite for no clipping.
    sd : standard deviation of the noise on every coordinate.
    """

    bound: float
    cut: float
    sd: float


@dataclass(frozen=True)
class Params:
    """Arguments of `run`."""

    rules: Rules
    channel: Ball | Normal
    steps: Steps


ALGORITHM = Algorithm(
    label="LDP-SGD: greedy, gradient steps",
    short="LDP-SGD",
    reference="Han et al. 2021, Algorithm 1",
    trust_model="local",
    noise=(L2_BALL_NOISE, GAUSSIAN_NOISE),
    guarantee=Guarantee(
        "a message is eps-LDP; (eps, delta)-LDP if Gaussian", "one user's context and reward are replaced"
    ),
    parameters={
        **START,
        "delta": PROBABILITY,
        "bound": POSITIVE,
        "schedule": SCHEDULE,
        "step": POSITIVE,
        "offset": POSITIVE,
        "curvature": POSITIVE,
        "slope": POSITIVE,
        "penalty": NOT_NEGATIVE,
        "gaussian": SWITCH,
    },
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=(*on_contexts(GRADIENT), *on_contexts({**GRADIENT, "gaussian": 1.0}, {"sd": 0.5})[1:]),
    agrees="stream",
    look=Look("o", "-"),
    looks={"tuned_step": Look("P", "--"), "greedy": Look("s", "--", "dark")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the Gaussian noise on a message; Psi needs none."""
    if not setting["gaussian"]:
        return {}
    return {"sd": NoiseRequest("gaussian", 2.0 * setting["bound"], setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    eps, bound, certified = setting["eps"], setting["bound"], calibration == "certified"
    channel: Ball | Normal
    if setting["gaussian"]:
        channel = Normal(bound, bound, noise["sd"]) if certified else Normal(bound, math.inf, 1.0 / eps)
    else:
        channel = Ball(bound, keep_probability(eps), sphere_radius(eps, int(setting["dimension"]), bound))
    scale = setting["step"]
    if setting["schedule"] == THEORY:
        scale /= setting["curvature"] * setting["slope"]
    elif setting["schedule"] == ROOT:
        scale *= math.sqrt(setting["arms"]) * setting["dimension"] / ROOT_SCALE
    steps = Steps(scale, setting["offset"], int(setting["schedule"] == ROOT))
    norm = 1.0 if certified and not setting["gaussian"] else math.inf
    return Params(Rules(int(setting["released_start"]), setting["penalty"], norm), channel, steps)


def run(
    rng: Generator, problem: Problem, rules: Rules, channel: Ball | Normal, steps: Steps, checkpoints: Array
) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    rounds = play_normal if isinstance(channel, Normal) else play
    return rounds(rng, instance_stream(problem), problem, rules, channel, steps, checkpoints)


@kernel
def play(
    rng: Generator, stream: Generator, problem: Problem, rules: Rules, ball: Ball, steps: Steps, checkpoints: Array
) -> Array:
    """Same as `run` with Psi, with contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, theta = np.empty((arms, d)), np.empty(arms), np.zeros(d)  # L1
    gradient, psi, trace = np.empty(d), np.empty(d), np.empty((len(checkpoints), 4))
    regret_sum, longer, at, largest = np.zeros(2), 0, 0, safe(problem.link)
    if rules.random_start:
        on_sphere(rng, 1.0, theta)  # L1
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        arm = greedy(contexts, theta)  # L3
        r = reward(stream, problem, t - 1, means[arm])
        add(regret_sum, shortfall(means, arm))
        longer += fill_gradient(problem.link, contexts[arm], theta, r, largest, ball.bound, gradient)
        l2_ball(rng, gradient, ball.bound, ball.keep, ball.radius, psi)  # L4
        descend(theta, psi, step_size(steps, t), rules.penalty, rules.norm)  # L5
        if t == checkpoints[at]:
            record(trace[at], regret_sum, theta, problem.theta[0], longer / t)
            at += 1
    return trace


@kernel
def play_normal(
    rng: Generator, stream: Generator, problem: Problem, rules: Rules, noise: Normal, steps: Steps, checkpoints: Array
) -> Array:
    """Same as `play`, with L6 instead of L4."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, theta = np.empty((arms, d)), np.empty(arms), np.zeros(d)  # L1
    psi, trace = np.empty(d), np.empty((len(checkpoints), 4))
    regret_sum, longer, at, largest = np.zeros(2), 0, 0, safe(problem.link)
    if rules.random_start:
        on_sphere(rng, 1.0, theta)  # L1
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        arm = greedy(contexts, theta)  # L3
        r = reward(stream, problem, t - 1, means[arm])
        add(regret_sum, shortfall(means, arm))
        longer += fill_gradient(problem.link, contexts[arm], theta, r, largest, noise.bound, psi)
        if noise.cut < np.inf:
            project(psi, noise.cut)
        for i in range(d):
            psi[i] = add_gaussian(rng, psi[i], noise.sd, 1.0)  # L6
        descend(theta, psi, step_size(steps, t), rules.penalty, rules.norm)  # L5
        if t == checkpoints[at]:
            record(trace[at], regret_sum, theta, problem.theta[0], longer / t)
            at += 1
    return trace


@kernel
def record(row: Array, regret_sum: Array, theta: Array, true: Array, longer: float) -> None:
    """Write `OUTPUTS` to a row of a trace."""
    row[0], row[3] = regret_sum[0], longer
    row[1], row[2] = errors(theta, true)


def run_literal(
    rng: Generator, problem: Problem, rules: Rules, channel: Ball | Normal, steps: Steps, checkpoints: Array
) -> Array:
    """Same as `run`, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    theta = contextual_literal.unit(rng, d) if rules.random_start else np.zeros(d)

    def choose(t: int, contexts: Array) -> int:
        return int(np.argmax(contexts @ theta))

    def learn(t: int, x: Array, r: float) -> Array:
        nonlocal theta
        z = x @ theta if problem.link == LINEAR else float(np.clip(x @ theta, -LARGEST, LARGEST))
        gradient = (contextual_literal.link(problem.link, z) - r) * x
        if isinstance(channel, Normal):
            psi = shorter(gradient, channel.cut) + gaussian(rng, channel.sd, d)
        else:
            psi = np.empty(d)
            l2_ball(rng, gradient, channel.bound, channel.keep, channel.radius, psi)
        eta = steps.scale / (t - 1 + steps.offset) ** (0.5 if steps.root else 1.0)
        theta = shorter(theta - eta * (psi + rules.penalty * theta), rules.norm)
        return theta

    return literal(problem, choose, learn, checkpoints)
