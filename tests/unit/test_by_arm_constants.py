"""Constants of the algorithms with a parameter for every arm, against numbers worked out by hand.

d = 4 and K = 3, so that D = 12; T = 1000, failure 0.1, eps 1, delta 0.1 where nothing else is said.
ln 25 = 3.2188758, ln 37.5 = 3.6243409, ln 20000 = 9.9034876, ln 60000 = 11.0020998, ln 1000 = 6.9077553.
"""

import math

import numpy as np
import pytest

from dpbandits.environments.contextual.problem import SPHERE, problem
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.l2_ball import sphere_radius

from .by_arms import GLOC, GRADIENT, LEAST_SQUARES, UCB, module, rounds_of
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
    assert (rules.warm_up, rules.threshold, rules.clip) == (30, 0.25, math.inf)


@pytest.mark.parametrize(("delta", "sd"), [(0.1, 15.22), (0.01, 19.94), (1e-5, 29.91)])
def test_least_squares_as_released(delta, sd):
    """6 sqrt(2 ln(2.5 / delta)); the shift is 2 sd (8 + 2 ln 20000) times the root of the round."""
    (rules,) = params(LEAST_SQUARES, "released", delta=delta, threshold=0.25)
    assert rules.vector_sd == rules.matrix_sd == close(sd, abs=0.006)
    assert rules.shift == close(2 * rules.vector_sd * 27.8069751, rel=1e-8)
    assert rules.warm_up == 30
    assert rounds_of(LEAST_SQUARES, [rules]).__name__ == f"{module(LEAST_SQUARES).__name__}_released"


@pytest.mark.parametrize(("eps", "delta", "sd"), [(0.5, 0.01, 6.676), (1.0, 0.1, 2.303), (5.0, 1e-5, 1.892)])
def test_least_squares_as_certified(eps, delta, sd):
    """sqrt 4.5 / mu for all K messages together, with the budget of one."""
    (rules,) = params(LEAST_SQUARES, "certified", eps=eps, delta=delta)
    assert rules.vector_sd == rules.matrix_sd == close(sd, abs=6e-4)
    assert rules.shift == close(2 * rules.vector_sd * 30.0041996, rel=1e-8)
    assert (rules.threshold, rules.clip) == (math.inf, 1.0)


def test_gradient_steps_as_printed():
    """Psi of eps / 2 and R = 2; eta = 1.1 * 3 / (0.3 n) = 11 / n."""
    rules, ball, step = params(GRADIENT, "printed", tuned=1.0)
    assert ball.bound == 2.0
    assert ball.radius == close(sphere_radius(0.5, 4, 2.0))
    assert ball.keep == close(1 / (1 + math.exp(-0.5)))
    assert step == (close(11.0), math.inf)
    assert rules == (30, math.inf, math.inf)


def test_gradient_steps_as_released():
    """One message for all arms on the sphere of d = 20, too small by 0.5726; 15 / t, or 20 sqrt 3 / (200 t).

    The shift of the warm-up is 2 sd (4 sqrt 20 + 2 ln 20000) = 2 * 15.223635 * 37.6955193.
    """
    instance = problem(np.random.default_rng(0), SPHERE, np.eye(20)[:3], 3)
    rules, ball, step = params_of(GRADIENT, "released", instance, 1000, threshold=0.5)
    assert (ball.bound, ball.keep) == (1.0, close(0.7310585786))
    assert ball.radius == close(11.978, abs=6e-4)
    assert ball.radius / sphere_radius(1.0, 60, 1.0) == close(0.5726, abs=6e-5)
    assert step == (15.0, 0.05)
    assert rules == (30, close(15.223635, rel=1e-7), close(1147.72563, rel=1e-8))
    assert rounds_of(GRADIENT, [rules]).__name__ == f"{module(GRADIENT).__name__}_released"
    assert params_of(GRADIENT, "released", instance, 1000, scheme=2.0)[2] == (close(0.173205081), 0.0)


def test_gradient_steps_as_certified():
    """The whole eps, R = 2; tuned R = 1 and 5 / n."""
    rules, ball, step = params(GRADIENT, "certified")
    assert ball == (2.0, close(0.7310585786), close(sphere_radius(1.0, 4, 2.0)))
    assert step == (close(11.0), 1.0)
    assert rules == (30, math.inf, 1.0)
    _, ball, step = params(GRADIENT, "certified", tuned=1.0)
    assert ball == (1.0, close(0.7310585786), close(sphere_radius(1.0, 4, 1.0)))
    assert step == (5.0, 1.0)


def ucb_width(sigma, t, dimension):
    """beta_t of LDP-UCB, with its Upsilon_t; ln T = 6.90775528."""
    upsilon = sigma * math.sqrt(t) * (4 * math.sqrt(dimension) + 2 * 9.90348755)
    part = math.sqrt(3 * upsilon) + sigma * math.sqrt(dimension * t / upsilon)
    return 2 * sigma * math.sqrt(dimension * 6.90775528) + part * dimension * 6.90775528


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
@pytest.mark.parametrize("bonus", [1.0, 0.01])
def test_the_rules_of_ucb(calibration, bonus):
    """sigma = 6 sqrt(2 ln 25) = 15.223635, or 2.303; shift 2 sigma (4 sqrt 12 + 2 ln 20000), released 4 sqrt 4."""
    clip, server = params(UCB, calibration, bonus=bonus)
    sigma = 2.303 if calibration == "certified" else 15.223635
    dimension, spread = (4, 27.8069751) if calibration == "released" else (12, 33.66338157)
    assert server.sd == close(sigma, rel=3e-4)
    assert server.shift == close(2 * server.sd * spread, rel=1e-7)
    for t in (1, 10, 777):
        assert server.base + server.growth * t**0.25 == close(bonus * ucb_width(server.sd, t, dimension), rel=1e-7)
    assert (clip, server.lazy) == (1.0 if calibration == "certified" else math.inf, 200)


def test_the_released_width_of_ucb_by_hand():
    """Upsilon_1 = 15.223635 * 27.8069751 = 423.3232; at t = 1 160.0467 + (35.6366 + 1.4798) 27.6310 = 1185.61."""
    _, server = params(UCB, "released")
    assert server.shift == close(846.6464, rel=1e-6)
    assert server.base == close(160.04674, rel=1e-7)
    assert server.base + server.growth == close(1185.6126, rel=1e-7)


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_the_rules_of_ldp_gloc(calibration):
    """sigma = 6 sqrt(2 ln 37.5) = 16.154026, in the released code 15.223635; certified 12 / 4.5 times the variance."""
    rules, server = params(GLOC, calibration)
    sigma = {"printed": 16.154026, "released": 15.223635, "certified": 2.303 * math.sqrt(12 / 4.5)}[calibration]
    gradient = sigma if calibration == "certified" else 2 * sigma
    assert (server.sd, rules.gradient_sd) == (close(sigma, rel=3e-4), close(gradient, rel=3e-4))
    assert server.shift == close(2 * sigma * 33.66338157, rel=3e-4)
    for t in (1, 10, 777):
        assert (server.base + server.growth * t**0.25) ** 2 == close(sigma * math.sqrt(12 * t), rel=3e-4)
    assert rules.step == close(0.0316227766)
    starts_and_norm = (1.0, math.inf) if calibration == "released" else (0.0, 1.0)
    assert (rules.start, rules.norm) == starts_and_norm
    assert rules.clip == (1.0 if calibration == "certified" else math.inf)
    assert rounds_of(GLOC, [rules]) is module(GLOC)


def test_ldp_gloc_as_released():
    """One sigma, twice it for gradients; c_t and beta_t of UCB with d = 4; zeta = 1 / sqrt T, or 12 / (1000 sqrt T)."""
    for calibration in ("printed", "certified"):
        assert params(GLOC, calibration, broadcast=1.0, scheme=2.0) == params(GLOC, calibration)
    for scheme, zeta in ((1.0, 0.0316227766), (2.0, 0.000379473319)):
        rules, server = params(GLOC, "released", broadcast=1.0, scheme=scheme)
        assert server.sd == close(15.223635, rel=1e-7)
        assert server.shift == close(2 * 15.223635 * 27.8069751, rel=1e-7)
        assert rules == (close(30.44727, rel=1e-7), close(zeta))
        assert rounds_of(GLOC, [rules]).__name__ == f"{module(GLOC).__name__}_released"
        for t in (1, 10, 777):
            assert server.base + server.growth * t**0.25 == close(ucb_width(15.223635, t, 4), rel=1e-6)
        assert params(GLOC, "released", scheme=scheme)[0][1:3] == rules


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


def test_two_users_of_ldp_gloc_are_no_farther_apart_than_asked_for():
    """Of the parts with one arm at most 2, 1 and (1 + 2)^2, with two arms 2, 2 and 8, all at once: 12."""
    request = module(GLOC).requests({"eps": 1.0, "delta": 0.1})["sd"]
    assert request.sensitivity == close(math.sqrt(12.0))
    assert 9 < farthest(True, lambda z, r: [z, z - r]) < 12
    assert farthest(False, lambda z, r: [z, z - r]) == close(12.0, rel=1e-2)
    assert least_noise(request) == close(3.761, abs=2e-3)
