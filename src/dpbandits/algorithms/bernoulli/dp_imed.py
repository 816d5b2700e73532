"""DP-IMED: indexed minimum empirical divergence, with a divergence that accounts for privacy.

Azize, Wu, Honda, Orabona, Ito and Basu, arXiv 2505.05613.

Pseudo-code. K arms, n_j pulls of arm j in finished batches, S_j their noisy sum, ratio a > 1 by which the pulls of an
arm grow, first batch of b / eps pulls:

    L1  pull every arm j b / eps times, at least once; S_j = sum of these rewards + Lap(1 / eps), n_j = their number
    L2  whenever a batch has ended:
    L3      p_j = S_j / n_j, clipped to [0, 1], for every arm j; p = max_j p_j
    L4      i = argmin_j n_j d_eps(p_j, p) + ln n_j, ties uniformly at random
    L5      pull i until it has a n_i pulls, at least once, whatever its rewards are
    L6      S_i += sum of the rewards of this batch + Lap(1 / eps); n_i = all its pulls so far

The divergence is d_eps(x, y) = inf over z between x and y of eps |z - x| + kl(z, y), see `numerics.kl`. It is 0 at x =
y. Ties have positive probability: p_j is clipped, and n_j takes few values. Nothing is forgotten: the noise of all
batches stays in S_i.

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
from dpbandits.numerics.kl import private_kl
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    ratio: float  # a
    first_batch: float  # b, in units of 1/eps; 0 (null in the configuration): one pull


ALGORITHM = Algorithm(
    label="DP-IMED",
    short="DP-IMED",
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
        Example(FIVE, {"eps": 0.2, "ratio": 1.5, "first_batch": 2.0}, 250),
        Example(CLEAR, {"eps": 0.05, "ratio": 1.5, "first_batch": 2.0}, 250),
    ),
    look=Look("X", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["ratio"], setting["first_batch"])


@formula
def index(mean: float, largest: float, n: int, eps: float) -> float:
    """The index of an arm, L4, given clipped means."""
    return n * private_kl(mean, largest, eps) + math.log(n)


@kernel
def least_index(rng: Generator, total: np.ndarray, n: np.ndarray, eps: float) -> int:
    """The arm chosen in L4."""
    largest = 0.0
    for j in range(len(n)):
        largest = max(largest, clipped(total[j] / n[j]))  # L3
    values = np.empty(len(n))
    for j in range(len(n)):
        values[j] = -index(clipped(total[j] / n[j]), largest, n[j], eps)
    return largest_of(rng, values)  # L4


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, ratio: float, first_batch: float, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    total, n, now = np.zeros(arms), np.zeros(arms, np.int64), 0
    while now < horizon:  # L2
        i = int(np.argmin(n))
        if n[i] == 0:
            length = first_batch_length(first_batch, eps)  # L1
        else:
            i = least_index(rng, total, n, eps)  # L3, L4
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
    for _ in range(checkpoints[-1]):
        if pulls[i] == until:  # L2
            if not pulls.all():
                i = int(np.flatnonzero(pulls == 0)[0])
                until = max(1, math.ceil(first_batch / eps - 1e-9))  # L1
            else:
                p = np.clip(s / n, 0, 1)  # L3
                d = [0.0 if x == p.max() else boundary(x, p.max(), eps) for x in p]
                indices = n * d + np.log(n)
                i = int(rng.choice(np.flatnonzero(indices == indices.min())))  # L4
                until = max(pulls[i] + 1, math.ceil(ratio * pulls[i] - 1e-9))
        batch += float(rng.random() < means[i])
        pulls[i] += 1
        if pulls[i] == until:
            s[i] += batch + laplace(rng, 1 / eps)  # L6
            n[i], batch = pulls[i], 0.0
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]


def boundary(x: float, y: float, eps: float) -> float:
    """For the transcription: d_eps(x, y), also at y = 1, where only z = y has a finite kl(z, y)."""
    return eps * abs(x - y) if y in (0.0, 1.0) else divergence(x, y, eps)
