"""What is true of the four mechanisms of chowdhury2022: exact levels, or bounds on them."""

import math
from dataclasses import dataclass

from dpbandits.claims.analytic.chowdhury2022_noise import local_sd, sensitivity, shuffled_sd, tree_sd, vector_bits
from dpbandits.claims.analytic.chowdhury2022_vector_sum import vector_deltas, vector_eps
from dpbandits.privacy import tree
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.shuffling import shuffled_gaussian_delta, shuffled_gaussian_eps

TREE_SENSITIVITY = 2.0
"""Least by which two users can differ for the tree, relative to the sd of an off-diagonal entry: diagonal variances are
double, so that the squares are 2 - 2c from the vector and 1 - c^2 from the matrix, largest at c = -1."""


@dataclass(frozen=True)
class Audit:
    """What is true of a mechanism at one setting.

    Attributes
    ----------
    mechanism : `local`, `shuffled`, `tree` or `vector_sum`. calibration : of the noise.
    eps, delta : nominal, those of the claim.
    noise : sd of an entry of a report or node; number of bits of the vector sum.
    in_range : eps and delta are what the theorem is about.
    levels : bounds on the true eps at the nominal delta. deltas : bounds on the true delta at the nominal eps.
    method : how the bounds were found.
    """

    mechanism: str
    calibration: str
    eps: float
    delta: float
    noise: float
    in_range: bool
    levels: tuple[float, float]
    deltas: tuple[float, float]
    method: str


def audit_local(calibration: str, delta: float, eps: float) -> Audit:
    """A report sent in the open, Proposition F.1."""
    sd = local_sd(calibration, delta, eps)
    mu = sensitivity(calibration) / sd
    level, at_eps = gaussian_eps(mu, delta), gaussian_delta(mu, eps)
    return Audit("local", calibration, eps, delta, sd, eps <= 1.0, (level, level), (at_eps, at_eps), "exact")


def audit_shuffled(calibration: str, batch: int, delta: float, eps: float) -> Audit:
    """A batch of shuffled reports, Theorem 3.2; from below by their sum, from above alone or by clones."""
    sd = shuffled_sd(calibration, batch, delta, eps)
    mu = sensitivity(calibration) / sd
    summed = mu / math.sqrt(batch)
    levels = gaussian_eps(summed, delta), shuffled_gaussian_eps(mu, delta, batch)
    deltas = gaussian_delta(summed, eps), shuffled_gaussian_delta(mu, eps, batch)
    in_range = eps <= math.sqrt(math.log(2.0 / delta) / batch)
    return Audit("shuffled", calibration, eps, delta, sd, in_range, levels, deltas, "sum; local and clones")


def audit_tree(calibration: str, horizon: int, delta: float, eps: float) -> Audit:
    """All nodes of the tree; released, the difference of two states is a user's data as they are."""
    if calibration == "released":
        nothing = (math.inf, math.inf), (1.0, 1.0)
        return Audit("tree", calibration, eps, delta, 0.0, eps <= 1.0, *nothing, "differences of states")
    sd, root = tree_sd(calibration, horizon, delta, eps), math.sqrt(tree.levels(horizon))
    most = JOINT_SENSITIVITY
    mus = [root * least / sd for least in (most if calibration == "certified" else TREE_SENSITIVITY, most)]
    levels = [gaussian_eps(mu, delta) for mu in mus]
    deltas = [gaussian_delta(mu, eps) for mu in mus]
    bounds = (levels[0], levels[1]), (deltas[0], deltas[1])
    return Audit("tree", calibration, eps, delta, sd, eps <= 1.0, *bounds, "all nodes of a leaf")


def audit_vector_sum(calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float) -> Audit:
    """The counts of a batch, Theorem 3.5; from below by the pairs tried, from above with their rounding charged."""
    bits = vector_bits(calibration, batch, delta, dimension, eps, scale)
    levels = vector_eps(calibration, batch, delta, dimension, eps, scale)
    deltas = vector_deltas(calibration, batch, delta, dimension, eps, scale)
    in_range = eps <= 15.0 and delta < 0.5
    return Audit("vector_sum", calibration, eps, delta, bits, in_range, levels, deltas, "worst pair found; charged")


def audit(
    calibration: str, horizon: int, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> list[Audit]:
    """All four mechanisms at every eps."""
    rows = []
    for each in eps:
        rows += [
            audit_local(calibration, delta, each),
            audit_shuffled(calibration, batch, delta, each),
            audit_tree(calibration, horizon, delta, each),
            audit_vector_sum(calibration, batch, delta, dimension, each, scale),
        ]
    return rows
