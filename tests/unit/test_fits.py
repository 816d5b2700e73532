"""Smooth functions of means and fitted forms: exact derivatives, hand-worked fits, the jackknife, and refusals."""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbandits.numerics import fits as f
from dpbandits.numerics import statistics as s


def table(n=300, k=4, seed=5):
    """Positive, of different sizes and spreads, columns sharing a seed's luck."""
    draws = np.random.default_rng(seed).lognormal(sigma=0.4, size=(n, k))
    return (draws + draws[:, :1]) * [1.0, 20.0, 0.03, 7.0][:k]


def jackknife_error(function, samples):
    n = len(samples)
    left_out = np.array([function(samples[np.arange(n) != i]) for i in range(n)])
    return math.sqrt((n - 1) * left_out.var())


# Any smooth function

EXACT = {  # function of four means, and its gradient
    "sum": (lambda m: m @ [1.0, -2.0, 0.5, 3.0], lambda m: np.array([1.0, -2.0, 0.5, 3.0])),
    "power": (
        lambda m: m[0] ** 3 * m[2] ** -0.5 / m[1],
        lambda m: m[0] ** 3 * m[2] ** -0.5 / m[1] * np.array([3 / m[0], -1 / m[1], -0.5 / m[2], 0.0]),
    ),
    "exponential": (lambda m: np.exp(m[0] - m[2]), lambda m: np.exp(m[0] - m[2]) * np.array([1.0, 0.0, -1.0, 0.0])),
    "norm": (lambda m: np.sqrt(m @ m), lambda m: m / np.sqrt(m @ m)),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_the_influence_is_that_of_the_exact_gradient(name, scale):
    function, gradient = EXACT[name]
    samples = table() * (1.0 if name == "exponential" else scale)
    found, means = f.smooth(function, samples), samples.mean(axis=0)
    exact = (samples - means) @ gradient(means)
    assert found.estimate == function(means)
    np.testing.assert_allclose(found.influence, exact, rtol=0, atol=1e-8 * np.abs(exact).max())
    assert abs(found.influence.sum()) < 1e-9 * np.abs(exact).sum()


@pytest.mark.parametrize("center", [0.0, 1e-9, -1e-9])
def test_a_mean_next_to_zero_is_no_measure_of_the_step(center):
    """exp(m) near 0, whose derivative is exp(m), on a sample of spread 2."""
    x = np.random.default_rng(2).normal(0, 2, 50)
    x += center - x.mean()
    found = f.smooth(lambda m: math.exp(m[0]), x[:, None])
    np.testing.assert_allclose(found.influence, (x - center) * math.exp(center), rtol=1e-8)


def test_statistics_with_a_formula_of_their_own_are_the_same():
    samples = table()
    x, y, u, v = samples.T
    places = [1.0, 3.0, 10.0, 70.0]

    def slope(m):
        return np.polyfit(np.log(places), np.log(m), 1)[0]

    for function, formula in (
        (lambda m: m[1], s.mean(y)),
        (lambda m: m[0] - m[1], s.difference(x, y)),
        (lambda m: m[0] / m[1], s.ratio(x, y)),
        (lambda m: m[0] / m[1] / (m[2] / m[3]), s.ratio_of_ratios(x, y, u, v)),
        (slope, s.log_log_slope(places, samples)),
    ):
        found = f.smooth(function, samples)
        assert found.estimate == pytest.approx(formula.estimate, rel=1e-12)
        np.testing.assert_allclose(found.influence, formula.influence, atol=1e-8 * np.abs(formula.influence).max())


def test_what_cannot_vary_has_no_error():
    """Proportional columns have one ratio; a constant column is not moved, where the function has no value."""
    x = table()[:, 0]
    assert f.smooth(lambda m: m[0] / m[1], np.stack([x, 0.3 * x], axis=1)).standard_error == 0.0
    assert f.smooth(lambda m: m[0] ** 2, np.full((9, 1), 0.1)).standard_error == 0.0

    def only_at_two(m):
        assert m[1] == 2.0
        return m[0] * m[1]

    found = f.smooth(only_at_two, np.stack([x, np.full_like(x, 2.0)], axis=1))
    np.testing.assert_allclose(found.influence, 2 * (x - x.mean()), rtol=1e-8)


@pytest.mark.parametrize(
    ("samples", "says"),
    [([[1.0, 2.0]], "2 seeds or more"), ([1.0, 2.0], "2 seeds or more"), ([[1.0], [math.inf]], "finite values")],
)
def test_samples_that_are_none_are_refused(samples, says):
    with pytest.raises(ValueError, match=says):
        f.smooth(lambda m: m[0], samples)


def test_a_function_without_a_value_is_undefined():
    with pytest.raises(s.Undefined, match="not finite"):
        f.smooth(lambda m: math.nan, [[1.0], [2.0]])


# Dispersion


def test_dispersion_by_hand():
    """1, 2, 6: mean 3, sd sqrt(7). Influence n/(n-1) ((x-3)^2 - 14/3) / (2 sd 3) - sd (x-3)/9."""
    found, sd = f.dispersion([1, 2, 6]), math.sqrt(7)
    assert found.estimate == pytest.approx(sd / 3, rel=1e-15)
    wanted = [1.5 * (d * d - 14 / 3) / (6 * sd) - sd * d / 9 for d in (-2, -1, 3)]
    np.testing.assert_allclose(found.influence, wanted, rtol=1e-8)


@pytest.mark.parametrize("draw", ["lognormal", "normal", "exponential"])
def test_the_error_of_a_dispersion_is_that_of_the_jackknife(draw):
    rng = np.random.default_rng(8)
    x = {
        "lognormal": rng.lognormal(0, 0.5, 1000),
        "normal": rng.normal(50, 3, 1000),
        "exponential": rng.exponential(2, 1000),
    }[draw]
    wanted = jackknife_error(lambda rows: rows.std(ddof=1) / rows.mean(), x)
    assert f.dispersion(x).standard_error == pytest.approx(wanted, rel=0.02)


def test_dispersion_does_not_depend_on_the_unit_and_loses_no_digits_to_the_mean():
    x = np.random.default_rng(3).normal(0, 1, 200)
    for size in (1.0, 1e-9, 1e9):
        assert f.dispersion(size * (x + 7)).estimate == pytest.approx(np.std(x, ddof=1) / (x.mean() + 7), rel=1e-12)
    far = f.dispersion(x + 1e7)
    assert far.estimate == pytest.approx(np.std(x, ddof=1) / 1e7, rel=1e-6)
    assert far.standard_error == pytest.approx(f.dispersion(x + 1e3).standard_error / 1e4, rel=1e-2)
    assert f.dispersion([3.0, 3.0, 3.0]).estimate == 0.0
    with pytest.raises(s.Undefined, match="the mean is zero"):
        f.dispersion([-1.0, 0.0, 1.0])


# A line


def test_a_line_by_hand():
    """Places 0, 1, 2 and means 1, 2, 6: slope 2.5 and intercept 0.5; of 3, 3, 0 slope -1.5 and intercept 3.5."""
    intercepts, slopes = f.affine_weights([0, 1, 2])
    samples = np.array([[1, 2, 6], [3, 3, 0]])
    assert (samples @ slopes).tolist() == pytest.approx([2.5, -1.5])
    assert (samples @ intercepts).tolist() == pytest.approx([0.5, 3.5])


def test_the_line_of_means_is_that_of_least_squares_and_its_determination_the_squared_correlation():
    places, samples = np.array([4.0, 2.0, 1.0, 0.25]), table()
    intercepts, slopes = f.affine_weights(places)
    means = samples.mean(axis=0)
    assert [slopes @ means, intercepts @ means] == pytest.approx(np.polyfit(places, means, 1).tolist(), rel=1e-10)
    found = f.determination(places, samples)
    assert found.estimate == pytest.approx(np.corrcoef(places, samples.mean(axis=0))[0, 1] ** 2, rel=1e-10)
    error = jackknife_error(lambda rows: np.corrcoef(places, rows.mean(axis=0))[0, 1] ** 2, samples)
    assert found.standard_error == pytest.approx(error, rel=0.02)


def test_a_line_through_all_means_explains_all():
    samples = np.random.default_rng(4).normal(0, 0.1, (20, 1)) + np.array([1.0, 2.0, 3.0, 5.0])
    found = f.determination([10, 20, 30, 50], samples)
    assert found.estimate == pytest.approx(1.0, abs=1e-12)
    assert found.standard_error < 1e-9


def test_a_line_needs_places_and_means_that_differ():
    with pytest.raises(ValueError, match="at least two must be distinct"):
        f.affine_weights([1, 1])
    with pytest.raises(s.Undefined, match="all means are equal"):
        f.determination([1, 2], [[1, 3], [3, 1]])


# A sum of two terms against their product

X, Y = np.array([1.0, 1.0, 2.0, 2.0]), np.array([1.0, 2.0, 1.0, 2.0])
SUM, PRODUCT = [1 / X, 1 / Y], [1 / (X * Y)]


def test_the_ratio_of_errors_by_hand():
    """All means 1: a = b = 12/19 leaves 4/19 of squares, c = 1.44 leaves 0.76; the root of their ratio is 10/19."""
    samples = np.array([[0.5, 1.0, 1.5, 1.0], [1.5, 1.0, 0.5, 1.0]])
    assert f.error_ratio(SUM, PRODUCT, samples).estimate == pytest.approx(10 / 19, rel=1e-12)
    assert f.error_ratio(PRODUCT, SUM, samples).estimate == pytest.approx(19 / 10, rel=1e-12)


def least_error(form, means, start):
    """By a minimizer that knows nothing of linear algebra."""
    found = optimize.minimize(
        lambda w: np.mean((form(w) / means - 1) ** 2), start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}
    )
    return math.sqrt(found.fun)


def test_the_ratio_of_errors_is_that_of_two_minimizers_and_its_error_that_of_the_jackknife():
    samples = table() * [1.0, 0.03, 20.0, 0.04]
    means = samples.mean(axis=0)
    above = least_error(lambda w: w[0] / X + w[1] / Y, means, [1.0, 1.0])
    below = least_error(lambda w: w[0] / (X * Y), means, [1.0])
    found = f.error_ratio(SUM, PRODUCT, samples)
    assert found.estimate == pytest.approx(above / below, rel=1e-6)

    def ratio(rows):
        errors = []
        for terms in (SUM, PRODUCT):
            design = (np.array(terms) / rows.mean(axis=0)).T
            errors.append(np.linalg.norm(design @ (np.linalg.pinv(design) @ np.ones(4)) - 1))
        return errors[0] / errors[1]

    assert found.standard_error == pytest.approx(jackknife_error(ratio, samples), rel=0.02)


def test_a_form_that_fits_without_error_has_none_and_divides_nothing():
    spread = 1 + 0.1 * np.array([[-1.0], [0.0], [1.0]])
    for distribution, wanted in ((3 / X + 5 / Y, 0.0), (7 / (X * Y), None)):
        if wanted is None:
            with pytest.raises(s.Undefined, match="fits without error"):
                f.error_ratio(SUM, PRODUCT, spread * distribution)
        else:
            assert f.error_ratio(SUM, PRODUCT, spread * distribution).estimate == pytest.approx(0, abs=1e-12)
    with pytest.raises(s.Undefined, match="every mean must be positive"):
        f.error_ratio(SUM, PRODUCT, spread * [1.0, 1.0, 1.0, -1.0])
