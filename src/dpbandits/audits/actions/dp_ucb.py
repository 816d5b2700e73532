"""DP-UCB with two arms, each with a tree of noise: how much the played arms reveal about one reward.

The first reward of arm 0 is 0 or 1; all others are 0. Round 3 compares the two first sums, each with the noise of one
node, Lap(b) with b = L / e: arm 0 is pulled if L' - L'' exceeds 0, or -1. This decision gives the lower bound. All
later decisions are observed too. Together they reveal at most e (floor(log2 T) + 1) / L, because that many nodes
contain the leaf.

This audit has no power. At e = eps / K with K >= 2 the copy with half the noise satisfies the claim, whatever is
released. At e = eps a violation would need most of the nodes that contain the leaf. But a node shows only in decisions
between arms with equally many pulls, and only half of e / L unless the noise is rare. With constant rewards, up to 32
rounds and e up to 16, the copy showed at most 0.71 e in 1e5 runs, and 0.79 e in 5e5 runs of eight rounds at e = 4.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.bernoulli.dp_ucb import Params, index, layers_of, parts, privacy_bonus, tree_budget
from dpbandits.algorithms.shared.tree_noise import advance
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.tree import layers

ARMS = 2
SHIFT = 1.0  # of a reward in [0, 1]


@dataclass(frozen=True)
class DpUcbActions:
    """Attributes: `params` of the algorithm; `horizon`, at least 3; `scale` of the Laplace noise of a node."""

    params: Params
    horizon: int
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise of a node."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The mechanism: all nodes that contain the reward."""
        return Laplace(self.scale, (SHIFT,) * layers(self.horizon))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from round 3, by the closed-form distribution of the difference of two Laplace variables."""
        first, second = (action_distributions.differs(gap, self.scale) for gap in (0.0, -SHIFT))
        return action_distributions.accounted_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from round 3, by quadrature."""
        first, second = (action_distributions.integrated_differs(gap, self.scale) for gap in (0.0, -SHIFT))
        return action_distributions.derived_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the arms of all rounds as binary digits of a number."""
        rewards = np.zeros((self.horizon, ARMS))
        rewards[0, 0] = SHIFT * side
        budget = tree_budget(self.params.eps, ARMS, self.params.split_budget)
        return play(rng, rewards, budget, self.params.gamma, self.scale, trials)

    def scores(self, views: Array) -> None:
        """None: scores are learned."""

    def halved(self) -> "DpUcbActions":
        """A copy with half the noise and the same bonus."""
        return replace(self, scale=0.5 * self.scale)


def scale_of(params: Params, horizon: int) -> float:
    """Scale of the noise of a node."""
    return layers_of(horizon) / tree_budget(params.eps, ARMS, params.split_budget)


@kernel
def play(rng: Generator, rewards: Array, budget: float, gamma: float, scale: float, trials: int) -> Array:
    """Views (trials, 1) of runs on a table of rewards (rounds, arms)."""
    rounds, arms = rewards.shape
    views = np.empty((trials, 1))
    bonus = privacy_bonus(arms, rounds, budget, gamma)
    noise, sums, pulls = np.zeros((arms, layers_of(rounds))), np.zeros(arms), np.zeros(arms, np.int64)
    steady, width = np.empty(arms), np.empty(arms)
    for trial in range(trials):
        sums[:], pulls[:] = 0.0, 0
        found = 0
        for now in range(rounds):
            i = now
            if now >= arms:
                i, largest = 0, -np.inf
                for j in range(arms):
                    value = index(steady[j], width[j], now + 1)
                    if value > largest:
                        i, largest = j, value
            pulls[i] += 1
            sums[i] += rewards[now, i]
            total = sums[i] + advance(rng, noise, i, pulls[i], scale)
            steady[i], width[i] = parts(total, pulls[i], bonus)
            found = arms * found + i
        views[trial, 0] = found
    return views
