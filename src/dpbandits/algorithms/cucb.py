"""CUCB: optimism for combinatorial semi-bandits without privacy, Chen, Wang and Yuan, JMLR 2016.

    in every round t
        index_i = min(mean_i + sqrt(3 ln t / (2 n_i)), 1), 1 for an arm never seen
        play S = Oracle(index), and add the outcomes of its arms to their means

CombUCB1 (Kveton, Wen, Ashkan and Szepesvari 2015) has the same width. With `anytime` 0 it is ln T in place of ln t, as
in the private versions of Chen et al. (2020): widths then change with the counts alone. Constants are recalled from
the literature.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit import NONE, RANDOM, Rules, play
from dpbandits.algorithms.semi_bandit import OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit_literal import Arm, literal
from dpbandits.algorithms.widths import Width, sampling_root
from dpbandits.decision_sets.problem import Problem
from dpbandits.jit import kernel


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    anytime: int


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(int(setting["anytime"]))


@kernel
def run(rng: Generator, problem: Problem, anytime: int, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    width = Width(sampling_root(checkpoints[-1]), 0.0, 0.0, 0.0)
    return play(rng, problem, Rules(width, 1.5 if anytime else 0.0, NONE, 0.0, 0, 0, RANDOM), checkpoints)


def run_literal(rng: Generator, problem: Problem, anytime: int, checkpoints: np.ndarray) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    horizon = int(checkpoints[-1])

    def index(arm: Arm, t: int) -> float:
        bonus = math.sqrt(3 * math.log(t if anytime else horizon) / (2 * arm.n))
        return min(sum(arm.reports) / arm.n + bonus, 1.0)

    return literal(rng, problem, index, lambda arm, x, t: x, least=False, checkpoints=checkpoints)
