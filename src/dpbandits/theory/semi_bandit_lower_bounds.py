"""Lower bounds on regret / ln T in combinatorial semi-bandits: by Chen et al. (arXiv 2006.00706), and sharper ones.

Arms in a super arm K, arms m, gap of the super arms Delta, smoothness of the reward B (B_infinity or B_1). The bounds
hold for consistent algorithms in the limit of T; at a given T a regret may lie below. Plain formulas that kernels
compile in.
"""

import math

from dpbandits.base.jit import formula
from dpbandits.numerics.kl import bernoulli_kl
from dpbandits.numerics.laplace_channel import channel_kl

WIDEST = 0.35  # Delta / (B K) below which Theorems 5, 6 and 9 speak; source: paper


@formula
def local_lower_bound(eps: float, gap: float, arms: float, size: float, smoothness: float) -> float:
    """Theorem 6, local eps-DP, reward linear in disjoint paths: B^2 (m - K) K / (64 (e^eps - 1)^2 Delta).

    With K = 1 it is Theorem 5, which has B_infinity for B_1.
    """
    loss = math.expm1(eps)
    return smoothness * smoothness * (arms - size) * size / (64.0 * loss * loss * gap)


@formula
def local_lower_bound_at_small_eps(eps: float, gap: float, arms: float, size: float, smoothness: float) -> float:
    """The weaker form of Theorems 5 and 6 for eps <= 1/2: B^2 (m - K) K / (128 eps^2 Delta)."""
    return smoothness * smoothness * (arms - size) * size / (128.0 * eps * eps * gap)


@formula
def central_rate(eps: float, gap: float, arms: float, size: float, smoothness: float) -> float:
    """Theorem 9, eps-DP: B^2 m K / Delta + B m K / eps, up to a constant factor that it leaves out."""
    return smoothness * arms * size * (smoothness / gap + 1.0 / eps)


@formula
def channel_lower_bound(mean: float, best: float, eps: float) -> float:
    """Lai and Robbins' bound of one arm, with Bernoulli rewards plus Lap(1 / eps) noise: (best - mean) / KL."""
    return (best - mean) / channel_kl(mean, best, 1.0 / eps)


@formula
def bernoulli_lower_bound(mean: float, best: float) -> float:
    """The same of rewards that are seen as they are."""
    return (best - mean) / bernoulli_kl(mean, best)
