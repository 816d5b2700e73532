"""LinUCB with noise on its sums: how much the actions of all other users reveal about one user.

The dimension is one. The first user's only arm is +1 or -1, with reward 1; all others choose between +1 and -1 and have
reward 0. Both arms have the same width, so the next users play the sign of u, the noisy sum of x y: +1 or -1 plus
N(0, sd^2). In rounds 2 and 3 this noise is from separate nodes, {1} and {1, 2}; nobody acts after round 3. If the noisy
V is not positive, the first arm, +1, is played. The matrices x x' are equal. So the two inputs are at distance 2 in
each of two nodes; the largest distance of two users is sqrt(9/2) if all entries have the same noise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from scipy import integrate, special

from dpbandits.algorithms.linucb.linucb_jdp import Params, add_columns, grow_tree, open_columns, open_tree
from dpbandits.algorithms.linucb.protocol import Gaussians
from dpbandits.algorithms.linucb.rule import Radius, choose, width
from dpbandits.algorithms.linucb.server import collect, refresh
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.sensitivities import message_sensitivity
from dpbandits.privacy.tree import layers

ROUNDS = 3
CUTOFF = 40.0  # normal noise beyond this many standard deviations is ignored; source: our choice


def arms_of(side: int) -> Array:
    """Features (rounds, arms, 1) of the arms that each user chooses from."""
    arms = np.empty((ROUNDS, 2, 1))
    arms[:] = [[1.0], [-1.0]]
    arms[0] = 1.0 if side else -1.0
    return arms


def rewards_of() -> Array:
    """The rewards (rounds,), whatever is played: 1 for the first user, else 0."""
    rewards = np.zeros(ROUNDS, np.int64)
    rewards[0] = 1
    return rewards


@dataclass(frozen=True)
class LinucbActions:
    """Attributes: `params` of the algorithm; `protocol`, the noise that is added."""

    params: Params
    protocol: Gaussians

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on x y of a node."""
        return self.protocol.vector_sd

    @property
    def mechanism(self) -> Gaussian:
        """The mechanism: all nodes that contain the first user, for users with norms and rewards of at most 1."""
        sd = self.protocol.vector_sd
        farthest = message_sensitivity((sd / self.protocol.diagonal_sd) ** 2)
        return Gaussian((farthest * math.sqrt(layers(ROUNDS)),), (sd,))

    def distributions(self, sign: Callable[[float, float], float]) -> Array:
        """Probabilities (2, 4) of the arms of rounds 2 and 3, 0 for the arm +1; `sign` gives P(N(x, sd^2) > 0)."""
        distributions = np.ones((2, 4))
        for side in range(2):
            for closed in (1, 2):
                definite = sign(self.params.ridge + closed, self.protocol.diagonal_sd)
                first = definite * sign(2.0 * side - 1.0, self.protocol.vector_sd) + 1.0 - definite
                for code in range(4):
                    distributions[side, code] *= 1.0 - first if code >> (2 - closed) & 1 else first
        return distributions

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from closed-form normal distributions."""
        return action_distributions.accounted_truth(self.mechanism, self.distributions(positive), eps, delta)

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from normal distributions by quadrature."""
        return action_distributions.derived_truth(self.mechanism, self.distributions(integrated_positive), eps, delta)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the arms of the users after the first as binary digits of a number."""
        others = np.arange(1, ROUNDS)
        played = play(rng, arms_of(side), rewards_of(), others, *parts_of(self.params), self.protocol, trials)
        return played @ np.array([[2.0], [1.0]])

    def scores(self, views: Array) -> Array:
        """Log-ratios of the exact distributions, one per view."""
        return action_distributions.log_ratios(self.distributions(positive), views[:, 0])

    def halved(self) -> "LinucbActions":
        """A copy with half the noise and the same ridge and radius."""
        return replace(self, protocol=halved_noise(self.protocol))


def halved_noise(protocol: Gaussians) -> Gaussians:
    """The noise with half the standard deviations."""
    vector, diagonal, beside = (0.5 * sd for sd in (protocol.vector_sd, protocol.diagonal_sd, protocol.beside_sd))
    return Gaussians(vector, diagonal, beside)


def positive(mean: float, sd: float) -> float:
    """P(N(mean, sd^2) > 0)."""
    return float(special.ndtr(mean / sd))


def integrated_positive(mean: float, sd: float) -> float:
    """P(N(mean, sd^2) > 0), by quadrature of the density."""
    z = abs(mean) / sd
    inner = float(integrate.quad(lambda x: math.exp(-0.5 * x * x), 0.0, min(z, CUTOFF), epsabs=0.0, epsrel=1e-11)[0])
    return 0.5 + math.copysign(inner / math.sqrt(2.0 * math.pi), mean)


def parts_of(params: Params) -> tuple[int, float, Radius]:
    """The constants that `play` uses."""
    return params.released_tree, params.ridge, params.radius


@kernel
def play(
    rng: Generator,
    arms: Array,
    rewards: Array,
    seen: Array,
    released_tree: int,
    ridge: float,
    radius: Radius,
    protocol: Gaussians,
    trials: int,
) -> Array:
    """The arms (trials, seen) played in the rounds `seen`, counted from 0; each batch has one user.

    Parameters
    ----------
    arms : (rounds, K, d) features. rewards : (rounds,) int64, whatever is played.
    """
    rounds, dimension = arms.shape[0], arms.shape[2]
    views = np.empty((trials, len(seen)))
    for trial in range(trials):
        if released_tree:
            server = open_columns(rng, arms[0], ridge, protocol, rounds)
        else:
            server = open_tree(arms[0], ridge, rounds)
        column = 0
        for now in range(rounds):
            if now > 0:
                server.columns[:, : arms.shape[1]] = arms[now].T
                refresh(server)
            arm = choose(server, arms.shape[1], width(radius, dimension, now))[0]
            if column < len(seen) and seen[column] == now:
                views[trial, column] = arm
                column += 1
            if now + 1 < rounds:
                collect(server.gram, server.target, arms[now, arm], rewards[now], 1)
                if released_tree:
                    add_columns(server, now + 1, 1)
                else:
                    grow_tree(rng, server, protocol, now + 1)
    return views
