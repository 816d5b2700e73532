"""Relative entropy between Bernoulli laws, its upper confidence bound, and its version for private bandits.

All are plain formulas that kernels compile in: scalars in, scalars out, the same bits in Python and in machine code.
"""

import math

from dpbandits.jit import formula

STEPS = 60  # halvings of a bracket in [0, 1], beyond the last digit


@formula
def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), means in [0, 1]; infinite where q excludes p."""
    total = 0.0
    if p > 0.0:
        if q <= 0.0:
            return math.inf
        total += p * math.log(p / q)
    if p < 1.0:
        if q >= 1.0:
            return math.inf
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return max(0.0, total)


@formula
def kl_upper_bound(p: float, level: float) -> float:
    """The largest q in [p, 1] with kl(p, q) <= level, by halving; 1 for p = 1."""
    low, high = p, 1.0
    for _ in range(STEPS):
        q = 0.5 * (low + high)
        if bernoulli_kl(p, q) <= level:
            low = q
        else:
            high = q
    return low if low < 1.0 - 1e-15 else 1.0


@formula
def private_kl(p: float, q: float, eps: float) -> float:
    """d_eps(p, q) = inf over z between p and q of eps |z - p| + kl(z, q), means in [0, 1].

    Azize et al., arXiv 2505.05613. Where the log-odds of p and q differ by at most eps it is kl(p, q); else the
    minimum lies at the z whose log-odds are eps from those of q, on the side of p. At q in {0, 1} it is eps |q - p|.
    """
    if q <= 0.0 or q >= 1.0:
        return eps * abs(q - p)
    odds = math.log(q) - math.log1p(-q)
    if p < q:
        z = 1.0 / (1.0 + math.exp(eps - odds))
        return bernoulli_kl(p, q) if p >= z else eps * (z - p) + bernoulli_kl(z, q)
    z = 1.0 / (1.0 + math.exp(-eps - odds))
    return bernoulli_kl(p, q) if p <= z else eps * (p - z) + bernoulli_kl(z, q)


@formula
def private_kl_upper_bound(p: float, level: float, eps: float) -> float:
    """The largest q in [p, 1] with d_eps(p, q) <= level, by halving."""
    if private_kl(p, 1.0, eps) <= level:
        return 1.0
    low, high = p, 1.0
    for _ in range(STEPS):
        q = 0.5 * (low + high)
        if private_kl(p, q, eps) <= level:
            low = q
        else:
            high = q
    return low
