"""Lower bounds on an epsilon: against the intervals of scipy.stats, by hand, and what must not change them."""

import math

import numpy as np
import pytest
from dp_accounting import gaussian_mechanism
from scipy import stats

from dpbandits.audits.learned import learned_scores
from dpbandits.privacy import auditing
from dpbandits.privacy.auditing import (
    AGREEMENT,
    cap,
    epsilon_bound,
    gaussian_bound,
    labels,
    power_curve,
    verdict_of,
)
from dpbandits.privacy.auditing_scores import RANKS, best_pair, event_epsilon, guessed_epsilon, labeled, least, tails

N = 1000  # runs that choose, and runs that bound
A = 0.01


def least_share(hits, runs, alpha):
    """The lower bound of Clopper and Pearson by scipy.stats."""
    return stats.binomtest(hits, runs, alternative="greater").proportion_ci(1 - alpha, "exact").low


def greatest_share(hits, runs, alpha):
    return stats.binomtest(hits, runs, alternative="less").proportion_ci(1 - alpha, "exact").high


def binary(ones_first, ones_second, bounding_first=None, bounding_second=None):
    """Scores 0 and 1 of either input: numbers of ones in the half that chooses and in the half that bounds."""

    def row(chooses, bounds):
        halves = [np.arange(N) % N < ones for ones in (chooses, chooses if bounds is None else bounds)]
        return np.concatenate(halves).astype(float)

    return row(ones_first, bounding_first), row(ones_second, bounding_second)


def drawn(seed, size=2000, shift=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=size), rng.normal(shift, size=size)


def test_cap_by_hand():
    """ln(0.9 * 1e4 / ln 2000) = ln(9000 / 7.6009025) = 7.0767; too few runs give 0."""
    assert cap(10_000, 0.1, 0.001) == pytest.approx(math.log(9000 / 7.600902459542082), rel=1e-14)
    assert cap(3, 0.0, 0.001) == 0.0


@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-6])
@pytest.mark.parametrize(("hits", "runs"), [(0, 7), (1, 7), (7, 7), (3, 1000), (997, 1000), (5, 10**6)])
def test_probabilities_are_bounded_as_by_clopper_and_pearson(hits, runs, alpha):
    assert float(least(hits, runs, alpha)) == pytest.approx(least_share(hits, runs, alpha), rel=1e-9)
    assert 1 - float(least(runs - hits, runs, alpha)) == pytest.approx(greatest_share(hits, runs, alpha), rel=1e-9)


def test_the_bound_leaves_its_tail():
    """P(Bin(n, p) >= k) = alpha at the bound, which needs no quantile of a beta distribution."""
    for hits, runs, alpha in ((40, 100, 0.01), (2, 50, 1e-3), (50, 50, 0.2)):
        assert stats.binom.sf(hits - 1, runs, float(least(hits, runs, alpha))) == pytest.approx(alpha, rel=1e-9)
    assert float(guessed_epsilon(50, 50, 0.2)) == pytest.approx(math.log(1 / (0.2**-0.02 - 1)), rel=1e-12)


@pytest.mark.parametrize("delta", [1e-5, 0.1])
@pytest.mark.parametrize(("first", "second"), [(100, 700), (0, 900), (700, 1000)])
def test_threshold_test(first, second, delta):
    """ln((P - delta) / P') from the second half alone: the first half has other numbers of ones."""
    bound = epsilon_bound(*binary(first, second, first + 10, second - 20), delta, A)
    p, q = least_share(second - 20, N, A / 2), greatest_share(first + 10, N, A / 2)
    ones = math.log((p - delta) / q)
    p, q = least_share(N - first - 10, N, A / 2), greatest_share(N - second + 20, N, A / 2)
    zeros = math.log((p - delta) / q)
    assert (bound.test, bound.trials, bound.cap) == ("threshold", N, cap(N, delta, A))
    assert bound.epsilon == pytest.approx(ones if bound.order == "second" else zeros, rel=1e-9)
    assert bound.epsilon == pytest.approx(max(ones, zeros), rel=1e-9)


def test_guesses():
    """One run in ten is on the wrong side, whichever runs the coins pick; up to one run at either end."""
    wrong = np.arange(2 * N) % 10 == 3
    bound = epsilon_bound(wrong.astype(float), 1.0 - wrong, 0.0, A)
    m = labeled(N)
    assert m == 2 * N - math.ceil(8 * math.sqrt(N)) == 1747
    around = [least_share(round(0.9 * m) + off, m, A) for off in (-2, 2)]
    assert math.log(around[0] / (1 - around[0])) <= bound.epsilon <= math.log(around[1] / (1 - around[1]))
    assert (bound.test, bound.order) == ("guesses", "second")
    turned = epsilon_bound(1.0 - wrong, wrong.astype(float), 0.0, A)
    assert (turned.test, turned.order) == ("guesses", "first")
    assert turned.epsilon == pytest.approx(bound.epsilon, abs=0.02)


def test_guesses_abstain_between():
    """Scores in the middle that say nothing do not dilute the guesses from the tails."""
    rng = np.random.default_rng(4)
    middle = rng.random(4 * N) < 0.5
    sign = np.where(rng.random(4 * N) < 0.9, 1.0, -1.0)
    sharp = epsilon_bound(np.where(middle, 0.0, -sign), np.where(rng.permutation(middle), 0.0, sign), 0.0, A)
    assert sharp.test == "guesses"
    assert 1.7 < sharp.epsilon < math.log(9) + 0.2


def test_coins_are_fair_and_come_from_the_first_half():
    """Heads of many halves against their binomial distribution; few runs leave no run without a coin."""
    heads = [labels((np.array([float(i)]), np.array([0.0])), 400)[0] for i in range(2000)]
    m = labeled(400)
    assert m == 640
    assert stats.kstest(stats.norm.cdf((np.array(heads) - m / 2) / math.sqrt(m / 4)), "uniform").statistic < 0.05
    assert np.var(heads) == pytest.approx(m / 4, rel=0.15)
    assert labeled(2) == 2
    assert labeled(100) == 120


def test_only_the_second_half_bounds_and_only_the_first_chooses():
    """A clear first half and an empty second one give 0; a second half says nothing of test and order."""
    first, second = drawn(1)
    useless = epsilon_bound(np.append(first[:N], first[N:]), np.append(second[:N], first[N:]), 1e-5, A)
    assert (useless.epsilon, useless.test, useless.order) == (
        0.0,
        "threshold",
        epsilon_bound(first, second, 1e-5, A).order,
    )
    unseen = epsilon_bound(np.append(first[:N], first[:N]), np.append(first[:N], second[N:] + 9), 1e-5, A)
    assert (unseen.epsilon, unseen.test) == (0.0, "none")


def test_only_the_order_of_scores_counts():
    """Increasing functions change nothing, nor does another order of the runs in a half; at delta 0 only the coins."""
    first, second = (np.round(row, 2) for row in drawn(2))
    shuffle = np.random.default_rng(3).permutation
    mixed = [np.concatenate([shuffle(row[:N]), shuffle(row[N:])]) for row in (first, second)]
    bound = epsilon_bound(first, second, 1e-5, A)
    assert bound == epsilon_bound(first**3 + 7, second**3 + 7, 1e-5, A) == epsilon_bound(*mixed, 1e-5, A)
    assert bound.epsilon == epsilon_bound(-first, -second, 1e-5, A).epsilon > 0.5
    bound = epsilon_bound(first, second, 0.0, A)
    for other in (epsilon_bound(first**3 + 7, second**3 + 7, 0.0, A), epsilon_bound(*mixed, 0.0, A)):
        assert (other.test, other.order) == (bound.test, bound.order) == ("guesses", "second")
        assert other.epsilon == pytest.approx(bound.epsilon, abs=0.1)


def test_coins_depend_on_the_runs_that_choose_alone(monkeypatch):
    asked, toss = [], auditing.labels
    monkeypatch.setattr(auditing, "labels", lambda scores, trials: asked.append(scores) or toss(scores, trials))
    first = np.append(np.zeros(N), np.full(N, -1.0))
    assert epsilon_bound(first, np.ones(2 * N), 0.0, A).test == "guesses"
    assert asked[0][0].tolist() == [0.0] * N


def test_too_few_runs_for_the_coins_give_no_bound(monkeypatch):
    """Where coins ask for more runs of an input than there are, the bound is 0, which never errs."""
    scores = np.zeros(2 * N), np.ones(2 * N)
    for counts, bounded in (((N, 747), True), ((N + 1, 746), False), ((746, N + 1), False)):
        monkeypatch.setattr(auditing, "labels", lambda *_, counts=counts: counts)
        bound = epsilon_bound(*scores, 0.0, A)
        assert bound.test == "guesses"
        assert (bound.epsilon > 4.0) if bounded else (bound.epsilon == 0.0)


def test_tails_by_brute_force():
    """Every score is a threshold where these are few, however they are spread; else the extremes are."""
    rng = np.random.default_rng(10)
    first = np.append(np.repeat(rng.integers(0, 90, 80).astype(float), 20), [-np.inf, np.inf])
    second = np.append(first[2:] + 1, [np.inf, -3.0])
    thresholds, counts = tails(first, second)
    assert thresholds.tolist() == sorted({*first.tolist(), *second.tolist()})
    for row, found in zip((first, second), counts, strict=True):
        assert found[0].tolist() == [(row >= t).sum() for t in thresholds] + [0]
        assert found[1].tolist() == [0] + [(row <= t).sum() for t in thresholds]
    many = tails(*drawn(11))[0]
    assert len(many) <= 4 * RANKS
    assert (many[0], many[-1]) == (np.min(drawn(11)), np.max(drawn(11)))


@pytest.mark.parametrize("seed", range(5))
def test_no_run_is_guessed_twice(seed):
    """Without a difference, guesses would otherwise best be many; the numbers of guesses are those of the tails."""
    first, second = drawn(seed, shift=0.0)
    rule, right, wrong = best_pair(*tails(first, second), A)
    assert rule.above is None or rule.below is None or rule.below < rule.above
    one, other = (second, first) if rule.order == "second" else (first, second)
    assert right == rule.upper(one) + rule.lower(other)
    assert wrong == rule.upper(other) + rule.lower(one)


def test_luck_in_a_small_tail_is_not_chosen():
    """In the half that chooses 30 runs against none suggest more at alpha; among all candidates they do not."""

    def row(ones, twos):
        return np.concatenate([np.repeat([0.0, 1.0, 2.0], [N - ones - twos, ones, twos]), np.arange(N) < ones])

    bound = epsilon_bound(row(300, 0), row(700, 30), 1e-5, A)
    assert float(event_epsilon(30, 0, N, 1e-5, A)) > float(event_epsilon(730, 300, N, 1e-5, A))
    assert bound.epsilon == pytest.approx(float(event_epsilon(700, 300, N, 1e-5, A)), rel=1e-12)


def test_atoms_are_not_split():
    """What rounding leaves out of a score cannot tell the inputs apart, though the order of floats could."""
    first, second = np.tile([0.0, 0.25], N), np.tile([0.25, 0.0], N)
    assert epsilon_bound(first + 1e-13, second, 0.0, A).epsilon == 0.0
    assert epsilon_bound(first + 1e-6, second, 0.0, A).epsilon > 4.0


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_either_order_is_found(delta):
    """An event of probability 0.2 that the other input has with 0.001, and no event the other way round."""
    rng = np.random.default_rng(5)
    rare, often = (rng.random(20_000) < p for p in (0.001, 0.2))
    for sign in (1.0, -1.0):
        found = epsilon_bound(sign * rare, sign * often, delta, A)
        turned = epsilon_bound(sign * often, sign * rare, delta, A)
        assert 4.0 < found.epsilon < math.log(200)
        assert 4.0 < turned.epsilon < math.log(200)
        if sign == 1.0 or delta > 0.0:  # guesses below the threshold are named after the input guessed above
            assert (found.order, turned.order) == ("second", "first")


@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3])
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("n", [4, 5, 7, 60, 1001, 4000])
def test_the_cap_is_never_exceeded(n, delta, alpha):
    """Inputs that share no score: the bound comes close to the cap where there are many runs."""
    bound = epsilon_bound(np.zeros(n), np.ones(n), delta, alpha)
    assert 0.0 <= bound.epsilon <= bound.cap == cap(n - n // 2, delta, alpha)
    if n >= 1001:
        assert bound.epsilon > bound.cap - 0.02


def test_degenerate_scores():
    """Constant scores show nothing; infinite ones are the end of the line; beyond 1e299 scores are infinite."""
    nothing = epsilon_bound(np.full(9, 2.5), np.full(9, 2.5), 0.0, A)
    assert (nothing.epsilon, nothing.test, nothing.trials) == (0.0, "none", 5)
    assert epsilon_bound(np.full(50, np.inf), np.full(50, np.inf), 0.1, A).test == "none"
    first, second = np.tile([-np.inf, 0.0], N), np.tile([0.0, np.inf], N)
    for delta in (0.0, 1e-4):
        assert epsilon_bound(first, second, delta, A) == epsilon_bound(first, np.where(second > 0, 1e305, 0), delta, A)
        assert epsilon_bound(first, second, delta, A).epsilon > 4.0
    assert epsilon_bound([0, 0, 0, 0], [1, 1, 1, 1], 0.0, A).epsilon == 0.0
    assert gaussian_bound(np.ones(8), np.ones(8), 0.1, A) == 0.0


@pytest.mark.parametrize("bound", [epsilon_bound, gaussian_bound])
@pytest.mark.parametrize(
    ("first", "second", "delta", "alpha", "says"),
    [
        (np.zeros(9), np.zeros(8), 0.1, A, "as many for each input"),
        (np.zeros(3), np.zeros(3), 0.1, A, "4 runs or more"),
        (np.zeros((9, 1)), np.zeros((9, 1)), 0.1, A, "one number per run"),
        (np.zeros(9), np.full(9, np.nan), 0.1, A, "must not be NaN"),
        (np.zeros(9), np.zeros(9), 1.0, A, "delta must lie"),
        (np.zeros(9), np.zeros(9), -0.1, A, "delta must lie"),
        (np.zeros(9), np.zeros(9), 0.1, 0.0, "alpha in"),
    ],
)
def test_refusals(bound, first, second, delta, alpha, says):
    with pytest.raises(ValueError, match=says):
        bound(first, second, delta, alpha)


@pytest.mark.parametrize("delta", [1e-5, 0.1])
def test_gaussian_bound(delta):
    """At the one threshold that two scores leave: epsilon of dp-accounting for the shift between the error rates."""
    first, second = binary(150, 800, 160, 790)
    caught, false = least_share(790, N, A / 2), greatest_share(160, N, A / 2)
    mu = stats.norm.isf(false) + stats.norm.isf(1 - caught)
    expected = gaussian_mechanism.get_epsilon_gaussian(1 / mu, delta)
    assert gaussian_bound(first, second, delta, A) == pytest.approx(expected, rel=1e-6)
    assert gaussian_bound(second, first, delta, A) == pytest.approx(expected, rel=1e-6)


def test_gaussian_bound_is_sharper_than_the_general_one():
    first, second = drawn(6, 20_000)
    true = gaussian_mechanism.get_epsilon_gaussian(1.0, 1e-5)
    assert epsilon_bound(first, second, 1e-5, A).epsilon < gaussian_bound(first, second, 1e-5, A) < true
    assert gaussian_bound(first, second, 1e-5, A) > 0.8 * true
    with pytest.raises(ValueError, match="no epsilon at delta 0"):
        gaussian_bound(first, second, 0.0, A)


def test_power_curve():
    """The bounds of the first runs, in the order of the sizes."""
    first, second = drawn(7)
    sizes = [2000, 50, 300]
    assert power_curve(first, second, 0.0, A, sizes) == [epsilon_bound(first[:n], second[:n], 0.0, A) for n in sizes]
    with pytest.raises(ValueError, match="exceed the 2000 runs"):
        power_curve(first, second, 0.0, A, [2001])


@pytest.mark.parametrize(
    ("lower", "epsilons", "cap", "verdict"),
    [
        (1.01, (0.0, math.inf), 5.0, "violated"),
        (1.01, (0.0, 0.9), 5.0, "violated"),  # against the calculation: the caller looks for the fault
        (0.2, (1.1, 1.1), 5.0, "violated"),
        (0.0, (math.inf, math.inf), 0.0, "violated"),
        (1.0, (1.0, 1.0), 5.0, "consistent"),
        (0.9, (0.5, 2.0), 5.0, "consistent"),
        (0.9, (0.5, 2.0), 1.0, "no power"),
        (0.9, (0.0, math.inf), 0.95, "no power"),
        (0.9, (0.5, 1.0), 0.95, "consistent"),
        (0.9, (1.0 + 0.9 * AGREEMENT, 1.0 + 0.9 * AGREEMENT), 0.95, "consistent"),
        (0.9, (1.0 + 1.1 * AGREEMENT, math.inf), 0.95, "violated"),
    ],
)
def test_verdict(lower, epsilons, cap, verdict):
    assert verdict_of(lower, epsilons, 1.0, cap) == verdict


def test_no_verdict_on_nan():
    with pytest.raises(ValueError, match="NaN"):
        verdict_of(math.nan, (0.0, 1.0), 1.0, 1.0)


def test_learned_frequencies_by_hand():
    """Of 8 runs 2 are learned from: ln((a + 1) / (b + 1)); a row that was not seen scores 0."""
    first = np.array([[0, 1], [0, 1], [0, 1], [2, 2], [5, 5], [0, 1], [1, 0], [0, 1]])
    second = np.array([[0, 1], [2, 2], [2, 2], [2, 2], [0, 1], [1, 0], [5, 5], [2, 2]])
    scores = learned_scores(first, second)
    low, high = math.log(2 / 3), math.log(2)
    np.testing.assert_allclose(scores[0], [low, high, 0, low, 0, low], rtol=1e-14)
    np.testing.assert_allclose(scores[1], [high, high, low, 0, 0, high], rtol=1e-14)


@pytest.mark.parametrize("columns", [1, 3, 6])
@pytest.mark.parametrize("discrete", [True, False])
def test_scores_are_learned_from_the_first_quarter_only(columns, discrete):
    """Rows that come later score the same whatever stands in the others, and rows do not act on each other."""
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 400, columns)) + 0.3 * np.arange(2)[:, None, None]
    if discrete:
        first, second = (first > 0.4).astype(float), (second > 0.4).astype(float)
    scores = learned_scores(first, second)
    changed = second.copy()
    changed[100:250] = first[100:250]
    np.testing.assert_allclose(learned_scores(first, changed)[1][150:], scores[1][150:], rtol=1e-12)
    np.testing.assert_allclose(learned_scores(first, changed)[1][:150], scores[0][:150], rtol=1e-12)
    assert scores[0].shape == scores[1].shape == (300,)


def test_logistic_scores_follow_the_likelihood_ratio():
    """Normal columns, one shifted, one twice as wide, two correlated in one input: features of degree two suffice."""
    rng = np.random.default_rng(9)
    cases = {
        "shifted": rng.normal([0.5, 0.0], 1.0, size=(20_000, 2)),
        "wider": rng.normal(size=(20_000, 2)) * [1.0, 2.0],
        "correlated": rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=20_000),
    }
    for name, second in cases.items():
        first = rng.normal(size=(20_000, 2))
        distribution = stats.multivariate_normal(second.mean(axis=0), np.cov(second.T))
        known = distribution.logpdf(second[5000:]) - stats.multivariate_normal([0, 0], np.eye(2)).logpdf(second[5000:])
        assert np.corrcoef(known, learned_scores(first, second)[1])[0, 1] > 0.99, name


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (np.zeros((9, 1)), np.zeros((9, 2)), "as many for each input"),
        (np.zeros(9), np.zeros(9), "one row per run"),
        (np.zeros((7, 1)), np.zeros((7, 1)), "8 runs or more"),
        (np.zeros((9, 1)), np.full((9, 1), np.inf), "finite"),
    ],
)
def test_views_that_are_refused(first, second, says):
    with pytest.raises(ValueError, match=says):
        learned_scores(first, second)
