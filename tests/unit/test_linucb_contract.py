"""Properties of every LinUCB, and its constants against numbers worked out by hand."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.linucb import linucb_jdp
from dpbandits.algorithms.linucb.linucb_jdp import grow_tree, open_tree
from dpbandits.algorithms.linucb.linucb_sdp_vec import sums_of_bits
from dpbandits.algorithms.linucb.protocol import Bits, gaussian
from dpbandits.algorithms.linucb.trace import UPDATES
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.base import BINARY
from dpbandits.environments.linear import bernoulli_linear, bernoulli_linear_circle, bernoulli_linear_released
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.accounting import least_noise

NAMES = [name for name in TABLE if TABLE[name].plays(BINARY) and "batch" in TABLE[name].parameters]
NOISY = [name for name in NAMES if TABLE[name].private]
SWITCHES = dict.fromkeys(
    (
        *("released_ridge", "released_radius", "released_noise", "released_symmetry", "released_tree", "unit_noise"),
        *("returning", "shariff_sheffet", "ridge_by_dimension", "fractional_bits", "user_exponent", "batch_exponent"),
    ),
    0.0,
)
SETTING = {  # the paper's Figure 1(b)
    **SWITCHES,
    **{"T": 20000.0, "dimension": 5.0, "arms": 100.0, "eps": 1.0, "delta": 0.1, "batch": 20.0, "failure": 0.0},
    **{"ridge_factor": 2.0, "norm": 1.0, "bits_factor": 1.0},
}
RELEASED = {"norm": math.sqrt(2), "fractional_bits": 1.0, **{k: 1.0 for k in SWITCHES if k.startswith("released")}}
every = pytest.mark.parametrize("name", NAMES)


def module(name):
    return ALGORITHMS.module(name)


def params(name, calibration="printed", noise=(), **changes):
    return module(name).params(calibration, {**SETTING, **changes}, dict(noise))


def values(found):
    return tuple(vars(found).values())


def trace(name, seed, found, instance, rounds):
    return module(name).run(np.random.default_rng(seed), *instance, *values(found), rounds)


def instance(seed=0, arms=20, d=5):
    return bernoulli_linear.draw(np.random.default_rng(seed), arms, d)


# Parts


@pytest.mark.parametrize("name", NOISY)
def test_what_is_certified_enters_the_protocol(name):
    requests = module(name).requests(SETTING)
    noise = {key: 7.0 + i for i, key in enumerate(requests)}
    protocol = params(name, "certified", noise).protocol
    assert (protocol.bits if name == NOISY[-1] else protocol.vector_sd) == 7.0
    assert all(least_noise(request) > 0 for request in requests.values())


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("returning", [0.0, 1.0])
def test_noise_depends_on_no_argument_of_the_environment_that_the_table_does_not_name(name, returning):
    """Curves that differ in others share one file of noise."""
    asks, standard = module(name).requests, {**SETTING, "returning": returning}
    moved = {each for each in ("arms", "dimension") if asks({**standard, each: 7.0}) != asks(standard)}
    assert moved == set(TABLE[name].noise_asks)


# Constants, by hand


def test_printed_noise():
    """The numbers are those of the specification's own check, at eps = 1; they fall as 1 / eps, b as 1 / eps^2."""
    for eps in (0.2, 1.0, 10.0):
        sds = {name: params(name, eps=eps).protocol.vector_sd for name in NOISY if name != NOISY[-1]}
        assert sds["linucb_ldp"] == pytest.approx(10.150 / eps, rel=1e-3)
        assert sds["linucb_sdp_amp"] == pytest.approx(5.458 / eps, rel=1e-3)
        assert params("linucb_jdp", eps=eps, batch=1.0).protocol.vector_sd == pytest.approx(118.04 / eps, rel=1e-3)
    bits = {eps: params("linucb_sdp_vec", eps=eps).protocol.bits for eps in (0.2, 1.0, 10.0)}
    # g = 9; 24e4 * 81 * ln(1040)^2 / 20 = 972000 * 6.946976^2
    assert bits[1.0] == 46909183
    assert bits[0.2] == pytest.approx(25 * bits[1.0], rel=1e-7)
    assert bits[10.0] == math.ceil(972000 * math.log(1040) ** 2 / 100)


def test_more_noise_bits_than_can_be_counted_are_refused():
    """bits of a user grow as 1 / (eps^2 B), and are drawn for all users of a batch at once; 2^63 is 9.2e18."""
    at = {"batch": 2097152.0, "delta": 1e-6, "T": 2.7e8}
    most = params("linucb_sdp_vec", eps=0.0104, **at).protocol.bits
    assert most * 2097152 == pytest.approx(6.346e18, rel=1e-4)
    with pytest.raises(ValueError, match=r"eps = 0\.005 asks for 1\.31e\+13 noise bits of each of 2097152 users"):
        params("linucb_sdp_vec", eps=0.005, **at)


def test_released_noise():
    for eps in (0.2, 1.0, 10.0):
        found = {name: params(name, "released", eps=eps, **RELEASED).protocol for name in NOISY}
        assert found["linucb_ldp"].vector_sd == pytest.approx(1.7941 / eps, rel=1e-4)
        assert found["linucb_sdp_amp"].vector_sd == pytest.approx(0.55743 / eps, rel=1e-4)
        assert found["linucb_jdp"].vector_sd == pytest.approx(10.130 / eps, rel=1e-4)
        assert params("linucb_jdp", "released", eps=eps, **RELEASED).released_tree
        for name in ("linucb_ldp", "linucb_sdp_amp", "linucb_jdp"):
            assert found[name].diagonal_sd == found[name].vector_sd
            assert found[name].beside_sd == pytest.approx(found[name].vector_sd / math.sqrt(2))
    expected = {0.2: (1530, 1530.39), 1.0: (61, 61.2157), 10.0: (0, 0.612157)}  # 80 ln(50)^2 / (20 eps^2)
    for eps, (whole, real) in expected.items():
        protocol = params("linucb_sdp_vec", "released", eps=eps, **RELEASED).protocol
        assert (protocol.bits, protocol.subtracted) == (whole, pytest.approx(real, rel=1e-5))
        assert (protocol.granularity, protocol.largest) == (pytest.approx(math.sqrt(80)), pytest.approx(math.sqrt(2)))
    repaired = params("linucb_sdp_vec", "released", **{**RELEASED, "fractional_bits": 0.0}).protocol
    assert repaired.subtracted == repaired.bits == 61
    tenfold = params("linucb_sdp_vec", "released", **RELEASED, bits_factor=10.0).protocol
    assert tenfold.bits == 612


def test_returning_users():
    amplified = params("linucb_sdp_amp", returning=1.0).protocol.vector_sd
    assert amplified == pytest.approx(16 * 2.995732 * math.sqrt(20000 * 13.815511) / 20, rel=1e-6)
    bits = params("linucb_sdp_vec", returning=1.0).protocol.bits  # ln(8 * 20000 * 26 / 2) = 14.5478
    assert bits == pytest.approx(1e7 * 2.995732 * 81 * 20000 * 14.547825**2 / 400, rel=1e-5)
    central = params("linucb_jdp", user_exponent=0.5).protocol.vector_sd / params("linucb_jdp").protocol.vector_sd
    assert central == 141  # round(sqrt(20000))


def test_unit_noise():
    local, batch = {"unit_noise": 1.0, "eps": 0.5}, 20
    assert params("linucb_ldp", **local).protocol.vector_sd == 2.0
    assert params("linucb_sdp_amp", **local).protocol.vector_sd == pytest.approx(2 / math.sqrt(batch))
    returning = params("linucb_sdp_amp", **local, returning=1.0).protocol.vector_sd
    assert returning == pytest.approx(2 * math.sqrt(1000 / batch))
    assert params("linucb_jdp", **local).protocol.vector_sd == pytest.approx(2 * math.sqrt(10))  # floor(log2 1000) = 9


def test_common_ridge_and_radius():
    found = params("linucb_ldp", failure=0.1)  # M = 1000
    total = found.protocol.vector_sd * math.sqrt(20000)
    assert found.ridge == pytest.approx(2 * total * (math.sqrt(5) + math.sqrt(9.210340)), rel=1e-6)
    assert found.radius.constant == pytest.approx(math.sqrt(found.ridge))
    assert (found.radius.scale, found.radius.start, found.radius.floor) == (1.0, 1.0, found.ridge)
    assert found.radius.confidence == pytest.approx(2 * math.log(20))
    assert params("linucb_ldp").radius.confidence == pytest.approx(2 * math.log(40000))
    assert params("linucb").ridge == 1.0
    assert params("linucb", ridge_by_dimension=1.0).ridge == 5.0
    assert params("linucb", ridge_by_dimension=1.0).radius.floor == 5.0


def test_released_ridge_and_radius():
    found = params("linucb", "released", **RELEASED)
    assert found.ridge == 1e-4
    assert found.radius.constant == pytest.approx(math.sqrt(5) + 0.5 * math.sqrt(5 * math.log((1 + 40000) * 20000)))
    for eps, ridge in ((0.2, 692), (1.0, 138), (10.0, 14)):
        vector = params("linucb_sdp_vec", "released", eps=eps, **RELEASED)
        assert vector.ridge == pytest.approx(ridge, rel=0.02)
    gamma = 1.794123 * math.sqrt(100000)
    local = params("linucb_ldp", "released", **RELEASED)
    assert local.ridge == pytest.approx(2 * gamma, rel=1e-5)
    inside = (1 + 20000 * 2 / gamma) * 20000
    assert local.radius.constant == pytest.approx(
        math.sqrt(5 * gamma) + 0.5 * math.sqrt(5 * math.log(inside)), rel=1e-5
    )
    assert local.radius.scale == 0.0
    central = params("linucb_jdp", "released", **RELEASED)
    assert central.ridge == pytest.approx(2 * 10.12983 * math.sqrt(9.903488) * math.sqrt(5), rel=1e-4)


def test_shariff_and_sheffet():
    found = params("linucb_jdp", batch=1.0, shariff_sheffet=1.0, failure=0.1)
    sd, log_term = 118.0446, math.log(400000)
    shift = math.sqrt(32) * sd * (4 * math.sqrt(5) + 2 * log_term)
    nu = 4 / math.sqrt(shift) * sd * (math.sqrt(5) + math.sqrt(2 * log_term))
    assert found.ridge == pytest.approx(2 * shift, rel=1e-5)
    assert found.radius.constant == pytest.approx(math.sqrt(3 * shift) + nu, rel=1e-5)
    assert found.radius.start == 3.0


def test_a_batch_may_be_a_power_of_the_horizon():
    assert params("linucb", batch=0.0, batch_exponent=0.6, T=float(2**20)).batch == 4096
    assert params("linucb", batch=0.0, batch_exponent=0.0).batch == 1


# Runs


@every
@pytest.mark.parametrize("batch", [1.0, 7.0, 500.0])
@pytest.mark.parametrize("horizon", [8, 300])
def test_regret_grows_by_at_most_the_largest_gap(name, batch, horizon):
    rounds = log_spaced(horizon, 10)
    features, theta = instance()
    gaps = (features @ theta).max() - features @ theta
    found = trace(name, 1, params(name, batch=batch, T=float(horizon)), (features, theta), rounds)
    assert np.isfinite(found).all()
    increments = np.diff(found[:, 0], prepend=0.0)
    assert (increments >= -1e-12).all()
    assert (increments <= np.diff(rounds, prepend=0) * gaps.max() * (1 + 1e-9)).all()
    assert found[-1, UPDATES] == (horizon - 1) // batch


@every
def test_realized_regret_has_the_mean_of_the_pseudo_regret(name):
    found = np.array([trace(name, s, params(name, T=400.0), instance(s), np.array([400])) for s in range(400)])[:, 0]
    assert abs(stats.ttest_1samp(found[:, 1] - found[:, 0], 0).statistic) < 4
    assert np.std(found[:, 1] - found[:, 0]) > 1


def test_rank_one_updates_are_factorizations():
    """Against algorithms with noise of no size: the same arms for as long as no two indices are equal."""
    common = params("linucb", batch=1.0, T=5000.0)
    rounds = log_spaced(5000, 10)
    for name, switches in (("linucb_ldp", {}), ("linucb_jdp", {}), ("linucb_jdp", {"released_tree": 1.0})):
        own = params(name, batch=1.0, T=5000.0, **switches)
        other = dataclasses.replace(own, ridge=common.ridge, radius=common.radius, protocol=gaussian(0.0))
        for seed in range(5):
            plain = trace("linucb", seed, common, instance(seed), rounds)
            full = trace(name, seed, other, instance(seed), rounds)
            np.testing.assert_allclose(plain[:, :2], full[:, :2], rtol=1e-9)


def test_scaling_features_against_the_parameter_leaves_the_rewards_alone():
    features, theta = instance()
    assert np.allclose(bernoulli_linear.probabilities(2 * features, theta / 2), features @ theta)


# Noise of the sums


def noise_of_tree(leaves, runs=4000):
    """Total noise on u and V after so many leaves without signal, (runs, d + d (d + 1) / 2)."""
    protocol = gaussian(1.5, diagonal=2.0, beside=0.5)
    found = []
    for seed in range(runs):
        server = open_tree(np.zeros((1, 2)), 0.5, 64)
        rng = np.random.default_rng([7, seed])
        for leaf in range(1, leaves + 1):
            grow_tree(rng, server, protocol, leaf)
        found.append([*server.target, *(server.gram - 0.5 * np.eye(2))[np.tril_indices(2)]])
    return np.array(found)


@pytest.mark.parametrize(("leaves", "nodes"), [(1, 1), (2, 1), (3, 2), (7, 3), (8, 1), (13, 3)])
def test_tree_noise_has_one_node_for_every_set_bit(leaves, nodes):
    expected = nodes * np.array([1.5, 1.5, 3.0, 0.75, 3.0]) ** 2
    ratios = noise_of_tree(leaves).var(axis=0, ddof=1) / expected
    assert (np.abs(ratios - 1) < 0.1).all()


def test_a_leaf_is_in_no_more_nodes_than_certified_noise_counts():
    for horizon, most in ((1, 1), (2, 2), (3, 2), (20000, 15), (2**14, 15), (2**14 - 1, 14)):
        assert linucb_jdp.depth({**SETTING, "T": float(horizon), "batch": 1.0}) == most


@pytest.mark.parametrize(
    ("bits", "subtracted", "bias"), [(12, 12.0, 0.0), (3, 3.9, -0.25 * 0.9 * 1.4 / 4.5)], ids=["whole", "fraction"]
)
def test_vector_sum_is_unbiased_unless_bits_are_cut(bits, subtracted, bias):
    """Variance of an entry: (Delta / g)^2 (B b p (1 - p) + rounding), rounding at most B / 4."""
    protocol = Bits(4.5, bits, subtracted, 1.4)
    x, ones, batch = np.array([0.3, -0.9]), 6, 10
    rng = np.random.default_rng(1)
    found = np.empty((20000, 5))
    for entries in found:
        sums_of_bits(rng, protocol, x, ones, batch, entries)
    signal = np.array([*(ones * x), *(batch * np.outer(x, x)[np.tril_indices(2)])])
    errors = found - signal
    scores = (errors.mean(axis=0) - batch * bias) / (errors.std(axis=0, ddof=1) / math.sqrt(len(errors)))
    assert min(holm(2 * stats.norm.sf(np.abs(scores)))) > 1e-3
    binomial = (1.4 / 4.5) ** 2 * batch * bits * 3 / 16
    assert (errors.var(axis=0) > 0.97 * binomial).all()
    assert (errors.var(axis=0) < 1.03 * (binomial + (1.4 / 4.5) ** 2 * batch / 4)).all()


# Instances


def test_features_of_the_paper_have_norm_one_and_those_of_the_code_root_two():
    features, theta = bernoulli_linear.draw(np.random.default_rng(1), 100, 5)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0)
    assert np.linalg.norm(theta) == pytest.approx(1.0)
    other, parameter = bernoulli_linear_released.draw(np.random.default_rng(1), 100, 5)
    np.testing.assert_allclose(np.linalg.norm(other[5:], axis=1), math.sqrt(2))
    assert np.linalg.norm(parameter) == pytest.approx(math.sqrt(0.5))
    np.testing.assert_allclose(other[5:] @ parameter, (features @ theta)[5:])
    assert other[4].tolist() == [0, 0, 0, 0, 1]
    assert other[1].tolist() == [0, 1, 0, 0, 1]
    assert other[4] @ parameter == 0.5


def test_directions_are_uniform():
    points = bernoulli_linear.directions(np.random.default_rng(2), 5000, 3)
    p_values = [stats.kstest(points[:, i], stats.uniform(-1, 2).cdf).pvalue for i in range(3)]  # Archimedes
    assert min(holm(p_values)) > 1e-3


def test_arms_on_a_circle():
    features, theta = bernoulli_linear_circle.draw(np.random.default_rng(0), 256, 3)
    angles = 2 * np.pi * np.arange(256) / 256
    np.testing.assert_allclose(features @ theta, 0.5 + 0.5 * np.cos(angles - np.arctan2(theta[1], theta[0])))
    np.testing.assert_allclose(np.linalg.norm([*features, theta], axis=1), 1.0)
    with pytest.raises(ValueError, match="dimension: 4 is not allowed"):
        bernoulli_linear_circle.draw(np.random.default_rng(0), 256, 4)


def test_the_best_arm_on_a_circle_is_any():
    drawn = [bernoulli_linear_circle.draw(np.random.default_rng([9, i]), 8, 3) for i in range(4000)]
    counts = np.bincount([np.argmax(features @ theta) for features, theta in drawn], minlength=8)
    assert stats.chisquare(counts).pvalue > 1e-3
    angles = [np.arctan2(theta[1], theta[0]) for _, theta in drawn]
    assert stats.kstest(angles, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3


@pytest.mark.parametrize("family", [bernoulli_linear, bernoulli_linear_circle])
@every
def test_the_first_of_arms_of_one_norm_is_played_first(name, family):
    """Without a message all indices are the same, but for rounding: that of the last bit decides nothing."""
    dimensions = {bernoulli_linear: 5, bernoulli_linear_circle: 3}
    for seed in range(20):
        features, theta = family.draw(np.random.default_rng([10, seed]), 64, dimensions[family])
        found = params(name, dimension=float(dimensions[family]), batch=20.0)
        means = features @ theta
        (regret,) = trace(name, seed, found, (features, theta), np.array([20]))[:, 0]
        assert regret == pytest.approx(20 * (means.max() - means[0]))


def test_uniform_play_is_the_mean_of_random_arms():
    features, theta = instance()
    rounds = np.array([10, 500])
    fast = module("uniform_play").run(np.random.default_rng(0), features, theta, rounds)[:, 0]
    slow = [module("uniform_play").run_literal(np.random.default_rng(s), features, theta, rounds) for s in range(300)]
    assert abs(stats.ttest_1samp(np.array(slow)[:, 1], fast[1]).statistic) < 4
    assert fast[1] == pytest.approx(50 * fast[0])
