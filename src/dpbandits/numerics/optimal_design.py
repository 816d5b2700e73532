"""Near-optimal (D- and G-optimal) experimental design on finitely many points, with a small support.

By the Kiefer-Wolfowitz theorem, the weights pi that maximize log det V(pi), V(pi) = sum_j pi_j z_j z_j', also minimize
max_j z_j' V(pi)^-1 z_j, whose optimum is the dimension m. The algorithm combines

* the start of Kumar and Yildirim (J. Optim. Theory Appl. 126, 2005), symmetrized: m points that span the space;
* Frank-Wolfe ascent steps with the away steps of Wolfe and Atwood, in the form of Todd and Yildirim (Discrete Appl.
  Math. 155, 2007). Without away steps no weight becomes exactly zero and the support never shrinks;
* Caratheodory's theorem: V lies in a space of dimension m(m+1)/2, so that many support points suffice.

The design is invariant under linear maps of the points; callers pass well-scaled coordinates.
"""

import numpy as np

from dpbandits.base.jit import kernel
from dpbandits.numerics.linalg import cholesky
from dpbandits.numerics.points import null_vector, squared_lengths, weighted_gram

Array = np.ndarray

TIE = 1e-9  # below this difference an ascent step is taken, so that rounding does not decide; source: our choice
NEGLIGIBLE = 1e-6  # smaller weights are set to zero; source: our choice
MOST_STEPS = 1_000_000


@kernel
def spanning_start(points: Array) -> Array:
    """Uniform weights (n,) on m rows of `points` (n, m) that span R^m (Kumar and Yildirim, symmetrized)."""
    n, m = points.shape
    weights = np.zeros(n)
    basis = np.zeros((m, m))
    for k in range(m):
        direction = np.zeros(m)
        longest = -1.0
        for c in range(m):  # the unit vector farthest from the span of the points picked so far
            residual = np.zeros(m)
            residual[c] = 1.0
            for b in range(k):
                overlap = basis[b, c]
                for a in range(m):
                    residual[a] -= overlap * basis[b, a]
            length = np.sum(residual * residual)
            if length > longest + 1e-12:
                longest = length
                direction = residual
        widest, pick = -1.0, 0
        for j in range(n):
            s = 0.0
            for a in range(m):
                s += points[j, a] * direction[a]
            if abs(s) > widest:
                widest, pick = abs(s), j
        weights[pick] = 1.0 / m
        residual = points[pick].copy()
        for b in range(k):
            overlap = 0.0
            for a in range(m):
                overlap += residual[a] * basis[b, a]
            for a in range(m):
                residual[a] -= overlap * basis[b, a]
        basis[k] = residual / np.sqrt(np.sum(residual * residual))
    return weights


@kernel
def ascend(points: Array, weights: Array, tolerance: float) -> Array:
    """Improve weights (n,) whose support spans R^m until max_j g_j <= m (1 + tolerance).

    Raises
    ------
    RuntimeError
        The steps did not converge.
    """
    n, m = points.shape
    u = weights.copy()
    for _ in range(MOST_STEPS):
        g = squared_lengths(points, cholesky(weighted_gram(points, u)))
        up, down = 0, -1
        for j in range(n):
            if g[j] > g[up]:
                up = j
            if u[j] > 0.0 and (down < 0 or g[j] < g[down]):
                down = j
        above = g[up] / m - 1.0
        below = 1.0 - g[down] / m
        if max(above, below) <= tolerance:
            return u
        if above >= below - TIE:
            j = up
            step = (g[j] - m) / (m * (g[j] - 1.0))
        else:
            j = down
            drop = u[j] / (1.0 - u[j])
            step = -drop if g[j] <= 1.0 else -min((m - g[j]) / (m * (g[j] - 1.0)), drop)
        vanishes = step < 0.0 and -step == u[j] / (1.0 - u[j])
        u *= 1.0 - step
        u[j] = 0.0 if vanishes else u[j] + step
    raise RuntimeError("the design did not converge")


@kernel
def reduce_support(points: Array, weights: Array) -> Array:
    """Weights with at most m(m+1)/2 nonzero entries and the same V; their sum does not grow."""
    n, m = points.shape
    u = weights.copy()
    most = m * (m + 1) // 2
    while True:
        support = np.flatnonzero(u > 0.0)
        if len(support) <= most:
            return u
        columns = np.empty((most, most + 1))
        for c in range(most + 1):
            z = points[support[c]]
            r = 0
            for a in range(m):
                for b in range(a + 1):
                    columns[r, c] = z[a] * z[b]
                    r += 1
        w = null_vector(columns)
        if np.sum(w) < 0.0:
            w = -w
        step, leaving = np.inf, -1
        for c in range(most + 1):
            if w[c] > 0.0 and u[support[c]] / w[c] < step:
                step, leaving = u[support[c]] / w[c], c
        for c in range(most + 1):
            u[support[c]] = max(0.0, u[support[c]] - step * w[c])
        u[support[leaving]] = 0.0


@kernel
def near_optimal_design(points: Array, tolerance: float) -> Array:
    """Probabilities (n,) on the rows of `points` (n, m, full column rank); the support has at most m(m+1)/2 rows.

    Parameters
    ----------
    tolerance : stop when max_j g_j <= m (1 + tolerance) and its minimum over the support is >= m (1 - tolerance).
    """
    u = ascend(points, spanning_start(points), tolerance)
    for j in range(len(u)):
        if u[j] < NEGLIGIBLE:
            u[j] = 0.0
    u = reduce_support(points, u)
    return u / np.sum(u)


@kernel
def frank_wolfe(points: Array, tolerance: float, most_steps: int) -> Array:
    """Probabilities (n,) found by plain Frank-Wolfe steps from the uniform distribution.

    In two or more dimensions all rows keep a positive weight.

    Exact line search, no away steps. Stops at max_j g_j <= m (1 + tolerance) or after `most_steps`.
    """
    n, m = points.shape
    u = np.full(n, 1.0 / n)
    for _ in range(most_steps):
        g = squared_lengths(points, cholesky(weighted_gram(points, u)))
        j = np.argmax(g)
        if g[j] <= m * (1.0 + tolerance):
            break
        step = (g[j] - m) / (m * (g[j] - 1.0))
        u *= 1.0 - step
        u[j] += step
    return u
