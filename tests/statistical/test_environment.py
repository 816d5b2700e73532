"""Linear bandit instances and rewards have the distributions that they state.

Fixed seeds; the p-values of a test are corrected by Holm and the smallest must exceed 0.001.
"""

import numpy as np
import pytest
from scipy import stats

from dpbandits.environments.linear.linear import arm_means, draw, reward_sum
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3
DRAWS = 4000
MEANS = [-0.9, 0.0, 0.35]
COUNTS = [1, 3, 7, 50]
SDS = [0.0, 0.1, 1.0]


def sample(function, seed, *arguments):
    rng = np.random.default_rng(seed)
    return np.array([function(rng, *arguments) for _ in range(DRAWS)])


def reward(rng, mean):
    """One sign, as the module states its distribution."""
    return 1.0 if rng.random() < (1 + mean) / 2 else -1.0


def summed(rng, mean, count, sd):
    """The plain version: one reward after the other."""
    return sum(rng.normal(mean, sd) if sd > 0 else reward(rng, mean) for _ in range(count))


# Rewards


def test_rewards_are_signs_with_their_mean():
    for mean in MEANS:
        rewards = sample(reward, 80, mean)
        assert set(rewards) == {-1.0, 1.0}
        assert abs(rewards.mean() - mean) < 4 * np.sqrt((1 - mean**2) / DRAWS)


def test_aggregated_and_looped_sums_have_one_distribution():
    cells = [(mean, count, sd) for mean in MEANS for count in COUNTS for sd in SDS]
    p_values = [
        stats.ks_2samp(sample(reward_sum, 81 + i, *cell), sample(summed, 181 + i, *cell), method="asymp").pvalue
        for i, cell in enumerate(cells)
    ]
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_sums_have_the_binomial_probabilities():
    p_values = []
    for i, (mean, count) in enumerate((m, n) for m in MEANS for n in COUNTS):
        sums = sample(reward_sum, 281 + i, mean, count, 0.0)
        expected = DRAWS * stats.binom.pmf(np.arange(count + 1), count, (1 + mean) / 2)
        ups = np.bincount(((sums + count) / 2).astype(int), minlength=count + 1)
        big = expected >= 5
        cells = [np.append(c[big], c[~big].sum()) if not big.all() else c for c in (ups, expected)]
        p_values.append(stats.chisquare(cells[0], cells[1] * DRAWS / cells[1].sum()).pvalue)
    assert holm(p_values).min() > SIGNIFICANCE, p_values


@pytest.mark.parametrize("mean", [-1.0, 1.0])
@pytest.mark.parametrize("count", [0, 1, 50, 10**9])
def test_certain_rewards_add_up(mean, count):
    assert reward_sum(np.random.default_rng(1), mean, count, 0.0) == mean * count


def test_sums_of_a_thousand_million_rewards():
    """Mean n mu, variance n (1 - mu^2); parity of n."""
    sums = sample(reward_sum, 85, 0.6, 10**9, 0.0)
    assert stats.kstest((sums - 6e8) / np.sqrt(1e9 * 0.64), "norm").pvalue > SIGNIFICANCE
    assert (sums % 2 == 0).all()


@pytest.mark.parametrize("sd", [0.1, 1.0])
@pytest.mark.parametrize("count", [1, 7, 10**9])
def test_normal_sums_have_mean_and_variance_of_the_count(sd, count):
    """N(n mu, n sd^2), whatever |mu| <= 1: not bounded, and for n = 1 often beyond 1 in absolute value at sd 1."""
    p_values = []
    for i, mean in enumerate((-1.0, 0.35)):
        sums = sample(reward_sum, 381 + i, mean, count, sd)
        p_values.append(stats.kstest((sums - count * mean) / (sd * np.sqrt(count)), "norm").pvalue)
    assert holm(p_values).min() > SIGNIFICANCE, p_values
    assert stats.kstest((sums - count * 0.35) / (1.25 * sd * np.sqrt(count)), "norm").pvalue < SIGNIFICANCE


def test_no_rewards_add_up_to_nothing():
    assert reward_sum(np.random.default_rng(1), 0.5, 0, 1.0) == 0.0


# Instances


def test_shapes_and_unit_lengths():
    actions, theta = draw(np.random.default_rng(1), 7, 3)
    assert actions.shape == (7, 3)
    assert theta.shape == (3,)
    np.testing.assert_allclose(np.linalg.norm(actions, axis=1), 1, rtol=1e-15)
    assert np.linalg.norm(theta) == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("part", ["actions", "theta"])
def test_points_are_uniform_on_the_circle(part):
    """The angle is uniform, in the circle and in its quarters (the corners of a cube would show there); so is the angle
    between parameter and action, which are independent."""
    instances = [draw(np.random.default_rng([86, i]), 1, 2) for i in range(DRAWS)]
    points = np.array([actions[0] if part == "actions" else theta for actions, theta in instances])
    angle = np.arctan2(points[:, 1], points[:, 0])
    between = angle - np.array([np.arctan2(t[1], t[0]) if part == "actions" else 0.0 for _, t in instances])
    p_values = [stats.kstest(a / (2 * np.pi) % 1, "uniform").pvalue for a in (angle, 4 * angle, between)]
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_points_are_uniform_on_the_sphere():
    """Archimedes: every coordinate is uniform on [-1, 1], and so is every mean reward."""
    actions, theta = draw(np.random.default_rng(87), DRAWS, 3)
    p_values = [stats.kstest((c + 1) / 2, "uniform").pvalue for c in (*actions.T, actions @ theta)]
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_means_are_inner_products_kept_in_range():
    actions, theta = draw(np.random.default_rng(88), 20, 4)
    np.testing.assert_allclose(arm_means(actions, theta), actions @ theta, rtol=1e-13)
    slightly_long = np.array([[0.8, 0.6 + 1e-9], [-0.8, -0.6 - 1e-9]])
    np.testing.assert_array_equal(arm_means(slightly_long, np.array([0.8, 0.6])), [1.0, -1.0])
