"""sqrt(t d) / eps, the rate of Theorem 3.2 of Han et al., arXiv 2106.03365, to measure exponents by.

Theorem 3.1 has the same rate in T and eps as an upper bound. Constants are left out.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.base.entries import Look
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.problem import Problem
from dpbandits.theory.base import Bound

BOUND = Bound(
    label="Rate sqrt(T d) / eps",
    short="rate",
    reference="Han et al. 2021, Theorem 3.2",
    arms=CONTEXTS,
    look=Look("", ":"),
)


def regret(instance: tuple[Problem], setting: Mapping[str, float], rounds: np.ndarray) -> np.ndarray:
    """The rate after some rounds, (len(rounds),)."""
    (problem,) = instance
    d = problem.theta.shape[1]
    return np.array([math.sqrt(float(t) * d) / setting["eps"] for t in rounds])
