"""Closed forms and exact checks behind claims of Han et al., arXiv 2106.03365: what its mechanisms say by themselves.

Every function takes the arguments that the claim's section of the YAML gives, and the calibration where the noise
matters, and returns labeled numbers; the range in which the claim wants them stands in the YAML. Any two users are
neighbors, and a message is private in the user's context, arm and reward together.
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
