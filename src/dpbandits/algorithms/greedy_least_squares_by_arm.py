"""Greedy least squares with a parameter for every arm: Algorithm 2 (LDP-OLS) of Han et al., arXiv 2106.03365.

    theta_i = 0 for every arm i; user t has the context X_t, ||X_t|| <= 1
    L1  t <= warm_up: a_t = (t mod K) + 1, and arm a_t alone gets psi(X_t, r_t)
    L2  kept = {i: X_t' frozen_i > max_j X_t' frozen_j - h / 2}, frozen the estimates at the end of the warm-up
    L3  a_t = argmax over kept of X_t' theta_i; the arm a_t gets psi(X_t, r_t), every other arm psi(0, 0)
    L4  theta_i = (sum M + c sqrt(n) I)^-1 sum u over the messages of arm i, n their number
    psi(x, r) = (x x' + W, r x + xi), W symmetric, normal noise

printed    s = 2 sqrt(2 ln(1.25 / (delta / 2))) / (eps / 2); W has sd 2 s, xi has sd s, c = 2 s (4 sqrt d + 2 ln(2 T K /
           failure))
released   sd 6 sqrt(2 ln(2.5 / delta)) / eps for both; c = 2 sd (4 sqrt d + 2 ln(2 T / failure)), n the round, for
           every arm; no elimination, contexts not bounded
certified  the least sd for which the K messages of a user together are (eps, delta)-DP, and c = 2 sd (4 sqrt d + ...)
           as printed; contexts and rewards are clipped to 1

The paper gives neither the length of the warm-up nor h: 3000 rounds as in the released code, and no elimination
(h = 0).

Privacy: two users whose arms differ move two messages, each by at most sqrt 2 in norm, 2 in all; two of the same arm
move one by at most sqrt 4.5. So the K messages need the noise of one.
Cost: K (d + 1) (d + 2) / 2 normals and K solves a round; noise in all arms leaves no estimate unchanged.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, greedy, opened, record, shorten
from dpbandits.algorithms.by_arm_literal import Diary, rounds, shown
from dpbandits.algorithms.contextual_literal import gaussian, symmetric
from dpbandits.algorithms.noisy_least_squares import receive, receive_noise, solve_each
from dpbandits.contexts.laws import offer
from dpbandits.contexts.problem import Problem
from dpbandits.jit import kernel
from dpbandits.privacy.local_scales import baseline_sd, printed_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "eliminated", "clipped")
"""Those of `by_arm`; rounds played by estimates of which one came from a matrix that was not positive definite; mean
number of arms eliminated in a round after the warm-up; rounds in which the context or the reward was clipped."""
INDEFINITE, ELIMINATED, CLIPPED = range(len(COMMON), len(OUTPUTS))


class Rules(NamedTuple):
    """Constants of the algorithm.

    Attributes
    ----------
    warm_up : rounds in which the arms take turns.
    threshold : h; infinite for no elimination.
    matrix_sd, vector_sd : of W and of xi.
    shift : c.
    own : 1 where n in the shift is the number of messages of the arm, 0 where it is the round.
    clip : 1 where contexts and rewards are clipped.
    """

    warm_up: int
    threshold: float
    matrix_sd: float
    vector_sd: float
    shift: float
    own: int
    clip: int


@dataclass(frozen=True)
class Params:
    """What `run` takes."""

    rules: Rules


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise on every entry of the K messages of a user."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, T, arms, dimension, warm_up, threshold, failure.
    """
    eps, delta, d, arms, horizon = (setting[key] for key in ("eps", "delta", "dimension", "arms", "T"))
    warm_up, threshold = int(setting["warm_up"]), setting["threshold"] or math.inf
    width = 2.0 * spread(d, horizon, setting["failure"], arms)
    if calibration == "released":
        sd = baseline_sd(eps, delta, 2)
        return Params(Rules(warm_up, math.inf, sd, sd, 2.0 * sd * spread(d, horizon, setting["failure"]), 0, 0))
    if calibration == "certified":
        sd = noise["sd"]
        return Params(Rules(warm_up, threshold, sd, sd, sd * width, 1, 1))
    sd = printed_sd(0.5 * eps, 0.5 * delta)
    return Params(Rules(warm_up, threshold, 2.0 * sd, sd, sd * width, 1, 0))


def run(rng: Generator, problem: Problem, rules: Rules, checkpoints: Array) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, rules, checkpoints)


@kernel
def simulate(rng: Generator, world: Generator, problem: Problem, rules: Rules, checkpoints: Array) -> Array:
    """As `run`, with the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means = np.empty((1, d)), np.empty(arms)
    gram, target, count = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)
    theta, frozen, work = np.zeros((arms, d)), np.zeros((arms, d)), np.empty((arms, d, d + 1))
    lost, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    indefinite, eliminated, clipped, row, definite = 0, 0, 0, 0, True
    for now in range(checkpoints[-1]):
        t, warm = now + 1, now < rules.warm_up
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, rules.clip)
        arm = t % arms  # L1
        if not warm:
            arm, gone = greedy(x, theta, frozen, rules.threshold)  # L2
            eliminated += gone
            indefinite += not definite
        value, large = answer(world, problem, means[arm], rules.clip)
        clipped += long or large
        count_regret(lost, means, arm, not warm)
        for k in range(arms):  # L3
            if k == arm:
                receive(rng, x, value, rules.matrix_sd, rules.vector_sd, gram[k], target[k])
                count[k] += 1
            elif not warm:
                receive_noise(rng, rules.matrix_sd, rules.vector_sd, gram[k], target[k])
                count[k] += 1
        if t >= rules.warm_up or t == checkpoints[row]:
            definite = estimate(gram, target, count, t, rules, work, theta)  # L4
            if t == rules.warm_up:
                frozen[:] = theta
        if t == checkpoints[row]:
            record(trace[row], lost, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = indefinite
            trace[row, ELIMINATED] = eliminated / max(1, t - rules.warm_up)
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


@kernel
def estimate(gram: Array, target: Array, count: Array, t: int, rules: Rules, work: Array, theta: Array) -> bool:
    """L4 after round t; whether the matrices of all arms with messages are positive definite."""
    shifts = np.empty(len(count))
    for k in range(len(count)):
        shifts[k] = rules.shift * math.sqrt(count[k] if rules.own else t)
    return solve_each(gram, shifts, target, count, work, theta) == 0


def run_literal(rng: Generator, problem: Problem, rules: Rules, checkpoints: Array) -> Array:
    """The same in NumPy, every line in every round; returns the trace."""
    arms, d = problem.theta.shape
    M, u, n = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms)
    theta = frozen = np.zeros((arms, d))
    definite, diary = True, Diary(problem, rules.warm_up)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        warm = t <= rules.warm_up
        x, long = shown(X, rules.clip)
        kept = frozen @ x > np.max(frozen @ x) - rules.threshold / 2
        arm = t % arms if warm else int(np.argmax(np.where(kept, theta @ x, -np.inf)))
        r = pay(arm)
        value = max(-1.0, min(1.0, r)) if rules.clip else r
        for i in [arm] if warm else range(arms):
            sent = x if i == arm else np.zeros(d)
            M[i] += np.outer(sent, sent) + symmetric(rng, rules.matrix_sd, d)
            u[i] += value * sent + gaussian(rng, rules.vector_sd, d)
            n[i] += 1
        counts = (not warm and not definite, 0 if warm else arms - kept.sum(), long or value != r)
        shifted = [M[i] + rules.shift * np.sqrt(n[i] if rules.own else t) * np.eye(d) for i in range(arms)]
        theta = np.array([np.linalg.solve(shifted[i], u[i]) if n[i] else np.zeros(d) for i in range(arms)])
        definite = all(np.linalg.eigvalsh(shifted[i])[0] > 0 for i in range(arms) if n[i])
        frozen = theta if t == rules.warm_up else frozen
        diary.write(means, arm, theta, *counts)
    trace = diary.trace(checkpoints)
    trace[:, ELIMINATED] /= np.maximum(1, checkpoints - rules.warm_up)
    return trace
