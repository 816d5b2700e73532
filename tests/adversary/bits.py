"""The shuffled vector sum: a user's entries are rounded at random and hidden among bits, entry by entry.

The adversary chooses both users, and one value of all other users. It maximizes the squared shift over the variance of
every entry, and the divergence of the pair that it found is then bounded from below by exact distributions of counts.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from .messages import feature_message, feature_numbers
from .search import Array, largest

ONES = 0.25  # p of the noise bits; source: Theorem C.1
FOLLOWED = 2e6  # noise bits of an entry; of more only as many count, which hides less; our choice
SPREADS = 9.0  # standard deviations of a count, and as many squares of it, that are followed; our choice
STEP, WINDOW = 1e-4, 26.0  # of losses, and their range, in units of the shift over the standard deviation; our choice
MANY, FEW = (64, 120), (144, 200)  # points and generations, and those where noise bits are few; our choice
FEW_BITS = 2000  # of all users for an entry
LEAST = 1e-18  # mass of a count below which it is left out


@dataclass(frozen=True)
class Randomizer:
    """Amounts of a release: d, whether features are (z, 1), users, noise bits of a user, g, D, and batches."""

    dimension: int
    released: bool
    users: int
    bits: int
    granularity: float
    largest: float
    batches: int


@functools.cache
def worst_users(how: Randomizer) -> tuple[Array, Array, Array]:
    """Scaled entries (k,) of both users and of every other user, as far apart as was found."""
    numbers, message = feature_numbers(how.dimension, how.released), feature_message(how.dimension, how.released)
    noise = how.users * how.bits * ONES * (1.0 - ONES)

    def scaled(p: Array) -> list[Array]:
        parts = [message(p[k * numbers : (k + 1) * numbers]) for k in range(3)]
        return [(part / how.largest + 1.0) * how.granularity for part in parts]

    def objective(p: Array) -> Array:
        first, second, others = scaled(p)
        own = 0.5 * (_rounding(first) + _rounding(second))
        return ((first - second) ** 2 / (noise + own + (how.users - 1) * _rounding(others) + 1e-3)).sum(axis=0)

    point = largest(objective, 3 * numbers, *(FEW if how.users * how.bits <= FEW_BITS else MANY))[1]
    first, second, others = (np.round(each[:, 0], 9) for each in scaled(point[:, None]))
    return first, second, others


def _rounding(values: Array) -> Array:
    """Variance of values that are rounded at random to a whole number next to them, the mean kept."""
    part = values - np.floor(values)
    return part * (1.0 - part)


def epsilon(how: Randomizer, delta: float) -> float:
    """The largest epsilon at `delta` that was found."""
    first, second, others = worst_users(how)
    return max(_epsilon(_pairs(how, *pair, others), how.batches, delta) for pair in ((first, second), (second, first)))


def _binomial(trials: float, chance: float) -> tuple[int, Array]:
    """Least count and masses of the counts that are followed."""
    mean, sd = trials * chance, math.sqrt(trials * chance * (1.0 - chance))
    reach = SPREADS * sd + SPREADS**2
    counts = np.arange(max(0, math.floor(mean - reach)), min(int(trials), math.ceil(mean + reach)) + 1)
    return int(counts[0]), stats.binom.pmf(counts, int(trials), chance)


def _pairs(how: Randomizer, first: Array, second: Array, others: Array) -> list[tuple[Array, Array]]:
    """For every entry that moves the distributions of its count for either user."""
    _, noise = _binomial(min(FOLLOWED, float(how.users * how.bits)), ONES)
    found = []
    for one, other, crowd in zip(first, second, others, strict=True):
        if one == other:
            continue
        around = noise
        if crowd > math.floor(crowd):
            around = np.convolve(noise, _binomial(how.users - 1, crowd - math.floor(crowd))[1])
        least = min(math.floor(one), math.floor(other))
        masses = np.zeros((2, len(around) + abs(math.floor(one) - math.floor(other)) + 1))
        for row, value in zip(masses, (one, other), strict=True):
            start, up = math.floor(value) - least, value - math.floor(value)
            row[start : start + len(around)] += (1.0 - up) * around
            row[start + 1 : start + 1 + len(around)] += up * around
        found.append((masses[0], masses[1]))
    return found


def _epsilon(pairs: list[tuple[Array, Array]], batches: int, delta: float) -> float:
    """The least epsilon of the first distributions against the second, losses rounded down to a step."""
    kept = math.prod(1.0 - float(p[(p > LEAST) & (q == 0.0)].sum()) for p, q in pairs)
    certain = 1.0 - kept**batches
    if certain > delta:
        return math.inf
    finite, variance = [], 0.0
    for p, q in pairs:
        both = (p > LEAST) & (q > 0.0)
        if not both.any():
            continue  # leaving out an entry shows less
        masses, losses = p[both], np.log(p[both] / q[both])
        finite.append((losses, masses))
        variance += float(masses @ losses**2) - float(masses @ losses) ** 2
    spread = math.sqrt(max(variance * batches, 1e-12))
    step, size = STEP * spread, 1 << math.ceil(math.log2(WINDOW / STEP))
    whole, low = np.ones(size // 2 + 1, dtype=complex), 0
    for losses, masses in finite:
        places = np.floor(losses / step).astype(int)
        start = int(places[np.argmax(masses)]) - size // 2  # what is farther from the middle has no mass that counts
        inside = (places >= start) & (places < start + size)
        line = np.bincount(places[inside] - int(places[inside].min()), masses[inside], size)
        whole *= np.fft.rfft(line[:size]) ** batches
        low += batches * int(places[inside].min())
    mean = batches * sum(float(masses @ losses) for losses, masses in finite)
    wrapped = np.fft.irfft(whole, size)
    first = math.floor(mean / step) - size // 2
    masses, losses = np.roll(wrapped, low - first), step * (first + np.arange(size))

    def excess(eps: float) -> float:
        above = losses > eps
        return certain + float(masses[above] @ -np.expm1(eps - losses[above])) - delta

    if excess(0.0) <= 0.0:
        return 0.0
    return float(optimize.brentq(excess, 0.0, max(float(losses[-1]), step)))
