"""Greedy first, epoch greedy if need be: Han, Liang, Wang and Zhang (arXiv 2106.03365), longer version, Figures 4, 5.

    theta_0 = 0; blocks of W = T / 50 rounds, b = 1, 2, ...
    L1  in a block a_t = argmax_a x_{t,a}' theta_{b-1}, of equal ones the first
    L2  the user sends g_t = (x_t' theta_{b-1} - r_t) x_t + N(0, sd^2 I) and x_t x_t'
    L3  at its end theta_b = theta_{b-1} - (1 / b) sum of g_t over the block
    L4  if lambda_min(sum of x_t x_t' over the block) < 1e-4 W: from the next round on, for ever, it is
        `epoch_greedy_gradient` with sparse steps, theta = 0 and its schedule from the start

Its text was not at hand: rules and constants are those of the authors' code. L3 makes a step of W gradients, which
throws theta far beyond theta* where contexts are diverse; `averaged` divides by W. Rounds after the last whole block
make no step.

Privacy: gradients are released as in `epoch_greedy_gradient`, and x_t x_t' without noise, so that neither keeps a
promise. `certified` sends x_t x_t', for x_t clipped to length 1, with noise of the same sd as the gradient's, for which
both together are (eps, delta)-locally private. Cost: O(K d + d^2) a round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import epoch_greedy_gradient
from dpbandits.algorithms.gradient_play import LEAST, Rules, check, play
from dpbandits.algorithms.gradient_play import OUTPUTS as OUTPUTS
from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import Problem, world
from dpbandits.privacy.mechanisms import NoiseRequest

BLOCKS = 50  # source: authors' code


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run.

    Attributes
    ----------
    sd : of the noise on every entry of a gradient.
    bound : length to which a gradient is clipped; infinite for none.
    averaged : 1 where a block's step is the mean of its gradients over b, 0 for the sum.
    matrix_sd : of the noise on every entry of x x' on and below the diagonal; 0 for none, and no clipping of x.
    """

    sd: float
    bound: float
    averaged: int
    matrix_sd: float


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a clipped gradient and x x' together.

    Two gradients are at most 2 `bound` apart, two x x' with ||x|| <= 1 at most sqrt 2.
    """
    sensitivity = math.sqrt(4.0 * setting["bound"] ** 2 + 2.0)
    return {"gradient": NoiseRequest("gaussian", sensitivity, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    averaged = int(setting["averaged"])
    if calibration == "certified":
        return Params(noise["gradient"], setting["bound"], averaged, noise["gradient"])
    return Params(1.0 / setting["eps"], math.inf, averaged, 0.0)


def run(
    rng: Generator,
    problem: Problem,
    sd: float,
    bound: float,
    averaged: int,
    matrix_sd: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The arms have parameters of their own, or the link is not linear.
    """
    check(problem)
    rules = Rules(sd, bound, 0, max(int(checkpoints[-1]) // BLOCKS, 1), averaged, matrix_sd)
    return play(rng, world(problem), problem, rules, checkpoints)


def run_literal(
    rng: Generator,
    problem: Problem,
    sd: float,
    bound: float,
    averaged: int,
    matrix_sd: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, line by line."""
    users, T, theta_star = world(problem), int(checkpoints[-1]), problem.theta[0]
    d, W = len(theta_star), max(T // BLOCKS, 1)
    theta, T_S, switch, k, updates = np.zeros(d), set[int](), 0, 0, 0
    G, V, regrets, found = np.zeros(d), np.zeros((d, d)), [], []
    for t in range(1, T + 1):
        x, means = np.empty((problem.arms, d)), np.empty(problem.arms)
        offer(users, problem, t - 1, x, means)
        a = int(rng.integers(0, problem.arms)) if t in T_S else int(np.argmax(x @ theta))
        r = reward(users, problem, means[a])
        regrets.append(means.max() - means[a])
        g = (x[a] @ theta - r) * x[a]
        g = g * min(1.0, bound / max(float(np.linalg.norm(g)), 1e-300))
        if not switch:
            sent = x[a] / max(1.0, float(np.linalg.norm(x[a]))) if matrix_sd else x[a]
            V = V + np.outer(sent, sent)
            if matrix_sd:
                W_t = np.zeros((d, d))
                W_t[np.tril_indices(d)] = matrix_sd * rng.standard_normal(d * (d + 1) // 2)
                V = V + W_t + np.tril(W_t, -1).T
            G = G + g + sd * rng.standard_normal(d)
            if t % W == 0:
                updates += 1
                theta = theta - 1 / (t // W) * (G / W if averaged else G)
                if np.linalg.eigvalsh(V).min() < LEAST * W:
                    switch, theta = t, np.zeros(d)
                    T_S = {t + s for s in epoch_greedy_gradient.schedule(T - t)}
                G, V = np.zeros(d), np.zeros((d, d))
        elif t in T_S:
            k, updates = k + 1, updates + 1
            theta = theta - 1 / k * (g + sd * rng.standard_normal(d))
        if t in checkpoints:
            found.append([math.fsum(regrets), np.linalg.norm(theta - theta_star), updates, switch])
    return np.array(found)
