"""The Gaussian mechanism: numbers that differ by `shifts` between two neighbors, with independent N(0, sd^2) noise.

Privacy depends only on mu, the distance of the two inputs in standard deviations. If a number that moves has no noise,
mu is infinite and input 1 is identified with certainty.
"""

import functools
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import optimize

from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, Noise

FINENESS = 1.5e-3
"""Interval of the accountant's losses, divided by their standard deviation mu and the root of their number. Deltas are
then accurate to 1e-6. Source: our choice."""
DEEPEST = 700.0  # above it the accountant's epsilon ignores delta, because e^-epsilon is 0


@dataclass(frozen=True)
class Gaussian:
    """A message whose entries are drawn in the given order.

    Attributes
    ----------
    shifts : the difference of each number, input 1 minus input 0.
    sds : standard deviation of the noise on each number.
    reach : largest distance of two neighbors in the domain, in standard deviations; None if `shifts` attain it.
    proven : whether no neighbors are farther apart; else these are the farthest found.
    added : function that adds the noise.
    """

    shifts: tuple[float, ...]
    sds: tuple[float, ...]
    reach: float | None = None
    proven: bool = True
    added: Noise = field(default=GAUSSIAN_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on the first number that moves."""
        return first_sd(self.shifts, self.sds)

    @property
    def mu(self) -> float:
        """Distance of the two inputs in standard deviations."""
        return distance(self.shifts, self.sds)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from a privacy-loss distribution."""
        low = accounted((self.mu,), eps, delta)
        high = low if self.reach is None else accounted((self.reach,), eps, delta)
        return Truth((low[0], high[0]), (low[1], high[1]), "privacy loss distribution", self.proven)

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the analytic curve."""
        low = derived(self.mu, eps, delta)
        high = low if self.reach is None else derived(self.reach, eps, delta)
        epsilons, deltas = zip(low, high, strict=True)
        return Truth(epsilons, deltas, "analytic Gaussian curve", self.proven, normal=math.isfinite(self.mu))

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the messages minus the noiseless message of input 0."""
        return noised(self.added.add, rng, side * np.array(self.shifts), np.array(self.sds), trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio; if numbers without noise move, 1 if they are those of input 1, else 0."""
        shifts, sds = np.array(self.shifts), np.array(self.sds)
        if math.isinf(self.mu):
            bare = (sds == 0.0) & (shifts != 0.0)
            return np.all(views[:, bare] == shifts[bare], axis=1).astype(float)
        return views @ weights(self.shifts, self.sds) - 0.5 * self.mu**2

    def halved(self) -> "Gaussian":
        """A copy with half the standard deviations."""
        reach = None if self.reach is None else 2.0 * self.reach
        return replace(self, sds=tuple(0.5 * sd for sd in self.sds), reach=reach)


def first_sd(shifts: tuple[float, ...], sds: tuple[float, ...]) -> float:
    """Standard deviation of the noise on the first number that moves."""
    return next(sd for shift, sd in zip(shifts, sds, strict=True) if shift)


def distance(shifts: tuple[float, ...], sds: tuple[float, ...]) -> float:
    """Root of the sum of (shift / sd)^2 over the numbers that move."""
    return math.hypot(*(shift / sd if sd else math.inf for shift, sd in zip(shifts, sds, strict=True) if shift))


def weights(shifts: tuple[float, ...], sds: tuple[float, ...]) -> Array:
    """Weights (k,) of the entries in the log-likelihood ratio, shift / sd^2; 0 for entries that do not move."""
    return np.array([shift / sd**2 if shift else 0.0 for shift, sd in zip(shifts, sds, strict=True)])


def accounted(mus: tuple[float, ...], eps: float, delta: float) -> tuple[float, float]:
    """Epsilon at `delta` and delta at `eps` of composed Gaussian mechanisms, by privacy-loss distributions."""
    if not math.isfinite(math.hypot(*mus)):
        return math.inf, 1.0
    losses = _losses(mus)
    epsilon = float(losses.get_epsilon_for_delta(delta))
    if epsilon > DEEPEST:
        epsilon = float(optimize.brentq(lambda tried: losses.get_delta_for_epsilon(tried) - delta, 0.0, epsilon))
    return epsilon, min(1.0, float(losses.get_delta_for_epsilon(eps)))


@functools.lru_cache(maxsize=16)
def _losses(mus: tuple[float, ...]) -> Any:
    """The accountant's privacy-loss distribution of composed Gaussian mechanisms."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    interval = FINENESS * math.hypot(*mus) / math.sqrt(len(mus))
    parts = []
    for mu in sorted(set(mus)):
        one = pld.from_gaussian_mechanism(1.0 / mu, value_discretization_interval=interval)
        parts.append(one if mus.count(mu) == 1 else one.self_compose(mus.count(mu)))
    return functools.reduce(lambda whole, part: whole.compose(part), parts)


def derived(mu: float, eps: float, delta: float) -> tuple[float, float]:
    """Epsilon at `delta` and delta at `eps` of one Gaussian mechanism, by its analytic curve."""
    return (gaussian_eps(mu, delta), gaussian_delta(mu, eps)) if math.isfinite(mu) else (math.inf, 1.0)


@kernel
def noised(add: Any, rng: Generator, values: Array, sds: Array, trials: int) -> Array:
    """Rows (trials, k) of `values` (k,) + N(0, sds^2); entries with sd 0 draw nothing, as in the messages' kernels."""
    views = np.empty((trials, len(values)))
    for i in range(trials):
        for j in range(len(values)):
            views[i, j] = values[j]
            if sds[j] > 0.0:
                views[i, j] = add(rng, values[j], sds[j], 1.0)
    return views


@kernel
def projected(add: Any, rng: Generator, shift: Array, sds: Array, along: Array) -> float:
    """One message `shift` (k,) + N(0, sds^2), times `along` (k,)."""
    found = 0.0
    for j in range(len(shift)):
        found += along[j] * add(rng, shift[j], sds[j], 1.0)
    return found
