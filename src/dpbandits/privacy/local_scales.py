"""Standard deviations of the Gaussian noise of Han, Liang, Wang and Zhang (arXiv 2106.03365), |x| <= 1 and |r| <= 1.

Printed: the submission of the paper, for C_B = c_r = 1. Released: the authors' code. No function here says that its
noise keeps a promise: see `accounting`.
"""

import math

ALPHA = 0.1  # chance that the bounds of the shift do not hold; source: authors' code


def scale_printed(eps: float, delta: float) -> float:
    """sigma_{eps,delta} of the mechanism for least squares: the sd of r x, and half that of x x'."""
    return 2.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps


def matrix_sd_printed(eps: float, delta: float) -> float:
    """Of x x' in the message for least squares."""
    return 2.0 * scale_printed(eps, delta)


def vector_sd_printed(eps: float, delta: float) -> float:
    """Of r x in the message for least squares."""
    return scale_printed(eps, delta)


def sd_released(eps: float, delta: float) -> float:
    """Of both parts of the message for least squares, and of LDP-UCB."""
    return 6.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / eps


def gloc_sd_printed(eps: float, delta: float) -> float:
    """Of all three parts of the message of LDP-GLOC, as on the slides; of the gradient times its bound."""
    return 6.0 * math.sqrt(2.0 * math.log(3.75 / delta)) / eps


def baseline_sd_documented(eps: float, delta: float) -> float:
    """Of LDP-UCB as Zheng et al. (NeurIPS 2020) document it with their code, which leaves out the 2 under the root."""
    return 4.0 * math.sqrt(2.0 * math.log(1.25 / delta)) / eps


def shift_rate(sd: float, dimension: int, horizon: float) -> float:
    """Upsilon_t / sqrt t: likely bound on the eigenvalues of t matrices of noise with that sd.

    sd (4 sqrt d + 2 ln(2 T / alpha)). All least squares are shifted by twice that, c~ sqrt t = 2 Upsilon_t.
    """
    return sd * (4.0 * math.sqrt(dimension) + 2.0 * math.log(2.0 * horizon / ALPHA))
