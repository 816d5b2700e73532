"""Batches of shuffled reports of rewards in [-1, 1] with Lap(scale) noise, one reward replaced; all reports are seen.

Lower bound: all other rewards are -1, the user's reward is -1 (input 0) or 1 (input 1), and the reports of at least
1 - x scale are counted (`shuffled_counts`). Upper bound: the privacy blanket of `privacy.shuffled_laplace`. Both bounds
are those of the worst batch.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import fft, special

from dpbandits.audits.mechanisms import shuffled_counts
from dpbandits.audits.mechanisms.laplace import one_message
from dpbandits.audits.mechanisms.shuffled_counts import PRECISION, RANGE, crowd_share, solved
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import LAPLACE_SUM_NOISE, Noise
from dpbandits.privacy.shuffled_laplace import LARGEST_LOCAL, blanket, shuffled_laplace_delta
from dpbandits.privacy.shuffled_sums import tilted
from dpbandits.privacy.shuffling import clone_delta

DRAWN = 40  # batches of up to this many reports are drawn report by report; source: our choice
COMMON = 0.01  # least delta for choosing the threshold of drawn counts, as few trials show rarer events
Bound = Callable[[float, int, float], float]
"""Function of a scale, a number of reports, and an epsilon or a delta."""


@dataclass(frozen=True)
class ShuffledLaplace:
    """Attributes: noise `scales` and `sizes` (numbers of reports) of the batches; `delta` > 0 of the guarantee.

    The batch with the largest lower bound is drawn: its reports, or for many reports the number above a threshold. The
    function `added` adds the noise.
    """

    scales: tuple[float, ...]
    sizes: tuple[int, ...]
    delta: float
    added: Noise = field(default=LAPLACE_SUM_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Scale of the noise in the drawn batch."""
        return self.shown[0]

    @property
    def shifts(self) -> tuple[float, ...]:
        """The difference of the user's report."""
        return (RANGE,)

    @property
    def besides(self) -> tuple[float, ...]:
        """Scales of the other batches, which are at least as private."""
        return self.scales

    @property
    def batches(self) -> list[tuple[float, int]]:
        """Scale and number of reports of every batch, the least noise first."""
        return sorted(zip(self.scales, self.sizes, strict=True))

    @property
    def shown(self) -> tuple[float, int]:
        """The batch that is drawn."""
        return self._largest(shuffled_counts.epsilon, self.delta)[1]

    def _largest(self, epsilon: Bound, delta: float) -> tuple[float, tuple[float, int]]:
        """The largest epsilon over the batches, and its batch. No batch exceeds 2/scale."""
        most, shown = 0.0, self.batches[0]
        for batch in self.batches:
            if most < RANGE / batch[0] and (found := epsilon(*batch, delta)) > most:
                most, shown = found, batch
        return most, shown

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from tails of the counts (below) and from the blanket by powers of a Fourier transform (above)."""
        least, _ = self._largest(shuffled_counts.epsilon, delta)
        most, _ = self._largest(functools.partial(solved_epsilon, proven_delta), delta)
        low = max(shuffled_counts.excess(scale, n, eps) for scale, n in self.batches)
        high = max(proven_delta(scale, n, eps) for scale, n in self.batches)
        return Truth((least, most), (low, high), "tails of counts, transforms of the blanket")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from distributions of the counts (below) and from sums of the blanket in the worst batches (above)."""
        least, _ = self._largest(shuffled_counts.epsilon_of_distributions, delta)
        low = max(shuffled_counts.excess_of_distributions(scale, n, eps) for scale, n in self.batches)
        _, largest = self._largest(functools.partial(solved_epsilon, proven_delta), delta)
        most, high = solved_epsilon(summed_delta, *largest, delta), self.upper_delta(eps)
        return Truth((least, most), (low, high), "distributions of counts, of sums of the blanket")

    def upper_delta(self, eps: float) -> float:
        """Upper bound on delta by sums of the blanket, in the batch with the largest bound by transforms."""
        worst = max(self.batches, key=lambda batch: proven_delta(*batch, eps))
        return summed_delta(*worst, eps)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the reports of the batch, with the user's at a random index, or the number above the threshold."""
        scale, n = self.shown
        reward, drawn = 1.0 if side else -1.0, (self.added.add, rng, one_message(self.added))
        if n <= DRAWN:
            return reports(*drawn, reward, scale, n, trials)
        x = shuffled_counts.best_threshold(scale, n, max(self.delta, COMMON))
        return counts(*drawn, reward, scale, n, 1.0 - x * scale, crowd_share(scale, x), trials)

    def scores(self, views: Array) -> Array:
        """Log of the mean of the reports' likelihood ratios; for a count, in which its ratio increases, the count."""
        scale, n = self.shown
        if n > DRAWN:
            return views[:, 0]
        found: Array = special.logsumexp((np.abs(views + 1.0) - np.abs(views - 1.0)) / scale, axis=1) - math.log(n)
        return found

    def halved(self) -> "ShuffledLaplace":
        """A copy with half of every scale."""
        return replace(self, scales=tuple(0.5 * scale for scale in self.scales))


@functools.lru_cache(maxsize=4096)
def proven_delta(scale: float, n: int, eps: float) -> float:
    """The least delta proven at `eps` for n reports with Lap(`scale`) noise."""
    return shuffled_laplace_delta(eps, RANGE / scale, n)


@functools.lru_cache(maxsize=256)
def solved_epsilon(proven: Bound, scale: float, n: int, delta: float) -> float:
    """The least epsilon proven at `delta` for n reports with Lap(`scale`) noise."""
    most = RANGE / scale
    found = solved(functools.partial(proven, scale, n), delta, 0.0, most)
    while found < most and proven(scale, n, found) > delta:  # the solution may be too small by up to the precision
        found = min(most, found * (1.0 + PRECISION) + PRECISION)
    return found


@functools.lru_cache(maxsize=4096)
def summed_delta(scale: float, n: int, eps: float) -> float:
    """As `proven_delta`, by sums of the blanket for 1, 2, 4, .. reports."""
    local_eps = RANGE / scale
    alone = max(0.0, 1.0 - math.exp(0.5 * (eps - local_eps)))
    if alone == 0.0 or local_eps > LARGEST_LOCAL:
        return alone
    one = tilted(*blanket(eps, local_eps), n)
    middle = len(one.masses) // 2
    square, found = np.fft.fftshift(one.masses), np.zeros(len(one.masses))
    found[middle] = 1.0
    for digit in reversed(bin(n)[2:]):
        if digit == "1":
            found = convolved(found, square, middle)
        square = convolved(square, square, middle)
    weights = one.weights(n)
    return min(alone, clone_delta(eps, local_eps, n), float(weights @ np.fft.ifftshift(found)[: len(weights)]))


def convolved(first: Array, second: Array, middle: int) -> Array:
    """Distribution of a sum of two variables, both centered at `middle`, truncated to their length."""
    size = fft.next_fast_len(len(first) + len(second) - 1, real=True)
    found = fft.irfft(fft.rfft(first, size) * fft.rfft(second, size), size)
    return np.maximum(found[middle : middle + len(first)], 0.0)


@kernel
def reports(add: Any, rng: Generator, one: tuple[int, ...], reward: float, scale: float, n: int, trials: int) -> Array:
    """Rows (trials, n) of reports; the user's is at a random index, which is equivalent to shuffling all."""
    views = np.empty((trials, n))
    for i in range(trials):
        user = rng.integers(0, n)
        for j in range(n):
            views[i, j] = add(rng, reward if j == user else -1.0, scale, *one)
    return views


@kernel
def counts(
    add: Any,
    rng: Generator,
    one: tuple[int, ...],
    reward: float,
    scale: float,
    n: int,
    threshold: float,
    share: float,
    trials: int,
) -> Array:
    """Rows (trials, 1) of the number of reports above a threshold; `share` is the probability for another user's."""
    views = np.empty((trials, 1))
    for i in range(trials):
        views[i, 0] = rng.binomial(n - 1, share) + (1.0 if add(rng, reward, scale, *one) >= threshold else 0.0)
    return views
