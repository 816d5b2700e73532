"""Bounds on the epsilon of correct mechanisms exceed it no more often than they may, and do so where they choose badly.

Fixed seeds. A number of errors fails where a binomial distribution with the nominal rate exceeds it with probability
1e-4. Each case is run at two rates, since only the larger can be told from a slightly larger one.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.learned import learned_scores
from dpbandits.privacy.auditing import epsilon_bound, gaussian_bound
from dpbandits.privacy.auditing_scores import guessed_epsilon, labeled
from dpbandits.privacy.gaussian import gaussian_mu

pytestmark = pytest.mark.slow

REPETITIONS, RUNS = 1000, 1000
UNLIKELY = 1e-4
RATES = [0.05, 0.001]
ACTIONS = np.array([[0.4, 0.25, 0.2, 0.1, 0.049, 0.001], [0.2, 0.4, 0.1, 0.25, 0.048, 0.002]])


def laplace_ratio(rng, eps, delta, n):
    """Laplace noise, scored by the log-likelihood ratio, which has atoms at either end."""
    views = rng.laplace(size=n), rng.laplace(eps, size=n)
    return [np.abs(z) - np.abs(z - eps) for z in views]


def gaussian(rng, eps, delta, n):
    return rng.normal(size=n), rng.normal(gaussian_mu(eps, delta), size=n)


def randomized_response(rng, eps, delta, n):
    """A bit that is the input with odds e^eps, and with probability delta the input in clear."""
    lie = 1 / (1 + math.exp(eps))
    clear = rng.random((2, n)) < delta
    return np.where(clear[0], -1.0, rng.random(n) < lie), np.where(clear[1], 2.0, rng.random(n) >= lie)


def geometric(rng, eps, delta, n):
    """A count, moved by three, with two-sided geometric noise: many atoms, scored by itself."""
    p = 1 - math.exp(-eps / 3)
    noise = rng.geometric(p, (2, n)) - rng.geometric(p, (2, n))
    return noise[0], noise[1] + 3


def actions(rng, eps, delta, n):
    """Six actions, one of them rare, scored by what is learned; eps is the largest log ratio, ln 2.5."""
    return learned_scores(*(rng.choice(6, size=(n, 1), p=p).astype(float) for p in ACTIONS))


CASES = [
    *((laplace_ratio, eps, 0.0) for eps in (0.5, 1.0, 3.0)),
    *((gaussian, eps, delta) for eps in (0.5, 3.0) for delta in (1e-5, 0.1)),
    *((randomized_response, eps, delta) for eps, delta in ((0.5, 0.0), (3.0, 0.0), (1.0, 0.1))),
    *((geometric, eps, 0.0) for eps in (0.5, 3.0)),
    (actions, math.log(2.5), 0.0),
]
LARGEST = {rate: int(stats.binom.isf(UNLIKELY, REPETITIONS, rate)) for rate in RATES}


def errors(case, rate, seed, bound, runs=RUNS):
    """How many of the repetitions have a bound above the actual epsilon."""
    draw, eps, delta = case
    rng = np.random.default_rng(seed)
    return sum(bound(*draw(rng, eps, delta, runs), delta, rate) > eps for _ in range(REPETITIONS))


def general(first, second, delta, rate):
    return epsilon_bound(first, second, delta, rate).epsilon


def on_the_same_half(first, second, delta, rate):
    """The fault: what chooses also bounds."""
    halves = (np.tile(row[: len(row) // 2], 2) for row in (np.asarray(first), np.asarray(second)))
    return epsilon_bound(*halves, delta, rate).epsilon


def test_the_actions_have_the_epsilon_that_is_claimed():
    assert np.abs(np.log(ACTIONS[0] / ACTIONS[1])).max() == pytest.approx(math.log(2.5))
    assert ACTIONS.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}-{case[1]:.3g}-{case[2]:g}")
def test_correct_mechanisms_seldom_fail(case, rate):
    assert errors(case, rate, 100 + CASES.index(case), general) <= LARGEST[rate]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("delta", [1e-5, 0.1])
def test_gaussian_bounds_seldom_fail(delta, rate):
    assert errors((gaussian, 1.0, delta), rate, 200, gaussian_bound) <= LARGEST[rate]


def test_guesses_fail_exactly_as_often_as_they_may():
    """Randomized response, where every guess is right with the largest probability: binomial on both sides."""
    eps, rate = 1.0, 0.05
    m = labeled(RUNS // 2)
    right = np.arange(m + 1)
    exact = stats.binom.pmf(right, m, 1 / (1 + math.exp(-eps)))[guessed_epsilon(right, m, rate) > eps].sum()
    assert 0.03 < exact <= rate
    found = errors((randomized_response, eps, 0.0), rate, 300, general)
    assert stats.binomtest(found, REPETITIONS, exact).pvalue > UNLIKELY


@pytest.mark.parametrize("eps", [0.5, 3.0])
def test_choosing_and_bounding_on_one_half_is_caught(eps):
    """The fault has more errors than the check above lets pass, where there are many thresholds to choose from."""
    assert errors((geometric, eps, 0.0), 0.05, 400, on_the_same_half, 4000) > LARGEST[0.05]


@pytest.mark.parametrize("case", [CASES[2], CASES[8], CASES[9]], ids=lambda case: f"{case[0].__name__}-{case[2]:g}")
def test_an_epsilon_that_is_ten_per_cent_larger_is_caught(case):
    """Bounds stay close enough to the actual epsilon for the check above to find a mechanism that has more."""
    draw, eps, delta = case
    rng = np.random.default_rng(500)
    found = sum(general(*draw(rng, 1.1 * eps, delta, 20 * RUNS), delta, 0.05) > eps for _ in range(REPETITIONS // 5))
    assert found > LARGEST[0.05]
