"""Epoch greedy and greedy first with gradient steps: runs against transcriptions, and rounds and constants by hand."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.glm_single import ldp_epoch_greedy, ldp_greedy_first
from dpbandits.environments.contextual.distributions import offer
from dpbandits.environments.contextual.problem import CORNER, DIRECTION, GAUSSIAN, SPHERE, instance_stream, problem
from dpbandits.privacy.accounting import least_noise

THETA = np.array([5.04, 3.0, 5.0])
NONE = math.inf  # bound of no clipping
T = 400
EVERY_ROUND = np.arange(1, T + 1)
SETTING = {"eps": 0.5, "delta": 1e-5, "bound": 3.0, "frequent": 0.0, "averaged": 0.0}
EPOCH = [(1.0, NONE, 0), (0.3, NONE, 1), (1.0, 2.0, 0), (2.0, 0.5, 1)]  # sd, bound, frequent
FIRST = [(1.0, NONE, 0, 0.0), (0.3, NONE, 1, 0.0), (1.0, 2.0, 1, 0.05), (1.0, 0.5, 0, 3.0)]  # sd, bound, averaged, W
distributions = pytest.mark.parametrize(
    ("distribution", "arms"), [(CORNER, 2), (SPHERE, 2), (SPHERE, 5), (GAUSSIAN, 3)]
)


def rng(*seed):
    return np.random.default_rng([20210603, *seed])


def instance(distribution, arms=2, theta=THETA, noise=0.1, seed=0):
    return problem(
        rng(1, seed),
        distribution,
        np.asarray(theta),
        arms,
        noise=noise,
        numbers=(2.0,) if distribution == GAUSSIAN else (),
    )


def epoch(case, sd, bound, frequent, rounds, seed=0):
    return ldp_epoch_greedy.run(rng(2, seed), case, sd, bound, frequent, np.asarray(rounds))


def first(case, sd, bound, averaged, matrix_sd, rounds, seed=0):
    return ldp_greedy_first.run(rng(2, seed), case, sd, bound, averaged, matrix_sd, np.asarray(rounds))


# Against the transcriptions


@distributions
@pytest.mark.parametrize("constants", EPOCH)
def test_epoch_greedy_is_its_transcription(distribution, arms, constants):
    for seed in range(3):
        case = instance(distribution, arms, seed=seed)
        expected = ldp_epoch_greedy.run_literal(rng(2, seed), case, *constants, EVERY_ROUND)
        found = epoch(case, *constants, EVERY_ROUND, seed)
        assert found.shape == (T, len(ldp_epoch_greedy.OUTPUTS))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
        assert 5 < (np.diff(found[:, 0]) == 0.0).sum() < T - 5  # rounds without and with regret


@distributions
@pytest.mark.parametrize("constants", FIRST)
def test_greedy_first_is_its_transcription(distribution, arms, constants):
    for seed in range(3):
        case = instance(distribution, arms, seed=seed)
        expected = ldp_greedy_first.run_literal(rng(2, seed), case, *constants, EVERY_ROUND)
        found = first(case, *constants, EVERY_ROUND, seed)
        assert found.shape == (T, len(ldp_greedy_first.OUTPUTS))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        if constants[3] != 0.05:  # a little noise on the matrix may switch or not
            assert (found[-1, 3] > 0) == (distribution == CORNER or constants[3] == 3.0)


@pytest.mark.parametrize("distribution", [CORNER, SPHERE])
def test_outputs_are_the_same_for_fewer_checkpoints(distribution):
    few = np.array([1, 7, 8, 123, T])
    for constants in EPOCH:
        whole = epoch(instance(distribution), *constants, EVERY_ROUND)
        np.testing.assert_array_equal(epoch(instance(distribution), *constants, few), whole[few - 1])
    for constants in FIRST:
        whole = first(instance(distribution), *constants, EVERY_ROUND)
        np.testing.assert_array_equal(first(instance(distribution), *constants, few), whole[few - 1])


# The schedule


def steps_at(updates):
    """Rounds with a step."""
    return np.flatnonzero(np.diff(updates, prepend=0)) + 1


def test_first_rounds_of_the_schedule():
    """Waits ceil(sqrt i): 1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4."""
    twelve = [1, 2, 4, 6, 8, 11, 14, 17, 20, 23, 27, 31]
    assert ldp_epoch_greedy.schedule(31) == twelve
    assert ldp_epoch_greedy.schedule(30) == twelve[:-1]
    found = epoch(instance(CORNER), 1.0, NONE, 0, np.arange(1, 35))
    assert steps_at(found[:, 2]).tolist() == twelve


@pytest.mark.parametrize(("horizon", "tolerance"), [(10**4, 0.04), (10**6, 0.01)])
def test_size_of_the_schedule(horizon, tolerance):
    count = epoch(instance(DIRECTION, 1, [1.0]), 1.0, NONE, 0, [horizon])[-1, 2]
    assert count == len(ldp_epoch_greedy.schedule(horizon))
    assert count / (1.5 * horizon) ** (2 / 3) == pytest.approx(1.0, abs=tolerance)


def test_frequent_steps_are_taken_in_every_round():
    assert epoch(instance(CORNER), 1.0, NONE, 1, EVERY_ROUND)[:, 2].tolist() == EVERY_ROUND.tolist()


def test_rounds_of_the_schedule_are_random_ones():
    """Of five arms whose contexts and theta let the greedy rule always play the best: T_S alone has regret."""
    case = instance(SPHERE, 5, noise=0.0)
    horizon = 20000
    found = epoch(case, 1e-9, NONE, 0, np.arange(1, horizon + 1))
    lost = np.diff(found[:, 0], prepend=0.0)
    late = np.arange(horizon) >= 10000
    explored = np.isin(np.arange(1, horizon + 1), ldp_epoch_greedy.schedule(horizon))
    assert found[10000, 1] < 1.0
    best = (lost < 1e-9)[late & explored]
    assert stats.binomtest(int(best.sum()), len(best), 0.2).pvalue > 1e-3
    assert (lost < 1e-9)[late & ~explored].mean() > 0.9


# Steps by hand: one arm, x = (1, 0), theta* = (2, 1), no noise on rewards


def errors_by_hand(places):
    return [math.dist(place, (2.0, 1.0)) for place in places]


def test_sparse_and_frequent_steps_by_hand():
    """The first step goes to r x = (2, 0), where it stays; from the fifth on sparse steps are rarer."""
    case = instance(DIRECTION, 1, [2.0, 1.0], noise=0.0)
    for frequent, count in ((0, [1, 2, 2, 3, 3]), (1, [1, 2, 3, 4, 5])):
        found = epoch(case, 0.0, NONE, frequent, range(1, 6))
        assert found[:, 1].tolist() == errors_by_hand([(2.0, 0.0)] * 5)
        assert found[:, 2].tolist() == count
        assert not found[:, 0].any()


def test_clipped_steps_by_hand():
    """Of length 1/2, 1/2 over 2, 1/2 over 3, ...; in rounds 1, 2, 4 if sparse."""
    case = instance(DIRECTION, 1, [2.0, 1.0], noise=0.0)
    first_three = [0.5, 0.75, 0.75 + 0.5 / 3]
    np.testing.assert_allclose(epoch(case, 0.0, 0.5, 1, [1, 2, 3])[:, 1], errors_by_hand((a, 0) for a in first_three))
    places = [first_three[k] for k in (0, 1, 1, 2)]
    np.testing.assert_allclose(epoch(case, 0.0, 0.5, 0, [1, 2, 3, 4])[:, 1], errors_by_hand((a, 0) for a in places))


def test_steps_of_blocks_by_hand():
    """x = 1, theta* = 2, T = 100, W = 2: gradients -2, -2, a step of 4; 2, 2, a step of -4 / 2; then 0.

    Their means take the first step to theta* at once. Clipped to 1/2 the sums make steps of 1, 1/2, 1/3, 1/4.
    """
    case, rounds = instance(DIRECTION, 1, [2.0], noise=0.0), [1, 2, 3, 4, 5, 6, 100]
    found = first(case, 0.0, NONE, 0, 0.0, rounds)
    assert found[:, 1].tolist() == [2, 2, 2, 0, 0, 0, 0]
    assert found[:, 2].tolist() == [0, 1, 1, 2, 2, 3, 50]
    assert not found[:, 3].any()
    assert first(case, 0.0, NONE, 1, 0.0, rounds)[:, 1].tolist() == [2, 0, 0, 0, 0, 0, 0]
    clipped = first(case, 0.0, 0.5, 0, 0.0, [2, 4, 6, 8, 100])[:, 1]
    np.testing.assert_allclose(clipped[:3], [1, 0.5, 0.5 - 1 / 3])
    assert first(case, 0.0, 0.5, 1, 0.0, [2, 4, 100])[:2, 1].tolist() == [1.5, 1.25]


# The switch


def test_greedy_first_switches_after_the_first_block_of_corners():
    """theta = 0 plays the first arm, whose last coordinate is 0; the regret of the block is what the other had more."""
    for seed in range(5):
        case, horizon = instance(CORNER, seed=seed), 1000  # blocks of 20
        found = first(case, 1.0, NONE, 0, 0.0, np.arange(1, horizon + 1), seed)
        assert found[:, 3].tolist() == [0] * 19 + [20] * (horizon - 19)
        users, contexts, means, lost = instance_stream(case), np.empty((2, 3)), np.empty(2), []
        for t in range(20):
            offer(users, case, t, contexts, means)
            users.standard_normal()
            lost.append(max(means[1] - means[0], 0.0))
        assert sum(lost) > 0
        np.testing.assert_allclose(found[19, 0], sum(lost), rtol=1e-12)
        assert found[19, 1] == pytest.approx(np.linalg.norm(THETA), abs=1e-12)
        assert steps_at(found[:, 2])[:6].tolist() == [20, 21, 22, 24, 26, 28]


def test_greedy_first_does_not_switch_with_diverse_contexts():
    for averaged in (0, 1):
        assert not any(first(instance(SPHERE, seed=s), 1.0, NONE, averaged, 0.0, [5000], s)[-1, 3] for s in range(5))


@pytest.mark.parametrize("distribution", [DIRECTION, GAUSSIAN])
def test_noise_on_the_matrix_switches_as_often_as_it_should(distribution):
    """d = 1, W = 4, |x| = 1 or clipped to it: 4 + 2 sd Z < 1e-4 4. GAUSSIAN with sd 1000: hardly an |x| below 1."""
    case, sd, runs = instance(distribution, 1, [1e-3])._replace(numbers=np.array([1000.0])), 2.0, 3000
    count = sum(first(case, 0.0, NONE, 1, sd, [4, 200], seed)[0, 3] == 4 for seed in range(runs))
    assert stats.binomtest(count, runs, stats.norm.cdf(-(4 - 4e-4) / (2 * sd))).pvalue > 1e-3


# Noise


def test_noise_on_gradients_has_its_sd():
    """x = 1, theta* = 0: theta is sd Z_1, then theta - (theta + sd Z_2) / 2, of variance sd^2 / 2; W = 4."""
    case, sd, runs = instance(DIRECTION, 1, [0.0], noise=0.0), 0.7, 3000
    one = np.array([epoch(case, sd, NONE, 1, [1, 2], seed)[:, 1] for seed in range(runs)]) / sd
    assert stats.kstest(one[:, 0], stats.halfnorm.cdf).pvalue > 1e-3
    assert stats.kstest(one[:, 1] / math.sqrt(0.5), stats.halfnorm.cdf).pvalue > 1e-3
    block = np.array([first(case, sd, NONE, 0, 0.0, [4, 200], seed)[0, 1] for seed in range(runs)]) / sd
    assert stats.kstest(block / 2.0, stats.halfnorm.cdf).pvalue > 1e-3


def test_released_constants():
    assert astuple(ldp_epoch_greedy.params("released", SETTING, {})) == (2.0, math.inf, 0)
    assert astuple(ldp_epoch_greedy.params("released", {**SETTING, "frequent": 1.0}, {})) == (2.0, math.inf, 1)
    found = ldp_greedy_first.params("released", {**SETTING, "averaged": 1.0}, {})
    assert astuple(found) == (2.0, math.inf, 1, 0.0)


def least_delta(mu, eps):
    return stats.norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * stats.norm.cdf(-mu / 2 - eps / mu)


def certified(module, **changes):
    setting = {**SETTING, **changes}
    noise = {key: least_noise(request) for key, request in module.requests(setting).items()}
    return module.params("certified", setting, noise)


def test_certified_constants():
    """6 / sd, or sqrt(38) / sd with the matrix, is the mu whose least delta at eps = 1/2 is 1e-5.

    What the switch of greedy first looks at always has noise.
    """
    for frequent in (0.0, 1.0):
        found = certified(ldp_epoch_greedy, frequent=frequent)
        assert (found.bound, found.frequent) == (3.0, frequent)
        assert least_delta(6.0 / found.sd, 0.5) == pytest.approx(1e-5, rel=1e-6)
    for averaged in (0.0, 1.0):
        found = certified(ldp_greedy_first, averaged=averaged)
        assert least_delta(math.sqrt(38.0) / found.sd, 0.5) == pytest.approx(1e-5, rel=1e-6)
        assert (found.matrix_sd, found.bound, found.averaged) == (found.sd, 3.0, averaged)
    assert certified(ldp_epoch_greedy, eps=1000.0).sd < 0.2


def messages(count, bound, draws):
    """(count, 9): gradients clipped to a length and x x' of clipped contexts, on and above the diagonal; d = 3."""
    x = draws.normal(size=(count, 3)) * draws.exponential(size=(count, 1)) ** draws.integers(0, 3, (count, 1))
    gradients = x * draws.normal(size=(count, 1)) * 10.0
    gradients *= np.minimum(1.0, bound / np.linalg.norm(gradients, axis=1, keepdims=True))
    x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
    rows, columns = np.triu_indices(3)
    return np.concatenate([gradients, (x[:, rows] * x[:, columns])], axis=1)


@pytest.mark.parametrize("bound", [0.3, 1.0, 5.0])
def test_messages_are_no_further_apart_than_is_asked_for(bound):
    draws = rng(5)
    apart = np.linalg.norm(messages(200000, bound, draws) - messages(200000, bound, draws), axis=1)
    asked = ldp_greedy_first.requests({**SETTING, "bound": bound})["gradient"].sensitivity
    assert 0.75 * asked < apart.max() <= asked


# Parts


def test_other_problems_are_refused():
    own = problem(rng(), SPHERE, np.eye(3), 3)
    logistic = problem(rng(), SPHERE, THETA, 2, link="logistic")
    for case in (own, logistic):
        with pytest.raises(ValueError, match="one parameter and the linear link"):
            epoch(case, 1.0, NONE, 0, [10])
        with pytest.raises(ValueError, match="one parameter and the linear link"):
            first(case, 1.0, NONE, 0, 0.0, [10])
