"""DP-SE with two arms: how much the arms played after the first epoch reveal about one reward.

Arm 1 is eliminated if the noisy sum of arm 0 exceeds its own by more than a threshold; then only arm 0 is played. Arm 1
has no rewards. One reward of arm 0 is 0 or 1. The others, all equal, put the difference of the sums g + 1 or g below
the threshold, so arm 1 is eliminated if L - L' exceeds that. This is `rnm_ftnl` with half the shift, and so with
half of its g, 1 / eps.
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
        """The mechanism: the noisy sum that contains the reward."""
        return Laplace(self.scale, (SHIFT,))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from the closed-form distribution of the difference of two Laplace variables."""
        first, second = (action_distributions.differs(gap, self.scale) for gap in self.gaps)
        return action_distributions.accounted_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the distribution by quadrature."""
        first, second = (action_distributions.integrated_differs(gap, self.scale) for gap in self.gaps)
        return action_distributions.derived_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    @property
    def gaps(self) -> tuple[float, float]:
        """The values that L - L' must exceed to eliminate arm 1, on the two inputs."""
        return self.gap + SHIFT, self.gap

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the arms of the two rounds after the first epoch as binary digits of a number."""
        beta = self.params.beta or 1.0 / self.horizon
        pulls = epoch_length(ARMS, 1, beta, self.params.eps)
        allowed = threshold(ARMS, 1, beta, self.params.eps, pulls)
        rewards = np.full(int(pulls), (allowed * pulls - self.gap - SHIFT) / (pulls - 1.0))
        rewards[0] = SHIFT * side
        return play(rng, np.array([rewards.sum(), 0.0]), pulls, allowed, self.scale, trials)

    def scores(self, views: Array) -> Array:
        """1 if arm 0 is played twice, else 0."""
        alone: Array = (views[:, 0] == 0.0).astype(np.float64)
        return alone

    def halved(self) -> "DpSeActions":
        """A copy with half the noise and the same threshold."""
        return replace(self, scale=0.5 * self.scale)


def gap_of(eps: float) -> float:
    """The gap g."""
    return BELOW / eps


@kernel
def play(rng: Generator, sums: Array, pulls: float, allowed: float, scale: float, trials: int) -> Array:
    """Views (trials, 1) of runs whose first epoch has these sums of rewards, (arms,)."""
    views = np.empty((trials, 1))
    means = np.empty(ARMS)
    for trial in range(trials):
        for j in range(ARMS):
            means[j] = add_laplace(rng, sums[j], scale) / pulls
        active = np.flatnonzero(np.max(means) - means <= allowed)
        views[trial, 0] = ARMS * active[0] + active[-1]
    return views
