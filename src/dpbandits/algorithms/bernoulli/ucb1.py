"""UCB1: the non-private counterpart of Anytime-Lazy-UCB.

Auer, Cesa-Bianchi and Fischer (Machine Learning 47, 2002).

Pseudo-code. K arms, n_j pulls of arm j:

    L1  rounds 1, ..., K: pull every arm once
    L2  for t = K + 1, K + 2, ...:
    L3      pull argmax_j (mean of the rewards of j) + sqrt(2 ln t / n_j), ties uniformly at random

Deviation: the original uses t - 1, the number of rounds already played, inside the logarithm. We use t, as in
Anytime-Lazy-UCB, so that the two algorithms differ only in privacy.

Privacy: none.

Cost: O(K) per round in which another arm might win, O(1) in the others. No rounds are skipped, since every reward is
used in the next round. While arm i is pulled, the indices of the other arms only grow with ln t. If the index of arm i
at an earlier ln t exceeds their indices `AHEAD` rounds later, arm i wins without a tie. Rounding preserves the order,
and ln t grows by more than its error.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
from dpbandits.algorithms.shared.entries_bandits import COINCIDE, WITHOUT_NOISE
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided_once, due, open_play, pull, record
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import MEANS

AHEAD = 32  # rounds for which the indices of the other arms are bounded; affects only the time


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="UCB1 (no privacy)",
    short="UCB1",
    reference="Auer et al. 2002",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={},
    arms=MEANS,
    grid=(),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=WITHOUT_NOISE,
    agrees="stream",
    look=Look("s", "--"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@round_step
def largest_but(average: np.ndarray, width: np.ndarray, i: int, scale: float) -> float:
    """The largest index among all arms except arm i."""
    largest = -math.inf
    for j in range(len(average)):
        value = average[j] + scale * width[j]
        if j != i and value > largest:
            largest = value
    return largest


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    wins, n = np.zeros(arms, np.int64), np.ones(arms, np.int64)
    average, width, index = np.empty(arms), np.ones(arms), np.empty(arms)
    now = 0
    for j in range(min(arms, horizon)):  # L1
        wins[j] = int(rng.random() < means[j])
        average[j] = float(wins[j])
        now = pull(play, j, 1, now)
    i, until, others = 0, 0, 0.0
    scale = math.sqrt(2.0 * math.log(now + 1))
    while now < horizon:  # L2
        if now >= until or not average[i] + scale * width[i] > others:
            scale = math.sqrt(2.0 * math.log(now + 1))
            for j in range(arms):
                index[j] = average[j] + scale * width[j]  # L3
            i = largest_of(rng, index)  # L3
            until = now + AHEAD
            others = largest_but(average, width, i, math.sqrt(2.0 * math.log(until)))
        now += 1
        decided_once(play, i)
        if due(play, now):
            record(play)
        wins[i] += int(rng.random() < means[i])
        n[i] += 1
        average[i] = wins[i] / n[i]
        width[i] = 1.0 / math.sqrt(n[i])
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, in plain Python; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    total, n = np.zeros(arms), np.zeros(arms)
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i = t - 1
        else:
            index = total / n + np.sqrt(2 * math.log(t) / n)
            first = np.flatnonzero(index == index.max())
            i = int(first[0] if len(first) == 1 else first[rng.integers(len(first))])  # L3
        total[i] += float(rng.random() < means[i])
        n[i] += 1
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
