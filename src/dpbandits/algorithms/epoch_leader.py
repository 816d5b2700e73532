"""Follow the leader in epochs, with full information: Algorithm 4 of Hu et al., arXiv 2102.07929, without its noise.

    L1  as in `leader_epochs`, with b = 0: the leader of an epoch of 2^r rounds is played in the next, ties at random

Privacy: none. Cost: as there.
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
    """Nothing to choose."""


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid: none."""
    return Params()


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return play_in_epochs(rng, means, 0.0, 0, checkpoints)  # L1


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    return play_in_epochs_literal(rng, means, 0.0, checkpoints)
