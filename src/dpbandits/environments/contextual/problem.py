"""A contextual bandit with generalized linear rewards in the form that kernels read: contexts, link, parameters.

In every round each of K arms has a context in R^d, and an arm's mean reward is mu(x' theta). Either every arm has its
own context and all arms share one parameter, or all arms share one context and every arm has its own parameter. The
distributions of contexts are listed in `distributions`; mu is one of

    LINEAR      mu(z) = z                reward: mean + N(0, noise^2)
    LOGISTIC    mu(z) = 1 / (1 + e^-z)   reward: 0 or 1
    POISSON     mu(z) = e^z              reward: a Poisson count
    LOGISTIC_MEAN, as LOGISTIC           reward: the mean itself

Contexts and rewards come from a stream of the instance, not of the algorithm. The contexts of a round, and the random
number that decides its reward, are therefore the same for all algorithms, privacy budgets and calibrations.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Section 2.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import PCG64, Generator

LINEAR, LOGISTIC, POISSON, LOGISTIC_MEAN = range(4)
LINKS = {"linear": LINEAR, "logistic": LOGISTIC, "poisson": POISSON, "logistic_mean": LOGISTIC_MEAN}
"""Links by their names in the configuration."""
SPHERE, GAUSSIAN, MARGIN, CORNER, INTERCEPT, DIRECTION, LOANS = range(7)


class Problem(NamedTuple):
    """One instance.

    Attributes
    ----------
    distribution : distribution of the contexts, SPHERE to LOANS.
    link : LINEAR to LOGISTIC_MEAN.
    arms : K.
    theta : (1, d) float64 if all arms share the parameter; (K, d) if each arm has its own.
    noise : standard deviation of the noise on rewards of the link LINEAR; 0 for no noise.
    numbers : (n,) float64, arguments of the distribution.
    rows : (rounds, m) float64 of LOANS: base features of the user of each round; otherwise empty.
    stream : seed of contexts and rewards, 0 <= stream < 2**63.
    contexts : (rounds, K, d), or (rounds, 1, d) if the arms share one: contexts of all rounds if drawn ahead,
        otherwise empty.
    chances : (rounds,), the random numbers that decide the rewards if drawn ahead, otherwise empty.
    """

    distribution: int
    link: int
    arms: int
    theta: np.ndarray
    noise: float
    numbers: np.ndarray
    rows: np.ndarray
    stream: int
    contexts: np.ndarray
    chances: np.ndarray

    @property
    def shared(self) -> bool:
        """Whether all arms share one context."""
        return len(self.theta) > 1


def unit_vectors(rng: Generator, count: int, dimension: int) -> np.ndarray:
    """Independent vectors, uniform on the unit sphere, (count, dimension)."""
    normals = rng.standard_normal((count, dimension))
    return normals / np.sqrt((normals * normals).sum(axis=1))[:, None]


def problem(
    rng: Generator,
    distribution: int,
    theta: np.ndarray,
    arms: int,
    link: str = "linear",
    noise: float = 0.0,
    numbers: tuple[float, ...] = (),
    rows: np.ndarray | None = None,
) -> Problem:
    """Build a problem with arrays of the types that kernels are compiled for; the next draw of `rng` is its stream."""
    return Problem(
        distribution,
        LINKS[link],
        arms,
        np.ascontiguousarray(np.atleast_2d(theta), np.float64),
        float(noise),
        np.array(numbers, np.float64),
        np.zeros((0, 1)) if rows is None else np.ascontiguousarray(rows, np.float64),
        int(rng.integers(2**63)),
        np.empty((0, 0, 0)),
        np.empty(0),
    )


def instance_stream(instance: Problem) -> Generator:
    """The stream of contexts and rewards, at its start."""
    return Generator(PCG64(instance.stream))
