"""CUCB-LDP2: Algorithm 2 of Chen, Zheng, Zhou, Yang, Chen and Wang, arXiv 2006.00706.

    in every round
        index_i = min(mean_i + 4 sqrt(2 ln T / (eps^2 n_i)), 1), 1 for an arm without reports
        play S = Oracle(index), or any super arm where some index is negative
        I = the arm of S with the fewest reports;   the user sends x_I + Lap(1 / eps)
        mean_I = (n_I mean_I + report) / (n_I + 1);   n_I += 1

n counts reports, not plays. With one arm in every super arm it is CUCB-LDP1. The bonus has no term for the sampling, so
that it is too small for large eps. `width` multiplies it, and the certified bonus covers sampling and noise.

Privacy: one number in [0, 1] is sent, so that a report is eps-locally private; S and I are functions of earlier
reports. Printed and certified noise coincide.
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
    scale: float
    width: float
    certified: int
    negative: int


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a report."""
    return {"report": NoiseRequest("laplace", 1.0, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    certified = calibration == "certified"
    scale = noise["report"] if certified else 1.0 / setting["eps"]
    return Params(setting["eps"], scale, setting["width"], int(certified), int(setting["negative"]))


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    certified: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    found = local_width(eps, 1.0, width, certified, scale, checkpoints[-1])
    return play(rng, problem, Rules(found, 0.0, REPORT, scale, 0, 1, negative), checkpoints)


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    scale: float,
    width: float,
    certified: int,
    negative: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    log_T = math.log(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = width * 4 * math.sqrt(2 * log_T / (eps**2 * arm.n))
        if certified:
            bonus = math.sqrt(1.5 * log_T / arm.n) + needed_bonus(arm.n, scale, 3 * log_T) / arm.n
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    def report(arm: Arm, x: float, t: int) -> float:
        return x + laplace(rng, scale)

    return literal(rng, problem, index, report, least=True, checkpoints=checkpoints, negative=negative)
