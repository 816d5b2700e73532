"""No algorithm: sqrt(t d) / eps, the rate of Theorem 3.2 of Han et al., arXiv 2106.03365, to measure exponents by.

Theorem 3.1 has the same rate in T and eps as an upper bound. Constants are left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.contexts.problem import Problem

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """The budget."""

    eps: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"])


def run(rng: Generator, problem: Problem, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """The rate at the checkpoints, (len(checkpoints), 1)."""
    d = problem.theta.shape[1]
    return np.array([[math.sqrt(float(t) * d) / eps] for t in checkpoints])


def run_literal(rng: Generator, problem: Problem, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same in one formula, (len(checkpoints),)."""
    return np.sqrt(checkpoints * problem.theta.shape[1]) / eps
