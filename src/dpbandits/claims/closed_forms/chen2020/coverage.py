"""Smoothness B_infinity of probabilistic maximum coverage (chen2020), computed numerically."""

import numpy as np
from scipy import optimize

from dpbandits.claims.closed_form_types import Numbers

STEPS = (1e-4, 0.01, 0.1, 0.5, 1.0)  # sizes of t that are tried, as shares of the range of the means


def covered(means: np.ndarray, right: np.ndarray) -> float:
    """Expected number of right vertices that a super arm covers; `right` is the right vertex of each of its edges."""
    missed = np.ones(int(right.max()) + 1)
    np.multiply.at(missed, right, 1.0 - means)
    return float(np.sum(1.0 - missed))


def covering(means: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Derivative of `covered` in the mean of each edge: the probability that no other edge covers its right vertex."""
    others = (right[:, None] == right) & ~np.eye(len(right), dtype=bool)
    chance: np.ndarray = np.where(others, 1.0 - means, 1.0).prod(axis=1)
    return chance


def smoothness(right: np.ndarray, low: float, high: float) -> float:
    """Largest (r(mu + t 1) - r(mu)) / t found, mu and mu + t 1 in [low, high]: at mu = low, and by ascent in mu."""
    best = 0.0
    for step in STEPS:
        t = step * (high - low)
        last = max(low, high - t)

        def fall(mu: np.ndarray, t: float = t) -> tuple[float, np.ndarray]:
            value = (covered(mu, right) - covered(mu + t, right)) / t
            return value, (covering(mu, right) - covering(mu + t, right)) / t

        start = np.full(len(right), 0.5 * (low + last))
        found = optimize.minimize(fall, start, method="L-BFGS-B", jac=True, bounds=[(low, last)] * len(right))
        best = max(best, -fall(np.full(len(right), low))[0], -float(found.fun))
    return best


def edges_of(right: int, seen: int) -> np.ndarray:
    """Right vertex of every edge of a super arm, where each right vertex has `seen` left neighbors; 1: disjoint."""
    return np.repeat(np.arange(right), seen)


def coverage_smoothness_slope(right: list[int], seen: list[int], low: float, high: float, divided: int) -> Numbers:
    """Least-squares slope of ln B_infinity in ln(edges).

    A slope of 0 means that B_infinity is constant. With `divided` 1, the reward is divided by the number of right
    vertices.
    """
    edges, values = [], []
    for n, k in zip(right, seen, strict=True):
        edges.append(n * k)
        values.append(smoothness(edges_of(n, k), low, high) / (n if divided else 1))
    slope = float(np.polyfit(np.log(edges), np.log(values), 1)[0])
    return [(f"slope of B_infinity in the edges, means in [{low:g}, {high:g}]", slope)]
