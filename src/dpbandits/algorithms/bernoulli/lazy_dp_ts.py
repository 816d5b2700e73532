"""Lazy-DP-TS: Thompson sampling on noisy means of batches of doubling size.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 3.

Pseudo-code. K arms, X a reward, m_j noisy mean of the last finished batch of arm j, n_j its size:

    L1  rounds 1, ..., K: pull every arm j once; m_j = X + Lap(1 / eps), n_j = 1
    L2  for t = K + 1, K + 2, ...:
    L3      p_j = min(1, max(0, m_j + c ln t / (eps n_j))) for every arm j
    L4      theta_j ~ Beta(p_j n_j + 1, (1 - p_j) n_j + 1), independently over j
    L5      pull i = argmax_j theta_j
    L6      if i has been pulled 2 n_i times since its last release:
    L7          m_i = (sum of these rewards + Lap(1 / eps)) / (2 n_i); n_i = 2 n_i; forget the rewards

The parameters of the Beta distribution are real numbers. As eps tends to infinity, this does not become Thompson
sampling on all rewards: at least half of them are forgotten.

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one reward of
one batch by at most 1, so the sequence of arms is eps-DP. The first pulls carry noise too, unfinished batches are never
used, and L3 to L5 read only what was released. Printed and certified noise coincide.

Choices that the paper leaves open:
    privacy_bonus  c in L3. The formulas are missing in the text of the paper that we have. c = 3, as in the earlier
                   version of the algorithm by Hu and Hegde (UAI 2022), where L3 is legible.

Cost: O(K) per round in which arms compete, and about O(K ln T) stretches in which one arm leads. `thinning` explains
why skipping their rounds is exact. No reward is read before its batch ends, and one binomial draw gives the sum.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NOT_NEGATIVE, Algorithm, Example, Look
from dpbandits.algorithms.bernoulli.private_means import noised_mean
from dpbandits.algorithms.bernoulli.thinning import Beliefs, believed, skip_plain_rounds, ways_of
from dpbandits.algorithms.shared.entries_bandits import CLEAR, COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import Play, decided_once, due, open_play, pull, record, released
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS
from dpbandits.numerics.beta import draw
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    privacy_bonus: float  # c


ALGORITHM = Algorithm(
    label="Lazy-DP-TS",
    short="Lazy-DP-TS",
    reference="Hu et al. 2021, Algorithm 3",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"privacy_bonus": NOT_NEGATIVE},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(CLEAR, {"eps": 0.2, "privacy_bonus": 0.05}, 250),
        Example(FIVE, {"eps": 0.2, "privacy_bonus": 0.05}, 250),
    ),
    look=Look("o", "-", "light"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["privacy_bonus"])


@kernel
def release(
    rng: Generator, play: Play, beliefs: Beliefs, i: int, size: int, mean: float, eps: float, privacy_bonus: float
) -> None:
    """Release the mean of a finished batch of arm i."""
    beliefs.noisy[i] = noised_mean(rng, mean, size, eps)
    beliefs.bonus[i] = privacy_bonus / (eps * size)
    beliefs.n[i], beliefs.left[i] = size, 2 * size
    released(play, 1)


@kernel
def first_pulls(
    rng: Generator, play: Play, means: np.ndarray, eps: float, privacy_bonus: float, horizon: int
) -> Beliefs:
    """Pull every arm once, L1."""
    arms = len(means)
    beliefs = Beliefs(np.empty(arms), np.empty(arms), np.empty(arms, np.int64), np.empty(arms, np.int64))
    for j in range(min(arms, horizon)):
        release(rng, play, beliefs, j, 1, means[j], eps, privacy_bonus)
        pull(play, j, 1, j)
    return beliefs


@kernel
def every_round(rng: Generator, play: Play, beliefs: Beliefs, now: int, end: int) -> tuple[int, int]:
    """Draw every round up to `end`, or to the end of a batch; return the last round played and its arm."""
    n, left = beliefs.n, beliefs.left
    i = 0
    while now < end:
        log_t, largest = math.log(now + 1), -1.0
        for j in range(len(n)):
            theta = draw(rng, believed(beliefs, j, log_t), n[j])  # L3, L4
            if theta > largest:  # L5
                i, largest = j, theta
        now += 1
        decided_once(play, i)
        if due(play, now):
            record(play)
        left[i] -= 1
        if left[i] == 0:
            break
    return now, i


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, privacy_bonus: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    beliefs = first_pulls(rng, play, means, eps, privacy_bonus, horizon)  # L1
    now = min(arms, horizon)
    while now < horizon:  # L2
        ways = ways_of(beliefs, now)
        if ways.total < math.inf:
            now, i = skip_plain_rounds(rng, play, beliefs, ways, now)  # L3, L4, L5
        else:
            now, i = every_round(rng, play, beliefs, now, min(ways.end, horizon))  # L3, L4, L5
        if beliefs.left[i] == 0:  # L6
            release(rng, play, beliefs, i, 2 * beliefs.n[i], means[i], eps, privacy_bonus)  # L7
    return play.trace


@kernel
def run_per_round(
    rng: Generator, means: np.ndarray, eps: float, privacy_bonus: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, without skipping rounds."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    beliefs = first_pulls(rng, play, means, eps, privacy_bonus, horizon)  # L1
    now = min(arms, horizon)
    while now < horizon:  # L2
        now, i = every_round(rng, play, beliefs, now, horizon)  # L3, L4, L5
        if beliefs.left[i] == 0:  # L6
            release(rng, play, beliefs, i, 2 * beliefs.n[i], means[i], eps, privacy_bonus)  # L7
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, privacy_bonus: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    m, n = np.zeros(arms), np.ones(arms)
    count, total = np.zeros(arms), np.zeros(arms)
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i = t - 1
            m[i] = float(rng.random() < means[i]) + laplace(rng, 1 / eps)
        else:
            p = np.minimum(1, np.maximum(0, m + privacy_bonus * math.log(t) / (eps * n)))  # L3
            i = int(np.argmax(rng.beta(p * n + 1, (1 - p) * n + 1)))  # L4, L5
            count[i] += 1
            total[i] += float(rng.random() < means[i])
            if count[i] == 2 * n[i]:  # L6
                m[i] = (total[i] + laplace(rng, 1 / eps)) / (2 * n[i])  # L7
                n[i] *= 2
                count[i], total[i] = 0, 0
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
