"""No algorithm: the asymptotic lower bound on the regret of private ones, Theorem 1 of Azize et al., arXiv 2505.05613.

    L1  sum over arms a below the best of  gap_a ln t / d_eps(mu_a, mu_best),  at every checkpoint t

d_eps is `kl.private_kl`. No consistent eps-DP algorithm has a smaller limit of regret / ln t; at one given t a regret
may lie below. Consistent: o(t^c) regret for every c > 0 on every instance.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel
from dpbandits.kl import private_kl

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Constants of the bound, in the order in which `run` takes them."""

    eps: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"])


@kernel
def run(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """The bound at the checkpoints, (len(checkpoints), 1); nothing is drawn."""
    best, slope = np.max(means), 0.0
    for a in range(len(means)):
        if means[a] < best:
            slope += (best - means[a]) / private_kl(means[a], best, eps)
    trace = np.empty((len(checkpoints), 1))
    for k in range(len(checkpoints)):
        trace[k, 0] = slope * math.log(checkpoints[k])  # L1
    return trace


def plain_kl(z: float, q: float) -> float:
    """kl(z, q), for the transcription."""
    return sum(float(u * np.log(u / v)) for u, v in ((z, q), (1 - z, 1 - q)) if u > 0)


def plain_private_kl(p: float, q: float, eps: float) -> float:
    """The infimum that defines d_eps(p, q), p < q < 1, by cutting thirds off: its argument is convex in z."""
    low, high = p, q
    while high - low > 1e-9:
        one, other = (2 * low + high) / 3, (low + 2 * high) / 3
        if eps * (one - p) + plain_kl(one, q) < eps * (other - p) + plain_kl(other, q):
            high = other
        else:
            low = one
    return eps * (low - p) + plain_kl(low, q)


def run_literal(rng: Generator, means: np.ndarray, eps: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same from the definition of d_eps, (len(checkpoints),); the best mean is less than 1."""
    best = means.max()
    slopes = [(best - mu) / plain_private_kl(mu, best, eps) for mu in means if mu < best]
    return sum(slopes) * np.log(checkpoints)  # L1
