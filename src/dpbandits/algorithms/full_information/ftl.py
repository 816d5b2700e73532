"""Follow the leader with full information.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Section 5, the non-private rule.

Pseudo-code. X_j the reward of action j, S_j the sum of all its rewards:

    L1  S_j = 0 for every action j
    L2  for t = 1, 2, ...:
    L3      play argmax_j S_j, ties uniformly at random
    L4      see the rewards X_j of all actions; S_j += X_j

Privacy: none.

Cost: about (1 / gap) ln T blocks of K binomial draws, once the best action leads. Skipping rounds is exact. A round
changes the difference of two sums by at most 1, so an action that leads by G >= 1 is the only leader before each of the
next G rounds. Nothing else uses the sums in these rounds, and the sums over such a block are binomial.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
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
    label="Follow the leader (no privacy)",
    short="FTL",
    reference="Hu et al. 2021, Section 5",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={},
    arms=MEANS,
    grid=(),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=WITHOUT_NOISE,
    look=Look("o", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@kernel
def lead(sums: np.ndarray, i: int) -> int:
    """The lead of action i over all others."""
    least = np.iinfo(np.int64).max
    for j in range(len(sums)):
        if j != i:
            least = min(least, sums[i] - sums[j])
    return least


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    sums = np.zeros(arms, np.int64)  # L1
    now = 0
    while now < horizon:  # L2
        i = largest_of(rng, sums)  # L3
        decided(play)
        rounds = max(1, lead(sums, i))
        now = pull(play, i, rounds, now)
        if now < horizon:
            for j in range(arms):
                sums[j] += rng.binomial(rounds, means[j])  # L4
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    total = np.zeros(len(means))  # L1
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        i = int(rng.choice(np.flatnonzero(total == total.max())))  # L3
        total += rng.random(len(means)) < means  # L4
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
