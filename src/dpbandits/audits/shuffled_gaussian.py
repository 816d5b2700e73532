"""Gaussian reports of n users, permuted at random: one user's moves, those of all others are that of input 0.

Only what the reports are along the line on which the user's moves, by mu standard deviations, tells the inputs apart.
Three lower bounds, of which the largest counts:
    one     where one report alone is in an event, some report is: P1(E) and at most n P0(E). So the batch is no more
            private than a report alone at a level higher by ln n. Tight where mu is large
    mean    the likelihood ratio, which is the mean over reports of exp(mu z - mu^2 / 2), every report rounded to whole
            units and cut at the level asked about; a function of what is seen. Tight where mu is not large
    sum     the sum of all reports, over all batches if there are several
Above, for all pairs of inputs: what a report alone is, or what the clones of `privacy.shuffling` prove.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import optimize, special

from dpbandits.audits import gaussian, two_laws
from dpbandits.audits.release import Array, Truth
from dpbandits.jit import kernel
from dpbandits.privacy.shuffling import shuffled_gaussian_delta, shuffled_gaussian_eps

UNITS = 400  # in the mean of the likelihood ratios, of the n e^level that decides; source: our choice
DEEPEST = 20.0  # level beyond which the units lose their digits, and `one` is as good; source: our choice
INTERVAL = 1e-7  # of the accountant's losses of laws with few outcomes; source: our choice
Finder = Callable[[float, int, float, float, float], tuple[float, float]]
"""Of mu, n, the level that the units are made for, eps and delta: level at delta and delta at eps by `mean`."""
CLONE_LEVELS = np.geomspace(0.05, 30.0, 30)  # local levels at which the accountant tries the clones; source: our choice


@dataclass(frozen=True)
class ShuffledGaussian:
    """One user among so many, in one batch or in every one.

    Attributes
    ----------
    shifts : by how much input 1 moves each entry of the user's report. sds : standard deviation of the noise on each.
    reports : n, of a batch. batches : in which the user takes part, each shuffled by itself.
    """

    shifts: tuple[float, ...]
    sds: tuple[float, ...]
    reports: int
    batches: int = 1

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on the first number that moves."""
        return gaussian.first_sd(self.shifts, self.sds)

    @property
    def mu(self) -> float:
        """Distance of the two inputs in standard deviations of a report."""
        return gaussian.distance(self.shifts, self.sds)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Privacy-loss distributions, of normal laws, of sums of units and of clones."""
        log_n, summed = math.log(self.reports), self.mu * math.sqrt(self.batches / self.reports)
        one = gaussian.accounted((self.mu,), eps + log_n, delta)
        both = gaussian.accounted((summed,), eps, delta)
        mean = self._mean(eps, delta, one[0] - log_n, _accounted)
        low = max(0.0, one[0] - log_n, both[0], mean[0]), max(one[1], both[1], mean[1])
        high = gaussian.accounted((self.mu,) * self.batches, eps, delta)
        if self.batches == 1:
            high = _by_clones(self.mu, self.reports, eps, delta, high)
        return Truth((low[0], high[0]), (low[1], high[1]), "privacy loss distributions: pair; alone and clones")

    def derived(self, eps: float, delta: float) -> Truth:
        """Analytic curves, sums of units by their Fourier transform, clones by sums of binomials."""
        log_n, summed = math.log(self.reports), self.mu * math.sqrt(self.batches / self.reports)
        one = gaussian.derived(self.mu, eps + log_n, delta)
        both = gaussian.derived(summed, eps, delta)
        mean = self._mean(eps, delta, one[0] - log_n, _derived)
        low = max(0.0, one[0] - log_n, both[0], mean[0]), max(one[1], both[1], mean[1])
        high = gaussian.derived(self.mu * math.sqrt(self.batches), eps, delta)
        if self.batches == 1:
            high = (
                shuffled_gaussian_eps(self.mu, delta, self.reports),
                shuffled_gaussian_delta(self.mu, eps, self.reports),
            )
        return Truth((low[0], high[0]), (low[1], high[1]), "analytic: pair; alone and clones")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """(trials, batches n): every report along the line on which the user's moves, in standard deviations."""
        moved = [j for j, shift in enumerate(self.shifts) if shift]
        shifts, sds = np.array(self.shifts)[moved], np.array(self.sds)[moved]
        along = gaussian.weights(self.shifts, self.sds)[moved] / self.mu
        return shuffled(rng, side * shifts, sds, along, self.batches, self.reports, trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio: of every batch the mean over its reports of exp(mu z - mu^2 / 2)."""
        ratios = self.mu * views.reshape(len(views), self.batches, self.reports) - 0.5 * self.mu**2
        largest = ratios.max(axis=2, keepdims=True)
        return (largest[:, :, 0] + np.log(np.exp(ratios - largest).mean(axis=2))).sum(axis=1)

    def halved(self) -> "ShuffledGaussian":
        """Half the standard deviations."""
        return replace(self, sds=tuple(0.5 * sd for sd in self.sds))

    def _mean(self, eps: float, delta: float, near: float, found: Finder) -> tuple[float, float]:
        """Bounds on level and delta by `mean` in one batch; units made for the level `near`, and for `eps`."""
        level = at_eps = 0.0
        if near <= DEEPEST:
            level = found(self.mu, self.reports, max(near, 0.0), eps, delta)[0]
        if eps <= DEEPEST:
            at_eps = found(self.mu, self.reports, eps, eps, delta)[1]
        return level, at_eps


def units(mu: float, n: int, near: float) -> tuple[Array, Array]:
    """Laws of the units of one report, (UNITS + 1,) each, where z is N(0, 1) and where it is N(mu, 1)."""
    steps = (np.arange(1, UNITS + 1) - 0.5) * (n / UNITS)
    edges = np.concatenate([[-np.inf], (np.log(steps) + near + 0.5 * mu**2) / mu, [np.inf]])
    return between(edges), between(edges - mu)


def between(edges: Array) -> Array:
    """Masses of N(0, 1) between neighbouring edges, by the tail on their side of 0."""
    low, high = special.ndtr(edges), special.ndtr(-edges)
    return np.where(edges[:-1] > 0.0, high[:-1] - high[1:], low[1:] - low[:-1])


def _accounted(mu: float, n: int, near: float, eps: float, delta: float) -> tuple[float, float]:
    """As `Finder`: sums of units one report after the other, cut at twice `UNITS`, and dp-accounting."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    usual, moved = units(mu, n, near)
    laws = [usual, moved]
    for _ in range(n - 1):
        laws = [np.convolve(law, usual) for law in laws]
        laws = [np.append(law[: 2 * UNITS], law[2 * UNITS :].sum()) for law in laws]
    logs = [dict(enumerate(np.log(np.maximum(law, 1e-300)))) for law in laws]
    law = pld.from_two_probability_mass_functions(
        *logs, pessimistic_estimate=False, value_discretization_interval=INTERVAL, symmetric=False
    )
    return float(law.get_epsilon_for_delta(delta)), float(law.get_delta_for_epsilon(eps))


def _derived(mu: float, n: int, near: float, eps: float, delta: float) -> tuple[float, float]:
    """As `Finder`: sums of units by the powers of the transform, and events."""
    usual, moved = units(mu, n, near)
    size = 1 << (n * UNITS).bit_length()
    others = np.fft.rfft(usual, size) ** (n - 1)
    laws = [np.maximum(np.fft.irfft(others * np.fft.rfft(law, size), size), 0.0) for law in (usual, moved)]
    cut = [np.append(law[: 2 * UNITS], law[2 * UNITS :].sum()) for law in laws]
    return two_laws.level(cut[0], cut[1], delta), two_laws.delta_at(cut[0], cut[1], eps)


def _by_clones(mu: float, n: int, eps: float, delta: float, alone: tuple[float, float]) -> tuple[float, float]:
    """Level at `delta` and delta at `eps`: what holds for a report alone, or less where clones prove it.

    A report is (local, delta0)-DP for every local level; what failures cost is added (Feldman et al., Theorem 3.8).
    """
    level, at_eps = alone
    for local, law in zip(CLONE_LEVELS, _clone_losses(n), strict=True):
        failures = n * (1.0 + 0.5 * math.exp(-local)) * gaussian.derived(mu, float(local), delta)[1]

        def excess(level: float, law: Any = law, failures: float = failures) -> float:
            return float(law.get_delta_for_epsilon(level)) + (math.exp(level) + 1.0) * failures - delta

        if eps < local:
            at_eps = min(at_eps, excess(eps) + delta)
        if 0.0 < level < local and excess(level) < 0.0:
            level = 0.0 if excess(0.0) <= 0.0 else float(optimize.brentq(excess, 0.0, level))
    return level, at_eps


@functools.lru_cache(maxsize=4)
def _clone_losses(n: int) -> list[Any]:
    """The accountant's losses of `clones` at the levels tried."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    found = []
    for local in CLONE_LEVELS:
        logs = [dict(enumerate(np.log(law))) for law in clones(float(local), n)]
        found.append(
            pld.from_two_probability_mass_functions(*logs, value_discretization_interval=INTERVAL, symmetric=False)
        )
    return found


def clones(local: float, n: int) -> tuple[Array, Array]:
    """The two laws of the clones of `privacy.shuffling`, of the number of clones and the count, outcome by outcome."""
    clone, up = math.exp(-local), 1.0 / (1.0 + math.exp(-local))
    found = []
    for c in range(n):
        crowd = math.comb(n - 1, c) * clone**c * (1.0 - clone) ** (n - 1 - c)
        halves = np.array([math.comb(c, k) * 0.5**c for k in range(c + 1)])
        raised, kept = np.append(0.0, halves), np.append(halves, 0.0)
        found.append(crowd * np.array([up * raised + (1.0 - up) * kept, (1.0 - up) * raised + up * kept]))
    both = np.concatenate(found, axis=1)
    return both[0], both[1]


@kernel
def shuffled(rng: Generator, shift: Array, sds: Array, along: Array, batches: int, reports: int, trials: int) -> Array:
    """Rows (trials, batches reports) of `gaussian.projected` reports; the user's is the first of its batch, then the
    batch is permuted."""
    nothing, views = np.zeros(len(shift)), np.empty((trials, batches * reports))
    for i in range(trials):
        for b in range(batches):
            batch = views[i, b * reports : (b + 1) * reports]
            for j in range(reports):
                batch[j] = gaussian.projected(rng, nothing if j else shift, sds, along)
            for j in range(reports - 1, 0, -1):
                k = rng.integers(0, j + 1)
                batch[j], batch[k] = batch[k], batch[j]
    return views
