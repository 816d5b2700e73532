"""The hand-written linear algebra of the kernels against NumPy and against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpbandits.numerics import gaussian_elimination as elimination
from dpbandits.numerics import linalg
from dpbandits.numerics.points import null_vector, scaled_coordinates, squared_lengths, weighted_gram

SIZES = range(1, 9)


def rng(seed=20220707):
    return np.random.default_rng(seed)


def positive_definite(m):
    half = rng(m).normal(size=(m, m + 3))
    return half @ half.T


# Factor and solve


@pytest.mark.parametrize("m", SIZES)
def test_cholesky_is_numpys_and_reads_the_lower_triangle(m):
    matrix = positive_definite(m)
    lower = np.where(np.tri(m) > 0, matrix, np.nan)
    factor = linalg.cholesky(lower)
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-10, atol=1e-12)
    assert np.array_equal(factor, np.tril(factor))


NOT_DEFINITE = [
    [[0.0]],
    [[-1.0]],
    [[math.nan]],
    [[1.0, 2.0], [2.0, 1.0]],  # eigenvalues 3 and -1
    [[1.0, 1.0], [1.0, 1.0]],  # semi-definite
    [[4.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1e-300]],
]


@pytest.mark.parametrize("matrix", NOT_DEFINITE)
def test_cholesky_refuses_what_is_not_positive_definite(matrix):
    with pytest.raises(ValueError, match="not positive definite"):
        linalg.cholesky(np.array(matrix))
    scratch = np.empty((2, len(matrix), len(matrix)))
    assert not linalg.try_inverse_factor(np.array(matrix), *scratch)


@pytest.mark.parametrize("m", SIZES)
def test_inverse_factor_is_the_inverse_of_numpys_factor_and_reads_the_lower_triangle(m):
    matrix, work, into = positive_definite(m), np.full((m, m), np.nan), np.full((m, m), np.nan)
    assert linalg.try_inverse_factor(np.where(np.tri(m) > 0, matrix, np.nan), work, into)
    np.testing.assert_allclose(into, np.linalg.inv(np.linalg.cholesky(matrix)), rtol=1e-9, atol=1e-12)
    assert np.array_equal(into, np.tril(into))


@pytest.mark.parametrize("m", SIZES)
def test_solve_and_solve_lower_are_numpys(m):
    matrix, vector = positive_definite(m), rng(100 + m).normal(size=m)
    factor = np.linalg.cholesky(matrix)
    x = np.empty(m)
    linalg.solve_lower(factor, vector, x)
    np.testing.assert_allclose(x, np.linalg.solve(factor, vector), rtol=1e-9)
    np.testing.assert_allclose(linalg.solve(factor, vector), np.linalg.solve(matrix, vector), rtol=1e-8)


@pytest.mark.parametrize("m", SIZES)
def test_weighted_gram_and_squared_lengths_are_numpys(m):
    points, weights = rng(m).normal(size=(3 * m, m)), rng(m).uniform(size=3 * m)
    weights[:m] = 0.0
    gram = weighted_gram(points, weights)
    assert np.array_equal(gram, gram.T)
    np.testing.assert_allclose(gram, points.T @ (weights[:, None] * points), rtol=1e-12, atol=1e-13)
    expected = np.einsum("ja,ab,jb->j", points, np.linalg.inv(gram), points)
    np.testing.assert_allclose(squared_lengths(points, linalg.cholesky(gram)), expected, rtol=1e-8)


# Least eigenvalues


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", ["any", "definite", "singular", "diagonal", "repeated", "tiny"])
def test_least_eigenvalue_is_numpys_and_reads_the_lower_triangle(m, kind):
    matrix = rng(m).normal(size=(m, m))
    matrix = matrix + matrix.T
    if kind == "definite":
        matrix = positive_definite(m)
    elif kind == "singular":
        matrix = positive_definite(m)
        matrix[0, :] = matrix[:, 0] = 0.0
    elif kind == "diagonal":
        matrix = np.diag(rng(m).normal(size=m))
    elif kind == "repeated":
        matrix = np.eye(m) + np.ones((m, m))
    elif kind == "tiny":
        matrix *= 1e-150
    found = linalg.least_eigenvalue(np.where(np.tri(m) > 0, matrix, np.nan))
    assert abs(found - np.linalg.eigvalsh(matrix)[0]) <= 1e-14 * np.linalg.norm(matrix)


def test_least_eigenvalue_by_hand():
    assert linalg.least_eigenvalue(np.array([[2.0, 1.0], [1.0, 2.0]])) == pytest.approx(1.0, abs=1e-15)
    assert linalg.least_eigenvalue(np.array([[0.0, 3.0], [3.0, 0.0]])) == pytest.approx(-3.0, abs=1e-15)
    assert linalg.least_eigenvalue(np.array([[-7.5]])) == -7.5
    assert linalg.least_eigenvalue(np.zeros((3, 3))) == 0.0
    assert math.isnan(linalg.least_eigenvalue(np.array([[1.0, 0.0], [math.nan, 1.0]])))


# Coordinates of the span


@pytest.mark.parametrize(("n", "d", "rank"), [(1, 1, 1), (3, 5, 3), (5, 3, 3), (20, 6, 6), (20, 6, 4), (9, 4, 1)])
def test_scaled_coordinates_have_the_span_and_the_rank(n, d, rank):
    """Points are coordinates times some basis; every pivot has coordinate 1, and none is longer."""
    points = rng(n + d).normal(size=(n, rank)) @ rng(d).normal(size=(rank, d))
    coordinates = scaled_coordinates(points, 1e-9, len(points))
    assert coordinates.shape == (n, rank) == (n, np.linalg.matrix_rank(points))
    basis = np.linalg.lstsq(coordinates, points, rcond=None)[0]
    np.testing.assert_allclose(coordinates @ basis, points, rtol=0, atol=1e-13 * np.abs(points).max())
    np.testing.assert_allclose(np.abs(coordinates).max(axis=0), 1.0, rtol=1e-14)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_equal_and_antipodal_points_are_a_line(sign):
    """Rank one although rounding moves the points off their common line; coordinates 1 and -1."""
    angle = 0.7
    point = np.array([math.cos(angle), math.sin(angle)])
    coordinates = scaled_coordinates(np.array([point, point, sign * point]), 1e-9, 3)
    np.testing.assert_allclose(coordinates, [[1.0], [1.0], [sign]], rtol=1e-15)


def test_a_direction_below_the_tolerance_does_not_count():
    points = np.array([[1.0, 0.0, 0.0], [1.0, 1e-6, 0.0], [1.0, 0.0, 1e-11]])
    assert scaled_coordinates(points, 1e-9, len(points)).shape == (3, 2)
    assert scaled_coordinates(points, 1e-13, len(points)).shape == (3, 3)


@pytest.mark.parametrize(("n", "d", "leading", "rank"), [(9, 4, 3, 3), (9, 4, 5, 2), (9, 4, 5, 4), (6, 3, 1, 1)])
def test_rows_after_the_leading_ones_count_by_their_projection(n, d, leading, rank):
    """The leading rows keep the coordinates that they have alone; the others get those of A+ A x, A the leading rows.

    The others are longer and not in the span, so that none may become a pivot.
    """
    points = 10 * rng(n * d).normal(size=(n, d))
    points[:leading] = rng(leading).normal(size=(leading, rank)) @ rng(d).normal(size=(rank, d)) / 10
    coordinates = scaled_coordinates(points, 1e-9, leading)
    np.testing.assert_array_equal(coordinates[:leading], scaled_coordinates(points[:leading].copy(), 1e-9, leading))
    assert coordinates.shape == (n, rank)
    basis = np.linalg.lstsq(coordinates[:leading], points[:leading], rcond=None)[0]
    projected = points @ np.linalg.pinv(points[:leading], rcond=1e-10) @ points[:leading]
    np.testing.assert_allclose(coordinates @ basis, projected, rtol=0, atol=1e-11)
    assert rank == d or np.abs(projected - points)[leading:].max() > 1


def test_projections_by_hand():
    """Leading (2, 0, 0) and (1, 1, 0): bases (2, 0, 0) and (0, 1, 0); (3, -4, 7) is 1.5 and -4 of them."""
    points = np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [3.0, -4.0, 7.0]])
    np.testing.assert_array_equal(scaled_coordinates(points, 1e-9, 2), [[1.0, 0.0], [0.5, 1.0], [1.5, -4.0]])


def fitted_exactly(points, core, weights, sums):
    """<a, theta> of all points for theta = V^-1 sum_k sums[k] a_k, in fractions (d = 2)."""
    exact = [[Fraction(float(x)) for x in point] for point in points]
    weighed = [(exact[k], Fraction(int(w)), Fraction(float(s))) for k, w, s in zip(core, weights, sums, strict=True)]
    v = [[sum(w * a[i] * a[j] for a, w, _ in weighed) for j in range(2)] for i in range(2)]
    b = [sum(s * a[i] for a, _, s in weighed) for i in range(2)]
    determinant = v[0][0] * v[1][1] - v[0][1] ** 2
    theta = [(v[1][1] * b[0] - v[0][1] * b[1]) / determinant, (v[0][0] * b[1] - v[0][1] * b[0]) / determinant]
    return np.array([float(a[0] * theta[0] + a[1] * theta[1]) for a in exact])


def fitted(points, core, weights, sums):
    factor = linalg.cholesky(weighted_gram(points[core], np.array(weights, float)))
    return points @ linalg.solve(factor, np.array(sums) @ points[core])


@pytest.mark.parametrize("cone", [1.0, 1e-3, 1e-6])
def test_narrow_cones_keep_their_precision(cone):
    """Directions of a cone of angle w are known to 1e-16 / w from rounded points, and fitted values no worse.

    In the points' own coordinates V has condition 1/w^2, which at w = 1e-6 leaves four digits.
    """
    angles = 0.4 + cone * np.array([0.0, 0.3, 0.45, 0.8, 1.0])
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    core, weights, sums = [0, 2, 4], [500, 20, 480], [101.0, 7.0, -33.0]
    exact = fitted_exactly(points, core, weights, sums)
    error = np.abs(fitted(scaled_coordinates(points, 1e-9, len(points)), core, weights, sums) - exact).max()
    assert error <= 4e-16 / cone
    if cone < 1e-5:
        assert np.abs(fitted(points, core, weights, sums) - exact).max() > 1e4 * error


# Null vectors


@pytest.mark.parametrize("rows", range(1, 16))
@pytest.mark.parametrize("kind", ["random", "repeated column", "dependent rows", "zero column"])
def test_null_vector_is_in_the_null_space(rows, kind):
    matrix = rng(rows).normal(size=(rows, rows + 1))
    if kind == "repeated column":
        matrix[:, rows // 2 + 1] = matrix[:, 0]
    elif kind == "dependent rows":
        matrix[-1] = matrix[:-1].sum(axis=0)
    elif kind == "zero column":
        matrix[:, rows // 2] = 0.0
    vector = null_vector(matrix)
    assert np.abs(vector).max() >= 1.0
    assert np.abs(matrix @ vector).max() <= 1e-12 * np.abs(matrix).max() * np.abs(vector).max()


# Elimination without pivoting


def solve_symmetric(matrix, shift, vector, work, x):
    """What `eliminate` finds; x, where it leaves anything to use."""
    found = elimination.eliminate(matrix, shift, vector, work)
    elimination.back_substitute(work[None], x[None])
    return found


@pytest.mark.parametrize("m", [1, 2, 3, 7, 8, 9, 20, 33])
def test_symmetric_solve_is_numpys_whatever_the_signs(m):
    """1 for positive definite matrices, 0 for others; the lower triangle alone is read."""
    signs = set()
    for seed in range(20):
        half = rng([m, seed]).normal(size=(m, m))
        for matrix, shift in ((half @ half.T, 0.5), (half + half.T, 0.0)):
            lower, vector = np.where(np.tri(m) > 0, matrix, np.nan), rng([m, seed, 1]).normal(size=m)
            x, work = np.empty(m), np.full((m, m + 1), np.nan)
            found = solve_symmetric(lower, shift, vector, work, x)
            shifted = matrix + shift * np.eye(m)
            signs.add(found)
            if found >= 0:
                assert found == (np.linalg.eigvalsh(shifted)[0] > 0)
                np.testing.assert_allclose(shifted @ x, vector, atol=1e-7 * (1 + np.abs(x).max()))
    assert signs >= {0, 1}


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 9, 20])
def test_symmetric_solve_has_the_bits_of_one_row_after_another(m):
    """Definite or not; entries of the textbook's order of subtraction, whatever is done at once."""
    half, vector = rng(m).normal(size=(m, m)), rng([m, 1]).normal(size=m)
    for matrix in (half @ half.T, half + half.T):
        rows = np.column_stack([matrix + 0.25 * np.eye(m), vector])
        for c in range(m):
            for r in range(c + 1, m):
                rows[r] -= rows[c, r] * (1.0 / rows[c, c]) * rows[c]
        solution = np.empty(m)
        for i in reversed(range(m)):
            s = rows[i, m]
            for k in range(i + 1, m):
                s -= rows[i, k] * solution[k]
            solution[i] = s / rows[i, i]
        x, work = np.empty(m), np.full((m, m + 1), np.nan)
        assert solve_symmetric(matrix, 0.25, vector, work, x) >= 0
        np.testing.assert_array_equal(x, solution)


def test_symmetric_solve_refuses_small_pivots_of_indefinite_matrices():
    """[[p, 1], [1, 0]] has the factor 1 / p; a positive definite matrix is solved whatever its factors."""
    for pivot, expected in ((0.0, -1), (1e-4, -1), (-1e-4, -1), (2e-3, 0), (-2e-3, 0)):
        x, work = np.empty(2), np.empty((2, 3))
        found = solve_symmetric(np.array([[pivot, 9.0], [1.0, 0.0]]), 0.0, np.array([1.0, 2.0]), work, x)
        assert found == expected
        if found == 0:
            np.testing.assert_allclose(x, [2.0, 1.0 - 2.0 * pivot], rtol=1e-12)
    x, matrix = np.empty(2), np.array([[1e-8, 9.0], [1e-4, 2.0]])
    assert solve_symmetric(matrix, 0.0, np.array([1e-4, 2.0]), np.empty((2, 3)), x) == 1
    np.testing.assert_allclose(x, [0.0, 1.0], atol=1e-8)
    assert solve_symmetric(np.full((2, 2), np.nan), 0.0, np.ones(2), np.empty((2, 3)), x) == -1


# Inverses and quadratic forms


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", ["definite", "indefinite", "zero corner"])
def test_inverse_is_numpys_whatever_the_signs(m, kind):
    """Of the lower triangle, in a place of its own and in that of the matrix; rows are exchanged at a zero corner."""
    matrix = positive_definite(m) if kind == "definite" else rng(m).normal(size=(m, m))
    matrix = matrix + matrix.T
    if kind == "zero corner" and m > 1:
        matrix[0, 0] = 0.0
    lower = np.where(np.tri(m) > 0, matrix, np.nan)
    found = np.empty((m, m))
    linalg.inverse(lower, found)
    np.testing.assert_allclose(found @ matrix, np.eye(m), atol=1e-8)
    linalg.inverse(lower, lower)
    np.testing.assert_array_equal(found, lower)


def test_a_singular_matrix_has_no_finite_inverse():
    found = np.empty((2, 2))
    linalg.inverse(np.ones((2, 2)), found)
    assert not np.isfinite(found).all()


@pytest.mark.parametrize("m", SIZES)
def test_quadratic_forms_and_squares_are_numpys(m):
    """By the factor where there is one, and by the inverse, which may be indefinite."""
    columns, matrix = rng(m).normal(size=(m, 5)), positive_definite(m)
    indefinite = rng(m + 1).normal(size=(m, m))
    indefinite = indefinite + indefinite.T
    found, half = np.empty(5), np.empty((m, 5))
    linalg.squares(columns, np.linalg.cholesky(matrix), True, half, found)
    np.testing.assert_allclose(found, np.einsum("ia,ij,ja->a", columns, np.linalg.inv(matrix), columns), rtol=1e-8)
    linalg.squares(columns, indefinite, False, half, found)
    expected = np.einsum("ia,ij,ja->a", columns, indefinite, columns)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert linalg.quadratic(indefinite, columns[:, 0], np.empty(m)) == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
