"""A fault that every private algorithm's comparison must find: half of the noise."""

from typing import Any

from numpy.random import Generator

from dpbandits.algorithms.linucb.protocol import ONES


class HalfTheNoise:
    """A generator whose Laplace, gamma and normal draws have half of their scale: what kernels draw as noise."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rng, name)

    def laplace(self, loc: float, scale: float) -> float:
        return self.rng.laplace(loc, 0.5 * scale)

    def standard_gamma(self, shape: float) -> float:
        return 0.5 * self.rng.standard_gamma(shape)

    def standard_normal(self, size: Any = None) -> Any:
        return 0.5 * self.rng.standard_normal(size)

    def normal(self, loc: float, scale: float, size: Any = None) -> Any:
        return self.rng.normal(loc, 0.5 * scale, size)

    def binomial(self, count: int, p: float) -> float:
        """Half of the deviation where the draw is one of noise bits, of probability 1/4."""
        found = self.rng.binomial(count, p)
        return 0.5 * (found + count * p) if p == ONES else found
