"""CUCB-LDP1: combinatorial UCB in which every user randomizes the outcomes of all arms played.

Chen, Zheng, Zhou, Yang, Chen and Wang (ICML 2020, arXiv 2006.00706), Algorithm 1.

Pseudo-code. m base arms, super arms of at most K, horizon T, n_i reports of base arm i so far:

    L1  for every base arm i: mu_hat_i = 0, n_i = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_i = min(mu_hat_i + 4 sqrt(2 K ln T / (eps^2 n_i)), 1); 1 where n_i = 0
    L4      play S = Oracle(mu_bar), or any super arm if some mu_bar_i < 0
    L5      for i in S: the user sends y_i = x_i + Lap(K / eps)
    L6      for i in S: mu_hat_i = (n_i mu_hat_i + y_i) / (n_i + 1); n_i += 1

The kernel keeps total_i = n_i mu_hat_i. The bonus has T, not t, so mu_bar_i changes only when n_i does: the kernel
evaluates L3 after L6, for the arms of S.

Privacy: local. A user's outcomes lie in [0, 1]^K. Replacing them moves the report by at most K in the l1 norm, so each
report is eps-DP (Theorem 1). The server chooses S from earlier reports only. Printed and certified noise are equal.

Choices that the paper leaves open, or that correct it:
    k_squared   L3 prints K, but the noise and the K^2 of Theorem 2 need K^2. Default false: K, as printed; true: K^2.
    fallback    L4 does not say which super arm is played. Default `random`: one drawn uniformly (`super_arms`).
    width       factor on the bonus; the paper has 1. The certified bonus covers sampling and noise instead.

Cost: O(K) and one oracle call per round; the call is skipped while a listed super arm is certain to be chosen again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import SWITCH, Algorithm, Look
from dpbandits.algorithms.semi_bandit.entries import BONUS, REPORTED, TUNED, on_sets
from dpbandits.algorithms.semi_bandit.fluid import fluid_of_all
from dpbandits.algorithms.semi_bandit.literal import Arm, literal, needed_bonus
from dpbandits.algorithms.semi_bandit.super_arms import (
    NO_CHOICE,
    NO_COIN,
    choose_super_arm,
    first_scores,
    outcome,
    renew,
    stays,
    toss,
)
from dpbandits.algorithms.semi_bandit.trace import FLUID, NO_ROUNDS, account
from dpbandits.algorithms.semi_bandit.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit.widths import certified_local, printed_local, width_of
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.problem import Problem
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, NoiseRequest, add_laplace, laplace


@dataclass(frozen=True)
class Params:
    """Constants of CUCB-LDP1, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    eps: float
    scale: float  # of the noise on a report, for one arm
    width: float
    k_squared: int
    certified: int
    fallback: int


ALGORITHM = Algorithm(
    label="CUCB-LDP1",
    short="CUCB-LDP1",
    reference="Chen et al. 2020, Algorithm 1",
    trust_model="local",
    noise=(LAPLACE_NOISE,),
    guarantee=REPORTED,
    parameters={**BONUS, "k_squared": SWITCH},
    arms=SETS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=TUNED,
    examples=on_sets({"eps": 5.0, "width": 0.05, "fallback": 0.0, "k_squared": 0.0}, {"report": 0.2}),
    agrees="stream",
    look=Look("v", ":", "light"),
    looks={"k2": Look("^", "-", "dark")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a report of one arm; for K arms it is K times as large."""
    return {"report": NoiseRequest("laplace", 1.0, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    certified = calibration == "certified"
    scale = noise["report"] if certified else 1.0 / setting["eps"]
    choices = int(setting["k_squared"]), int(certified), int(setting["fallback"])
    return Params(setting["eps"], scale, setting["width"], *choices)


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    k_squared: int,
    certified: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    m, K, T = len(problem.means), float(problem.size), checkpoints[-1]
    bonus = certified_local(K * scale, T) if certified else printed_local(eps, K * K if k_squared else K, width, T)
    n, total, mu_bar, negatives = np.zeros(m, np.int64), np.zeros(m), np.ones(m), 0  # L1
    S, choice, scores, stay = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar), False
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        if not stay:
            choice = choose_super_arm(rng, problem, mu_bar, negatives, fallback, scores, choice, S)  # L4
        coin = NO_COIN
        for i in S[: choice.size]:
            coin = toss(rng, problem, i, coin)
            x = outcome(problem, i, coin)
            y = add_laplace(rng, x, K * scale)  # L5
            n[i] += 1  # L6
            total[i] += y  # L6
            negatives += renew(mu_bar, i, total[i] / n[i] + width_of(float(n[i]), bonus))  # L3
        stay = stays(problem, mu_bar, negatives, scores, choice)
        totals = account(totals, problem, choice, t, checkpoints, trace)
    trace[:, FLUID] = fluid_of_all(problem, bonus, T)
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    k_squared: int,
    certified: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    K, log_T = problem.size, math.log(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = width * 4 * math.sqrt(2 * (K**2 if k_squared else K) * log_T / (eps**2 * arm.n))
        if certified:
            bonus = math.sqrt(1.5 * log_T / arm.n) + needed_bonus(arm.n, K * scale, 3 * log_T) / arm.n
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        return x + laplace(rng, K * scale)

    return literal(rng, problem, index, report, least=False, checkpoints=checkpoints, fallback=fallback)
