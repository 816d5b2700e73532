"""RNM-FTNL: follow the noisy leader by report noisy max, with full information.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 4.

Pseudo-code. The rewards of all actions are seen in every round; b is the noise scale:

    L1  epoch 0, one round: play an action drawn uniformly
    L2  for r = 0, 1, 2, ...:
    L3      at the end of epoch r, of 2^r rounds: S_j = sum of the rewards of action j over epoch r alone
    L4      play argmax_j S_j + Lap(b) in all 2^(r + 1) rounds of epoch r + 1, fresh independent noise

Privacy: central. Neighboring streams differ in the reward vector of one round. This changes all K sums of one epoch by
at most 1, some up and some down. Each vector counts in one epoch only. The proof justifies the printed b = 1 / eps by a
textbook claim for sums that all change in the same direction. Here the privacy loss of an epoch's leader has the
supremum 2 / b. So the printed scale gives 2 eps-DP, and the certified scale b = 2 / eps gives eps-DP.

Choices that the paper leaves open:
    first action  The paper lets epoch 0 play any fixed action. We draw it, so that the position of the best action is
                  irrelevant.

Cost: K binomial and K Laplace draws per epoch, O(K ln T) in all. One number is released per epoch, its leader. Skipping
rounds is exact: no sum is read before its epoch ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Look
from dpbandits.algorithms.full_information.literal import leader_in_epochs
from dpbandits.algorithms.shared.entries_bandits import CLEAR, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, NoiseRequest, add_laplace

SENSITIVITY = 1.0  # replacing a reward in [0, 1] changes each sum by at most 1


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    noise_scale: float  # b


ALGORITHM = Algorithm(
    label="RNM-FTNL",
    short="RNM-FTNL",
    reference="Hu et al. 2021, Algorithm 4",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "certified": "certified"},
    examples=(
        Example(FIVE, {"eps": 0.5}, 100),
        Example(CLEAR, {"eps": 0.1}, 250),
        Example(FIVE, {"eps": 0.5}, 100, "certified", {"noise_scale": 4.0}),
    ),
    look=Look("o", "-"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Noise that `certified` requests from the stage calibrate."""
    return {"noise_scale": NoiseRequest("report_noisy_max", SENSITIVITY, setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; `noise` holds the answers to `requests`."""
    return Params(noise["noise_scale"] if calibration == "certified" else 1.0 / setting["eps"])


@kernel
def run(rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    K, T, length = len(means), checkpoints[-1], 1
    play, S = open_play(means, checkpoints), np.empty(K)
    i = rng.integers(0, K)  # L1
    decided(play)
    t = pull(play, i, length, 0)  # L1
    while t < T:  # L2
        for j in range(K):
            S[j] = rng.binomial(length, means[j])  # L3
            S[j] = add_laplace(rng, S[j], noise_scale)  # L4
        i = largest_of(rng, S)  # L4
        released(play, 1)
        decided(play)
        length *= 2
        t = pull(play, i, length, t)  # L4
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    return leader_in_epochs(rng, means, noise_scale, checkpoints)
