"""Batches of shuffled reports of rewards in [-1, 1], each + Lap(scale), one reward replaced; all reports are seen.

Lower bound: all other rewards are -1, the user's -1 (input 0) or 1 (input 1), and the reports of at least 1 - x scale
are counted (`shuffled_counts`). Upper bound: the clones of `privacy.shuffling`, every report 2/scale-LDP, summed one by
one, not in groups. The worst batch rules on either side.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import special

from dpbandits.audits.mechanisms import shuffled_counts
from dpbandits.audits.mechanisms.laplace import one_message
from dpbandits.audits.mechanisms.shuffled_counts import RANGE, SPREADS, crowd_share, divergence, solved
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import LAPLACE_SUM_NOISE, Noise

DRAWN = 40  # reports of a batch up to which they are drawn one by one; source: our choice
MOST_CLONES = 500  # values of C in the distributions of clones; source: our choice
COMMON = 0.01  # delta at which the threshold of the drawn counts is best: rarer events few trials show


@dataclass(frozen=True)
class ShuffledLaplace:
    """Attributes: `scales` of the noise and `sizes`, numbers of reports, of the batches; `delta` > 0 of the guarantee.

    Drawn is the batch with the largest lower bound: its reports, or for many reports the number above a threshold.
    The function `added` adds the noise.
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
        """By how much the user's report moves."""
        return (RANGE,)

    @property
    def besides(self) -> tuple[float, ...]:
        """Scales of the other batches, which are no less private."""
        return self.scales

    @property
    def batches(self) -> list[tuple[float, int]]:
        """Scale and number of reports of every batch, the least noise first."""
        return sorted(zip(self.scales, self.sizes, strict=True))

    @property
    def shown(self) -> tuple[float, int]:
        """The batch that is drawn."""
        return self._largest(shuffled_counts.epsilon, self.delta)[1]

    def _largest(self, epsilon: Callable[..., float], delta: float) -> tuple[float, tuple[float, int]]:
        """The largest epsilon over the batches, and its batch. No batch exceeds 2/scale."""
        most, shown = 0.0, self.batches[0]
        for batch in self.batches:
            if most < RANGE / batch[0] and (found := epsilon(*batch, delta)) > most:
                most, shown = found, batch
        return most, shown

    def accounted(self, eps: float, delta: float) -> Truth:
        """Counting, by tails of the counts; clones, by tails of half of them."""
        least, _ = self._largest(shuffled_counts.epsilon, delta)
        most, _ = self._largest(clones_epsilon, delta)
        low = max(shuffled_counts.excess(scale, n, eps) for scale, n in self.batches)
        high = max(clones_excess(RANGE / scale, n, eps) for scale, n in self.batches)
        return Truth((least, most), (low, high), "tails of counts, of clones")

    def derived(self, eps: float, delta: float) -> Truth:
        """The distributions of the counts; the distributions of the clones in the batch where they are worst."""
        least, _ = self._largest(shuffled_counts.epsilon_of_distributions, delta)
        low = max(shuffled_counts.excess_of_distributions(scale, n, eps) for scale, n in self.batches)
        _, (scale, n) = self._largest(clones_epsilon, delta)
        distribution = clones_distribution(RANGE / scale, n)
        most = solved(functools.partial(divergence, *distribution), delta, 0.0, RANGE / scale)
        worst = max(self.batches, key=lambda batch: clones_excess(RANGE / batch[0], batch[1], eps))
        high = divergence(
            *(distribution if worst == (scale, n) else clones_distribution(RANGE / worst[0], worst[1])), eps
        )
        return Truth((least, most), (low, high), "distributions of counts, of clones")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """The reports of the batch, the user's in a random place; or how many are above the threshold."""
        scale, n = self.shown
        reward, drawn = 1.0 if side else -1.0, (self.added.add, rng, one_message(self.added))
        if n <= DRAWN:
            return reports(*drawn, reward, scale, n, trials)
        x = shuffled_counts.best_threshold(scale, n, max(self.delta, COMMON))
        return counts(*drawn, reward, scale, n, 1.0 - x * scale, crowd_share(scale, x), trials)

    def scores(self, views: Array) -> Array:
        """Log of the mean of the reports' likelihood ratios; of a count, in which its ratio increases, itself."""
        scale, n = self.shown
        if n > DRAWN:
            return views[:, 0]
        found: Array = special.logsumexp((np.abs(views + 1.0) - np.abs(views - 1.0)) / scale, axis=1) - math.log(n)
        return found

    def halved(self) -> "ShuffledLaplace":
        """Half of every scale."""
        return replace(self, scales=tuple(0.5 * scale for scale in self.scales))


def clones_epsilon(scale: float, n: int, delta: float) -> float:
    """The least epsilon that the clones prove at `delta` for n reports with Lap(`scale`)."""
    return solved(functools.partial(clones_excess, RANGE / scale, n), delta, 0.0, RANGE / scale)


@functools.lru_cache(maxsize=32)
def clones(local_eps: float, n: int) -> tuple[Array, Array]:
    """The values of C ~ Bin(n - 1, 2 / (e^eps0 + 1)), but for less than rounding, and their masses."""
    from scipy import stats  # not above: it is half of a start-up, also for drawings

    p = 2.0 * math.exp(-local_eps) / (1.0 + math.exp(-local_eps))
    mean = (n - 1) * p
    spread = SPREADS * (math.sqrt(mean) + 1.0)
    c = np.arange(max(0, math.floor(mean - spread)), min(n - 1, math.ceil(mean + spread)) + 1)
    return c, stats.binom.pmf(c, n - 1, p)


def clones_excess(local_eps: float, n: int, eps: float) -> float:
    """Hockey-stick divergence of the clones' pair at `eps`: the sum over C of those of two halves of C.

    A count a = 0 .. C + 1 has a ratio above e^eps where C + 1 - a is less than a share of C + 1.
    """
    if local_eps <= eps:
        return 0.0
    c, masses = clones(local_eps, n)
    p, factor = math.exp(-local_eps), math.exp(eps)
    gain = -math.expm1(eps - local_eps)
    share = gain / ((1.0 - p) * (1.0 + factor))
    missing = np.ceil((c + 1) * share) - 1.0
    raised, kept = special.bdtr(missing, c, 0.5), np.where(missing > 0, special.bdtr(missing - 1.0, c, 0.5), 0.0)
    return float(masses @ np.maximum(gain * raised - (factor - p) * kept, 0.0)) / (1.0 + p)


def clones_distribution(local_eps: float, n: int) -> tuple[Array, Array]:
    """Both distributions (counts, C) of the clones' pair: of how many of C + 1 are of the first kind.

    Of the clones it is Bin(C, 1/2); the user is of the first kind with odds e^eps0, or of the second. Where C has many
    values, the mass of those between two that are kept is shared between the two.
    """
    c, masses = clones(local_eps, n)
    step = math.ceil(len(c) / MOST_CLONES)
    place, beyond = np.divmod(c - c[0], step)
    masses = np.bincount(np.append(place, place + 1), np.append(masses * (1.0 - beyond / step), masses * beyond / step))
    c = c[0] + step * np.arange(len(masses))
    spread = math.ceil(0.5 * SPREADS * (math.sqrt(c[-1]) + 1.0))
    count = c // 2 + np.arange(-spread, spread + 2)[:, None]

    def chance(kind: Array) -> Array:
        """That so many clones are of the first kind."""
        ways = special.gammaln(c + 1.0) - special.gammaln(kind + 1.0) - special.gammaln(c - kind + 1.0)
        found: Array = masses * np.where((kind >= 0) & (kind <= c), np.exp(ways - c * math.log(2.0)), 0.0)
        return found

    raised, kept = chance(count - 1), chance(count)
    likely = 1.0 / (1.0 + math.exp(-local_eps))
    return likely * raised + (1.0 - likely) * kept, (1.0 - likely) * raised + likely * kept


@kernel
def reports(add: Any, rng: Generator, one: tuple[int, ...], reward: float, scale: float, n: int, trials: int) -> Array:
    """Rows (trials, n) of reports; the user's is in a random place, which is as good as shuffling all."""
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
    """Rows (trials, 1) of the number of reports above a threshold; `share` is the chance of another's."""
    views = np.empty((trials, 1))
    for i in range(trials):
        views[i, 0] = rng.binomial(n - 1, share) + (1.0 if add(rng, reward, scale, *one) >= threshold else 0.0)
    return views
