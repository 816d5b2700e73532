"""Distributions of contexts and rewards: norms and margins, by moments and Kolmogorov-Smirnov tests."""

import math

import numpy as np
import pytest
from scipy import linalg, stats

from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.problem import (
    CORNER,
    DIRECTION,
    GAUSSIAN,
    INTERCEPT,
    LINKS,
    LOANS,
    LOGISTIC,
    MARGIN,
    SPHERE,
    instance_stream,
    problem,
    unit_vectors,
)
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3
ROUNDS = 4000
HALF = math.sqrt(0.5)
EVERY = {  # one problem of every distribution
    "sphere": (SPHERE, np.array([0.6, 0.0, -0.8]), 4, ()),
    "gaussian": (GAUSSIAN, np.array([0.1, 0.2, 0.3, 0.4]), 3, (0.5,)),
    "margin": (MARGIN, np.array([0.6, 0.0, -0.8]), 2, (0.5,)),
    "corner": (CORNER, np.array([1.0, 2.0, 3.0]), 2, ()),
    "direction": (DIRECTION, np.array([0.5, 7.0]), 1, ()),
    "intercept": (INTERCEPT, np.arange(12.0).reshape(3, 4) / 12, 3, ()),
    "shared sphere": (SPHERE, np.arange(6.0).reshape(3, 2) / 6, 3, ()),
    "loans": (LOANS, np.array([1.0, -1.0, 2.0, 0.5]), 2, (0, 0, 0, 0, 2, 4, 8, 16, 0, 3)),
}
ROWS = np.array([[1.0, 4.0], [0.0, 2.0], [2.0, 3.0]])
every = pytest.mark.parametrize("name", EVERY)


def made(name, link="linear", noise=0.0, seed=0):
    distribution, theta, arms, numbers = EVERY[name]
    rows = ROWS if distribution == LOANS else None
    return problem(np.random.default_rng(seed), distribution, theta, arms, link, noise, numbers, rows)


def room(instance, *rounds):
    """Arrays for contexts and means."""
    shape = 1 if instance.shared else instance.arms, instance.theta.shape[1]
    return np.full((*rounds, *shape), np.nan), np.full((*rounds, instance.arms), np.nan)


def offers(instance, rounds=ROUNDS):
    """Contexts (rounds, K or 1, d) and means (rounds, K)."""
    stream, (contexts, means) = instance_stream(instance), room(instance, rounds)
    for t in range(rounds):
        distributions.offer(stream, instance, t, contexts[t], means[t])
    return contexts, means


def of_distribution(distribution, theta, arms, numbers=(), seed=0):
    return offers(problem(np.random.default_rng(seed), distribution, np.array(theta), arms, numbers=numbers))


def cosine_distribution(dimension):
    """Of the inner product of a fixed unit vector and a uniform one."""
    half = 0.5 * (dimension - 1)
    return stats.beta(half, half, loc=-1.0, scale=2.0).cdf


def assert_distributions(samples):
    """`samples`: pairs of a sample and its distribution function."""
    p_values = [stats.kstest(sample, distribution).pvalue for sample, distribution in samples]
    assert min(holm(p_values)) > SIGNIFICANCE, p_values


def assert_unrelated(pairs):
    p_values = [stats.spearmanr(one, other).pvalue for one, other in pairs]
    assert min(holm(p_values)) > SIGNIFICANCE, p_values


# Contexts


@pytest.mark.parametrize("dimension", [2, 3, 20])
def test_unit_vectors_are_uniform_and_independent(dimension):
    found = unit_vectors(np.random.default_rng(5), ROUNDS, dimension)
    assert found.shape == (ROUNDS, dimension)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-14)
    distribution = cosine_distribution(dimension)
    beside = (found[1:] * found[:-1]).sum(axis=1)[::2]
    assert_distributions(
        [
            (found[:, 0], distribution),
            (found[:, -1], distribution),
            (found @ np.full(dimension, dimension**-0.5), distribution),
        ]
    )
    assert_distributions([(beside, distribution)])


@pytest.mark.parametrize("dimension", [2, 3, 20])
def test_sphere(dimension):
    """Cosines with a fixed vector, with another arm of the round, and with the same arm of the next round."""
    contexts, _ = of_distribution(SPHERE, np.ones(dimension), 3)
    np.testing.assert_allclose(np.linalg.norm(contexts, axis=2), 1.0, rtol=1e-14)
    distribution = cosine_distribution(dimension)
    fixed = np.full(dimension, dimension**-0.5)
    assert_distributions(
        [
            *((contexts[:, k] @ fixed, distribution) for k in range(3)),
            *((contexts[:, k, -1], distribution) for k in range(3)),
            *(((contexts[:, k] * contexts[:, (k + 1) % 3]).sum(axis=1), distribution) for k in range(3)),
            ((contexts[1::2, 0] * contexts[::2, 0]).sum(axis=1), distribution),
        ]
    )


def test_on_one_dimension_the_sphere_is_a_sign():
    contexts, _ = of_distribution(SPHERE, [1.0], 2)
    np.testing.assert_allclose(np.abs(contexts), 1.0, rtol=1e-15)
    assert stats.binomtest(int((contexts > 0).sum()), contexts.size).pvalue > SIGNIFICANCE
    assert stats.binomtest(int((contexts[:, 0] * contexts[:, 1] > 0).sum()), ROUNDS).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(("dimension", "sd"), [(1, 1.0), (4, 0.5), (10, 1.0)])
def test_gaussian(dimension, sd):
    contexts, _ = of_distribution(GAUSSIAN, np.ones(dimension), 2, (sd,))
    z = contexts / sd
    assert_distributions(
        [
            *((z[:, k, i], "norm") for k in range(2) for i in (0, dimension - 1)),
            *(((z[:, k] ** 2).sum(axis=1), stats.chi2(dimension).cdf) for k in range(2)),
            ((z[:, 0] + z[:, 1])[:, 0] * HALF, "norm"),
            ((z[1::2, 0] - z[::2, 0])[:, 0] * HALF, "norm"),
            (z.sum(axis=2)[:, 0] / math.sqrt(dimension), "norm"),
        ]
    )


@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("dimension", [2, 5])
def test_margin(dimension, beta):
    """P(gap <= h) = h^beta; what is orthogonal to the parameter has a uniform length and direction of its own."""
    theta = unit_vectors(np.random.default_rng(dimension), 1, dimension)[0]
    contexts, means = of_distribution(MARGIN, theta, 2, (beta,))
    gap = np.abs(means[:, 0] - means[:, 1])
    np.testing.assert_allclose(means[:, 0], -means[:, 1], rtol=0.0, atol=1e-12)
    assert np.linalg.norm(contexts, axis=2).max() <= math.hypot(0.5, 0.8) + 1e-12 < 0.95
    assert stats.binomtest(int((means[:, 0] > means[:, 1]).sum()), ROUNDS).pvalue > SIGNIFICANCE
    across = contexts @ linalg.null_space(theta[None, :])  # (rounds, 2, d - 1)
    lengths = np.linalg.norm(across, axis=2)
    samples = [(gap, lambda h: h**beta)]
    for k in range(2):
        samples.append((lengths[:, k], stats.uniform(0.0, 0.8).cdf))
        if dimension == 2:
            samples.append((across[:, k, 0], stats.uniform(-0.8, 1.6).cdf))
        else:
            samples += [
                (across[:, k, i] / lengths[:, k], cosine_distribution(dimension - 1)) for i in (0, dimension - 2)
            ]
    if dimension > 2:
        cosines = (across[:, 0] * across[:, 1]).sum(axis=1) / lengths.prod(axis=1)
        samples.append((cosines, cosine_distribution(dimension - 1)))
    assert_distributions(samples)
    signed = means[:, 0] - means[:, 1]
    pairs = [(gap, lengths[:, 0]), (gap, lengths[:, 1]), (lengths[:, 0], lengths[:, 1]), (gap[1:], gap[:-1])]
    assert_unrelated([*pairs, (signed, across[:, 0, 0]), (signed, gap), (across[:, 0, 0], across[:, 1, 0])])


def test_large_beta_gives_one_gap():
    _, means = of_distribution(MARGIN, [0.0, 1.0], 2, (1e4,))
    assert np.abs(np.abs(means[:, 0] - means[:, 1]) - 1.0).max() < 0.01


def test_corner():
    contexts, means = of_distribution(CORNER, [7.0, 11.0, 13.0], 2)
    assert (contexts[:, 1] == [0.0, 0.0, 1.0]).all()
    assert (contexts[:, 0, 2] == 0.0).all()
    first, second = contexts[:, 0, 0], contexts[:, 0, 1]
    assert_distributions([(first, "uniform"), (second, "uniform")])
    assert_unrelated([(first, second), (first[1:], first[:-1]), (first[1:], second[:-1])])
    np.testing.assert_allclose(means, np.stack([7 * first + 11 * second, np.full(ROUNDS, 13.0)], axis=1))


@pytest.mark.parametrize("dimension", [3, 5])
def test_intercept(dimension):
    contexts, _ = of_distribution(INTERCEPT, np.ones((2, dimension)), 2)
    assert contexts.shape == (ROUNDS, 1, dimension)
    x = contexts[:, 0]
    np.testing.assert_allclose(x[:, 0], 1.0 / math.sqrt(2.0), rtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, rtol=1e-14)
    assert_distributions([(x[:, i] / HALF, cosine_distribution(dimension - 1)) for i in range(1, dimension)])


def test_direction():
    contexts, means = of_distribution(DIRECTION, [3.0, 4.0], 1)
    assert (contexts[:, 0] == [1.0, 0.0]).all()
    assert (means == 3.0).all()


def test_loans_by_hand():
    """Two facts of each user, prices 0 and 3: features from 0 to 2, 4, 8 and 16; after the last user the first."""
    contexts, means = offers(made("loans"), 5)
    expected = [
        [[1 / 2, 4 / 4, 0, 0], [1 / 2, 4 / 4, 3 / 8, 12 / 16]],
        [[0, 2 / 4, 0, 0], [0, 2 / 4, 0, 6 / 16]],
        [[2 / 2, 3 / 4, 0, 0], [2 / 2, 3 / 4, 6 / 8, 9 / 16]],
    ]
    assert contexts.tolist() == [*expected, *expected[:2]]
    assert means[0].tolist() == [-0.5, -0.5 + 0.75 + 0.375]


def test_loans_are_scaled_from_their_least_value():
    distribution, theta, arms, _ = EVERY["loans"]
    numbers = (-1, 2, 0, 0, 2, 4, 8, 16, 0, 3)
    instance = problem(np.random.default_rng(0), distribution, theta, arms, numbers=numbers, rows=ROWS)
    contexts, _ = offers(instance, 1)
    assert contexts[0].tolist() == [[2 / 3, 1, 0, 0], [2 / 3, 1, 3 / 8, 12 / 16]]


# Means


@every
@pytest.mark.parametrize("link", LINKS)
def test_means_are_those_of_the_link(name, link):
    instance = made(name, link)
    contexts, means = offers(instance, 50)
    z = contexts[:, 0] @ instance.theta.T if instance.shared else contexts @ instance.theta[0]
    mu = {"linear": lambda z: z, "poisson": np.exp}.get(link, lambda z: 1 / (1 + np.exp(-z)))
    assert means.shape == (50, instance.arms)
    np.testing.assert_allclose(means, mu(z), rtol=1e-13, atol=1e-15)


@every
def test_kernels_and_their_plain_python_agree_in_bits(name, monkeypatch):
    def every_round():
        stream, instance = instance_stream(made(name, "poisson")), made(name, "poisson")
        contexts, means = room(instance)
        for t in range(40):
            distributions.offer(stream, instance, t, contexts, means)
            yield contexts.tolist(), means.tolist(), distributions.reward(stream, instance, t, means[-1])

    compiled = list(every_round())
    for key in [key for key, value in vars(distributions).items() if hasattr(value, "py_func")]:
        monkeypatch.setattr(distributions, key, getattr(distributions, key).py_func)
    assert list(every_round()) == compiled


# Rewards


def rewards(link, mean, noise=0.0, seed=0, count=ROUNDS):
    instance, stream = made("sphere", link, noise), np.random.default_rng(seed)
    return np.array([distributions.reward(stream, instance, t, mean) for t in range(count)])


@pytest.mark.parametrize(("mean", "noise"), [(-0.7, 0.05), (0.3, 2.0)])
def test_linear_rewards_are_normal(mean, noise):
    assert_distributions([(rewards("linear", mean, noise), stats.norm(mean, noise).cdf)])


@pytest.mark.parametrize("link", ["linear", "logistic_mean"])
def test_rewards_without_noise_are_their_means(link):
    assert (rewards(link, 0.3, count=9) == 0.3).all()


@pytest.mark.parametrize("mean", [0.02, 0.5, 0.9])
def test_logistic_rewards_are_coins(mean):
    found = rewards("logistic", mean)
    assert set(found.tolist()) == {0.0, 1.0}
    assert stats.binomtest(int(found.sum()), ROUNDS, mean).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("mean", [0.05, math.exp(-1.0), 1.0, math.e, 30.0])
def test_poisson_rewards_have_its_probabilities(mean):
    """Counts are taken together from both ends until ten are expected."""
    found = rewards("poisson", mean)
    distribution = stats.poisson(mean)
    low, high = int(distribution.ppf(10 / ROUNDS)), int(distribution.isf(10 / ROUNDS))
    chances = np.diff([0.0, *distribution.cdf(np.arange(low, high)), 1.0])
    counts = np.bincount(np.clip(found.astype(int), low, high) - low, minlength=high - low + 1)
    assert len(chances) > 1
    assert (found == found.astype(int)).all()
    assert stats.chisquare(counts, ROUNDS * chances).pvalue > SIGNIFICANCE
    assert (found == 0).mean() == pytest.approx(math.exp(-mean), abs=4 * math.sqrt(math.exp(-mean) / ROUNDS))


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("link", LINKS)
def test_rewards_take_the_same_draws_whatever_the_mean(link, noise):
    """Two worlds in which other arms are played stay in step; the larger mean has the larger reward."""
    instance = made("sphere", link, noise)
    low, high = instance_stream(instance), instance_stream(instance)
    pairs = [
        (distributions.reward(low, instance, t, 0.2), distributions.reward(high, instance, t, 0.7)) for t in range(300)
    ]
    assert low.bit_generator.state == high.bit_generator.state
    assert all(one <= other for one, other in pairs)
    assert any(one < other for one, other in pairs)


def test_a_reward_without_a_coin_keeps_in_step_with_one():
    """One uniform a reward for all links but the linear one."""
    plain = np.random.default_rng(3)
    plain.random()
    for link in ("logistic", "logistic_mean", "poisson"):
        stream = np.random.default_rng(3)
        distributions.reward(stream, made("sphere", link), 0, 0.4)
        assert stream.bit_generator.state == plain.bit_generator.state


# Worlds


@every
def test_contexts_do_not_depend_on_what_is_played(name):
    """Rewards drawn in between for the best arm, and for the worst."""
    found = []
    for choose in (np.argmax, np.argmin):
        instance = made(name, "logistic")
        stream = instance_stream(instance)
        contexts, means = room(instance)
        found.append([])
        for t in range(60):
            distributions.offer(stream, instance, t, contexts, means)
            distributions.reward(stream, instance, t, means[choose(means)])
            found[-1].append(contexts.tolist())
    assert found[0] == found[1]


@every
@pytest.mark.parametrize(("link", "noise"), [("linear", 0.0), ("linear", 0.5), ("poisson", 0.0)])
def test_what_is_drawn_ahead_is_what_a_run_draws(name, link, noise):
    """Contexts and rewards of the stream, in bits, and nothing is taken from it any more."""
    instance = made(name, link, noise)
    (ahead,) = distributions.drawn_ahead((instance,), 50)
    found = []
    for each in (instance, ahead):
        stream = instance_stream(each)
        contexts, means = room(each)
        found.append([])
        for t in range(50):
            distributions.offer(stream, each, t, contexts, means)
            found[-1].append([*contexts.ravel(), *means, distributions.reward(stream, each, t, means[0])])
        found[-1].append(stream.random())
    drawn = name not in ("direction", "loans")
    assert (len(ahead.contexts), len(ahead.chances)) == (50 * drawn, 50 * drawn)
    assert found[0][:50] == found[1][:50]
    if drawn:
        assert found[1][50] == instance_stream(instance).random()


def test_what_is_too_large_is_not_drawn_ahead(monkeypatch):
    instance = made("sphere")  # twelve numbers of contexts and one chance a round
    monkeypatch.setattr(distributions, "MOST_AHEAD", 130)
    assert len(distributions.drawn_ahead((instance,), 10)[0].contexts) == 10
    assert distributions.drawn_ahead((instance,), 11) == (instance,)


def test_a_world_starts_anew_and_is_one_of_many():
    one, again, other = made("sphere"), made("sphere"), made("sphere", seed=1)
    assert one.stream == again.stream != other.stream
    assert np.array_equal(offers(one, 5)[0], offers(again, 5)[0])
    assert not np.array_equal(offers(one, 5)[0], offers(other, 5)[0])


def test_problems_have_the_types_of_kernels():
    theta = np.asfortranarray(np.arange(6).reshape(2, 3))
    instance = problem(np.random.default_rng(0), SPHERE, theta, 2, "logistic", 0, (1,), np.ones((2, 2), int))
    assert instance.link == LOGISTIC
    for array in (instance.theta, instance.numbers, instance.rows):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
    assert instance.shared
    single = problem(np.random.default_rng(0), SPHERE, np.ones(3), 2)
    assert single.theta.shape == (1, 3)
    assert not single.shared
    assert single.rows.shape[0] == 0
    assert type(single.noise) is float
    assert 0 <= single.stream < 2**63
