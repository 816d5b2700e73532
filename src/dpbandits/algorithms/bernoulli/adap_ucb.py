"""AdaP-UCB: UCB in episodes, each with one noisy mean.

Azize and Basu, "When Privacy Meets Partial Information" (NeurIPS 2022), the UCB version.

Pseudo-code. K arms, X a reward, N_j pulls of arm j, n_j the length of its last episode, m_j its noisy mean:

    L1  rounds 1, ..., K: pull every arm j once; m_j = X + Lap(1 / eps), N_j = 1, n_j = 1
    L2  for every round t > K in which a new episode starts:
    L3      i = argmax_j m_j + sqrt(alpha ln(2 t) / (2 n_j)) + alpha ln t / (eps n_j)
    L4      pull i in N_i rounds, whatever its rewards are; N_i doubles
    L5      n_i = length of this episode; m_i = mean of its rewards + Lap(1 / (eps n_i)); forget all earlier rewards

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one reward of
one episode by at most 1, so the sequence of arms is eps-DP. The first pulls carry noise too. Printed and certified
noise coincide.

Constants: the theorem of the paper needs alpha > 3; its experiments use 3.1.

Deviation: the paper writes N_j / 2 for n_j, which is 1/2 for an arm pulled once. Here it is 1.

Choices that the paper leaves open:
    last round  An episode that the horizon cuts releases nothing.

Cost: O(K ln T) decisions of O(K) each, for a horizon of T rounds. Skipping rounds is exact: no reward is read before
its episode ends, and one binomial draw gives the sum. Ties have probability zero, since every mean carries continuous
noise and is not clipped.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Example, Look
from dpbandits.algorithms.bernoulli.private_means import episode_length, noised_mean
from dpbandits.algorithms.shared.entries_bandits import CLEAR, COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    alpha: float


ALGORITHM = Algorithm(
    label="AdaP-UCB",
    short="AdaP-UCB",
    reference="Azize and Basu 2022",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"alpha": POSITIVE},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(Example(FIVE, {"eps": 0.1, "alpha": 0.7}, 200), Example(CLEAR, {"eps": 0.05, "alpha": 0.3}, 200)),
    look=Look("v", "--", "light"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["alpha"])


@formula
def index(mean: float, n: int, t: int, eps: float, alpha: float) -> float:
    """The index of an arm in round t, L3."""
    return mean + math.sqrt(alpha * math.log(2.0 * t) / (2.0 * n)) + alpha * math.log(t) / (eps * n)  # L3


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, alpha: float, checkpoints: np.ndarray) -> np.ndarray:
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
            values[j] = index(noised[j], n[j], now + 1, eps, alpha)
        i = int(np.argmax(values))  # L3
        decided(play)
        length = episode_length(play.pulls[i])
        now = pull(play, i, length, now)  # L4
        if now < horizon:
            noised[i], n[i] = noised_mean(rng, means[i], length, eps), length  # L5
            released(play, 1)
    return play.trace


def run_literal(rng: Generator, means: np.ndarray, eps: float, alpha: float, checkpoints: np.ndarray) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms, gaps = len(means), means.max() - means
    m, n, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms, dtype=int)
    i, left, total, regret, regrets = 0, 0, 0.0, 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i, left, total = t - 1, 1, 0.0
        elif left == 0:  # L2
            privacy = alpha * math.log(t) / (eps * n)
            i = int(np.argmax(m + np.sqrt(alpha * math.log(2 * t) / (2 * n)) + privacy))  # L3
            left, total = int(pulls[i]), 0.0
        total += float(rng.random() < means[i])
        pulls[i] += 1
        left -= 1
        if left == 0:
            n[i] = max(1, pulls[i] // 2)
            m[i] = total / n[i] + laplace(rng, 1 / (eps * n[i]))  # L5
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]
