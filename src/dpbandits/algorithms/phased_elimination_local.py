"""Phased elimination with local Laplace noise: Algorithm 2 of Hanna et al., arXiv 2207.03445.

    for i = 1 .. L, q and L of the batch schedule:
    L1  core set C_i and distribution pi_i on it (Lemma 2); n_ia = ceil(pi_i(a) q^i), n_i = sum_a n_ia
    L2  gamma_i = sqrt(4 d Lg / q^i) + (2 d / (eps0 q^i)) sqrt(n_i Lg),  Lg = ln(4 |A_i| T^2)
    L3  pull each a in C_i n_ia times; every client sends its reward + Lap(1/eps0)
    L4  r_ia = the sum of the n_ia reports of a
    L5  theta_i = V^-1 sum_a r_ia a,  V = sum_a n_ia a a'
    L6  A_{i+1} = { a in A_i : <a, theta_i> >= max over A_i - 2 gamma_i }
    L7  play the best action of A_L under theta_L for the remaining rounds

The noise enters through its scale b alone: `printed` b = 1/eps0, and 1/eps0 in L2 is b. On rewards in [-1, 1] that
scale is exactly 2 eps0-LDP (the paper takes the range for 1); `certified` takes the least b that gives eps0-LDP, and
the width follows it. The grid's eps is eps0 here.

Deviations: the printed sum in L4 repeats the first report; all n_ia reports are meant. A batch that the horizon cuts is
played in random order up to the horizon and not estimated, since the printed schedule can exceed T.

Privacy: every report is eps0-LDP for rewards in [-1, 1], at the calibration `certified`. Cost: L designs, independent
of T; rounds are skipped, exactly: the noise of a batch is one difference of two Gamma(n_ia) (see `batches`,
`mechanisms`).
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
from dpbandits.privacy.mechanisms import NoiseRequest, laplace, laplace_sum


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading
    noise_scale: float  # b; printed 1/eps0


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks for: two rewards in [-1, 1] differ by up to 2."""
    return {"noise_scale": NoiseRequest("laplace", sensitivity=2.0, eps=setting["eps"], delta=0.0, n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
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
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)  # L1
        spread = 2.0 * d * noise_scale / nominal * math.sqrt(np.sum(pulls) * log_term)
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + spread)  # L2
        now = batches.play(rng, game, active, core, pulls, gamma, noise_scale, now)
        if now == horizon:
            break
        sums = batches.reward_sums(rng, game, active, core, pulls)  # L3
        for k in range(len(core)):
            sums[k] += laplace_sum(rng, noise_scale, pulls[k])  # L3, L4
        best, active = batches.eliminate(game, active, coordinates, core, pulls, sums, gamma)  # L5, L6
    batches.commit(game, best, now)  # L7
    return game.trace


def run_literal(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Reading,
    noise_scale: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
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
