"""A weighted sum of the rates in the theorems of Hu, Huang, Mehta and Hegde, arXiv 2102.07929.

K arms, D the smallest positive gap; after every round t

    L1    root_arms sqrt(K t ln t)      + root_log_arms sqrt(t ln K)      + arms_log_over_eps K ln t / eps
    L2  + log_arms_over_gap ln K / D    + log_arms_over_eps ln K / eps    + log_arms_over_least ln K / min(D, eps)
    L3  + log_arms_log_over_eps ln K ln t / eps

Where all means are equal, D is infinite. The constants that the theorems leave out are those of the weights.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.base.entries import NOT_NEGATIVE, Look
from dpbandits.environments.base import MEANS
from dpbandits.theory.base import Bound

WEIGHTS = (
    "root_arms",
    "root_log_arms",
    "arms_log_over_eps",
    "log_arms_over_gap",
    "log_arms_over_eps",
    "log_arms_over_least",
    "log_arms_log_over_eps",
)
BOUND = Bound(
    label="Rate of a theorem",
    short="rate",
    reference="Hu et al. 2021, Theorems 3, 5, 9, 12 and their corollaries",
    arms=MEANS,
    look=Look("", "--"),
    weights=dict.fromkeys(WEIGHTS, NOT_NEGATIVE),
)


def smallest_gap(means: list[float]) -> float:
    """D; infinite where all means are equal."""
    best = max(means)
    return min((best - mean for mean in means if mean < best), default=math.inf)


def regret(instance: tuple[np.ndarray], setting: Mapping[str, float], rounds: np.ndarray) -> np.ndarray:
    """The rate after some rounds, (len(rounds),)."""
    (means,) = instance
    arms, gap, eps, weight = len(means), smallest_gap(means.tolist()), setting["eps"], setting
    log_arms = math.log(arms)
    fixed = weight["log_arms_over_gap"] * log_arms / gap + weight["log_arms_over_eps"] * log_arms / eps  # L2
    fixed += weight["log_arms_over_least"] * log_arms / min(gap, eps)

    def after(t: float) -> float:
        log_t = math.log(t)
        rate = weight["root_arms"] * math.sqrt(arms * t * log_t) + weight["root_log_arms"] * math.sqrt(t * log_arms)
        rate += weight["arms_log_over_eps"] * arms * log_t / eps  # L1
        return rate + fixed + weight["log_arms_log_over_eps"] * log_arms * log_t / eps  # L3

    return np.array([after(float(t)) for t in rounds])
