"""LinUCB with noise drawn once, as released: the actions of all other users tell for certain what one user sent.

In round t the sums carry the first floor(ln(1 + t)) + 1 columns of noise, so that between two jumps nothing but data
moves u, the noised sum of x y. In one dimension, the rounds in their order:

    the first W / 2      push u down by 1 each: one arm, -1, and the reward 1
    up to the last jump  reward 0
    the way up           `observer`, who plays the sign of u, of the arms +1 and -1, and has the reward 0; then
                         `pusher`, whose one arm is +1 and whose reward is 1; W times
    the user             one arm, +1 or -1, and the reward 1
    the way down         as the way up, the one arm of pushers being -1

On both ways observers see u at the same W distances from where it was, or at distances larger by 2 if the user had +1.
With -1 as many of them play +1 down as up. With +1 they are more, where 0 lies inside the ways. Where V is not positive
+1 is played; as V only grows, this can only take from the difference.
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
        """Noise columns in the sums of the last round."""
        return math.floor(math.log(self.horizon)) + 1

    @property
    def jump(self) -> int:
        """The round after which the last of them is added."""
        return math.ceil(math.exp(self.columns - 1) - 1.0)

    @property
    def observers(self) -> int:
        """W."""
        return (self.horizon - self.jump - 1) // 4

    def shown(self, sign: Callable[[float, float], float]) -> float:
        """Least probability of more +1 on the way down than up if the user has +1; `sign` as in `linucb_actions`."""
        root, low = math.sqrt(self.columns), self.observers // 2
        definite = sign(self.params.ridge + self.jump, root * self.protocol.diagonal_sd)
        sd = root * self.protocol.vector_sd
        return definite * (sign(self.observers - low + 1.0, sd) - sign(-float(low), sd))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Normal distributions in closed form, of an event that one input excludes."""
        return self.truth(
            *action_distributions.accounted_epsilon(
                action_distributions.of_events((0.0, self.shown(positive))), eps, delta
            )
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """The same by quadrature."""
        distributions = action_distributions.of_events((0.0, self.shown(integrated_positive)))
        return self.truth(
            action_distributions.attained_epsilon(distributions, delta),
            action_distributions.attained_delta(distributions, eps),
        )

    def truth(self, epsilon: float, at_eps: float) -> Truth:
        """Nothing bounds the epsilon from above."""
        return Truth((epsilon, math.inf), (at_eps, 1.0), "an event that one input excludes")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """(trials, 2) Observers on the way up, and on the way down, who play +1."""
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
        """How many more play +1 on the way down."""
        more: Array = views[:, 1] - views[:, 0]
        return more

    def halved(self) -> "FrozenLinucbActions":
        """Half the noise, with the same ridge and radius."""
        return replace(self, protocol=halved_noise(self.protocol))
