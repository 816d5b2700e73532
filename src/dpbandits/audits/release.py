"""What an adversary sees of a mechanism on two neighboring inputs, and what is true of it.

Input 0 and input 1 differ in one user's data. A release can be accounted for twice, by the accountant and by a
derivation of its own, and it can be drawn. It knows no claim.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

Array = np.ndarray
DECLARED = "declared"
"""Name of the release that a class of the user's own declares, in the configuration."""
SEARCHED, PROVEN, TIGHT = "searched", "proven", "proven, tight"
"""What is known of an upper bound on epsilon: it holds for the inputs tried; for all; and some pair reaches it."""
Bounds = tuple[float, float]
"""Between which a number lies: some pair in the domain reaches the first, and none exceeds the second, if proven."""


@dataclass(frozen=True)
class Truth:
    """What a calculation says of a release.

    Attributes
    ----------
    epsilons : bounds on the least eps at a given delta, >= 0, possibly infinite.
    deltas : bounds on the least delta at a given eps, in [0, 1].
    method : how they were found, in a few words.
    proven : whether the upper ends hold for every pair in the domain; else they are the largest of the pairs tried.
    normal : whether the scores of both inputs are normal with one variance.
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
    noise : how much noise: scale or standard deviation in the unit of what is released, or a number of bits.

    A release of numbers with noise may have `shifts` besides, by how much each of them moves between the inputs.
    """

    def __hash__(self) -> int:
        """Hash of the fields, so that equal releases share what was computed for one of them."""

    @property
    def noise(self) -> float:
        """How much noise there is."""

    def accounted(self, eps: float, delta: float) -> Truth:
        """What dp-accounting, or the project's accountant, says: epsilons at `delta`, deltas at `eps`."""

    def derived(self, eps: float, delta: float) -> Truth:
        """The same by a second calculation, as independent of the first as it could be had."""

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Views (trials, k) float64 of input `side`, 0 or 1, drawn by what the algorithms draw with."""

    def scores(self, views: Array) -> Array | None:
        """Log-likelihood ratio (trials,) of input 1 to input 0, or any monotone function of it; None: to be learned."""

    def halved(self) -> "Release":
        """The same with half the noise: what an audit that has power finds."""
