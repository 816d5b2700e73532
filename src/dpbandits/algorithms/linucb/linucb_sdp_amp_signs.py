"""LinUCB with shuffled Gaussian reports, P_Amp, for rewards of -1 and 1 and actions without an intercept.

Chowdhury and Zhou (ICML 2022, arXiv 2202.05567), Algorithms 1 to 4. Hanna, Girgis, Fragouli and Diggavi (arXiv
2207.03445) name it as one of two earlier algorithms for shuffled reports; here it competes with theirs.

Pseudo-code. a the actions in R^d, theta the parameter, r_t in {-1, 1} with mean <a_t, theta>:

    L1  every action a becomes the features (a, 1) / sqrt 2 in R^(d+1), of norm at most 1
    L2  every reward becomes y_t = (1 + r_t) / 2 in {0, 1}, of mean <(a_t, 1) / sqrt 2, (theta, 1) / sqrt 2>
    L3  `linucb_sdp_amp` plays on features and y_t
    L4  regret is counted in r_t, twice that in y_t

Calibrations:
    printed     As in `linucb_sdp_amp`; `tuned` is the same.
    certified   As in `linucb_sdp_amp`.

Privacy: shuffle, that of `linucb_sdp_amp`: neighboring datasets differ in one user, who is replaced.

Cost: that of `linucb_sdp_amp`.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, PROBABILITY, Algorithm, Example, Guarantee, Look, Range
from dpbandits.algorithms.linucb import linucb_sdp_amp
from dpbandits.algorithms.linucb.constants import ReportParams as Params
from dpbandits.algorithms.linucb.entries import USER
from dpbandits.algorithms.linucb.protocol import Gaussians
from dpbandits.algorithms.linucb.rule import Radius
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import REALIZED
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest

HALF = math.sqrt(0.5)
FIXED = dict.fromkeys(
    ("returning", "unit_noise", "released_noise", "released_ridge", "released_radius", "released_symmetry"), 0.0
) | {"norm": 1.0}
"""Parameters of `linucb_sdp_amp` that are fixed here."""
SMALL = {"batch": 4.0, "batch_exponent": 0.5, "failure": 0.1, "ridge_factor": 0.1, "delta": 0.1, "eps": 20.0}
FEW: Mapping[str, str | float] = {"family": "linear", "arms": 5, "dimension": 2}

ALGORITHM = Algorithm(
    label="LinUCB, shuffled Gaussian reports, on rewards of -1 and 1",
    short="LinUCB-SDP-Amp",
    reference="Chowdhury and Zhou 2022, Algorithms 1 to 4",
    trust_model="shuffle",
    noise=(GAUSSIAN_NOISE,),
    guarantee=Guarantee("a shuffled batch is (eps, delta)-DP", USER),
    parameters={
        "batch": Range(1.0, 1e9, closed=True, whole=True, null=0.0),
        "batch_exponent": Range(0.0, 1.0, closed=True, null=0.0),
        "failure": Range(0.0, 0.5, closed=True, null=0.0),
        "ridge_factor": POSITIVE,
        "delta": PROBABILITY,
    },
    arms=SIGNED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "tuned": "printed", "certified": "certified"},
    examples=(Example(FEW, SMALL, 60), Example(FEW, SMALL, 90, "certified", {"sd": 0.6})),
    look=Look("D", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: the noise on every entry of a message."""
    return linucb_sdp_amp.requests(lifted(setting))


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    return linucb_sdp_amp.params(calibration, lifted(setting), noise)


def lifted(setting: Mapping[str, float]) -> dict[str, float]:
    """The setting for `linucb_sdp_amp`, whose features have one more dimension."""
    own = {name: setting[name] for name in (*ALGORITHM.parameters, "eps", "T")}
    return own | FIXED | {"dimension": setting["dimension"] + 1.0}


@kernel
def with_intercept(vectors: np.ndarray) -> np.ndarray:
    """(v, 1) / sqrt 2 for the rows v of `vectors` (n, d); shape (n, d + 1)."""
    found = np.empty((vectors.shape[0], vectors.shape[1] + 1))
    for k in range(vectors.shape[0]):
        for i in range(vectors.shape[1]):
            found[k, i] = HALF * vectors[k, i]
        found[k, vectors.shape[1]] = HALF
    return found


@kernel
def run(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    features = with_intercept(actions)  # L1
    parameter = with_intercept(theta.reshape(1, len(theta)))[0]  # L2
    trace = linucb_sdp_amp.run(rng, features, parameter, batch, ridge, radius, protocol, checkpoints)  # L3
    for row in range(len(trace)):
        trace[row, 0] *= 2.0  # L4
        trace[row, REALIZED] *= 2.0
    return trace


def run_literal(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    features = np.hstack([actions, np.ones((len(actions), 1))]) * HALF
    parameter = np.append(theta, 1.0) * HALF
    literal = linucb_sdp_amp.run_literal(rng, features, parameter, batch, ridge, radius, protocol, checkpoints)
    return 2.0 * literal
