"""The divergence of DP-KLUCB and DP-IMED (Azize et al., arXiv 2505.05613), for their transcriptions."""

import math


def divergence(x: float, y: float, eps: float) -> float:
    """d_eps(x, y) for y in (0, 1), at the z where its derivative eps -+ ln(...) is zero."""
    odds = math.log(y / (1 - y))
    z = 1 / (1 + math.exp(eps - odds)) if x < y else 1 / (1 + math.exp(-eps - odds))
    z = max(x, z) if x < y else min(x, z)
    kl = (z * math.log(z / y) if z > 0 else 0) + ((1 - z) * math.log((1 - z) / (1 - y)) if z < 1 else 0)
    return eps * abs(z - x) + kl
