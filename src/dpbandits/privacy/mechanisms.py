"""Noise that kernels add, and how an algorithm asks for its certified scale."""

from dataclasses import dataclass

from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.privacy.noise import Noise as Noise


@kernel
def laplace(rng: Generator, scale: float) -> float:
    """One draw of Lap(`scale`), density exp(-|x| / scale) / (2 scale)."""
    return rng.laplace(0.0, scale)


@kernel
def laplace_sum(rng: Generator, scale: float, count: int) -> float:
    """The sum of `count` independent Lap(`scale`), in two draws.

    Lap(b) is the difference of two independent exponentials of mean b, so the sum is b (G - G') with G, G'
    independent Gamma(count, 1): exact for every count >= 1. A count of 0 gives 0.
    """
    if count == 0:
        return 0.0
    return scale * (rng.standard_gamma(float(count)) - rng.standard_gamma(float(count)))


@formula
def add_laplace(rng: Generator, value: float, scale: float) -> float:
    """Return `value` + Lap(`scale`)."""
    return value + laplace(rng, scale)


@formula
def add_laplace_sum(rng: Generator, value: float, scale: float, reports: int) -> float:
    """Return the sum of so many reports with Lap(`scale`) on each, `value` without their noise."""
    return value + laplace_sum(rng, scale, reports)


@formula
def add_gaussian(rng: Generator, value: float, sd: float, times: float) -> float:
    """Return `value` + N(0, (`times` `sd`)^2): one entry of the sum of `times`^2 messages with N(0, `sd`^2) on each."""
    return value + times * sd * rng.standard_normal()


LAPLACE_NOISE = Noise("laplace", kernel(add_laplace), "scale")
LAPLACE_SUM_NOISE = Noise("laplace sum", kernel(add_laplace_sum), "scale")
GAUSSIAN_NOISE = Noise("gaussian", kernel(add_gaussian), "sd")


@dataclass(frozen=True)
class NoiseRequest:
    """A question to the stage calibrate: the least noise with which a mechanism satisfies its guarantee.

    Attributes
    ----------
    mechanism : `laplace` or `gaussian`; `shuffled_laplace` or `shuffled_gaussian` for reports that are shuffled;
        `report_noisy_max` for the place of the largest of several sums with Laplace noise.
    sensitivity : most that one changed record moves the released value, l1 for Laplace and l2 for Gaussian noise; for
        Gaussian noise times the root of the number of releases that a record is in; for the noisy maximum the most
        that it moves any one sum, up or down.
    eps, delta : the guarantee.
    n : number of reports that are shuffled together; 1 without a shuffler.
    """

    mechanism: str
    sensitivity: float
    eps: float
    delta: float
    n: int


@dataclass(frozen=True)
class VectorSumRequest:
    """As `NoiseRequest`, for the least number of noise bits of the shuffled vector sum (`vector_sum`).

    Attributes
    ----------
    mechanism : `vector_sum`.
    eps, delta : the guarantee.
    n : users of a batch.
    dimension : of the features.
    batches : in how many batches a user takes part, >= 1.
    """

    mechanism: str
    eps: float
    delta: float
    n: int
    dimension: int
    batches: int
