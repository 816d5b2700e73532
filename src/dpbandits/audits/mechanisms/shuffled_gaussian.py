"""Gaussian reports of n users, permuted at random: one user's report moves, all others equal that of input 0.

Only the components of the reports along the user's shift, of mu standard deviations, distinguish the inputs. The result
is the largest of three lower bounds:
    one     the event that some report is in E, of probability at least P1(E) on input 1 and at most n P0(E) on input 0.
            So the epsilon of the batch is at least that of a single report minus ln n. Tight for large mu
    mean    the likelihood ratio, the mean over reports of exp(mu z - mu^2 / 2), with every report rounded to whole
            units and cut at the epsilon asked about; a function of the view. Tight if mu is not large
    sum     the sum of all reports, over all batches if there are several
The upper bound, for all pairs of inputs, is that of a single report or of the clones of `privacy.shuffling`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import special

from dpbandits.audits.mechanisms import gaussian, two_distributions
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, Noise
from dpbandits.privacy.shuffling import shuffled_gaussian_delta, shuffled_gaussian_eps

UNITS = 400  # into which the deciding value n e^epsilon of the summed likelihood ratios is divided; source: our choice
DEEPEST = 20.0  # epsilon above which the units lose precision, and `one` is as good; source: our choice
INTERVAL = 1e-7  # of the accountant's losses for distributions with few outcomes; source: our choice
CLEARLY = 0.999  # clones are used if they prove less than this share of the value without shuffling; source: our choice
Found = tuple[float, float]
"""Epsilon at delta, and delta at eps."""
Finder = Callable[[float, int, float, float, float], Found]
"""Function of mu, n, the epsilon of the units, eps and delta that returns `Found`."""


@dataclass(frozen=True)
class ShuffledGaussian:
    """One user among n, in one batch or in every batch.

    Attributes
    ----------
    shifts : the difference of each entry of the user's report, input 1 minus input 0. sds : standard deviation of the
        noise on each entry.
    reports : n, in a batch. batches : number of batches that the user takes part in, each shuffled separately.
    added : function that adds the noise.
    """

    shifts: tuple[float, ...]
    sds: tuple[float, ...]
    reports: int
    batches: int = 1
    added: Noise = field(default=GAUSSIAN_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on the first number that moves."""
        return gaussian.first_sd(self.shifts, self.sds)

    @property
    def mu(self) -> float:
        """Distance of the two inputs in standard deviations of a report."""
        return gaussian.distance(self.shifts, self.sds)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from privacy-loss distributions of normal variables and sums of units; clones if they prove less."""
        log_n, summed = math.log(self.reports), self.mu * math.sqrt(self.batches / self.reports)
        one = gaussian.accounted((self.mu,), eps + log_n, delta)
        both = gaussian.accounted((summed,), eps, delta)
        high = list(gaussian.accounted((self.mu,) * self.batches, eps, delta))
        for index, (proven, alone) in enumerate(zip(self._proven(eps, delta), self._alone(eps, delta), strict=True)):
            if proven < CLEARLY * alone:
                high[index] = proven
        method = "privacy loss distributions: one, mean or sum; alone or clones"
        return self._truth(eps, delta, (one, both), (high[0], high[1]), by_library, method)

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from analytic curves, sums of units by Fourier transforms, and clones."""
        log_n, summed = math.log(self.reports), self.mu * math.sqrt(self.batches / self.reports)
        one = gaussian.derived(self.mu, eps + log_n, delta)
        both = gaussian.derived(summed, eps, delta)
        method = "analytic: one, mean or sum; alone or clones"
        return self._truth(eps, delta, (one, both), self._proven(eps, delta), by_transform, method)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, batches n): every report's component along the user's shift, in standard deviations."""
        moved = [j for j, shift in enumerate(self.shifts) if shift]
        shifts, sds = np.array(self.shifts)[moved], np.array(self.sds)[moved]
        along = gaussian.weights(self.shifts, self.sds)[moved] / self.mu
        return shuffled(self.added.add, rng, side * shifts, sds, along, self.batches, self.reports, trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio; in every batch the ratio is the mean over reports of exp(mu z - mu^2 / 2)."""
        ratios = self.mu * views.reshape(len(views), self.batches, self.reports) - 0.5 * self.mu**2
        largest = ratios.max(axis=2, keepdims=True)
        return (largest[:, :, 0] + np.log(np.exp(ratios - largest).mean(axis=2))).sum(axis=1)

    def halved(self) -> "ShuffledGaussian":
        """A copy with half the standard deviations."""
        return replace(self, sds=tuple(0.5 * sd for sd in self.sds))

    def _alone(self, eps: float, delta: float) -> tuple[float, float]:
        """Epsilon and delta of the user's reports without a shuffler."""
        return gaussian.derived(self.mu * math.sqrt(self.batches), eps, delta)

    def _proven(self, eps: float, delta: float) -> tuple[float, float]:
        """The least epsilon and delta that are proven."""
        if self.batches > 1:
            return self._alone(eps, delta)
        mu, n = self.mu, self.reports
        return shuffled_gaussian_eps(mu, delta, n), shuffled_gaussian_delta(mu, eps, n)

    def _truth(
        self, eps: float, delta: float, lows: tuple[Found, Found], high: Found, mean: Finder, method: str
    ) -> Truth:
        """The largest lower bound of `one` (its epsilon is ln n too large), `sum` and `mean`, with the upper bound."""
        near = max(0.0, lows[0][0] - math.log(self.reports))
        epsilon, at_eps = max(near, lows[1][0]), max(lows[0][1], lows[1][1])
        if near <= DEEPEST:
            epsilon = max(epsilon, mean(self.mu, self.reports, near, eps, delta)[0])
        if eps <= DEEPEST:
            at_eps = max(at_eps, mean(self.mu, self.reports, eps, eps, delta)[1])
        return Truth((min(epsilon, high[0]), high[0]), (min(at_eps, high[1]), high[1]), method)


def units(mu: float, n: int, near: float) -> tuple[Array, Array]:
    """Distributions of the units of one report, (UNITS + 1,) each, for z ~ N(0, 1) and z ~ N(mu, 1)."""
    steps = (np.arange(1, UNITS + 1) - 0.5) * (n / UNITS)
    edges = np.concatenate([[-np.inf], (np.log(steps) + near + 0.5 * mu**2) / mu, [np.inf]])
    return between(edges), between(edges - mu)


def between(edges: Array) -> Array:
    """Masses of N(0, 1) between consecutive edges, by the tail on their side of 0."""
    low, high = special.ndtr(edges), special.ndtr(-edges)
    return np.where(edges[:-1] > 0.0, high[:-1] - high[1:], low[1:] - low[:-1])


def by_library(mu: float, n: int, near: float, eps: float, delta: float) -> Found:
    """`Finder` that adds units report by report, truncated at twice `UNITS`, and uses dp-accounting."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    usual, moved = units(mu, n, near)
    distributions = [usual, moved]
    for _ in range(n - 1):
        distributions = [np.convolve(distribution, usual) for distribution in distributions]
        distributions = [
            np.append(distribution[: 2 * UNITS], distribution[2 * UNITS :].sum()) for distribution in distributions
        ]
    logs = [dict(enumerate(np.log(np.maximum(distribution, 1e-300)))) for distribution in distributions]
    distribution = pld.from_two_probability_mass_functions(
        *logs, pessimistic_estimate=False, value_discretization_interval=INTERVAL, symmetric=False
    )
    return float(distribution.get_epsilon_for_delta(delta)), float(distribution.get_delta_for_epsilon(eps))


def by_transform(mu: float, n: int, near: float, eps: float, delta: float) -> Found:
    """`Finder` that adds units by powers of their Fourier transform and uses events."""
    usual, moved = units(mu, n, near)
    size = 1 << (n * UNITS).bit_length()
    others = np.fft.rfft(usual, size) ** (n - 1)
    distributions = [
        np.maximum(np.fft.irfft(others * np.fft.rfft(distribution, size), size), 0.0) for distribution in (usual, moved)
    ]
    cut = [np.append(distribution[: 2 * UNITS], distribution[2 * UNITS :].sum()) for distribution in distributions]
    return two_distributions.epsilon(cut[0], cut[1], delta), two_distributions.delta_at(cut[0], cut[1], eps)


@kernel
def shuffled(
    add: Any, rng: Generator, shift: Array, sds: Array, along: Array, batches: int, reports: int, trials: int
) -> Array:
    """Rows (trials, batches reports) of `gaussian.projected` reports.

    The user's report is the first of its batch; then the batch is permuted.
    """
    nothing, views = np.zeros(len(shift)), np.empty((trials, batches * reports))
    for i in range(trials):
        for b in range(batches):
            batch = views[i, b * reports : (b + 1) * reports]
            for j in range(reports):
                batch[j] = gaussian.projected(add, rng, nothing if j else shift, sds, along)
            for j in range(reports - 1, 0, -1):
                k = rng.integers(0, j + 1)
                batch[j], batch[k] = batch[k], batch[j]
    return views
