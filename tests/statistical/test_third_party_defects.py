"""Defects that public implementations of the rivals have: each is put into a copy here, and a test statistic finds it.

Every statistic is given the shipped algorithm, which it accepts, and the defective one, which it rejects. Two of these
defects void the privacy that the algorithm is there for; the regret need not show it, as one test here says. Where
rewards are certain, all that is random is the noise, and the distributions are known in closed form.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import adap_ucb
from dpbandits.algorithms.bernoulli import dp_se as dp_se

from ..unit.rivals import module, plain

SIGNIFICANCE = 1e-4  # of every single test; a defect is rejected at its square
DP_SE, ADAP = "dp_se", "adap_ucb"


def laplace_difference(x):
    """P(L - L' <= x) of two independent Laplace numbers of scale 1."""
    tail = math.exp(-abs(x)) * (2 + abs(x)) / 4
    return 1 - tail if x >= 0 else tail


def binomial_p_value(events, probability):
    """Of so many events, (runs,) of bool, under their probability."""
    return stats.binomtest(int(np.sum(events)), len(events), probability).pvalue


def traces(run, seeds, means, constants, checkpoints):
    """(runs, checkpoints, outputs)"""
    given = (np.array(means), *constants, np.array(checkpoints))
    return np.array([run(np.random.default_rng(seed), *given) for seed in seeds])


def assert_found(statistic, name, **defect):
    """A statistic of `run`, which is a p-value; the defect is a function in the place of one of its helpers."""
    right = statistic(module(name).run)
    with plain(name, **defect) as defective:
        wrong = statistic(defective)
    print(f"p-value as shipped {right:.3g}, with the defect {wrong:.3g}")
    assert right > SIGNIFICANCE
    assert wrong < SIGNIFICANCE**2


# DP-SE with one Laplace number added to all arms: it cancels in every comparison, so that nothing is private


def one_number_for_all(rng, means, active, pulls, eps):
    sums = np.array([rng.binomial(pulls, means[j]) for j in active])
    return (sums + rng.laplace(0.0, 1.0 / eps)) / pulls


def test_noise_of_two_arms_is_independent():
    """Rewards are certain: differences of noised means, times eps R, are those of two Laplace numbers."""
    arms, pulls, eps = np.arange(2), 30, 0.4

    def statistic(noised_means):
        rng = np.random.default_rng(1)
        found = [noised_means(rng, np.ones(2), arms, pulls, eps) for _ in range(2000)]
        differences = np.diff(found, axis=1)[:, 0] * eps * pulls
        return stats.ks_1samp(differences, np.vectorize(laplace_difference)).pvalue

    assert statistic(dp_se.noised_means) > SIGNIFICANCE
    assert statistic(one_number_for_all) < SIGNIFICANCE**2


def test_equal_data_are_told_apart_as_often_as_the_noise_does():
    """Two arms whose rewards are all 1: the first epoch drops one with a known probability, 1.4 %."""
    eps, beta = 1e-6, 0.5
    length = int(dp_se.epoch_length(2, 1, beta, eps))
    beyond = dp_se.threshold(2, 1, beta, eps, length) * length * eps
    probability = 2 * (1 - laplace_difference(beyond))
    assert 0.01 < probability < 0.02

    def statistic(run):
        """The next ten rounds are five of each arm, if both are left."""
        found = traces(run, range(3000), [1.0, 1.0 - 1e-12], (eps, beta, 0), [2 * length, 2 * length + 10])
        return binomial_p_value(np.diff(found[:, :, 1])[:, 0] != 5, probability)

    assert_found(statistic, DP_SE, noised_means=one_number_for_all)


def test_regret_does_not_show_one_number_for_all():
    """At a usual budget the two means are within 5 %."""
    given = ([0.8, 0.5, 0.3], (0.5, 0.01, 0), [20000])
    right = traces(dp_se.run, range(300), *given)[:, 0, 0].mean()
    with plain(DP_SE, noised_means=one_number_for_all) as defective:
        wrong = traces(defective, range(300), *given)[:, 0, 0].mean()
    assert wrong == pytest.approx(right, rel=0.05)


# DP-SE that divides by the pulls of all epochs although the sum starts anew in each


def divided_by_all(first_length):
    """The noised means of a copy that never sets its counts back within a run."""
    counts = {}

    def noised_means(rng, means, active, pulls, eps):
        if pulls == first_length:
            counts.clear()
        for j in active:
            counts[j] = counts.get(j, 0) + pulls
        return np.array([(rng.binomial(pulls, means[j]) + rng.laplace(0.0, 1.0 / eps)) / counts[j] for j in active])

    return noised_means


def test_means_of_the_second_epoch_are_not_shrunk():
    """Two arms and no noise to speak of: the probability to end after the second epoch, from binomial distributions."""
    means, eps, beta = np.array([0.535, 0.465]), 1e7, 0.1
    lengths = [int(dp_se.epoch_length(2, epoch, beta, eps)) for epoch in (1, 2)]
    end = 2 * sum(lengths)

    def decides(epoch):
        n = lengths[epoch - 1]
        first, second = (stats.binom.pmf(np.arange(n + 1), n, mu) for mu in means)
        differences = np.convolve(first, second[::-1])
        far = np.abs(np.arange(-n, n + 1)) / n > dp_se.threshold(2, epoch, beta, eps, n)
        return differences[far].sum()

    probability = (1 - decides(1)) * decides(2)
    assert 0.5 < probability < 0.9

    def statistic(run):
        """Four numbers are released, and then one arm is played alone."""
        found = traces(run, range(400), means, (eps, beta, 0), [end, end + 1, end + 100])
        alone = np.isin(found[:, 2, 1] - found[:, 0, 1], (0, 100))
        return binomial_p_value(alone & (found[:, 1, 2] == 4), probability)

    assert_found(statistic, DP_SE, noised_means=divided_by_all(lengths[0]))


# AdaP-UCB whose first pulls are not noised: the first choice is a function of the rewards alone


def first_pull_raw(rng, mean, pulls, eps):
    return rng.binomial(pulls, mean) / pulls + (rng.laplace(0.0, 1.0 / (eps * pulls)) if pulls > 1 else 0.0)


def share_of_first_choices(run, rewards, eps, runs):
    """Whether the first arm is the first choice, after one pull of each of two arms with these rewards; (runs,)."""
    means = np.array(rewards) * (1 - 2e-9) + np.array([1e-9, 0.0])  # which tells the arms apart
    found = traces(run, range(runs), means, (eps, 3.1), [2, 3])
    return (np.diff(found[:, :, 1])[:, 0] == 1) == (means[0] > means[1])


def test_first_pulls_of_adap_are_noised():
    """Rewards 1 and 0: the first arm is chosen if 1 + L > L', which the noise decides."""
    eps = 0.5

    def statistic(run):
        return binomial_p_value(share_of_first_choices(run, [1, 0], eps, 1500), laplace_difference(eps))

    assert_found(statistic, ADAP, noised_mean=first_pull_raw)


def test_the_first_choice_gives_away_at_most_eps_of_one_reward():
    """The largest logarithm of a ratio of probabilities over neighbors is at most eps, up to four standard errors."""
    eps, runs = 0.5, 1500
    neighbors = [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 1), (1, 0)), ((1, 1), (0, 1))]

    def loss(run):
        share = {r: np.mean(share_of_first_choices(run, r, eps, runs)) for r in {r for pair in neighbors for r in pair}}
        error = {r: 4 * math.sqrt(p * (1 - p) / runs) + 1e-9 for r, p in share.items()}
        losses = [0.0]
        for x, y in [*neighbors, *(pair[::-1] for pair in neighbors)]:
            for p, q in ((share[x], share[y]), (1 - share[x], 1 - share[y])):
                if p > error[x]:
                    losses.append(math.log((p - error[x]) / (q + error[y])))
        return max(losses)

    assert loss(adap_ucb.run) < eps
    with plain(ADAP, noised_mean=first_pull_raw) as defective:
        assert loss(defective) > 10


# AdaP-UCB without 1/eps in its bonus


OWN_INDEX = adap_ucb.index


def budget_ignored(mean, n, t, eps, alpha):
    return OWN_INDEX(mean, n, t, 1.0, alpha)


def test_regret_of_adap_reacts_to_the_budget():
    """Where noise is small against the bonus: at ten times the budget it is less than half."""

    def ratio(run):
        small, large = (traces(run, range(40), [0.9, 0.2, 0.1], (eps, 3.1), [30000])[:, 0, 0] for eps in (0.5, 5.0))
        return large.mean() / small.mean()

    assert ratio(adap_ucb.run) < 0.4
    with plain(ADAP, index=budget_ignored) as defective:
        assert ratio(defective) > 0.9


def test_the_bonus_is_inverse_to_the_budget():
    """Its part of the index, at t = 100, n = 8, alpha = 3.1: 1.78450 / eps."""

    def slope(index):
        return (index(0.2, 8, 100, 0.1, 3.1) - index(0.2, 8, 100, 1.0, 3.1)) / (1 / 0.1 - 1)

    assert slope(adap_ucb.index) == pytest.approx(3.1 * math.log(100) / 8)
    assert slope(budget_ignored) == 0.0


# AdaP-UCB whose means are clipped to [0, 1] after the noise


def clipped_mean(rng, mean, pulls, eps):
    return min(1.0, max(0.0, (rng.binomial(pulls, mean) + rng.laplace(0.0, 1.0 / eps)) / pulls))


def test_means_of_adap_are_not_clipped():
    """Equal rewards: the first arm is the first choice in half of the runs, and with clipped means in more."""

    def statistic(run):
        return binomial_p_value(share_of_first_choices(run, [1, 1], 0.5, 2500), 0.5)

    assert_found(statistic, ADAP, noised_mean=clipped_mean)


# AdaP with episodes of twice the pulls so far


@pytest.mark.parametrize(("name", "constants"), [("adap_ucb", (0.5, 3.1)), ("adap_kl_ucb", (0.5, 3.1, 3.1))])
def test_pulls_double_in_an_episode(name, constants):
    """Whenever an episode starts, the pulls of both arms are powers of 2."""

    def off(run):
        found = traces(run, range(5), [0.4, 0.6], constants, np.arange(1, 601))
        starts = np.diff(found[:, :, 3], axis=1) == 1
        best = found[:, :-1, 1][starts].astype(int)
        others = (found[:, :-1, 0] / 0.2).round()[starts].astype(int)
        assert len(best) > 40
        return sum(n & (n - 1) != 0 for n in [*best.tolist(), *others.tolist()])

    assert off(module(name).run) == 0
    with plain(name, episode_length=lambda pulls: 2 * pulls) as defective:
        assert off(defective) > 10
