"""The bonus of LDP-UCB, which the released LDP-GLOC has too (Han et al., arXiv 2106.03365)."""

import math


def ldp_ucb_bonus(sd: float, upsilon: float, dimension: float, horizon: float) -> tuple[float, float]:
    """beta_t of LDP-UCB = 2 sd sqrt(D ln T) + (sqrt(3 Upsilon_t) + sd sqrt(D t / Upsilon_t)) D ln T, as two numbers.

    With Upsilon_t = upsilon sqrt t it is base + growth t^(1/4).
    """
    log_T = math.log(horizon)
    growth = (math.sqrt(3.0 * upsilon) + sd * math.sqrt(dimension / upsilon)) * dimension * log_T
    return 2.0 * sd * math.sqrt(dimension * log_T), growth
