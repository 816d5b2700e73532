"""The Laplace mechanism: numbers that differ by `shifts` between two neighbors, each with Lap(scale) noise.

The loss of one number that moves by s lies in [-s/b, s/b]. It is s/b with probability 1/2 and -s/b with probability
e^(-s/b) / 2, and has density e^((l - s/b)/2) / 4 in between. At delta 0 the losses of several numbers add up.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.accounting import laplace_delta
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, LAPLACE_SUM_NOISE, Noise

ALMOST_PURE = 1e-12  # delta used for a pure epsilon of the accountant, whose truncated tails give infinity at 0
INTERVAL, MOST = 1e-4, 5000  # default step of the accountant's losses; largest number of steps in a loss, our choice
POINTS = 1 << 14  # least number of points for convolving losses in `derived`; source: our choice


@dataclass(frozen=True)
class Laplace:
    """Numbers that differ by `shifts` between input 0 and input 1, with noise of `scale` from the function `added`.

    Raises
    ------
    ValueError
        No number moves, or the numbers move by different amounts.
    """

    scale: float
    shifts: tuple[float, ...]
    added: Noise = field(default=LAPLACE_NOISE, compare=False)

    def __post_init__(self) -> None:
        if len({abs(shift) for shift in self.shifts}) != 1 or not self.shifts[0]:
            raise ValueError(f"shifts of one size, up or down, not {self.shifts}")

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        return self.scale

    @property
    def loss(self) -> float:
        """Largest privacy loss of one number."""
        return abs(self.shifts[0]) / self.scale

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from composed privacy-loss distributions; at delta 0, the loss of one number times their number."""
        from dp_accounting.pld import privacy_loss_distribution as pld

        numbers = len(self.shifts)
        interval = self.loss / min(math.ceil(self.loss / INTERVAL), MOST)  # so that the largest loss is not rounded
        one = pld.from_laplace_mechanism(1.0, sensitivity=self.loss, value_discretization_interval=interval)
        whole = one.self_compose(numbers)
        pure = numbers * one.get_epsilon_for_delta(ALMOST_PURE)
        epsilon = float(whole.get_epsilon_for_delta(delta)) if delta > 0.0 else pure
        at_eps = float(whole.get_delta_for_epsilon(eps))
        return Truth((epsilon, epsilon), (at_eps, at_eps), "privacy loss distribution")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the sum of losses at delta 0, else a closed form for one number, a convolution for several."""
        pure = self.loss * len(self.shifts)
        if len(self.shifts) == 1:
            epsilon, at_eps = max(0.0, pure + 2.0 * math.log1p(-delta)), laplace_delta(pure, 1.0, eps)
            return Truth((epsilon, epsilon), (at_eps, at_eps), "closed form")
        losses, masses = total_loss(self.loss, len(self.shifts))
        above = losses > eps
        at_eps = float(masses[above] @ -np.expm1(eps - losses[above]))
        epsilon = epsilon_of(losses, masses, delta) if delta > 0.0 else pure
        return Truth((epsilon, epsilon), (at_eps, at_eps), "sum of losses, convolved")

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the noisy numbers."""
        values = np.array(self.shifts) * side
        return noised(self.added.add, rng, values, self.scale, one_message(self.added), trials)

    def scores(self, views: Array) -> Array:
        """Sum over the numbers of (|z| - |z - s|) / b."""
        return (np.abs(views) - np.abs(views - np.array(self.shifts))).sum(axis=1) / self.scale

    def halved(self) -> "Laplace":
        """A copy with half the scale."""
        return replace(self, scale=0.5 * self.scale)


def total_loss(loss: float, numbers: int) -> tuple[Array, Array]:
    """The positive total losses of several numbers, in equal steps, and their masses."""
    steps = math.ceil(POINTS / numbers)
    step = loss / steps
    edges = np.clip((np.arange(-steps, steps + 2) - 0.5) * step, -loss, loss)
    one = 0.5 * np.diff(np.exp(0.5 * (edges - loss)))
    one[0] += 0.5 * math.exp(-loss)
    one[-1] += 0.5
    size = 1 << (2 * steps * numbers).bit_length()
    masses = np.fft.irfft(np.fft.rfft(one, size) ** numbers, size)
    above = np.arange(1, steps * numbers + 1)
    return above * step, np.maximum(masses[above + steps * numbers], 0.0)


def epsilon_of(losses: Array, masses: Array, delta: float) -> float:
    """The least epsilon at `delta` > 0 for increasing positive losses; worst events are losses above a threshold."""
    first = np.cumsum(masses[::-1])
    second = np.cumsum((masses * np.exp(-losses))[::-1])
    usable = first > delta
    return max(0.0, float(np.max(np.log((first[usable] - delta) / second[usable])))) if usable.any() else 0.0


def one_message(added: Noise) -> tuple[int, ...]:
    """Extra argument, a count of 1, for functions that add the noise of several messages; else empty."""
    return (1,) if added.kind == LAPLACE_SUM_NOISE.kind else ()


@kernel
def noised(add: Any, rng: Generator, values: Array, scale: float, one: tuple[int, ...], trials: int) -> Array:
    """Rows (trials, k) of `values` (k,) + Lap(scale)."""
    views = np.empty((trials, len(values)))
    for i in range(trials):
        for j in range(len(values)):
            views[i, j] = add(rng, values[j], scale, *one)
    return views
