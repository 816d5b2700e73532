"""Upper bounds on (1/n) E (Z_1 + .. + Z_n)+, the form of hockey-stick divergences of shuffled reports.

The distribution of Z is moved to a lattice so that no expectation of a convex function decreases. Then it is tilted:
masses are multiplied by e^(theta z), so that the sum has mean 0 and its tails keep their digits.
docs/proofs/shuffling.md has the proofs.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, optimize

Array = NDArray[np.float64]

FINENESS = 0.1  # step of the lattice over the root mean square of the nonzero values; source: our choice
LEAST_SIZE = 2**12  # points of the lattice; source: our choice
ABOVE = 32.0  # e^-ABOVE bounds the probability that the tilted sum lies above the lattice; source: our choice
DEEP = 50.0  # e^-DEEP is the tilt of negative values that may wrap around; source: our choice
NEGLIGIBLE = -50.0  # log of the modulus below which a transform is set to 0; source: our choice
ROUNDING = 1e-15  # relative error of a transform, in the mean square; the library states less
MARGIN = 1e-9  # relative margin for mass above the lattice and for rounding of sums; source: our choice


@dataclass(frozen=True)
class Tilted:
    """A tilted distribution on multiples of `step`.

    Attributes
    ----------
    masses : (size,) probabilities of 0, step, 2 step, .. and, from the end, of -step, -2 step, ..; they sum to 1.
    step : step of the lattice. tilt : theta. log_factor : logarithm of E e^(theta Z).
    """

    masses: Array
    step: float
    tilt: float
    log_factor: float

    def weights(self, n: int) -> Array:
        """Weights w with (1/n) E (Z_1 + .. + Z_n)+ = w @ (first masses of the tilted sum)."""
        places = self.step * np.arange((len(self.masses) + 1) // 2)
        found: Array = places * np.exp(n * self.log_factor - self.tilt * places) / n
        return found


def tilted(values: Array, masses: Array, n: int) -> Tilted:
    """The tilted distribution of one Z on a lattice that is wide enough for n summands.

    Each value is split between the two neighboring lattice points so that its mean is kept. Values outside the lattice
    wrap around.

    Parameters
    ----------
    values, masses : (m,) values of Z and their probabilities; Z is 0 with the remaining probability. Some value is
        positive, and E Z <= 0.
    n : number of summands, >= 1.
    """
    tilt = _tilt(values, masses)
    rest, weights = 1.0 - float(masses.sum()), masses * np.exp(tilt * values)
    values, masses, weights = (each[weights > 0.0] for each in (values, masses, weights))
    variance = float(weights @ values**2) / (rest + float(weights.sum()))
    reach = _reach(n * variance, float(values.max()))
    step = min(FINENESS * math.sqrt(float(weights @ values**2) / float(weights.sum())), 2.0 * reach / LEAST_SIZE)
    deepest = -float(values.min())
    reach += min(deepest, 3.0 * reach, DEEP / tilt if tilt > 0.0 else math.inf)
    size = fft.next_fast_len(2 * math.ceil(reach / step) + 4, real=True)
    below = np.floor(values / step)
    share = values / step - below
    found = np.zeros(size)
    found[0] = rest
    for place, mass in ((below, masses * (1.0 - share)), (below + 1.0, masses * share)):
        np.add.at(found, place.astype(np.int64) % size, mass * np.exp(tilt * step * place))
    total = float(found.sum())
    return Tilted(found / total, step, tilt, math.log(total))


def positive_part(values: Array, masses: Array, n: int) -> float:
    """Upper bound on (1/n) E (Z_1 + .. + Z_n)+, by powers of the Fourier transform; arguments as for `tilted`."""
    one = tilted(values, masses, n)
    transform = fft.rfft(one.masses)
    kept = n * np.log(np.maximum(np.abs(transform), 1e-300)) > NEGLIGIBLE
    powers = np.zeros(len(transform), dtype=complex)
    powers[kept] = np.exp(n * np.log(transform[kept]))
    weights = one.weights(n)
    chances = np.maximum(fft.irfft(powers, len(one.masses))[: len(weights)], 0.0)
    lost = (n + 10) * ROUNDING * float(np.linalg.norm(one.masses) * np.linalg.norm(weights))
    return (float(weights @ chances) + lost) * (1.0 + MARGIN + n * ROUNDING)


def _reach(variance: float, most: float) -> float:
    """The x at which Bennett's bound on P(sum >= x), for centered terms <= `most`, equals e^-ABOVE."""
    ratio = variance / most**2

    def excess(u: float) -> float:
        return ratio * ((1.0 + u) * math.log1p(u) - u) - ABOVE

    high = 1.0
    while excess(high) < 0.0:
        high *= 2.0
    return float(optimize.brentq(excess, 0.0, high)) * ratio * most


def _tilt(values: Array, masses: Array) -> float:
    """The theta >= 0 at which E Z e^(theta Z) is 0."""

    def mean(theta: float) -> float:
        return float(masses @ (values * np.exp(theta * (values - values.max()))))

    if mean(0.0) >= 0.0:
        return 0.0
    high = 1.0 / float(values.max())
    while mean(high) < 0.0:
        high *= 2.0
    return float(optimize.brentq(mean, 0.0, high, rtol=1e-12))
