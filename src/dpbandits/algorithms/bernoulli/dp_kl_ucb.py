"""DP-KLUCB: KL-UCB with a divergence that accounts for privacy, in batches whose noise stays in the sums.

Azize, Wu, Honda, Orabona, Ito and Basu, arXiv 2505.05613.

Pseudo-code. K arms, n_j pulls of arm j in finished batches, S_j their noisy sum, ratio a > 1 by which the pulls of an
arm grow, first batch of b / eps pulls:

    L1  pull every arm j b / eps times, at least once; S_j = sum of these rewards + Lap(1 / eps), n_j = their number
    L2  for every round t in which a new batch starts:
    L3      p_j = S_j / n_j, clipped to [0, 1], for every arm j
    L4      i = argmax_j max{q in [0, 1] : d_eps(p_j, q) <= ln t / n_j}, ties uniformly at random
    L5      pull i until it has a n_i pulls, at least once, whatever its rewards are
    L6      S_i += sum of the rewards of this batch + Lap(1 / eps); n_i = all its pulls so far

The divergence is d_eps(x, y) = inf over z between x and y of eps |z - x| + kl(z, y), see `numerics.kl`. Nothing is
forgotten: the noise of all batches stays in S_i.

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one reward of
one batch by at most 1, so the sequence of arms is eps-DP. Printed and certified noise coincide.

Choices that the paper leaves open:
    ratio, first_batch  We do not know the ratio a of the paper's figures, nor how it rounds. Both a and b are
                        parameters; numbers of pulls are rounded up. `first_batch: null` starts with one pull. The
                        noise of about ln n / ln a batches must be small against n: with a first batch of one pull and
                        a ratio near 1, a few runs have linear regret.
    last round          A batch that the horizon cuts releases nothing.

Cost: O(K ln T) decisions of O(K) each, for a horizon of T rounds. Skipping rounds is exact: no reward is read before
its batch ends, and one binomial draw gives the sum.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Look, Range
from dpbandits.algorithms.bernoulli.literal import divergence
from dpbandits.algorithms.bernoulli.private_means import (
    clipped,
    first_batch_length,
    next_batch_length,
    noised_sum,
)
from dpbandits.algorithms.shared.entries_bandits import CLEAR, COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import MEANS
from dpbandits.numerics.kl import private_kl_upper_bound
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    ratio: float  # a
    first_batch: float  # b, in units of 1/eps; 0 (null in the configuration): one pull


ALGORITHM = Algorithm(
    label="DP-KLUCB",
    short="DP-KLUCB",
    reference="Azize et al. 2025",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"ratio": Range(1.0, 16.0), "first_batch": Range(0.0, math.inf, null=0.0)},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(FIVE, {"eps": 1.0, "ratio": 2.0, "first_batch": 2.0}, 100),
        Example(CLEAR, {"eps": 2.0, "ratio": 2.0, "first_batch": 2.0}, 100),
    ),
    look=Look("P", "--", "dark"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["ratio"], setting["first_batch"])


@formula
def index(total: float, n: int, t: int, eps: float) -> float:
    """The index of an arm in round t, L3 and L4, given its noisy sum."""
    return private_kl_upper_bound(clipped(total / n), math.log(t) / n, eps)  # L3, L4


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, ratio: float, first_batch: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    total, n, values, now = np.zeros(arms), np.zeros(arms, np.int64), np.empty(arms), 0
    while now < horizon:  # L2
        i = int(np.argmin(n))
        if n[i] == 0:
            length = first_batch_length(first_batch, eps)  # L1
        else:
            for j in range(arms):
                values[j] = index(total[j], n[j], now + 1, eps)
            i = largest_of(rng, values)  # L4
            length = next_batch_length(n[i], ratio)  # L5
            decided(play)
        now = pull(play, i, length, now)  # L5
        if now < horizon:
            total[i] += noised_sum(rng, means[i], length, eps)  # L6
            n[i] += length  # L6
            released(play, 1)
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, ratio: float, first_batch: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms, gaps = len(means), means.max() - means
    s, n, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms, dtype=int)
    i, until, batch, regret, regrets = 0, 0, 0.0, 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if pulls[i] == until:  # L2
            if not pulls.all():
                i = int(np.flatnonzero(pulls == 0)[0])
                until = max(1, math.ceil(first_batch / eps - 1e-9))  # L1
            else:
                p = np.clip(s / n, 0, 1)  # L3
                indices = [largest_mean(p[j], math.log(t) / n[j], eps) for j in range(arms)]
                i = int(rng.choice(np.flatnonzero(np.array(indices) == max(indices))))  # L4
                until = max(pulls[i] + 1, math.ceil(ratio * pulls[i] - 1e-9))
        batch += float(rng.random() < means[i])
        pulls[i] += 1
        if pulls[i] == until:
            s[i] += batch + laplace(rng, 1 / eps)  # L6
            n[i], batch = pulls[i], 0.0
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]


def largest_mean(p: float, radius: float, eps: float) -> float:
    """For the transcription: the largest q in [p, 1] with d_eps(p, q) <= radius, by bisection."""
    if eps * (1 - p) <= radius:
        return 1.0
    low, high = float(p), 1.0
    while low < (q := (low + high) / 2) < high:
        low, high = (q, high) if divergence(p, q, eps) <= radius else (low, q)
    return low
