"""Releases of han2021: the shipped messages entry by entry, the worst pairs, and the epsilons of the red flags."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import optimize

from dpbandits.algorithms.shared.noisy_least_squares import receive
from dpbandits.audits.mechanisms.least_squares import farthest_contexts
from dpbandits.audits.papers import han2021 as releases
from dpbandits.privacy import local_scales, sensitivities

from .audit_settings import setting

ALL = ("printed", "released", "certified")
BASE = {"dimension": 2.0, "arms": 3.0, "T": 1e6}
OLS, UCB, SGD, GLOC = "ldp_ols", "ldp_ucb", "ldp_sgd", "ldp_gloc"
BY_ARM = "ldp_ols_multi"


def normal_delta(mu, eps):
    """delta(eps; mu) in 40 digits."""
    with mpmath.workdps(40 + int(eps)):
        mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
        return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


def of(function, algorithm, calibration, eps, **others):
    return function(algorithm, calibration, setting("han2021", calibration, **{**BASE, "eps": eps, **others}))


def epsilon(function, algorithm, calibration, eps, delta, **others):
    low, high = of(function, algorithm, calibration, eps, delta=delta, **others).derived(eps, delta).epsilons
    assert low == high
    return low


# Least squares


def test_printed_epsilons():
    """0.19, 0.51, 1.29, 4.43 at eps = 0.5, 1, 2, 5 and delta = 0.01; 11.9 at 10; 14.7 and 10.4 for 0.1 and 1e-5."""
    found = [epsilon(releases.message, OLS, "printed", eps, 0.01) for eps in (0.5, 1, 2, 5, 10)]
    assert found == pytest.approx([0.19, 0.51, 1.29, 4.43, 11.9], rel=0.02)
    assert [epsilon(releases.message, OLS, "printed", 10, d) for d in (0.1, 1e-5)] == pytest.approx(
        [14.7, 10.4], abs=0.05
    )
    assert [epsilon(releases.message, OLS, "printed", 20, d) for d in (0.1, 1e-5)] == pytest.approx([50, 25], abs=0.5)


@pytest.mark.parametrize(("delta", "eps"), [(0.1, 5.0), (0.01, 2.0), (1e-5, 10.0)])
def test_printed_epsilons_in_high_precision(delta, eps):
    """Same x, opposite rewards: 2 over s, s = 2 sqrt(2 ln(1.25/delta)) / eps."""
    mu = eps / math.sqrt(2 * math.log(1.25 / delta))
    found = epsilon(releases.message, OLS, "printed", eps, delta)
    assert normal_delta(mu, found * (1 + 1e-6)) < delta < normal_delta(mu, found * (1 - 1e-6))


def test_released_and_certified_epsilons():
    """0.029, 0.102, 0.999 at eps = 0.5, 1, 5 and delta = 0.01; the nominal ones."""
    for algorithm in (OLS, UCB):
        found = [epsilon(releases.message, algorithm, "released", eps, 0.01) for eps in (0.5, 1, 5)]
        assert found == pytest.approx([0.029, 0.102, 0.999], abs=5e-4)
        for eps, delta in ((0.5, 0.1), (1, 0.01), (20, 1e-5)):
            assert epsilon(releases.message, algorithm, "certified", eps, delta) == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize("calibration", ALL)
def test_messages_are_those_of_the_kernel(calibration):
    """The same normal numbers on top of the same data, but for what user 0 sends without noise."""
    release = of(releases.message, OLS, calibration, 1.0, delta=0.01)
    weight = (release.sds[-1] / release.sds[0]) ** 2
    users, views = farthest_contexts(weight, 2), []
    for side, x in enumerate(users):
        gram, target = np.zeros((2, 2)), np.zeros(2)
        receive(np.random.default_rng(7), x, 1.0, release.sds[0], release.sds[-1], gram, target)
        bare = np.concatenate([np.outer(users[0], users[0])[np.tril_indices(2)], users[0]])
        views.append(np.concatenate([gram[np.tril_indices(2)], target]) - bare)
        assert release.draw(np.random.default_rng(7), side, 1)[0] == pytest.approx(views[side], abs=1e-12)
    assert views[1] - views[0] == pytest.approx(release.shifts, abs=1e-12)


def test_messages_to_all_arms():
    """The same epsilons as of one message where all have the same noise; printed, half of the budget is too much."""
    for algorithm in ("ldp_ols_multi", "ldp_ucb_multi"):
        for calibration in ("released", "certified"):
            found = epsilon(releases.messages_to_all_arms, algorithm, calibration, 1.0, 0.1)
            assert found == pytest.approx(epsilon(releases.message, UCB, calibration, 1.0, 0.1), rel=1e-9)
    release = of(releases.messages_to_all_arms, "ldp_ols_multi", "printed", 1.0, delta=0.01)
    assert release.mu == pytest.approx(2 / (4 * math.sqrt(2 * math.log(250))), rel=1e-12)
    assert (len(release.shifts), sum(shift != 0 for shift in release.shifts)) == (15, 2)
    for delta, eps in itertools.product((0.1, 0.01), (0.5, 1, 5, 10, 20)):
        assert epsilon(releases.messages_to_all_arms, BY_ARM, "printed", eps, delta) < 0.6 * eps
    rival = of(releases.messages_to_all_arms, "ldp_ucb_multi", "released", 1.0, delta=0.1)
    assert len(rival.shifts) == 6 * 7 / 2 + 6


def test_typical_contexts():
    """About 2.2 and 6.7 at eps = 1, 0.6 and 3 at 0.5, at delta = 0.1 and 1e-5; no epsilon holds for all."""
    for eps, expected in ((1.0, (2.2, 6.7)), (0.5, (0.6, 3.0))):
        release = of(releases.typical_contexts, "ldp_ols_multi", "released", eps, delta=0.1)
        found = [release.derived(eps, delta).epsilons for delta in (0.1, 1e-5)]
        assert [low for low, _ in found] == pytest.approx(expected, rel=0.2)
        assert {high for _, high in found} == {math.inf}


def normal_moment(powers):
    """E prod Z_i^p_i, Z independent standard normal: (p - 1)!! for even p, else 0."""
    return math.prod(0 if p % 2 else math.prod(range(1, p, 2)) for p in powers)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_mean_squares_of_typical_users_by_moments(d):
    """Exact: theta is the first coordinate; 2 E|v|^2 for different arms, less 2 |E v|^2 for the same arm."""
    matrix = [[(k == i) + (k == j) for k in range(d)] for i in range(d) for j in range(i + 1)]
    vector = [[(k == 0) + (k == j) for k in range(d)] for j in range(d)]
    found = releases.mean_squares(d)
    for part, powers in enumerate((matrix, vector)):
        other = 2 * sum(normal_moment(2 * p for p in each) for each in powers)
        same = other - 2 * sum(normal_moment(each) ** 2 for each in powers)
        assert (found["the same arm"][part], found["different arms"][part]) == (same, other)


def test_mean_squares_of_typical_users_by_drawing():
    """In R^20, each of the four within five standard errors, of about half a per cent."""
    rng, d, pairs = np.random.default_rng(20), 20, 40000
    upper = np.triu_indices(d)

    def parts(x):
        return x[:, upper[0]] * x[:, upper[1]], x[:, :1] * x

    first, second = (parts(rng.standard_normal((pairs, d))) for _ in range(2))
    expected = releases.mean_squares(d)
    for part, (one, other) in enumerate(zip(first, second, strict=True)):
        drawn = {
            "the same arm": np.sum((one - other) ** 2, axis=1),
            "different arms": np.sum(one**2, axis=1) + np.sum(other**2, axis=1),
        }
        for name, squares in drawn.items():
            error = squares.std() / math.sqrt(pairs)
            assert error < 0.008 * expected[name][part]
            assert squares.mean() == pytest.approx(expected[name][part], abs=5 * error)


def test_typical_contexts_are_as_far_apart_as_the_root_mean_square():
    """sqrt(500 + 44) in sds of the released noise of 1 and 0.1."""
    mu = math.sqrt(544) / local_scales.baseline_sd(1.0, 0.1, 2)
    for delta in (0.1, 1e-5):
        low, _ = of(releases.typical_contexts, BY_ARM, "released", 1.0, delta=0.1).derived(1.0, delta).epsilons
        assert normal_delta(mu, low * (1 + 1e-6)) < delta < normal_delta(mu, low * (1 - 1e-6))


def test_warm_up():
    assert of(releases.warm_up, "ldp_sgd_multi", "released", 1.0, delta=0.1).noise == pytest.approx(15.22, abs=0.01)


def test_estimator():
    """4.54 of 5 for rewards up to 1, 6.8 for those that occur; certified cuts them."""
    given = {"T": 1e5, "reward": 1.0}
    for calibration in ("printed", "released"):
        assert epsilon(releases.estimator, "ldp_ols_estimate", calibration, 5.0, 1e-5, **given) == pytest.approx(
            4.54, abs=0.005
        )
    given["reward"] = math.sqrt(2)
    truth = of(releases.estimator, "ldp_ols_estimate", "released", 5.0, delta=1e-5, **given).derived(5.0, 1e-5)
    assert truth.epsilons == (pytest.approx(6.82, abs=0.01), math.inf)
    assert epsilon(releases.estimator, "ldp_ols_estimate", "certified", 5.0, 1e-5, **given) == pytest.approx(5.0)


@pytest.mark.parametrize("reward", [1.0, math.sqrt(2)])
def test_no_users_of_the_circle_are_farther_apart_for_the_estimator(reward):
    """Sds in units of s: sqrt 8, 2, sqrt 8 of x x' and 1 of r x."""
    s = math.sqrt(8 * math.log(1.25e5)) / 5
    sds, worst = np.array([math.sqrt(8) * s, 2 * s, math.sqrt(8) * s]), 0.0
    for a, b, sign in itertools.product(np.linspace(0, math.pi, 19), np.linspace(0, 2 * math.pi, 37), (-1, 1)):
        x, y = np.array([math.cos(a), math.sin(a)]), np.array([math.cos(b), math.sin(b)])
        matrix = (np.outer(x, x) - np.outer(y, y))[np.triu_indices(2)] / sds
        worst = max(worst, np.sum(matrix**2) + np.sum((reward * (x - sign * y) / s) ** 2))
    given = {"T": 1e5, "reward": reward, "delta": 1e-5}
    release = of(releases.estimator, "ldp_ols_estimate", "released", 5.0, **given)
    assert release.mu == pytest.approx(math.sqrt(worst), rel=1e-9) == pytest.approx(2 * reward / s, rel=1e-9)


# Gradients


@pytest.mark.parametrize("calibration", ALL)
def test_gradients(calibration):
    for eps in (0.5, 5.0):
        one = of(releases.gradient, SGD, calibration, eps)
        assert one.derived(eps, 0.0).epsilons == pytest.approx((eps, eps), rel=1e-9)
        assert one.bound == (1.0 if calibration == "released" else 2.0)
        several = of(releases.gradients_to_all_arms, "ldp_sgd_multi", calibration, eps)
        used = 0.5 * eps if calibration == "printed" else eps
        assert several.derived(eps, 0.0).epsilons == pytest.approx((used, used), rel=1e-9)
        assert np.shape(several.first) == ((1, 6) if calibration == "released" else (3, 2))


def test_gradients_as_they_are():
    """3.0, 20.8 and 54.7 at eps = 0.1, 0.5, 1; greedy first shows x x' as it is; clipped, the nominal epsilon."""
    given = {"dimension": 3.0, "arms": 2.0, "T": 1e4, "delta": 1e-5, "bound": 1.0, "gaussian": 1.0}
    for algorithm in ("ldp_epoch_greedy", SGD):
        found = [
            of(releases.gaussian_gradient, algorithm, "released", eps, **given).derived(eps, 1e-5).epsilons
            for eps in (0.1, 0.5, 1.0)
        ]
        assert [low for low, _ in found] == pytest.approx([3.0, 20.8, 54.7], abs=0.05)
        assert {high for _, high in found} == {math.inf}
        assert epsilon(releases.gaussian_gradient, algorithm, "certified", 1.0, **given) == pytest.approx(1.0, rel=1e-9)
    moved = of(releases.gaussian_gradient, SGD, "released", 1.0, **given)
    assert moved.mu * moved.noise == pytest.approx(math.hypot(5.04, 5.0), rel=1e-9)
    first = of(releases.gaussian_gradient, "ldp_greedy_first", "released", 1.0, **given)
    assert first.derived(1.0, 1e-5).epsilons == (math.inf, math.inf)
    clipped = of(releases.gaussian_gradient, "ldp_greedy_first", "certified", 1.0, **given)
    assert clipped.mu * clipped.noise == pytest.approx(math.sqrt(5), rel=1e-12)
    assert clipped.derived(1.0, 1e-5).epsilons == (pytest.approx(0.905, abs=0.001), pytest.approx(1.0, rel=1e-9))


def test_the_farthest_clipped_gradients_with_contexts():
    """Over lengths and angles, gradients of length up to 1 along the contexts: squares 5, next to a context of 0."""
    a, b, c = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41), np.linspace(-1, 1, 201), indexing="ij")
    squares = 2 + 2 * np.abs(c) + a**4 + b**4 - 2 * (a * b * c) ** 2
    assert squares.max() == pytest.approx(5.0, rel=1e-12)


# LDP-GLOC


def test_distances_of_ldp_gloc():
    """Certified: the sensitivities, rounded up there; printed: the gradient has twice the noise."""
    for others, size in (({}, sensitivities.GLOC_LINEAR), ({"loss_bound": 1.0}, sensitivities.GLOC_LOGISTIC)):
        release = of(releases.ldp_gloc, GLOC, "certified", 1.0, **others)
        assert size * (1 - 2e-5) <= release.mu * release.noise <= size
    several = of(releases.ldp_gloc_to_all_arms, "ldp_gloc_multi", "certified", 1.0, delta=0.1)
    assert several.mu * several.noise == pytest.approx(sensitivities.GLOC_BY_ARM, rel=1e-12)
    printed = of(releases.ldp_gloc_to_all_arms, "ldp_gloc_multi", "printed", 1.0, delta=0.1)
    assert printed.mu * printed.sds[-1] == pytest.approx(math.sqrt(6), rel=1e-12)
    released = of(releases.ldp_gloc_to_all_arms, "ldp_gloc_multi", "released", 1.0, delta=0.1)
    assert released.mu * released.sds[-1] == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize(("calibration", "weight"), [("printed", 0.25), ("released", 1.0)])
def test_no_pair_of_ldp_gloc_is_farther_apart(calibration, weight):
    """Local searches over contexts, estimate and rewards within their bounds."""

    def squares(v):
        users = []
        for angle, length, reward in (v[:3], v[3:6]):
            x = math.sin(length) * np.array([math.cos(angle), math.sin(angle)])
            theta = math.sin(v[7]) * np.array([math.cos(v[6]), math.sin(v[6])])
            z = x @ theta
            matrix = np.outer(x, x)[np.tril_indices(2)]
            users.append(np.concatenate([matrix, z * x, math.sqrt(weight) * (z - math.sin(reward)) * x]))
        return float(np.sum((users[0] - users[1]) ** 2))

    starts = np.random.default_rng(20210603).uniform(-3.0, 3.0, (25, 8))
    found = max(-optimize.minimize(lambda v: -squares(v), start).fun for start in starts)
    release = of(releases.ldp_gloc, GLOC, calibration, 1.0)
    assert (release.mu * release.sds[0]) ** 2 == pytest.approx(found, rel=1e-5)


@pytest.mark.parametrize("calibration", ALL)
def test_epsilons_of_ldp_gloc_are_proven_where_the_estimate_is_projected(calibration):
    """The released estimate is not. Certified epsilons are the nominal ones, but for the rounding of the constants."""
    audits = (
        (releases.ldp_gloc, GLOC, {}),
        (releases.ldp_gloc, GLOC, {"loss_bound": 1.0}),
        (releases.ldp_gloc_to_all_arms, "ldp_gloc_multi", {"broadcast": 0.0}),
        (releases.ldp_gloc_to_all_arms, "ldp_gloc_multi", {"broadcast": 1.0}),
    )
    for function, algorithm, others in audits:
        release = of(function, algorithm, calibration, 1.0, delta=0.1, **others)
        for truth in (release.accounted(1.0, 0.1), release.derived(1.0, 0.1)):
            assert truth.proven == (calibration != "released")
            if calibration == "certified":
                assert truth.epsilons[1] == pytest.approx(1.0, rel=5e-5)
