"""Distributions of numbers of ones and of their privacy losses, in two ways, for `vector_sum`.

A loss lies between two multiples of a step. Splitting it between them so that its masses under both distributions are
kept raises divergences by less than 1e-6 ("connecting the dots").
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft

from dpbandits.audits.release import Array

Distribution = tuple[Array, Array]
Distributions = list[tuple[Distribution, int]]
"""Pairs of a count's masses under input 0 and input 1, and the number of counts with these distributions."""
Binomial = Callable[[float, float], tuple[int, Array]]
"""Function of trials and probability that returns the smallest count with mass, and the masses from there on."""
Rounded = tuple[int, float]
"""The lower of the two integers that an entry is rounded to, and the probability of the upper one."""
SPREAD = 9.0  # counts within SPREAD sds + SPREAD^2 of the mean are kept; the ends are below RAREST
RAREST = 1e-17  # counts with a smaller mass are treated as impossible; source: our choice
NOTHING_HIDDEN = 1.0 - 1e-12  # delta at every epsilon from which one count reveals the input; source: our choice
STEP = 1e-3  # step of losses over the standard deviation of their sum; source: our choice


def window(trials: float, chance: float) -> Array:
    """The counts of Bin(`trials`, `chance`) that are kept."""
    reach = SPREAD * math.sqrt(trials * chance * (1.0 - chance)) + SPREAD**2
    low, high = max(0, math.floor(trials * chance - reach)), min(int(trials), math.ceil(trials * chance + reach))
    return np.arange(low, high + 1, dtype=float)


def library_distribution(trials: float, chance: float) -> tuple[int, Array]:
    """A `Binomial` by SciPy."""
    from scipy import stats

    counts = window(trials, chance)
    return int(counts[0]), stats.binom.pmf(counts, trials, chance)


def ratio_distribution(trials: float, chance: float) -> tuple[int, Array]:
    """A `Binomial` by the ratios of neighboring masses."""
    counts = window(trials, chance)
    ratios = (trials - counts[:-1]) / (counts[:-1] + 1.0) * (chance / (1.0 - chance))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    masses = np.exp(logs - logs.max())
    return int(counts[0]), masses / masses.sum()


def noise_and_others(
    distribution: Binomial, bits: float, chance: float, others: int, entry: Rounded
) -> tuple[int, Array]:
    """Smallest count, and masses from there on, of `bits` noise bits plus `others` users' rounding of an entry."""
    start, noise = distribution(bits, chance)
    whole, part = entry
    if part:
        low, ups = distribution(float(others), part)
        start, noise = start + low, np.convolve(noise, ups)
    return start + others * whole, noise


def moved_distribution(noise: Array, first: Rounded, second: Rounded) -> Distribution:
    """Masses of an entry's count with the user's part from input 0 and from input 1, from the smaller count on."""
    least = min(first[0], second[0])
    distributions = np.zeros((2, len(noise) + abs(first[0] - second[0]) + 1))
    for distribution, (whole, chance) in zip(distributions, (first, second), strict=True):
        for up, share in ((0, 1.0 - chance), (1, chance)):
            start = whole - least + up
            distribution[start : start + len(noise)] += share * noise
    return distributions[0], distributions[1]


def finite(distribution: Distribution) -> tuple[Array, Array]:
    """Losses ln(second/first) of the counts that are possible under both and not too rare, and the mask of counts."""
    both = (np.minimum(*distribution) > 0.0) & (np.maximum(*distribution) > RAREST)
    return np.log(distribution[1][both] / distribution[0][both]), both


def step_of(distributions: Distributions) -> float:
    """The step of losses: a fraction of the standard deviation of their sum under the second distributions."""
    total = 0.0
    for distribution, number in distributions:
        losses, both = finite(distribution)
        mass = float(distribution[1][both].sum())
        if mass > 0.0:
            mean = distribution[1][both] @ losses / mass
            total += number * float(distribution[1][both] @ (losses - mean) ** 2) / mass
    return STEP * math.sqrt(total) or STEP


# By the accountant


def accountant(distributions: Distributions) -> Any:
    """The joint privacy loss distribution of all counts, by dp-accounting."""
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution, identity

    step = step_of(distributions)
    whole = identity(value_discretization_interval=step)
    for distribution, number in distributions:
        part = PrivacyLossDistribution(
            directed(distribution[0], distribution[1], step), directed(distribution[1], distribution[0], step)
        )
        if part.get_delta_for_epsilon(math.inf) >= NOTHING_HIDDEN:
            return part  # more counts cannot reveal more
        whole = whole.compose(part.self_compose(number, tail_mass_truncation=0.0), tail_mass_truncation=0.0)
    return whole


def directed(first: Array, second: Array, step: float) -> Any:
    """dp-accounting's distribution of losses under `second`, from the divergences at multiples of `step`."""
    from dp_accounting.pld import pld_pmf

    losses, both = finite((first, second))
    if len(losses) == 0:
        return pld_pmf.create_pmf({0: 0.0}, step, 1.0, True)
    order = np.argsort(losses)
    losses, never = losses[order], 1.0 - float(second[both].sum())
    low, high = math.floor(losses[0] / step), math.ceil(losses[-1] / step)
    tried = step * np.arange(low, high + 1)
    above, below = (
        np.append(np.cumsum(distribution[both][order][::-1])[::-1], 0.0) for distribution in (second, first)
    )
    place = np.searchsorted(losses, tried, side="right")
    deltas = np.clip(never + above[place] - np.exp(tried) * below[place], 0.0, 1.0)
    return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(step, low, high, np.minimum.accumulate(deltas))


# By Fourier transforms


def transformed(distributions: Distributions) -> Distribution:
    """Masses of the sum of all losses under both distributions, sorted by loss, with -inf and inf at the ends."""
    step = step_of(distributions)
    parts = [(*split(distribution, step), number) for distribution, number in distributions]
    length = 1 + sum(number * (len(second) - 1) for _, _, second, number in parts)
    size, low = fft.next_fast_len(length, real=True), sum(number * least for least, _, _, number in parts)
    both, kept = [], [1.0, 1.0]
    for side in (0, 1):
        whole = np.ones(size // 2 + 1, dtype=complex)
        for _, *masses, number in parts:
            whole *= fft.rfft(masses[side], size) ** number
            kept[side] *= float(masses[side].sum()) ** number
        both.append(np.maximum(fft.irfft(whole, size)[:length], 0.0))
    losses = step * (low + np.arange(length))
    first = np.where(losses < 0.0, both[0], both[1] * np.exp(-np.maximum(losses, 0.0)))
    second = np.where(losses < 0.0, both[0] * np.exp(np.minimum(losses, 0.0)), both[1])
    return np.concatenate([[1.0 - kept[0]], first, [0.0]]), np.concatenate([[0.0], second, [1.0 - kept[1]]])


def split(distribution: Distribution, step: float) -> tuple[int, Array, Array]:
    """The least loss in steps, and the masses of it and all larger multiples under both distributions."""
    (first, second), (losses, both) = distribution, finite(distribution)
    lower = np.floor(losses / step)
    share = np.expm1(lower * step - losses) / np.expm1(-step)  # of the upper multiple, under the second distribution
    places = (lower - lower.min(initial=0.0)).astype(int)
    size = int(places.max(initial=0)) + 2
    found = []
    for masses, upper in ((first[both], share * np.exp(losses - (lower + 1.0) * step)), (second[both], share)):
        found.append(np.bincount(places, masses * (1.0 - upper), size) + np.bincount(places + 1, masses * upper, size))
    return int(lower.min(initial=0.0)), found[0], found[1]
