"""LinUCB with local Gaussian noise: every user randomizes their own message.

LinUCB-LDP of Zheng et al. (arXiv 2006.00701), with B = 1; Batched-Local-LinUCB of Chowdhury and Zhou (ICML 2022, arXiv
2202.05567), Appendix F.

Pseudo-code. x_a the features of arm a, x_t and y_t those of the arm played and its reward; n ~ N(0, sigma^2 I) and N_ij
~ N(0, sigma^2) for i <= j, copied to N_ji:

    L1  V_0 = lambda I, u_0 = 0, theta_0 = 0
    L2  for every round t of every batch m = 1, 2, ... of B rounds:
    L3      play a_t = argmax_a <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a), ties to the lowest index
    L4      the user sends x_t y_t + n and x_t x_t' + N
    L5      at the end of the batch: add the messages to u_{m-1} and V_{m-1}; theta_m = V_m^-1 u_m

`constants` has lambda and beta_m. The kernel plays a batch at once, since its arm stays the same: the noise of its
messages is drawn as one sum, exactly. It keeps V^-1 u and the widths instead of theta and V^-1 (`server`), in single
precision where the choice is the same (`screen`).

Calibrations:
    printed     sigma = 4 sqrt(2 ln(2.5 / delta)) / eps (Proposition F.1).
    released    sigma = sqrt(ln(2.5 / delta)) / eps (`released_noise`), noise (N + N') / 2 on the matrix
                (`released_symmetry`), Gamma = sigma sqrt(T d), ridge 2 Gamma.
    certified   The least sigma for which one user's message (x y, x x') is (eps, delta)-DP, by the exact curve of the
                Gaussian mechanism at the joint sensitivity of both.
    `unit_noise`  A switch: sigma = 1 / eps, to see rates.

Privacy: local. Neighboring datasets differ in one user, who is replaced; ||x|| <= 1 and y in [0, 1]. Every message is
(eps, delta)-DP at the calibration `certified`. The features of the released code have norm sqrt(2).

Cost: a factorization and K quadratic forms per batch.
"""

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Guarantee, Look
from dpbandits.algorithms.linucb import literal as linucb_literal
from dpbandits.algorithms.linucb.constants import ReportParams as Params
from dpbandits.algorithms.linucb.constants import report_params
from dpbandits.algorithms.linucb.entries import GAUSSIAN_PARAMETERS, RELEASED, SMALL, USER, on_features
from dpbandits.algorithms.linucb.protocol import Gaussians, receive
from dpbandits.algorithms.linucb.rule import Radius, width
from dpbandits.algorithms.linucb.screen import UNKNOWN, choose_screened, factorize_for, open_screen
from dpbandits.algorithms.linucb.server import open_server
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import open_play, play_batch, released
from dpbandits.base.jit import kernel
from dpbandits.environments.base import BINARY
from dpbandits.privacy.gaussian_scales import local_sd_printed, local_sd_released
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

ALGORITHM = Algorithm(
    label="LinUCB, local",
    short="LinUCB-LDP",
    reference="Zheng et al. 2020; Chowdhury and Zhou 2022, Appendix F",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=Guarantee("every message is (eps, delta)-DP", USER),
    parameters=GAUSSIAN_PARAMETERS,
    arms=BINARY,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=RELEASED,
    examples=on_features(SMALL, {"sd": 0.5}, {"eps": 1.0}),
    look=Look("v", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: the noise on every entry of one user's message."""
    return {"sd": NoiseRequest("gaussian", JOINT_SENSITIVITY, setting["eps"], setting["delta"], n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    eps, delta = setting["eps"], setting["delta"]
    sd = local_sd_printed(eps, delta)
    if calibration == "certified":
        sd = noise["sd"]
    elif setting["unit_noise"]:
        sd = 1.0 / eps
    elif setting["released_noise"]:
        sd = local_sd_released(eps, delta)
    return report_params(setting, sd)


@kernel
def run(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    T, d = checkpoints[-1], features.shape[1]
    play, server = open_play(features, theta, checkpoints), open_server(features, ridge, 0)  # L1
    screen, found = open_screen(features), UNKNOWN
    for t in range(0, T, batch):  # L2
        a, negative = choose_screened(server, screen, found, len(features), width(radius, d, t))  # L3
        ones = play_batch(rng, play, a, negative, t, batch)
        if t + batch < T:
            growing = receive(rng, protocol, server, features[a], ones, batch)  # L4, L5
            found = factorize_for(screen, server)  # L5
            released(play, found.definite, growing)
    return play.trace


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""

    def randomize(x: np.ndarray, y: float) -> tuple[np.ndarray, np.ndarray]:
        vector = x * y + rng.normal(0.0, protocol.vector_sd, len(x))
        noise = linucb_literal.symmetric_noise(rng, len(x), protocol.diagonal_sd, protocol.beside_sd)
        return vector, np.outer(x, x) + noise

    return linucb_literal.framework(
        rng, features, theta, batch, ridge, radius, checkpoints, randomize, linucb_literal.summed
    )
