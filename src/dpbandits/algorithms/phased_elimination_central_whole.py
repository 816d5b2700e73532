"""Algorithm 1 of Hanna et al. without its core set: noise on the entire action space, Figure 3(b) of arXiv 2207.03445.

The paper compares its Algorithm 1 with a run in which "the good set of actions is the whole action set" and says no
more. The batches, sums, estimates and eliminations are those of `phased_elimination_central`; what changes is

    L1  gamma_i = sqrt(4 d Lg / q^i) + (2 d |A_i| + 2 d Lg) / (eps q^i): there is one Laplace variable for every active
        action, which is what Lemmas 3 and 4 count; or, `printed_width`, still the printed 2 B d^2 in place of 2 d |A_i|
    L2  C_i = A_i: pi_i uniform; or, `frank_wolfe`, the near-optimal weights of plain Frank-Wolfe steps from the uniform
        distribution, none of which ever becomes zero (the paper remarks that they give a core set); n_ia as there

Three readings follow, variants of the configuration: `uniform`, `fw`, and `uniform_narrow` with the printed width.

Deviations, privacy and cost: as `phased_elimination_central`; the sums are as many as the active actions.
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
from dpbandits.optimal_design import frank_wolfe as plain_frank_wolfe
from dpbandits.privacy.mechanisms import NoiseRequest, laplace

NEAR = 0.01  # Frank-Wolfe stops at max g <= 1.01 m; source: our choice
MOST_STEPS = 2000  # of Frank-Wolfe; source: our choice


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    core_factor: float  # B of Lemma 2, for the printed width
    frank_wolfe: bool  # near-optimal weights instead of equal ones
    printed_width: bool  # the printed width instead of the one that counts the noise terms
    noise_scale: float  # b; printed 1/eps


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks for: one reward in [-1, 1] moves one sum by up to 2, and batches are disjoint."""
    return {"noise_scale": NoiseRequest("laplace", sensitivity=2.0, eps=setting["eps"], delta=0.0, n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
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
        noise_terms = core_factor * d if printed_width else 1.0 * len(active)
        bias = (2.0 * d * noise_terms + 2.0 * d * log_term) * noise_scale / nominal
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + bias)  # L1
        coordinates = batches.coordinates_of(actions, active)
        weights = np.full(len(active), 1.0 / len(active))
        if frank_wolfe:
            weights = plain_frank_wolfe(coordinates, NEAR, MOST_STEPS)
        core, pulls = batches.allocation(weights, nominal)  # L2
        now = batches.play(rng, game, active, core, pulls, gamma, noise_scale, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, game, active, core, pulls)
        for k in range(len(core)):
            sums[k] += laplace(rng, noise_scale)
        best, active = batches.eliminate(game, active, coordinates, core, pulls, sums, gamma)
    batches.commit(game, best, now)
    return game.trace


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
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
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
