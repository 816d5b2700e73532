"""Epoch greedy with gradient steps: Han, Liang, Wang and Zhang (arXiv 2106.03365), the longer version, Figures 2, 4, 5.

    theta_0 = 0; t_1 = 1, t_{i+1} = t_i + ceil(sqrt i), T_S = {t_1, t_2, ...}, so that |T_S| is about (1.5 T)^(2/3)
    L1  at t in T_S a_t is uniform on the arms; else a_t = argmax_a x_{t,a}' theta, of equal ones the first
    L2  the user sends g = (x_t' theta - r_t) x_t + N(0, sd^2 I)
    L3  at t in T_S, or in every round if `frequent`: k += 1;   theta -= g / k

Sparse steps are Algorithm 1 of the longer version, frequent ones its Algorithm 5. Its text was not at hand: rules and
constants are those of the authors' code.

Privacy: a gradient is released with sd = 1 / eps and is not clipped, so that it keeps no promise; `certified` clips it
to length `bound`, and takes the least sd with which it is (eps, delta)-locally private. Other rounds send nothing.
Cost: O(K d) a round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.gradient_play import Rules, check, play
from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import Problem, world
from dpbandits.privacy.mechanisms import NoiseRequest

OUTPUTS = ("regret", "error", "updates")
"""Up to the checkpoint: pseudo-regret, ||theta - theta*||, steps of theta."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them.

    Attributes
    ----------
    sd : of the noise on every entry of a gradient.
    bound : length to which a gradient is clipped; infinite for none.
    frequent : 1 for a step in every round, 0 in those of T_S alone.
    """

    sd: float
    bound: float
    frequent: int


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a clipped gradient."""
    return {"gradient": NoiseRequest("gaussian", 2.0 * setting["bound"], setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    frequent = int(setting["frequent"])
    if calibration == "certified":
        return Params(noise["gradient"], setting["bound"], frequent)
    return Params(1.0 / setting["eps"], math.inf, frequent)


def run(
    rng: Generator, problem: Problem, sd: float, bound: float, frequent: int, checkpoints: np.ndarray
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The arms have parameters of their own, or the link is not linear.
    """
    check(problem)
    rules = Rules(sd, bound, frequent, 0, 0, 0.0)
    return np.ascontiguousarray(play(rng, world(problem), problem, rules, checkpoints)[:, : len(OUTPUTS)])


def schedule(last: int) -> list[int]:
    """T_S up to round `last`."""
    rounds, i = [1], 1
    while rounds[-1] + math.isqrt(i - 1) + 1 <= last:
        rounds.append(rounds[-1] + math.isqrt(i - 1) + 1)
        i += 1
    return rounds


def run_literal(
    rng: Generator, problem: Problem, sd: float, bound: float, frequent: int, checkpoints: np.ndarray
) -> np.ndarray:
    """The same, line by line."""
    users, T = world(problem), int(checkpoints[-1])
    T_S, theta_star = set(schedule(T)), problem.theta[0]
    theta, k, regrets, found = np.zeros(len(theta_star)), 0, [], []
    for t in range(1, T + 1):
        x, means = np.empty((problem.arms, len(theta))), np.empty(problem.arms)
        offer(users, problem, t - 1, x, means)
        a = int(rng.integers(0, problem.arms)) if t in T_S else int(np.argmax(x @ theta))
        r = reward(users, problem, means[a])
        regrets.append(means.max() - means[a])
        if t in T_S or frequent:
            k += 1
            g = (x[a] @ theta - r) * x[a]
            g = g * min(1.0, bound / max(float(np.linalg.norm(g)), 1e-300))
            theta = theta - 1 / k * (g + sd * rng.standard_normal(len(theta)))
        if t in checkpoints:
            found.append([math.fsum(regrets), np.linalg.norm(theta - theta_star), k])
    return np.array(found)
