"""The l2-ball mechanism (`privacy.l2_ball`), for one vector or for several messages of one user.

An output reveals only on which side of the input x it lies: its density is constant on each half of the sphere.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.mechanisms import two_distributions
from dpbandits.audits.mechanisms.laplace import ALMOST_PURE
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.l2_ball import L2_BALL_NOISE, keep_probability, sphere_radius
from dpbandits.privacy.mechanisms import Noise

INTERVAL = 1e-7  # of the accountant's losses, at most four values; source: our choice
Vectors = tuple[tuple[float, ...], ...]


def densities(eps: float, length: float) -> tuple[float, float]:
    """Densities of Psi(x) on the side of x and on the other side, relative to a uniform output; |x| = `length` R."""
    same, kept, turned = min(1.0, 0.5 + 0.5 * length), keep_probability(eps), keep_probability(-eps)
    return 2.0 * (same * kept + (1.0 - same) * turned), 2.0 * (same * turned + (1.0 - same) * kept)


def ball_log_ratios(eps: float) -> tuple[float, float]:
    """Largest log-ratio of the densities of Psi(g) and Psi(0), and of Psi(0) and Psi(g)."""
    near, far = densities(eps, 1.0)
    return math.log(near), -math.log(far)


@dataclass(frozen=True)
class L2Ball:
    """Messages of one user about vectors of norm 0 or R, each along at most one line in the two inputs.

    Attributes
    ----------
    first, second : a row for every message, the vectors of input 0 and input 1. For each message they are opposite, or
        at least one of them is 0.
    bound : R. keep : `keep_probability` of the mechanism. radius : radius of the sphere, which does not affect privacy.
    """

    first: Vectors
    second: Vectors
    bound: float
    keep: float
    radius: float
    added: Noise = field(default=L2_BALL_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Norm of every output."""
        return self.radius

    @property
    def eps(self) -> float:
        """Log-odds of the half around the vector."""
        return math.log(self.keep) - math.log1p(-self.keep)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from privacy-loss distributions of the outputs' sides; the upper end includes opposite vectors."""
        low, high = (_accounted(sides, eps, delta) for sides in (self._sides(), self._opposite()))
        method = "privacy loss distribution of the sides"
        return Truth((low[0], max(low[0], high[0])), (low[1], max(low[1], high[1])), method)

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the odds of all combinations of sides; the upper end includes opposite vectors."""
        low, high = (_derived(sides, eps, delta) for sides in (self._sides(), self._opposite()))
        method = "log-odds of the sides"
        return Truth((low[0], max(low[0], high[0])), (low[1], max(low[1], high[1])), method)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the outputs, (trials, messages d)."""
        vectors = np.array((self.first, self.second)[side])
        return sent(self.added.add, rng, vectors, self.bound, self.keep, self.radius, trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio."""
        found = np.zeros(len(views))
        outputs = views.reshape(len(views), *np.shape(self.first))
        for vectors, sign in ((self.first, -1.0), (self.second, 1.0)):
            for j, vector in enumerate(vectors):
                near, far = densities(self.eps, math.hypot(*vector) / self.bound)
                found += sign * np.log(np.where(outputs[:, j] @ np.array(vector) > 0.0, near, far))
        return found

    def halved(self) -> "L2Ball":
        """A copy with twice the epsilon, on the corresponding sphere."""
        epsilon, dimension = 2.0 * self.eps, len(self.first[0])
        return replace(self, keep=keep_probability(epsilon), radius=sphere_radius(epsilon, dimension, self.bound))

    def _sides(self) -> list[tuple[float, float]]:
        """Probabilities under each input that an output is on the side of the difference, for messages that differ."""
        found = []
        for one, other in zip(self.first, self.second, strict=True):
            if one != other:
                direction = np.array(other) - np.array(one)
                found.append((self._chance(one, direction), self._chance(other, direction)))
        return found

    def _chance(self, vector: tuple[float, ...], direction: Array) -> float:
        near, far = densities(self.eps, math.hypot(*vector) / self.bound)
        return 0.5 * (near if np.dot(vector, direction) > 0.0 else far)

    def _opposite(self) -> list[tuple[float, float]]:
        """As `_sides` for two opposite vectors of length R in one message, which bound all inputs at delta 0."""
        return [(1.0 - self.keep, self.keep)]


def _accounted(sides: list[tuple[float, float]], eps: float, delta: float) -> tuple[float, float]:
    """Epsilon at `delta` and delta at `eps`, by dp-accounting."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    whole = pld.identity(value_discretization_interval=INTERVAL)
    for chances in sides:
        distributions = [{1: math.log(chance), 0: math.log1p(-chance)} for chance in chances]
        whole = whole.compose(
            pld.from_two_probability_mass_functions(
                *distributions, value_discretization_interval=INTERVAL, symmetric=False
            )
        )
    epsilon = float(whole.get_epsilon_for_delta(delta or ALMOST_PURE))
    return epsilon, float(whole.get_delta_for_epsilon(eps))


def _derived(sides: list[tuple[float, float]], eps: float, delta: float) -> tuple[float, float]:
    """Epsilon at `delta` and delta at `eps`, by the joint distributions of all sides."""
    distributions = [np.ones(1), np.ones(1)]
    for chances in sides:
        distributions = [
            np.outer(distribution, (chance, 1.0 - chance)).ravel()
            for distribution, chance in zip(distributions, chances, strict=True)
        ]
    order = np.argsort(distributions[1] / distributions[0], kind="stable")
    first, second = (distribution[order] for distribution in distributions)
    return two_distributions.epsilon(first, second, delta), two_distributions.delta_at(first, second, eps)


@kernel
def sent(add: Any, rng: Generator, vectors: Array, bound: float, keep: float, radius: float, trials: int) -> Array:
    """Rows (trials, messages d) of Psi applied to the rows of `vectors` (messages, d)."""
    messages, d = vectors.shape
    views = np.empty((trials, messages * d))
    for i in range(trials):
        for j in range(messages):
            add(rng, vectors[j], bound, keep, radius, views[i, j * d : (j + 1) * d])
    return views
