"""Noise and regularization shift of Han, Liang, Wang and Zhang (arXiv 2106.03365), for ||x|| <= 1 and |r| <= 1.

"Printed" is the submission of the paper, for C_B = c_r = 1. These functions do not certify a guarantee: see
`accounting`.
"""

import math

ALPHA = 0.1  # failure probability of the bounds behind the shift; source: authors' code


def printed_sd(eps: float, delta: float) -> float:
    """s = 2 sqrt(2 ln(1.25 / delta)) / eps: the sd for r x in the least-squares message; x x' has the sd 2 s."""
    return 2.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps


def baseline_sd(eps: float, delta: float, parts: int) -> float:
    """sigma = 6 sqrt(2 ln(1.25 parts / delta)) / eps of LDP-UCB (2 parts) and LDP-GLOC (3 parts) (Zheng et al. 2020).

    The authors' code also uses the value for 2 parts for the messages of LDP-OLS and LDP-GLOC.
    """
    return 6.0 * math.sqrt(2.0 * math.log(1.25 * parts / delta)) / eps


def spread(dimension: float, horizon: float, failure: float, arms: float = 1.0) -> float:
    """4 sqrt d + 2 ln(2 T K / alpha). Times sd sqrt t it is Upsilon_t, the bound on the summed noise of t messages.

    The shifts of least squares are multiples of Upsilon_t: c~ sqrt t = 2 Upsilon_t.
    """
    return 4.0 * math.sqrt(dimension) + 2.0 * math.log(2.0 * horizon * arms / failure)
