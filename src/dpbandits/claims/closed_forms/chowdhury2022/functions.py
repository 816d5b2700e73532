"""Closed forms behind claims of Chowdhury and Zhou, arXiv 2202.05567: what its formulas say without a simulation.

Every function takes the arguments that the claim's section of the YAML gives, and the calibration where the noise
matters, and returns labeled numbers, or lower and upper bounds on them; the range in which the claim wants them stands
in the YAML. One user is replaced by another; printed and certified users have |phi| <= 1, those of the authors' code
features (z, 1) with |z| = 1; rewards lie in [0, 1]. `scale` is the constant that the authors tuned, released only.
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
