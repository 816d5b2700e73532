"""Closed forms and exact checks behind claims of Chen et al., arXiv 2006.00706, from its formulas alone.

Every function takes the arguments listed in the claim's section of the YAML, and the calibration if the noise matters.
It returns labeled numbers; the YAML gives the range that the claim requires. Notation: m base arms, at most K of them
in a super arm, L = ln T, delta the gap of an arm. As printed, LDP1 has noise Lap(K/eps) and bonus
4 sqrt(2 K L / (eps^2 n)), LDP2 the same with K = 1, and DP nodes Lap(2 K log T / eps) and bonus
sqrt(4 ln(mT) / n) + 12 K L^3 / (n eps).
"""

from dpbandits.claims.closed_forms.chen2020.code import identity_of_one
from dpbandits.claims.closed_forms.chen2020.coverage import coverage_smoothness_slope
from dpbandits.claims.closed_forms.chen2020.horizons import informed_horizons, learnable_horizons
from dpbandits.claims.closed_forms.chen2020.local_bonus import (
    bonus_in_sds,
    chernoff_exponents,
    exact_exponents,
    failure_exponents,
)
from dpbandits.claims.closed_forms.chen2020.lower_bounds import (
    local_regret_over_channel_lower_bound,
    local_regret_over_nonprivate_lower_bound,
    local_regret_over_printed_lower_bound,
    squared_loss_over_eps,
)
from dpbandits.claims.closed_forms.chen2020.tree_noise import (
    needed_bonus_powers,
    report_epsilon_over_eps,
    tree_bonus_over_needed,
    tree_epsilon_over_eps,
)

__all__ = [
    "bonus_in_sds",
    "chernoff_exponents",
    "coverage_smoothness_slope",
    "exact_exponents",
    "failure_exponents",
    "identity_of_one",
    "informed_horizons",
    "learnable_horizons",
    "local_regret_over_channel_lower_bound",
    "local_regret_over_nonprivate_lower_bound",
    "local_regret_over_printed_lower_bound",
    "needed_bonus_powers",
    "report_epsilon_over_eps",
    "squared_loss_over_eps",
    "tree_bonus_over_needed",
    "tree_epsilon_over_eps",
]
