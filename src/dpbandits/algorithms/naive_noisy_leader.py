"""Naive follow the noisy leader with full information: the rival of Algorithm 4 in Hu et al., arXiv 2102.07929.

    L1  as in `leader_epochs`, with b = K/eps: every action's sum is made (eps/K)-DP by itself

Privacy: a replaced reward vector moves each of the K sums of one epoch by at most 1; together the noisy sums are
eps-DP, and the leader hangs on nothing else. Its own loss has the supremum 2 eps/K: far more noise than it needs.

Cost: as in `leader_epochs`. K numbers are released an epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.leader_epochs import play_in_epochs, play_in_epochs_literal
from dpbandits.algorithms.play import OUTPUTS as OUTPUTS
from dpbandits.jit import kernel


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"])


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return play_in_epochs(rng, means, len(means) / eps, len(means), checkpoints)  # L1


def run_literal(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    return play_in_epochs_literal(rng, means, len(means) / eps, checkpoints)
