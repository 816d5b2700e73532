"""Lazy-DP-TS with two arms: how much the number of pulls of an arm reveals about one reward vector.

All rewards are 0 except the vector of round 101, (0, 1) or (1, 0). Whichever arm is pulled then, later noisy means
favor arm 0 on input 1. While 3 ln t / eps exceeds n, p = 1 for both arms, whatever was released, and a choice is a draw
from two broad Beta distributions; a few rounds therefore show nothing. The view is the number of pulls of arm 0 in
rounds 138 to 200, where most runs compare the means of two batches, one of which contains round 101. These rounds were
chosen once, on runs with half the noise at eps = 0.5, 1 and 2, which the audit does not use.

The distribution of the actions is not calculated: the lower bound is 0, the upper bound that of the noisy sum.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.bernoulli.lazy_dp_ts import Params
from dpbandits.algorithms.bernoulli.thinning import Beliefs, believed
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.numerics import beta as beta_distribution
from dpbandits.privacy.mechanisms import add_laplace

ARMS, ROUNDS, REPLACED, COUNTED = 2, 200, 101, 138
SHIFT = 1.0  # of a reward in [0, 1]


@dataclass(frozen=True)
class LazyDpTsActions:
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

    def accounted(self, eps: float, delta: float) -> Truth:
        """Upper bound from the noisy sum, by its privacy-loss distribution."""
        return at_most(self.mechanism.accounted(eps, delta))

    def derived(self, eps: float, delta: float) -> Truth:
        """Upper bound from the noisy sum, in closed form."""
        return at_most(self.mechanism.derived(eps, delta))

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the number of pulls of arm 0 from round `COUNTED` on."""
        rewards = np.zeros((ROUNDS, ARMS))
        rewards[REPLACED - 1] = SHIFT * side, SHIFT * (1 - side)
        arms = play(rng, rewards, self.params.eps, self.params.privacy_bonus, self.scale, trials)
        return (arms[:, COUNTED - 1 :] == 0).sum(axis=1, keepdims=True).astype(np.float64)

    def scores(self, views: Array) -> Array:
        """The number of pulls itself."""
        number: Array = views[:, 0]
        return number

    def halved(self) -> "LazyDpTsActions":
        """A copy with half the noise and the same bonus."""
        return replace(self, scale=0.5 * self.scale)


def at_most(truth: Truth) -> Truth:
    """The bounds with lower ends 0, because post-processing of a mechanism's output may reveal nothing."""
    return Truth((0.0, truth.epsilons[1]), (0.0, truth.deltas[1]), truth.method)


@kernel
def play(rng: Generator, rewards: Array, eps: float, privacy_bonus: float, scale: float, trials: int) -> Array:
    """The arms (trials, rounds), int8, of runs on a table of rewards (rounds, arms)."""
    rounds, arms = rewards.shape
    views = np.empty((trials, rounds), np.int8)
    beliefs = Beliefs(np.empty(arms), np.empty(arms), np.empty(arms, np.int64), np.empty(arms, np.int64))
    total = np.empty(arms)
    for trial in range(trials):
        total[:], beliefs.left[:] = 0.0, 1
        for t in range(1, rounds + 1):
            i = t - 1
            if t > arms:
                i, largest, log_t = 0, -1.0, math.log(t)
                for j in range(arms):
                    theta = beta_distribution.draw(rng, believed(beliefs, j, log_t), beliefs.n[j])
                    if theta > largest:
                        i, largest = j, theta
            views[trial, t - 1] = i
            total[i] += rewards[t - 1, i]
            beliefs.left[i] -= 1
            if beliefs.left[i] == 0:
                size = 1 if t <= arms else 2 * beliefs.n[i]
                beliefs.noisy[i] = add_laplace(rng, total[i], scale) / size
                beliefs.bonus[i] = privacy_bonus / (eps * size)
                beliefs.n[i], beliefs.left[i], total[i] = size, 2 * size, 0.0
    return views
