"""The online learner of LDP-GLOC, shared by `ldp_gloc` and `ldp_gloc_broken_bonus`.

A user sends x x' + W, (x' theta^) x + xi and (mu(x' theta^) - r) x + rho. The server adds the first two to V and u, and
moves theta^ by -zeta times the third. Line marks refer to both algorithms, whose L4 to L7 are equal.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_single.noisy_gradient import residual
from dpbandits.algorithms.shared.contextual import errors
from dpbandits.algorithms.shared.noisy_least_squares import receive
from dpbandits.base.jit import kernel, round_step
from dpbandits.numerics.linalg import dot, project
from dpbandits.privacy.mechanisms import add_gaussian

Array = np.ndarray


class Rules(NamedTuple):
    """Constants of LDP-GLOC except its bonus.

    Attributes
    ----------
    random_start : 1 if theta~ and theta^ start at random.
    user_sd, gradient_sd : standard deviation of the noise on the first two parts of a message, and on the third.
    shift : c_1.
    rate : zeta.
    largest : bound at which |x' theta^| is clipped in mu; infinite for no clipping.
    norm : radius of the ball on which theta^ is projected; infinite for no projection.
    clip : length to which contexts are shortened; infinite for no clipping.
    least, most : rewards are clipped to [least, most].
    """

    random_start: int
    user_sd: float
    gradient_sd: float
    shift: float
    rate: float
    largest: float
    norm: float
    clip: float
    least: float
    most: float


@round_step
def learn(
    rng: Generator, link: int, x: Array, r: float, rules: Rules, gram: Array, target: Array, learned: Array
) -> None:
    """Draw the message of a user with context x and reward r, and update V, u and theta^ by it."""
    if rules.clip < np.inf:
        project(x, rules.clip)
    r = min(max(r, rules.least), rules.most)
    receive(rng, x, dot(x, learned), rules.user_sd, rules.user_sd, gram, target)  # L4, L6
    size = residual(link, x, learned, r, rules.largest)  # L5
    for i in range(len(x)):
        learned[i] -= rules.rate * add_gaussian(rng, size * x[i], rules.gradient_sd, 1.0)  # L5, L7
    if rules.norm < np.inf:
        project(learned, rules.norm)  # L7


@kernel
def record(row: Array, regret_sum: Array, learned: Array, decided: Array, theta: Array, indefinite: int) -> None:
    """Write the outputs of `ldp_gloc` to a row of a trace."""
    row[0], row[4] = regret_sum[0], indefinite
    row[1], row[2] = errors(learned, theta)
    row[3] = errors(decided, theta)[0]
