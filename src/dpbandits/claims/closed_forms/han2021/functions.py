"""Closed forms and exact checks behind claims of Han et al., arXiv 2106.03365, from its mechanisms alone.

Every function takes the arguments listed in the claim's section of the YAML, and the calibration if the noise matters.
It returns labeled numbers; the YAML gives the range that the claim requires. Any two users are neighbors. A message
protects the user's context, arm and reward jointly.
"""

from dpbandits.claims.closed_forms.han2021.arms import (
    ball_arm_guess_less_bound,
    least_squares_arm_guess_less_bound,
    other_arm_over_same,
)
from dpbandits.claims.closed_forms.han2021.ball import (
    ball_draws_norm,
    ball_draws_z,
    ball_mean_over_input,
    stacked_mean_over_input,
)
from dpbandits.claims.closed_forms.han2021.noise import noise_over_least
from dpbandits.claims.closed_forms.han2021.operations import (
    gradient_exponents,
    least_squares_exponents,
    operations_ratio,
)
from dpbandits.claims.closed_forms.han2021.regularization import (
    bonus_over_range,
    rounds_of_bonus,
    rounds_of_regularization,
)

__all__ = [
    "ball_arm_guess_less_bound",
    "ball_draws_norm",
    "ball_draws_z",
    "ball_mean_over_input",
    "bonus_over_range",
    "gradient_exponents",
    "least_squares_arm_guess_less_bound",
    "least_squares_exponents",
    "noise_over_least",
    "operations_ratio",
    "other_arm_over_same",
    "rounds_of_bonus",
    "rounds_of_regularization",
    "stacked_mean_over_input",
]
