"""Noise and shifts of the algorithms of Han et al. (arXiv 2106.03365), in formulas that several of them share.

No function here says that its noise keeps a promise: see `accounting`.
"""

import math

OPEN_RIDGE, OPEN_WIDTH = 1.0, 1.0  # of the matrix and of beta where no noise is added; source: our choice


def printed_sd(eps: float, delta: float) -> float:
    """s of the message of least squares, 2 sqrt(2 ln(1.25 / delta)) / eps."""
    return 2.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps


def rival_sd(eps: float, delta: float, parts: float) -> float:
    """6 sqrt(2 ln(1.25 parts / delta)) / eps, of a message of so many parts: 2 of LDP-UCB, 3 of LDP-GLOC.

    The released code has the noise of 2 parts for least squares too.
    """
    return 6.0 * math.sqrt(2.0 * math.log(1.25 * parts / delta)) / eps


def spread(dimension: float, horizon: float, failure: float, arms: float = 1.0) -> float:
    """4 sqrt d + 2 ln(2 T K / failure): sd sqrt t times it bounds the noise of t messages, with their shift."""
    return 4.0 * math.sqrt(dimension) + 2.0 * math.log(2.0 * horizon * arms / failure)


def rival_width(sd: float, upsilon: float, dimension: float, horizon: float) -> tuple[float, float]:
    """beta_t of LDP-UCB = 2 sd sqrt(D ln T) + (sqrt(3 Upsilon_t) + sd sqrt(D t / Upsilon_t)) D ln T, as two numbers.

    With Upsilon_t = upsilon sqrt t it is base + growth t^(1/4).
    """
    log_T = math.log(horizon)
    growth = (math.sqrt(3.0 * upsilon) + sd * math.sqrt(dimension / upsilon)) * dimension * log_T
    return 2.0 * sd * math.sqrt(dimension * log_T), growth
