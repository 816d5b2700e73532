"""KL-UCB without its ln ln t term: the non-private counterpart of AdaP-KLUCB.

Garivier and Cappe (COLT 2011).

Pseudo-code. K arms, n_j pulls of arm j:

    L1  rounds 1, ..., K: pull every arm once
    L2  for t = K + 1, K + 2, ...:
    L3      q_j = max{q : n_j kl(mean of the rewards of j, q) <= ln t} for every arm j
    L4      pull argmax_j q_j, ties uniformly at random

Ties: two arms with equal pulls and equal sums have equal indices. All arms that have won every round have index 1.
Rounding decides other ties.

Privacy: none.

Cost: O(K) comparisons, one logarithm and one KL divergence per round. The kernel computes no index. It uses that q_j >
q if and only if q is below the mean of j or n_j kl(mean of j, q) < ln t. If only one arm passes this test at some q,
that arm has the largest index. The left-hand side changes only for the pulled arm, and one q separates the leader from
the others for many rounds. When it no longer does, bisection finds another q. No rounds are skipped, since every reward
is used in the next round.
"""

import math
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
from dpbandits.numerics.kl import bernoulli_kl


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="KL-UCB (no privacy)",
    short="KL-UCB",
    reference="Garivier and Cappe 2011",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters={},
    arms=MEANS,
    grid=(),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=WITHOUT_NOISE,
    agrees="stream",
    look=Look("P", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@kernel
def evidence(wins: int, n: int, q: float) -> float:
    """n kl(mean, q) if q is above the mean, else 0; an index exceeds q if and only if this is less than ln t."""
    mean = wins / n
    return n * bernoulli_kl(mean, q) if q > mean else 0.0


@kernel
def separated(against: np.ndarray, wins: np.ndarray, n: np.ndarray, log_t: float, q: float) -> float:
    """A threshold that exactly one index exceeds, `q` if possible; just below the largest indices if they are tied.

    `against` holds the evidence of every arm at `q`, and is updated to the returned threshold.
    """
    low, high = 0.0, 1.0
    while True:
        larger = 0
        for j in range(len(n)):
            if against[j] < log_t:
                larger += 1
        if larger == 1:
            return q
        if larger > 1:
            low = q
        else:
            high = q
        q = 0.5 * (low + high)
        equal = q <= low or q >= high  # no number lies between
        if equal:
            q = low
        for j in range(len(n)):
            against[j] = evidence(wins[j], n[j], q)
        if equal:
            return q


@kernel
def run(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    wins, n = np.zeros(arms, np.int64), np.ones(arms, np.int64)
    q, against = 0.5, np.empty(arms)
    now = 0
    for j in range(min(arms, horizon)):  # L1
        wins[j] = int(rng.random() < means[j])
        against[j] = evidence(wins[j], n[j], q)
        now = pull(play, j, 1, now)
    while now < horizon:  # L2
        log_t = math.log(now + 1)
        q = separated(against, wins, n, log_t, q)  # L3
        i = largest_of(rng, against < log_t)  # L4
        decided(play)
        now = pull(play, i, 1, now)
        wins[i] += int(rng.random() < means[i])
        n[i] += 1
        against[i] = evidence(wins[i], n[i], q)
    return play.trace


def plain_index(mean: float, radius: float) -> float:
    """max{q: kl(mean, q) <= radius} by bisection, for the transcription."""
    if mean == 1.0:
        return 1.0
    entropy = mean * math.log(mean) + (1 - mean) * math.log(1 - mean) if mean > 0 else 0.0
    low, high = mean, 1.0
    for _ in range(52):
        q = (low + high) / 2
        if entropy - mean * math.log(q) - (1 - mean) * math.log(1 - q) <= radius:
            low = q
        else:
            high = q
    return low


def run_literal(rng: Generator, means: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, but computes every index; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    total, n = np.zeros(arms), np.zeros(arms)
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i = t - 1
        else:
            index = np.array([plain_index(s / k, math.log(t) / k) for s, k in zip(total, n, strict=True)])  # L3
            first = np.flatnonzero(index == index.max())
            i = int(first[0] if len(first) == 1 else first[rng.integers(len(first))])  # L4
        total[i] += float(rng.random() < means[i])
        n[i] += 1
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
