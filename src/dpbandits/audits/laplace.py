"""The Laplace mechanism: numbers moved by `shifts` between two neighbours, each + Lap(scale), all seen."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.audits.release import Array, Truth
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import laplace

ALMOST_PURE = 1e-12  # delta at which the accountant is asked for a pure level: at 0 its cut tails count as infinite


@dataclass(frozen=True)
class Laplace:
    """Attributes: `scale` of the noise; `shifts`, by how much input 1 moves each number from where input 0 has it."""

    scale: float
    shifts: tuple[float, ...]

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        return self.scale

    def accounted(self, eps: float, delta: float) -> Truth:
        """Composed privacy-loss distributions of the numbers that move."""
        from dp_accounting.pld import privacy_loss_distribution as pld

        moved = [abs(shift) for shift in self.shifts if shift]
        parts = [pld.from_laplace_mechanism(self.scale, sensitivity=shift) for shift in sorted(set(moved))]
        counts = [moved.count(shift) for shift in sorted(set(moved))]
        whole = parts[0].self_compose(counts[0])
        for part, count in zip(parts[1:], counts[1:], strict=True):
            whole = whole.compose(part.self_compose(count))
        level = float(whole.get_epsilon_for_delta(delta or ALMOST_PURE))
        at_eps = float(whole.get_delta_for_epsilon(eps))
        return Truth((level, level), (at_eps, at_eps), "privacy loss distribution")

    def derived(self, eps: float, delta: float) -> Truth:
        """The sum of the losses at delta 0; exact at any delta for one number."""
        raise NotImplementedError

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """The noised numbers."""
        return noised(rng, np.array(self.shifts) * side, self.scale, trials)

    def scores(self, views: Array) -> Array:
        """Sum over the numbers of (|z| - |z - s|) / b."""
        return (np.abs(views) - np.abs(views - np.array(self.shifts))).sum(axis=1) / self.scale

    def halved(self) -> "Laplace":
        """Half the scale."""
        return replace(self, scale=0.5 * self.scale)


@kernel
def noised(rng: Generator, values: Array, scale: float, trials: int) -> Array:
    """Rows (trials, k) of `values` (k,) + Lap(scale)."""
    views = np.empty((trials, len(values)))
    for i in range(trials):
        for j in range(len(values)):
            views[i, j] = values[j] + laplace(rng, scale)
    return views
