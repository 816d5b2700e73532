"""Epoch greedy with gradient steps: uniform exploration in scheduled rounds, greedy choices in all others.

Han, Liang, Wang and Zhang (arXiv 2106.03365), longer version, Figures 2, 4 and 5. Sparse steps are its Algorithm 1,
frequent steps its Algorithm 5. We did not have the longer version: rules and constants are those of the authors' code.

Pseudo-code. x_{t,a} the context of arm a, x_t that of the arm played, r_t its reward, sd the noise:

    L1  theta = 0, k = 0; T_S = {t_1, t_2, ...} with t_1 = 1, t_{i+1} = t_i + ceil(sqrt(i))
    L2  for t = 1, 2, ...:
    L3      play a_t, uniform on the arms if t in T_S, else argmax_a x_{t,a}' theta, the first of equal ones
    L4      if t in T_S, or in every round if `frequent`: the user sends g = (x_t' theta - r_t) x_t + N(0, sd^2 I)
    L5          k += 1; theta = theta - g / k

Up to round T there are about (1.5 T)^(2/3) rounds in T_S.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Printed and released
noise has sd = 1 / eps on a gradient that is not clipped, so it gives no guarantee. `certified` clips the gradient to
length `bound` and takes the least sd for which it is (eps, delta)-LDP. In all other rounds users send nothing.

Cost: O(K d) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, PROBABILITY, SWITCH, Algorithm, Look
from dpbandits.algorithms.shared.contextual import add, errors, greedy, shortfall
from dpbandits.algorithms.shared.entries_glm import ALL, CORNER, LOCAL, on_contexts
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import LINEAR, Problem, instance_stream
from dpbandits.numerics.linalg import dot
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest, add_gaussian

OUTPUTS = ("regret", "error", "updates")
"""Up to the checkpoint: pseudo-regret, ||theta - theta*||, number of updates of theta."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them.

    Attributes
    ----------
    sd : standard deviation of the noise on every entry of a gradient.
    bound : length to which a gradient is clipped; infinite for no clipping.
    frequent : 1 for a step in every round, 0 for steps only in T_S.
    """

    sd: float
    bound: float
    frequent: int


ALGORITHM = Algorithm(
    label="Epoch greedy, gradient steps",
    short="epoch greedy",
    reference="Han et al. 2021, released program for Figures 2 and 4",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=LOCAL,
    parameters={"delta": PROBABILITY, "bound": POSITIVE, "frequent": SWITCH},
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({"eps": 1.0, "delta": 0.01, "bound": 2.0, "frequent": 0.0}, {"gradient": 0.5}, CORNER),
    agrees="stream",
    look=Look("o", "-"),
    looks={"frequent": Look("v", "--", "light")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a clipped gradient."""
    return {"gradient": NoiseRequest("gaussian", 2.0 * setting["bound"], setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    frequent = int(setting["frequent"])
    if calibration == "certified":
        return Params(noise["gradient"], setting["bound"], frequent)
    return Params(1.0 / setting["eps"], math.inf, frequent)


def run(
    rng: Generator, problem: Problem, sd: float, bound: float, frequent: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The arms have separate parameters, or the link is not linear.
    """
    check(problem)
    trace = np.empty((len(checkpoints), len(OUTPUTS)))
    play_from(rng, instance_stream(problem), problem, sd, bound, frequent, 0, 0, np.zeros(2), checkpoints, trace)
    return trace


def check(problem: Problem) -> None:
    """Check that the algorithm can play the problem.

    Raises
    ------
    ValueError
        The arms have separate parameters, or the link is not linear.
    """
    if problem.shared or problem.link != LINEAR:
        raise ValueError("gradient steps with exploration are for one parameter and the linear link")


@kernel
def play_from(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    sd: float,
    bound: float,
    frequent: int,
    start: int,
    updates: int,
    regret_sum: np.ndarray,
    checkpoints: np.ndarray,
    trace: np.ndarray,
) -> None:
    """Play all rounds after round `start`; `updates` and `regret_sum` are the counts up to that round."""
    d = problem.theta.shape[1]
    contexts, means = np.empty((problem.arms, d)), np.empty(problem.arms)
    theta, k, turn, exploration = np.zeros(d), 0, 1, start + 1  # L1
    row = np.searchsorted(checkpoints, start, side="right")
    for t in range(start + 1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        explores = t == exploration
        if explores:
            a = rng.integers(0, problem.arms)  # L3
            exploration += math.ceil(math.sqrt(turn))  # L1
            turn += 1
        else:
            a = greedy(contexts, theta)  # L3
        x, r = contexts[a], reward(stream, problem, t - 1, means[a])
        add(regret_sum, shortfall(means, a))
        if explores or frequent:  # L4
            k += 1  # L5
            residual = clipped_residual(x, theta, r, bound)
            for i in range(d):
                theta[i] -= add_gaussian(rng, residual * x[i], sd, 1.0) / k  # L4, L5
        if t == checkpoints[row]:
            record(trace[row], regret_sum, theta, problem, updates + k)
            row += 1


@round_step
def clipped_residual(x: np.ndarray, theta: np.ndarray, r: float, bound: float) -> float:
    """x' theta - r, reduced in size so that its product with x is at most `bound` long."""
    residual = dot(x, theta) - r
    size = abs(residual) * math.sqrt(dot(x, x))
    return residual * (bound / size) if size > bound else residual


@kernel
def record(row: np.ndarray, regret_sum: np.ndarray, theta: np.ndarray, problem: Problem, updates: int) -> None:
    """Write `OUTPUTS` to a row of a trace."""
    row[0], row[1], row[2] = regret_sum[0], errors(theta, problem.theta[0])[0], updates


def schedule(last: int) -> list[int]:
    """The rounds of T_S up to round `last`."""
    rounds, i = [1], 1
    while rounds[-1] + math.isqrt(i - 1) + 1 <= last:
        rounds.append(rounds[-1] + math.isqrt(i - 1) + 1)
        i += 1
    return rounds


def run_literal(
    rng: Generator, problem: Problem, sd: float, bound: float, frequent: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, line by line."""
    users, T = instance_stream(problem), int(checkpoints[-1])
    T_S, theta_star = set(schedule(T)), problem.theta[0]
    theta, k, regrets, found = np.zeros(len(theta_star)), 0, [], []
    for t in range(1, T + 1):
        x, means = np.empty((problem.arms, len(theta))), np.empty(problem.arms)
        offer(users, problem, t - 1, x, means)
        a = int(rng.integers(0, problem.arms)) if t in T_S else int(np.argmax(x @ theta))
        r = reward(users, problem, t - 1, means[a])
        regrets.append(means.max() - means[a])
        if t in T_S or frequent:
            k += 1
            g = (x[a] @ theta - r) * x[a]
            g = g * min(1.0, bound / max(float(np.linalg.norm(g)), 1e-300))
            theta = theta - 1 / k * (g + sd * rng.standard_normal(len(theta)))
        if t in checkpoints:
            found.append([math.fsum(regrets), np.linalg.norm(theta - theta_star), k])
    return np.array(found)
