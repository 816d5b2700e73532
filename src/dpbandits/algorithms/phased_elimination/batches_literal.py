"""The batched phased elimination of Hanna et al. (arXiv 2207.03445), transcribed round by round in plain Python.

Deliberately slow: one reward and one report per round, NumPy's linear algebra, and a design found by plain
multiplicative updates. It shares only the noise draws with the kernels, so that they can be tested against it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator


def design(points: np.ndarray, rounds: int = 4000) -> np.ndarray:
    """D-optimal probabilities (n,) on the rows of `points` (n, d) by multiplicative updates (Titterington 1976).

    Remaining weights below 1e-4 are dropped; the updates shrink them geometrically.
    """
    left, scales, _ = np.linalg.svd(points, full_matrices=False)
    z = left[:, scales > 1e-9 * scales[0]]
    n, m = z.shape
    u = np.full(n, 1.0 / n)
    for _ in range(rounds):
        u = u * np.einsum("ja,ab,jb->j", z, np.linalg.pinv(z.T @ (u[:, None] * z)), z) / m
    u[u < 1e-4] = 0.0
    return u / u.sum()


def frank_wolfe(points: np.ndarray, near: float = 0.01, most: int = 2000) -> np.ndarray:
    """Weights (n,) of plain Frank-Wolfe from the uniform distribution for log det, exact line search, no away steps."""
    left, scales, _ = np.linalg.svd(points, full_matrices=False)
    z = left[:, scales > 1e-9 * scales[0]]
    n, m = z.shape
    u = np.full(n, 1.0 / n)
    for _ in range(most):
        g = np.einsum("ja,ab,jb->j", z, np.linalg.inv(z.T @ (u[:, None] * z)), z)
        j = int(np.argmax(g))
        if g[j] <= m * (1 + near):
            break
        step = (g[j] / m - 1) / (g[j] - 1)
        u = (1 - step) * u
        u[j] += step
    return u


def reward(rng: Generator, mean: float, sd: float) -> float:
    """Draw a normal reward with this standard deviation, or a reward of -1 or 1 if it is 0."""
    if sd > 0:
        return rng.normal(mean, sd)
    return 1.0 if rng.random() < (1 + mean) / 2 else -1.0


def phased_elimination(
    rng: Generator,
    actions: np.ndarray,
    theta: np.ndarray,
    reading: Any,
    checkpoints: np.ndarray,
    gamma: Callable[[int, float, float, int], float],
    report: Callable[[float, int], float],
    total: Callable[[list[float]], float],
    weights: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Play one run, with black boxes for the parts in which the paper's algorithms differ.

    Parameters
    ----------
    actions : (K, d); theta : (d,); checkpoints : rounds, the last one is the horizon.
    reading : `width`, `extra_batches`, `whole_maximum` and `reward_sd` of `batches.Reading`.
    gamma : (|A_i|, ln(4 |A_i| T^2), q^i, n_i) -> confidence width at a multiplier of 1.
    report : (reward, n_i) -> what the client sends.
    total : reports of one action -> the number with which the server computes.
    weights : active actions -> shares of the pulls; `design` by default.

    Returns
    -------
    regret : (len(checkpoints),)
    """
    horizon = int(checkpoints[-1])
    log_horizon = math.log(horizon)
    q = (2 * horizon) ** (1 / log_horizon)
    means = actions @ theta
    active = list(range(len(actions)))
    regret = np.zeros(horizon + 1)
    t = 0
    best = 0
    for i in range(1, math.floor(log_horizon - 1) + reading.extra_batches + 1):
        u = (weights or design)(actions[active])
        pulls = {a: math.ceil(p * q**i - 1e-12) for a, p in zip(active, u, strict=True) if p > 0}
        order = [a for a, count in pulls.items() for _ in range(count)]
        rounds = len(order)
        width = reading.width * gamma(len(active), math.log(4 * len(active) * horizon**2), q**i, rounds)
        reports: dict[int, list[float]] = {a: [] for a in pulls}
        for k in rng.permutation(rounds):
            a = order[k]
            reports[a].append(report(reward(rng, means[a], reading.reward_sd), rounds))
            t += 1
            regret[t] = regret[t - 1] + means.max() - means[a]
            if t == horizon:
                return regret[checkpoints]
        V = sum(count * np.outer(actions[a], actions[a]) for a, count in pulls.items())
        estimate = np.linalg.pinv(V, rcond=1e-12) @ sum(total(reports[a]) * actions[a] for a in pulls)
        values = actions[active] @ estimate
        best = active[int(np.argmax(values))]
        top = (actions @ estimate).max() if reading.whole_maximum else values.max()
        active = [a for a, value in zip(active, values, strict=True) if value >= top - 2 * width] or [best]
    while t < horizon:
        t += 1
        regret[t] = regret[t - 1] + means.max() - means[best]
    return regret[checkpoints]
