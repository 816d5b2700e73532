"""CUCB-DP with two arms, one played per round: how much the arms of three rounds reveal about one outcome.

All indices start at 1, and ties play the first arm. Its outcome is 0 or 1; all other outcomes are 0. Round 2 plays arm
1 if the index of arm 0, x + w + L, lies in [0, 1), and either arm with equal probability if it is negative. As w > 1,
both intervals lie in one tail of L ~ Lap(b), and the loss of playing arm 1 is exactly 1/b, the share of a single node.
Round 3 is observed as well.

This audit has no power. The leaf is in 2 nodes and b is at least 2 / eps, but arm 1 is played because of the noise of
at most one node: that of {1} in round 2, or that of {1, 2} in round 3. (If arm 1 is played in round 2, the distance of
arm 0's index below 1 reveals nothing, because an exponential tail is memoryless.) So the copy with half the noise
reveals only 2/b <= eps. In longer runs a node reveals less, and indices are 1 except in rare events.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit.cucb_dp import Params, bonus_of
from dpbandits.algorithms.semi_bandit.widths import Width, width_of
from dpbandits.algorithms.shared.tree_noise import advance
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.environments.combinatorial.oracles.oracle import any_super_arm, choose
from dpbandits.environments.combinatorial.problem import LINEAR, TOP, Problem, problem
from dpbandits.privacy.tree import layers

ARMS, SIZE, ROUNDS = 2, 1, 3
SHIFT = 1.0  # of an outcome in [0, 1]


@dataclass(frozen=True)
class CucbActions:
    """Attributes: `params` of the algorithm; `scale` of the Laplace noise of a node."""

    params: Params
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise of a node."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The mechanism: all nodes that contain the outcome."""
        return Laplace(self.scale, (SHIFT,) * layers(ROUNDS))

    @property
    def width(self) -> Width:
        """Confidence width of the index."""
        params = self.params
        choices = params.scale, params.width, params.cucb_root, params.certified
        return bonus_of(params.eps, *choices, float(SIZE), ARMS, ROUNDS)

    def distributions(self, exceeds: Callable[[float, float], float]) -> Array:
        """Probabilities (2, 2) that round 2 plays arm 0 or arm 1; `exceeds` as in `action_distributions`."""
        bonus = width_of(1.0, self.width)
        found = []
        for x in (0.0, SHIFT):
            below_one, negative = exceeds(x + bonus - 1.0, self.scale), exceeds(x + bonus, self.scale)
            found.append(below_one - negative + negative / ARMS)
        return action_distributions.of_events((found[0], found[1]))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from round 2, by closed-form Laplace tails."""
        return action_distributions.accounted_truth(
            self.mechanism, self.distributions(action_distributions.exceeds), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from round 2, by quadrature."""
        return action_distributions.derived_truth(
            self.mechanism, self.distributions(action_distributions.integrated_exceeds), eps, delta
        )

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the arms of all rounds as binary digits of a number."""
        outcomes = np.zeros((ROUNDS, ARMS))
        outcomes[0, 0] = SHIFT * side
        return play(rng, two_arms(), outcomes, self.width, self.scale, trials)

    def scores(self, views: Array) -> None:
        """None: scores are learned."""

    def halved(self) -> "CucbActions":
        """A copy with half the noise and the same bonus."""
        return replace(self, scale=0.5 * self.scale)


def two_arms() -> Problem:
    """The problem in which one of two arms is played."""
    values = 1.0, 1.0, 1.0
    return problem(TOP, LINEAR, SIZE, np.zeros(ARMS), np.arange(ARMS), values)


@kernel
def play(rng: Generator, problem: Problem, outcomes: Array, width: Width, scale: float, trials: int) -> Array:
    """Views (trials, 1) of runs on a table of outcomes (rounds, arms); a view has the first arm of each super arm."""
    rounds, arms = outcomes.shape
    views = np.empty((trials, 1))
    noise, chosen = np.zeros((arms, layers(rounds))), np.empty(problem.size, np.int64)
    n, total, index = np.zeros(arms, np.int64), np.zeros(arms), np.ones(arms)
    for trial in range(trials):
        n[:], total[:], index[:] = 0, 0.0, 1.0
        found = 0
        for t in range(rounds):
            if np.min(index) < 0.0:
                count = any_super_arm(rng, problem, -1, chosen)
            else:
                count = choose(problem, problem.reward, index, chosen)
            for k in range(count):
                i = chosen[k]
                n[i] += 1
                total[i] += outcomes[t, i]
                estimate = total[i] + advance(rng, noise, i, n[i], scale)
                index[i] = min(estimate / n[i] + width_of(float(n[i]), width), 1.0)
            found = arms * found + chosen[0]
        views[trial, 0] = found
    return views
