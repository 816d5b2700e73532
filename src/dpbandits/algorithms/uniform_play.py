"""Uniform play: every round a random arm. Its pseudo-regret, in expectation over the arms, is T times the mean gap.

No learning and no reward; what the regret of a private algorithm is to be measured against.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Nothing to choose."""


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid: none."""
    return Params()


@kernel
def run(rng: Generator, features: np.ndarray, theta: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The expected regret at the checkpoints, (len(checkpoints), 1)."""
    means = np.zeros(len(features))
    for a in range(len(features)):
        for i in range(len(theta)):
            means[a] += features[a, i] * theta[i]
    gap = np.max(means) - np.mean(means)
    return (checkpoints * gap).reshape(-1, 1)


def run_literal(rng: Generator, features: np.ndarray, theta: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The regret of arms drawn round by round, (len(checkpoints),)."""
    means = features @ theta
    arms = rng.integers(len(means), size=int(checkpoints[-1]))
    return np.concatenate([[0.0], np.cumsum(means.max() - means[arms])])[checkpoints]
