"""Bounds for Bernoulli arms and contexts: transcriptions, numbers by hand, and their entries."""

import math
from inspect import signature

import numpy as np
import pytest

from dpbandits.base.registry import ALGORITHMS, BOUNDS
from dpbandits.environments.contextual import sphere_contexts
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.theory.registry import TABLE

from .bounds import regret_lower_bound, regret_rate, value

MEANS = np.array([0.375, 0.75, 0.25, 0.625, 0.5])
WEIGHTS = {name: 0.5 + k for k, name in enumerate(TABLE["regret_rate"].weights)}  # all different


@pytest.mark.parametrize("name", TABLE)
def test_entries(name):
    """A bound is not an algorithm; its kind of instance exists; `regret` takes no random stream."""
    assert name not in ALGORITHMS.places()
    assert TABLE[name].arms in {family.arms for family in FAMILIES.values()}
    assert list(signature(BOUNDS.module(name).regret).parameters) == ["instance", "setting", "rounds"]
    assert TABLE[name].label
    assert TABLE[name].reference


@pytest.mark.parametrize(
    ("name", "transcription"), [("regret_lower_bound", regret_lower_bound), ("regret_rate", regret_rate)]
)
@pytest.mark.parametrize("eps", [0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("means", [MEANS, np.array([0.9, 0.85]), np.array([0.0, 0.2, 0.0]), np.full(3, 0.5)], ids=str)
def test_bounds_and_their_transcription_agree(name, transcription, eps, means):
    rounds = [1, 2, 10, 5000, 10**8]
    weights = WEIGHTS if name == "regret_rate" else {}
    found = value(name, means, rounds, eps, **weights)
    assert found.shape == (5,)
    assert (np.diff(found, prepend=0.0) >= 0).all()
    np.testing.assert_allclose(found, transcription(means, rounds, eps, **weights), rtol=1e-7)


def test_lower_bound_by_hand():
    """Without privacy gap ln t / kl, kl(1/4, 3/4) = ln(3) / 2; for a small budget ln t / eps an arm, nearly."""
    means, rounds = np.array([0.25, 0.75]), [1, 1000]
    free = value("regret_lower_bound", means, rounds, 1e6)
    assert free == pytest.approx([0.0, 0.5 * math.log(1000) / (0.5 * math.log(3))])
    dear = value("regret_lower_bound", np.array([0.75, 0.25, 0.5]), rounds, 1e-4)[1]
    assert dear == pytest.approx(2 * math.log(1000) / 1e-4, rel=1e-3)
    # eps = ln 3: z has log-odds ln 3 - ln 3 = 0, z = 1/2: d = ln(3) / 4 + kl(1/2, 3/4), kl = ln(4 / 3) / 2
    between = value("regret_lower_bound", means, rounds, math.log(3))[1]
    assert between == pytest.approx(0.5 * math.log(1000) / (math.log(3) / 4 + math.log(4 / 3) / 2))


RATES_BY_HAND = {  # K = 3, D = 1/4, eps = 1/2, t = 100: ln t = 4.605170, ln K = 1.098612
    "root_arms": 37.169222,  # sqrt(300 * 4.605170)
    "root_log_arms": 10.481471,  # sqrt(109.8612)
    "arms_log_over_eps": 27.631021,
    "log_arms_over_gap": 4.394449,
    "log_arms_over_eps": 2.197225,
    "log_arms_over_least": 4.394449,  # min(D, eps) = 1/4
    "log_arms_log_over_eps": 10.118594,  # 2 * 1.098612 * 4.605170
}


@pytest.mark.parametrize("rate", RATES_BY_HAND)
def test_rates_by_hand(rate):
    """One weight of 2 at a time."""
    found = value("regret_rate", np.array([0.5, 0.75, 0.25]), [100], 0.5, **{rate: 2.0})[0]
    assert found == pytest.approx(2 * RATES_BY_HAND[rate], rel=1e-6)
    assert set(RATES_BY_HAND) == set(WEIGHTS)


def test_the_lesser_of_gap_and_budget_is_taken():
    weights = {"log_arms_over_least": 1.0}
    means = np.array([0.5, 0.75, 0.25])
    assert value("regret_rate", means, [100], 0.01, **weights)[0] == pytest.approx(109.8612, rel=1e-6)
    assert value("regret_rate", np.full(3, 0.5), [9], 0.1, **weights)[0] == pytest.approx(10.98612, rel=1e-6)


def test_the_contextual_rate_by_hand():
    """sqrt(5 * 5) / 0.5 and sqrt(500 * 5) / 0.5."""
    (instance,) = sphere_contexts.draw(np.random.default_rng(0), 3, 5, "linear", 0.0)
    np.testing.assert_allclose(value("contextual_rate", instance, [5, 500]), [10.0, 100.0])
