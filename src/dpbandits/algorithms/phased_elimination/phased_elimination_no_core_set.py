"""Phased elimination with central Laplace noise on all active actions: Algorithm 1 without its core set.

Hanna, Girgis, Fragouli and Diggavi (arXiv 2207.03445), Figure 3(b).

Pseudo-code. Horizon T, dimension d, active set A_i of batch i, Lg = ln(4 |A_i| T^2), q = (2 T)^(1 / ln T) and L =
floor(ln T) - 1 of the batch schedule, B of Lemma 2, noise scale b. For i = 1, ..., L:

    L1  gamma_i = sqrt(4 d Lg / q^i) + b (2 d |A_i| + 2 d Lg) / q^i
    L2  C_i = A_i; pi_i uniform on A_i; n_ia = ceil(pi_i(a) q^i)
    L3  pull each a in C_i n_ia times; s_ia = the sum of its rewards
    L4  r_ia = s_ia + Lap(b), fresh and independent for every (i, a); b = 1 / eps as printed
    L5  theta_i = V^-1 sum_a r_ia a, V = sum_a n_ia a a'
    L6  A_{i+1} = {a in A_i : <a, theta_i> >= max over c in A_i of <c, theta_i> - 2 gamma_i}
    L7  after the last batch: play the best action of A_L under theta_L for the remaining rounds

The paper does not print this algorithm. `printed_width` and `frank_wolfe` are two more readings of its text, not steps
of one algorithm. Each replaces one line:

    L8  instead of L1 if `printed_width`: gamma_i = sqrt(4 d Lg / q^i) + b (2 B d^2 + 2 d Lg) / q^i, that of Algorithm 1
    L9  instead of L2 if `frank_wolfe`: C_i = A_i; pi_i the weights after Frank-Wolfe steps; n_ia = ceil(pi_i(a) q^i)

The parameter `width` multiplies gamma_i; 1 is as printed. `extra_batches` adds batches to L.

L3 to L7 are those of `phased_elimination_central`.

Privacy: central. Neighboring datasets differ in one reward in [-1, 1], which is replaced. Two such rewards differ by up
to 2, so the printed b = 1 / eps is exactly 2 eps-DP. `certified` takes the least b for which the sequence of actions is
eps-DP, and the width follows it.

Choices that the paper leaves open:
    whole set   The paper compares its Algorithm 1 with a run in which "the good set of actions is the whole action
                set" and says no more. The configuration has the literal reading, `whole` (no action is ever
                eliminated), and three of ours: `uniform` (L1 and L2), `fw` (L1 and L9) and `uniform_narrow`
                (L8 and L2).
    width       There is one Laplace variable for every active action, which is what Lemmas 3 and 4 count. Default:
                2 d |A_i|, as in L1. `printed_width` takes L8.
    weights     Default: uniform, as in L2. `frank_wolfe` takes L9. Plain Frank-Wolfe steps from the uniform
                distribution are near-optimal and never set a weight to zero. The paper remarks that they give a core
                set.
    maximum     In L6 it is over the active set, as in Algorithm 2. Algorithms 1 and 3 print the whole set, for whose
                eliminated actions the width says nothing. `whole_maximum` takes the whole set.
    last batch  The printed schedule can exceed T. A batch that the horizon cuts is played in random order up to the
                horizon, and not estimated.

Cost: L designs, independent of T; there are as many sums as active actions. Skipping rounds is exact (see `batches`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, SWITCH, Algorithm, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import ACTIONS, PRIVATE, READING, WHOLE, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED
from dpbandits.numerics.optimal_design import frank_wolfe as plain_frank_wolfe
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, NoiseRequest, add_laplace, laplace

NEAR = 0.01  # Frank-Wolfe stops at max g <= 1.01 m; source: our choice
MOST_STEPS = 2000  # largest number of Frank-Wolfe steps; source: our choice


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    core_factor: float  # B of Lemma 2, for the printed width
    frank_wolfe: bool  # near-optimal weights instead of equal ones
    printed_width: bool  # the printed width instead of the one that counts the noise terms
    noise_scale: float  # b; printed 1/eps


ALGORITHM = Algorithm(
    label="Phased elimination, central, without core set",
    short="no core set",
    reference="Hanna et al. 2022, baseline in Figure 3(b)",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=ACTIONS,
    parameters={**READING, "core_factor": POSITIVE, "frank_wolfe": SWITCH, "printed_width": SWITCH},
    arms=SIGNED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=PRIVATE,
    examples=(
        example(WHOLE),
        example({**WHOLE, "eps": 0.05}, "tuned"),
        example(WHOLE, "certified", noise_scale=20.0),
    ),
    look=Look("v", "--", "light"),
    looks={
        "fw": Look("D", "-.", "dark"),
        "uniform_narrow": Look("P", ":", "light"),
    },
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: one reward in [-1, 1] changes one sum by up to 2, and batches are disjoint."""
    return {"noise_scale": NoiseRequest("laplace", sensitivity=2.0, eps=setting["eps"], delta=0.0, n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    return Params(
        reading=reading_of(setting),
        core_factor=setting["core_factor"],
        frank_wolfe=bool(setting["frank_wolfe"]),
        printed_width=bool(setting["printed_width"]),
        noise_scale=noise["noise_scale"] if calibration == "certified" else 1.0 / setting["eps"],
    )


@kernel
def run(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    core_factor: float,
    frank_wolfe: bool,
    printed_width: bool,
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
        noise_terms = core_factor * d if printed_width else 1.0 * len(active)  # L8 or L1
        bias = (2.0 * d * noise_terms + 2.0 * d * log_term) * noise_scale / nominal
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + bias)  # L8 or L1
        coordinates = batches.coordinates_of(actions, active)
        weights = np.full(len(active), 1.0 / len(active))  # L2
        if frank_wolfe:
            weights = plain_frank_wolfe(coordinates, NEAR, MOST_STEPS)  # L9
        core, pulls = batches.allocation(weights, nominal)  # L9 or L2
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
    frank_wolfe: bool,
    printed_width: bool,
    noise_scale: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = actions.shape[1]
    eps = 1 / noise_scale

    def width(active: int, log_term: float, nominal: float, rounds: int) -> float:
        extra = 2 * core_factor * d**2 if printed_width else 2 * d * active
        return math.sqrt(4 * d * log_term / nominal) + (extra + 2 * d * log_term) / (eps * nominal)

    return batches_literal.phased_elimination(
        rng,
        actions,
        theta,
        reading,
        checkpoints,
        gamma=width,
        report=lambda reward, rounds: reward,
        total=lambda reports: sum(reports) + laplace(rng, 1 / eps),
        weights=batches_literal.frank_wolfe if frank_wolfe else lambda points: np.full(len(points), 1 / len(points)),
    )
