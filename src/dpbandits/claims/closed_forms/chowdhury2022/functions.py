"""Closed forms behind claims of Chowdhury and Zhou, arXiv 2202.05567, without simulation.

Every function takes the arguments listed in the claim's section of the YAML, and the calibration if the noise matters.
It returns labeled numbers, or lower and upper bounds on them; the YAML gives the range that the claim requires.
Neighbors replace one user. Printed and certified users have |phi| <= 1; users of the authors' code have features
(z, 1) with |z| = 1. Rewards lie in [0, 1]. `scale` is the constant that the authors tuned, for released only.
"""

from dpbandits.claims.closed_forms.chowdhury2022.shuffling import (
    bits_over_floats,
    eps_over_range,
    local_epsilon_less_range,
    privacy_targeted_bits,
    privacy_targeted_reports,
    provable_amplification,
    shuffled_local_exponent_less,
    vector_local_epsilon,
)
from dpbandits.claims.closed_forms.chowdhury2022.vector_sum import (
    analyzer_bias,
    analyzer_variance_ratio,
)

__all__ = [
    "analyzer_bias",
    "analyzer_variance_ratio",
    "bits_over_floats",
    "eps_over_range",
    "local_epsilon_less_range",
    "privacy_targeted_bits",
    "privacy_targeted_reports",
    "provable_amplification",
    "shuffled_local_exponent_less",
    "vector_local_epsilon",
]
