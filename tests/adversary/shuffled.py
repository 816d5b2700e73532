"""Shuffled reports: the user's value moves, the values of others are free, and the adversary counts reports.

Whatever it looks at is a function of the shuffled reports, so that what it finds is a lower bound for the pair.
"""

import functools
import math

import numpy as np
from scipy import special, stats

from .messages import gaussian_epsilon
from .search import Array, largest, one_of, unit

LEVELS, MOST = 64, 200  # of a report in a soft count, and reports up to which there is one: sums do as well; our choice
FFT = 1e-12  # by which a probability from a transform may be wrong; sums of up to 12,800 terms of 1e-16
FAR = 8.0  # standard deviations from which on one report alone tells the most; our choice
NOT_FOUND = -10.0  # where an event is rarer than delta

# Gaussian reports


@functools.cache
def gaussian_reports(mu: float, n: int, batches: int, delta: float) -> float:
    """The largest epsilon at `delta` that was found for a user who moves by `mu` standard deviations among n."""
    summed = gaussian_epsilon(mu * math.sqrt(batches / n), delta)
    alone = largest(lambda p: _extreme(mu + 8.0 * p[0], mu, n, delta), 1, generations=60)[0]
    found = max(0.0, summed, alone)
    if mu < FAR and n <= MOST:
        found = max(found, largest(lambda p: np.array([_counted(x, mu, n, delta) for x in p.T]), 4, 24, 12)[0])
    return found


def _extreme(threshold: Array, mu: float, n: int, delta: float) -> Array:
    """Epsilons of the event that some report is above a threshold, all others being at 0."""
    log_q, p = stats.norm.logsf(threshold), stats.norm.sf(threshold - mu)
    log_none = n * np.log1p(-np.exp(log_q))
    log_some = np.where(log_none < -1e-8, np.log(-np.expm1(np.minimum(log_none, -1e-300))), math.log(n) + log_q)
    likely = 1.0 - np.exp((n - 1) / n * log_none) * (1.0 - p) - delta
    return np.where(likely > 0.0, np.log(np.maximum(likely, 1e-300)) - log_some, NOT_FOUND + likely)


def _counted(point: Array, mu: float, n: int, delta: float) -> float:
    """The epsilon of a soft count, the sum of 1 / (1 + exp(-mu (z - t))) of all reports, each rounded to a level.

    The point gives t, where two groups of the others are between 0 and mu, and how many are in the first group.
    """
    middle, (first, second) = 0.5 * mu + 4.0 * point[0] / min(1.0, mu), mu * unit(point[1:3])
    edges = middle + special.logit((np.arange(LEVELS) + 0.5) / LEVELS) / mu
    size = 1 << (n * LEVELS + 1).bit_length()

    def transform(place: float) -> Array:
        cumulated = stats.norm.cdf(edges - place)
        return np.fft.rfft(np.diff(cumulated, prepend=0.0, append=1.0), size)

    in_first = round((n - 1) * float(unit(point[3])))
    others = transform(first) ** in_first * transform(second) ** (n - 1 - in_first)
    sides = [np.fft.irfft(others * transform(place), size)[: n * LEVELS + 1] for place in (0.0, mu)]
    return max(_of_tails(*pair, delta) for pair in (sides, sides[::-1]))


def _of_tails(first: Array, second: Array, delta: float) -> float:
    """The largest epsilon of the events at either end of a count with these masses, likelier under `first`."""
    found = NOT_FOUND
    for order in (1, -1):
        likely = np.cumsum(first[::order]) - delta - FFT
        unlikely = np.cumsum(second[::order]) + FFT
        found = max(found, float(np.max(np.log(np.maximum(likely, 1e-300) / np.maximum(unlikely, FFT)))))
    return found


# Laplace reports

FEW = 6  # reports up to which every other user has a value of her own; our choice
ROUGH, FINE = (24, 25), (48, 60)  # points and generations for all batches, and for the best few of these; our choice
BEST = 2  # batches that are searched again


@functools.cache
def laplace_batches(batches: tuple[tuple[float, int], ...], delta: float) -> float:
    """The largest epsilon at `delta` that was found in any batch of reports of values in [-1, 1].

    Parameters
    ----------
    batches : scale of the Laplace noise and number of reports of each.
    """
    rough = sorted(batches, key=lambda batch: -laplace_reports(*batch, delta, *ROUGH))
    return max(0.0, *(laplace_reports(*batch, delta, *FINE) for batch in rough[:BEST]))


def laplace_reports(scale: float, n: int, delta: float, points: int, generations: int) -> float:
    """The largest epsilon at `delta` that was found for a batch of n reports, each + Lap(`scale`).

    The events are those of at least k reports above a threshold, and those of fewer. Free are both values of the user,
    the value of all others or for few reports of each of them, the threshold, and k.
    """
    values = n - 1 if n <= FEW else 1
    deepest = min(2.0 / scale + 1.0, math.log(n) + 8.0)  # scales by which the threshold is above others, at most

    def epsilons(p: Array, sign: float) -> Array:
        threshold = p[4] + scale * deepest * unit(p[2])
        chances = _above(threshold - p[4:], scale)
        if values == 1:
            chance = chances[0]
            spread = np.sqrt((n - 1) * chance * (1.0 - chance)) + 1.0
            k = np.clip(np.floor((n - 1) * chance + sign * (7.0 * unit(p[3]) - 1.0) * spread) + 1.0, 1.0, n)
            more, less = (_binomial_tails(n - 1, chance, each) for each in (k - 1.0, k))
        else:
            k = 1 + one_of(p[3], n)
            more, less = (_sum_tails(chances, each) for each in (k - 1, k))
        side = 0 if sign > 0.0 else 1
        likely, unlikely = (
            c * more[side] + (1.0 - c) * less[side] for c in (_above(threshold - p[i], scale) for i in (0, 1))
        )
        usable = (likely > delta) & (unlikely > 0.0)
        found = np.log(np.maximum(likely - delta, 1e-300)) - np.log(np.maximum(unlikely, 1e-300))
        return np.where(usable, found, NOT_FOUND + likely - delta)

    searches = (functools.partial(epsilons, sign=sign) for sign in (1.0, -1.0))
    return max(largest(search, 4 + values, points, generations, polish=False)[0] for search in searches)


def _above(distance: Array, scale: float) -> Array:
    """P(Lap(`scale`) >= `distance`)."""
    tail = 0.5 * np.exp(-np.abs(distance) / scale)
    return np.where(distance > 0.0, tail, 1.0 - tail)


def _binomial_tails(n: int, chance: Array, k: Array) -> tuple[Array, Array]:
    """P(Bin(n, `chance`) >= k) and P(Bin(n, `chance`) < k) for k = 0, .., n + 1."""
    inside = (k >= 1.0) & (k <= n)
    a, b = np.where(inside, k, 1.0), np.where(inside, n - k + 1.0, 1.0)
    above, below = special.betainc(a, b, chance), special.betaincc(a, b, chance)
    return np.where(inside, above, k <= 0.0), np.where(inside, below, k > n)


def _sum_tails(chances: Array, k: Array) -> tuple[Array, Array]:
    """The same for the sum of trials with chances (m, n)."""
    masses = np.zeros((len(chances) + 1, chances.shape[1]))
    masses[0] = 1.0
    for chance in chances:
        masses[1:] = masses[1:] * (1.0 - chance) + masses[:-1] * chance
        masses[0] *= 1.0 - chance
    count = np.arange(len(masses))[:, None]
    return (masses * (count >= k)).sum(axis=0), (masses * (count < k)).sum(axis=0)
