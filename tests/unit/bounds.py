"""Bounds with some weights, and transcriptions of them that share no code with the package."""

import math

import numpy as np

from dpbandits.base.registry import BOUNDS
from dpbandits.theory.registry import TABLE


def value(name, instance, rounds, eps=0.5, **weights):
    """A bound after some rounds, (len(rounds),); weights that are not given are 0."""
    setting = {**dict.fromkeys(TABLE[name].weights, 0.0), **weights, "eps": eps}
    return BOUNDS.module(name).regret((instance,), setting, np.array(rounds))


def plain_kl(z, q):
    """kl(z, q)."""
    return sum(float(u * np.log(u / v)) for u, v in ((z, q), (1 - z, 1 - q)) if u > 0)


def plain_private_kl(p, q, eps):
    """The infimum that defines d_eps(p, q), p < q < 1, by cutting thirds off: its argument is convex in z."""
    low, high = p, q
    while high - low > 1e-9:
        one, other = (2 * low + high) / 3, (low + 2 * high) / 3
        if eps * (one - p) + plain_kl(one, q) < eps * (other - p) + plain_kl(other, q):
            high = other
        else:
            low = one
    return eps * (low - p) + plain_kl(low, q)


def regret_lower_bound(means, rounds, eps):
    """Theorem 1 of Azize et al. from the definition of d_eps; the best mean is less than 1."""
    best = means.max()
    slopes = [(best - mu) / plain_private_kl(mu, best, eps) for mu in means if mu < best]
    return sum(slopes) * np.log(rounds)


def regret_rate(means, rounds, eps, **weights):
    """One product of weights and rates; weights in the order of the table."""
    t, gaps, one = np.array(rounds, dtype=float), means.max() - means, np.ones(len(rounds))
    gap = gaps[gaps > 0].min(initial=np.inf)
    log_arms, arms_log_t = np.log(len(means)), len(means) * np.log(t)
    rates = {
        "root_arms": np.sqrt(arms_log_t * t),
        "root_log_arms": np.sqrt(t * log_arms),
        "arms_log_over_eps": arms_log_t / eps,
        "log_arms_over_gap": one * log_arms / gap,
        "log_arms_over_eps": one * log_arms / eps,
        "log_arms_over_least": one * log_arms / np.minimum(gap, eps),
        "log_arms_log_over_eps": log_arms * np.log(t) / eps,
    }
    return sum(weight * rates[name] for name, weight in weights.items()) + np.zeros(len(t))


def semi_bandit_rate(problem, rounds, eps, others=0.0, over_gap=0.0, log_over_gap=0.0, local_log_over_gap=0.0):
    """Of listed super arms, as one product of weights and rates."""
    sets = [
        [*own[own >= 0], *(problem.common if joins else [])]
        for own, joins in zip(problem.own, problem.joins, strict=True)
    ]
    rewards = np.array([(sum, min, max, math.prod)[problem.reward](problem.means[i] for i in s) for s in sets])
    gap = (rewards.max() - rewards)[rewards < rewards.max() - 1e-12].min()
    count, log_t = len(problem.means) - problem.size, np.log(rounds)
    rates = np.stack([np.full(len(log_t), 1.0), np.full(len(log_t), 1 / gap), log_t / gap, log_t / (eps**2 * gap)])
    return count * (np.array([others, over_gap, log_over_gap, local_log_over_gap]) @ rates)


def semi_bandit_lower_bound(problem, rounds, eps, channel=0.0, nonprivate=0.0):
    """By quadrature of the densities."""
    means, log_t = problem.means, np.log(rounds)
    best = means.max()
    if channel:
        y = np.linspace(-60 / eps, 1 + 60 / eps, 400_001)

        def density(x):
            return 0.5 * eps * ((1 - x) * np.exp(-eps * np.abs(y)) + x * np.exp(-eps * np.abs(y - 1)))

        kl = [np.trapezoid(density(x) * np.log(density(x) / density(best)), y) for x in means if x < best]
    elif nonprivate:
        kl = [x * math.log(x / best) + (1 - x) * math.log((1 - x) / (1 - best)) for x in means if x < best]
    else:
        K, m = problem.size, len(means)
        gap = (best - means.min()) * (K if problem.reward == 0 else 1)
        return (m - K) * K * log_t / (64 * (math.exp(eps) - 1) ** 2 * gap)
    return log_t * sum((best - x) / each for x, each in zip((x for x in means if x < best), kl, strict=True))
