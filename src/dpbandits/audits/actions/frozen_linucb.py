"""The released LinUCB, whose noise is drawn once: the actions of all other users reveal one user's message.

In round t the sums contain the first floor(ln(1 + t)) + 1 columns of noise. Between two jumps only data move u, the
noisy sum of x y. In one dimension, the rounds are in this order:

    the first W / 2      move u down by 1 each: one arm, -1, and the reward 1
    up to the last jump  reward 0
    the way up           W times `observer`, who plays the sign of u from the arms +1 and -1 and has the reward 0, then
                         `pusher`, whose only arm is +1 and whose reward is 1
    the user             one arm, +1 or -1, and the reward 1
    the way down         as the way up, but the pushers' only arm is -1

On both ways the observers see u at the same W distances from its start, or at distances larger by 2 if the user had +1.
If the user had -1, equally many observers play +1 on the way down and up. If the user had +1, more play +1 on the way
down, provided that 0 lies within the ways. If V is not positive, +1 is played; as V only increases, this can only
reduce the difference.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.linucb.linucb_jdp import Params
from dpbandits.algorithms.linucb.protocol import Gaussians
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.actions.linucb import halved_noise, integrated_positive, parts_of, play, positive
from dpbandits.audits.release import Array, Truth


@dataclass(frozen=True)
class FrozenLinucbActions:
    """Attributes: `params` of the algorithm; `protocol`, the noise that is added; `horizon`."""

    params: Params
    protocol: Gaussians
    horizon: int

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on x y of a column."""
        return self.protocol.vector_sd

    @property
    def columns(self) -> int:
        """Number of noise columns in the sums of the last round."""
        return math.floor(math.log(self.horizon)) + 1

    @property
    def jump(self) -> int:
        """The round after which the last noise column is added."""
        return math.ceil(math.exp(self.columns - 1) - 1.0)

    @property
    def observers(self) -> int:
        """W, the number of observers on each way."""
        return (self.horizon - self.jump - 1) // 4

    def shown(self, sign: Callable[[float, float], float]) -> float:
        """Lower bound on the probability of more +1 down than up if the user has +1; `sign` as in `linucb`."""
        root, low = math.sqrt(self.columns), self.observers // 2
        definite = sign(self.params.ridge + self.jump, root * self.protocol.diagonal_sd)
        sd = root * self.protocol.vector_sd
        return definite * (sign(self.observers - low + 1.0, sd) - sign(-float(low), sd))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from an event that one input excludes, by closed-form normal distributions."""
        return self.truth(
            *action_distributions.accounted_epsilon(
                action_distributions.of_events((0.0, self.shown(positive))), eps, delta
            )
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from an event that one input excludes, by quadrature."""
        distributions = action_distributions.of_events((0.0, self.shown(integrated_positive)))
        return self.truth(
            action_distributions.attained_epsilon(distributions, delta),
            action_distributions.attained_delta(distributions, eps),
        )

    def truth(self, epsilon: float, at_eps: float) -> Truth:
        """The bounds; epsilon has no upper bound."""
        return Truth((epsilon, math.inf), (at_eps, 1.0), "an event that one input excludes")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 2): the numbers of observers who play +1 on the way up and on the way down."""
        arms, rewards = self.users(side)
        user = self.jump + 2 * self.observers
        ways = self.jump + 2 * np.arange(self.observers), user + 1 + 2 * np.arange(self.observers)
        given = arms, rewards, np.concatenate(ways), *parts_of(self.params), self.protocol
        played = play(rng, *given, trials)
        return np.stack([(way == 0.0).sum(axis=1) for way in np.split(played, 2, axis=1)], axis=1).astype(np.float64)

    def users(self, side: int) -> tuple[Array, Array]:
        """Features of the arms (rounds, 2, 1) and rewards (rounds,) of input `side`."""
        arms, rewards = np.ones((self.horizon, 2, 1)), np.zeros(self.horizon, np.int64)
        start, way = self.jump, 2 * self.observers
        user = start + way
        low, up, down = slice(self.observers // 2), slice(start + 1, user, 2), slice(user + 2, user + way + 1, 2)
        for rounds, feature in ((low, -1.0), (up, 1.0), (slice(user, user + 1), 2.0 * side - 1.0), (down, -1.0)):
            arms[rounds], rewards[rounds] = feature, 1
        arms[start:user:2, 1] = arms[user + 1 : user + way : 2, 1] = -1.0
        return arms, rewards

    def scores(self, views: Array) -> Array:
        """How many more observers play +1 on the way down than on the way up."""
        more: Array = views[:, 1] - views[:, 0]
        return more

    def halved(self) -> "FrozenLinucbActions":
        """A copy with half the noise and the same ridge and radius."""
        return replace(self, protocol=halved_noise(self.protocol))
