"""Phased elimination with a core set and no noise: the baseline of Figures 2 to 4.

Hanna, Girgis, Fragouli and Diggavi (arXiv 2207.03445), Algorithm 1 without its noise.

Pseudo-code. Horizon T, dimension d, active set A_i of batch i, Lg = ln(4 |A_i| T^2), q = (2 T)^(1 / ln T) and L =
floor(ln T) - 1 of the batch schedule. For i = 1, ..., L:

    L1  gamma_i = sqrt(4 d Lg / q^i)
    L2  core set C_i and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i)
    L3  pull each a in C_i n_ia times; r_ia = the sum of its rewards
    L4  theta_i = V^-1 sum_a r_ia a, V = sum_a n_ia a a'
    L5  A_{i+1} = {a in A_i : <a, theta_i> >= max over c in A_i of <c, theta_i> - 2 gamma_i}
    L6  after the last batch: play the best action of A_L under theta_L for the remaining rounds

The parameter `width` multiplies gamma_i; 1 is as printed. `extra_batches` adds batches to L.

Privacy: none.

Choices that the paper leaves open:
    baseline    The paper cites chapter 22 of Lattimore and Szepesvari and calls the baseline a "batched algorithm that
                adds no noise". We read it as Algorithm 1 without its noise and without the noise part of its width:
                the only reading for which "the regret converges to the non-private one" can be exactly true.
    maximum     In L5 it is over the active set. Algorithms 1 and 3 print the whole set, for whose eliminated actions
                the width says nothing. `whole_maximum` takes the whole set.
    last batch  The printed schedule can exceed T. A batch that the horizon cuts is played in random order up to the
                horizon, and not estimated.

Cost: L designs, independent of T. Skipping rounds is exact (see `batches`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import NOT_PRIVATE, READING, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading


ALGORITHM = Algorithm(
    label="Phased elimination (no privacy)",
    short="non-private",
    reference="Hanna et al. 2022, baseline of Figures 2 to 4",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters=READING,
    arms=SIGNED,
    grid=(),
    outputs=OUTPUTS,
    calibrations=NOT_PRIVATE,
    examples=(example({"width": 0.1}), example({"width": 0.2}, "tuned")),
    look=Look("", "--"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; there is no noise to calibrate."""
    return Params(reading=reading_of(setting))


@kernel
def run(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    horizon = checkpoints[-1]
    d = actions.shape[1]
    progress = batches.start(actions, theta, reading, checkpoints)
    active = np.arange(len(actions))
    best, now = 0, 0
    q, last = batches.batch_schedule(horizon)
    for i in range(1, last + reading.extra_batches + 1):
        nominal = q ** float(i)  # the same bits with and without numba, which multiplies for an integer power
        log_term = batches.log_confidence(len(active), horizon)
        gamma = reading.width * math.sqrt(4.0 * d * log_term / nominal)  # L1
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)  # L2
        now = batches.play(rng, progress, active, core, pulls, gamma, 0.0, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, progress, active, core, pulls)  # L3
        best, active = batches.eliminate(progress, active, coordinates, core, pulls, sums, gamma)  # L4, L5
    batches.commit(progress, best, now)  # L6
    return progress.trace


def run_literal(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
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
