"""Greedy first with gradient steps: greedy in blocks; switches to epoch greedy when the contexts are not diverse.

Han, Liang, Wang and Zhang (arXiv 2106.03365), longer version, Figures 4 and 5. We did not have the longer version:
rules and constants are those of the authors' code.

Pseudo-code. x_{t,a} the context of arm a, x_t that of the arm played, r_t its reward, sd the noise:

    L1  theta = 0, b = 0; blocks of W = T / 50 rounds
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_{t,a}' theta, the first of equal ones
    L4      the user sends g_t = (x_t' theta - r_t) x_t + N(0, sd^2 I) and x_t x_t'
    L5      at the end of a block: b += 1; theta = theta - (1 / b) sum of g_t over the block
    L6      if lambda_min(sum of x_t x_t' over the block) < 1e-4 W: from the next round on, for ever, run
            `ldp_epoch_greedy` with sparse steps, theta = 0 and its schedule from the start

Rounds after the last whole block make no step.

Variant: L5 makes a step of W gradients, which throws theta far beyond theta* where contexts are diverse. `averaged`
divides the sum by W.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Printed and released
gradients are those of `ldp_epoch_greedy`, and x_t x_t' has no noise, so neither has a guarantee. `certified` clips
x_t to length 1 and sends x_t x_t' with noise of the same sd as the gradient's, the least sd for which both together are
(eps, delta)-LDP.

Cost: O(K d + d^2) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, PROBABILITY, SWITCH, Algorithm, Look
from dpbandits.algorithms.glm_single import ldp_epoch_greedy
from dpbandits.algorithms.glm_single.ldp_epoch_greedy import check, clipped_residual, play_from, record
from dpbandits.algorithms.shared.contextual import add, greedy, shortfall
from dpbandits.algorithms.shared.entries_glm import ALL, CORNER, LOCAL, on_contexts
from dpbandits.algorithms.shared.noisy_least_squares import receive
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem, instance_stream
from dpbandits.numerics.linalg import dot, least_eigenvalue
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest

OUTPUTS = (*ldp_epoch_greedy.OUTPUTS, "switched")
"""Outputs of `ldp_epoch_greedy`, and the round of the switch to it, 0 if there was no switch."""
SWITCHED = len(OUTPUTS) - 1
BLOCKS = 50  # source: authors' code
LEAST = 1e-4  # threshold on the eigenvalue of a block's sum, per round; source: authors' code


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run.

    Attributes
    ----------
    sd : standard deviation of the noise on every entry of a gradient.
    bound : length to which a gradient is clipped; infinite for no clipping.
    averaged : 1 if a block's step is the mean of its gradients over b, 0 if it is their sum over b.
    matrix_sd : standard deviation of the noise on the entries of x x' on and below the diagonal; 0 for no noise and no
        clipping of x.
    """

    sd: float
    bound: float
    averaged: int
    matrix_sd: float


ALGORITHM = Algorithm(
    label="Greedy first, gradient steps",
    short="greedy first",
    reference="Han et al. 2021, released program for Figures 4 and 5",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=LOCAL,
    parameters={"delta": PROBABILITY, "bound": POSITIVE, "averaged": SWITCH},
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({"eps": 1.0, "delta": 0.01, "bound": 2.0, "averaged": 0.0}, {"gradient": 0.5}, CORNER),
    agrees="stream",
    look=Look("^", "-", "light"),
    looks={"averaged": Look("P", ":", "dark")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a clipped gradient and x x' together.

    Two gradients differ by at most 2 `bound`, two matrices x x' with ||x|| <= 1 by at most sqrt 2.
    """
    sensitivity = math.sqrt(4.0 * setting["bound"] ** 2 + 2.0)
    return {"gradient": NoiseRequest("gaussian", sensitivity, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
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
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The arms have separate parameters, or the link is not linear.
    """
    check(problem)
    return play(rng, instance_stream(problem), problem, sd, bound, averaged, matrix_sd, checkpoints)


@kernel
def play(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    sd: float,
    bound: float,
    averaged: int,
    matrix_sd: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, with contexts and rewards from `stream`."""
    d, T = problem.theta.shape[1], checkpoints[-1]
    contexts, means, sent = np.empty((problem.arms, d)), np.empty(problem.arms), np.empty(d)
    theta, b, W = np.zeros(d), 0, max(T // BLOCKS, 1)  # L1
    total, gram = np.zeros(d), np.zeros((d, d))  # sums over a block
    trace, regret_sum, row = np.zeros((len(checkpoints), len(OUTPUTS))), np.zeros(2), 0
    for t in range(1, T + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        a = greedy(contexts, theta)  # L3
        x, r, switches = contexts[a], reward(stream, problem, t - 1, means[a]), False
        add(regret_sum, shortfall(means, a))
        shrink = min(1.0, 1.0 / math.sqrt(dot(x, x))) if matrix_sd > 0.0 else 1.0
        for i in range(d):
            sent[i] = shrink * x[i]
        receive(rng, sent, clipped_residual(x, theta, r, bound) / shrink, matrix_sd, sd, gram, total)  # L4
        if t % W == 0:  # L5
            b += 1
            step = 1.0 / (b * W) if averaged else 1.0 / b
            for i in range(d):
                theta[i] -= step * total[i]  # L5
            switches = least_eigenvalue(gram) < LEAST * W  # L6
            if switches:
                theta[:] = 0.0  # L6
            total[:] = 0.0
            gram[:] = 0.0
        if t == checkpoints[row]:
            record(trace[row], regret_sum, theta, problem, b)
            row += 1
        if switches:
            trace[np.searchsorted(checkpoints, t) :, SWITCHED] = t
            play_from(rng, stream, problem, sd, bound, 0, t, b, regret_sum, checkpoints, trace)  # L6
            break
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    sd: float,
    bound: float,
    averaged: int,
    matrix_sd: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, line by line."""
    users, T, theta_star = instance_stream(problem), int(checkpoints[-1]), problem.theta[0]
    d, W = len(theta_star), max(T // BLOCKS, 1)
    theta, T_S, switch, k, updates = np.zeros(d), set[int](), 0, 0, 0
    G, V, regrets, found = np.zeros(d), np.zeros((d, d)), [], []
    for t in range(1, T + 1):
        x, means = np.empty((problem.arms, d)), np.empty(problem.arms)
        offer(users, problem, t - 1, x, means)
        a = int(rng.integers(0, problem.arms)) if t in T_S else int(np.argmax(x @ theta))
        r = reward(users, problem, t - 1, means[a])
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
                    T_S = {t + s for s in ldp_epoch_greedy.schedule(T - t)}
                G, V = np.zeros(d), np.zeros((d, d))
        elif t in T_S:
            k, updates = k + 1, updates + 1
            theta = theta - 1 / k * (g + sd * rng.standard_normal(d))
        if t in checkpoints:
            found.append([math.fsum(regrets), np.linalg.norm(theta - theta_star), updates, switch])
    return np.array(found)
