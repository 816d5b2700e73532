"""Anytime-Lazy-UCB with two arms: how much the arms of its first five rounds reveal about one reward.

Rounds 1 and 2 pull both arms. The arm with the larger noisy reward, the leader i, is pulled in rounds 3 and 4; then the
noisy mean of these two rewards replaces its mean. Round 5 compares again. So there are four sequences of arms. Let x
and y be the first rewards of i and its rival j, s the sum of rounds 3 and 4, and c the decrease of i's bonus. Then

    P(i leads and stays) = E[ P(L > m - x) P(L > 2 (m + c) - s) ],   where m ~ y + Lap(b).

The first reward of arm 0 is 0 or 1 and that of arm 1 is 1; later rewards are 1 for arm 0 and 0 for arm 1. This pair was
selected among first rewards 0, 1/2 and 1, sums s = 0, 1 and 2, and their neighbors: with half the noise, these
distributions show the most in 1e4 runs at eps = 0.5 and 1. At eps = 1 it attains 0.995, and 1.9995 with half the noise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.bernoulli.anytime_lazy_ucb import Params, index, leader_of
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import add_laplace

ARMS, ROUNDS = 2, 5
SHIFT = 1.0  # of a reward in [0, 1]
Sum = dict[float, float]
"""A sum of exponentials c e^(k x), as coefficients c by exponent k."""


def rewards_of(side: int) -> Array:
    """The rewards (rounds, arms) of input `side`."""
    rewards = np.zeros((ROUNDS, ARMS))
    rewards[:, 0], rewards[1, 1] = 1.0, 1.0
    rewards[0, 0] = SHIFT * side
    return rewards


@dataclass(frozen=True)
class AnytimeLazyUcbActions:
    """Attributes: `params` of the algorithm; `scale` of the Laplace noise added to a sum."""

    params: Params
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise on a sum."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The mechanism: the noisy sum of the batch that contains the reward."""
        return Laplace(self.scale, (SHIFT,))

    def distributions(self, stays_and_leaves: Callable[..., tuple[float, float]]) -> Array:
        """Probabilities (2, 2^5) of the sequences of arms, indexed by the arms as binary digits."""
        distributions = np.zeros((2, ARMS**ROUNDS))
        bonus = [index.py_func(0.0, n, ROUNDS, *self.constants) for n in (1, 2)]
        for side in range(2):
            rewards = rewards_of(side)
            first = rewards[0, 0], rewards[1, 1]
            for i in range(ARMS):
                total = rewards[2, i] + rewards[3, i]
                stays, leaves = stays_and_leaves(first[i], first[1 - i], total, bonus[0] - bonus[1], self.scale)
                distributions[side, code([0, 1, i, i, i])], distributions[side, code([0, 1, i, i, 1 - i])] = (
                    stays,
                    leaves,
                )
        return distributions

    @property
    def constants(self) -> tuple[float, float, float]:
        """Constants of the index: eps, exploration and privacy bonus."""
        return self.params.eps, self.params.exploration, self.params.privacy_bonus

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from distributions as sums of exponentials."""
        return action_distributions.accounted_truth(self.mechanism, self.distributions(by_pieces), eps, delta)

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from distributions by quadrature."""
        return action_distributions.derived_truth(self.mechanism, self.distributions(by_quadrature), eps, delta)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the arms of all rounds as binary digits of a number."""
        return play(rng, rewards_of(side), *self.constants, self.scale, trials)

    def scores(self, views: Array) -> Array:
        """Log-ratios of the exact distributions, one per view."""
        return action_distributions.log_ratios(self.distributions(by_pieces), views[:, 0])

    def halved(self) -> "AnytimeLazyUcbActions":
        """A copy with half the noise and the same bonus."""
        return replace(self, scale=0.5 * self.scale)


def code(arms: list[int]) -> int:
    """The number with the arms as binary digits."""
    found = 0
    for arm in arms:
        found = ARMS * found + arm
    return found


def by_quadrature(first: float, second: float, total: float, margin: float, scale: float) -> tuple[float, float]:
    """P(i leads and stays) and P(i leads and is left), by quadrature over the mean of the rival."""

    def density(mean: float, stays: bool) -> float:
        leads = action_distributions.laplace_density(mean - second, scale) * action_distributions.exceeds(
            mean - first, scale
        )
        ahead = action_distributions.exceeds(2.0 * (mean + margin) - total, scale)
        return leads * (ahead if stays else 1.0 - ahead)

    kinks = [first, second, 0.5 * total - margin]
    stays, leaves = (
        action_distributions.integral(partial(density, stays=each), kinks, scale) for each in (True, False)
    )
    return stays, leaves


def by_pieces(first: float, second: float, total: float, margin: float, scale: float) -> tuple[float, float]:
    """P(i leads and stays) and P(i leads and is left), exactly: between kinks every factor is a sum of exponentials."""
    last = 0.5 * total - margin
    stays = leads = 0.0
    kinks = sorted({first, second, last})
    for low, high in pairwise([-math.inf, *kinks, math.inf]):
        inside = 0.5 * (max(low, kinks[0] - 1.0) + min(high, kinks[-1] + 1.0))
        rival = {-1.0 / scale: 0.5 / scale * math.exp(second / scale)}
        if inside < second:
            rival = {1.0 / scale: 0.5 / scale * math.exp(-second / scale)}
        lead = times(rival, tail(first, 1.0 / scale, inside))
        leads += integrated(lead, low, high)
        stays += integrated(times(lead, tail(last, 2.0 / scale, inside)), low, high)
    return stays, leads - stays


def tail(kink: float, rate: float, inside: float) -> Sum:
    """P(L > rate (x - kink)) for L ~ Lap(1), as a function of x on the same side of the kink as `inside`."""
    if inside > kink:
        return {-rate: 0.5 * math.exp(rate * kink)}
    return {0.0: 1.0, rate: -0.5 * math.exp(-rate * kink)}


def times(one: Sum, other: Sum) -> Sum:
    """The product of two sums of exponentials."""
    found: Sum = {}
    for k, c in one.items():
        for m, d in other.items():
            found[k + m] = found.get(k + m, 0.0) + c * d
    return found


def integrated(integrand: Sum, low: float, high: float) -> float:
    """Integral from `low` to `high`. An end may be infinite if the integrand vanishes there."""
    found = 0.0
    for k, c in integrand.items():
        found += c * (high - low) if k == 0.0 else c / k * (math.exp(k * high) - math.exp(k * low))
    return found


@kernel
def play(
    rng: Generator, rewards: Array, eps: float, exploration: float, privacy_bonus: float, scale: float, trials: int
) -> Array:
    """Views (trials, 1) of runs on a table of rewards (rounds, arms)."""
    rounds, arms = rewards.shape
    views = np.empty((trials, 1))
    noisy, n, pending, total = np.empty(arms), np.ones(arms, np.int64), np.zeros(arms, np.int64), np.zeros(arms)
    for trial in range(trials):
        n[:], pending[:], total[:] = 1, 0, 0.0
        found = 0
        for t in range(1, rounds + 1):
            if t <= arms:
                i = t - 1
                noisy[i] = add_laplace(rng, rewards[t - 1, i], scale)
            else:
                i = leader_of(noisy, n, t, eps, exploration, privacy_bonus)
                total[i] += rewards[t - 1, i]
                pending[i] += 1
                if pending[i] == 2 * n[i]:
                    noisy[i] = add_laplace(rng, total[i], scale) / (2 * n[i])
                    n[i], pending[i], total[i] = 2 * n[i], 0, 0.0
            found = arms * found + i
        views[trial, 0] = found
    return views
