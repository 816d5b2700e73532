"""CUCB-LDP1: Algorithm 1 of Chen, Zheng, Zhou, Yang, Chen and Wang, arXiv 2006.00706.

    in every round
        index_i = min(mean_i + 4 sqrt(2 K ln T / (eps^2 n_i)), 1), 1 for an arm without reports
        play S = Oracle(index), or any super arm where some index is negative
        the user sends x_i + Lap(K / eps) for every arm i of S
        mean_i = (n_i mean_i + report) / (n_i + 1);   n_i += 1

Readings: K as printed does not match the noise, nor the K^2 of Theorem 2; `square` 1 puts K^2 under the root.
`width` multiplies the bonus, and the certified bonus covers sampling and noise.

Privacy: x in [0, 1]^K moves by at most K in l1, so that a report is eps-locally private; the arms of S are a function
of earlier reports. Printed and certified noise coincide.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit import REPORT, Rules, play
from dpbandits.algorithms.semi_bandit_literal import Arm, literal, needed_bonus
from dpbandits.algorithms.widths import local_width
from dpbandits.decision_sets.problem import Problem
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import NoiseRequest, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    eps: float
    scale: float  # of the noise of a report of one arm
    width: float
    square: int
    certified: int
    negative: int


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a report of one arm; that of K arms is K times as large."""
    return {"report": NoiseRequest("laplace", 1.0, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    certified = calibration == "certified"
    scale = noise["report"] if certified else 1.0 / setting["eps"]
    choices = int(setting["square"]), int(certified), int(setting["negative"])
    return Params(setting["eps"], scale, setting["width"], *choices)


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    square: int,
    certified: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    size = float(problem.size)
    power = size * size if square else size
    found = local_width(eps, power, width, certified, size * scale, checkpoints[-1])
    return play(rng, problem, Rules(found, 0.0, REPORT, size * scale, 0, 0, negative), checkpoints)


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    square: int,
    certified: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    K, log_T = problem.size, math.log(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = width * 4 * math.sqrt(2 * (K**2 if square else K) * log_T / (eps**2 * arm.n))
        if certified:
            bonus = math.sqrt(1.5 * log_T / arm.n) + needed_bonus(arm.n, K * scale, 3 * log_T) / arm.n
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        return x + laplace(rng, K * scale)

    return literal(rng, problem, index, report, least=False, checkpoints=checkpoints, negative=negative)
