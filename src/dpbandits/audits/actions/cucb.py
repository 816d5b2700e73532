"""CUCB-DP with two arms, one of which is played in a round: what the arms of three rounds tell of one outcome.

All indices are 1 at first, and of equal ones the first arm is played. Its outcome is 0 or 1, all others are 0. Round 2
plays arm 1 if the index of arm 0, x + w + L, lies in [0, 1), and either arm with equal chances if it is negative. As
w > 1 both lie in one tail of L, of Lap(b), and the loss of playing arm 1 is exactly 1/b, the share of a single node.
Round 3 is seen as well.

This audit has no power: the leaf is in 2 nodes, b is 2 / eps or more, and arm 1 is played for the noise of one of them
at most, for that of {1} in round 2 or for that of {1, 2} in round 3. (Once it is played in round 2, by how much the
index of arm 0 is below 1 tells nothing, an exponential tail having no memory.) So the copy with half of the noise
tells 2/b <= eps. In longer runs a node tells less, and indices that are 1 but for rare events show few of them.
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
        """All nodes that the outcome is in."""
        return Laplace(self.scale, (SHIFT,) * layers(ROUNDS))

    @property
    def width(self) -> Width:
        """Width of the index."""
        params = self.params
        choices = params.scale, params.width, params.cucb_root, params.certified
        return bonus_of(params.eps, *choices, float(SIZE), ARMS, ROUNDS)

    def distributions(self, exceeds: Callable[[float, float], float]) -> Array:
        """(2, 2) Probabilities that round 2 plays arm 0, arm 1; `exceeds` as in `action_distributions`."""
        bonus = width_of(1.0, self.width)
        found = []
        for x in (0.0, SHIFT):
            below_one, negative = exceeds(x + bonus - 1.0, self.scale), exceeds(x + bonus, self.scale)
            found.append(below_one - negative + negative / ARMS)
        return action_distributions.of_events((found[0], found[1]))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Round 2, by Laplace tails in closed form."""
        return action_distributions.accounted_truth(
            self.mechanism, self.distributions(action_distributions.exceeds), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Round 2, by quadrature."""
        return action_distributions.derived_truth(
            self.mechanism, self.distributions(action_distributions.integrated_exceeds), eps, delta
        )

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """(trials, 1) The arms of all rounds as the digits of a binary number."""
        outcomes = np.zeros((ROUNDS, ARMS))
        outcomes[0, 0] = SHIFT * side
        return play(rng, two_arms(), outcomes, self.width, self.scale, trials)

    def scores(self, views: Array) -> None:
        """To be learned."""

    def halved(self) -> "CucbActions":
        """Half the noise, with the same bonus."""
        return replace(self, scale=0.5 * self.scale)


def two_arms() -> Problem:
    """One of two arms is played."""
    values = 1.0, 1.0, 1.0
    return problem(TOP, LINEAR, SIZE, np.zeros(ARMS), np.arange(ARMS), values)


@kernel
def play(rng: Generator, problem: Problem, outcomes: Array, width: Width, scale: float, trials: int) -> Array:
    """(trials, 1) Views of runs on a table of outcomes (rounds, arms), where the first arm of a super arm is told."""
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
