"""LDP-SGD: Algorithm 1 of Han, Liang, Wang and Zhang (arXiv 2106.03365) with stochastic gradient descent.

    theta_0 = 0;   in every round t
        play a_t = argmax_a x_a' theta_{t-1}
        the user sends psi_t = Psi((mu(x' theta_{t-1}) - r) x), Psi the mechanism of `l2_ball` for vectors up to R
        theta_t = theta_{t-1} - eta_t psi_t

Printed: R = `bound` = 2; eta_t = c' d / (kappa_l zeta p_* t), `step` = c', `curvature` = kappa_l p_* / d and `slope` =
zeta, the least of mu', with `offset` = 1 (`schedule` 0). A longer gradient than R has no output as printed; it is cut.

    calibration   adds
    released      by its switches: R = 1; `schedule` 1, eta_t = step / (t - 1 + offset), 5 and 1, or 1 and 50 for the
                  loans; or `schedule` 2, eta_t = step sqrt(K) d / (1000 sqrt(t - 1 + offset)); `penalty` = 0.05 for
                  links other than the linear one, eta_t penalty theta_{t-1} being subtracted too; a random unit
                  theta_0 (`released_start`)
    certified     after every step theta is projected on the unit ball, but for `gaussian`

`gaussian`: in the place of Psi noise of standard deviation 1 / eps on a gradient of any length, as in the released
scripts on diversity, which is private for no eps; certified: the least noise for gradients cut to R. Their theta* is
longer than 1, so that nothing is projected.

Privacy: Psi is eps-LDP for any context and reward, in every calibration. Cost of a round: K d.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import contextual, contextual_literal
from dpbandits.algorithms.contextual import add, errors, greedy, shortfall
from dpbandits.algorithms.contextual_literal import gaussian, literal, shorter
from dpbandits.algorithms.noisy_gradient import LARGEST, Channel, Steps, residual, safe, send, step_size
from dpbandits.contexts.laws import offer, on_sphere, reward
from dpbandits.contexts.problem import LINEAR, Problem, world
from dpbandits.jit import kernel
from dpbandits.linalg import project
from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.mechanisms import NoiseRequest

OUTPUTS = (*contextual.OUTPUTS, "clipped")
"""Those of `contextual`, and the share of messages up to the checkpoint whose gradient was longer than R."""
THEORY, INVERSE, ROOT = range(3)
ROOT_SCALE = 1000.0  # of the steps over the root of t; source: authors' code


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    random_start: int
    channel: Channel
    steps: Steps
    penalty: float
    projected: int


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The Gaussian noise of a message; Psi needs none."""
    if not setting["gaussian"]:
        return {}
    return {"sd": NoiseRequest("gaussian", 2.0 * setting["bound"], setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    eps, bound, certified = setting["eps"], setting["bound"], calibration == "certified"
    if setting["gaussian"]:
        channel = Channel(bound, 0.0, 0.0, noise["sd"] if certified else 1.0 / eps, int(not certified))
    else:
        channel = Channel(bound, keep_probability(eps), sphere_radius(eps, int(setting["dimension"]), bound), 0.0, 0)
    scale = setting["step"]
    if setting["schedule"] == THEORY:
        scale /= setting["curvature"] * setting["slope"]
    elif setting["schedule"] == ROOT:
        scale *= math.sqrt(setting["arms"]) * setting["dimension"] / ROOT_SCALE
    steps = Steps(scale, setting["offset"], int(setting["schedule"] == ROOT))
    projected = int(certified and not setting["gaussian"])
    return Params(int(setting["released_start"]), channel, steps, setting["penalty"], projected)


def run(
    rng: Generator,
    problem: Problem,
    random_start: int,
    channel: Channel,
    steps: Steps,
    penalty: float,
    projected: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return play(rng, world(problem), problem, random_start, channel, steps, penalty, projected, checkpoints)


@kernel
def play(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    random_start: int,
    channel: Channel,
    steps: Steps,
    penalty: float,
    projected: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """As `run`, for contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means = np.empty((arms, d)), np.empty(arms)
    theta, gradient, psi = np.zeros(d), np.empty(d), np.empty(d)
    if random_start:
        on_sphere(rng, 1.0, theta)
    trace = np.empty((len(checkpoints), 4))
    lost, longer, at, largest = np.zeros(2), 0, 0, safe(problem.link)
    for t in range(1, checkpoints[-1] + 1):
        offer(stream, problem, t - 1, contexts, means)
        arm = greedy(contexts, theta)
        x = contexts[arm]
        add(lost, shortfall(means, arm))
        size = residual(problem.link, x, theta, reward(stream, problem, means[arm]), largest)
        for i in range(d):
            gradient[i] = size * x[i]
        if send(rng, gradient, channel, psi):
            longer += 1
        eta = step_size(steps, t)
        for i in range(d):
            theta[i] -= eta * (psi[i] + penalty * theta[i])
        if projected:
            project(theta, 1.0)
        if t == checkpoints[at]:
            error, direction = errors(theta, problem.theta[0])
            trace[at, 0], trace[at, 1], trace[at, 2], trace[at, 3] = lost[0], error, direction, longer / t
            at += 1
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    random_start: int,
    channel: Channel,
    steps: Steps,
    penalty: float,
    projected: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    theta = contextual_literal.unit(rng, d) if random_start else np.zeros(d)

    def choose(t: int, contexts: np.ndarray) -> int:
        return int(np.argmax(contexts @ theta))

    def learn(t: int, x: np.ndarray, r: float) -> np.ndarray:
        nonlocal theta
        z = x @ theta if problem.link == LINEAR else float(np.clip(x @ theta, -LARGEST, LARGEST))
        gradient = (contextual_literal.link(problem.link, z) - r) * x
        psi = np.empty(d)
        if channel.radius:
            l2_ball(rng, gradient, channel.bound, channel.keep, channel.radius, psi)
        else:
            psi = (gradient if channel.uncut else shorter(gradient, channel.bound)) + gaussian(rng, channel.sd, d)
        eta = steps.scale / (t - 1 + steps.offset) ** (0.5 if steps.root else 1.0)
        theta = theta - eta * (psi + penalty * theta)
        theta = shorter(theta, 1.0) if projected else theta
        return theta

    return literal(problem, choose, learn, checkpoints)
