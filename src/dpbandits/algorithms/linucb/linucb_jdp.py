"""LinUCB with a binary tree of noise: the server keeps noisy sums over dyadic intervals of batches.

LinUCB-JDP of Shariff and Sheffet (arXiv 1810.00068), with B = 1; Batched-Central-LinUCB of Chowdhury and Zhou (ICML
2022, arXiv 2202.05567), Appendix F, with one leaf for every batch.

Pseudo-code. x_a the features of arm a, x_t and y_t those of the arm played and its reward; M batches:

    L1  V_0 = lambda I, u_0 = 0, theta_0 = 0
    L2  for every round t of every batch m = 1, 2, ... of B rounds:
    L3      play a_t = argmax_a <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a), ties to the lowest index
    L4      the user sends x_t y_t and x_t x_t' to the server
    L5      at the end of the batch: u_m and V_m are the sums over batches 1, ..., m, lambda I included in V_m, plus the
            noise of the popcount(m) dyadic intervals that make up 1, ..., m; theta_m = V_m^-1 u_m

With `released_tree`, as the authors' code has it, L6 and L7 replace L5. Their noise is not that of a tree:

    L6  before the first round: draw floor(ln T) + 1 noise columns, each for u and V
    L7      at the end of the batch, after round t: u_m and V_m are the sums over batches 1, ..., m, lambda I included
            in V_m, plus the first floor(ln(1 + t)) + 1 columns; theta_m = V_m^-1 u_m. (The program adds the first
            column before round 1. Here round 1 is without noise.)

Every interval has noise of its own, drawn once (Dwork et al. 2010; Chan, Shi and Song 2011). So one user takes part in
at most 1 + floor(log2 M) noisy sums. `constants` has lambda and beta_m; `shariff_sheffet` takes the regularizer and
radius of Shariff and Sheffet instead. The kernel plays a batch at once, since its arm stays the same, and keeps V^-1 u
and the widths instead of theta and V^-1 (`server`).

Calibrations:
    printed     Node noise in the form of Shariff and Sheffet: (Z + Z') / sqrt(2) on the matrix of (x, y)(x, y)',
                Z_ij ~ N(0, sN^2); its last column is the noise of u. sN = 4 L^2 sqrt(m') ln(4 / delta) / eps with
                L^2 = 2 the largest ||x||^2 + y^2 and m' = 1 + ceil(log2 M). The paper does not print these constants.
                For a user who takes part in up to M0 = T^user_exponent rounds: M0 sN (Proposition 4.3).
    released    The columns of L6 and L7 (`released_tree`). Between jumps of their number the noise stays, so that
                differences of successive states show one user's data. Their standard deviation is
                sqrt(ln T) ln(2.5 / delta) / eps (`released_noise`), Gamma = sqrt(ln T) sqrt(d) times it, ridge 2 Gamma.
    certified   The least sd, equal for all entries of a node, for which the nodes of one user together are
                (eps, delta)-DP, by the exact curve of the Gaussian mechanism.
    `unit_noise`  A switch: M0 sqrt(1 + floor(log2 M)) / eps.

Privacy: central, joint. Neighboring datasets differ in one user, who is replaced; ||x|| <= 1 and y in [0, 1]. The
actions of the others are (eps, delta)-DP at the calibration `certified`.

Cost: a factorization and K quadratic forms per batch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import SWITCH, Algorithm, Guarantee, Look, Range
from dpbandits.algorithms.linucb import literal as linucb_literal
from dpbandits.algorithms.linucb.constants import Params as CommonParams
from dpbandits.algorithms.linucb.constants import batches_of, params_of
from dpbandits.algorithms.linucb.entries import GAUSSIAN_PARAMETERS, RELEASED, SMALL, USER, on_features
from dpbandits.algorithms.linucb.protocol import Gaussians, draw_noise, gaussian
from dpbandits.algorithms.linucb.rule import Radius, choose, width
from dpbandits.algorithms.linucb.server import Server, add, collect, open_server, solve
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import open_play, play_batch, released
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import BINARY
from dpbandits.privacy.gaussian_scales import tree_sd_printed
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.tree import layers

ALGORITHM = Algorithm(
    label="LinUCB, central (tree)",
    short="LinUCB-JDP",
    reference="Shariff and Sheffet 2018; Chowdhury and Zhou 2022, Appendix F",
    trust_model="central",
    noise=(GAUSSIAN_NOISE,),
    guarantee=Guarantee("others' actions are (eps, delta)-DP", USER),
    parameters={
        **GAUSSIAN_PARAMETERS,
        "user_exponent": Range(0.0, 1.0, closed=True, null=0.0),
        "shariff_sheffet": SWITCH,
        "released_tree": SWITCH,
    },
    arms=BINARY,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=RELEASED,
    examples=on_features(
        {**SMALL, "user_exponent": 0.0, "shariff_sheffet": 0.0, "released_tree": 0.0},
        {"sd": 1.5},
        {"released_tree": 1.0, "eps": 1.0},
    ),
    look=Look("s", "-"),
    looks={"returning": Look("X", "--", "dark")},
)


@dataclass(frozen=True)
class Params(CommonParams):
    """Constants of the algorithm, in the order of the arguments of `run`."""

    protocol: Gaussians  # noise on a node
    released_tree: int


def depth(setting: Mapping[str, float]) -> int:
    """Number of nodes that contain a leaf: 1 + floor(log2 M)."""
    return layers(batches_of(setting))


def user_rounds(setting: Mapping[str, float]) -> int:
    """M0, the number of rounds in which one user may take part."""
    return max(1, round(setting["T"] ** setting["user_exponent"]))


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request of `certified`: the noise on every entry of a node."""
    joint = JOINT_SENSITIVITY * math.sqrt(depth(setting)) * user_rounds(setting)
    return {"sd": NoiseRequest("gaussian", joint, setting["eps"], setting["delta"], n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`."""
    eps, delta, d, horizon = setting["eps"], setting["delta"], setting["dimension"], setting["T"]
    nodes = 1 + math.ceil(math.log2(batches_of(setting)))
    sd = tree_sd_printed(eps, delta, batches_of(setting)) * user_rounds(setting)
    diagonal, beside = math.sqrt(2.0), 1.0
    if calibration == "certified":
        nodes, sd, diagonal = depth(setting), noise["sd"], 1.0
    elif setting["unit_noise"]:
        nodes, diagonal = depth(setting), 1.0
        sd = user_rounds(setting) * math.sqrt(nodes) / eps
    elif setting["released_noise"]:
        sd = math.sqrt(math.log(horizon)) * math.log(2.5 / delta) / eps
    if setting["released_symmetry"]:
        diagonal, beside = 1.0, math.sqrt(0.5)
    gamma = sd * math.sqrt(math.log(horizon) * d)
    common = params_of(setting, math.sqrt(nodes) * sd, gamma, 2.0 * gamma)
    found = Params(**vars(common), protocol=gaussian(sd, diagonal, beside), released_tree=int(setting["released_tree"]))
    return shariff_sheffet(setting, found, nodes, sd) if setting["shariff_sheffet"] else found


def shariff_sheffet(setting: Mapping[str, float], common: Params, nodes: int, sd: float) -> Params:
    """The regularizer 2 Upsilon and the radius of Shariff and Sheffet, for `nodes` nodes with noise of this `sd`."""
    failure = setting["failure"] or 1.0 / setting["T"]
    log_term, root = math.log(2.0 * setting["T"] / failure), math.sqrt(setting["dimension"])
    shift = math.sqrt(2.0 * nodes) * sd * (4.0 * root + 2.0 * log_term)
    nu = math.sqrt(nodes / shift) * sd * (root + math.sqrt(2.0 * log_term))
    radius = Radius(math.sqrt(3.0 * shift) + nu, 1.0, 2.0 * math.log(2.0 / failure), 3.0, shift)
    return replace(common, ridge=2.0 * shift, radius=radius)


@kernel
def open_tree(features: np.ndarray, ridge: float, batches: int) -> Server:
    """The server before the first of `batches` batches, with room for one node per layer."""
    return open_server(features, ridge, 1 + math.floor(math.log2(max(batches, 1))))


@round_step
def grow_tree(rng: Generator, server: Server, protocol: Gaussians, m: int) -> None:
    """Close batch m = 1, 2, ...: draw its node at the layer of the lowest set bit of m, and drop the nodes below."""
    layer = 0
    while (m >> layer) & 1 == 0:
        add(server.gram, server.target, server.nodes[layer], -1.0)
        server.nodes[layer] = 0.0
        layer += 1
    draw_noise(rng, protocol, len(server.target), 1.0, server.nodes[layer])
    add(server.gram, server.target, server.nodes[layer], 1.0)


@kernel
def open_columns(rng: Generator, features: np.ndarray, ridge: float, protocol: Gaussians, T: int) -> Server:
    """The server before the first round of the released code, which draws all noise in advance."""
    columns = math.floor(math.log(T)) + 1
    server = open_server(features, ridge, columns)  # L1
    for column in range(columns):
        draw_noise(rng, protocol, features.shape[1], 1.0, server.nodes[column])  # L6
    return server


@round_step
def add_columns(server: Server, t: int, batch: int) -> None:
    """Add the noise columns first used in round t, the last round of a batch."""
    now = float(t)
    used = math.floor(math.log(1.0 + now - batch)) + 1 if now > batch else 0
    for column in range(used, min(math.floor(math.log(1.0 + now)) + 1, len(server.nodes))):
        add(server.gram, server.target, server.nodes[column], 1.0)


@kernel
def run_tree(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run with the noise of the tree; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    T, d = checkpoints[-1], features.shape[1]
    play, server = open_play(features, theta, checkpoints), open_tree(features, ridge, T // batch)  # L1
    for t in range(0, T, batch):  # L2
        a, negative = choose(server, len(features), width(radius, d, t))  # L3
        ones = play_batch(rng, play, a, negative, t, batch)
        if t + batch < T:
            collect(server.gram, server.target, features[a], ones, batch)  # L4, L5
            grow_tree(rng, server, protocol, t // batch + 1)  # L5
            definite, growing = solve(server)  # L5
            released(play, definite, growing)
    return play.trace


@kernel
def run_columns(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run with noise drawn once, as released; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    T, d = checkpoints[-1], features.shape[1]
    play, server = open_play(features, theta, checkpoints), open_columns(rng, features, ridge, protocol, T)  # L1, L6
    for t in range(0, T, batch):  # L2
        a, negative = choose(server, len(features), width(radius, d, t))  # L3
        ones = play_batch(rng, play, a, negative, t, batch)
        if t + batch < T:
            collect(server.gram, server.target, features[a], ones, batch)  # L4, L7
            add_columns(server, t + batch, batch)  # L7
            definite, growing = solve(server)  # L7
            released(play, definite, growing)
    return play.trace


@kernel
def run(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    released_tree: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    if released_tree:
        return run_columns(rng, features, theta, batch, ridge, radius, protocol, checkpoints)
    return run_tree(rng, features, theta, batch, ridge, radius, protocol, checkpoints)


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    released_tree: int,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round, storing the noise of every dyadic interval; returns the regret."""
    d = len(theta)
    noise: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
    released: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(d), np.zeros((d, d)))]  # total noise after every batch

    def node(layer: int, index: int) -> tuple[np.ndarray, np.ndarray]:
        if (layer, index) not in noise:
            matrix = linucb_literal.symmetric_noise(rng, d, protocol.diagonal_sd, protocol.beside_sd)
            noise[layer, index] = rng.normal(0.0, protocol.vector_sd, d), matrix
        return noise[layer, index]

    def intervals(m: int) -> list[tuple[int, int]]:
        """The dyadic intervals of [0, m) as (layer, index), or the noise columns in use."""
        if released_tree:
            return [(layer, 0) for layer in range(math.floor(math.log(1 + m * batch)) + 1)]
        found, start = [], 0
        for layer in reversed(range(m.bit_length())):
            if m - start >= 2**layer:
                found.append((layer, start // 2**layer))
                start += 2**layer
        return found

    def analyze(messages: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        parts = [node(*each) for each in intervals(len(released))]
        total = linucb_literal.summed(parts)
        vector, matrix = linucb_literal.summed(messages)
        before = released[-1]
        released.append(total)
        return vector + total[0] - before[0], matrix + total[1] - before[1]

    return linucb_literal.framework(
        rng, features, theta, batch, ridge, radius, checkpoints, lambda x, y: (x * y, np.outer(x, x)), analyze
    )
