"""Phased elimination with a core set and no noise: the baseline of Figures 2 to 4 of Hanna et al., arXiv 2207.03445.

The paper cites chapter 22 of Lattimore and Szepesvari and calls the baseline a "batched algorithm that adds no noise".
Read here as Algorithm 1 without its noise and without the noise part of its width, the only choice for which "the
regret converges to the non-private one" can be exactly true.

    for i = 1 .. L, q and L of the batch schedule:
    L1  gamma_i = sqrt(4 d Lg / q^i),  Lg = ln(4 |A_i| T^2)
    L2  core set C_i and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i)
    L3  pull each a in C_i n_ia times; r_ia = the sum of its rewards
    L4  theta_i = V^-1 sum_a r_ia a,  V = sum_a n_ia a a'
    L5  A_{i+1} = { a in A_i : <a, theta_i> >= max over A_i - 2 gamma_i }
    L6  play the best action of A_L under theta_L for the remaining rounds

Deviations: the maximum in L5 is over the active set (the paper's Algorithms 1 and 3 print the whole set, for whose
eliminated actions the width says nothing); a batch that the horizon cuts is played in random order up to the horizon
and not estimated, since the printed schedule can exceed T.

Privacy: none. Cost: L designs, independent of T; rounds are skipped, exactly (see `batches`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import batches, batches_literal
from dpbandits.algorithms.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.batches import Reading, reading_of
from dpbandits.jit import kernel


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; there is no noise to calibrate."""
    return Params(reading=reading_of(setting))


@kernel
def run(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    horizon = checkpoints[-1]
    d = actions.shape[1]
    game = batches.open_game(actions, theta, reading, checkpoints)
    active = np.arange(len(actions))
    best, now = 0, 0
    q, last = batches.batch_schedule(horizon)
    for i in range(1, last + reading.extra_batches + 1):
        nominal = q ** float(i)  # the same bits with and without numba, which multiplies for an integer power
        log_term = batches.log_confidence(len(active), horizon)
        gamma = reading.width * math.sqrt(4.0 * d * log_term / nominal)  # L1
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)  # L2
        now = batches.play(rng, game, active, core, pulls, gamma, 0.0, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, game, active, core, pulls)  # L3
        best, active = batches.eliminate(game, active, coordinates, core, pulls, sums, gamma)  # L4, L5
    batches.commit(game, best, now)  # L6
    return game.trace


def run_literal(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = actions.shape[1]
    return batches_literal.phased_elimination(
        rng,
        actions,
        theta,
        reading,
        checkpoints,
        gamma=lambda active, log_term, nominal, rounds: math.sqrt(4 * d * log_term / nominal),
        report=lambda reward, rounds: reward,
        total=sum,
    )
