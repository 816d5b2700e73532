"""The shuffled vector sum (`privacy.vector_sum`): what is seen are the numbers of ones of every entry of a batch.

A user's entries are rounded to whole numbers at random, and so are those of the other users, who send the same whether
input 0 or input 1 is the user's. Below stand the exact distributions of pairs of users that are tried. Above stands
what is proven of all neighbors (`privacy.vector_sum_bound`), other users' rounding left out. More bits only help, so
that beyond `MOST_BITS` 0 stands below.
"""

import functools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.linucb.protocol import BITS_NOISE, ONES, Bits, rounded
from dpbandits.audits.mechanisms import two_distributions
from dpbandits.audits.mechanisms.count_distributions import (
    Binomial,
    Distribution,
    Distributions,
    Rounded,
    accountant,
    library_distribution,
    moved_distribution,
    noise_and_others,
    ratio_distribution,
    transformed,
)
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy import vector_sum
from dpbandits.privacy.mechanisms import Noise
from dpbandits.privacy.vector_sum_bound import Neighbors, neighbors_of, proven_delta, proven_eps

Entries = tuple[float, ...]
MOST_BITS = 1e8  # of an entry that are followed one by one; source: our choice
NO_CHANCE = 1e-300  # what stands for 0 in the logarithm of a score


def opposite_features(dimension: int, axes: int) -> tuple[Array, Array]:
    """Two users of the authors' code, features (z, 1) and (-z, 1), rewards 1; z along the diagonal of so many axes."""
    z = np.zeros(dimension)
    z[:axes] = 1.0 / math.sqrt(axes)
    z[-1] = 1.0
    return vector_sum.user_entries(z, 1.0), vector_sum.user_entries(np.append(-z[:-1], 1.0), 1.0)


def tried_pairs(released: bool, dimension: int) -> list[tuple[Array, Array]]:
    """Neighbors that are tried: the worst of the unit ball; z against -z, z along an axis, a diagonal, or all axes."""
    if not released:
        return [vector_sum.worst_pair(dimension)]
    return [opposite_features(dimension, axes) for axes in sorted({1, min(2, dimension - 1), dimension - 1})]


@dataclass(frozen=True)
class VectorSum:
    """One user among so many, in one batch or in every one.

    Attributes
    ----------
    pairs : entries of the two users that are tried; the first pair is drawn.
    crowd : True where the other users hold what input 0 does, False where they hold whole multiples of D/g.
    users : n, of a batch. batches : in which the user takes part.
    protocol : of the shipped randomizer: b, g and D.
    dimension, sensitivity : of features, and most by which the entries of any two users differ, l2.
    added : function that adds the noise bits.
    """

    pairs: tuple[tuple[Entries, Entries], ...]
    crowd: bool
    users: int
    protocol: Bits
    dimension: int
    sensitivity: float
    batches: int = 1
    added: Noise = field(default=BITS_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Noise bits that a user sends for an entry."""
        return float(self.protocol.bits)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Privacy-loss distributions of dp-accounting, composed entry by entry."""
        low = largest_epsilon_and_delta(_accountants(self), eps, delta)
        return self._bounded(low, eps, delta, "privacy loss distributions")

    def derived(self, eps: float, delta: float) -> Truth:
        """Distributions of the losses by Fourier transforms."""
        tried = _transforms(self)
        low = (
            max(two_distributions.epsilon(*pair, delta) for pair in tried),
            max(two_distributions.delta_at(*pair, eps) for pair in tried),
        )
        return self._bounded(low, eps, delta, "Fourier transforms of exact distributions")

    def _bounded(self, low: tuple[float, float], eps: float, delta: float, method: str) -> Truth:
        """Epsilon and delta: of the pairs tried below, above what is proven of all."""
        neighbors = self._neighbors
        proven = proven_eps(neighbors, self._bits, delta), proven_delta(neighbors, self._bits, eps)
        epsilons, deltas = ((least, max(least, most)) for least, most in zip(low, proven, strict=True))
        return Truth(epsilons, deltas, method)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """(trials, batches entries): the numbers of ones of the entries that differ."""
        first, second = (np.array(each) for each in self.pairs[0])
        user, moved = (first, second)[side], first != second
        others = first if self.crowd else np.zeros(len(first))
        users = user[moved], others[moved], self.users
        return counts(self.added.add, rng, self.protocol, *users, self.batches, trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio; beyond `MOST_BITS` bits that of normal distributions, which are close to it."""
        found = np.zeros(len(views))
        seen = views.reshape(len(views), self.batches, -1)
        for j, (first, second, others) in enumerate(self._moved(*self.pairs[0])):
            if self._bits > MOST_BITS:
                crowd = self._bits * ONES + (self.users - 1) * sum(others)
                means = crowd + sum(first), crowd + sum(second)
                ratios = (means[1] - means[0]) * (seen[:, :, j] - 0.5 * (means[0] + means[1]))
                found += ratios.sum(axis=1) / (self._bits * ONES * (1.0 - ONES))
                continue
            start, crowd_distribution = noise_and_others(ratio_distribution, self._bits, ONES, self.users - 1, others)
            logs = [
                np.log(np.maximum(distribution, NO_CHANCE))
                for distribution in moved_distribution(crowd_distribution, first, second)
            ]
            at = (seen[:, :, j] - start - min(first[0], second[0])).astype(int)
            ratios = logs[1] - logs[0]
            inside = np.clip(at, 0, len(ratios) - 1)  # all counts, unless the noise is not the stated one
            beyond = (at - inside) * (ratios[-1] - ratios[0]) / max(1, len(ratios) - 1)
            found += (ratios[inside] + beyond).sum(axis=1)
        return found

    def halved(self) -> "VectorSum":
        """A quarter of the bits, which is half the standard deviation."""
        bits = self.protocol.bits // 4
        return replace(self, protocol=self.protocol._replace(bits=bits, subtracted=float(bits)))

    def distributions(self, distribution: Binomial) -> list[Distributions]:
        """Distributions of the counts of every pair tried, none beyond `MOST_BITS`."""
        found = []
        for first, second in self.pairs:
            moved = Counter(self._moved(first, second) if self._bits <= MOST_BITS else [])
            crowds = {
                entry: noise_and_others(distribution, self._bits, ONES, self.users - 1, entry[2])[1] for entry in moved
            }
            found.append(
                [(moved_distribution(crowds[e], *e[:2]), number * self.batches) for e, number in moved.items()]
            )
        return found

    @property
    def _neighbors(self) -> Neighbors:
        """Which users are neighbors."""
        bits = self.protocol
        return neighbors_of(self.dimension, self.sensitivity, bits.granularity, bits.largest, self.batches)

    @property
    def _bits(self) -> float:
        """Noise bits of an entry of a batch."""
        return self.users * float(self.protocol.bits)

    def _moved(self, first: Entries, second: Entries) -> list[tuple[Rounded, Rounded, Rounded]]:
        """What input 0, input 1 and every other user make of the entries that differ."""
        found = []
        for one, other in zip(first, second, strict=True):
            if one != other:
                values = one, other, one if self.crowd else 0.0
                scaled = [round((v / self.protocol.largest + 1.0) * self.protocol.granularity, 9) for v in values]
                parts = [(math.floor(v), v - math.floor(v)) for v in scaled]
                found.append((parts[0], parts[1], parts[2]))
        return found


@functools.lru_cache(maxsize=2)
def _accountants(release: VectorSum) -> list[Any]:
    """For every pair dp-accounting's losses."""
    return [accountant(distributions) for distributions in release.distributions(library_distribution)]


@functools.lru_cache(maxsize=2)
def _transforms(release: VectorSum) -> list[Distribution]:
    """For every pair the masses of the losses under both inputs."""
    return [transformed(distributions) for distributions in release.distributions(ratio_distribution)]


def largest_epsilon_and_delta(losses: Sequence[Any], eps: float, delta: float) -> tuple[float, float]:
    """The largest epsilon at `delta` and delta at `eps` of several of dp-accounting's losses."""
    epsilon = 0.0
    for loss in losses:
        if loss.get_delta_for_epsilon(epsilon) > delta:  # only then is its epsilon larger, and worth its cost
            epsilon = max(epsilon, float(loss.get_epsilon_for_delta(delta)))
    return epsilon, min(1.0, max(float(loss.get_delta_for_epsilon(eps)) for loss in losses))


@kernel
def counts(
    add: Any, rng: Generator, protocol: Bits, user: Array, others: Array, users: int, batches: int, trials: int
) -> Array:
    """Rows (trials, batches k) of the numbers of ones of `user`'s entries (k,) with those of all others, and noise."""
    k = len(user)
    views = np.empty((trials, batches * k))
    for i in range(trials):
        for j in range(batches * k):
            ones = rounded(rng, protocol, user[j % k], 1) + rounded(rng, protocol, others[j % k], users - 1)
            views[i, j] = add(rng, ones, protocol.bits, users)
    return views
