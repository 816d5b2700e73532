"""LinUCB without privacy, the baseline of Figures 1 and 2.

Abbasi-Yadkori, Pal and Szepesvari (NeurIPS 2011); Chowdhury and Zhou (ICML 2022, arXiv 2202.05567), Algorithm 1 with
the identity for its black boxes. With B > 1 it is the batched LinUCB of Remark A.5.

Pseudo-code. x_a the features of arm a, x_t and y_t those of the arm played and its reward:

    L1  V_0 = lambda I, u_0 = 0, theta_0 = 0
    L2  for every round t of every batch m = 1, 2, ... of B rounds:
    L3      play a_t = argmax_a <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a), ties to the lowest index
    L4      the user sends x_t y_t and x_t x_t'
    L5      at the end of the batch: add the messages to u_{m-1} and V_{m-1}; theta_m = V_m^-1 u_m

`constants` has lambda and beta_m. Released: the radius uses Gamma = 1 while V starts at 1e-4 I. The kernel plays a
batch at once, since its arm stays the same. It keeps the estimates and widths of all arms instead of theta (`server`).

Privacy: none.

Choices that the paper leaves open:
    constants   The paper gives none. lambda = 1 (`ridge_by_dimension`: d) and the common radius are ours.

Cost: O(d^2 + K d) per batch, by rank-one updates.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, SWITCH, Algorithm, Look
from dpbandits.algorithms.linucb import literal as linucb_literal
from dpbandits.algorithms.linucb.constants import Params as Params
from dpbandits.algorithms.linucb.constants import params_of
from dpbandits.algorithms.linucb.entries import COMMON, FRAMEWORK, on_features
from dpbandits.algorithms.linucb.rule import Radius, choose, width
from dpbandits.algorithms.linucb.server import collect, open_server, solve_without_noise
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import open_play, play_batch, released
from dpbandits.base.jit import kernel
from dpbandits.environments.base import BINARY

ALGORITHM = Algorithm(
    label="LinUCB (no privacy)",
    short="LinUCB",
    reference="Abbasi-Yadkori et al. 2011; Chowdhury and Zhou 2022, baseline of Figures 1 and 2",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={**FRAMEWORK, "ridge_by_dimension": SWITCH},
    arms=BINARY,
    grid=(),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    examples=on_features({**COMMON, "ridge_by_dimension": 0.0}),
    look=Look("o", "-"),
    looks={"long_batches": Look("o", ":")},
)

RELEASED_RIDGE = 1e-4


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    found = params_of(setting, total_sd=0.0, gamma=1.0, released_ridge=RELEASED_RIDGE)
    if not setting["ridge_by_dimension"]:
        return found
    ridge = setting["dimension"] * found.ridge
    return replace(found, ridge=ridge, radius=found.radius._replace(constant=ridge**0.5, floor=ridge))


@kernel
def run(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    T, d = checkpoints[-1], features.shape[1]
    play, server = open_play(features, theta, checkpoints), open_server(features, ridge, 0)  # L1
    for t in range(0, T, batch):  # L2
        a, negative = choose(server, len(features), width(radius, d, t))  # L3
        ones = play_batch(rng, play, a, negative, t, batch)
        if t + batch < T:
            x = features[a]
            collect(server.gram, server.target, x, ones, batch)  # L4, L5
            definite, growing = solve_without_noise(server, x, a, batch, t // batch + 1)  # L5
            released(play, definite, growing)
    return play.trace


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    return linucb_literal.framework(
        rng,
        features,
        theta,
        batch,
        ridge,
        radius,
        checkpoints,
        randomize=lambda x, y: (y * x, np.outer(x, x)),
        analyze=linucb_literal.summed,
    )
