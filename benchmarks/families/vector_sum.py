"""LinUCB with shuffled bits in batches, and its literal transcription, which treats users and labels one by one."""

import numpy as np
from numpy.random import Generator

from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.families.linucb import instance
from benchmarks.timing import Play, Side, seed_by_seed
from dpbandits.algorithms.linucb import linucb_sdp_vec as vector_sum

Array = np.ndarray
ARMS, DIMENSION, HORIZON = 100, 15, 20000
ROUNDS = 600  # the transcription is slow, so both sides play only this many
SETTING = {  # Section 5 of the paper; choices that it leaves open are as in our configuration
    **{"eps": 1.0, "delta": 0.1, "T": HORIZON, "norm": 1.0, "batch": 20, "batch_exponent": 0.0, "failure": 0.0},
    **{"ridge_factor": 2.0, "returning": 0, "bits_factor": 1.0, "fractional_bits": 0},
    **{"released_ridge": 0, "released_radius": 0, "released_noise": 0},
}


def constants(dimension: int, horizon: int) -> tuple[object, ...]:
    """Batch, ridge, radius and protocol as printed."""
    found = vector_sum.params("printed", {**SETTING, "dimension": dimension, "T": horizon}, {})
    return found.batch, found.ridge, found.radius, found.protocol


def ours(features: Array, theta: Array, horizon: int) -> Play:
    """The kernel with the constants for that horizon."""
    numbers = constants(len(theta), horizon)

    def run(rng: Generator, checkpoints: Array) -> Array:
        return vector_sum.run(rng, features, theta, *numbers, checkpoints)[:, 0]

    return seed_by_seed(run)


def literal(features: Array, theta: Array, horizon: int) -> Play:
    """The transcription."""
    numbers = constants(len(theta), horizon)
    return seed_by_seed(lambda rng, checkpoints: vector_sum.run_literal(rng, features, theta, *numbers, checkpoints))


def family_of() -> Family:
    """The family with all sides."""
    features, theta = instance(ARMS, DIMENSION)
    return family(
        "vector_sum",
        "LinUCB with the shuffled vector sum",
        f"d = {DIMENSION}, K = {ARMS}, B = {SETTING['batch']}, the first {ROUNDS} of {HORIZON} rounds",
        [
            Side(OURS, OURS, ours(features, theta, HORIZON), seeds=300, horizon=ROUNDS),
            Side("literal", "plain transcription: user by user", literal(features, theta, HORIZON), 1, ROUNDS),
        ],
        {"literal": Goal(50.0, 200.0)},
    )
