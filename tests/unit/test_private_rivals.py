"""The private rivals for a few arms: formulas against numbers worked out by hand, and how they play."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import adap_kl_ucb, adap_ucb, dp_imed, dp_kl_ucb, dp_ucb, private_means
from dpbandits.algorithms.bernoulli import dp_se as dp_se
from dpbandits.algorithms.shared import ties, tree_noise

from .rivals import NAMES, SETTINGS, constants, module, plain, plain_trace, regrets, trace

MEANS = (0.4, 0.75, 0.6)
EVERY_ROUND = np.arange(1, 301)
ANYTIME = [name for name in NAMES if name not in ("dp_se", "dp_ucb")]
every = pytest.mark.parametrize("name", NAMES)


def arms_played(name, seed, horizon, means=(0.9, 0.8, 0.5), **changes):
    """(horizon,) the arms: these means have gaps that tell them apart."""
    found = trace(name, seed, means, np.arange(1, horizon + 1), **changes)[:, 0]
    gaps = max(means) - np.array(means)
    assert len(set(gaps)) == len(gaps)
    return np.abs(np.diff(found, prepend=0.0)[:, None] - gaps).argmin(axis=1)


# Parts


# Any run


@every
@pytest.mark.parametrize("arms", [1, 2, 3, 7])
def test_runs_end_at_the_horizon_whatever_it_is(name, arms):
    """Regret of two arms is the gap times all pulls but those of the best."""
    means = np.linspace(0.7, 0.3, arms) if arms > 1 else np.array([0.4])
    for horizon in (1, 2, 3, 8, 50):
        found = trace(name, horizon, means, [horizon])
        assert found.shape == (1, 4)
        assert 0 <= found[0, 1] <= horizon
        if arms == 2:
            assert found[0, 0] == pytest.approx(0.4 * (horizon - found[0, 1]))
        literal = module(name).run_literal(
            np.random.default_rng(1), means, *constants(name), np.unique([1, (1 + horizon) // 2, horizon])
        )
        assert len(literal) == len({1, (1 + horizon) // 2, horizon})


@every
def test_traces_depend_on_no_checkpoint_but_the_last(name):
    whole = trace(name, 3, MEANS, np.arange(1, 2001))
    assert (np.diff(whole, axis=0) >= 0).all()
    assert whole[-1, 2] > 0 < whole[-1, 3]
    for picked in ([2000], [1, 2000], [2, 3, 100, 101, 1491, 1492, 2000]):
        np.testing.assert_array_equal(trace(name, 3, MEANS, picked), whole[np.array(picked) - 1])


@every
def test_equal_means_have_no_regret(name):
    found = trace(name, 4, [0.3] * 4, EVERY_ROUND)
    assert not found[:, 0].any()
    np.testing.assert_array_equal(found[:, 1], EVERY_ROUND)


@pytest.mark.parametrize("name", [*ANYTIME, "dp_ucb"])
def test_only_anytime_algorithms_play_the_same_under_a_longer_horizon(name):
    """DP-SE has a test of its own."""
    shorter = np.arange(1, 151)
    pairs = [(trace(name, s, MEANS, shorter)[:, 0], trace(name, s, MEANS, EVERY_ROUND)[:150, 0]) for s in range(20)]
    assert all(np.array_equal(*pair) for pair in pairs) == (name in ANYTIME)


def test_successive_elimination_depends_on_the_horizon_through_beta():
    """R_1 = ceil(128 ln(16 T) + 1) for two arms: 1181 at T = 625, and 1459 at T = 5500."""
    for horizon, length in ((5500, 1459), (50000, 1741)):
        assert math.ceil(128 * math.log(16 * horizon) + 1) == length
        found = trace("dp_se", 1, (0.0, 1.0), [2 * length, 2 * length + 1, horizon], beta=0, eps=50)
        np.testing.assert_array_equal(found[:, 0], length)
        np.testing.assert_array_equal(found[:, 2], [0, 2, 2])
        same = trace("dp_se", 1, (0.0, 1.0), [horizon], beta=1 / horizon, eps=50)
        np.testing.assert_array_equal(same[-1], found[-1])


@pytest.mark.parametrize("name", ["adap_ucb", "adap_kl_ucb", "dp_kl_ucb", "dp_imed", "dp_se"])
def test_every_release_is_one_draw_of_noise_of_scale_one_over_eps(name):
    scales = []

    def laplace(rng, scale):
        scales.append(scale)
        return rng.laplace(0.0, scale)

    horizon = 3000
    found = plain_trace(name, 5, MEANS, [horizon], {"laplace": laplace})
    assert set(scales) == {1.0 / SETTINGS[name]["eps"]}
    assert len(scales) == found[0, 2] > 2
    np.testing.assert_array_equal(found, trace(name, 5, MEANS, [horizon]))


# DP-SE


def test_epoch_length_by_hand():
    # |S| = 5, e = 1, beta = 0.01: ln 4000 = 8.294050, ln 2000 = 7.600902; 128 * 8.294050 = 1061.64
    assert dp_se.epoch_length(5, 1, 0.01, 1.0) == 1063
    assert dp_se.epoch_length(5, 1, 0.01, 0.05) == 2434  # 16 * 7.600902 / 0.05 = 2432.29
    # |S| = 2, e = 3, beta = 0.1: ln 1440 = 7.272398, ln 720 = 6.579251; D = 1/8
    assert dp_se.epoch_length(2, 3, 0.1, 1.0) == 14895  # 2048 * 7.272398 = 14893.87
    assert dp_se.epoch_length(2, 3, 0.1, 0.01) == 42109  # 64 * 6.579251 / 0.01 = 42107.2
    assert dp_se.epoch_length(2, 40, 0.1, 1e-6) > 1e25  # as a float: no overflow


def test_threshold_by_hand():
    # sqrt(8.294050 / 2126) = 0.0624600; 7.600902 / 1063 = 0.00715043
    assert dp_se.threshold(5, 1, 0.01, 1.0, 1063) == pytest.approx(2 * 0.0624600 + 2 * 0.00715043, rel=1e-5)
    # sqrt(7.272398 / 200) = 0.190688; 6.579251 / (100 * 0.5) = 0.131585
    assert dp_se.threshold(2, 3, 0.1, 0.5, 100) == pytest.approx(2 * 0.190688 + 2 * 0.131585, rel=1e-5)


def test_successive_elimination_plays_in_turn_and_then_the_survivor():
    """Rewards are certain: R_1 = ceil(128 ln 48 + 1) = 497, and all arms but the first are dropped."""
    found = trace("dp_se", 0, (1.0, 0.3, 0.0), EVERY_ROUND, eps=50)
    turns = np.array([(EVERY_ROUND + 2 - k) // 3 for k in range(3)])
    np.testing.assert_allclose(found[:, 0], 0.7 * turns[1] + turns[2])
    np.testing.assert_array_equal(found[:, 1], turns[0])
    assert math.ceil(128 * math.log(48) + 1) == 497
    longer = trace("dp_se", 0, (0.0, 1.0, 0.0), [1490, 1491, 1492, 9999], eps=50)
    np.testing.assert_array_equal(longer[:, 0], [993, 994, 994, 994])
    np.testing.assert_array_equal(longer[:, 2], [0, 0, 3, 3])
    np.testing.assert_array_equal(longer[:, 3], [1, 1, 2, 2])


@pytest.mark.parametrize(("restarts", "ends"), [(1, [2, 6, 14, 30, 62, 126, 254, 300]), (2, [4, 20, 276, 300])])
def test_restarts_begin_with_the_first_arm(restarts, ends):
    expected = [turn % 3 for start, end in zip([0, *ends], ends, strict=False) for turn in range(end - start)]
    np.testing.assert_array_equal(arms_played("dp_se", 0, 300, restarts=restarts, beta=0.5), expected)


def test_assumed_horizons():
    for restarts, expected in ((1, [2, 4, 8, 16, 32]), (2, [4, 16, 256, 65536, 2**32])):
        found, last = [], 1.0
        for _ in range(5):
            last = dp_se.assumed_horizon(1000, last, restarts)
            found.append(last)
        assert found == expected
    assert dp_se.assumed_horizon(1000, 1.0, 0) == 1000.0


def test_restarts_take_beta_from_the_assumed_horizon():
    """Assumed 4096 starts after 4094 rounds; R_1 = ceil(128 ln(16 * 4096) + 1) = 1421; 2 * 1332 > 2048 before."""
    end = 4094 + 2 * 1421
    found = trace("dp_se", 0, (1.0, 0.0), [4094, end, end + 1, 8190], beta=0, restarts=1, eps=1000)
    np.testing.assert_array_equal(found[:, 0], [2047, 2047 + 1421, 2047 + 1421, 2047 + 1421])
    np.testing.assert_array_equal(found[:, 2], [0, 0, 2, 2])


def test_every_arm_below_the_threshold_goes_and_the_rest_stay_in_order():
    """Of noised means 0.9, 0.5, 0.8, 0.1 and a threshold between 0.1 and 0.4, the first and the third stay."""
    calls = []

    def noised_means(rng, means, active, pulls, eps):
        calls.append(list(active))
        return np.array([0.9, 0.5, 0.8, 0.1]) if len(active) == 4 else np.array([0.0, 1.0])

    assert 0.1 < dp_se.threshold(4, 1, 0.5, 50.0, dp_se.epoch_length(4, 1, 0.5, 50.0)) < 0.4
    with plain("dp_se", noised_means=noised_means) as run:
        found = run(np.random.default_rng(0), np.array([0.1, 0.3, 0.9, 0.5]), 50.0, 0.5, 0, np.array([10**5]))
    assert calls == [[0, 1, 2, 3], [0, 2]]
    first, second = dp_se.epoch_length(4, 1, 0.5, 50.0), dp_se.epoch_length(2, 2, 0.5, 50.0)
    assert found[0, 1] == 10**5 - 3 * first - second


# AdaP


def test_adap_index_by_hand():
    # sqrt(3.1 ln 20 / 8) = 1.0774257; 3.1 ln 10 / (0.5 * 4) = 3.5690069
    assert adap_ucb.index(0.3, 4, 10, 0.5, 3.1) == pytest.approx(0.3 + 1.0774257 + 3.5690069, rel=1e-7)
    assert adap_ucb.index(-0.7, 4, 10, 0.5, 3.1) == pytest.approx(-0.7 + 1.0774257 + 3.5690069, rel=1e-7)


def test_adap_kl_index_by_hand():
    # t = 1000: p = 1/4 - 0.0690776 + 0.0690776 / 1 with alpha_private = 10, and q = 1/2 by the epsilon kl(1/4, 1/2)
    log_t = math.log(1000)
    epsilon = math.log(2) + 0.25 * math.log(0.25) + 0.75 * math.log(0.75)
    mean = 0.25 - 10 * log_t / (2.0 * 1000)
    assert adap_kl_ucb.index(mean, 1000, 1000, 2.0, epsilon * 1000 / log_t, 10.0) == pytest.approx(0.5, rel=1e-12)
    assert adap_kl_ucb.index(0.99, 1000, 1000, 0.01, 3.1, 3.1) == 1.0
    assert adap_kl_ucb.index(-5.0, 10, 100, 1.0, 1.0, 1.0) == pytest.approx(1 - 100 ** (-1 / 10))  # p = 0
    assert adap_kl_ucb.index(1.7, 10, 100, 1.0, 1.0, 1.0) == 1.0


@pytest.mark.parametrize("name", ["adap_ucb", "adap_kl_ucb"])
def test_adap_episodes_double_the_pulls_of_their_arm(name):
    for seed in range(10):
        arms = arms_played(name, seed, 1000)
        np.testing.assert_array_equal(arms[:3], [0, 1, 2])
        pulls, t = np.ones(3, dtype=int), 3
        while t < 1000:
            i = arms[t]
            assert (arms[t : t + pulls[i]] == i).all()
            t += pulls[i]
            pulls[i] *= 2
        steps = trace(name, seed, MEANS, np.arange(1, 1001))[:, 3]
        assert steps[2] == 0


# DP-KLUCB and DP-IMED


def test_batch_lengths_by_hand():
    first, following = private_means.first_batch_length, private_means.next_batch_length
    assert [first(b, eps) for b, eps in ((0.0, 0.1), (1.0, 0.1), (0.3, 0.1), (1.1, 0.1), (1.0, 0.3))] == [
        1,
        10,
        3,
        11,
        4,
    ]
    assert [following(n, 2.0) for n in (1, 2, 4, 7)] == [1, 2, 4, 7]
    assert [following(n, 1.5) for n in (1, 2, 3, 5)] == [1, 1, 2, 3]
    assert [following(n, 1.1) for n in (1, 10, 11, 100)] == [1, 1, 2, 10]
    assert [following(n, 1.01) for n in (1, 99, 100, 101)] == [1, 1, 1, 2]


@pytest.mark.parametrize("name", ["dp_kl_ucb", "dp_imed"])
@pytest.mark.parametrize(
    ("ratio", "first", "totals"), [(2.0, 2.0, [4, 8, 16, 32]), (1.5, 0.0, [1, 2, 3, 5, 8, 12, 18])]
)
def test_batches_grow_by_the_ratio(name, ratio, first, totals):
    """For eps = 0.5."""
    seen = set()
    for seed in range(10):
        arms = arms_played(name, seed, 200, ratio=ratio, first_batch=first)
        np.testing.assert_array_equal(arms[: 3 * totals[0]], np.repeat([0, 1, 2], totals[0]))
        pulls, t = np.full(3, totals[0]), 3 * totals[0]
        while t < 200:
            i = arms[t]
            if pulls[i] not in totals[:-1]:
                break
            following = totals[totals.index(pulls[i]) + 1]
            assert (arms[t : t + following - pulls[i]] == i).all()
            t += following - pulls[i]
            pulls[i] = following
            seen.add(following)
    assert seen >= set(totals[1:])


def test_dp_kl_ucb_index_by_hand():
    # d_eps(1/5, 4/5) = 0.3 ln 4 + ln 1.25 at eps = ln 4; with t = 596, ln t / n = 6.390241 / 10 is this to 2e-6
    assert math.log(596) / 10 == pytest.approx(0.3 * math.log(4) + math.log(1.25), abs=1e-5)
    assert dp_kl_ucb.index(2.0, 10, 596, math.log(4)) == pytest.approx(0.8, abs=1e-5)
    assert dp_kl_ucb.index(11.0, 10, 596, 0.5) == 1.0
    assert dp_kl_ucb.index(9.0, 10, 596, 0.5) == 1.0  # 0.5 * 0.1 is less than the epsilon
    assert dp_kl_ucb.index(-3.0, 100, 50, 0.1) == dp_kl_ucb.index(0.0, 100, 50, 0.1)


def test_dp_imed_index_by_hand():
    expected = 10 * (0.3 * math.log(4) + math.log(1.25)) + math.log(10)
    assert dp_imed.index(0.2, 0.8, 10, math.log(4)) == pytest.approx(expected, rel=1e-12)
    assert dp_imed.index(0.8, 0.8, 7, 0.5) == pytest.approx(math.log(7))
    assert dp_imed.index(0.4, 1.0, 7, 0.5) == pytest.approx(7 * 0.5 * 0.6 + math.log(7))


def test_dp_imed_plays_the_least_index():
    """Clipped means 0.5, 1, 0; with eps = 1 and n = 4, 30, 8 the indices are 2 + ln 4 = 3.386, 3.401, 10.08."""
    total, n = np.array([2.0, 33.0, -1.0]), np.array([4, 30, 8])
    assert dp_imed.least_index(np.random.default_rng(0), total, n, 1.0) == 0
    assert dp_imed.least_index(np.random.default_rng(0), total, np.array([4, 29, 8]), 1.0) == 1


# Ties


def test_ties_are_broken_uniformly_and_only_they_draw():
    rng = np.random.default_rng(6)
    values = np.array([0.5, 1.0, 1.0, 0.2, 1.0])
    counts = np.bincount([ties.largest_of(rng, values) for _ in range(6000)], minlength=5)
    assert counts[[0, 3]].sum() == 0
    assert np.abs(counts[[1, 2, 4]] - 2000).max() < 4 * math.sqrt(6000 * 2 / 9)
    before = rng.bit_generator.state
    assert ties.largest_of(rng, np.array([0.5, 1.0, 0.99])) == 1
    assert rng.bit_generator.state == before


# DP-UCB


def test_tree_layers():
    assert [dp_ucb.layers_of(leaves) for leaves in (1, 2, 3, 4, 8, 9, 10**6)] == [1, 2, 3, 3, 4, 5, 21]


def test_tree_bonus_by_hand():
    # ln(1e6)^2 = 190.86833; ln(5e6 * 13.815511 / 0.1) = 20.35326; their product times 20 is 77696.1
    assert dp_ucb.tree_budget(0.25, 5, 1) == 0.05
    assert dp_ucb.tree_budget(0.25, 5, 0) == 0.25
    assert dp_ucb.privacy_bonus(5, 10**6, 0.05, 0.1) == pytest.approx(77696.1057, rel=1e-8)
    assert dp_ucb.privacy_bonus(5, 10**6, 0.25, 0.1) == pytest.approx(77696.1057 / 5, rel=1e-8)


def test_tree_index_by_hand():
    # (30 + 12) / 50 + sqrt(2 ln 1000 / 50) = 0.84 + 0.5256522
    assert dp_ucb.index(*dp_ucb.parts(30.0, 50, 12.0), 1000) == pytest.approx(0.84 + 0.5256522, rel=1e-7)


def test_nodes_keep_their_noise_while_they_are_used():
    """The draw made at leaf k is 2^k. The node of a digit of n was completed at n without its lower digits."""
    leaf = 0
    with plain("dp_ucb", laplace=lambda rng, scale: scale * 2.0**leaf):
        noise = np.zeros((2, 7))
        for leaf in range(1, 51):
            found = tree_noise.advance(None, noise, 1, leaf, 3.0)
            completed = {leaf >> digit << digit for digit in range(6) if leaf >> digit & 1}
            assert found == 3.0 * sum(2.0**k for k in completed)
    assert not noise[0].any()


@pytest.mark.parametrize("split", [0, 1])
def test_tree_noise_has_the_scale_of_its_layers(split):
    """Three arms, 300 leaves: 10 epsilons, eps = 4: 10 / 4, or three times that; one draw a round."""
    scales = []

    def laplace(rng, scale):
        scales.append(scale)
        return rng.laplace(0.0, scale)

    found = plain_trace("dp_ucb", 5, MEANS, [300], {"laplace": laplace}, split_budget=split)
    assert scales == pytest.approx([10 / 4 * (3 if split else 1)] * 300)
    assert found[0, 2] == 299  # the last one is released after the horizon
    np.testing.assert_array_equal(found, trace("dp_ucb", 5, MEANS, [300], split_budget=split))


# Limits


@every
def test_regret_falls_as_the_budget_grows(name):
    horizon = 20000
    low, high = ({"eps": 0.02}, {"eps": 2.0}) if name != "dp_ucb" else ({"eps": 1.0}, {"eps": 500.0})
    means = [regrets(name, range(30), (0.2, 0.9, 0.5), [horizon], **budget).mean() for budget in (low, high)]
    assert means[1] < 0.5 * means[0]


def ucb1_regret(rng, horizon):
    """Of UCB1, ties at random."""
    totals, pulls = np.zeros(3), np.zeros(3, dtype=int)
    for t in range(1, horizon + 1):
        noise = 1e-9 * rng.random(3)
        i = t - 1 if t <= 3 else int(np.argmax(totals / pulls + np.sqrt(2 * math.log(t) / pulls) + noise))
        totals[i] += rng.random() < MEANS[i]
        pulls[i] += 1
    return (max(MEANS) - np.array(MEANS)) @ pulls


def test_dp_ucb_with_a_budget_beyond_bounds_is_ucb1():
    fast = regrets("dp_ucb", range(1000), MEANS, [300], eps=1e10)[:, 0]
    slow = [ucb1_regret(np.random.default_rng([7, seed]), 300) for seed in range(300)]
    assert abs(stats.ttest_ind(fast, slow, equal_var=False).statistic) < 4
    private = regrets("dp_ucb", range(1000), MEANS, [300], eps=20.0)[:, 0]
    assert abs(stats.ttest_ind(private, slow, equal_var=False).statistic) > 6
