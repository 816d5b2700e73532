"""LinUCB with shuffled Gaussian reports, P_Amp: local noise that the shuffling of a batch amplifies.

Chowdhury and Zhou (ICML 2022, arXiv 2202.05567), Algorithms 1 to 4.

Pseudo-code. x_a the features of arm a, x_t and y_t those of the arm played and its reward; n ~ N(0, sigma^2 I) and N_ij
~ N(0, sigma^2) for i <= j, copied to N_ji:

    L1  V_0 = lambda I, u_0 = 0, theta_0 = 0
    L2  for every round t of every batch m = 1, 2, ... of B rounds:
    L3      play a_t = argmax_a <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a), ties to the lowest index
    L4      the user sends x_t y_t + n and x_t x_t' + N
    L5      at the end of the batch: the shuffler permutes its B messages uniformly
    L6      the server adds them to u_{m-1} and V_{m-1}; theta_m = V_m^-1 u_m

`constants` has lambda and beta_m. The kernel plays a batch at once, since its arm stays the same: the noise of its
messages is drawn as one sum, exactly. It keeps V^-1 u and the widths instead of theta and V^-1 (`server`).

Calibrations:
    printed     sigma = 4 sqrt(2 ln(2.5 B / delta) ln(2 / delta)) / (eps sqrt(B)) (Theorem 3.2). Where a user may return
                in every batch (`returning`), sigma = 16 ln(2 / delta) sqrt(T ln(5 T / delta)) / (eps B) (Theorem E.3).
                Its eps_m and delta_m in the formula of Theorem 3.2 give ln(4 M / delta) ln(2 / delta) under the root,
                where the paper prints ln(2 / delta)^2.
    released    sigma = sqrt(ln(2.5 B / delta)) / (eps sqrt(B)) (`released_noise`); the rest as in `linucb_ldp`.
    certified   The least sigma for which the local mechanism, or what its shuffling is known to add (the clones of
                Feldman, McMillan and Talwar), proves (eps, delta)-DP. For batches as small as the paper's it is that of
                the local mechanism. Where users return: the local mechanism composed over M batches, exactly.
    `unit_noise`  A switch: 1 / (eps sqrt(B)), times sqrt(M) for returning users.

Privacy: shuffle. Neighboring datasets differ in one user, who is replaced; ||x|| <= 1 and y in [0, 1]. The shuffled
messages of a batch are (eps, delta)-DP at the calibration `certified`. The paper claims O(eps, delta) for eps <=
sqrt(ln(2 / delta) / B).

Cost: a factorization and K quadratic forms per batch. The sum of a batch does not depend on L5.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import SWITCH, Algorithm, Guarantee, Look
from dpbandits.algorithms.linucb import literal as linucb_literal
from dpbandits.algorithms.linucb.constants import ReportParams as Params
from dpbandits.algorithms.linucb.constants import batch_of, batches_of, report_params
from dpbandits.algorithms.linucb.entries import GAUSSIAN_PARAMETERS, RELEASED, SMALL, USER, on_features
from dpbandits.algorithms.linucb.protocol import Gaussians, receive
from dpbandits.algorithms.linucb.rule import Radius, width
from dpbandits.algorithms.linucb.screen import UNKNOWN, choose_screened, factorize_for, open_screen
from dpbandits.algorithms.linucb.server import open_server
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import open_play, play_batch, released
from dpbandits.base.jit import kernel
from dpbandits.environments.base import BINARY
from dpbandits.privacy.gaussian_scales import shuffled_sd_printed, shuffled_sd_released, shuffled_sd_returning
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

ALGORITHM = Algorithm(
    label="LinUCB, shuffled Gaussian reports",
    short="LinUCB-SDP-Amp",
    reference="Chowdhury and Zhou 2022, Algorithms 1 to 4",
    trust_model="shuffle",
    noise=(GAUSSIAN_NOISE,),
    guarantee=Guarantee("a shuffled batch is (eps, delta)-DP", USER),
    parameters={**GAUSSIAN_PARAMETERS, "returning": SWITCH},
    arms=BINARY,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=RELEASED,
    examples=on_features({**SMALL, "returning": 0.0}, {"sd": 0.6}, {"eps": 1.0}),
    look=Look("D", "-"),
    looks={"returning": Look("P", "--", "dark")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: the noise on every entry of a message."""
    eps, delta = setting["eps"], setting["delta"]
    if setting["returning"]:
        everywhere = JOINT_SENSITIVITY * math.sqrt(batches_of(setting))
        return {"sd": NoiseRequest("gaussian", everywhere, eps, delta, n=1)}
    return {"sd": NoiseRequest("shuffled_gaussian", JOINT_SENSITIVITY, eps, delta, n=batch_of(setting))}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    eps, delta, horizon, batch = setting["eps"], setting["delta"], setting["T"], batch_of(setting)
    sd = shuffled_sd_printed(eps, delta, batch)
    if setting["returning"]:
        sd = shuffled_sd_returning(eps, delta, batch, horizon)
    if calibration == "certified":
        sd = noise["sd"]
    elif setting["unit_noise"]:
        sd = math.sqrt(batches_of(setting) if setting["returning"] else 1.0) / (eps * math.sqrt(batch))
    elif setting["released_noise"]:
        sd = shuffled_sd_released(eps, delta, batch)
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
            # L5: the sums do not depend on the order of the messages
            growing = receive(rng, protocol, server, features[a], ones, batch)  # L4, L6
            found = factorize_for(screen, server)  # L6
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
    d = len(theta)

    def randomize(x: np.ndarray, y: float) -> tuple[np.ndarray, np.ndarray]:
        noise = linucb_literal.symmetric_noise(rng, d, protocol.diagonal_sd, protocol.beside_sd)
        return x * y + rng.normal(0.0, protocol.vector_sd, d), np.outer(x, x) + noise

    def analyze(messages: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        vectors = [messages[i][0] for i in rng.permutation(len(messages))]
        matrices = [messages[i][1] for i in rng.permutation(len(messages))]
        return np.sum(vectors, axis=0), np.sum(matrices, axis=0)

    return linucb_literal.framework(rng, features, theta, batch, ridge, radius, checkpoints, randomize, analyze)
