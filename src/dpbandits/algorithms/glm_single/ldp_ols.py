"""LDP-OLS: greedy choices, with least squares from private messages.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 1 with the least-squares messages.

Pseudo-code. x the context of the arm played, r its reward; W_t symmetric, all entries of W_t and xi_t independent
normals:

    L1  theta_0 = 0, no messages
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta_{t-1}
    L4      the user sends M_t = x x' + W_t and u_t = r x + xi_t
    L5      theta_t = (sum M + c sqrt(t) I)^-1 sum u

Calibrations:
    printed     W has standard deviation 2 s and xi has s, s = 2 sqrt(2 ln(1.25 / delta)) / eps; c sqrt(t) is
                `regularization` = 2 times Upsilon_t at sigma = s (`local_scales`).
    released    By its switches: sigma of LDP-UCB on W and xi, and in Upsilon_t (`released_noise`); theta_0 is a random
                unit vector (`released_start`); `regularization` = 0 in most experiments, where the sum is indefinite
                in early rounds.
    certified   The least sigma, on W, on xi and in Upsilon_t, for which a message is proven (eps, delta)-LDP. Contexts
                longer than 1 are shortened and rewards are cut to [-1, 1].

Variant `nonprivate`: no noise and no shift, ridge 1, no privacy.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. A user sends nothing
but the message. For ||x|| <= 1 and |r| <= 1 two messages differ by at most `JOINT_SENSITIVITY`, as (x, -r) and (-x, r)
give the same message. Printed and released noise does not cover longer contexts.

Choices that the paper leaves open:
    indefinite  If the matrix of L5 is not positive definite, the algorithm still uses the solution of the equation.
                `indefinite` counts such rounds, by the signs of the leading minors (d = 2) or a failed Cholesky
                factorization.

Cost: O(K d + d^3) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NOT_NEGATIVE, SWITCH, Algorithm, Look
from dpbandits.algorithms.shared import contextual, contextual_literal
from dpbandits.algorithms.shared.contextual import add, errors, greedy, limited, shortfall
from dpbandits.algorithms.shared.contextual_literal import gaussian, literal, shorter, symmetric
from dpbandits.algorithms.shared.entries_glm import ALL, AS_PRINTED, LOCAL, MESSAGES, START, on_contexts
from dpbandits.algorithms.shared.noisy_least_squares import estimate, receive
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, on_sphere, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream
from dpbandits.numerics.linalg import project
from dpbandits.privacy.local_scales import baseline_sd, printed_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

OUTPUTS = (*contextual.OUTPUTS, "indefinite")
"""Outputs of `contextual`, and the number of rounds so far after which the matrix was not positive definite."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    random_start: int
    matrix_sd: float
    vector_sd: float
    ridge: float
    growth: float  # c
    cut: int  # 1 if contexts and rewards are clipped


ALGORITHM = Algorithm(
    label="LDP-OLS: greedy, least squares",
    short="LDP-OLS",
    reference="Han et al. 2021, Algorithm 1",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=LOCAL,
    parameters={**MESSAGES, **START, "released_noise": SWITCH, "regularization": NOT_NEGATIVE, "nonprivate": SWITCH},
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({**AS_PRINTED, "regularization": 2.0, "nonprivate": 0.0}, {"sd": 0.5}),
    agrees="stream",
    look=Look("s", "-", "dark"),
    without_privacy=("nonprivate",),
    looks={"nonprivate": Look("", "--")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a message."""
    if setting["nonprivate"]:
        return {}
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    start, certified = int(setting["released_start"]), calibration == "certified"
    if setting["nonprivate"]:
        return Params(start, 0.0, 0.0, 1.0, 0.0, 0)
    sigma = printed_sd(setting["eps"], setting["delta"])
    matrix_sd = 2.0 * sigma
    if certified:
        matrix_sd = sigma = noise["sd"]
    elif setting["released_noise"]:
        matrix_sd = sigma = baseline_sd(setting["eps"], setting["delta"], 2)
    growth = setting["regularization"] * sigma * spread(setting["dimension"], setting["T"], setting["failure"])
    return Params(start, matrix_sd, sigma, 0.0, growth, int(certified))


def run(
    rng: Generator,
    problem: Problem,
    random_start: int,
    matrix_sd: float,
    vector_sd: float,
    ridge: float,
    growth: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    stream = instance_stream(problem)
    return play(rng, stream, problem, random_start, matrix_sd, vector_sd, ridge, growth, cut, checkpoints)


@kernel
def play(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    random_start: int,
    matrix_sd: float,
    vector_sd: float,
    ridge: float,
    growth: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, with contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means = np.empty((arms, d)), np.empty(arms)
    gram, target, work, theta = np.zeros((d, d)), np.zeros(d), np.empty((d, d + 1)), np.zeros(d)  # L1
    if random_start:
        on_sphere(rng, 1.0, theta)
    trace = np.empty((len(checkpoints), 4))
    regret_sum, indefinite, at = np.zeros(2), 0, 0
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        arm = greedy(contexts, theta)  # L3
        r, x = reward(stream, problem, t - 1, means[arm]), contexts[arm]
        add(regret_sum, shortfall(means, arm))
        if cut:
            project(x, 1.0)
            r = limited(r, 1.0)
        receive(rng, x, r, matrix_sd, vector_sd, gram, target)  # L4
        if not estimate(gram, ridge + growth * math.sqrt(t), target, work, theta):  # L5
            indefinite += 1
        if t == checkpoints[at]:
            error, direction = errors(theta, problem.theta[0])
            trace[at, 0], trace[at, 1], trace[at, 2], trace[at, 3] = regret_sum[0], error, direction, indefinite
            at += 1
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    random_start: int,
    matrix_sd: float,
    vector_sd: float,
    ridge: float,
    growth: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    theta = contextual_literal.unit(rng, d) if random_start else np.zeros(d)
    M, u = np.zeros((d, d)), np.zeros(d)

    def choose(t: int, contexts: np.ndarray) -> int:
        return int(np.argmax(contexts @ theta))

    def learn(t: int, x: np.ndarray, r: float) -> np.ndarray:
        nonlocal M, u, theta
        if cut:
            x, r = shorter(x, 1.0), float(np.clip(r, -1.0, 1.0))
        M = M + np.outer(x, x) + symmetric(rng, matrix_sd, d)
        u = u + r * x + gaussian(rng, vector_sd, d)
        theta = np.linalg.solve(M + (ridge + growth * math.sqrt(t)) * np.eye(d), u)
        return theta

    return literal(problem, choose, learn, checkpoints)
