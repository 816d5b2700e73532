"""LinUCB with a binary tree of noise: LinUCB-JDP of Shariff and Sheffet, arXiv 1810.00068, and Batched-Central-LinUCB.

The sums over batches 1 to m are those over the popcount(m) dyadic intervals that make them up (Dwork et al. 2010;
Chan, Shi and Song 2011); every interval carries noise of its own, drawn once, so that one user meets at most m' = 1 +
floor(log2 M) noisy sums. LinUCB-JDP has B = 1; Appendix F of arXiv 2202.05567 has one leaf for every batch.

Node noise in the form of Shariff and Sheffet: (Z + Z') / sqrt 2 on the matrix of (x, y)(x, y)', Z_ij ~ N(0, sN^2), of
which the last column is that of u; sN = 4 L^2 sqrt(m') ln(4 / delta) / eps with L^2 = 2 the largest ||x||^2 + y^2, m'
= 1 + ceil(log2 M). The paper does not print these constants. A user who takes part in up to M0 rounds: M0 sN
(Proposition 4.3), M0 = T^user_exponent. `shariff_sheffet`: their regulariser and radius in place of the common ones.

`certified`: the least sd, the same for all entries of a node, for which the nodes of one user together are (eps,
delta)-DP, by the exact curve of the Gaussian mechanism. `unit`: M0 sqrt(m') / eps.

Released (`released_tree`): floor(ln T) + 1 noise columns drawn once; at round t the first floor(ln(1 + t)) + 1 of
them are added. That is no tree: between jumps the noise stays, and differences of successive states show one user's
data. Their sd is sqrt(ln T) ln(2.5 / delta) / eps (`released_noise`), Gamma = sqrt(ln T) sqrt d times it, ridge 2
Gamma.

Privacy: joint (eps, delta)-DP when one user is replaced, ||x|| <= 1, y in [0, 1], at the calibration `certified`.
Cost: as `linucb_local`.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import linucb_framework, linucb_literal
from dpbandits.algorithms.linucb_constants import Params as Params
from dpbandits.algorithms.linucb_constants import batches_of, params_of
from dpbandits.algorithms.linucb_framework import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_protocol import FROZEN, TREE, Protocol, gaussian
from dpbandits.privacy.gaussian_scales import tree_sd_printed
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.tree import levels

run = linucb_framework.run


def depth(setting: Mapping[str, float]) -> int:
    """Nodes in which a leaf takes part: 1 + floor(log2 M)."""
    return levels(batches_of(setting))


def user_rounds(setting: Mapping[str, float]) -> int:
    """M0, the rounds in which one user may take part."""
    return max(1, round(setting["T"] ** setting["user_exponent"]))


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks for: the noise on every entry of a node."""
    joint = JOINT_SENSITIVITY * math.sqrt(depth(setting)) * user_rounds(setting)
    return {"sd": NoiseRequest("gaussian", joint, setting["eps"], setting["delta"], n=1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    eps, delta, d, horizon = setting["eps"], setting["delta"], setting["dimension"], setting["T"]
    nodes = 1 + math.ceil(math.log2(batches_of(setting)))
    sd = tree_sd_printed(eps, delta, batches_of(setting)) * user_rounds(setting)
    kind, diagonal, beside = TREE, math.sqrt(2.0), 1.0
    if calibration == "certified":
        nodes, sd, diagonal = depth(setting), noise["sd"], 1.0
    elif setting["unit"]:
        nodes, diagonal = depth(setting), 1.0
        sd = user_rounds(setting) * math.sqrt(nodes) / eps
    elif setting["released_noise"]:
        sd = math.sqrt(math.log(horizon)) * math.log(2.5 / delta) / eps
    if setting["released_symmetry"]:
        diagonal, beside = 1.0, math.sqrt(0.5)
    if setting["released_tree"]:
        kind = FROZEN
    gamma = sd * math.sqrt(math.log(horizon) * d)
    protocol = gaussian(kind, sd, diagonal, beside)
    found = params_of(setting, protocol, math.sqrt(nodes) * sd, gamma, 2.0 * gamma)
    return shariff_sheffet(setting, found, nodes, sd) if setting["shariff_sheffet"] else found


def shariff_sheffet(setting: Mapping[str, float], common: Params, nodes: int, sd: float) -> Params:
    """The regulariser 2 Upsilon and the radius of Shariff and Sheffet, for `nodes` nodes of that standard deviation."""
    failure = setting["failure"] or 1.0 / setting["T"]
    log_term, root = math.log(2.0 * setting["T"] / failure), math.sqrt(setting["dimension"])
    shift = math.sqrt(2.0 * nodes) * sd * (4.0 * root + 2.0 * log_term)
    nu = math.sqrt(nodes / shift) * sd * (root + math.sqrt(2.0 * log_term))
    radius = Radius(math.sqrt(3.0 * shift) + nu, 1.0, 2.0 * math.log(2.0 / failure), 3.0, shift)
    return Params(common.batch, 2.0 * shift, radius, common.protocol)


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
    """The same, round by round, the noise of every dyadic interval kept; returns the regret, as `run`."""
    d = len(theta)
    noise: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
    released: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(d), np.zeros((d, d)))]  # total noise after every batch

    def node(level: int, index: int) -> tuple[np.ndarray, np.ndarray]:
        if (level, index) not in noise:
            matrix = linucb_literal.symmetric_noise(rng, d, protocol.diagonal_sd, protocol.beside_sd)
            noise[level, index] = rng.normal(0.0, protocol.vector_sd, d), matrix
        return noise[level, index]

    def intervals(m: int) -> list[tuple[int, int]]:
        """The dyadic intervals of [0, m) as (level, index), or the columns in use."""
        if protocol.kind == FROZEN:
            return [(level, 0) for level in range(math.floor(math.log(1 + m * batch)) + 1)]
        found, start = [], 0
        for level in reversed(range(m.bit_length())):
            if m - start >= 2**level:
                found.append((level, start // 2**level))
                start += 2**level
        return found

    def analyse(messages: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        parts = [node(*each) for each in intervals(len(released))]
        total = linucb_literal.summed(parts)
        vector, matrix = linucb_literal.summed(messages)
        before = released[-1]
        released.append(total)
        return vector + total[0] - before[0], matrix + total[1] - before[1]

    return linucb_literal.framework(
        rng, features, theta, batch, ridge, radius, checkpoints, lambda x, y: (x * y, np.outer(x, x)), analyse
    )
