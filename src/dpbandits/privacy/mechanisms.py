"""Noise that kernels add, and requests of algorithms for their certified noise scale."""

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
    """The sum of `count` independent Lap(`scale`) variables, from two draws.

    Lap(b) is the difference of two independent exponentials with mean b. The sum is therefore b (G - G') with
    independent G, G' ~ Gamma(count, 1), exactly, for every count >= 1. A count of 0 gives 0.
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
    """Return `value`, the sum of `reports` reports, plus one Lap(`scale`) for each report."""
    return value + laplace_sum(rng, scale, reports)


@formula
def add_gaussian(rng: Generator, value: float, sd: float, times: float) -> float:
    """Return `value` + N(0, (`times` `sd`)^2), for the sum of `times`^2 messages with N(0, `sd`^2) each."""
    return value + times * sd * rng.standard_normal()


LAPLACE_NOISE = Noise("laplace", kernel(add_laplace), "scale")
LAPLACE_SUM_NOISE = Noise("laplace sum", kernel(add_laplace_sum), "scale")
GAUSSIAN_NOISE = Noise("gaussian", kernel(add_gaussian), "sd")


@dataclass(frozen=True)
class NoiseRequest:
    """A request to the stage calibrate for the least noise with which a mechanism satisfies its guarantee.

    Attributes
    ----------
    mechanism : `laplace` or `gaussian`; `shuffled_laplace` or `shuffled_gaussian` for reports that are shuffled;
        `report_noisy_max` for the index of the largest of several sums with Laplace noise.
    sensitivity : most that one changed record moves the released value: l1 for Laplace noise, l2 for Gaussian
        noise. For Gaussian noise, multiply by the root of the number of releases that contain a record. For
        `report_noisy_max`, the most that a record moves any one sum, up or down.
    eps, delta : the guarantee.
    n : number of reports shuffled together; 1 without a shuffler.
    """

    mechanism: str
    sensitivity: float
    eps: float
    delta: float
    n: int


@dataclass(frozen=True)
class VectorSumRequest:
    """A request for the least number of noise bits of the shuffled vector sum (`vector_sum`).

    Attributes
    ----------
    mechanism : `vector_sum`.
    eps, delta : the guarantee.
    n : number of users in a batch.
    dimension : dimension of the features.
    batches : number of batches that a user takes part in, >= 1.
    """

    mechanism: str
    eps: float
    delta: float
    n: int
    dimension: int
    batches: int
