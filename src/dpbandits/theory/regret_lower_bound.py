"""The asymptotic lower bound on the regret of private algorithms, Theorem 1 of Azize et al., arXiv 2505.05613.

    L1  sum over arms a below the best of  gap_a ln t / d_eps(mu_a, mu_best),  after every round t

d_eps is `kl.private_kl`. No consistent eps-DP algorithm has a smaller limit of regret / ln t; at one given t a regret
may lie below. Consistent: o(t^c) regret for every c > 0 on every instance.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.base.entries import Look
from dpbandits.environments.base import MEANS
from dpbandits.numerics.kl import private_kl
from dpbandits.theory.base import Bound

BOUND = Bound(
    label="Lower bound of Azize et al.",
    short="lower bound",
    reference="Azize et al. 2025, Theorem 1",
    arms=MEANS,
    look=Look("", ":"),
)


def regret(instance: tuple[np.ndarray], setting: Mapping[str, float], rounds: np.ndarray) -> np.ndarray:
    """The bound after some rounds, (len(rounds),)."""
    (means,) = instance
    best, slope = float(np.max(means)), 0.0
    for mean in means.tolist():
        if mean < best:
            slope += (best - mean) / private_kl(mean, best, setting["eps"])
    return np.array([slope * math.log(t) for t in rounds])  # L1
