"""LDP-UCB: optimism on least squares from private messages, for linear rewards.

Zheng et al. (arXiv 2006.00701), as Han, Liang, Wang and Zhang (arXiv 2106.03365) run it.

Pseudo-code. x the context of the arm played, r its reward; W_t symmetric, all entries of W_t and xi_t independent N(0,
sigma^2):

    L1  V = 0, u = 0, theta = 0
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta + beta_{t-1} sqrt(x_a' (V + c_{t-1} I)^-1 x_a)
    L4      the user sends x x' + W_t and r x + xi_t
    L5      V and u += the message
    L6      theta = (V + c_t I)^-1 u

Here sigma = 6 sqrt(2 ln(2.5 / delta)) / eps, c_t = 2 Upsilon_t / `regularization_divisor`
(`local_scales` has Upsilon_t), and

    beta_t = `bonus` (2 sigma sqrt(d ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(d t / Upsilon_t)) d ln T).

In both, t = 1 replaces t = 0. `regularization_divisor` and `bonus` are 1 as printed.

Calibrations:
    printed     As above.
    released    V = I at the start; `regularization_divisor` = 10 for the larger problem. The program has c_{t-1} in L6.
    certified   The least sigma, wherever it appears, for which a message is proven (eps, delta)-LDP. Contexts longer
                than 1 are shortened and rewards are cut to [-1, 1].

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. For ||x|| <= 1 and |r|
<= 1 two messages differ by at most `JOINT_SENSITIVITY`. Only `certified` enforces these bounds.

Choices that the paper leaves open:
    indefinite  If V + c_t I is not positive definite, the bonus of an arm may be NaN. The first such arm is played.

Cost: O(K d^2 + d^3) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Look
from dpbandits.algorithms.shared import contextual, contextual_literal
from dpbandits.algorithms.shared.contextual import add, errors, first_best, limited, shortfall
from dpbandits.algorithms.shared.contextual_literal import gaussian, literal, root, shorter, symmetric
from dpbandits.algorithms.shared.entries_glm import ALL, LOCAL, MESSAGE, MESSAGES, on_contexts
from dpbandits.algorithms.shared.ldp_ucb_bonus import ldp_ucb_bonus
from dpbandits.algorithms.shared.noisy_least_squares import ellipsoid, receive, widths
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream
from dpbandits.numerics.linalg import dot, project
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

OUTPUTS = (*contextual.OUTPUTS, "bonus_mean", "indefinite")
"""Outputs of `contextual`; up to the checkpoint, the mean bonus of the arm played, if it is a number, and the number of
rounds after which V + c_t I was not positive definite."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    sigma: float
    ridge: float  # V = ridge I at the start
    growth: float  # c_1
    base: float  # beta_t = base + rise t^(1/4)
    rise: float
    cut: int  # 1 if contexts and rewards are clipped


ALGORITHM = Algorithm(
    label="LDP-UCB",
    short="LDP-UCB",
    reference="Zheng et al. 2020; Han et al. 2021, baseline",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=LOCAL,
    parameters={**MESSAGES, "regularization_divisor": POSITIVE, "bonus": POSITIVE},
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({**MESSAGE, "regularization_divisor": 1.0, "bonus": 0.1}, {"sd": 0.5}),
    agrees="stream",
    look=Look("^", "-", "light"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    certified = calibration == "certified"
    sigma = noise["sd"] if certified else baseline_sd(setting["eps"], setting["delta"], 2)
    upsilon = sigma * spread(setting["dimension"], setting["T"], setting["failure"])
    growth = 2.0 * upsilon / setting["regularization_divisor"]
    base, rise = (setting["bonus"] * each for each in ldp_ucb_bonus(sigma, upsilon, setting["dimension"], setting["T"]))
    return Params(sigma, float(calibration == "released"), growth, base, rise, int(certified))


def run(
    rng: Generator,
    problem: Problem,
    sigma: float,
    ridge: float,
    growth: float,
    base: float,
    rise: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    return play(rng, instance_stream(problem), problem, sigma, ridge, growth, base, rise, cut, checkpoints)


@kernel
def play(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    sigma: float,
    ridge: float,
    growth: float,
    base: float,
    rise: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, with contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, indices, bonuses = np.empty((arms, d)), np.empty(arms), np.empty(arms), np.empty(arms)
    gram, target, work, theta = ridge * np.eye(d), np.zeros(d), np.empty((d, d)), np.zeros(d)  # L1
    room = np.empty((2, d, arms))
    trace = np.empty((len(checkpoints), 5))
    regret_sum, given, numbers, indefinite, at = np.zeros(2), 0.0, 0, 0, 0
    definite = ellipsoid(gram, growth, target, work, theta)
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        beta = base + rise * math.sqrt(math.sqrt(max(t - 1, 1)))
        widths(contexts, work, definite, room, bonuses)
        for k in range(arms):
            bonuses[k] *= beta
            indices[k] = dot(contexts[k], theta) + bonuses[k]  # L3
        arm = first_best(indices)  # L3
        r, x = reward(stream, problem, t - 1, means[arm]), contexts[arm]
        add(regret_sum, shortfall(means, arm))
        if not math.isnan(bonuses[arm]):
            given += bonuses[arm]
            numbers += 1
        if cut:
            project(x, 1.0)
            r = limited(r, 1.0)
        receive(rng, x, r, sigma, sigma, gram, target)  # L4, L5
        definite = ellipsoid(gram, growth * math.sqrt(t), target, work, theta)  # L6
        if not definite:
            indefinite += 1
        if t == checkpoints[at]:
            error, direction = errors(theta, problem.theta[0])
            trace[at, 0], trace[at, 1], trace[at, 2] = regret_sum[0], error, direction
            trace[at, 3], trace[at, 4] = given / max(numbers, 1), indefinite
            at += 1
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    sigma: float,
    ridge: float,
    growth: float,
    base: float,
    rise: float,
    cut: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    V, u, theta = ridge * np.eye(d), np.zeros(d), np.zeros(d)

    def choose(t: int, contexts: np.ndarray) -> int:
        n = max(t - 1, 1)
        squares = np.einsum("ai,ij,aj->a", contexts, np.linalg.inv(V + growth * n**0.5 * np.eye(d)), contexts)
        return contextual_literal.first_best(contexts @ theta + (base + rise * n**0.25) * root(squares))

    def learn(t: int, x: np.ndarray, r: float) -> np.ndarray:
        nonlocal V, u, theta
        if cut:
            x, r = shorter(x, 1.0), float(np.clip(r, -1.0, 1.0))
        V = V + np.outer(x, x) + symmetric(rng, sigma, d)
        u = u + r * x + gaussian(rng, sigma, d)
        theta = np.linalg.solve(V + growth * t**0.5 * np.eye(d), u)
        return theta

    return literal(problem, choose, learn, checkpoints)
