"""Phased elimination with shuffled Laplace noise: clients add noise, and a shuffler hides who they are.

Hanna, Girgis, Fragouli and Diggavi (arXiv 2207.03445), Algorithm 3.

Pseudo-code. Horizon T, dimension d, active set A_i of batch i, Lg = ln(4 |A_i| T^2), q = (2 T)^(1 / ln T) and L =
floor(ln T) - 1 of the batch schedule, noise scale b_i. For i = 1, ..., L:

    L1  core set C_i and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i), n_i = sum_a n_ia
    L2  b_i = 1 / eps0_i, eps0_i = f^-1(eps), f the amplification of n_i shuffled reports at the parameter delta
    L3  gamma_i = sqrt(4 d Lg / q^i) + (2 d b_i / q^i) sqrt(n_i Lg)
    L4  the shuffler hands the actions to the n_i clients in random order; each sends their reward + Lap(b_i); the
        server receives the pairs (action, report) without knowing whose they are
    L5  r_ia = the sum of the n_ia reports of a
    L6  theta_i = V^-1 sum_a r_ia a, V = sum_a n_ia a a'
    L7  A_{i+1} = {a in A_i : <a, theta_i> >= max over c in A_i of <c, theta_i> - 2 gamma_i}
    L8  after the last batch: play the best action of A_L under theta_L for the remaining rounds

The parameter `width` multiplies gamma_i; 1 is as printed. `extra_batches` adds batches to L.

`privacy.amplification` has f.

Privacy: shuffle. Neighboring datasets differ in one reward in [-1, 1], which is replaced. As printed, no guarantee is
proven. The range of a reward is 2, not 1, so a report is 2 eps0_i-LDP. The paper uses f^-1 beyond ln(n_i / (16
ln(2 / delta))), where the amplification theorem does not apply. In batch i, `certified` takes the least scale b_i for
which the report alone, clones or the blanket of Laplace noise prove that the shuffler's output is (eps, delta)-DP; a
report is (2 / b_i)-LDP. The bound is computed for the smallest possible batch, ceil(q^i) reports, and the width follows
the scale.

Choices that the paper leaves open:
    delta       The paper gives no delta, so it is a parameter.
    maximum     In L7 it is over the active set, as in Algorithm 2. Algorithms 1 and 3 print the whole set, for whose
                eliminated actions the width says nothing. `whole_maximum` takes the whole set.
    last batch  The printed schedule can exceed T. A batch that the horizon cuts is played in random order up to the
                horizon, and not estimated.

Cost: L designs, independent of T. Skipping rounds is exact (see `batches`, `mechanisms`).
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import PROBABILITY, Algorithm, Guarantee, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import PRIVATE, READING, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED
from dpbandits.privacy.amplification import local_budget
from dpbandits.privacy.mechanisms import LAPLACE_SUM_NOISE, NoiseRequest, add_laplace_sum, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    eps: float  # epsilon after shuffling
    delta: float  # of the amplification
    scales: np.ndarray  # (batches,) certified scales; empty as printed, where they depend on the size of each batch


ALGORITHM = Algorithm(
    label="Phased elimination, shuffled",
    short="shuffled",
    reference="Hanna et al. 2022, Algorithm 3",
    trust_model="shuffle",
    noise=(LAPLACE_SUM_NOISE,),
    guarantee=Guarantee("the shuffler's output is (eps, delta)-DP", "one reward in [-1, 1] is replaced"),
    parameters={**READING, "delta": PROBABILITY},
    arms=SIGNED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=PRIVATE,
    examples=(
        example({"width": 0.1, "delta": 1e-6, "eps": 0.2}),
        example({"width": 0.1, "delta": 1e-6, "eps": 0.5}, "tuned"),
        example({"width": 0.1, "delta": 1e-6, "eps": 0.2}, "certified", **{f"batch_{i}": 4.0 for i in range(1, 6)}),
    ),
    look=Look("s", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`, batch by batch: a batch has at least ceil(q^i) reports, and fewer would hide less."""
    eps, delta = setting["eps"], setting["delta"]
    q, last = batches.batch_schedule(int(setting["T"]))
    return {
        f"batch_{i}": NoiseRequest("shuffled_laplace", 2.0, eps, delta, math.ceil(q ** float(i)))
        for i in range(1, last + int(setting["extra_batches"]) + 1)
    }


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    scales = [noise[f"batch_{i}"] for i in range(1, len(noise) + 1)] if calibration == "certified" else []
    return Params(reading_of(setting), setting["eps"], setting["delta"], np.array(scales, dtype=np.float64))


@kernel
def run(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    eps: float,
    delta: float,
    scales: np.ndarray,
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
        rounds = np.sum(pulls)
        local_scale = scales[i - 1] if len(scales) > 0 else 1.0 / local_budget(eps, rounds, delta)  # L2
        spread = 2.0 * d * local_scale / nominal * math.sqrt(rounds * log_term)
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + spread)  # L3
        now = batches.play(rng, progress, active, core, pulls, gamma, local_scale, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, progress, active, core, pulls)  # L4
        for k in range(len(core)):
            sums[k] = add_laplace_sum(rng, sums[k], local_scale, pulls[k])  # L4, L5
        best, active = batches.eliminate(progress, active, coordinates, core, pulls, sums, gamma)  # L6, L7
    batches.commit(progress, best, now)  # L8
    return progress.trace


def run_literal(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    eps: float,
    delta: float,
    scales: np.ndarray,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = actions.shape[1]

    @functools.cache
    def scale(rounds: int) -> float:
        if len(scales) > 0:
            q = (2 * checkpoints[-1]) ** (1 / math.log(checkpoints[-1]))
            return float(scales[math.floor(math.log(rounds) / math.log(q) + 1e-9) - 1])
        log_term = math.log(4 / delta)

        def excess(x: float) -> float:
            clones = 8 * math.sqrt(math.exp(x) * log_term / rounds) + 8 * math.exp(x) / rounds
            return math.log(1 + (math.exp(x) - 1) / (math.exp(x) + 1) * clones) - eps

        low, high = 1e-9, 600.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) < 0 else (low, middle)
        return 1 / low

    return batches_literal.phased_elimination(
        rng,
        actions,
        theta,
        reading,
        checkpoints,
        gamma=lambda active, log_term, nominal, rounds: (
            math.sqrt(4 * d * log_term / nominal) + 2 * d / nominal * scale(rounds) * math.sqrt(rounds * log_term)
        ),
        report=lambda reward, rounds: reward + laplace(rng, scale(rounds)),
        total=sum,
    )
