"""Releases: the adversary's view of a mechanism on two neighboring inputs, with its calculated privacy.

Input 0 and input 1 differ in one user's data. A release has two independent calculations of its privacy, one by the
accountant and one derived here, and it can be sampled. It does not know the claim.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

Array = np.ndarray
DECLARED = "declared"
"""Name in the configuration for a release that a user's own class declares."""
SEARCHED, PROVEN, TIGHT = "searched", "proven", "proven, tight"
"""Status of an upper bound on epsilon: it holds for the inputs tried; for all inputs; and some pair attains it."""
Bounds = tuple[float, float]
"""Lower and upper bound: some pair in the domain attains the first, and no pair exceeds the second, if proven."""


@dataclass(frozen=True)
class Truth:
    """The result of a calculation for a release.

    Attributes
    ----------
    epsilons : bounds on the least eps at a given delta, >= 0, possibly infinite.
    deltas : bounds on the least delta at a given eps, in [0, 1].
    method : short description of the method.
    proven : whether the upper ends hold for every pair in the domain; else they are the largest over the pairs tried.
    normal : whether the scores of both inputs are normal with equal variances.
    """

    epsilons: Bounds
    deltas: Bounds
    method: str
    proven: bool = True
    normal: bool = False


class Release(Protocol):
    """A mechanism with its noise and two neighboring inputs: a frozen dataclass in `audits/<mechanism>.py`.

    Attributes
    ----------
    noise : amount of noise: scale or standard deviation in the unit of the released value, or a number of bits.

    A release of noisy numbers may also have `shifts`: the difference of each number between the inputs.
    """

    def __hash__(self) -> int:
        """Hash of the fields, so that equal releases share cached results."""

    @property
    def noise(self) -> float:
        """Amount of noise."""

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds on epsilon at `delta` and delta at `eps` by dp-accounting, or by the project's accountant."""

    def derived(self, eps: float, delta: float) -> Truth:
        """The same bounds by a second calculation, as independent of the first as possible."""

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Views (trials, k), float64, of input `side`, 0 or 1, drawn by the functions that the algorithms use."""

    def scores(self, views: Array) -> Array | None:
        """Log-likelihood ratio (trials,) of input 1 to input 0, or a monotone function of it; None if it is learned."""

    def halved(self) -> "Release":
        """A copy with half the noise, whose violation an audit with power detects."""
