"""KL divergence between Bernoulli variables observed through Laplace noise: distributions of X + Lap(b).

With r = exp(-1/b), A_x = 1 - x + x r and B_x = x + (1 - x) r, the ratio of the densities of two such distributions is
A_p / A_q below 0 and B_p / B_q above 1. In between, each density is proportional to 1 - x + x r u^2 at u = exp(y/b),
whose logarithm has elementary integrals. Together

    kl = (1 - p) ln(A_p / A_q) + p ln(B_p / B_q) + (1 - r) [2 p (1 - p) h(p) - (p (1 - q) + q (1 - p)) h(q)],
    h(x) = atan(y) / y at y = (1 - r) sqrt(x (1 - x) / r),  1 at y = 0.

As b tends to 0 this becomes the KL divergence of the Bernoulli variables; for large b it is about (p - q)^2 / (2 b^2).
"""

import math

from dpbandits.base.jit import formula
from dpbandits.numerics.kl import bernoulli_kl, log_ratio

SHARP = 690.0  # values of 1/b above which the noise is negligible, before r underflows


@formula
def arctangent_ratio(x: float, r: float) -> float:
    """h(x)."""
    y = (1.0 - r) * math.sqrt(x * (1.0 - x) / r)
    return math.atan(y) / y if y > 0.0 else 1.0


@formula
def channel_kl(p: float, q: float, scale: float) -> float:
    """KL divergence of X + Lap(`scale`) from Y + Lap(`scale`), X and Y Bernoulli with means p, q in [0, 1].

    The terms cancel: the relative error is about 1e-16 `scale` / (p - q)^2.
    """
    if SHARP * scale < 1.0:
        return bernoulli_kl(p, q)
    r, rest = math.exp(-1.0 / scale), -math.expm1(-1.0 / scale)
    left = log_ratio(1.0 - p + p * r, 1.0 - q + q * r, (q - p) * rest)
    right = log_ratio(p + (1.0 - p) * r, q + (1.0 - q) * r, (p - q) * rest)
    middle = 2.0 * p * (1.0 - p) * arctangent_ratio(p, r) - (p * (1.0 - q) + q * (1.0 - p)) * arctangent_ratio(q, r)
    return max(0.0, (1.0 - p) * left + p * right + rest * middle)
