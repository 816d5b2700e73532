"""Naive follow the noisy leader, with full information: each noisy sum is separately private.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), the algorithm that the paper compares with its Algorithm 4.

Pseudo-code. K actions; the rewards of all actions are seen in every round:

    L1  epoch 0, one round: play an action drawn uniformly
    L2  for r = 0, 1, 2, ...:
    L3      at the end of epoch r, of 2^r rounds: S_j = sum of the rewards of action j over epoch r alone
    L4      play argmax_j S_j + Lap(K / eps) in all 2^(r + 1) rounds of epoch r + 1, fresh independent noise

Privacy: central. Neighboring streams differ in the reward vector of one round. This moves each of the K sums of one
epoch by at most 1. Each noisy sum is (eps / K)-DP, so together they are eps-DP, and the leader depends on nothing else.
The privacy loss of the leader alone has the supremum 2 eps / K: the noise is far larger than the leader needs. Printed
and certified noise coincide.

Choices that the paper leaves open:
    first action  The paper lets epoch 0 play any fixed action. We draw it, so that the position of the best action is
                  irrelevant.

Cost: K binomial and K Laplace draws per epoch, O(K ln T) in all. K numbers are released per epoch. Skipping rounds is
exact: no sum is read before its epoch ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Look
from dpbandits.algorithms.full_information.literal import leader_in_epochs
from dpbandits.algorithms.shared.entries_bandits import CLEAR, COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, add_laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float


ALGORITHM = Algorithm(
    label="naive FTNL",
    short="naive FTNL",
    reference="Hu et al. 2021, Section 5",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(Example(FIVE, {"eps": 2.0}, 100), Example(CLEAR, {"eps": 0.2}, 250)),
    look=Look("^", "-", "dark"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"])


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    K, T, length = len(means), checkpoints[-1], 1
    play, S = open_play(means, checkpoints), np.empty(K)
    i = rng.integers(0, K)  # L1
    decided(play)
    t = pull(play, i, length, 0)  # L1
    while t < T:  # L2
        for j in range(K):
            S[j] = rng.binomial(length, means[j])  # L3
            S[j] = add_laplace(rng, S[j], K / eps)  # L4
        i = largest_of(rng, S)  # L4
        released(play, K)
        decided(play)
        length *= 2
        t = pull(play, i, length, t)  # L4
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, by the transcription; return the regret at the checkpoints, shape (len(checkpoints),)."""
    return leader_in_epochs(rng, means, len(means) / eps, checkpoints)
