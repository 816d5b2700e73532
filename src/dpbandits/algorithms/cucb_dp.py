"""CUCB-DP: Algorithm 3 of Chen, Zheng, Zhou, Yang, Chen and Wang, arXiv 2006.00706.

    in every round
        index_i = min(mean_i + sqrt(4 ln(m T) / n_i) + 12 K ln(T)^3 / (n_i eps), 1), 1 for an arm never played
        play S = Oracle(index), or any super arm where some index is negative
        for every arm i of S:   n_i += 1;   mean_i = (sum of its n_i outcomes, released by a tree) / n_i

Every node of a tree has noise Lap(2 K ln T / eps); the base of the logarithm is not given (`base_two`), and whether a
tree has a leaf for every pull of its arm or for every round (`over_rounds`) is not either. The certified noise is
Lap(K D / eps), D = floor(log2 T) + 1. `width` multiplies the last term of the bonus, `steady` 1 makes its first
sqrt(1.5 ln T / n_i), and the certified bonus is that and what the certified noise needs.

Privacy: a round changes one leaf of the trees of at most K arms, by at most 1 each; a leaf is in at most D nodes. So
K D / eps is enough for eps-DP of the arms played, and 2 K ln T / eps is more than that for T = 8 and above.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit import TREE, Rules, play
from dpbandits.algorithms.semi_bandit_literal import Arm, literal, needed_bonus, noised_prefix
from dpbandits.algorithms.widths import central_width
from dpbandits.decision_sets.problem import Problem
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import levels, printed_scale, tree_sensitivity


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    eps: float
    scale: float  # of the noise of a node, were there one arm in a super arm
    width: float
    steady: int
    certified: int
    over_rounds: int
    negative: int


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a node of the tree of one arm; that of K arms is K times as large."""
    return {"node": NoiseRequest("laplace", tree_sensitivity(1, int(setting["T"])), setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    certified = calibration == "certified"
    base = 2.0 if setting["base_two"] else math.e
    scale = noise["node"] if certified else printed_scale(1, int(setting["T"]), setting["eps"], base)
    choices = int(setting["steady"]), int(certified), int(setting["over_rounds"]), int(setting["negative"])
    return Params(setting["eps"], scale, setting["width"], *choices)


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
    size, arms, horizon = float(problem.size), len(problem.means), checkpoints[-1]
    noise = size * scale
    found = central_width(eps, size, width, steady, certified, noise, levels(horizon), arms, horizon)
    return play(rng, problem, Rules(found, 0.0, TREE, noise, over_rounds, 0, negative), checkpoints)


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
    K, m, T = problem.size, len(problem.means), int(checkpoints[-1])
    sums: dict[int, float] = {}

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt((1.5 * math.log(T) if steady else 4 * math.log(m * T)) / arm.n)
        bonus += width * 12 * K * math.log(T) ** 3 / (arm.n * eps)
        if certified:
            nodes = T.bit_length()
            bonus = math.sqrt(1.5 * math.log(T) / arm.n) + needed_bonus(nodes, K * scale, 2 * math.log(T)) / arm.n
        return min(sums[arm.name] / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        leaves = t if over_rounds else arm.n + 1
        sums[arm.name] = sum(arm.reports) + x + noised_prefix(rng, arm, leaves, K * scale)
        return x

    return literal(rng, problem, index, report, least=False, checkpoints=checkpoints, negative=negative)
