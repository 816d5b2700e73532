"""Least squares from private messages with given contexts: the error of the estimate of theta* after t users.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Figure 3. There is one arm and nothing to choose.

Pseudo-code. x the context of user t, r the reward. W_t is symmetric, with normal entries on and below its diagonal. The
entries on the diagonal have more noise if `extra_sd` is positive:

    L1  user t sends M_t = x x' + W_t and u_t = r x + xi_t
    L2  c_t = c_0 sqrt(t); V_t = M_1 + ... + M_t + c_t I; theta_t = V_t^-1 (u_1 + ... + u_t)
    L3  error sqrt((theta_t - theta*)' V_t (theta_t - theta*)), 0 where V_t makes the square negative

Calibrations, with s = 2 sqrt(2 ln(1.25 / delta)) / eps:
    printed     W_ij has standard deviation 2 s, xi has s, and c_0 = 2 s (4 sqrt(d) + 2 ln(2 T / alpha)), as all least
                squares of the paper.
    released    The authors' code: W_ij off the diagonal has standard deviation 2 s, on it 2 s sqrt(2) (Wigner, made of
                two normals of standard deviation 2 s), xi has s, and c_0 = 2 s.
    certified   One sd for all entries of W and xi, the least for which (M, u) is (eps, delta)-LDP with x clipped to
                length 1 and r to [-1, 1]; c_0 = sd.

Variant `theory_ridge`: c_0 = 2 sd(W) (4 sqrt(d) + 4 ln(2 T)) in the last two, as a comment of the authors' code has it.
We read its c_t as the factor of sqrt(t).

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Printed and released
noise gives no guarantee where rewards are not bounded, as with normal noise on them.

Cost: O(d^3) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import SWITCH, Algorithm, Look
from dpbandits.algorithms.shared.contextual import limited
from dpbandits.algorithms.shared.contextual_literal import gaussian, symmetric
from dpbandits.algorithms.shared.entries_glm import ALL, LOCAL, MESSAGE, MESSAGES, ONE, on_contexts
from dpbandits.algorithms.shared.noisy_least_squares import receive, solve_shifted
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream
from dpbandits.numerics.linalg import project
from dpbandits.privacy.local_scales import printed_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest, add_gaussian
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

Array = np.ndarray

OUTPUTS = ("regret", "elliptical", "error", "negative")
"""At the checkpoint: 0, because there is one arm; the error of L3; ||theta_t - theta*||; the fraction of rounds so far
in which the square of L3 was negative."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them.

    Attributes
    ----------
    matrix_sd : standard deviation of the noise on x x'.
    extra_sd : standard deviation of the additional noise on its diagonal.
    vector_sd : standard deviation of the noise on r x.
    ridge : c_0.
    clip : 1 if x is clipped to length 1 and r to [-1, 1].
    """

    matrix_sd: float
    extra_sd: float
    vector_sd: float
    ridge: float
    clip: int


ALGORITHM = Algorithm(
    label="Estimate of LDP-OLS, without choices",
    short="LDP-OLS estimate",
    reference="Han et al. 2021, released program for Figure 3",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=LOCAL,
    parameters={**MESSAGES, "theory_ridge": SWITCH},
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({**MESSAGE, "theory_ridge": 0.0}, {"sd": 0.5}, ONE),
    agrees="stream",
    look=Look("o", "-"),
    looks={"theory_ridge": Look("^", "--", "dark")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a user's message; rewards in [-1, 1] change it no more than rewards in [0, 1]."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    d, T = setting["dimension"], setting["T"]
    theory = 2.0 * (4.0 * math.sqrt(d) + 4.0 * math.log(2.0 * T)) if setting["theory_ridge"] else 1.0
    if calibration == "certified":
        sd = noise["sd"]
        return Params(sd, 0.0, sd, theory * sd, 1)
    s = printed_sd(setting["eps"], setting["delta"])
    if calibration == "printed":
        return Params(2.0 * s, 0.0, s, 2.0 * s * spread(d, T, setting["failure"]), 0)
    return Params(2.0 * s, 2.0 * s, s, theory * 2.0 * s, 0)


def run(
    rng: Generator,
    problem: Problem,
    matrix_sd: float,
    extra_sd: float,
    vector_sd: float,
    ridge: float,
    clip: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        There is more than one arm.
    """
    if problem.arms != 1:
        raise ValueError(f"the estimator alone is for one arm, not {problem.arms}")
    constants = (matrix_sd, extra_sd, vector_sd, ridge, clip)
    return estimate(rng, instance_stream(problem), problem, *constants, checkpoints)


@kernel
def estimate(
    rng: Generator,
    users: Generator,
    problem: Problem,
    matrix_sd: float,
    extra_sd: float,
    vector_sd: float,
    ridge: float,
    clip: int,
    checkpoints: Array,
) -> Array:
    """Play the rounds of `run`."""
    theta_star = problem.theta[0]
    d = len(theta_star)
    contexts, means, x = np.empty((1, d)), np.empty(1), np.empty(d)
    gram, target, work, theta = np.zeros((d, d)), np.zeros(d), np.empty((d, d + 1)), np.empty(d)
    trace = np.zeros((len(checkpoints), 4))
    negative, row = 0, 0
    for t in range(1, checkpoints[-1] + 1):
        offer(users, problem, t - 1, contexts, means)
        value = reward(users, problem, t - 1, means[0])
        x[:] = contexts[0]
        if clip:
            project(x, 1.0)
            value = limited(value, 1.0)
        message(rng, x, value, matrix_sd, extra_sd, vector_sd, gram, target)  # L1
        shift = ridge * math.sqrt(t)
        solve_shifted(gram, shift, target, work, theta)  # L2
        square, error = 0.0, 0.0
        for i in range(d):
            miss = theta[i] - theta_star[i]
            error += miss * miss
            square += (gram[i, i] + shift) * miss * miss  # L3
            for j in range(i):
                square += 2.0 * gram[i, j] * miss * (theta[j] - theta_star[j])
        negative += square < 0.0
        if t == checkpoints[row]:
            trace[row, 1] = math.sqrt(max(square, 0.0))  # L3
            trace[row, 2] = math.sqrt(error)
            trace[row, 3] = negative / t
            row += 1
    return trace


@round_step
def message(
    rng: Generator,
    x: Array,
    value: float,
    matrix_sd: float,
    extra_sd: float,
    vector_sd: float,
    gram: Array,
    target: Array,
) -> None:
    """Add one message to the sums `gram` (d, d) and `target` (d,); draws like `receive`, then more for the diagonal."""
    receive(rng, x, value, matrix_sd, vector_sd, gram, target)
    if extra_sd > 0.0:
        for i in range(len(x)):
            gram[i, i] = add_gaussian(rng, gram[i, i], extra_sd, 1.0)


def run_literal(
    rng: Generator,
    problem: Problem,
    matrix_sd: float,
    extra_sd: float,
    vector_sd: float,
    ridge: float,
    clip: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, line by line."""
    users, theta_star = instance_stream(problem), problem.theta[0]
    d = len(theta_star)
    M, u, squares, found = np.zeros((d, d)), np.zeros(d), [], []
    for t in range(1, int(checkpoints[-1]) + 1):
        contexts, means = np.empty((1, d)), np.empty(1)
        offer(users, problem, t - 1, contexts, means)
        r, x = reward(users, problem, t - 1, means[0]), contexts[0]
        if clip:
            r, x = float(np.clip(r, -1.0, 1.0)), x / max(1.0, float(np.linalg.norm(x)))
        M = M + np.outer(x, x) + symmetric(rng, matrix_sd, d)
        u = u + r * x + gaussian(rng, vector_sd, d)
        M = M + np.diag(gaussian(rng, extra_sd, d))
        V = M + ridge * math.sqrt(t) * np.eye(d)
        miss = np.linalg.solve(V, u) - theta_star
        squares.append(miss @ V @ miss)
        if t in checkpoints:
            elliptical = math.sqrt(max(squares[-1], 0.0))
            found.append([0.0, elliptical, np.linalg.norm(miss), np.mean(np.array(squares) < 0.0)])
    return np.array(found)
