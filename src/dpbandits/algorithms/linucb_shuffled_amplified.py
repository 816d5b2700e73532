"""LinUCB with shuffled Gaussian reports, P_Amp: Algorithms 1 to 4 of Chowdhury and Zhou, arXiv 2202.05567.

    R1  x y + n, n ~ N(0, sigma^2 I)      R2  x x' + N, N_ij ~ N(0, sigma^2) for i <= j, copied to N_ji
    S   a uniform permutation of the B messages of a batch      A   the sum

sigma = 4 sqrt(2 ln(2.5 B / delta) ln(2 / delta)) / (eps sqrt B) (Theorem 3.2). Where a user may return in every batch
(`returning`), Theorem E.3: sigma = 16 ln(2 / delta) sqrt(T ln(5 T / delta)) / (eps B); putting its eps_m, delta_m
into the formula above gives ln(4 M / delta) ln(2 / delta) under the root where the paper prints ln(2 / delta)^2.

`certified`: the least sigma for which the local mechanism, or what its shuffling is known to add (Feldman, McMillan
and Talwar's clones), proves (eps, delta)-DP; for batches as small as the paper's it is that of the local one. Where
users return, the local one composed over M batches, exactly. `unit`: 1 / (eps sqrt B), times sqrt M for returning
users. Released: sigma = sqrt(ln(2.5 B / delta)) / (eps sqrt B) (`released_noise`); the rest as `linucb_local`.

Privacy: the shuffled messages of a batch are (eps, delta)-DP for ||x|| <= 1, y in [0, 1], at the calibration
`certified`; the paper claims O(eps, delta) for eps <= sqrt(ln(2 / delta) / B). Cost: as `linucb_local`.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import linucb_framework, linucb_literal
from dpbandits.algorithms.linucb_constants import Params as Params
from dpbandits.algorithms.linucb_constants import batch_of, batches_of
from dpbandits.algorithms.linucb_framework import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_local import around
from dpbandits.algorithms.linucb_protocol import Protocol
from dpbandits.privacy.gaussian_scales import shuffled_sd_printed, shuffled_sd_released, shuffled_sd_returning
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

run = linucb_framework.run


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks for: the noise on every entry of a message."""
    eps, delta = setting["eps"], setting["delta"]
    if setting["returning"]:
        everywhere = JOINT_SENSITIVITY * math.sqrt(batches_of(setting))
        return {"sd": NoiseRequest("gaussian", everywhere, eps, delta, n=1)}
    return {"sd": NoiseRequest("shuffled_gaussian", JOINT_SENSITIVITY, eps, delta, n=batch_of(setting))}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    eps, delta, horizon, batch = setting["eps"], setting["delta"], setting["T"], batch_of(setting)
    sd = shuffled_sd_printed(eps, delta, batch)
    if setting["returning"]:
        sd = shuffled_sd_returning(eps, delta, batch, horizon)
    if calibration == "certified":
        sd = noise["sd"]
    elif setting["unit"]:
        sd = math.sqrt(batches_of(setting) if setting["returning"] else 1.0) / (eps * math.sqrt(batch))
    elif setting["released_noise"]:
        sd = shuffled_sd_released(eps, delta, batch)
    return around(setting, sd)


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Protocol,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    d = len(theta)

    def randomise(x: np.ndarray, y: float) -> tuple[np.ndarray, np.ndarray]:
        noise = linucb_literal.symmetric_noise(rng, d, protocol.diagonal_sd, protocol.beside_sd)
        return x * y + rng.normal(0.0, protocol.vector_sd, d), np.outer(x, x) + noise

    def analyse(messages: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        vectors = [messages[i][0] for i in rng.permutation(len(messages))]
        matrices = [messages[i][1] for i in rng.permutation(len(messages))]
        return np.sum(vectors, axis=0), np.sum(matrices, axis=0)

    return linucb_literal.framework(rng, features, theta, batch, ridge, radius, checkpoints, randomise, analyse)
