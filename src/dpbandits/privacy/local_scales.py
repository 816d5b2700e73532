"""Noise of Han, Liang, Wang and Zhang (arXiv 2106.03365) and the shift that goes with it, for ||x|| <= 1 and |r| <= 1.

Printed: the submission of the paper, for C_B = c_r = 1. No function here says that its noise satisfies a guarantee: see
`accounting`.
"""

import math

ALPHA = 0.1  # chance that the bounds of the shift do not hold; source: authors' code


def printed_sd(eps: float, delta: float) -> float:
    """s = 2 sqrt(2 ln(1.25 / delta)) / eps of the message for least squares: that of r x, and half that of x x'."""
    return 2.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps


def baseline_sd(eps: float, delta: float, parts: int) -> float:
    """sigma = 6 sqrt(2 ln(1.25 parts / delta)) / eps of LDP-UCB, 2 parts, and LDP-GLOC, 3 parts (Zheng et al. 2020).

    The authors' code uses that of 2 parts for the messages of LDP-OLS and LDP-GLOC too.
    """
    return 6.0 * math.sqrt(2.0 * math.log(1.25 * parts / delta)) / eps


def spread(dimension: float, horizon: float, failure: float, arms: float = 1.0) -> float:
    """4 sqrt d + 2 ln(2 T K / alpha): times sd sqrt t it is Upsilon_t, which bounds the noise of t messages.

    Shifts of least squares are multiples of Upsilon_t, c~ sqrt t = 2 Upsilon_t.
    """
    return 4.0 * math.sqrt(dimension) + 2.0 * math.log(2.0 * horizon * arms / failure)
