"""LinUCB with local noise: Zheng et al., arXiv 2006.01836, and Batched-Local-LinUCB, Appendix F of arXiv 2202.05567.

    R1  x y + n, n ~ N(0, sigma^2 I)      R2  x x' + N, N_ij ~ N(0, sigma^2) for i <= j, copied to N_ji
    S   none                              A   the sum

sigma = 4 sqrt(2 ln(2.5 / delta)) / eps (Proposition F.1; LinUCB-LDP has B = 1). `certified`: the least sigma for
which one user's message (x y, x x') is (eps, delta)-DP, by the exact curve of the Gaussian mechanism at the joint
sensitivity of both. `unit`: sigma = 1/eps, to see rates. Released: sigma = sqrt(ln(2.5 / delta)) / eps
(`released_noise`), noise (N + N') / 2 on the matrix (`released_symmetry`), Gamma = sigma sqrt(T d), ridge 2 Gamma.

Privacy: every message is (eps, delta)-DP for ||x|| <= 1 and y in [0, 1]; the features of the released code have norm
sqrt 2. Cost: a factorisation and K quadratic forms a batch.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import linucb_framework, linucb_literal
from dpbandits.algorithms.linucb_constants import Params as Params
from dpbandits.algorithms.linucb_constants import params_of
from dpbandits.algorithms.linucb_framework import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_protocol import GAUSSIAN, Protocol, gaussian
from dpbandits.privacy.gaussian_scales import local_sd_printed, local_sd_released
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

run = linucb_framework.run


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks for: the noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    eps, delta = setting["eps"], setting["delta"]
    sd = local_sd_printed(eps, delta)
    if calibration == "certified":
        sd = noise["sd"]
    elif setting["unit"]:
        sd = 1.0 / eps
    elif setting["released_noise"]:
        sd = local_sd_released(eps, delta)
    return around(setting, sd)


def around(setting: Mapping[str, float], sd: float) -> Params:
    """Ridge and radius for fresh Gaussian noise of that standard deviation on every entry of every message."""
    gamma = sd * math.sqrt(setting["T"] * setting["dimension"])
    beside = math.sqrt(0.5) if setting["released_symmetry"] else 1.0
    protocol = gaussian(GAUSSIAN, sd, beside=beside)
    return params_of(setting, protocol, sd * math.sqrt(setting["T"]), gamma, 2.0 * gamma)


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

    def randomise(x: np.ndarray, y: float) -> tuple[np.ndarray, np.ndarray]:
        vector = x * y + rng.normal(0.0, protocol.vector_sd, len(x))
        noise = linucb_literal.symmetric_noise(rng, len(x), protocol.diagonal_sd, protocol.beside_sd)
        return vector, np.outer(x, x) + noise

    return linucb_literal.framework(
        rng, features, theta, batch, ridge, radius, checkpoints, randomise, linucb_literal.summed
    )
