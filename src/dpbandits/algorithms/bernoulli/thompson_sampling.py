"""Thompson sampling with Beta priors, the non-private counterpart of Lazy-DP-TS.

Thompson (1933); Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 2.

Pseudo-code. S_j and F_j successes and failures of arm j, X a reward:

    L1  S_j = F_j = 0 for every arm j
    L2  for t = 1, 2, ...:
    L3      theta_j ~ Beta(S_j + 1, F_j + 1), independently over j
    L4      pull i = argmax_j theta_j; S_i += X, F_i += 1 - X

Privacy: none.

Cost: K Beta draws per round. No rounds are skipped, since every reward is read in the next round.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
from dpbandits.algorithms.shared.entries_bandits import COINCIDE, WITHOUT_NOISE
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided_once, due, open_play, record
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="Thompson sampling (no privacy)",
    short="Thompson Sampling",
    reference="Thompson 1933; Hu et al. 2021, Algorithm 2",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={},
    arms=MEANS,
    grid=(),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=WITHOUT_NOISE,
    agrees="stream",
    look=Look("o", "-."),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    a, b = np.ones(arms), np.ones(arms)  # L1, with the prior's 1
    now = 0
    while now < horizon:  # L2
        i, largest = 0, -1.0
        for j in range(arms):
            theta = rng.beta(a[j], b[j])  # L3
            if theta > largest:  # L4
                i, largest = j, theta
        now += 1
        decided_once(play, i)
        if due(play, now):
            record(play)
        if rng.random() < means[i]:  # L4
            a[i] += 1.0
        else:
            b[i] += 1.0
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, in plain Python; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    wins, losses = np.zeros(arms), np.zeros(arms)  # L1
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        i = int(np.argmax(rng.beta(wins + 1, losses + 1)))  # L3
        won = rng.random() < means[i]  # L4
        wins[i] += won
        losses[i] += not won
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
