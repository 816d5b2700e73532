"""Bounds for semi-bandits: transcriptions, and numbers by hand."""

import math

import numpy as np
import pytest

from dpbandits.theory.registry import TABLE

from .bounds import semi_bandit_lower_bound, semi_bandit_rate, value
from .semi_bandits import DRAWS, LISTS, drawn, uneven

ROUNDS = [1, 10, 100, 10**7]
WEIGHTS = {name: 0.5 + k for k, name in enumerate(TABLE["semi_bandit_rate"].weights)}  # all different
DISJOINT = [name for name in LISTS if not name.startswith("public")]


def rate(problem, rounds=(100,), eps=0.5, **weights):
    return value("semi_bandit_rate", problem, rounds, eps, **weights)


def lower_bound(problem, rounds=(100,), eps=1.0, **weights):
    return value("semi_bandit_lower_bound", problem, rounds, eps, **weights)


# Rates


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_rates_are_their_transcription(name, seed):
    for problem in (drawn(name, seed), uneven(name, seed)):
        slow = semi_bandit_rate(problem, ROUNDS, 0.3, **WEIGHTS)
        np.testing.assert_allclose(rate(problem, ROUNDS, 0.3, **WEIGHTS), slow, rtol=1e-9)


BY_HAND = {  # m = 12, K = 3, Delta = 0.9, eps = 1/2, t = 100: 9 times 1, 1 / 0.9, 4.605170 / 0.9, 4 times that
    "others": 9.0,
    "over_gap": 10.0,
    "log_over_gap": 46.05170,
    "local_log_over_gap": 184.2068,
}


@pytest.mark.parametrize("weight", WEIGHTS)
def test_rates_by_hand(weight):
    """One weight of 2 at a time."""
    assert rate(drawn("paths"), **{weight: 2.0})[0] == pytest.approx(2 * BY_HAND[weight], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bandit", 5 / 0.25),
        ("paths", 9 / 0.9),
        ("paths, least", 9 / 0.3),
        ("public", 6 / 0.6),  # m = 3 + 4 + 2
        ("public, least", 4 / 0.3),  # m = 5 + 2
        ("subsets", 3 / 0.3),  # one arm exchanged
    ],
)
def test_smallest_gaps_by_hand(name, expected):
    for seed in range(5):
        assert rate(drawn(name, seed), over_gap=1.0)[0] == pytest.approx(expected)


def test_smallest_gap_of_uneven_super_arms():
    """0.5, 0.45, 0.3 and 0.2, each three times; of subsets the third and the fourth."""
    means = np.repeat([0.3, 0.5, 0.2, 0.45], 3)
    problem = drawn("paths")._replace(means=means, values=np.full(3, 1.5))
    assert rate(problem, over_gap=1.0)[0] == pytest.approx(9 / 0.15)
    problem = drawn("subsets")._replace(means=np.array([0.1, 0.9, 0.5, 0.2, 0.7, 0.43]))
    assert rate(problem, over_gap=1.0)[0] == pytest.approx(3 / 0.07)


@pytest.mark.parametrize("name", [name for name in DRAWS if name not in [*LISTS, "subsets"]])
def test_other_decision_sets_have_no_rate(name):
    with pytest.raises(ValueError, match="smallest gap of this decision set and reward is not known"):
        rate(drawn(name), over_gap=1.0)


@pytest.mark.parametrize("reward", ["best_of", "product"])
def test_other_rewards_of_subsets_have_no_rate(reward):
    with pytest.raises(ValueError, match="smallest gap of this decision set and reward is not known"):
        rate(drawn("subsets", reward=reward), over_gap=1.0)


# Lower bounds


@pytest.mark.parametrize("eps", [0.1, 1.0, 8.0])
@pytest.mark.parametrize(
    "changes", [{}, {"channel": 1.0}, {"nonprivate": 1.0}], ids=["printed", "channel", "nonprivate"]
)
def test_lower_bounds_are_their_transcription(eps, changes):
    """Relative entropies by quadrature; several gaps where the bound is one of single arms."""
    for seed in range(3):
        names = ["bandit"] if changes else DISJOINT
        for problem in (uneven("bandit", seed),) if changes else [drawn(name, seed) for name in names]:
            slow = semi_bandit_lower_bound(problem, ROUNDS, eps, **changes)
            np.testing.assert_allclose(lower_bound(problem, ROUNDS, eps=eps, **changes), slow, rtol=1e-5)


def test_printed_lower_bound_by_hand():
    """eps = ln 3: (e^eps - 1)^2 = 4; (m - K) K ln t / (256 Delta)."""
    log_t = math.log(100)
    for name, expected in (("bandit", 5 / 0.25), ("paths", 9 * 3 / 0.9), ("paths, least", 9 * 3 / 0.3)):
        assert lower_bound(drawn(name), eps=math.log(3))[0] == pytest.approx(expected * log_t / 256)


def test_sharper_lower_bounds_by_hand():
    """kl(1/4, 1/2) = 0.1308120, five arms: 5 * 0.25 / 0.1308120 = 9.555697; for a small budget 2 / (eps^2 gap) each."""
    problem, log_t = drawn("bandit"), math.log(100)
    assert lower_bound(problem, nonprivate=1.0)[0] == pytest.approx(9.555697 * log_t, rel=1e-6)
    assert lower_bound(problem, channel=1.0, eps=60.0)[0] == pytest.approx(9.555697 * log_t, rel=1e-6)
    assert lower_bound(problem, channel=1.0, eps=1e-3)[0] == pytest.approx(5 * 2 / (1e-6 * 0.25) * log_t, rel=2e-3)
    assert lower_bound(problem, [1], channel=1.0)[0] == 0


def test_lower_bounds_are_those_of_disjoint_super_arms_or_single_arms():
    refused = [(name, {}) for name in DRAWS if name not in DISJOINT]
    refused += [("paths", {"channel": 1.0}), ("paths, least", {"nonprivate": 1.0})]
    for name, changes in refused:
        with pytest.raises(ValueError, match="no such lower bound for this decision set"):
            lower_bound(drawn(name), **changes)
