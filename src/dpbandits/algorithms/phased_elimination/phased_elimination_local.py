"""Phased elimination with local Laplace noise: every client adds noise to their reward.

Hanna, Girgis, Fragouli and Diggavi (arXiv 2207.03445), Algorithm 2.

Pseudo-code. Horizon T, dimension d, active set A_i of batch i, Lg = ln(4 |A_i| T^2), q = (2 T)^(1 / ln T) and L =
floor(ln T) - 1 of the batch schedule, noise scale b. For i = 1, ..., L:

    L1  core set C_i and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i), n_i = sum_a n_ia
    L2  gamma_i = sqrt(4 d Lg / q^i) + (2 d b / q^i) sqrt(n_i Lg); b = 1 / eps0 as printed
    L3  pull each a in C_i n_ia times; every client sends their reward + Lap(b)
    L4  r_ia = the sum of the n_ia reports of a
    L5  theta_i = V^-1 sum_a r_ia a, V = sum_a n_ia a a'
    L6  A_{i+1} = {a in A_i : <a, theta_i> >= max over c in A_i of <c, theta_i> - 2 gamma_i}
    L7  after the last batch: play the best action of A_L under theta_L for the remaining rounds

The parameter `width` multiplies gamma_i; 1 is as printed. `extra_batches` adds batches to L.

The eps of the grid is eps0.

Privacy: local. Neighboring datasets differ in one reward in [-1, 1], which is replaced. The paper assumes that rewards
have range 1, but the range is 2. So the printed b = 1 / eps0 is exactly 2 eps0-LDP. `certified` takes the least b for
which every report is eps0-LDP, and the width follows it.

Choices that the paper leaves open:
    reports     The printed sum in L4 has the first report in every term. We take all n_ia reports.
    last batch  The printed schedule can exceed T. A batch that the horizon cuts is played in random order up to the
                horizon, and not estimated.

Cost: L designs, independent of T. Skipping rounds is exact: the noise of a batch is one difference of two Gamma(n_ia)
variables (see `batches`, `mechanisms`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Guarantee, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import PRIVATE, READING, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED
from dpbandits.privacy.mechanisms import LAPLACE_SUM_NOISE, NoiseRequest, add_laplace_sum, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    noise_scale: float  # b; printed 1/eps0


ALGORITHM = Algorithm(
    label="Phased elimination, local",
    short="local",
    reference="Hanna et al. 2022, Algorithm 2",
    trust_model="local",
    noise=(LAPLACE_SUM_NOISE,),
    guarantee=Guarantee("every report is eps-LDP", "one reward in [-1, 1] is replaced"),
    parameters=READING,
    arms=SIGNED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=PRIVATE,
    examples=(
        example({"width": 0.1, "eps": 0.2}),
        example({"width": 0.1, "eps": 0.1}, "tuned"),
        example({"width": 0.1, "eps": 0.2}, "certified", noise_scale=10.0),
    ),
    look=Look("^", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: two rewards in [-1, 1] differ by up to 2."""
    return {"noise_scale": NoiseRequest("laplace", sensitivity=2.0, eps=setting["eps"], delta=0.0, n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    scale = noise["noise_scale"] if calibration == "certified" else 1.0 / setting["eps"]
    return Params(reading=reading_of(setting), noise_scale=scale)


@kernel
def run(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
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
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)  # L1
        spread = 2.0 * d * noise_scale / nominal * math.sqrt(np.sum(pulls) * log_term)
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + spread)  # L2
        now = batches.play(rng, progress, active, core, pulls, gamma, noise_scale, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, progress, active, core, pulls)  # L3
        for k in range(len(core)):
            sums[k] = add_laplace_sum(rng, sums[k], noise_scale, pulls[k])  # L3, L4
        best, active = batches.eliminate(progress, active, coordinates, core, pulls, sums, gamma)  # L5, L6
    batches.commit(progress, best, now)  # L7
    return progress.trace


def run_literal(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    noise_scale: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = actions.shape[1]
    eps0 = 1 / noise_scale
    return batches_literal.phased_elimination(
        rng,
        actions,
        theta,
        reading,
        checkpoints,
        gamma=lambda active, log_term, nominal, rounds: (
            math.sqrt(4 * d * log_term / nominal) + 2 * d / (nominal * eps0) * math.sqrt(rounds * log_term)
        ),
        report=lambda reward, rounds: reward + laplace(rng, 1 / eps0),
        total=sum,
    )
