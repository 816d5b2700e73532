"""The bonus of LDP-UCB, which the released LDP-GLOC also uses (Han et al., arXiv 2106.03365)."""

import math


def ldp_ucb_bonus(sd: float, upsilon: float, dimension: float, horizon: float) -> tuple[float, float]:
    """beta_t of LDP-UCB, returned as two numbers: beta_t = base + growth t^(1/4).

    beta_t = 2 sd sqrt(D ln T) + (sqrt(3 Upsilon_t) + sd sqrt(D t / Upsilon_t)) D ln T with Upsilon_t = upsilon sqrt t.
    """
    log_T = math.log(horizon)
    growth = (math.sqrt(3.0 * upsilon) + sd * math.sqrt(dimension / upsilon)) * dimension * log_T
    return 2.0 * sd * math.sqrt(dimension * log_T), growth
