"""Claims of hu2021 that need no statistics: their numbers, the verdicts, and the mutants that turn each of them."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb, dp_se, lazy_dp_ts
from dpbandits.claims.closed_forms.hu2021 import functions as hu2021

from . import closed_verdicts as closed
from .closed_verdicts import multiply

CASES = closed.closed_cases("hu2021")
VERDICTS = {
    ("C9", "", "printed"): "holds",
    ("C19", "", "printed"): "holds",
    ("C28", "", "printed"): "holds",
}


# Arms of Anytime-Lazy-UCB


@pytest.mark.parametrize("eps", [0.3, 2.0])
@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_distributions_of_five_rounds_against_the_algorithm(eps, first, second):
    """Rewards are certain where the mean is 0 or 1: the arm of round 3, and whether round 5 has another one."""
    means, runs = np.array([float(first), abs(second - 1e-12 * (first == second))]), 4000  # a gap tells the arms
    constants = (eps, hu2021.CONSTANTS["exploration"], hu2021.CONSTANTS["privacy_bonus"])
    rounds = np.arange(1, 6)
    counts = np.zeros(3)
    for run in range(runs):
        rng = np.random.default_rng(run)
        arms = arms_of(rng, means, constants, rounds)
        counts[0 if arms[2] and arms[4] else 1 if arms[2] else 2] += 1
    stays, leaves = hu2021.sequence_distribution(first, second, 2 * first, eps)
    expected = np.array([stays, leaves, 1.0 - stays - leaves])
    keep = expected * runs > 5
    assert stats.chisquare(counts[keep], expected[keep] / expected[keep].sum() * counts[keep].sum()).pvalue > 1e-3


def arms_of(rng, means, constants, rounds):
    """Whether arm 0 is pulled, round by round, from the regret."""
    regret = anytime_lazy_ucb.run(rng, means, *constants, rounds)[:, 0]
    better = np.diff(regret, prepend=0.0) == 0.0
    return better if means[0] > means[1] else ~better


def test_probabilities_add_up_where_arms_are_alike():
    for eps in (0.1, 1.0, 3.0):
        stays, leaves = hu2021.sequence_distribution(1, 1, 1, eps)
        assert stays + leaves == pytest.approx(0.5, rel=1e-9)


def test_epsilon_of_five_rounds_is_below_eps_and_above_that_of_three():
    """The arm of round 3 tells the first two rewards apart: P(1 + L > L') against P(L > L')."""
    for eps in (0.1, 1.0, 2.0):
        ahead = 1.0 - 0.5 * math.exp(-eps) * (1.0 + 0.5 * eps)
        assert math.log(ahead / 0.5) < hu2021.epsilon_of_arms(eps) <= eps


def test_releases_beyond_batches_are_counted(monkeypatch):
    """7 pulls are batches of 1, 2 and 4, and 4 pulls are those of 1 and 2: five releases."""
    for releases, beyond in ((5.0, 0.0), (6.0, 1.0), (3.0, -2.0)):
        for algorithm in (anytime_lazy_ucb, lazy_dp_ts):
            monkeypatch.setattr(algorithm, "run", lambda *_, n=releases: np.array([[0.0, 7.0, n, 0.0]]))
        monkeypatch.setattr(hu2021, "log_spaced", lambda *_: np.array([11]))
        assert [value for _, value in hu2021.releases_beyond_batches(11, 1)] == [beyond, beyond]


@pytest.mark.parametrize(("most", "largest"), [(1, 1.0), (2, 1.5), (3, 7 / 3), (5, 15 / 5), (1000, 2047 / 513)])
def test_pulls_until_a_batch_of_at_least_n(most, largest):
    """Batches of 1, 2, 4, 8 end after 1, 3, 7, 15 pulls; the worst N is one more than a batch."""
    found = [value for _, value in hu2021.pulls_over_needed(most)]
    assert found == pytest.approx([largest, largest], rel=1e-12)


# Verdicts


def batches_that_triple(_):
    """Runs whose batches are 1, 3, 9, ...: they end after 1, 4, 13, ... pulls."""

    def run(*arguments):
        rounds = arguments[-1]
        ends = (3.0 ** np.arange(1, 12) - 1.0) / 2.0
        trace = np.zeros((len(rounds), 4))
        trace[:, 2] = np.maximum(1, np.searchsorted(ends, rounds))
        return trace

    return run


def worth(changes):
    """A run whose trace has one column changed."""
    return lambda run: lambda *arguments: changes(run(*arguments))


def one_more_release(trace):
    return trace + np.array([0.0, 0.0, 1.0, 0.0])


def with_horizon(params):
    """A budget that grows with the horizon."""
    return lambda calibration, setting, noise: params(calibration, {**setting, "eps": setting["T"]}, noise)


def with_fixed_beta(params):
    return lambda calibration, setting, noise: params(calibration, {**setting, "beta": 0.01}, noise)


MUTANTS = [
    (("C9", "", "printed"), "a budget that grows with T", (anytime_lazy_ucb, "params", with_horizon), "fails"),
    (("C9", "", "printed"), "the same of Lazy-DP-TS", (lazy_dp_ts, "params", with_horizon), "fails"),
    (("C9", "", "printed"), "DP-SE with beta = 0.01", (dp_se, "params", with_fixed_beta), "fails"),
    (("C19", "", "printed"), "half the noise", (hu2021, "noise_scale", multiply(0.5)), "fails"),
    (("C19", "", "printed"), "a reward released twice", (anytime_lazy_ucb, "run", worth(one_more_release)), "fails"),
    (
        ("C19", "", "printed"),
        "the same of Lazy-DP-TS",
        (lazy_dp_ts, "run", worth(one_more_release)),
        "fails",
    ),
    (("C28", "", "printed"), "batches that triple", (anytime_lazy_ucb, "run", batches_that_triple), "fails"),
    (("C28", "", "printed"), "the same of Lazy-DP-TS", (lazy_dp_ts, "run", batches_that_triple), "fails"),
]


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_verdicts(case):
    assert closed.verdict("hu2021", case) == VERDICTS[case]


@pytest.mark.parametrize(("case", "what", "change", "expected"), MUTANTS, ids=lambda value: str(value)[:40])
def test_mutants_turn_them(case, what, change, expected, monkeypatch):
    assert closed.mutated("hu2021", case, change, monkeypatch) == expected != VERDICTS[case], what


def test_every_decided_verdict_is_turned(say):
    assert {case for case, *_ in MUTANTS} == set(VERDICTS) == set(CASES)
    say(closed.table(MUTANTS, VERDICTS))
