"""Constants of the algorithms with a parameter for every arm, against numbers worked out by hand.

d = 4 and K = 3, so that D = 12; T = 1000, failure 0.1, eps 1, delta 0.1 where nothing else is said.
ln 25 = 3.2188758, ln 37.5 = 3.6243409, ln 20000 = 9.9034876, ln 60000 = 11.0020998, ln 1000 = 6.9077553.
"""

import math

import numpy as np
import pytest

from dpbandits.contexts.problem import SPHERE, problem
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.l2_ball import sphere_radius

from .by_arms import GLOC, GRADIENT, LEAST_SQUARES, UCB, module
from .by_arms import params as params_of

INSTANCE = problem(np.random.default_rng(0), SPHERE, np.eye(4)[:3], 3)
close = pytest.approx


def params(name, calibration, **changes):
    return params_of(name, calibration, INSTANCE, 1000, **changes)


def test_least_squares_as_printed():
    """s = 4 sqrt(2 ln 25) at half of eps and delta; c = 2 s (8 + 2 ln 60000)."""
    (rules,) = params(LEAST_SQUARES, "printed", threshold=0.25)
    assert rules.vector_sd == close(10.149089, rel=1e-6)
    assert rules.matrix_sd == close(20.298177, rel=1e-6)
    assert rules.shift == close(20.298177 * 30.0041996, rel=1e-6)
    assert (rules.warm_up, rules.threshold, rules.ridge, rules.clip) == (30, 0.25, 0.0, 0)


@pytest.mark.parametrize(("delta", "sd"), [(0.1, 15.22), (0.01, 19.94), (1e-5, 29.91)])
def test_least_squares_as_released(delta, sd):
    """6 sqrt(2 ln(2.5 / delta)); with scheme 2 the shift is 2 sd (8 + 2 ln 20000)."""
    (rules,) = params(LEAST_SQUARES, "released", delta=delta, threshold=0.25)
    assert rules.vector_sd == rules.matrix_sd == close(sd, abs=0.006)
    assert (rules.shift, rules.ridge, rules.threshold, rules.clip) == (0.0, 0.0, math.inf, 0)
    (rules,) = params(LEAST_SQUARES, "released", delta=delta, scheme=2.0)
    assert rules.shift == close(2 * rules.vector_sd * 27.8069751, rel=1e-8)


@pytest.mark.parametrize(("eps", "delta", "sd"), [(0.5, 0.01, 6.676), (1.0, 0.1, 2.303), (5.0, 1e-5, 1.892)])
def test_least_squares_as_certified(eps, delta, sd):
    """sqrt 4.5 / mu for all K messages together, with the budget of one."""
    (rules,) = params(LEAST_SQUARES, "certified", eps=eps, delta=delta)
    assert rules.vector_sd == rules.matrix_sd == close(sd, abs=6e-4)
    assert rules.shift == close(2 * rules.vector_sd * 30.0041996, rel=1e-8)
    assert (rules.threshold, rules.ridge, rules.clip) == (math.inf, 0.0, 1)


def test_nothing_but_a_ridge_without_noise():
    for calibration in ("printed", "released", "certified"):
        (rules,) = params(LEAST_SQUARES, calibration, open=1.0)
        assert rules[2:] == (0.0, 0.0, 0.0, 1.0, int(calibration == "certified"))
        assert params(UCB, calibration, open=1.0)[2][:5] == (0.0, 0.0, 1.0, 1.0, 0.0)
        rules, server = params(GLOC, calibration, open=1.0)
        assert (rules.gradient_sd, *server[:5]) == (0.0, 0.0, 0.0, 1.0, 1.0, 0.0)
        rules, ball, _ = params(GRADIENT, calibration, open=1.0, stacked=1.0)
        assert (rules.sd, ball.radius, ball.stacked) == (0.0, 0.0, 0.0)


def test_gradient_steps_as_printed():
    """Psi of eps / 2 and R = 2; eta = 1.1 * 3 / (0.3 n) = 11 / n."""
    rules, ball, step = params(GRADIENT, "printed", tuned=1.0, stacked=1.0)
    assert ball.bound == 2.0
    assert ball.radius == close(sphere_radius(0.5, 4, 2.0))
    assert ball.keep == close(1 / (1 + math.exp(-0.5)))
    assert ball.stacked == 0.0
    assert step == (close(11.0), 1.0, 1, 0)
    assert (rules.least_squares, rules.start, rules.clip) == (0, 0, 0)


def test_gradient_steps_as_released():
    """One message for all arms on the sphere of d = 20, too small by 0.5726; 5 / t, or 20 sqrt 3 / (1000 sqrt t)."""
    instance = problem(np.random.default_rng(0), SPHERE, np.eye(20)[:3], 3)
    rules, ball, step = params_of(GRADIENT, "released", instance, 1000, threshold=0.5)
    assert (ball.bound, ball.keep) == (1.0, close(0.7310585786))
    assert ball.stacked == close(11.978, abs=6e-4)
    assert ball.stacked / sphere_radius(1.0, 60, 1.0) == close(0.5726, abs=6e-5)
    assert step == (5.0, 1.0, 0, 0)
    assert (rules.least_squares, rules.start, rules.clip, rules.threshold) == (1, 1, 0, math.inf)
    assert rules.sd == close(15.22, abs=0.006)
    assert params_of(GRADIENT, "released", instance, 1000, scheme=2.0)[2] == (close(0.034641016), 0.5, 0, 0)


def test_gradient_steps_as_certified():
    """The whole eps, R = 2; tuned R = 1 and 5 / n; stacked in D = 12 dimensions."""
    rules, ball, step = params(GRADIENT, "certified")
    assert ball == (2.0, close(0.7310585786), close(sphere_radius(1.0, 4, 2.0)), 0.0)
    assert step == (close(11.0), 1.0, 1, 1)
    assert (rules.least_squares, rules.start, rules.clip) == (0, 0, 1)
    _, ball, step = params(GRADIENT, "certified", tuned=1.0, stacked=1.0)
    assert ball == (1.0, close(0.7310585786), close(sphere_radius(1.0, 4, 1.0)), close(sphere_radius(1.0, 12, 1.0)))
    assert step == (5.0, 1.0, 1, 1)


def ucb_width(sigma, t):
    """beta_t of LDP-UCB, with its Upsilon_t."""
    upsilon = sigma * math.sqrt(t) * (4 * math.sqrt(12) + 2 * 9.90348755)
    log_T = 6.90775528
    return (
        2 * sigma * math.sqrt(12 * log_T) + (math.sqrt(3 * upsilon) + sigma * math.sqrt(12 * t / upsilon)) * 12 * log_T
    )


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
@pytest.mark.parametrize("bonus", [1.0, 0.01])
def test_the_rules_of_ucb(calibration, bonus):
    """sigma = 6 sqrt(2 ln 25) = 15.223635, or 2.303; c_t = 2 sigma sqrt t (4 sqrt 12 + 2 ln 20000)."""
    warm_up, clip, server = params(UCB, calibration, bonus=bonus)
    sigma = 2.303 if calibration == "certified" else 15.223635
    assert server.sd == close(sigma, rel=3e-4)
    assert server.shift == close(2 * server.sd * 33.66338157, rel=1e-7)
    assert server.ridge == (1.0 if calibration == "released" else 0.0)
    for t in (1, 10, 777):
        assert server.base + server.growth * t**0.25 == close(bonus * ucb_width(server.sd, t), rel=1e-7)
    assert (warm_up, clip, server.lazy, server.broadcast) == (30, int(calibration == "certified"), 200, 0)
    tenth = params(UCB, calibration, bonus=bonus, scheme=2.0)[2].shift
    assert tenth == close(server.shift * (0.1 if calibration == "released" else 1.0))


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_the_rules_of_gloc(calibration):
    """sigma = 6 sqrt(2 ln 37.5) = 16.154026; users of the released code have 15.223635; 12 / 4.5 times the variance."""
    rules, server = params(GLOC, calibration)
    sigma = 16.154026 if calibration != "certified" else 2.303 * math.sqrt(12 / 4.5)
    users = {"printed": sigma, "released": 15.223635, "certified": sigma}[calibration]
    gradient = {"printed": 2 * sigma, "released": 15.223635, "certified": sigma}[calibration]
    assert (server.sd, rules.gradient_sd) == (close(users, rel=3e-4), close(gradient, rel=3e-4))
    assert server.shift == close(2 * sigma * 33.66338157, rel=3e-4)
    for t in (1, 10, 777):
        assert (server.base + server.growth * t**0.25) ** 2 == close(sigma * math.sqrt(12 * t), rel=3e-4)
    assert rules.step == close(0.0316227766)
    released = calibration == "released"
    assert rules.reach == (5.0 if released else math.inf)
    assert (rules.start, rules.project, rules.clip) == (released, not released, calibration == "certified")
    assert (server.ridge, server.broadcast) == (0.0, 0)


def test_the_released_bonus_of_gloc():
    """That of UCB with the server's sigma where one number is broadcast; none that counts with scheme 2."""
    for calibration in ("printed", "certified"):
        assert params(GLOC, calibration, broadcast=1.0, scheme=2.0) == params(GLOC, calibration)
    _, server = params(GLOC, "released", broadcast=1.0)
    assert server.broadcast == 1
    for t in (1, 10, 777):
        assert server.base + server.growth * t**0.25 == close(ucb_width(16.154026, t), rel=1e-6)
    _, server = params(GLOC, "released", scheme=2.0)
    assert (server.base, server.growth) == (0.0, 0.0)


# Sensitivities behind the certified noise


def unit(v):
    return v / max(1.0, np.linalg.norm(v))


def release(x, r, theta, factors):
    """What one user's message adds to the sums of an arm: lower triangle of x x', then multiples of x."""
    return np.concatenate([np.outer(x, x)[np.tril_indices(2)], *(factor * x for factor in factors(theta @ x, r))])


def farthest(alike, factors):
    """The largest squared distance found of two users with one arm, or with two, climbing from random pairs.

    Factors of x: functions of z = x' theta of the arm and of r.
    """
    rng, best = np.random.default_rng(3), 0.0

    def apart(x, y, r, s, theta, other):
        one, two = release(x, r, theta, factors), release(y, s, theta if alike else other, factors)
        return np.sum((one - two) ** 2) if alike else np.sum(one**2) + np.sum(two**2)

    for _ in range(12):
        state = [unit(3 * rng.normal(size=2)) for _ in range(4)]
        pays, found = rng.choice([-1.0, 1.0], 2), 0.0
        for step in range(400):
            moved = [unit(v + 0.6 * 0.98**step * rng.normal(size=2)) for v in state]
            paid = np.clip(pays + 0.6 * 0.98**step * rng.normal(size=2), -1, 1)
            value = apart(moved[0], moved[1], *paid, *moved[2:])
            if value > found:
                found, state, pays = value, moved, paid
        best = max(best, found)
    return best


def test_two_users_of_least_squares_are_no_farther_apart_than_asked_for():
    """sqrt 4.5 with one arm, 2 with two."""
    request = module(LEAST_SQUARES).requests({"eps": 1.0, "delta": 0.1})["sd"]
    assert (request.mechanism, request.eps, request.delta, request.n) == ("gaussian", 1.0, 0.1, 1)
    assert request == module(UCB).requests({"eps": 1.0, "delta": 0.1})["sd"]
    assert farthest(True, lambda z, r: [r]) == close(request.sensitivity**2, rel=2e-3)
    assert farthest(False, lambda z, r: [r]) == close(4.0, rel=1e-3)
    assert module(GRADIENT).requests({"eps": 1.0}) == {}


def test_two_users_of_gloc_are_no_farther_apart_than_asked_for():
    """Of the parts with one arm at most 2, 1 and (1 + 2)^2, with two arms 2, 2 and 8, all at once: 12."""
    request = module(GLOC).requests({"eps": 1.0, "delta": 0.1})["sd"]
    assert request.sensitivity == close(math.sqrt(12.0))
    assert 9 < farthest(True, lambda z, r: [z, z - r]) < 12
    assert farthest(False, lambda z, r: [z, z - r]) == close(12.0, rel=1e-2)
    assert least_noise(request) == close(3.761, abs=2e-3)
