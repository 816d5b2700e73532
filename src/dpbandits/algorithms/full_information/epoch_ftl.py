"""Follow the leader in epochs, with full information: RNM-FTNL without its noise.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 4 without noise.

Pseudo-code. Full information: the rewards of all actions are seen in every round:

    L1  epoch 0, one round: play an action drawn uniformly
    L2  for r = 0, 1, 2, ...:
    L3      at the end of epoch r, of 2^r rounds: S_j = sum of the rewards of action j over epoch r alone
    L4      play argmax_j S_j in all 2^(r + 1) rounds of epoch r + 1, ties uniformly at random

Privacy: none.

Choices that the paper leaves open:
    first action  The paper lets epoch 0 play any fixed action. We draw it, so that the position of the best action is
                  irrelevant.

Cost: K binomial draws per epoch, O(K ln T) in all. Skipping rounds is exact: no sum is read before its epoch ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
from dpbandits.algorithms.full_information.literal import leader_in_epochs
from dpbandits.algorithms.shared.entries_bandits import COINCIDE, WITHOUT_NOISE
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="Epoch-FTL (no privacy)",
    short="epoch-FTL",
    reference="Hu et al. 2021, Algorithm 4 without noise",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={},
    arms=MEANS,
    grid=(),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=WITHOUT_NOISE,
    look=Look("s", "--"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    K, T, length = len(means), checkpoints[-1], 1
    play, S = open_play(means, checkpoints), np.empty(K)
    i = rng.integers(0, K)  # L1
    decided(play)
    t = pull(play, i, length, 0)  # L1
    while t < T:  # L2
        for j in range(K):
            S[j] = rng.binomial(length, means[j])  # L3
        i = largest_of(rng, S)  # L4
        decided(play)
        length *= 2
        t = pull(play, i, length, t)  # L4
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    return leader_in_epochs(rng, means, 0.0, checkpoints)
