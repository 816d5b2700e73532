"""CUCB: combinatorial UCB without privacy.

Chen, Wang and Yuan (JMLR 2016); CombUCB1 (Kveton, Wen, Ashkan and Szepesvari, 2015) has the same bonus.

Pseudo-code. m base arms, horizon T, n_i outcomes of base arm i seen so far:

    L1  for every base arm i: mu_hat_i = 0, n_i = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_i = min(mu_hat_i + sqrt(3 ln t / (2 n_i)), 1); 1 where n_i = 0
    L4      play S = Oracle(mu_bar)
    L5      for i in S: see x_i; mu_hat_i = (n_i mu_hat_i + x_i) / (n_i + 1); n_i += 1

The kernels keep total_i = n_i mu_hat_i.

Choices:
    anytime   true: ln t in L3, as above. false: ln T, as in the private algorithms of Chen et al. (2020). With ln T,
              mu_bar_i changes only when n_i does, so the kernel evaluates L3 after L5, for the arms of S.

The constants are recalled from the literature; we have not read these papers again.

Cost: O(m) and one oracle call per round. With ln T, listed super arms cost O(|S|) in a round that keeps S.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, SWITCH, Algorithm, Example, Look
from dpbandits.algorithms.semi_bandit.entries import GRID, SETS_OF_TWO
from dpbandits.algorithms.semi_bandit.fluid import fluid_of_all, fluid_of_growing
from dpbandits.algorithms.semi_bandit.literal import Arm, literal
from dpbandits.algorithms.semi_bandit.super_arms import (
    NO_CHOICE,
    NO_COIN,
    first_scores,
    oracle_choice,
    outcome,
    renew,
    rescore,
    stays,
    toss,
    with_rivals,
)
from dpbandits.algorithms.semi_bandit.trace import FLUID, NO_ROUNDS, account
from dpbandits.algorithms.semi_bandit.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit.widths import Width, sampling_root, width_of
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.problem import Problem

BONUS = 1.5  # factor of ln t / n_i under the root in L3


@dataclass(frozen=True)
class Params:
    """Constants of CUCB, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    anytime: int


ALGORITHM = Algorithm(
    label="CUCB (no privacy)",
    short="CUCB",
    reference="Chen, Wang and Yuan 2016",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={"anytime": SWITCH},
    arms=SETS,
    grid=(),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "tuned": "printed", "certified": "printed"},
    examples=(Example(SETS_OF_TWO, {"anytime": 0.0}, 200), Example(GRID, {"anytime": 1.0}, 200)),
    agrees="stream",
    look=Look("", "--"),
    looks={"anytime": Look("x", ":")},
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(int(setting["anytime"]))


@kernel
def run(rng: Generator, problem: Problem, anytime: int, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    return run_ln_t(rng, problem, checkpoints) if anytime else run_ln_T(rng, problem, checkpoints)


@kernel
def run_ln_t(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run with ln t in the bonus."""
    m, T = len(problem.means), checkpoints[-1]
    n, total, mu_bar = np.zeros(m, np.int64), np.zeros(m), np.ones(m)  # L1
    S, choice, scores = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar)
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        log_t = math.log(t)
        for i in range(m):
            if n[i] > 0:
                mu_bar[i] = min(total[i] / n[i] + math.sqrt(BONUS * log_t / n[i]), 1.0)  # L3
        rescore(problem, mu_bar, scores)
        choice = oracle_choice(problem, mu_bar, scores, choice, S)  # L4
        coin = NO_COIN
        for i in S[: choice.size]:
            coin = toss(rng, problem, i, coin)
            n[i] += 1  # L5
            total[i] += outcome(problem, i, coin)  # L5
        totals = account(totals, problem, choice, t, checkpoints, trace)
    trace[:, FLUID] = fluid_of_growing(problem, BONUS, T)
    return trace


@kernel
def run_ln_T(rng: Generator, problem: Problem, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run with ln T in the bonus."""
    m, T = len(problem.means), checkpoints[-1]
    bonus = Width(sampling_root(T), 0.0, 0.0, 0.0)
    n, total, mu_bar = np.zeros(m, np.int64), np.zeros(m), np.ones(m)  # L1
    S, choice, scores, stay = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar), False
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        if not stay:
            choice = with_rivals(problem, scores, oracle_choice(problem, mu_bar, scores, choice, S))  # L4
        coin = NO_COIN
        for i in S[: choice.size]:
            coin = toss(rng, problem, i, coin)
            n[i] += 1  # L5
            total[i] += outcome(problem, i, coin)  # L5
            renew(mu_bar, i, total[i] / n[i] + width_of(float(n[i]), bonus))  # L3
        stay = stays(problem, mu_bar, 0, scores, choice)
        totals = account(totals, problem, choice, t, checkpoints, trace)
    trace[:, FLUID] = fluid_of_all(problem, bonus, T)
    return trace


def run_literal(rng: Generator, problem: Problem, anytime: int, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    horizon = int(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt(3 * math.log(t if anytime else horizon) / (2 * arm.n))
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    return literal(rng, problem, index, lambda arm, x, t: x, least=False, checkpoints=checkpoints)
