"""CUCB-DP on the least updated arm: the variant for rewards that are smooth in the largest coordinate.

Chen, Zheng, Zhou, Yang, Chen and Wang (ICML 2020, arXiv 2006.00706), end of Section 3.2. The paper mentions this
variant but gives neither constants nor a proof. The constants here are those of Algorithm 3 with K replaced by 1.

The algorithm is `cucb_dp` with a different update. L1, L2 and L4 are the same. L3 and the noise have 1 for K. L5 is
new: L6 and L7 update one arm of S, while L5 and L6 of `cucb_dp` update every arm of S. The constants and the noise
requests do not depend on K, so both modules share `Params`, `params` and `requests`.

Pseudo-code. m base arms, horizon T, n_i updates of base arm i so far:

    L1  for every base arm i: mu_hat_i = 0, n_i = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_i = min(mu_hat_i + sqrt(4 ln(m T) / n_i) + 12 (ln T)^3 / (eps n_i), 1); 1 where n_i = 0
    L4      play S = Oracle(mu_bar), or any super arm if some mu_bar_i < 0
    L5      I = the arm of S with the smallest n_I
    L6      see x_I; n_I += 1
    L7      mu_hat_I = (sum of its n_I outcomes, with the noise of a binary tree) / n_I

Every node of a tree has noise Lap(2 ln T / eps). The bonus has T, not t, so mu_bar_i changes only when n_i does: the
kernel evaluates L3 after L7, for I alone.

Privacy: central, of the super arms played. A round changes one leaf in one tree by at most 1, and a leaf is in at most
D = floor(log2 T) + 1 nodes. So Lap(D / eps) makes the run eps-DP; the printed noise is larger for T >= 8.

Choices that the paper leaves open: those of `cucb_dp`, under the same names. Ties in L5 go to the first arm;
environments list arms in random order.

Cost: one draw of noise and one oracle call per round; the call is skipped while a listed super arm is certain to be
chosen again.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Look
from dpbandits.algorithms.semi_bandit.cucb_dp import Params, bonus_of
from dpbandits.algorithms.semi_bandit.cucb_dp import params as params
from dpbandits.algorithms.semi_bandit.cucb_dp import requests as requests
from dpbandits.algorithms.semi_bandit.entries import CENTRAL, PLAYED, TUNED, on_sets
from dpbandits.algorithms.semi_bandit.fluid import fluid_of_least
from dpbandits.algorithms.semi_bandit.literal import Arm, literal, needed_bonus, noised_prefix
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
from dpbandits.algorithms.semi_bandit.trees import new_trees, tree_noise
from dpbandits.algorithms.semi_bandit.widths import width_of
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.problem import Problem

ALGORITHM = Algorithm(
    label="CUCB-DP on the least updated arm",
    short="CUCB-DP, least updated",
    reference="Chen et al. 2020, end of Section 3.2",
    trust_model="central",
    noise=(PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS),
    guarantee=PLAYED,
    parameters=CENTRAL,
    arms=SETS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=TUNED,
    examples=on_sets(
        {"eps": 50.0, "width": 0.002, "fallback": 0.0, "cucb_root": 1.0, "over_rounds": 0.0, "base_two": 0.0},
        {"node": 0.1},
    ),
    agrees="stream",
    look=Look("D", "--", "light"),
)

__all__ = ["OUTPUTS", "Params", "params", "requests", "run", "run_literal"]


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    cucb_root: int,
    certified: int,
    over_rounds: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    m, T = len(problem.means), checkpoints[-1]
    bonus = bonus_of(eps, scale, width, cucb_root, certified, 1.0, m, T)
    n, total, mu_bar, negatives = np.zeros(m, np.int64), np.zeros(m), np.ones(m), 0  # L1
    trees = new_trees(m, T, over_rounds)  # L1
    S, choice, scores, stay = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar), False
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        if not stay:
            choice = choose_super_arm(rng, problem, mu_bar, negatives, fallback, scores, choice, S)  # L4
        i = least_updated(n, S, choice.size)  # L5
        n[i] += 1  # L6
        total[i] += outcome(problem, i, toss(rng, problem, i, NO_COIN))  # L6
        mu_hat = (total[i] + tree_noise(rng, trees, i, n[i], t, scale)) / n[i]  # L7
        negatives += renew(mu_bar, i, mu_hat + width_of(float(n[i]), bonus))  # L3
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
    cucb_root: int,
    certified: int,
    over_rounds: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    m, T = len(problem.means), int(checkpoints[-1])
    sums: dict[int, float] = {}

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt((1.5 * math.log(T) if cucb_root else 4 * math.log(m * T)) / arm.n)
        bonus += width * 12 * math.log(T) ** 3 / (arm.n * eps)
        if certified:
            bonus = math.sqrt(1.5 * math.log(T) / arm.n) + needed_bonus(T.bit_length(), scale, 2 * math.log(T)) / arm.n
        return min(sums[arm.name] / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        sums[arm.name] = sum(arm.reports) + x + noised_prefix(rng, arm, t if over_rounds else arm.n + 1, scale)
        return x

    return literal(rng, problem, index, report, least=True, checkpoints=checkpoints, fallback=fallback)
