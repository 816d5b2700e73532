"""CUCB-DP on the least played arm: the variant for rewards smooth in the largest coordinate of Chen et al. (2020).

    in every round
        index_i = min(mean_i + sqrt(4 ln(m T) / n_i) + 12 ln(T)^3 / (n_i eps), 1), 1 for an arm never updated
        play S = Oracle(index), or any super arm where some index is negative
        I = the arm of S with the fewest updates
        n_I += 1;   mean_I = (sum of its n_I outcomes, released by a tree) / n_I

The end of Section 3.2 of arXiv 2006.00706 names it, without constants or proof; these are Algorithm 3's with one arm
in the place of K. Parameters, noise and privacy as there (`cucb_dp`), K = 1.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.cucb_dp import Params
from dpbandits.algorithms.cucb_dp import params as params
from dpbandits.algorithms.cucb_dp import requests as requests
from dpbandits.algorithms.semi_bandit import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit import TREE, Rules, play
from dpbandits.algorithms.semi_bandit_literal import Arm, literal, needed_bonus, noised_prefix
from dpbandits.algorithms.widths import central_width
from dpbandits.decision_sets.problem import Problem
from dpbandits.jit import kernel
from dpbandits.privacy.tree import levels

__all__ = ["OUTPUTS", "Params", "params", "requests", "run", "run_literal"]


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    steady: int,
    certified: int,
    over_rounds: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(problem.means), checkpoints[-1]
    found = central_width(eps, 1.0, width, steady, certified, scale, levels(horizon), arms, horizon)
    return play(rng, problem, Rules(found, 0.0, TREE, scale, over_rounds, 1, negative), checkpoints)


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    steady: int,
    certified: int,
    over_rounds: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    m, T = len(problem.means), int(checkpoints[-1])
    sums: dict[int, float] = {}

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt((1.5 * math.log(T) if steady else 4 * math.log(m * T)) / arm.n)
        bonus += width * 12 * math.log(T) ** 3 / (arm.n * eps)
        if certified:
            bonus = math.sqrt(1.5 * math.log(T) / arm.n) + needed_bonus(T.bit_length(), scale, 2 * math.log(T)) / arm.n
        return min(sums[arm.name] / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        sums[arm.name] = sum(arm.reports) + x + noised_prefix(rng, arm, t if over_rounds else arm.n + 1, scale)
        return x

    return literal(rng, problem, index, report, least=True, checkpoints=checkpoints, negative=negative)
