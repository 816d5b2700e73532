"""Bounds on shuffled Laplace reports: against enumeration, another accountant, the project's own bounds, each other."""

import math
from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

from dpbandits.audits.mechanisms import shuffled_counts
from dpbandits.audits.mechanisms.shuffled_laplace import (
    ShuffledLaplace,
    convolved,
    proven_delta,
    solved_epsilon,
    summed_delta,
)
from dpbandits.privacy.accounting import laplace_delta
from dpbandits.privacy.shuffled_laplace import shuffled_laplace_delta
from dpbandits.privacy.shuffling import clone_delta

from .laplace_audits import agree, blanket_delta, counted, counted_epsilon

BATCHES = [(0.3, 1), (0.4, 3), (2.0, 20), (0.3, 29), (0.15, 600), (0.3, 5000), (0.2, 300000), (20.0, 30000)]
every_batch = pytest.mark.parametrize(("scale", "n"), BATCHES)


def enumerated_counts(scale, n, x):
    """Distribution of the number of reports above a threshold for a user at 1 and at -1, by every set of reports."""
    threshold = 1.0 - x * scale
    other = stats.laplace.sf(threshold, loc=-1.0, scale=scale)
    found = []
    for reward in (1.0, -1.0):
        distribution, chance = (
            np.zeros(n + 1),
            [stats.laplace.sf(threshold, loc=reward, scale=scale)] + [other] * (n - 1),
        )
        for above in product((0, 1), repeat=n):
            distribution[sum(above)] += math.prod(p if a else 1.0 - p for p, a in zip(chance, above, strict=True))
        found.append(distribution)
    return found


@pytest.mark.parametrize(("scale", "n"), [(0.5, 1), (2.0, 4), (0.4, 7)])
def test_distributions_and_events_are_the_enumerated_ones(scale, n):
    """The chances of the events are the tails of the distributions, which are those of the reports."""
    distributions = shuffled_counts.distributions(scale, n)
    likely, unlikely, places = shuffled_counts.events(scale, n)
    for x, pair in zip(shuffled_counts.thresholds(scale, n), distributions, strict=True):
        near, far = enumerated_counts(scale, n, x)
        assert pair[0] == pytest.approx(near, abs=1e-12)
        assert pair[1] == pytest.approx(far, abs=1e-12)
        at_least = [(near[k:].sum(), far[k:].sum()) for k in range(1, n + 1)]
        fewer = [(far[:k].sum(), near[:k].sum()) for k in range(1, n + 1)]
        found = np.stack([likely, unlikely], axis=1)[places == x]
        assert found == pytest.approx(np.array(at_least + fewer), rel=1e-9)


@every_batch
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01])
def test_lower_bounds(scale, n, delta):
    """From tails and from whole distributions; the first events are those of the threshold 1, and others show more."""
    epsilon = shuffled_counts.epsilon(scale, n, delta)
    assert epsilon == pytest.approx(shuffled_counts.epsilon_of_distributions(scale, n, delta), rel=1e-5, abs=1e-9)
    one = counted_epsilon(scale, n, delta)
    assert epsilon >= one - 1e-9
    likely, unlikely, places = shuffled_counts.events(scale, n)
    middle = places[:-1] == places[1:]
    first = np.flatnonzero(~middle)[0] + 1 if not middle.all() else len(places)
    one_kind = slice(0, first // 2)  # events N >= k at the threshold 1
    usable = likely[one_kind] > delta + 1e-12
    shown = np.log((likely[one_kind][usable] - delta) / unlikely[one_kind][usable])
    assert max(0.0, *shown, 0.0) == pytest.approx(one, rel=1e-6, abs=1e-12)
    for eps in (0.1, 1.0, 3.0):
        low = shuffled_counts.excess(scale, n, eps)
        assert low == pytest.approx(shuffled_counts.excess_of_distributions(scale, n, eps), rel=1e-5, abs=1e-11)
        high, other = counted(scale, n)
        assert low >= np.max(high - math.exp(eps) * other) - 1e-11


@pytest.mark.parametrize(
    ("scale", "n", "delta"), [(0.4, 3, 1e-6), (0.3, 29, 1e-6), (0.15, 600, 1e-6), (0.3, 5000, 1e-3)]
)
def test_lower_bound_is_that_of_dp_accounting(scale, n, delta):
    """The distribution of the count at the best threshold, and no distribution of another is worse."""
    best = shuffled_counts.best_threshold(scale, n, delta)
    epsilons = {}
    for x, pair in zip(shuffled_counts.thresholds(scale, n), shuffled_counts.distributions(scale, n), strict=True):
        logs = [{k: math.log(p) for k, p in enumerate(distribution) if p > 0.0} for distribution in pair]
        found = pld.from_two_probability_mass_functions(*logs, value_discretization_interval=1e-6, symmetric=False)
        epsilons[x] = found.get_epsilon_for_delta(delta)
    assert max(epsilons.values()) == pytest.approx(epsilons[best], abs=1e-5)
    assert shuffled_counts.epsilon(scale, n, delta) == pytest.approx(epsilons[best], abs=1e-5)


def test_one_report_by_hand():
    """Alone, it is above 1 with chances 1/2 and e^(-2/b) / 2: epsilon 2/b."""
    assert shuffled_counts.epsilon(0.5, 1, 1e-9) == pytest.approx(4.0, abs=1e-6)
    assert shuffled_counts.excess(0.5, 1, 1.0) == pytest.approx(1.0 - math.exp(-1.5), abs=0.01)  # of the pair, 1 - x/b


@pytest.mark.parametrize("n", [10**5, 3 * 10**6, 10**8])
def test_counts_keep_their_digits_in_large_crowds(n):
    """At eps = 0: (p1 - p0) times the largest probability of Bin(n - 1, p0); scale 200: p0 = e^-0.01/2, p1 = 1/2."""
    with mpmath.workdps(40):
        p = mpmath.exp(mpmath.mpf(-1) / 100) / 2
        mode = int(n * p)
        log = mpmath.loggamma(n) - mpmath.loggamma(mode + 1) - mpmath.loggamma(n - mode)
        largest = mpmath.exp(log + mode * mpmath.log(p) + (n - 1 - mode) * mpmath.log(1 - p))
        assert shuffled_counts.excess(200.0, n, 0.0) == pytest.approx(float(largest / 2 - largest * p), rel=1e-5)


def test_nobody_near_one_tells_for_minus_one():
    """With x scales and hardly anybody there, none is 2 e^x times as likely where the user's reward is not 1."""
    scale, n = 0.1, 1000
    epsilon = shuffled_counts.epsilon(scale, n, 1e-6)
    x = shuffled_counts.best_threshold(scale, n, 1e-6)
    assert epsilon == pytest.approx(math.log(2.0) + x, abs=0.1)
    assert epsilon > counted_epsilon(scale, n, 1e-6) + 3.0


# The blanket


@pytest.mark.parametrize(("local_eps", "n"), [(1.0, 1), (0.5, 2), (2.0, 3), (5.0, 12), (6.0, 400), (7.0, 300000)])
def test_sums_of_the_blanket(local_eps, n):
    """By squaring, by powers of transforms, and by a plain transform of quantiles."""
    for eps in (0.0, 0.1 * local_eps, 0.5 * local_eps):
        found = summed_delta(2.0 / local_eps, n, eps)
        assert found == pytest.approx(proven_delta(2.0 / local_eps, n, eps), rel=1e-4)
        assert found == pytest.approx(blanket_delta(eps, local_eps, n), rel=0.01, abs=1e-9)
    assert summed_delta(2.0 / local_eps, n, 1.1 * local_eps) == 0.0


def test_no_others_no_blanket():
    """One report: that of the Laplace mechanism; epsilons beyond the digits of the blanket too."""
    for local_eps in (0.5, 4.0, 20.0, 30.0, 2000.0):
        for eps in (0.0, 0.3, 0.9 * local_eps):
            alone = laplace_delta(2.0, 2.0 / local_eps, eps)
            assert summed_delta(2.0 / local_eps, 1, eps) == pytest.approx(alone, rel=1e-6)
            assert proven_delta(2.0 / local_eps, 1, eps) == pytest.approx(alone, rel=1e-6)
        assert solved_epsilon(summed_delta, 2.0 / local_eps, 1, 0.01) == pytest.approx(
            local_eps + 2 * math.log(0.99), abs=1e-6
        )


# The release


@every_batch
@pytest.mark.parametrize("delta", [1e-6, 0.01])
def test_lower_bound_is_at_most_the_upper_one(scale, n, delta):
    for eps in (0.05, 1.0, 4.0):
        found = agree(ShuffledLaplace((scale,), (n,), delta), eps, delta)
        assert found.epsilons[1] <= 2.0 / scale
        assert found.epsilons[1] == 0.0 or clone_delta(found.epsilons[1] * (1.0 - 1e-9), 2.0 / scale, n) >= delta
        assert found.epsilons[1] == 0.0 or shuffled_laplace_delta(0.999 * found.epsilons[1], 2.0 / scale, n) >= delta


@pytest.mark.parametrize("n", [1, 2, 5, 12, 29, 190, 1560, 10**5, 3 * 10**6])
@pytest.mark.parametrize("local_eps", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
def test_no_count_shows_more_than_is_certified(n, local_eps):
    scale = 2.0 / local_eps
    for delta in (1e-2, 1e-4, 1e-6, 1e-9):
        shown = shuffled_counts.epsilon(scale, n, delta)
        assert shown <= local_eps
        assert shown == 0.0 or shuffled_laplace_delta(shown - 1e-9, local_eps, n) >= delta
    for eps in (0.0, 0.01, 0.1, 0.5, 1.0, 3.0):
        most = shuffled_laplace_delta(eps, local_eps, n)
        assert most <= min(1.005 * clone_delta(eps, local_eps, n), laplace_delta(2.0, scale, eps) + 1e-15)
        assert shuffled_counts.excess(scale, n, eps) <= most * (1.0 + 1e-7)


def test_the_worst_batch_rules():
    """Of several batches, in any order, and it is the one that is drawn."""
    parts = [((0.4, 30), (0.5, 2)), ((2.0, 500), (1.0, 3)), ((0.15, 600), (0.15, 6000))]
    for pair in parts:
        for order in (pair, pair[::-1]):
            scales, sizes = zip(*order, strict=True)
            both = ShuffledLaplace(scales, sizes, 1e-6)
            alone = [agree(ShuffledLaplace((s,), (n,), 1e-6), 1.0, 1e-6) for s, n in order]
            found = agree(both, 1.0, 1e-6)
            for name in ("epsilons", "deltas"):
                for side in (0, 1):
                    worst = max(getattr(each, name)[side] for each in alone)
                    assert getattr(found, name)[side] == pytest.approx(worst, rel=1e-8, abs=1e-12)
            assert both.shown == order[int(np.argmax([each.epsilons[0] for each in alone]))]
            assert both.noise == both.shown[0]
            assert both.halved().shown[0] in (0.5 * scale for scale in scales)


def test_score_is_the_log_likelihood_ratio_of_shuffled_reports():
    """Mean over all orders in which the clients' reports could have come."""
    release = ShuffledLaplace((0.8,), (3,), 1e-6)
    views = np.random.default_rng(0).normal(0.0, 2.0, (20, 3))
    for view, score in zip(views, release.scores(views), strict=True):
        chance = [
            sum(np.prod(stats.laplace.pdf(order, loc=rewards, scale=0.8)) for order in permutations(view))
            for rewards in ([1.0, -1.0, -1.0], [-1.0, -1.0, -1.0])
        ]
        assert score == pytest.approx(math.log(chance[0] / chance[1]))


def test_few_reports_are_drawn_many_are_counted():
    rng = np.random.default_rng(0)
    few = ShuffledLaplace((0.8,), (5,), 1e-6)
    views = few.draw(rng, 1, 4000)
    assert views.shape == (4000, 5)
    at_one = (stats.laplace.cdf(views, loc=1.0, scale=0.8) + 4.0 * stats.laplace.cdf(views, loc=-1.0, scale=0.8)) / 5.0
    assert stats.kstest(at_one.ravel(), "uniform").pvalue > 1e-3  # every place alike
    assert stats.kstest(stats.laplace.cdf(few.draw(rng, 0, 4000), -1.0, 0.8).ravel(), "uniform").pvalue > 1e-3
    many = ShuffledLaplace((0.25,), (600,), 1e-6)
    best = shuffled_counts.best_threshold(0.25, 600, 0.01)
    places = shuffled_counts.thresholds(0.25, 600).tolist()
    pair = shuffled_counts.distributions(0.25, 600)[places.index(best)]
    for side, distribution in enumerate(pair[::-1]):
        found = np.bincount(many.draw(rng, side, 20000)[:, 0].astype(int), minlength=len(distribution))[
            : len(distribution)
        ]
        enough = 20000 * distribution > 5.0
        assert found.sum() == 20000
        rest = 20000 - found[enough].sum()
        expected = 20000 * np.append(distribution[enough], 1.0 - distribution[enough].sum())
        assert stats.chisquare(np.append(found[enough], rest), expected).pvalue > 1e-3
    ratios = np.log(pair[0][:50] / pair[1][:50])
    assert (np.diff(ratios) > 0.0).all()  # the count is as good a score as its likelihood ratio
    assert many.scores(np.array([[3.0], [4.0]])).tolist() == [3.0, 4.0]


def test_counted_reports_are_those_above_the_threshold():
    """The distribution by which counts are drawn is that of real reports."""
    scale, n = 0.5, 60
    few, many = np.random.default_rng(1), np.random.default_rng(2)
    release = ShuffledLaplace((scale,), (n,), 1e-6)
    threshold = 1.0 - shuffled_counts.best_threshold(scale, n, 0.01) * scale
    for side, reward in enumerate((-1.0, 1.0)):
        rewards = np.array([reward] + [-1.0] * (n - 1))
        real = (few.laplace(rewards, scale, (8000, n)) >= threshold).sum(axis=1)
        drawn = release.draw(many, side, 8000)[:, 0].astype(int)
        table = np.stack([np.bincount(each, minlength=20)[:20] for each in (real, drawn)])
        assert stats.chi2_contingency(table[:, table.min(axis=0) > 5]).pvalue > 1e-3


@pytest.mark.parametrize(("size", "middle"), [(1, 0), (7, 3), (64, 32)])
def test_a_convolution_is_the_distribution_of_a_sum(size, middle):
    """Term by term, and truncated to the length of the distributions."""
    first, second = np.random.default_rng(size).dirichlet(np.ones(size), size=2)
    by_term = np.zeros(2 * size - 1)
    for i, j in np.ndindex(size, size):
        by_term[i + j] += first[i] * second[j]
    np.testing.assert_allclose(convolved(first, second, middle), by_term[middle : middle + size], atol=1e-15)
