"""Phased elimination with central Laplace noise on the reward sums of a core set.

Hanna, Girgis, Fragouli and Diggavi (arXiv 2207.03445), Algorithm 1.

Pseudo-code. Horizon T, dimension d, active set A_i of batch i, Lg = ln(4 |A_i| T^2), q = (2 T)^(1 / ln T) and L =
floor(ln T) - 1 of the batch schedule, B of Lemma 2, noise scale b. For i = 1, ..., L:

    L1  gamma_i = sqrt(4 d Lg / q^i) + b (2 B d^2 + 2 d Lg) / q^i; b = 1 / eps as printed
    L2  core set C_i, |C_i| <= B d, and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i)
    L3  pull each a in C_i n_ia times; s_ia = the sum of its rewards
    L4  r_ia = s_ia + Lap(b), fresh and independent for every (i, a)
    L5  theta_i = V^-1 sum_a r_ia a, V = sum_a n_ia a a'
    L6  A_{i+1} = {a in A_i : <a, theta_i> >= max over c in A_i of <c, theta_i> - 2 gamma_i}
    L7  after the last batch: play the best action of A_L under theta_L for the remaining rounds

The parameter `width` multiplies gamma_i; 1 is as printed. `extra_batches` adds batches to L.

Privacy: central. Neighboring datasets differ in one reward in [-1, 1], which is replaced. The paper bounds the change
of one reward by 1, but two rewards in [-1, 1] differ by up to 2. So the printed b = 1 / eps is exactly 2 eps-DP.
`certified` takes the least b for which the sequence of actions is eps-DP, and the width follows it.

Choices that the paper leaves open:
    maximum     In L6 it is over the active set, as in Algorithm 2. Algorithms 1 and 3 print the whole set, for whose
                eliminated actions the width says nothing. `whole_maximum` takes the whole set.
    last batch  The printed schedule can exceed T. A batch that the horizon cuts is played in random order up to the
                horizon, and not estimated.

Cost: L designs, independent of T. Skipping rounds is exact (see `batches`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import ACTIONS, PRIVATE, READING, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, NoiseRequest, add_laplace, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    core_factor: float  # B of Lemma 2 in L1
    noise_scale: float  # b; printed 1/eps


ALGORITHM = Algorithm(
    label="Phased elimination, central",
    short="central",
    reference="Hanna et al. 2022, Algorithm 1",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=ACTIONS,
    parameters={**READING, "core_factor": POSITIVE},
    arms=SIGNED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=PRIVATE,
    examples=(
        example({"width": 0.03, "core_factor": 1.5, "eps": 0.05}),
        example({"width": 0.03, "core_factor": 1.5, "eps": 0.02}, "tuned"),
        example({"width": 0.03, "core_factor": 1.5, "eps": 0.05}, "certified", noise_scale=40.0),
    ),
    look=Look("o", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: one reward in [-1, 1] changes one sum by up to 2, and batches are disjoint."""
    return {"noise_scale": NoiseRequest("laplace", sensitivity=2.0, eps=setting["eps"], delta=0.0, n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    scale = noise["noise_scale"] if calibration == "certified" else 1.0 / setting["eps"]
    return Params(reading=reading_of(setting), core_factor=setting["core_factor"], noise_scale=scale)


@kernel
def run(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    core_factor: float,
    noise_scale: float,
    checkpoints: np.ndarray,
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
        bias = (2.0 * core_factor * d**2 + 2.0 * d * log_term) * noise_scale / nominal
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + bias)  # L1
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)  # L2
        now = batches.play(rng, progress, active, core, pulls, gamma, noise_scale, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, progress, active, core, pulls)  # L3
        for k in range(len(core)):
            sums[k] = add_laplace(rng, sums[k], noise_scale)  # L4
        best, active = batches.eliminate(progress, active, coordinates, core, pulls, sums, gamma)  # L5, L6
    batches.commit(progress, best, now)  # L7
    return progress.trace


def run_literal(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    core_factor: float,
    noise_scale: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = actions.shape[1]
    eps = 1 / noise_scale
    return batches_literal.phased_elimination(
        rng,
        actions,
        theta,
        reading,
        checkpoints,
        gamma=lambda active, log_term, nominal, rounds: (
            math.sqrt(4 * d * log_term / nominal) + (2 * core_factor * d**2 + 2 * d * log_term) / (eps * nominal)
        ),
        report=lambda reward, rounds: reward,
        total=lambda reports: sum(reports) + laplace(rng, 1 / eps),
    )
