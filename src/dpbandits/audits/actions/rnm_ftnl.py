"""The noisy leader of two actions with full information: how much the leaders reveal about one reward vector.

The vector is (0, 1) or (1, 0), so the difference of the two sums moves by 2. It is the first vector of the first epoch
that is long enough. In this epoch action 0 has no other reward, and the other rewards of action 1 are equal, such that
action 0 leads if L - L' exceeds g + 2 or g. All other epochs have no rewards. P(L - L' > x) = (2 + x/b) exp(-x/b) / 4
for x >= 0, so the ratio increases with g towards exp(2/b), while the probability decreases. g = 2 / eps: with half the
certified noise, b = 1 / eps, the event has probability exp(-2) and loss 2 eps - ln(1 + eps / 2).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.full_information.rnm_ftnl import SENSITIVITY, Params
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import add_laplace

ARMS = 2
BEHIND = 2.0  # g eps; source: our choice


@dataclass(frozen=True)
class RnmFtnlActions:
    """Attributes: `params` of the algorithm; `gap` g; `scale` of the Laplace noise that is added."""

    params: Params
    gap: float
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The mechanism: the noisy sums of the epoch."""
        return Laplace(self.scale, (SENSITIVITY, -SENSITIVITY))

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
        """The values that L - L' must exceed for action 0 to lead, on the two inputs."""
        return self.gap + 2.0 * SENSITIVITY, self.gap

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the actions of the epochs as binary digits of a number."""
        return play(rng, sums_of_epochs(self.gap, side), self.scale, trials)

    def scores(self, views: Array) -> Array:
        """1 if action 0 is played in the last epoch, else 0."""
        last: Array = 1.0 - views[:, 0] % 2.0
        return last

    def halved(self) -> "RnmFtnlActions":
        """A copy with half the noise."""
        return replace(self, scale=0.5 * self.scale)


def gap_of(eps: float) -> float:
    """The gap g."""
    return BEHIND / eps


def sums_of_epochs(gap: float, side: int) -> Array:
    """Sums (epochs, 2) of the rewards of both actions in epochs of 1, 2, 4, ... rounds, up to the audited one."""
    epochs = 1
    while 2 ** (epochs - 1) - 1 < gap + SENSITIVITY:
        epochs += 1
    rewards = np.zeros((2 ** (epochs - 1), ARMS))
    rewards[0] = (0.0, SENSITIVITY) if side == 0 else (SENSITIVITY, 0.0)
    rewards[1:, 1] = (gap + SENSITIVITY) / (len(rewards) - 1)
    sums = np.zeros((epochs, ARMS))
    sums[-1] = rewards.sum(axis=0)
    return sums


@kernel
def play(rng: Generator, sums: Array, scale: float, trials: int) -> Array:
    """Views (trials, 1) of runs over epochs with these sums of rewards, and over the following epoch."""
    views = np.empty((trials, 1))
    noised = np.empty(ARMS)
    for trial in range(trials):
        code = rng.integers(0, ARMS)
        for epoch in range(len(sums)):
            for j in range(ARMS):
                noised[j] = add_laplace(rng, sums[epoch, j], scale)
            code = ARMS * code + largest_of(rng, noised)
        views[trial, 0] = code
    return views
