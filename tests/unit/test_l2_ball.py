"""The mechanism for vectors in an l2 ball: its radius, mean and norm, the odds of half-spheres, and its draws."""

import math

import mpmath
import numba
import numpy as np
import pytest
from scipy import stats

from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius

Z = 4.5  # allowed standard errors: about 7e-6 on both sides


def fill(rng, x, bound, keep, radius, out):
    for run in range(len(out)):
        l2_ball(rng, x, bound, keep, radius, out[run])


COMPILED = numba.njit(fill)


def sample(x, eps, runs, seed, bound=1.0):
    """(runs, d) outputs."""
    x = np.asarray(x, float)
    out = np.empty((runs, len(x)))
    COMPILED(np.random.default_rng(seed), x, bound, keep_probability(eps), sphere_radius(eps, len(x), bound), out)
    return out


# Radius


@pytest.mark.parametrize(
    ("eps", "dimension", "expected"),
    [(0.5, 2, 6.4135), (1.0, 2, 3.3991), (5.0, 2, 1.5921), (1.0, 20, 11.978), (1.0, 60, 20.921)],
)
def test_radius_to_the_printed_digits(eps, dimension, expected):
    assert float(f"{sphere_radius(eps, dimension, 1.0):.5g}") == expected


@pytest.mark.parametrize("dimension", [1, 2, 3, 20, 500])
@pytest.mark.parametrize("eps", [0.01, 1.0, 30.0])
def test_radius_in_high_precision(eps, dimension):
    """As printed, with gamma functions of 50 digits; R in proportion."""
    with mpmath.workdps(50):
        e, d = mpmath.exp(eps), mpmath.mpf(dimension)
        ratio = d * mpmath.gamma((d + 1) / 2) / mpmath.gamma(d / 2 + 1)
        expected = float(mpmath.sqrt(mpmath.pi) / 2 * (e + 1) / (e - 1) * ratio)
    assert sphere_radius(eps, dimension, 1.0) == pytest.approx(expected, rel=1e-12)
    assert sphere_radius(eps, dimension, 2.5) == pytest.approx(2.5 * expected, rel=1e-12)


def test_radius_by_hand():
    """d = 1: the sign is kept with odds e^eps; d = 3: the mean height of a half-sphere is 1/2."""
    for eps in (0.3, 2.0):
        assert sphere_radius(eps, 1, 1.0) == pytest.approx((math.exp(eps) + 1) / math.expm1(eps), rel=1e-13)
        assert sphere_radius(eps, 3, 1.0) == pytest.approx(2 * (math.exp(eps) + 1) / math.expm1(eps), rel=1e-13)


@pytest.mark.parametrize(("eps", "dimension", "bound"), [(0.0, 2, 1.0), (-1.0, 2, 1.0), (1.0, 0, 1.0), (1.0, 2, 0.0)])
def test_no_sphere(eps, dimension, bound):
    with pytest.raises(ValueError, match="l2 ball: eps, dimension and bound must be positive"):
        sphere_radius(eps, dimension, bound)


def test_keep_probability_has_the_odds():
    for eps in (0.1, 1.0, 5.0, 40.0):
        kept = keep_probability(eps)
        assert kept == pytest.approx(math.exp(eps) / (1 + math.exp(eps)), rel=1e-14)
    assert keep_probability(1000.0) == 1.0


# Distribution


VECTORS = {
    "long": np.array([0.6, -0.8]),
    "short": np.array([0.05, 0.02]),
    "axis": np.array([0.0, 0.0, 0.9]),
    "many": np.full(8, -0.3),
    "half": np.array([0.1, -0.2, 0.3, 0.25, -0.1]),
}


@pytest.mark.parametrize("eps", [0.5, 1.0, 5.0])
@pytest.mark.parametrize("name", VECTORS)
def test_outputs_are_unbiased(name, eps):
    x = VECTORS[name]
    found = sample(x, eps, 200000, 7)
    errors = found.std(axis=0) / math.sqrt(len(found))
    assert np.max(np.abs(found.mean(axis=0) - x) / errors) < Z


@pytest.mark.parametrize("bound", [0.5, 2.0])
def test_outputs_are_unbiased_for_other_bounds(bound):
    x = 0.7 * bound * np.array([0.0, 0.8, 0.6])
    found = sample(x, 1.0, 200000, 8, bound)
    errors = found.std(axis=0) / math.sqrt(len(found))
    assert np.max(np.abs(found.mean(axis=0) - x) / errors) < Z


@pytest.mark.parametrize("x", [[0.0, 0.0], [0.3, 0.4], [3.0, -4.0], [0.1] * 20])
def test_the_norm_is_the_radius(x):
    found = np.linalg.norm(sample(x, 1.0, 500, 1), axis=1)
    assert found == pytest.approx(sphere_radius(1.0, len(x), 1.0), rel=1e-13)


@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
def test_half_spheres_have_the_odds_of_the_guarantee(eps):
    """x on the boundary: e^eps / (1 + e^eps) on its side; elsewhere mixed in proportion to |x| / R; counts exact."""
    for length in (1.0, 0.4):
        x = length * np.array([0.6, 0.0, -0.8])
        count = int(np.sum(sample(x, eps, 200000, 11) @ x > 0.0))
        chance = 0.5 + length * (math.exp(eps) / (1 + math.exp(eps)) - 0.5)
        assert stats.binomtest(count, 200000, chance).pvalue > 1e-5


def test_within_a_half_the_output_is_uniform():
    """On a circle the angle to x is uniform on each side; heights on a sphere are, by Archimedes."""
    found = sample([0.6, 0.8], 1.0, 20000, 3)
    angles = np.arctan2(found @ [-0.8, 0.6], found @ [0.6, 0.8])
    near = np.abs(angles) < math.pi / 2
    assert stats.kstest(angles[near], stats.uniform(-math.pi / 2, math.pi).cdf).pvalue > 1e-4
    far = np.mod(angles[~near], 2 * math.pi)
    assert stats.kstest(far, stats.uniform(math.pi / 2, math.pi).cdf).pvalue > 1e-4
    found = sample([0.0, 0.0, 1.0], 1.0, 20000, 4)
    heights = np.abs(found[:, 2]) / sphere_radius(1.0, 3, 1.0)
    assert stats.kstest(heights, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("dimension", [2, 3, 6])
def test_nothing_is_uniform_on_the_sphere(dimension):
    """x = 0: mean 0, and a squared coordinate over r^2 is Beta(1/2, (d - 1)/2); tiny x come to the same."""
    for x in (np.zeros(dimension), np.full(dimension, 1e-9)):
        found = sample(x, 2.0, 20000, 9) / sphere_radius(2.0, dimension, 1.0)
        assert np.max(np.abs(found.mean(axis=0))) < Z / math.sqrt(dimension * 20000)
        for column in found.T:
            assert stats.kstest(column**2, stats.beta(0.5, 0.5 * (dimension - 1)).cdf).pvalue > 1e-4
            assert abs(np.mean(column > 0) - 0.5) < 0.5 * Z / math.sqrt(20000)


def test_longer_vectors_are_projected():
    """The same stream gives the same output as that of R x / |x|, which is not unbiased for x."""
    x = np.array([3.0, -4.0])
    found, projected = sample(x, 1.0, 2000, 2), sample(0.2 * x, 1.0, 2000, 2)
    assert found == pytest.approx(projected, rel=1e-12)
    count = int(np.sum(sample(x, 1.0, 20000, 5) @ x > 0.0))
    assert stats.binomtest(count, 20000, math.e / (1 + math.e)).pvalue > 1e-5


# Draws


def test_draws_do_not_depend_on_the_vector():
    """Two uniforms and d normals, for nothing, little, much and too much."""
    for dimension in (1, 2, 7):
        expected = np.random.default_rng(6)
        expected.random(2)
        expected.standard_normal(dimension)
        for length in (0.0, 0.3, 1.0, 50.0):
            rng, out = np.random.default_rng(6), np.empty(dimension)
            x = np.full(dimension, length / math.sqrt(dimension))
            l2_ball(rng, x, 1.0, keep_probability(1.0), sphere_radius(1.0, dimension, 1.0), out)
            assert rng.bit_generator.state == expected.bit_generator.state


@pytest.mark.parametrize("x", [[0.0, 0.0, 0.0], [0.3, -0.2, 0.1], [2.0, 2.0, 2.0]])
def test_compiled_and_plain_agree_to_the_bit(x):
    x, out, rng = np.array(x), np.empty((300, 3)), np.random.default_rng(4)
    for each in out:
        l2_ball.py_func(rng, x, 1.0, keep_probability(1.0), sphere_radius(1.0, 3, 1.0), each)
    assert np.array_equal(sample(x, 1.0, 300, 4), out)


def test_the_plain_lines_of_the_paper():
    """Sign of x, half that is meant, then a uniform point, reflected where it lies on the other half."""
    x, eps, bound = np.array([0.2, -0.5, 0.4]), 0.8, 1.5
    radius = sphere_radius(eps, 3, bound)
    rng, found = np.random.default_rng(12), sample(x, eps, 500, 12, bound)
    for out in found:
        tilde = x if rng.random() < 0.5 + np.linalg.norm(x) / (2 * bound) else -x
        side = 1 if rng.random() < math.exp(eps) / (1 + math.exp(eps)) else -1
        z = rng.standard_normal(3)
        z *= radius / np.linalg.norm(z)
        expected = z if side * (z @ tilde) > 0 else -z
        assert out == pytest.approx(expected, rel=1e-12)
