"""Sums with noise drawn once: the released LinUCB-JDP adds the first few of its noise columns, round after round.

In round t they are the first floor(ln(1 + t)) + 1 columns. Two consecutive sums mostly share their noise, so their
difference is the exact message of a user. No epsilon holds.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, Noise


@dataclass(frozen=True)
class FrozenNoise:
    """The sums before and after a user's round, with the same noise columns on both.

    Attributes
    ----------
    first, second : messages of input 0 and input 1, in the order in which the noise of a column is drawn.
    sds : standard deviation of the noise on each entry of a column.
    columns : number of columns in use.
    added : function that adds the noise.
    """

    first: tuple[float, ...]
    second: tuple[float, ...]
    sds: tuple[float, ...]
    columns: int
    added: Noise = field(default=GAUSSIAN_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on the first entry of a column."""
        return self.sds[0]

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from the accountant for two outcomes, each of which is possible under only one input."""
        from dp_accounting.pld import privacy_loss_distribution as pld

        distribution = pld.from_two_probability_mass_functions({"first": 0.0}, {"second": 0.0}, symmetric=False)
        epsilon, at_eps = (
            float(distribution.get_epsilon_for_delta(delta)),
            float(distribution.get_delta_for_epsilon(eps)),
        )
        return Truth((epsilon, epsilon), (at_eps, at_eps), "privacy loss distribution of the difference")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds for a difference that reveals the input with certainty."""
        return Truth((math.inf, math.inf), (1.0, 1.0), "the difference of two sums is the message")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 2 k): the sums before and after the user's round, without the others' messages."""
        message = np.array((self.first, self.second)[side])
        return pairs(self.added.add, rng, message, np.array(self.sds), self.columns, trials)

    def scores(self, views: Array) -> Array:
        """1 if the difference is nearer to the message of input 1, else 0."""
        k = len(self.sds)
        difference = views[:, k:] - views[:, :k]
        near, far = (np.sum((difference - np.array(each)) ** 2, axis=1) for each in (self.second, self.first))
        return (near < far).astype(float)

    def halved(self) -> "FrozenNoise":
        """A copy with half the standard deviations."""
        return replace(self, sds=tuple(0.5 * sd for sd in self.sds))


def columns_in_use(t: int) -> int:
    """Number of noise columns in the sums after round t."""
    return math.floor(math.log(1 + t)) + 1


@kernel
def pairs(add: Any, rng: Generator, message: Array, sds: Array, columns: int, trials: int) -> Array:
    """Rows (trials, 2 k) of noise, then the same noise + message (k,); columns are drawn one after the other."""
    k = len(message)
    views = np.zeros((trials, 2 * k))
    for i in range(trials):
        for _ in range(columns):
            for j in range(k):
                views[i, j] = add(rng, views[i, j], sds[j], 1.0)
        for j in range(k):
            views[i, k + j] = views[i, j] + message[j]
    return views
