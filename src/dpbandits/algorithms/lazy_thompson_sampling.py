"""draft"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.play import open_play, pull, released
from dpbandits.algorithms.thinning import Beliefs, Bound, every_round, stretch
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    privacy_bonus: float  # 3


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"], setting["privacy_bonus"])


@kernel
def open_beliefs(rng, play, means, eps, privacy_bonus):
    arms = len(means)
    b = Beliefs(np.zeros(arms), np.full(arms, privacy_bonus / eps), np.ones(arms, np.int64), np.full(arms, 2, np.int64))
    for j in range(arms):
        b.noisy[j] = rng.binomial(1, means[j]) + laplace(rng, 1.0 / eps)
        released(play, 1)
        pull(play, j, 1, j)
    return b


@kernel
def release(rng, play, b, i, means, eps, privacy_bonus):
    size = 2 * b.n[i]
    b.noisy[i] = (rng.binomial(size, means[i]) + laplace(rng, 1.0 / eps)) / size
    b.n[i] = size
    b.bonus[i] = privacy_bonus / (eps * size)
    b.left[i] = 2 * size
    released(play, 1)


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, privacy_bonus: float, checkpoints: np.ndarray) -> np.ndarray:
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    b = open_beliefs(rng, play, means, eps, privacy_bonus)
    bounds = Bound(0.0, np.empty(arms), np.empty(arms), np.empty(arms))
    now = arms
    while now < horizon:
        now, i = stretch(rng, play, b, now, horizon, bounds)
        if b.left[i] == 0:
            release(rng, play, b, i, means, eps, privacy_bonus)
    return play.trace


@kernel
def run_per_round(rng: Generator, means: np.ndarray, eps: float, privacy_bonus: float, checkpoints: np.ndarray) -> np.ndarray:
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    b = open_beliefs(rng, play, means, eps, privacy_bonus)
    now = arms
    while now < horizon:
        now, i = every_round(rng, play, b, now, horizon)
        if b.left[i] == 0:
            release(rng, play, b, i, means, eps, privacy_bonus)
    return play.trace
