"""The power that an audit states: by plain sums over counts, and by audits of the references that it is stated for."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.custom import power
from dpbandits.audits.custom.bounds import Piece, bound_of, guesses_bound, revealed
from dpbandits.audits.custom.candidates import KINDS
from dpbandits.audits.custom.evidence import evidence
from dpbandits.audits.custom.own import audit_own
from dpbandits.audits.custom.power import POWER, ROUND, Power, power_of
from dpbandits.privacy.auditing import ALPHA, cap
from dpbandits.privacy.auditing_scores import labeled
from dpbandits.text.own_audit import paragraph, record

SHARE = ALPHA / len(KINDS)
PIECE = (Piece(1.0, 1.0, "second"),)
REPETITIONS = 120
NEAR_THE_CAP = 300  # repetitions
UNLIKELY = 1e-3


def odds(eps):
    return 1 / (1 + math.exp(-eps))


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.0), (0.2, 0.0), (1.5, 1e-3)])
def test_guesses_by_plain_sums(eps, delta):
    """All counts of right guesses whose bound exceeds the claim, weighted with their probabilities."""
    trials, number = 400, labeled(400)
    shown = [count for count in range(number + 1) if guesses_bound(count, number, number, delta, SHARE) > eps]
    least = power._guessed_excess(eps, delta, trials, SHARE)
    for factor, more in ((1.0 + 1e-6, True), (1.0 - 1e-6, False)):
        right = delta + (1 - delta) * odds(least * factor)
        assert (stats.binom.pmf(shown, number, right).sum() >= ROUND) == more
    alone = [count for count in range(1, number + 1) if guesses_bound(count, count, number, delta, SHARE) > eps]
    leak = power._guessed_leak(eps, delta, trials, SHARE)
    assert stats.binom.pmf(alone, number, leak / 2).sum() == pytest.approx(ROUND, abs=1e-9)
    assert alone[0] >= revealed(number, delta, SHARE / 2)


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.0), (0.5, 0.1)])
def test_counts_by_plain_sums(eps, delta):
    """All pairs of counts whose bound exceeds the claim, weighted with their probabilities."""
    trials = 120
    every = range(trials + 1)
    shown = np.array(
        [[bound_of("threshold", PIECE, np.array([[e], [h]]), trials, delta, SHARE) > eps for h in every] for e in every]
    )
    least = power._counted_excess(eps, delta, trials, SHARE)
    for factor, more in ((1.0 + 1e-5, True), (1.0 - 1e-5, False)):
        right = odds(least * factor)
        p, q = delta + (1 - delta) * right, (1 - delta) * (1 - right)
        weights = np.outer(stats.binom.pmf(every, trials, q), stats.binom.pmf(every, trials, p))
        assert (weights[shown].sum() >= ROUND) == more
    leak = power._counted_leak(eps, delta, trials, SHARE)
    assert stats.binom.pmf(every, trials, leak)[shown[0]].sum() == pytest.approx(ROUND, abs=1e-9)


def test_more_runs_find_less_and_too_few_find_nothing():
    few, many = power_of(1.0, 0.0, 1000), power_of(1.0, 0.0, 50_000)
    assert few.epsilon > many.epsilon > 1.0
    assert few.leak > many.leak > 0.0
    eps = cap(1000, 0.0, SHARE)
    assert power_of(eps, 0.0, 1000) == Power(None, None)
    assert power_of(eps - 0.2, 0.0, 1000).leak is None or power_of(eps - 0.2, 0.0, 1000).leak < 1.0


def test_no_better_test_is_left_out():
    for eps, delta in ((1.0, 0.0), (1.0, 1e-5), (1.0, 0.1)):
        found = power_of(eps, delta, 5000)
        assert found.epsilon == min(f(eps, delta, 5000, SHARE) for f in (power._guessed_excess, power._counted_excess))
        assert found.leak == min(f(eps, delta, 5000, SHARE) for f in (power._guessed_leak, power._counted_leak))


def response(rng, eps, delta, second, n):
    """(n, 1): a bit that is the input with odds e^eps, and with probability delta the input in clear."""
    bit = (rng.random(n) < odds(-eps)) ^ second
    return np.where(rng.random(n) < delta, 2.0 + second, bit)[:, None]


def leaking(rng, eps, leak, second, n):
    """(n, 1): Laplace noise of exactly the claim, but the second input returns one value with probability `leak`."""
    views = np.round(second + rng.laplace(scale=1 / eps, size=n), 9)
    return np.where(second & (rng.random(n) < leak), 1.0, views)[:, None]


def leaking_bits(rng, eps, leak, second, n):
    """(n, 1): randomized response at exactly the claim, but the second input returns 5 with probability `leak`."""
    views = (rng.random(n) < odds(-eps)) ^ second
    return np.where(second & (rng.random(n) < leak), 5.0, views)[:, None]


def times_found(draw, given, eps, delta, trials, repetitions):
    """How many of `repetitions` audits of two rounds each found a violation in both."""
    rng = np.random.default_rng(11)

    def found(number):
        views = [draw(rng, *given, second, trials) for second in (False, True)]
        return evidence(*views, eps, delta, (number,)).bound.epsilon > eps

    return sum(found(i) and found(-i) for i in range(repetitions))


@pytest.mark.parametrize(("eps", "delta", "trials"), [(1.0, 0.0, 2000), (0.5, 1e-3, 4000)])
@pytest.mark.parametrize("reference", ["excess", "leak"])
def test_audits_of_the_references_find_them_as_often_as_stated(reference, eps, delta, trials):
    """Two rounds each. A rate below `POWER` fails where chance would give it with probability `UNLIKELY`."""
    stated = power_of(eps, delta, trials // 2)
    draw, given = (response, (stated.epsilon, delta)) if reference == "excess" else (leaking, (eps, stated.leak))
    times = times_found(draw, given, eps, delta, trials, REPETITIONS)
    assert times >= stats.binom.ppf(UNLIKELY, REPETITIONS, POWER)


@pytest.mark.parametrize(("eps", "trials"), [(3.0, 1000), (6.0, 20_000)])
def test_a_leak_is_found_as_often_as_stated_beside_bits_that_nearly_break_a_claim_near_the_cap(eps, trials):
    """Guesses by the bits as well use up the surplus: an event with all pieces was found in 83 and 85 of 100 audits."""
    leak = power_of(eps, 0.0, trials // 2).leak
    times = times_found(leaking_bits, (eps, leak), eps, 0.0, trials, NEAR_THE_CAP)
    assert times >= stats.binom.ppf(UNLIKELY, NEAR_THE_CAP, POWER)


def test_the_output_states_the_power():
    found = audit_own(lambda rng, data, n: data + rng.laplace(size=n), 0, 1, 1.0, trials=2000)
    stated = found.power
    assert stated == power_of(1.0, 0.0, 1000)
    assert record(found)["power"] == {"probability": 0.95, "eps": stated.epsilon, "leak": stated.leak}
    said = "An audit of this size detects, with 95 % power, a randomized response of ε = 1.3"
    assert said in paragraph(found)
    assert "a value that one input alone returns with probability 0.04" in paragraph(found)
    weak = audit_own(lambda rng, data, n: data + rng.laplace(size=n), 0, 1, 9.0, trials=2000)
    assert "An audit of this size detects nothing with 95 % power." in paragraph(weak)
    assert record(weak)["power"]["leak"] is None
