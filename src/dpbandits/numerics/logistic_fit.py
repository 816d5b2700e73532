"""Logistic regression with an l2 penalty and no intercept, by Newton's method."""

import math

import numpy as np

from dpbandits.base.jit import kernel
from dpbandits.numerics.linalg import cholesky, solve
from dpbandits.numerics.points import weighted_gram

Array = np.ndarray
SMALL = 1e-9  # stopping rule: largest entry of the last step; the remaining error is of the order of its square
MOST_STEPS = 100


@kernel
def fit(points: Array, outcomes: Array) -> Array:
    """The w (m,) that minimizes ||w||^2 / 2 + sum_j log loss of w' z_j; steps that do not improve it are halved.

    Parameters
    ----------
    points : (n, m), rows z_j; outcomes : (n,), 0 or 1.

    Raises
    ------
    ValueError
        The method did not converge.
    """
    n, m = points.shape
    w, weights = np.zeros(m), np.empty(n)
    gradient = np.empty(m)
    value = objective(points, outcomes, w)
    for _ in range(MOST_STEPS):
        gradient[:] = w
        for j in range(n):
            mean = 1.0 / (1.0 + math.exp(-product(points[j], w)))
            weights[j] = mean * (1.0 - mean)
            for i in range(m):
                gradient[i] += (mean - outcomes[j]) * points[j, i]
        hessian = weighted_gram(points, weights)
        for i in range(m):
            hessian[i, i] += 1.0
        step = solve(cholesky(hessian), gradient)
        largest = 0.0
        for i in range(m):
            largest = max(largest, abs(step[i]))
        if largest <= SMALL:
            return w - step
        size, tried = 1.0, objective(points, outcomes, w - step)
        while tried > value + 1e-12 * abs(value):
            size *= 0.5
            tried = objective(points, outcomes, w - size * step)
        w = w - size * step
        value = tried
    raise ValueError("logistic regression: Newton's method did not converge")


@kernel
def objective(points: Array, outcomes: Array, w: Array) -> float:
    """||w||^2 / 2 + sum_j log loss."""
    total = 0.5 * product(w, w)
    for j in range(len(points)):
        z = product(points[j], w)
        total += max(z, 0.0) - outcomes[j] * z + math.log1p(math.exp(-abs(z)))
    return total


@kernel
def product(x: Array, y: Array) -> float:
    """x' y."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s
