"""Search of a cube for the largest value of a function, with seeds of its own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize

SEED = 20240917  # of all searches; our choice
Array = np.ndarray
Objective = Callable[[Array], Array]
"""Function of points (parameters, n) of the cube [-1, 1]^parameters that returns a value (n,) for each of them."""


@dataclass(frozen=True)
class Domain:
    """Neighboring inputs.

    Attributes
    ----------
    parameters : how many numbers in [-1, 1] choose two neighboring inputs.
    pair : function of points (parameters, n) that returns what either input releases without noise, (k, n) each.
    """

    parameters: int
    pair: Callable[[Array], tuple[Array, Array]]


def largest(
    objective: Objective, parameters: int, points: int = 0, generations: int = 300, polish: bool = True
) -> tuple[float, Array]:
    """The largest value that was found, and its point (parameters,).

    Differential evolution of all points at once, then a local search (L-BFGS-B) from the best of them.

    Parameters
    ----------
    points : that evolve together; 8 for every parameter, at least 40 and at most 160, unless given.
    polish : whether a local search follows.
    """
    size = points or min(160, max(40, 8 * parameters))
    start = np.random.default_rng(SEED).uniform(-1.0, 1.0, (size, parameters))
    found = optimize.differential_evolution(
        lambda x: -objective(x),
        [(-1.0, 1.0)] * parameters,
        init=start,
        maxiter=generations,
        tol=1e-9,
        mutation=(0.4, 0.9),
        rng=SEED,
        vectorized=True,
        updating="deferred",
        polish=polish,
    )
    return -float(found.fun), found.x


def ball(numbers: Array) -> Array:
    """Points (d, n) of the cube [-1, 1]^d as points of the unit ball: those outside are moved to the sphere."""
    return numbers / np.maximum(1.0, np.sqrt((numbers**2).sum(axis=0)))


def sphere(numbers: Array) -> Array:
    """Points (d, n) as unit vectors."""
    return numbers / np.maximum(1e-12, np.sqrt((numbers**2).sum(axis=0)))


def one_of(number: Array, choices: int) -> Array:
    """Numbers (n,) in [-1, 1] as places 0, .., choices - 1, in equal parts."""
    return np.minimum((0.5 * (number + 1.0) * choices).astype(int), choices - 1)


def unit(number: Array) -> Array:
    """Numbers in [-1, 1] as numbers in [0, 1]."""
    return 0.5 * (number + 1.0)
