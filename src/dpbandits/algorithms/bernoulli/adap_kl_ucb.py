"""AdaP-KLUCB: KL-UCB in episodes, each with one noisy mean.

Azize and Basu, "When Privacy Meets Partial Information" (NeurIPS 2022), the KL-UCB version.

Pseudo-code. K arms, X a reward, N_j pulls of arm j, n_j the length of its last episode, m_j its noisy mean:

    L1  rounds 1, ..., K: pull every arm j once; m_j = X + Lap(1 / eps), N_j = 1, n_j = 1
    L2  for every round t > K in which a new episode starts:
    L3      p_j = m_j + alpha_private ln t / (eps n_j), clipped to [0, 1], for every arm j
    L4      i = argmax_j max{q in [0, 1] : kl(p_j, q) <= alpha_kl ln t / n_j}
    L5      pull i in N_i rounds, whatever its rewards are; N_i doubles
    L6      n_i = length of this episode; m_i = mean of its rewards + Lap(1 / (eps n_i)); forget all earlier rewards

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one reward of
one episode by at most 1, so the sequence of arms is eps-DP. The first pulls carry noise too. Printed and certified
noise coincide.

Constants: the paper uses the same alpha in L3 and L4. Its theorem needs alpha > 3; its experiments use 3.1.

Deviation: the paper writes N_j / 2 for n_j, which is 1/2 for an arm pulled once. Here it is 1.

Choices that the paper leaves open:
    ties        L4 does not say how to break them. Here: uniformly at random. Ties are frequent, since every index with
                p_j = 1 is 1.
    last round  An episode that the horizon cuts releases nothing.

Cost: O(K ln T) decisions of O(K) each, for a horizon of T rounds. Skipping rounds is exact: no reward is read before
its episode ends, and one binomial draw gives the sum.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Example, Look
from dpbandits.algorithms.bernoulli.private_means import clipped, episode_length, noised_mean
from dpbandits.algorithms.shared.entries_bandits import CLEAR, COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import MEANS
from dpbandits.numerics.kl import kl_upper_bound
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    alpha_kl: float
    alpha_private: float


ALGORITHM = Algorithm(
    label="AdaP-KLUCB",
    short="AdaP-KLUCB",
    reference="Azize and Basu 2022",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"alpha_kl": POSITIVE, "alpha_private": POSITIVE},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(CLEAR, {"eps": 1.0, "alpha_kl": 0.5, "alpha_private": 0.1}, 100),
        Example(FIVE, {"eps": 1.0, "alpha_kl": 0.1, "alpha_private": 0.1}, 100),
    ),
    look=Look("D", "--", "dark"),
    looks={"alpha_kl_one": Look("D", "-."), "alpha_one": Look("D", ":")},
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["alpha_kl"], setting["alpha_private"])


@formula
def index(mean: float, n: int, t: int, eps: float, alpha_kl: float, alpha_private: float) -> float:
    """The index of an arm in round t, L3 and L4."""
    log_t = math.log(t)
    return kl_upper_bound(clipped(mean + alpha_private * log_t / (eps * n)), alpha_kl * log_t / n)  # L3, L4


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, alpha_kl: float, alpha_private: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    noised, n, values, now = np.empty(arms), np.ones(arms, np.int64), np.empty(arms), 0
    for j in range(min(arms, horizon)):  # L1
        noised[j] = noised_mean(rng, means[j], 1, eps)
        released(play, 1)
        now = pull(play, j, 1, now)
    while now < horizon:  # L2
        for j in range(arms):
            values[j] = index(noised[j], n[j], now + 1, eps, alpha_kl, alpha_private)
        i = largest_of(rng, values)  # L4
        decided(play)
        length = episode_length(play.pulls[i])
        now = pull(play, i, length, now)  # L5
        if now < horizon:
            noised[i], n[i] = noised_mean(rng, means[i], length, eps), length  # L6
            released(play, 1)
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, alpha_kl: float, alpha_private: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms, gaps = len(means), means.max() - means
    m, n, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms, dtype=int)
    i, left, total, regret, regrets = 0, 0, 0.0, 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i, left, total = t - 1, 1, 0.0
        elif left == 0:  # L2
            p = np.clip(m + alpha_private * math.log(t) / (eps * n), 0, 1)  # L3
            indices = [largest_mean(p[j], alpha_kl * math.log(t) / n[j]) for j in range(arms)]
            i = int(rng.choice(np.flatnonzero(np.array(indices) == max(indices))))  # L4
            left, total = int(pulls[i]), 0.0
        total += float(rng.random() < means[i])
        pulls[i] += 1
        left -= 1
        if left == 0:
            n[i] = max(1, pulls[i] // 2)
            m[i] = total / n[i] + laplace(rng, 1 / (eps * n[i]))  # L6
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]


def largest_mean(p: float, radius: float) -> float:
    """For the transcription: the largest q in [p, 1] with kl(p, q) <= radius, by bisection."""
    low, high = float(p), 1.0
    while low < (q := (low + high) / 2) < high:
        kl = (p * math.log(p / q) if p > 0 else 0) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0)
        low, high = (q, high) if kl <= radius else (low, q)
    return high if high == 1.0 else low
