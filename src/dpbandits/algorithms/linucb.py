"""LinUCB without privacy, the baseline of Chowdhury and Zhou: Abbasi-Yadkori, Pal and Szepesvari, NeurIPS 2011.

    V = lambda I + sum x x',  u = sum x y,  theta = V^-1 u;  a_t = argmax <x_a, theta> + beta sqrt(x_a' V^-1 x_a)

Algorithm 1 of the paper with the identity for its black boxes; with B > 1 the batched LinUCB of its Remark A.5. The
paper gives no constants: lambda = 1 (`ridge_by_dimension`: d) and the common radius are ours.

Released: the radius uses Gamma = 1 while V starts at 1e-4 I.
Privacy: none. Cost: O(d^2 + K d) a batch, by rank-one updates.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import linucb_framework, linucb_literal
from dpbandits.algorithms.linucb_constants import Params as Params
from dpbandits.algorithms.linucb_constants import params_of
from dpbandits.algorithms.linucb_framework import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_protocol import NOTHING, Protocol

RELEASED_RIDGE = 1e-4
run = linucb_framework.run


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    found = params_of(setting, NOTHING, total_sd=0.0, gamma=1.0, released_ridge=RELEASED_RIDGE)
    if not setting["ridge_by_dimension"]:
        return found
    ridge = setting["dimension"] * found.ridge
    return replace(found, ridge=ridge, radius=found.radius._replace(constant=ridge**0.5, floor=ridge))


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
    return linucb_literal.framework(
        rng,
        features,
        theta,
        batch,
        ridge,
        radius,
        checkpoints,
        randomise=lambda x, y: (y * x, np.outer(x, x)),
        analyse=linucb_literal.summed,
    )
