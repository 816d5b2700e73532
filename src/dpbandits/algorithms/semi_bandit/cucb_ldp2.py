"""CUCB-LDP2: combinatorial UCB in which every user reports on one arm, the one with the fewest reports.

Chen, Zheng, Zhou, Yang, Chen and Wang (ICML 2020, arXiv 2006.00706), Algorithm 2.

Pseudo-code. m base arms, horizon T, n_i reports (not plays) of base arm i so far:

    L1  for every base arm i: mu_hat_i = 0, n_i = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_i = min(mu_hat_i + 4 sqrt(2 ln T / (eps^2 n_i)), 1); 1 where n_i = 0
    L4      play S = Oracle(mu_bar), or any super arm if some mu_bar_i < 0
    L5      I = the arm of S with the smallest n_I
    L6      the user sends y = x_I + Lap(1 / eps)
    L7      mu_hat_I = (n_I mu_hat_I + y) / (n_I + 1); n_I += 1

The kernel keeps total_i = n_i mu_hat_i. The bonus has T, not t, so mu_bar_i changes only when n_i does: the kernel
evaluates L3 after L7, for I alone. If every super arm is a single arm, this is CUCB-LDP1.

Privacy: local. The user sends one number in [0, 1] with Lap(1 / eps), so each report is eps-DP (Theorem 3). The server
chooses S and I from earlier reports only. Printed and certified noise are equal.

Choices that the paper leaves open, or that correct it:
    fallback    L4 does not say which super arm is played. Default `random`: one drawn uniformly (`super_arms`).
    ties in L5  the first arm; environments list arms in random order.
    width       factor on the bonus; the paper has 1. The printed bonus has no term for sampling, so it is too small
                for large eps. The certified bonus covers sampling and noise instead.

Cost: O(K) and one oracle call per round; the call is skipped while a listed super arm is certain to be chosen again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Look
from dpbandits.algorithms.semi_bandit.entries import BONUS, REPORTED, TUNED, on_sets
from dpbandits.algorithms.semi_bandit.fluid import fluid_of_least
from dpbandits.algorithms.semi_bandit.literal import Arm, literal, needed_bonus
from dpbandits.algorithms.semi_bandit.super_arms import (
    NO_CHOICE,
    NO_COIN,
    choose_super_arm,
    first_scores,
    least_updated,
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
    """Constants of CUCB-LDP2, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    eps: float
    scale: float
    width: float
    certified: int
    fallback: int


ALGORITHM = Algorithm(
    label="CUCB-LDP2",
    short="CUCB-LDP2",
    reference="Chen et al. 2020, Algorithm 2",
    trust_model="local",
    noise=(LAPLACE_NOISE,),
    guarantee=REPORTED,
    parameters=BONUS,
    arms=SETS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=TUNED,
    examples=on_sets({"eps": 5.0, "width": 0.05, "fallback": 0.0}, {"report": 0.2}),
    agrees="stream",
    look=Look("s", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a report."""
    return {"report": NoiseRequest("laplace", 1.0, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    certified = calibration == "certified"
    scale = noise["report"] if certified else 1.0 / setting["eps"]
    return Params(setting["eps"], scale, setting["width"], int(certified), int(setting["fallback"]))


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    certified: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    m, T = len(problem.means), checkpoints[-1]
    bonus = certified_local(scale, T) if certified else printed_local(eps, 1.0, width, T)
    n, total, mu_bar, negatives = np.zeros(m, np.int64), np.zeros(m), np.ones(m), 0  # L1
    S, choice, scores, stay = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar), False
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        if not stay:
            choice = choose_super_arm(rng, problem, mu_bar, negatives, fallback, scores, choice, S)  # L4
        i = least_updated(n, S, choice.size)  # L5
        x = outcome(problem, i, toss(rng, problem, i, NO_COIN))
        y = add_laplace(rng, x, scale)  # L6
        n[i] += 1  # L7
        total[i] += y  # L7
        negatives += renew(mu_bar, i, total[i] / n[i] + width_of(float(n[i]), bonus))  # L3
        stay = stays(problem, mu_bar, negatives, scores, choice)
        totals = account(totals, problem, choice, t, checkpoints, trace)
    trace[:, FLUID] = fluid_of_least(problem, bonus, T)
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    certified: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    log_T = math.log(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = width * 4 * math.sqrt(2 * log_T / (eps**2 * arm.n))
        if certified:
            bonus = math.sqrt(1.5 * log_T / arm.n) + needed_bonus(arm.n, scale, 3 * log_T) / arm.n
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        return x + laplace(rng, scale)

    return literal(rng, problem, index, report, least=True, checkpoints=checkpoints, fallback=fallback)
