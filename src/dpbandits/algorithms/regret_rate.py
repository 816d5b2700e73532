"""No algorithm: a weighted sum of the rates in the theorems of Hu, Huang, Mehta and Hegde, arXiv 2102.07929.

K arms, D the smallest positive gap; at every checkpoint t

    L1    root_arms sqrt(K t ln t)      + root_log_arms sqrt(t ln K)      + arms_log_over_eps K ln t / eps
    L2  + log_arms_over_gap ln K / D    + log_arms_over_eps ln K / eps    + log_arms_over_least ln K / min(D, eps)
    L3  + log_arms_log_over_eps ln K ln t / eps

Where all means are equal, D is infinite. The constants that the theorems leave out are those of the weights.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Budget and weights of the rates, in the order in which `run` takes them."""

    eps: float
    root_arms: float
    root_log_arms: float
    arms_log_over_eps: float
    log_arms_over_gap: float
    log_arms_over_eps: float
    log_arms_over_least: float
    log_arms_log_over_eps: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(*(setting[field.name] for field in fields(Params)))


@kernel
def smallest_gap(means: np.ndarray) -> float:
    """D; infinite where all means are equal."""
    best, found = np.max(means), math.inf
    for a in range(len(means)):
        if means[a] < best:
            found = min(found, best - means[a])
    return found


@kernel
def run(
    rng: Generator,
    means: np.ndarray,
    eps: float,
    root_arms: float,
    root_log_arms: float,
    arms_log_over_eps: float,
    log_arms_over_gap: float,
    log_arms_over_eps: float,
    log_arms_over_least: float,
    log_arms_log_over_eps: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The rate at the checkpoints, (len(checkpoints), 1); nothing is drawn."""
    arms, gap = len(means), smallest_gap(means)
    log_arms = math.log(arms)
    fixed = log_arms_over_gap * log_arms / gap + log_arms_over_eps * log_arms / eps  # L2
    fixed += log_arms_over_least * log_arms / min(gap, eps)
    trace = np.empty((len(checkpoints), 1))
    for k in range(len(checkpoints)):
        t = float(checkpoints[k])
        log_t = math.log(t)
        rate = root_arms * math.sqrt(arms * t * log_t) + root_log_arms * math.sqrt(t * log_arms)  # L1
        rate += arms_log_over_eps * arms * log_t / eps
        trace[k, 0] = rate + fixed + log_arms_log_over_eps * log_arms * log_t / eps  # L3
    return trace


def run_literal(
    rng: Generator,
    means: np.ndarray,
    eps: float,
    root_arms: float,
    root_log_arms: float,
    arms_log_over_eps: float,
    log_arms_over_gap: float,
    log_arms_over_eps: float,
    log_arms_over_least: float,
    log_arms_log_over_eps: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same as one product of weights and rates, (len(checkpoints),)."""
    t, gaps, one = checkpoints.astype(float), means.max() - means, np.ones(len(checkpoints))
    gap = gaps[gaps > 0].min(initial=np.inf)
    log_arms, arms_log_t = np.log(len(means)), len(means) * np.log(t)
    rates = [np.sqrt(arms_log_t * t), np.sqrt(t * log_arms), arms_log_t / eps]  # L1
    rates += [one * log_arms / gap, one * log_arms / eps, one * log_arms / np.minimum(gap, eps)]  # L2
    rates += [log_arms * np.log(t) / eps]  # L3
    weights = [root_arms, root_log_arms, arms_log_over_eps, log_arms_over_gap, log_arms_over_eps]
    return np.array([*weights, log_arms_over_least, log_arms_log_over_eps]) @ np.array(rates)
