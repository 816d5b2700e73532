"""CUCB-DP: combinatorial UCB with a trusted server, which sums outcomes by binary trees.

Chen, Zheng, Zhou, Yang, Chen and Wang (ICML 2020, arXiv 2006.00706), Algorithm 3.

Pseudo-code. m base arms, super arms of at most K, horizon T, n_i plays of base arm i so far:

    L1  for every base arm i: mu_hat_i = 0, n_i = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_i = min(mu_hat_i + sqrt(4 ln(m T) / n_i) + 12 K (ln T)^3 / (eps n_i), 1); 1 where n_i = 0
    L4      play S = Oracle(mu_bar), or any super arm if some mu_bar_i < 0
    L5      for i in S: see x_i; n_i += 1
    L6      for i in S: mu_hat_i = (sum of its n_i outcomes, with the noise of a binary tree) / n_i

Every node of a tree has noise Lap(2 K ln T / eps). The bonus has T, not t, so mu_bar_i changes only when n_i does: the
kernel evaluates L3 after L6, for the arms of S.

Privacy: central, of the super arms played. A round changes one leaf in the trees of at most K arms, each by at most 1,
and a leaf is in at most D = floor(log2 T) + 1 nodes. So Lap(K D / eps) makes the run eps-DP; the printed noise is
larger for T >= 8. The certified noise is Lap(K D / eps).

Choices that the paper leaves open:
    over_rounds   false (default): the leaves of a tree are the plays of its arm. true: they are all rounds.
    base_two      base of the logarithm in the noise. false (default): e. true: 2.
    fallback      L4 does not say which super arm is played. Default `random`: one drawn uniformly (`super_arms`).
    cucb_root     true: sqrt(1.5 ln T / n_i), as in CUCB, replaces the root in L3. Default false.
    width         factor on the last term of the bonus; the paper has 1. The certified bonus has the root of
                  `cucb_root` and covers the certified noise.

Cost: O(K) draws of noise and one oracle call per round; the call is skipped while a listed super arm is certain to be
chosen again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Look
from dpbandits.algorithms.semi_bandit.entries import CENTRAL, PLAYED, TUNED, on_sets
from dpbandits.algorithms.semi_bandit.fluid import fluid_of_all
from dpbandits.algorithms.semi_bandit.literal import Arm, literal, needed_bonus, noised_prefix
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
from dpbandits.algorithms.semi_bandit.trees import new_trees, tree_noise
from dpbandits.algorithms.semi_bandit.widths import (
    Width,
    certified_central,
    cucb_root_central,
    printed_central,
    width_of,
)
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.problem import Problem
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import layers, printed_scale, tree_sensitivity


@dataclass(frozen=True)
class Params:
    """Constants of CUCB-DP, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    eps: float
    scale: float  # of the noise on a node, for super arms of one arm
    width: float
    cucb_root: int
    certified: int
    over_rounds: int
    fallback: int


ALGORITHM = Algorithm(
    label="CUCB-DP",
    short="CUCB-DP",
    reference="Chen et al. 2020, Algorithm 3",
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
    look=Look("o", "-"),
    looks={"over_rounds": Look("x", ":", "dark"), "base_two": Look("P", "--", "light")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a node of one arm's tree; for K arms it is K times as large."""
    return {"node": NoiseRequest("laplace", tree_sensitivity(1, int(setting["T"])), setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    certified = calibration == "certified"
    base = 2.0 if setting["base_two"] else math.e
    scale = noise["node"] if certified else printed_scale(1, int(setting["T"]), setting["eps"], base)
    choices = int(setting["cucb_root"]), int(certified), int(setting["over_rounds"]), int(setting["fallback"])
    return Params(setting["eps"], scale, setting["width"], *choices)


@formula
def bonus_of(eps: float, scale: float, width: float, cucb_root: int, certified: int, K: float, m: int, T: int) -> Width:
    """Bonus of L3 at one calibration; `scale` is the noise scale of a node for super arms of one arm."""
    if certified:
        return certified_central(K * scale, layers(T), T)
    if cucb_root:
        return cucb_root_central(eps, K, width, T)
    return printed_central(eps, K, width, m, T)


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
    m, K, T = len(problem.means), float(problem.size), checkpoints[-1]
    bonus = bonus_of(eps, scale, width, cucb_root, certified, K, m, T)
    n, total, mu_bar, negatives = np.zeros(m, np.int64), np.zeros(m), np.ones(m), 0  # L1
    trees = new_trees(m, T, over_rounds)  # L1
    S, choice, scores, stay = np.empty(problem.size, np.int64), NO_CHOICE, first_scores(problem, mu_bar), False
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        if not stay:
            choice = choose_super_arm(rng, problem, mu_bar, negatives, fallback, scores, choice, S)  # L4
        coin = NO_COIN
        for i in S[: choice.size]:
            coin = toss(rng, problem, i, coin)
            n[i] += 1  # L5
            total[i] += outcome(problem, i, coin)  # L5
            mu_hat = (total[i] + tree_noise(rng, trees, i, n[i], t, K * scale)) / n[i]  # L6
            negatives += renew(mu_bar, i, mu_hat + width_of(float(n[i]), bonus))  # L3
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
    cucb_root: int,
    certified: int,
    over_rounds: int,
    fallback: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    K, m, T = problem.size, len(problem.means), int(checkpoints[-1])
    sums: dict[int, float] = {}

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt((1.5 * math.log(T) if cucb_root else 4 * math.log(m * T)) / arm.n)
        bonus += width * 12 * K * math.log(T) ** 3 / (arm.n * eps)
        if certified:
            nodes = T.bit_length()
            bonus = math.sqrt(1.5 * math.log(T) / arm.n) + needed_bonus(nodes, K * scale, 2 * math.log(T)) / arm.n
        return min(sums[arm.name] / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        leaves = t if over_rounds else arm.n + 1
        sums[arm.name] = sum(arm.reports) + x + noised_prefix(rng, arm, leaves, K * scale)
        return x

    return literal(rng, problem, index, report, least=False, checkpoints=checkpoints, fallback=fallback)
