"""Algorithms for contextual bandits with one parameter: what learns, what does not, where noise vanishes."""

import numpy as np
import pytest

from ..unit.contextual import column, drawn, trace

SEEDS = range(6)
T = 20_000


def final(name, calibration="printed", link="linear", horizon=T, d=2, arms=10, output="regret", **changes):
    """Of every seed, at the horizon."""
    runs = (trace(name, s, drawn(s, d, arms, link), [horizon], calibration, **changes) for s in SEEDS)
    return np.array([column(name, found, output)[0] for found in runs])


def test_random_arms_lose_the_mean_of_the_largest_context():
    """x' theta of unit vectors in the plane is the cosine of a uniform angle, whatever theta."""
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, (200_000, 10))
    lost = final("random_arms") / T
    assert lost.mean() == pytest.approx(np.cos(angles).max(axis=1).mean(), abs=0.01)
    assert np.ptp(lost) < 0.03


def test_without_privacy_least_squares_learn_at_once():
    """Exact rewards: within ten rounds nothing is left to learn."""
    plain, random = final("ldp_ols", nonprivate=1.0), final("random_arms")
    assert plain.max() < 0.02 * random.min()
    assert plain.max() < 10
    assert final("ldp_ols", nonprivate=1.0, output="error").max() < 1e-3


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_private_least_squares_become_those_without_privacy(calibration):
    plain = final("ldp_ols", nonprivate=1.0)
    for eps, times in ((1e6, 3.0), (1e8, 2.0)):
        private = final("ldp_ols", calibration, eps=eps)
        assert private.max() < times * max(plain.max(), 10.0)
    assert final("ldp_ols", calibration, eps=1.0).min() > 20 * plain.max()


def test_ucb_and_ldp_gloc_become_good_as_noise_vanishes():
    """Their bonuses are multiples of sigma, or of its root."""
    random = final("random_arms")
    for name, changes in (("ldp_ucb", {}), ("ldp_gloc", {"rate_factor": 5.0})):
        for calibration in ("printed", "certified"):
            good, poor = (final(name, calibration, eps=eps, **changes) for eps in (1e8, 1.0))
            assert good.max() < 0.02 * random.min()
            assert poor.min() > 5 * good.max()


@pytest.mark.parametrize("link", ["linear", "logistic", "poisson"])
def test_released_gradients_beat_random_arms_by_far(link):
    """At eps = 5."""
    penalty = 0.0 if link == "linear" else 0.05
    regret, random = (final(name, "released", link, eps=5.0, penalty=penalty) for name in ("ldp_sgd", "random_arms"))
    assert np.median(regret) < (0.05 if link == "linear" else 0.1) * np.median(random)
    assert regret.max() < 0.3 * random.min()


def test_certified_gradients_beat_random_arms():
    """The projection keeps theory's steps from throwing theta away for long."""
    for changes in ({}, {"schedule": 1.0, "step": 5.0, "bound": 1.0}):
        regret, random = final("ldp_sgd", "certified", eps=5.0, **changes), final("random_arms")
        assert np.median(regret) < 0.1 * np.median(random)
        assert regret.max() < 0.5 * random.min()
        assert final("ldp_sgd", "certified", eps=5.0, output="error", **changes).max() < 0.5


def test_the_printed_steps_throw_theta_far_away_first(say):
    """After one round theta is eta_1 r from 0: 1.5 / 0.04 times 2 * 1.59."""
    start = final("ldp_sgd", eps=5.0, horizon=1, output="error")
    assert np.all(np.abs(start - 37.5 * 2 * 1.5921) < 1.01)
    for eps in (0.5, 1.0, 5.0):
        regret = final("ldp_sgd", eps=eps)
        say(f"printed steps of LDP-SGD, eps {eps:g}, T {T}: regret {np.sort(regret).round().astype(int).tolist()}")
    assert np.median(regret) < 0.5 * np.median(final("random_arms"))


def test_a_smaller_bonus_helps_ucb_without_noise_to_speak_of():
    assert np.all(final("ldp_ucb", eps=1e3, bonus=0.001) < final("ldp_ucb", eps=1e3))


def test_the_broken_bonus_of_ldp_gloc_explores_no_direction():
    """It is the same for all unit vectors: what is played is greedy in theta~, whatever the factor of the bonus."""

    def regrets(slope, broken_bonus):
        changes = {"slope": slope, "broken_bonus": broken_bonus}
        return [trace("ldp_gloc", s, drawn(s, 3, 5), [50, 2000], "released", **changes)[-1, 0] for s in SEEDS]

    assert regrets(1.0, 1.0) == regrets(1e-4, 1.0)
    assert regrets(1.0, 0.0) != regrets(1e-4, 0.0)
