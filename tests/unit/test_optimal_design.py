"""The core set's design: certified near-optimal by duality, small in support, and equal to a generic optimizer's.

For the optimum u* and weights u with max_j g_j <= m (1 + tol), g_j = z_j' V(u)^-1 z_j:
0 <= log det V(u*) - log det V(u) <= m log(tr(V(u)^-1 V(u*)) / m) <= m log(1 + tol) <= m tol.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dpbandits.numerics import optimal_design as design
from dpbandits.numerics.linalg import cholesky
from dpbandits.numerics.points import scaled_coordinates, squared_lengths, weighted_gram

TOLERANCE = 1e-3  # as configured
SIZES = [(d, n) for d in range(1, 7) for n in (d, 2 * d + 1, 50, 1000)]


def rng(seed=20220707):
    return np.random.default_rng(seed)


def sphere(seed, n, d):
    normals = rng(seed).normal(size=(n, d))
    return normals / np.linalg.norm(normals, axis=1)[:, None]


def arc(degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def g(points, weights):
    return squared_lengths(points, cholesky(weighted_gram(points, weights)))


def log_det(points, weights):
    return np.linalg.slogdet(points.T @ (weights[:, None] * points))[1]


def assert_near_optimal(points, weights):
    m = points.shape[1]
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-14)
    assert np.count_nonzero(weights) <= m * (m + 1) // 2
    assert g(points, weights).max() <= m * (1 + 2 * TOLERANCE)


# The certificate, on random points


@pytest.mark.parametrize(("d", "n"), SIZES)
@pytest.mark.parametrize("cloud", ["normal", "sphere", "near a line"])
def test_design_is_near_optimal_with_small_support(d, n, cloud):
    points = sphere(d + n, n, d) if cloud == "sphere" else rng(d + n).normal(size=(n, d))
    if cloud == "near a line":
        points[:, 1:] *= 1e-4
        points = scaled_coordinates(points, 1e-9, n)
    assert_near_optimal(points, design.near_optimal_design(points, TOLERANCE))


@pytest.mark.parametrize(("d", "n"), SIZES)
def test_start_is_uniform_on_points_that_span(d, n):
    points = rng(n).normal(size=(n, d))
    weights = design.spanning_start(points)
    assert sorted(weights[weights > 0]) == [1 / d] * d
    assert np.linalg.matrix_rank(points[weights > 0]) == d


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-8])
def test_ascend_stops_at_its_tolerance_on_both_sides(tolerance):
    points = sphere(3, 40, 3)
    weights = design.ascend(points, design.spanning_start(points), tolerance)
    lengths = g(points, weights)
    assert lengths.max() <= 3 * (1 + tolerance)
    assert lengths[weights > 0].min() >= 3 * (1 - tolerance) - 1e-14
    assert weights.sum() == pytest.approx(1, rel=1e-13)


# Another optimizer


def slsqp(points):
    """Maximize log det V over the simplex by sequential least squares programming."""
    n = len(points)
    found = minimize(
        lambda u: -log_det(points, u),
        np.full(n, 1 / n),
        jac=lambda u: -np.einsum("ja,ab,jb->j", points, np.linalg.inv(points.T @ (u[:, None] * points)), points),
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda u: u.sum() - 1, "jac": lambda u: np.ones(n)},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert found.success
    return found.x / found.x.sum()


@pytest.mark.parametrize(("d", "n"), [(2, 3), (2, 10), (3, 8), (4, 15), (5, 20)])
def test_log_det_is_that_of_a_generic_optimizer(d, n):
    """By the bound above: within m log(1 + 2 tol) at the configured tolerance, within 1e-6 at tolerance 1e-7."""
    points = sphere(7 * d + n, n, d)
    optimum = log_det(points, slsqp(points))
    assert (
        -1e-6
        <= optimum - log_det(points, design.near_optimal_design(points, TOLERANCE))
        <= d * math.log1p(2 * TOLERANCE)
    )
    fine = design.ascend(points, design.spanning_start(points), 1e-7)
    assert abs(optimum - log_det(points, fine)) <= 1e-6


# A loose design


@pytest.mark.parametrize(("d", "n"), SIZES)
def test_tolerance_one_is_a_design_within_a_factor_of_two(d, n):
    """Lemma 2 asks for max g <= 2 m and a small support; where the start has both it is taken."""
    points = sphere(d + n, n, d)
    loose = design.near_optimal_design(points, 1.0)
    assert loose.sum() == pytest.approx(1, rel=1e-14)
    assert g(points, loose).max() <= 2 * d * (1 + 1e-12)
    assert 0 < np.count_nonzero(loose) <= d * (d + 1) // 2
    start = design.spanning_start(points)
    assert np.allclose(loose, start, atol=1e-12) == (g(points, start).max() <= 2 * d)


def test_tolerance_one_is_looser_than_the_configured_one():
    """Lines at 0, 70 and 120 degrees: the start is half on each of the first two.

    The third is -sin 50/sin 70 and sin 120/sin 70 of them: its g is 2 (0.8152^2 + 0.9216^2) = 3.028 <= 4.
    """
    points = arc(np.array([0.0, 70.0, 120.0]))
    loose, fine = (design.near_optimal_design(points, tolerance) for tolerance in (1.0, TOLERANCE))
    assert g(points, fine).max() <= 2 * (1 + 2 * TOLERANCE)
    assert g(points, loose).max() == pytest.approx(3.028, abs=1e-3)
    np.testing.assert_array_equal(loose, [0.5, 0.5, 0.0])


# Plain Frank-Wolfe


def plain_frank_wolfe(points, tolerance, most_steps):
    """In NumPy, on orthonormal coordinates; the exact line search found by ternary search of log det."""
    z = np.linalg.svd(points, full_matrices=False)[0]
    n, m = z.shape
    u = np.full(n, 1 / n)
    for _ in range(most_steps):
        lengths = ((z @ np.linalg.inv(z.T @ np.diag(u) @ z)) * z).sum(axis=1)
        top = int(lengths.argmax())
        if lengths[top] <= m * (1 + tolerance):
            break
        low, high = 0.0, 1.0 - 1e-9
        for _ in range(120):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            one, other = (log_det(z, (1 - step) * u + step * np.eye(n)[top]) for step in (a, b))
            low, high = (a, high) if one < other else (low, b)
        u = (1 - low) * u + low * np.eye(n)[top]
    return u


@pytest.mark.parametrize(("d", "n"), [(2, 5), (2, 60), (3, 40), (5, 100)])
def test_frank_wolfe_keeps_the_whole_support(d, n):
    """The criterion is met, yet no weight ever reaches zero: why the core set needs away steps."""
    points = sphere(5 + d, n, d)
    weights = design.frank_wolfe(points, 0.01, 2000)
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert g(points, weights).max() <= 1.01 * d
    assert np.count_nonzero(design.near_optimal_design(points, TOLERANCE)) <= d * (d + 1) // 2


@pytest.mark.parametrize(("d", "n", "steps"), [(2, 7, 2000), (3, 12, 2000), (2, 30, 4), (4, 20, 0)])
def test_frank_wolfe_is_the_plain_version(d, n, steps):
    """Up to what the ternary search resolves; on points of different lengths, so that no step is tied."""
    points = rng(d * n).normal(size=(n, d))
    weights = design.frank_wolfe(points, 0.01, steps)
    np.testing.assert_allclose(weights, plain_frank_wolfe(points, 0.01, steps), atol=1e-5)
    assert (steps == 2000) == (g(points, weights).max() <= 1.01 * d)
    assert (steps == 0) == (weights == 1 / n).all()


def test_frank_wolfe_leaves_an_optimal_start_alone():
    np.testing.assert_array_equal(design.frank_wolfe(np.eye(4), 0.01, 2000), np.full(4, 0.25))
    np.testing.assert_allclose(design.frank_wolfe(arc(np.arange(0.0, 180.0, 20.0)), 0.01, 2000), 1 / 9)


@pytest.mark.parametrize("width", [40.0, 1.0])
def test_frank_wolfe_on_a_narrow_arc_comes_near_half_the_weight_on_each_end(width):
    """The optimum has nothing else (below); here the seven points between keep a little, for ever."""
    points = scaled_coordinates(arc(17 + width * np.linspace(0, 1, 9)), 1e-9, 9)
    weights = design.frank_wolfe(points, 0.01, 2000)
    assert weights[[0, 8]].min() > 0.45
    assert 0 < weights[1:8].min() <= weights[1:8].max() < 0.05


# Known optima


@pytest.mark.parametrize("width", [80.0, 40.0, 5.0, 1e-2])
def test_narrow_arc_has_half_the_weight_on_each_end(width):
    """With support {a, b} max_j g_j >= 1/min(w), so that both weights are at least 1 / (2 (1 + 2 tol))."""
    points = scaled_coordinates(arc(17 + width * np.linspace(0, 1, 9)), 1e-9, 9)
    weights = design.near_optimal_design(points, TOLERANCE)
    assert list(np.flatnonzero(weights)) == [0, 8]
    assert weights[0] == pytest.approx(0.5, abs=TOLERANCE)
    fine = design.ascend(points, design.spanning_start(points), 1e-9)
    np.testing.assert_allclose(fine[[0, 8]], 0.5, atol=1e-8)


def test_three_lines_at_sixty_degrees_share_the_weight():
    points = arc(np.array([0.0, 60.0, 120.0]))
    fine = design.ascend(points, design.spanning_start(points), 1e-10)
    np.testing.assert_allclose(fine, 1 / 3, atol=1e-6)


def test_unit_vectors_share_the_weight():
    for d in range(1, 7):
        np.testing.assert_allclose(design.near_optimal_design(np.eye(d), TOLERANCE), 1 / d, rtol=1e-15)


def test_one_dimension_takes_the_longest_point():
    np.testing.assert_array_equal(design.near_optimal_design(np.array([[0.5], [-0.9], [0.1]]), TOLERANCE), [0, 1, 0])
    assert np.count_nonzero(design.near_optimal_design(np.full((30, 1), -0.3), TOLERANCE)) == 1


def test_repeated_points_do_not_widen_the_support():
    points = np.repeat(sphere(2, 6, 3), 40, axis=0)
    assert_near_optimal(points, design.near_optimal_design(points, TOLERANCE))


@pytest.mark.parametrize("d", range(2, 6))
def test_linear_maps_change_neither_criterion_nor_optimum(d):
    """The design of the mapped points is near-optimal for the points themselves."""
    points, linear = sphere(d, 30, d), rng(d).normal(size=(d, d))
    mapped = design.near_optimal_design(points @ linear, TOLERANCE)
    np.testing.assert_allclose(g(points @ linear, mapped), g(points, mapped), rtol=1e-9)
    difference = log_det(points, mapped) - log_det(points, design.near_optimal_design(points, TOLERANCE))
    assert abs(difference) <= d * math.log1p(2 * TOLERANCE)


# Caratheodory


@pytest.mark.parametrize(("m", "n"), [(1, 9), (2, 4), (2, 60), (3, 60), (4, 60), (5, 60)])
def test_reduce_support_keeps_the_gram_matrix(m, n):
    points, weights = rng(m * n).normal(size=(n, m)), rng(m + n).dirichlet(np.ones(n))  # of different lengths
    reduced = design.reduce_support(points, weights)
    before, after = weighted_gram(points, weights), weighted_gram(points, reduced)
    assert np.abs(after - before).max() <= 1e-12 * np.abs(before).max()
    assert np.count_nonzero(reduced) <= m * (m + 1) // 2
    assert (reduced >= 0).all()
    assert reduced.sum() <= weights.sum() * (1 + 1e-12)


def test_reduce_support_leaves_a_small_support_alone():
    weights = np.array([0.2, 0.0, 0.5, 0.3])
    np.testing.assert_array_equal(design.reduce_support(sphere(1, 4, 2), weights), weights)
