"""Anytime-Lazy-UCB: UCB on noisy means of batches of doubling size, without a known horizon.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 1.

Pseudo-code. K arms, X a reward, m_j noisy mean of the last finished batch of arm j, n_j = 2^r_j its size:

    L1  rounds 1, ..., K: pull every arm j once; m_j = X + Lap(1 / eps), r_j = 0, n_j = 1
    L2  for t = K + 1, K + 2, ...:
    L3      pull i = argmax_j m_j + sqrt(c1 ln t / n_j) + c2 ln t / (eps n_j)
    L4      if i has been pulled 2^(r_i + 1) times since its last release:
    L5          m_i = (sum of these rewards + Lap(1 / eps)) / 2^(r_i + 1); r_i += 1; n_i = 2^r_i; forget the rewards

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one reward of
one batch by at most 1, so the sequence of arms is eps-DP. The first pulls carry noise too, and unfinished batches are
never used. Printed and certified noise coincide.

Choices that the paper leaves open:
    exploration    c1 in L3. The formula is missing in the text of the paper that we have. c1 = 2 is that of UCB1, which
                   the paper names as its non-private part; the configuration varies it.
    privacy_bonus  c2 in L3. c2 = 3.

Cost: O(K ln T) decisions of O(K) each, for a horizon of T rounds. Between two releases every index is a quadratic
polynomial in sqrt(ln t). So the leader stays until its batch ends or until the first root of a difference of indices;
near a root the indices are compared round by round. Skipping rounds is exact: no reward is read before its batch ends,
and one binomial draw gives the sum.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NOT_NEGATIVE, POSITIVE, Algorithm, Example, Look
from dpbandits.algorithms.bernoulli.private_means import noised_mean
from dpbandits.algorithms.shared.entries_bandits import CLEAR, CLOSE, COINCIDE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, pull, released
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace

NEAR = 2  # rounds before a computed crossing from which indices are compared round by round


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    exploration: float  # c1
    privacy_bonus: float  # c2


ALGORITHM = Algorithm(
    label="Anytime-Lazy-UCB",
    short="Anytime-Lazy-UCB",
    reference="Hu et al. 2021, Algorithm 1",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"exploration": POSITIVE, "privacy_bonus": NOT_NEGATIVE},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(CLEAR, {"eps": 0.1, "exploration": 0.5, "privacy_bonus": 0.3}, 250),
        Example(CLOSE, {"eps": 0.5, "exploration": 0.5, "privacy_bonus": 0.05}, 100),
    ),
    look=Look("s", "-"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["exploration"], setting["privacy_bonus"])


@kernel
def index(mean: float, n: int, t: int, eps: float, exploration: float, privacy_bonus: float) -> float:
    """The index of an arm in round t, L3."""
    log_t = math.log(t)
    return mean + math.sqrt(exploration * log_t / n) + privacy_bonus * log_t / (eps * n)  # L3


@kernel
def leader_of(means: np.ndarray, n: np.ndarray, t: int, eps: float, exploration: float, privacy_bonus: float) -> int:
    """The arm with the largest index in round t."""
    best, largest = 0, -math.inf
    for j in range(len(means)):
        value = index(means[j], n[j], t, eps, exploration, privacy_bonus)
        if value > largest:
            best, largest = j, value
    return best


@kernel
def crossing(c: float, b: float, a: float, now: float) -> float:
    """The smallest root above `now` of c + b x + a x^2, which is <= 0 at `now`; infinite if there is none."""
    if a == 0.0:
        root = -c / b if b > 0.0 else math.inf
        return root if root > now else math.inf
    square = b * b - 4.0 * a * c
    if square < 0.0:
        return math.inf
    q = -0.5 * (b + math.copysign(math.sqrt(square), b))
    first, second = q / a, (c / q if q != 0.0 else math.inf)
    if first > second:
        first, second = second, first
    if first > now:
        return first
    return second if second > now else math.inf


@kernel
def rounds_of_lead(
    i: int, means: np.ndarray, n: np.ndarray, t: int, most: int, eps: float, exploration: float, privacy_bonus: float
) -> int:
    """Number of rounds from t on, at most `most`, in which arm i, the leader of round t, stays the leader."""
    if most == 1:
        return 1
    now = math.sqrt(math.log(t))
    first = math.inf
    for j in range(len(means)):
        if j != i:
            b = math.sqrt(exploration / n[j]) - math.sqrt(exploration / n[i])
            a = privacy_bonus / eps * (1.0 / n[j] - 1.0 / n[i])
            first = min(first, crossing(means[j] - means[i], b, a, now))
    safe = most
    if first * first < math.log(t + most + NEAR):
        safe = min(most, max(1, int(math.exp(first * first)) - t - NEAR))
    while safe < most and leader_of(means, n, t + safe, eps, exploration, privacy_bonus) == i:
        safe += 1
    return safe


@kernel
def run(
    rng: Generator,
    means: np.ndarray,
    eps: float,
    exploration: float,
    privacy_bonus: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    noisy, n, pending = np.empty(arms), np.ones(arms, np.int64), np.zeros(arms, np.int64)
    now = 0
    for j in range(min(arms, horizon)):  # L1
        noisy[j] = noised_mean(rng, means[j], 1, eps)
        released(play, 1)
        now = pull(play, j, 1, now)
    while now < horizon:  # L2
        i = leader_of(noisy, n, now + 1, eps, exploration, privacy_bonus)  # L3
        decided(play)
        most = min(2 * n[i] - pending[i], horizon - now)
        rounds = rounds_of_lead(i, noisy, n, now + 1, most, eps, exploration, privacy_bonus)
        now = pull(play, i, rounds, now)
        pending[i] += rounds
        if pending[i] == 2 * n[i]:  # L4
            noisy[i] = noised_mean(rng, means[i], 2 * n[i], eps)  # L5
            n[i] *= 2  # L5
            pending[i] = 0
            released(play, 1)
    return play.trace


def run_literal(
    rng: Generator,
    means: np.ndarray,
    eps: float,
    exploration: float,
    privacy_bonus: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    m, r = np.zeros(arms), np.zeros(arms, dtype=int)
    count, total = np.zeros(arms, dtype=int), np.zeros(arms)
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:  # L1
            i = t - 1
            m[i] = float(rng.random() < means[i]) + laplace(rng, 1 / eps)
        else:
            n = 2.0**r
            i = int(np.argmax(m + np.sqrt(exploration * math.log(t) / n) + privacy_bonus * math.log(t) / (eps * n)))
            count[i] += 1
            total[i] += float(rng.random() < means[i])
            if count[i] == 2 ** (r[i] + 1):  # L4
                m[i] = (total[i] + laplace(rng, 1 / eps)) / 2 ** (r[i] + 1)  # L5
                r[i] += 1
                count[i], total[i] = 0, 0.0
        regret += means.max() - means[i]
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
