"""RNM-FTNL, follow the noisy leader with full information: Algorithm 4 of Hu et al., arXiv 2102.07929.

    L1  as in `leader_epochs`: the leader of an epoch by sums + Lap(b) is played in the next (report noisy max)

Scale: `printed` b = 1/eps, that of the textbook claim which the proof cites; `certified` b = 2/eps.

Privacy: a replaced reward vector moves all K sums of one epoch by at most 1, some up and some down. The textbook claim
is for sums that all move the same way; here the loss of an epoch's leader has the supremum 2/b, so that the printed
scale gives 2 eps-DP and the certified one eps-DP. A vector is in one epoch only.

Cost: as in `leader_epochs`. One number is released an epoch, its leader.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.leader_epochs import play_in_epochs, play_in_epochs_literal
from dpbandits.algorithms.play import OUTPUTS as OUTPUTS
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import NoiseRequest

SENSITIVITY = 1.0  # a reward in [0, 1] is replaced in every sum


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    noise_scale: float  # b


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """What `certified` asks of the stage calibrate."""
    return {"noise_scale": NoiseRequest("report_noisy_max", SENSITIVITY, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests`."""
    return Params(noise["noise_scale"] if calibration == "certified" else 1.0 / setting["eps"])


@kernel
def run(rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return play_in_epochs(rng, means, noise_scale, 1, checkpoints)  # L1


def run_literal(rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    return play_in_epochs_literal(rng, means, noise_scale, checkpoints)
