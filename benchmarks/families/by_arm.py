"""Greedy least squares with one parameter per arm, with noise in all arms in every round."""

import numpy as np
from numpy.random import Generator

from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.compiled import compiled
from benchmarks.timing import Play, Side, stream
from dpbandits.algorithms.glm_multi import ldp_ols_multi as by_arm
from dpbandits.environments.contextual import shared_gaussian
from dpbandits.environments.contextual.problem import Problem

Array = np.ndarray
ARMS, DIMENSION, HORIZON = 3, 20, 2000
WARM_UP = 60  # rounds in which only one arm gets messages; few, so that mainly the later rounds are measured
SETTING = {"eps": 1.0, "delta": 0.1, "T": HORIZON, "warm_up": WARM_UP, "threshold": 0.0, "failure": 0.1}
NOISE = 0.05  # of the rewards


def problem_of(arms: int, dimension: int) -> Problem:
    """Problem instance."""
    return shared_gaussian.draw(stream(7), arms, dimension, NOISE)[0]


def rules_of(arms: int, dimension: int) -> by_arm.Rules:
    """The constants of the released code."""
    return by_arm.params("released", {**SETTING, "arms": arms, "dimension": dimension}, {}).rules


def play_of(run: by_arm.run, arms: int, dimension: int) -> Play:
    """Play function of the kernel or of its transcription, with the seed's contexts and rewards."""
    problem, rules = problem_of(arms, dimension), rules_of(arms, dimension)

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        every = range(first_seed, first_seed + seeds)
        return np.array([run(stream(s), problem._replace(stream=s), rules, checkpoints)[:, 0] for s in every])

    return play


@compiled
def normals(rng: Generator, arms: int, entries: int, warm_up: int, horizon: int) -> float:
    """Noise of all messages."""
    total = 0.0
    for t in range(horizon):
        for _ in range(entries if t < warm_up else arms * entries):
            total += rng.standard_normal()
    return total


def limit(first_seed: int, seeds: int, checkpoints: Array) -> Array:
    """Draw only the normals that every run needs."""
    entries = DIMENSION + DIMENSION * (DIMENSION + 1) // 2
    every = range(first_seed, first_seed + seeds)
    return np.array([normals(stream(seed), ARMS, entries, WARM_UP, checkpoints[-1]) for seed in every])


def family_of() -> Family:
    """The family with all sides."""
    ours, literal = (play_of(run, ARMS, DIMENSION) for run in (by_arm.run, by_arm.run_literal))
    return family(
        "by_arm",
        "Least squares by arm",
        f"d = {DIMENSION}, K = {ARMS}, T = {HORIZON}",
        [
            Side(OURS, OURS, ours, seeds=10, horizon=HORIZON),
            Side("literal", "plain NumPy loop", literal, seeds=1, horizon=HORIZON),
            Side("limit", "limit: normals alone", limit, seeds=40, horizon=HORIZON, bound=True),
        ],
        {"limit": Goal(0.5)},
    )
