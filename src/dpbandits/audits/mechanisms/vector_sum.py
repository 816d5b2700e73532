"""The shuffled vector sum (`privacy.vector_sum`), whose view is the number of ones of every entry of a batch.

Every user's entries are rounded to integers at random. The other users send the same on input 0 and input 1. The lower
bound comes from the exact distributions of the pairs of users that are tried. The upper bound is proven for all
neighbors (`privacy.vector_sum_bound`), without the other users' rounding. More bits only help, so beyond `MOST_BITS`
the lower bound is 0.
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
MOST_BITS = 1e8  # of an entry that are computed exactly; source: our choice
NO_CHANCE = 1e-300  # replaces 0 in the logarithm of a score


def opposite_features(dimension: int, axes: int) -> tuple[Array, Array]:
    """Two users of the authors' code, features (z, 1) and (-z, 1), rewards 1; z along the diagonal of `axes` axes."""
    z = np.zeros(dimension)
    z[:axes] = 1.0 / math.sqrt(axes)
    z[-1] = 1.0
    return vector_sum.user_entries(z, 1.0), vector_sum.user_entries(np.append(-z[:-1], 1.0), 1.0)


def tried_pairs(released: bool, dimension: int) -> list[tuple[Array, Array]]:
    """Neighbors to try: the worst pair of the unit ball, or z and -z with z along an axis, a diagonal, or all axes."""
    if not released:
        return [vector_sum.worst_pair(dimension)]
    return [opposite_features(dimension, axes) for axes in sorted({1, min(2, dimension - 1), dimension - 1})]


@dataclass(frozen=True)
class VectorSum:
    """One user among n, in one batch or in every batch.

    Attributes
    ----------
    pairs : entries of the pairs of users to try; the first pair is drawn.
    crowd : True if the other users have the entries of input 0, False if they have integer multiples of D/g.
    users : n, in a batch. batches : number of batches that the user takes part in.
    protocol : b, g and D of the shipped randomizer.
    dimension, sensitivity : dimension of the features, and largest l2 distance of two users' entries.
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
        """Number of noise bits that a user sends per entry."""
        return float(self.protocol.bits)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from dp-accounting's privacy-loss distributions, composed entry by entry."""
        low = largest_epsilon_and_delta(_accountants(self), eps, delta)
        return self._bounded(low, eps, delta, "privacy loss distributions")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from distributions of the losses by Fourier transforms."""
        tried = _transforms(self)
        low = (
            max(two_distributions.epsilon(*pair, delta) for pair in tried),
            max(two_distributions.delta_at(*pair, eps) for pair in tried),
        )
        return self._bounded(low, eps, delta, "Fourier transforms of exact distributions")

    def _bounded(self, low: tuple[float, float], eps: float, delta: float, method: str) -> Truth:
        """Bounds from the pairs tried (below) and from the proof for all neighbors (above)."""
        neighbors = self._neighbors
        proven = proven_eps(neighbors, self._bits, delta), proven_delta(neighbors, self._bits, eps)
        epsilons, deltas = ((least, max(least, most)) for least, most in zip(low, proven, strict=True))
        return Truth(epsilons, deltas, method)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, batches entries): the numbers of ones of the entries that differ."""
        first, second = (np.array(each) for each in self.pairs[0])
        user, moved = (first, second)[side], first != second
        others = first if self.crowd else np.zeros(len(first))
        users = user[moved], others[moved], self.users
        return counts(self.added.add, rng, self.protocol, *users, self.batches, trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio; beyond `MOST_BITS` bits, approximated by normal distributions."""
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
            inside = np.clip(at, 0, len(ratios) - 1)  # covers all counts, unless the noise is not as stated
            beyond = (at - inside) * (ratios[-1] - ratios[0]) / max(1, len(ratios) - 1)
            found += (ratios[inside] + beyond).sum(axis=1)
        return found

    def halved(self) -> "VectorSum":
        """A copy with a quarter of the bits, which halves the standard deviation."""
        bits = self.protocol.bits // 4
        return replace(self, protocol=self.protocol._replace(bits=bits, subtracted=float(bits)))

    def distributions(self, distribution: Binomial) -> list[Distributions]:
        """Distributions of the counts for every pair tried; empty beyond `MOST_BITS`."""
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
        """The bounds on neighboring users."""
        bits = self.protocol
        return neighbors_of(self.dimension, self.sensitivity, bits.granularity, bits.largest, self.batches)

    @property
    def _bits(self) -> float:
        """Number of noise bits per entry and batch."""
        return self.users * float(self.protocol.bits)

    def _moved(self, first: Entries, second: Entries) -> list[tuple[Rounded, Rounded, Rounded]]:
        """Rounded entries of input 0, input 1 and every other user, for the entries that differ."""
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
    """dp-accounting's privacy loss distributions, one per pair."""
    return [accountant(distributions) for distributions in release.distributions(library_distribution)]


@functools.lru_cache(maxsize=2)
def _transforms(release: VectorSum) -> list[Distribution]:
    """Masses of the losses under both inputs, for every pair."""
    return [transformed(distributions) for distributions in release.distributions(ratio_distribution)]


def largest_epsilon_and_delta(losses: Sequence[Any], eps: float, delta: float) -> tuple[float, float]:
    """The largest epsilon at `delta` and delta at `eps` over several privacy loss distributions."""
    epsilon = 0.0
    for loss in losses:
        if loss.get_delta_for_epsilon(epsilon) > delta:  # only then its epsilon is larger and worth computing
            epsilon = max(epsilon, float(loss.get_epsilon_for_delta(delta)))
    return epsilon, min(1.0, max(float(loss.get_delta_for_epsilon(eps)) for loss in losses))


@kernel
def counts(
    add: Any, rng: Generator, protocol: Bits, user: Array, others: Array, users: int, batches: int, trials: int
) -> Array:
    """Rows (trials, batches k) of the numbers of ones: `user`'s entries (k,), all other users' entries, and noise."""
    k = len(user)
    views = np.empty((trials, batches * k))
    for i in range(trials):
        for j in range(batches * k):
            ones = rounded(rng, protocol, user[j % k], 1) + rounded(rng, protocol, others[j % k], users - 1)
            views[i, j] = add(rng, ones, protocol.bits, users)
    return views
