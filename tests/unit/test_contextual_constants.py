"""Constants of the algorithms for contextual bandits with one parameter, against formulas worked out here."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from dpbandits.algorithms.glm_single.ldp_gloc import LARGEST
from dpbandits.algorithms.glm_single.ldp_gloc_broken_bonus import BrokenBonus
from dpbandits.algorithms.glm_single.noisy_gradient import Steps, step_size
from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.problem import LOGISTIC, POISSON

from .contextual import module, params

BUDGETS = [(0.5, 0.01), (1.0, 0.01), (5.0, 1e-5)]
d, T, ALPHA = 3.0, 1e4, 0.1
SPREAD = 4 * math.sqrt(3) + 2 * math.log(2e5)
SETTING = {
    "eps": 1.0,
    "delta": 0.01,
    "T": T,
    "arms": 10.0,
    "dimension": d,
    "failure": ALPHA,
    "regularization": 2.0,
    "regularization_divisor": 1.0,
    "bonus": 1.0,
    "bound": 2.0,
    "step": 1.5,
    "offset": 1.0,
    "curvature": 0.04,
    "slope": 0.5,
    "loss_bound": 2.0,
    "rate_factor": 1.0,
    "penalty": 0.0,
    **dict.fromkeys(("nonprivate", "gaussian", "half_noise", "broken_bonus", "schedule"), 0.0),
    **dict.fromkeys(("released_noise", "released_start", "released_gradient"), 0.0),
}


def found(name, calibration="printed", **changes):
    return params(name, calibration, {**SETTING, **changes})


def least_sd(sensitivity, eps, delta):
    """By the curve of the Gaussian mechanism, Phi and all."""

    def excess(mu):
        return stats.norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * stats.norm.cdf(-mu / 2 - eps / mu) - delta

    return sensitivity / optimize.brentq(excess, 1e-3, 30, xtol=1e-13)


def approx(value):
    return pytest.approx(value, rel=1e-9)


# LDP-OLS


@pytest.mark.parametrize(("eps", "delta"), BUDGETS)
def test_least_squares(eps, delta):
    s = 2 * math.sqrt(2 * math.log(1.25 / delta)) / eps
    sigma = 6 * math.sqrt(2 * math.log(2.5 / delta)) / eps
    least = least_sd(math.sqrt(4.5), eps, delta)
    budget = {"eps": eps, "delta": delta, "released_start": 1.0}
    for name, changes, matrix, vector, c in (
        ("printed", {}, 2 * s, s, 2 * s * SPREAD),
        ("printed", {"regularization": 0.5}, 2 * s, s, 0.5 * s * SPREAD),
        ("released", {"released_noise": 1.0, "regularization": 0.0}, sigma, sigma, 0),
        ("released", {"released_noise": 1.0}, sigma, sigma, 2 * sigma * SPREAD),
        ("certified", {}, least, least, 2 * least * SPREAD),
        ("certified", {"released_noise": 1.0}, least, least, 2 * least * SPREAD),
    ):
        given = found("ldp_ols", name, **budget, **changes)
        assert (given.matrix_sd, given.vector_sd, given.growth) == (approx(matrix), approx(vector), approx(c))
        assert (given.random_start, given.ridge, given.cut) == (1, 0, int(name == "certified"))


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_open_least_squares_are_ridge_regression(calibration):
    given = found("ldp_ols", calibration, nonprivate=1.0, released_noise=1.0)
    assert (given.matrix_sd, given.vector_sd, given.ridge, given.growth, given.cut) == (0, 0, 1, 0, 0)
    assert module("ldp_ols").requests({**SETTING, "nonprivate": 1.0}) == {}


@pytest.mark.parametrize(
    ("eps", "delta", "sigma"),
    [
        (0.5, 0.1, 3.301),
        (0.5, 0.01, 6.676),
        (0.5, 1e-5, 14.917),
        (1, 0.1, 2.303),
        (1, 0.01, 3.984),
        (1, 1e-5, 7.914),
        (5, 0.1, 0.902),
        (5, 0.01, 1.208),
        (5, 1e-5, 1.892),
    ],
)
def test_certified_noise_is_what_an_independent_accountant_found(eps, delta, sigma):
    for name in ("ldp_ols", "ldp_ucb"):
        given = found(name, "certified", eps=eps, delta=delta)
        assert getattr(given, "matrix_sd", getattr(given, "sigma", 0)) == pytest.approx(sigma, abs=5.1e-4)


@pytest.mark.parametrize(("delta", "sigma"), [(0.1, 15.22), (0.01, 19.94), (1e-5, 29.91)])
def test_released_noise_at_eps_1(delta, sigma):
    given = found("ldp_ols", "released", delta=delta, released_noise=1.0)
    assert given.matrix_sd == pytest.approx(sigma, abs=0.0051)


def test_the_shift_dominates_for_as_long_as_it_should():
    """(c / 0.122)^2 rounds at eps = 1, T = 1e6, d = 2: 1.6e7 printed, 7e6 certified."""
    for calibration, rounds in (("printed", 1.6e7), ("certified", 6.6e6)):
        growth = found("ldp_ols", calibration, dimension=2.0, T=1e6).growth
        assert (growth / 0.122) ** 2 == pytest.approx(rounds, rel=0.02)


def unit_vectors(rng, n):
    angles = rng.uniform(0, 2 * math.pi, n)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def products(x):
    """x x' on and below the diagonal, of the rows of x."""
    return np.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], x[:, 1] ** 2], axis=1)


def test_no_two_users_messages_are_further_apart_than_root_4_5():
    """Random pairs of users come close to it and never beyond."""
    rng, n = np.random.default_rng(0), 100_000
    x, y, r, q = unit_vectors(rng, n), unit_vectors(rng, n), rng.choice([-1.0, 1.0], n), rng.uniform(-1, 1, n)
    squares = [
        np.sum((products(x) - products(y)) ** 2, axis=1) + np.sum((r[:, None] * x - other * y) ** 2, axis=1)
        for other in (q[:, None], 1.0)
    ]
    asked = module("ldp_ols").requests(SETTING)["sd"]
    assert 0.999 * 4.5 < np.max(squares) <= asked.sensitivity**2 + 1e-12
    assert (asked.mechanism, asked.eps, asked.delta, asked.n) == ("gaussian", 1.0, 0.01, 1)


# LDP-SGD


@pytest.mark.parametrize(
    ("eps", "dimension", "radius"), [(0.5, 2, 6.4135), (1, 2, 3.3991), (5, 2, 1.5921), (1, 20, 11.9783)]
)
def test_gradients_are_sent_on_a_sphere(eps, dimension, radius):
    for calibration in ("printed", "released", "certified"):
        for bound in (1.0, 2.0):
            channel = found("ldp_sgd", calibration, eps=eps, dimension=dimension, bound=bound).channel
            assert channel == (
                bound,
                approx(math.exp(eps) / (1 + math.exp(eps))),
                pytest.approx(bound * radius, rel=2e-5),
            )
    assert module("ldp_sgd").requests(SETTING) == {}


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_steps(calibration):
    """Of rounds 1 and 9: c' / (0.04 * 0.5 t); 5 / t; 1 / (t + 49); 4 sqrt(10) 3 / (1000 sqrt t)."""
    for changes, first, ninth in (
        ({}, 75.0, 75.0 / 9),
        ({"schedule": 1.0, "step": 5.0}, 5.0, 5 / 9),
        ({"schedule": 1.0, "step": 1.0, "offset": 50.0}, 1 / 50, 1 / 58),
        ({"schedule": 2.0, "step": 4.0}, 0.012 * math.sqrt(10), 0.004 * math.sqrt(10)),
    ):
        steps = found("ldp_sgd", calibration, **changes).steps
        assert (step_size(steps, 1), step_size(steps, 9)) == (approx(first), approx(ninth))
    assert step_size(Steps(6.0, 1.0, 1), 4) == 3.0


def test_projection_and_penalty():
    """Only certified steps with Psi are projected: with Gaussian messages theta* is longer than 1."""
    for gaussian in (0.0, 1.0):
        for calibration in ("printed", "released", "certified"):
            rules = found("ldp_sgd", calibration, gaussian=gaussian, penalty=0.05, released_start=1.0).rules
            assert rules == (1, 0.05, 1.0 if calibration == "certified" and not gaussian else math.inf)


@pytest.mark.parametrize(("eps", "delta"), BUDGETS)
def test_gaussian_noise_on_gradients(eps, delta):
    """1 / eps on whatever it is; certified, 2 G / mu on what is cut to G."""
    changes = {"gaussian": 1.0, "eps": eps, "delta": delta, "bound": 1.7}
    for calibration, sd, cut in (
        ("printed", 1 / eps, math.inf),
        ("released", 1 / eps, math.inf),
        ("certified", least_sd(3.4, eps, delta), 1.7),
    ):
        assert found("ldp_sgd", calibration, **changes).channel == (1.7, cut, approx(sd))


# LDP-UCB


@pytest.mark.parametrize(("eps", "delta"), BUDGETS)
def test_ucb(eps, delta):
    """Also beta_t at t = 16, where Upsilon_t is four times Upsilon_1; V starts at the identity in the released code."""
    printed = 6 * math.sqrt(2 * math.log(2.5 / delta)) / eps
    for calibration, sigma in (
        ("printed", printed),
        ("released", printed),
        ("certified", least_sd(math.sqrt(4.5), eps, delta)),
    ):
        for divisor in (1.0, 10.0):
            given = found("ldp_ucb", calibration, eps=eps, delta=delta, regularization_divisor=divisor, bonus=0.01)
            assert (given.sigma, given.growth) == (approx(sigma), approx(2 * sigma * SPREAD / divisor))
            assert (given.ridge, given.cut) == (int(calibration == "released"), int(calibration == "certified"))
        log_T, Upsilon = math.log(T), 4 * sigma * SPREAD
        first = 2 * sigma * math.sqrt(3 * log_T)
        second = math.sqrt(3 * Upsilon) + sigma * math.sqrt(3 * 16 / Upsilon)
        assert given.base + 2 * given.rise == approx(0.01 * (first + second * 3 * log_T))
        assert given.base == approx(0.01 * first)


# LDP-GLOC


@pytest.mark.parametrize(("eps", "delta"), BUDGETS)
@pytest.mark.parametrize(("C", "squared"), [(1.0, 3.9334), (2.0, 9.3185)])
def test_ldp_gloc(eps, delta, C, squared):
    three, two = (6 * math.sqrt(2 * math.log(part / delta)) / eps for part in (3.75, 2.5))
    least = least_sd(math.sqrt(squared), eps, delta)
    released = {"released_noise": 1.0, "released_gradient": 1.0, "released_start": 1.0}
    for calibration, changes, server, user, gradient in (
        ("printed", {}, three, three, C * three),
        ("printed", {"half_noise": 1.0}, three, three, C * three),
        ("released", released, three, two, two),
        ("released", {**released, "half_noise": 1.0}, three, two / 2, two / 2),
        ("certified", {}, least, least, least),
        ("certified", {**released, "half_noise": 1.0}, least, least, least),
    ):
        given = found("ldp_gloc", calibration, eps=eps, delta=delta, loss_bound=C, rate_factor=7.0, **changes)
        rules, free, certified = given.rules, calibration == "released", calibration == "certified"
        assert (rules.user_sd, rules.gradient_sd) == (approx(user), approx(gradient))
        assert (rules.shift, given.bonus.squared) == (approx(2 * server * SPREAD), approx(server / 0.5))
        assert rules.rate == approx(0.07)
        assert (rules.largest, rules.norm) == ((5.0, math.inf) if free else (math.inf, 1.0))
        assert rules.random_start == int("released_start" in changes)
        least = {1.0: 0.0, 2.0: -1.0}[C]
        clips = (1.0, least, 1.0) if certified else (math.inf, -math.inf, math.inf)
        assert (rules.clip, rules.least, rules.most) == clips
    assert isinstance(found("ldp_gloc", broken_bonus=1.0).bonus, BrokenBonus)
    assert not isinstance(found("ldp_gloc").bonus, BrokenBonus)
    assert LARGEST == 5


def test_slopes_and_bounds_that_the_module_names():
    """The least of mu' on [-1, 1], by differences."""
    z = np.linspace(-1, 1, 20_001)
    for link, slope in ((LOGISTIC, math.exp(-1) / (1 + math.exp(-1)) ** 2), (POISSON, math.exp(-1))):
        values = np.array([distributions.mean_reward(link, each) for each in z])
        assert np.diff(values).min() / (z[1] - z[0]) == pytest.approx(slope, rel=2e-4)


@pytest.mark.parametrize(("C", "logistic"), [(1.0, True), (2.0, False)])
def test_no_two_users_messages_to_ldp_gloc_are_further_apart_than_asked(C, logistic):
    """Rewards of all sizes, cut as certified. Logistic ones cut to [-1, 1] would be."""
    rng, n = np.random.default_rng(0), 200_000
    theta, asked = unit_vectors(rng, n), module("ldp_gloc").requests({**SETTING, "loss_bound": C})["sd"]

    def largest(least, nearly_opposite):
        angles, other = rng.uniform(0, 2 * math.pi, n), rng.uniform(0, 2 * math.pi, n)
        if nearly_opposite:
            other = angles + math.pi + rng.normal(0, 0.4, n)
        users = []
        for at in (angles, other):
            x, r = np.stack([np.cos(at), np.sin(at)], axis=1), np.clip(3 * rng.normal(size=n), least, 1.0)
            z = np.sum(x * theta, axis=1)
            size = (1 / (1 + np.exp(-z)) if logistic else z) - r
            users.append(np.concatenate([products(x), z[:, None] * x, size[:, None] * x], axis=1))
        return np.sum((users[0] - users[1]) ** 2, axis=1).max()

    least = found("ldp_gloc", "certified", loss_bound=C).rules.least
    squares = max(largest(least, opposite) for opposite in (False, True))
    assert 0.9 * asked.sensitivity**2 < squares < asked.sensitivity**2
    if logistic:
        assert max(largest(-1.0, opposite) for opposite in (False, True)) > asked.sensitivity**2
