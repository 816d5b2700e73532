"""KL divergence between Bernoulli distributions, its upper confidence bound, and its version for private bandits.

All functions are plain formulas of scalars that kernels compile in: the same bits in Python and in machine code.
"""

import math

from dpbandits.base.jit import formula

STEPS = 100  # most Newton steps; 4 are needed on average, and at most 13 in 20000 trials
NEAR_ONE = 1e-15  # a bound this close to 1 is rounded to 1


@formula
def log_ratio(a: float, b: float, excess: float) -> float:
    """ln(a / b) for a, b > 0 and excess = a - b, accurate to the last digits even if a and b are close."""
    return math.log1p(excess / b) if abs(excess) < 0.5 * b else math.log(a) - math.log(b)


@formula
def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)) of Bernoulli means p, q; infinite if q excludes p."""
    total = 0.0
    if p > 0.0:
        if q <= 0.0:
            return math.inf
        total += p * log_ratio(p, q, p - q)
    if p < 1.0:
        if q >= 1.0:
            return math.inf
        total += (1.0 - p) * log_ratio(1.0 - p, 1.0 - q, q - p)
    return max(0.0, total)


@formula
def kl_upper_bound(p: float, radius: float) -> float:
    """The largest q in [p, 1] with kl(p, q) <= radius.

    Newton's method from above: kl is convex in q, so no step falls below the root. The start is the smaller of
    p + sqrt(radius / 2) (Pinsker) and 1 - exp(-(radius + H(p)) / (1-p)), where H is the entropy. The second bound
    drops the term p ln(1/q) >= 0.
    """
    if radius <= 0.0 or p >= 1.0:
        return p
    entropy = -(1.0 - p) * math.log1p(-p)
    if p > 0.0:
        entropy -= p * math.log(p)
    q = min(p + math.sqrt(0.5 * radius), -math.expm1(-(radius + entropy) / (1.0 - p)))
    for _ in range(STEPS):
        if q <= p or q >= 1.0:
            break
        step = (bernoulli_kl(p, q) - radius) * q * (1.0 - q) / (q - p)
        if step <= 0.0 or q - step == q:
            break
        q -= step
    return max(p, q) if q < 1.0 - NEAR_ONE else 1.0


@formula
def far_kl(p: float, q: float, rest: float, eps: float) -> float:
    """eps (z - p) + kl(z, q) at the z < q < 1 whose log-odds are eps below those of q; `rest` is 1 - q.

    At this z, ln(z/q) = ln((1-z)/(1-q)) - eps and (1-z)/(1-q) = 1 / (1 - q (1 - e^-eps)), so that z cancels.
    """
    loss = -q * math.expm1(-eps)
    kept = math.log1p(-loss) if loss < 0.5 else math.log(rest + q * math.exp(-eps))
    return max(0.0, -kept - eps * p)


@formula
def private_kl(p: float, q: float, eps: float) -> float:
    """d_eps(p, q) = inf over z between p and q of eps |z - p| + kl(z, q), for means p, q in [0, 1].

    Azize et al., arXiv 2505.05613. If the log-odds of p and q differ by at most eps, it equals kl(p, q). Otherwise
    the minimizer z lies on the side of p, with log-odds eps away from those of q. For q in {0, 1} it is eps |q - p|.
    """
    if q <= 0.0 or q >= 1.0:
        return eps * abs(q - p)
    here, there = p * (1.0 - q), q * (1.0 - p)  # the odds of p are here / there times those of q
    if min(here, there) >= max(here, there) * math.exp(-eps):
        return bernoulli_kl(p, q)
    if p < q:
        return far_kl(p, q, 1.0 - q, eps)
    return far_kl(1.0 - p, 1.0 - q, q, eps)  # the same divergence, in terms of failures


@formula
def private_kl_upper_bound(p: float, radius: float, eps: float) -> float:
    """The largest q in [p, 1] with d_eps(p, q) <= radius: the bound of kl, or the root farther than eps in log-odds."""
    if eps * (1.0 - p) <= radius:
        return 1.0
    if radius <= 0.0:
        return p
    shrunk = (1.0 - p) * math.exp(-eps)
    if p > 0.0 and radius <= bernoulli_kl(p, p / (p + shrunk)):
        return kl_upper_bound(p, radius)
    return max(p, min(1.0, math.expm1(-(radius + eps * p)) / math.expm1(-eps)))
