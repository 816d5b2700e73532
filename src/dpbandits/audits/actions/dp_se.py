"""DP-SE with two arms: what the arms played after the first epoch tell of one reward.

Arm 1 is dropped if the noised sum of arm 0 exceeds its own by more than a threshold, and then arm 0 is played alone.
Arm 1 has no rewards. One reward of arm 0 is 0 or 1, and the others, all alike, put the difference of the sums g + 1 or
g below the threshold, so that arm 1 is dropped if L - L' exceeds that: as in `leader_actions` with half the shift, and
so with half of its g, 1 / eps.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.bernoulli.dp_se import Params, epoch_length, threshold
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import add_laplace

ARMS = 2
SHIFT = 1.0  # of a reward in [0, 1]
BELOW = 1.0  # g eps; source: our choice


@dataclass(frozen=True)
class DpSeActions:
    """Attributes: `params` of the algorithm; `horizon`; `gap` g; `scale` of the Laplace noise added to a sum."""

    params: Params
    horizon: int
    gap: float
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise on a sum."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The noised sum that the reward is in."""
        return Laplace(self.scale, (SHIFT,))

    def accounted(self, eps: float, delta: float) -> Truth:
        """The distribution of the difference of two Laplace numbers in closed form."""
        first, second = (action_distributions.differs(gap, self.scale) for gap in self.gaps)
        return action_distributions.accounted_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """The same by quadrature."""
        first, second = (action_distributions.integrated_differs(gap, self.scale) for gap in self.gaps)
        return action_distributions.derived_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    @property
    def gaps(self) -> tuple[float, float]:
        """What L - L' has to exceed for arm 1 to be dropped, on the two inputs."""
        return self.gap + SHIFT, self.gap

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """(trials, 1) The arms of the two rounds after the first epoch as the digits of a binary number."""
        beta = self.params.beta or 1.0 / self.horizon
        pulls = epoch_length(ARMS, 1, beta, self.params.eps)
        allowed = threshold(ARMS, 1, beta, self.params.eps, pulls)
        rewards = np.full(int(pulls), (allowed * pulls - self.gap - SHIFT) / (pulls - 1.0))
        rewards[0] = SHIFT * side
        return play(rng, np.array([rewards.sum(), 0.0]), pulls, allowed, self.scale, trials)

    def scores(self, views: Array) -> Array:
        """What counts is whether arm 0 is played twice."""
        alone: Array = (views[:, 0] == 0.0).astype(np.float64)
        return alone

    def halved(self) -> "DpSeActions":
        """Half the noise, at the same threshold."""
        return replace(self, scale=0.5 * self.scale)


def gap_of(eps: float) -> float:
    """g."""
    return BELOW / eps


@kernel
def play(rng: Generator, sums: Array, pulls: float, allowed: float, scale: float, trials: int) -> Array:
    """(trials, 1) Views of runs whose first epoch has these sums of rewards, (arms,)."""
    views = np.empty((trials, 1))
    means = np.empty(ARMS)
    for trial in range(trials):
        for j in range(ARMS):
            means[j] = add_laplace(rng, sums[j], scale) / pulls
        active = np.flatnonzero(np.max(means) - means <= allowed)
        views[trial, 0] = ARMS * active[0] + active[-1]
    return views
