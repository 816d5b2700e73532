"""Algorithms for contextual bandits with one parameter: runs against transcriptions, and what all of them share."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_single import noisy_gradient
from dpbandits.algorithms.shared import contextual, contextual_literal, noisy_least_squares
from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.problem import instance_stream

from .contextual import LINKS, column, constants, drawn, module, of_link, params, setting_of, trace

T = 120
EVERY_ROUND = range(1, T + 1)
CASES = [  # name, calibration, link, changes
    *(
        ("ldp_ols", calibration, "linear", changes)
        for calibration, changes in (
            ("printed", {}),
            ("printed", {"nonprivate": 1.0}),
            ("printed", {"nonprivate": 1.0, "released_start": 1.0}),
            ("printed", {"eps": 40.0}),
            ("released", {}),
            ("released", {"regularization": 2.0}),
            ("released", {"eps": 60.0}),
            ("certified", {}),
            ("certified", {"eps": 20.0, "regularization": 0.5}),
        )
    ),
    *(
        ("ldp_sgd", calibration, link, changes)
        for link in LINKS
        for calibration, changes in (
            ("printed", {}),
            ("printed", {"eps": 5.0, "bound": 0.5}),
            ("released", {}),
            ("released", {"penalty": 0.05, "offset": 50.0, "step": 20.0}),
            ("released", {"schedule": 2.0, "step": 50.0}),
            ("certified", {}),
            ("certified", {"schedule": 1.0, "step": 5.0, "bound": 1.0}),
            ("certified", {"gaussian": 1.0, "bound": 0.7, "eps": 20.0}),
        )
    ),
    ("ldp_sgd", "released", "linear", {"gaussian": 1.0, "eps": 5.0}),
    *(
        ("ldp_ucb", calibration, "linear", changes)
        for calibration in ("printed", "released", "certified")
        for changes in (
            {},
            {"regularization_divisor": 10.0},
            {"bonus": 0.001, "eps": 20.0},
            {"regularization_divisor": 400.0},
        )
    ),
    *(
        ("ldp_gloc", calibration, link, changes)
        for link in LINKS
        for calibration, changes in (
            ("printed", {}),
            ("printed", {"eps": 30.0, "rate_factor": 4.0}),
            ("released", {}),
            ("released", {"half_noise": 1.0, "eps": 20.0}),
            ("released", {"broken_bonus": 1.0, "rate_factor": 20.0, "eps": 0.5}),
            ("certified", {}),
            ("certified", {"eps": 20.0, "rate_factor": 5.0}),
        )
        if (calibration, link) != ("certified", "poisson")
    ),
]
NAMES = ("ldp_ols", "ldp_sgd", "ldp_ucb", "ldp_gloc", "random_arms")
INSTANCES = [  # seed, dimension, arms, distribution; contexts longer than 1 and rewards beyond 1 in the third
    (0, 2, 4, "sphere"),
    (1, 3, 5, "sphere"),
    (2, 5, 3, "gaussian"),
    (3, 2, 2, "margin"),
]


# Against the transcriptions


@pytest.mark.parametrize(("name", "calibration", "link", "changes"), CASES)
def test_runs_are_their_transcriptions(name, calibration, link, changes):
    """After every round; the arms played are told apart by their regret."""
    changes, mistakes = {**of_link(link), **changes}, 0
    for seed, d, arms, distribution in INSTANCES:
        instance = drawn(seed, d, arms, link, distribution, noise=0.3)
        found, expected = (
            trace(name, seed, instance, EVERY_ROUND, calibration, run, **changes) for run in ("run", "run_literal")
        )
        np.testing.assert_allclose(found[:, 0], expected[:, 0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found[:, 1:3], expected[:, 1:], rtol=1e-7, atol=1e-9)
        assert np.all(np.isfinite(found))
        mistakes += len(np.unique(np.diff(found[:, 0])))
    assert mistakes > 20


@pytest.mark.parametrize("link", LINKS)
def test_random_arms_are_their_transcription(link):
    for seed, d, arms, distribution in INSTANCES:
        instance = drawn(seed, d, arms, link, distribution)
        found = trace("random_arms", seed, instance, EVERY_ROUND)
        expected = trace("random_arms", seed, instance, EVERY_ROUND, run="run_literal")
        np.testing.assert_allclose(found[:, 0], expected, atol=1e-9)


def test_random_arms_play_where_the_context_is_shared():
    instance = drawn(0, 3, 4)._replace(theta=np.random.default_rng(0).normal(size=(4, 3)))
    found = trace("random_arms", 1, instance, EVERY_ROUND)
    np.testing.assert_allclose(
        found[:, 0], trace("random_arms", 1, instance, EVERY_ROUND, run="run_literal"), atol=1e-9
    )
    assert found[-1, 0] > 10


# Rounds in which the matrix is indefinite


def sums(seed, instance, sd, horizon):
    """The sums of noisy messages of the first arm, after every round."""
    rng, stream, d = np.random.default_rng(seed), instance_stream(instance), instance.theta.shape[1]
    contexts, means, total = np.empty((instance.arms, d)), np.empty(instance.arms), np.zeros((d, d))
    for t in range(horizon):
        distributions.offer(stream, instance, t, contexts, means)
        total = total + np.outer(contexts[0], contexts[0]) + contextual_literal.symmetric(rng, sd, d)
        contextual_literal.gaussian(rng, sd, d)
        yield total


@pytest.mark.parametrize(("d", "eps"), [(1, 0.5), (2, 20.0), (3, 20.0), (6, 100.0)])
def test_indefinite_rounds_are_those_with_a_negative_eigenvalue(d, eps):
    """One arm, so that what is played is known."""
    instance, rounds = drawn(4, d, 1), range(1, 301)
    for name, calibration, changes in (
        ("ldp_ols", "printed", {"regularization": 0.0}),
        ("ldp_ucb", "printed", {"regularization_divisor": 100.0}),
        ("ldp_ucb", "released", {"regularization_divisor": 100.0}),
    ):
        changes = {"eps": eps, "released_noise": 1.0, **changes}
        setting = setting_of(instance, 300, calibration, changes)
        given = params(name, calibration, setting)
        sd = given.sigma if name == "ldp_ucb" else given.matrix_sd
        least = [
            np.linalg.eigvalsh(total)[0] + given.ridge + given.growth * math.sqrt(t)
            for t, total in enumerate(sums(5, instance, sd, 300), 1)
        ]
        found = column(name, trace(name, 5, instance, rounds, calibration, **changes), "indefinite")
        np.testing.assert_array_equal(found, np.cumsum(np.array(least) <= 0.0))
        assert 0 < found[-1] < 300


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", ["positive", "negative", "indefinite"])
def test_estimates_whatever_the_signs(d, kind):
    """With a shift that is part of it; the upper triangle is not read."""
    rng = np.random.default_rng(d)
    basis = np.linalg.qr(rng.normal(size=(d, d)))[0]
    signs = {"positive": np.ones(d), "negative": -np.ones(d), "indefinite": np.where(np.arange(d) % 2, 1.0, -1.0)}
    matrix = (basis * signs[kind] * rng.uniform(1, 2, d)) @ basis.T
    gram = np.where(np.tri(d) > 0, matrix - 0.7 * np.eye(d), np.nan)
    target, theta, work = rng.normal(size=d), np.empty(d), np.empty((d, d))
    for function, room in ((noisy_least_squares.estimate, np.empty((d, d + 1))), (noisy_least_squares.ellipsoid, work)):
        assert function(gram, 0.7, target, room, theta) == (kind == "positive")
        np.testing.assert_allclose(theta, np.linalg.solve(matrix, target), rtol=1e-10)
    square = target @ theta
    found = np.empty(2)
    contexts = np.array([target, 2 * target])
    noisy_least_squares.widths(contexts, work, kind == "positive", np.empty((2, d, 2)), found)
    root = math.sqrt(square) if square >= 0 else math.nan
    np.testing.assert_allclose(found, [root, 2 * root], rtol=1e-10)


def test_a_bonus_that_is_no_number_counts_as_the_largest():
    """For small shifts the matrix is indefinite in most rounds, and squared lengths are negative."""
    instance, changes = drawn(0, 3, 6), {"regularization_divisor": 400.0, "eps": 10.0}
    found = trace("ldp_ucb", 1, instance, EVERY_ROUND, **changes)
    assert 10 < found[-1, 4] < T
    expected = trace("ldp_ucb", 1, instance, EVERY_ROUND, run="run_literal", **changes)
    np.testing.assert_allclose(found[:, 0], expected[:, 0], atol=1e-9)
    assert contextual.first_best(np.array([1.0, math.nan, 3.0, math.nan])) == 1
    assert contextual.first_best(np.array([-9.0, -3.0, -3.0 + 1e-15])) == 1
    assert contextual.first_best(np.array([1.0, 3.0, 3.0 + 1e-11])) == 2


# What all share


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_give_prefixes(name):
    instance = drawn(0, 3, 4, noise=0.1)
    for calibration in ("printed", "released", "certified"):
        every = trace(name, 2, instance, EVERY_ROUND, calibration)
        some = trace(name, 2, instance, [1, 7, 40, 100], calibration, horizon=T)
        np.testing.assert_array_equal(some, every[[0, 6, 39, 99]])
        assert np.all(np.diff(every[:, 0]) >= 0)


@pytest.mark.parametrize("link", LINKS)
def test_contexts_and_means_are_the_same_whatever_the_algorithm(link, monkeypatch):
    """To the bit, and they stay as they are when another stream draws the noise."""
    instance, seen = drawn(1, 3, 4, link, noise=0.2), {}
    for name in NAMES:
        for calibration in ("printed", "released") if link == "poisson" else ("printed", "released", "certified"):
            for seed in (0, 1):
                record = seen.setdefault((name, calibration, seed), [])

                def offer(stream, problem, now, contexts, means, record=record):
                    distributions.offer(stream, problem, now, contexts, means)
                    record.append(np.concatenate([contexts.ravel(), means]))

                monkeypatch.setattr(module(name), "offer", offer)
                given = constants(name, instance, 30, calibration, **of_link(link))
                rng, stream = np.random.default_rng(seed), instance_stream(instance)
                module(name).play.py_func(rng, stream, instance, *given, np.array([30]))
    first = np.array(next(iter(seen.values())))
    assert first.shape == (30, 16)
    assert len(np.unique(first)) == first.size
    for record in seen.values():
        np.testing.assert_array_equal(record, first)


def test_theta_0_is_0_and_then_the_first_arm_is_played():
    """Of ten arms; a random start plays others."""
    instances = [drawn(seed, 2, 10) for seed in range(20)]
    for name in ("ldp_ols", "ldp_sgd"):
        for start in (0.0, 1.0):
            first = 0
            for seed, instance in enumerate(instances):
                contexts, means = np.empty((10, 2)), np.empty(10)
                distributions.offer(instance_stream(instance), instance, 0, contexts, means)
                lost = trace(name, seed, instance, [1], released_start=start)[0, 0]
                first += lost == means.max() - means[0]
            assert first == 20 if start == 0.0 else first < 8


# Outputs


def test_errors_by_hand():
    error, direction = contextual.errors(np.array([1.0, 0.0]), np.array([3.0, 4.0]))
    assert error == pytest.approx(math.sqrt(20))
    assert direction == pytest.approx(math.sqrt(0.16 + 0.64))
    assert contextual.errors(np.zeros(3), np.array([0.0, 0.0, 2.0])) == (2.0, math.sqrt(2.0))


def test_regret_is_compensated():
    values = np.random.default_rng(0).random(200_000) * 10.0 ** np.random.default_rng(1).integers(-12, 1, 200_000)
    total, plain = np.array([1e6, 0.0]), 1e6
    for value in values:
        contextual.add(total, value)
        plain += value
    exact = math.fsum([1e6, *values])
    assert total[0] == pytest.approx(exact, rel=2e-16)
    assert abs(plain - exact) > 1e-9


def test_clipped_counts_gradients_longer_than_the_bound():
    """theta stays 0 without steps: in round t the gradient is -r x, of length |r| for contexts of norm 1."""
    instance, horizon = drawn(3, 3, 1), 200
    stream, contexts, means, longer = instance_stream(instance), np.empty((1, 3)), np.empty(1), []
    for t in range(horizon):
        distributions.offer(stream, instance, t, contexts, means)
        longer.append(abs(means[0]) > 0.4)
    for gaussian, calibration in ((0.0, "printed"), (1.0, "printed"), (1.0, "certified")):
        changes = {"step": 0.0, "bound": 0.4, "gaussian": gaussian}
        found = trace("ldp_sgd", 0, instance, range(1, horizon + 1), calibration, **changes)
        np.testing.assert_allclose(column("ldp_sgd", found, "clipped"), np.cumsum(longer) / EVERY[:horizon])
    assert 20 < sum(longer) < 180


EVERY = np.arange(1, 1001)


def test_the_bonus_of_the_arm_played_by_hand():
    """One arm, contexts of norm 1, an immense budget, as released: V is I + sum x x' up to 1e-3, and c_t about 0."""
    instance = drawn(1, 2, 1)
    changes = {"eps": 1e9, "bonus": 3.0}
    sigma = 6 * math.sqrt(2 * math.log(250)) / 1e9
    upsilon = sigma * (4 * math.sqrt(2) + 2 * math.log(2 * 20 / 0.1))
    stream, contexts, means, V, expected = instance_stream(instance), np.empty((1, 2)), np.empty(1), np.eye(2), []
    for t in range(20):
        distributions.offer(stream, instance, t, contexts, means)
        x, n = contexts[0], max(t, 1)
        log_T, now = math.log(20), upsilon * math.sqrt(n)
        beta = 2 * sigma * math.sqrt(2 * log_T) + 2 * log_T * (math.sqrt(3 * now) + sigma * math.sqrt(2 * n / now))
        expected.append(3 * beta * math.sqrt(x @ np.linalg.solve(V, x)))
        V = V + np.outer(x, x)
    found = trace("ldp_ucb", 0, instance, range(1, 21), "released", **changes)
    found = column("ldp_ucb", found, "bonus_mean")
    np.testing.assert_allclose(found, np.cumsum(expected) / EVERY[:20], rtol=1e-3)


@pytest.mark.parametrize(("calibration", "ridge"), [("printed", 0.0), ("released", 1.0), ("certified", 0.0)])
def test_the_first_bonus_of_ucb_is_that_of_a_matrix_that_starts_at_the_ridge(calibration, ridge):
    """beta_1 over the root of ridge + c_1 for a unit vector; eps = 1e4, at which c_1 is small."""
    instance = drawn(1, 2, 1)
    changes = {"eps": 1e4, "regularization_divisor": 10.0}
    given = params("ldp_ucb", calibration, setting_of(instance, 100, calibration, changes))
    found = trace("ldp_ucb", 0, instance, [1], calibration, horizon=100, **changes)
    assert given.growth < 0.3
    assert found[0, 3] == pytest.approx((given.base + given.rise) / math.sqrt(ridge + given.growth), rel=1e-12)


def test_the_error_of_the_decision_parameter():
    """Of ldp_gloc, almost without noise: theta~ solves (V + I c) theta~ = sum x x' theta^, so it follows theta^."""
    instance = drawn(0, 2, 5)
    found = trace("ldp_gloc", 0, instance, [200, 20_000], eps=1e7, rate_factor=2.0)
    error, decision = column("ldp_gloc", found, "error"), column("ldp_gloc", found, "decision_error")
    assert error[1] < 0.02
    assert error[1] < decision[1] < 0.1
    assert np.all(decision > 0)


def test_arguments_that_would_overflow_are_cut():
    """exp of 20 and no more, where mu is not linear; lengths beyond every bound are cut anyway."""
    assert noisy_gradient.safe(0) == math.inf
    assert noisy_gradient.safe(1) == noisy_gradient.safe(2) == 20.0
    x = np.array([1e6])
    assert noisy_gradient.residual(2, x, np.ones(1), 1.0, 20.0) == pytest.approx(math.exp(20) - 1)
    assert noisy_gradient.residual(1, -x, np.ones(1), 1.0, 20.0) == pytest.approx(-1)
    assert noisy_gradient.residual(0, x, np.ones(1), 1.0, math.inf) == 1e6 - 1
