"""Limits and symmetries of the phased eliminations: no privacy, nothing to learn, one line, rotated instances."""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.phased_elimination import batches
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.base import SIGNED
from dpbandits.environments.linear.linear import draw
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.accounting import least_noise

PLAIN, G_OPTIMAL = "phased_elimination", "phased_elimination_g_optimal"
CENTRAL, WHOLE = "phased_elimination_central", "phased_elimination_no_core_set"
LOCAL, SHUFFLED = "phased_elimination_local", "phased_elimination_shuffled"
NAMES = [name for name in TABLE if TABLE[name].plays(SIGNED) and "width" in TABLE[name].parameters]
SIGNIFICANCE = 1e-3
T = 10**5
ROUNDS = log_spaced(T, 5)
PRIVATE = [name for name in NAMES if TABLE[name].private]
READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
SETTING = {**READING, "core_factor": 1.5, "frank_wolfe": 0.0, "printed_width": 0.0, "delta": 1e-6, "eps": 1.0}
ACTIVE, CORE, GAMMA, SCALE, MISSES = (
    batches.OUTPUTS.index(name) for name in ("active", "core", "gamma", "noise_scale", "misses")
)
noise_of = functools.cache(least_noise)


def run(name, seed, actions, theta, rounds=ROUNDS, calibration="printed", **changes):
    algorithm = ALGORITHMS.module(name)
    setting = {**SETTING, "T": float(rounds[-1]), **changes}
    noise = {}
    if calibration == "certified":
        noise = {key: noise_of(request) for key, request in algorithm.requests(setting).items()}
    constants = vars(algorithm.params(calibration, setting, noise)).values()
    return algorithm.run(np.random.default_rng(seed), actions, theta, *constants, rounds)


# No privacy


@pytest.mark.parametrize(("name", "eps"), [(CENTRAL, 1e9), (LOCAL, 1e9), (SHUFFLED, 1e4)])
def test_without_privacy_they_are_the_non_private_algorithm(name, eps):
    """Widths agree to rounding, regrets in distribution (the noise still uses its stream, so that bits differ)."""
    actions, theta = draw(np.random.default_rng(5), 6, 2)
    private = np.array([run(name, [1, seed], actions, theta, eps=eps, width=0.3) for seed in range(800)])
    plain = np.array([run(PLAIN, [2, seed], actions, theta, width=0.3) for seed in range(800)])
    np.testing.assert_allclose(private[0, 0, GAMMA], plain[0, 0, GAMMA], rtol=1e-3)
    one, other = np.round(private[:, ROUNDS >= 100, 0], 6).T, np.round(plain[:, ROUNDS >= 100, 0], 6).T
    p_values = [stats.ks_2samp(x, y, method="asymp").pvalue for x, y in zip(one, other, strict=True)]
    p_values.append(stats.ttest_ind(one[-1], other[-1], equal_var=False).pvalue)
    assert holm(p_values).min() > SIGNIFICANCE, p_values
    noisy = [run(name, [1, seed], actions, theta, eps=0.5, width=0.3)[-1, 0] for seed in range(100)]
    assert stats.ks_2samp(noisy, other[-1], method="asymp").pvalue < SIGNIFICANCE


def test_with_one_core_set_the_whole_one_is_the_central_one():
    """Two actions are their own core set; with the printed width nothing is left that differs: the same bits."""
    actions, theta = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([0.3, 0.6])
    for seed in range(20):
        for frank_wolfe in (0.0, 1.0):
            whole = run(WHOLE, seed, actions, theta, width=0.2, printed_width=1.0, frank_wolfe=frank_wolfe)
            np.testing.assert_array_equal(whole, run(CENTRAL, seed, actions, theta, width=0.2))
        counted = run(WHOLE, seed, actions, theta, width=0.2)
        fitting = run(CENTRAL, seed, actions, theta, width=0.2, core_factor=1.0)  # 2 B d^2 = 2 d |A_i| = 8
        np.testing.assert_array_equal(counted[:10, GAMMA], fitting[:10, GAMMA])


def test_equal_shares_cost_less_than_a_design_on_a_narrow_arc():
    """While nothing is dropped: the design plays the ends of the arc, with gap w^2/2; equal shares have a third of it.

    Frank-Wolfe comes near the design and keeps all actions.
    """
    angles = np.radians(np.linspace(-30, 30, 31))
    actions, theta = np.stack([np.cos(angles), np.sin(angles)], axis=1), np.array([1.0, 0.0])
    rounds = np.array([500, T])
    uniform, fw, core = (
        np.array([run(name, seed, actions, theta, rounds, width=1e6, **changes)[0] for seed in range(30)])
        for name, changes in ((WHOLE, {}), (WHOLE, {"frank_wolfe": 1.0}), (CENTRAL, {}))
    )
    np.testing.assert_allclose(core[:, 0], 500 * (1 - math.cos(math.radians(30))), rtol=1e-12)
    assert uniform[:, 0].mean() == pytest.approx(500 * np.mean(1 - np.cos(angles)), rel=0.03)
    assert 2 * uniform[:, 0].mean() < fw[:, 0].mean() < core[:, 0].mean()
    assert (core[:, CORE] == 2).all()
    assert (fw[:, CORE] == 31).all()


# Nothing to learn


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "actions",
    [
        [[1.0, 0.0]],
        [[1.0, 0.0], [-1.0, 0.0]],
        [[0.6, 0.0], [0.6, 0.0], [0.6, 0.0]],
        [[0.5, 0.0], [-1.0, 0.0], [0.3, 0.0], [0.0, 0.0]],
    ],
    ids=["one", "antipodal", "equal", "line"],
)
def test_no_regret_where_all_means_are_equal(name, actions):
    """theta is orthogonal to all actions, which lie on one line: no gap, and one action in every core set."""
    trace = run(name, 3, np.array(actions), np.array([0.0, 1.0]))
    assert (trace[:, 0] == 0).all()
    assert (trace[:, CORE] == (trace[:, ACTIVE] if name == WHOLE else 1)).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_regret_where_all_actions_are_equal(name):
    trace = run(name, 4, np.tile([0.6, -0.5], (5, 1)), np.array([0.9, 0.1]))
    assert (trace[:, 0] == 0).all()
    assert trace[-1, ACTIVE] == 5


# One line


def test_antipodal_actions_by_hand():
    """T = 1e5, q = 2.886966, means -1 and 1, rewards without variance, estimates exact: the worse one goes when
    2 gamma < 2, gamma^2 = 8 ln(8e10) / q^i = 200.84 / q^i: after batch 6 (q^5 = 200.54, q^6 = 578.96).

    The core set is the first action, the worse one: regret 2 (3 + 9 + 25 + 70 + 201 + 579) = 1774.
    """
    trace = run(PLAIN, 5, np.array([[-0.6, -0.8], [0.6, 0.8]]), np.array([0.6, 0.8]))
    assert trace[-1, 0] == pytest.approx(1774, rel=1e-12)
    assert trace[-1, ACTIVE] == 1


@pytest.mark.parametrize("name", NAMES)
def test_antipodal_actions_are_told_apart(name):
    """Two actions, rank one: the worse one is dropped, and a run that drops it never plays it again."""
    trace = run(name, 6, np.array([[-0.6, -0.8], [0.6, 0.8]]), np.array([0.6, 0.8]), eps=5.0)
    alone = trace[:, ACTIVE] == 1
    assert alone.any()
    assert trace[-1, 0] == pytest.approx(trace[alone, 0][0], rel=1e-12)
    assert trace[-1, 0] < T / 10


@pytest.mark.parametrize("name", NAMES)
def test_the_best_of_two_actions_wins(name):
    """K = 2: with the printed widths the worse action is dropped at T = 1e6 and a large budget, in every run."""
    actions, theta = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.1, 0.8])
    rounds = log_spaced(10**6, 3)
    runs = np.array([run(name, [7, seed], actions, theta, rounds, eps=10.0) for seed in range(50)])
    assert (runs[:, -1, ACTIVE] == 1).all()
    assert (runs[:, -1, 0] == runs[:, -2, 0]).all()
    assert (runs[:, :, MISSES] == 0).all()


@pytest.mark.parametrize("name", PRIVATE)
def test_without_budget_nothing_is_learned(name):
    """eps = 1e-6: no action is ever dropped, and the last phase plays an arbitrary one: here either of two."""
    actions, theta = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, -0.5])
    last = [run(name, [8, seed], actions, theta, np.array([99_999, T]), eps=1e-6) for seed in range(200)]
    assert all((trace[:, ACTIVE] == 2).all() for trace in last)
    wrong = sum(trace[1, 0] > trace[0, 0] for trace in last)
    assert stats.binomtest(wrong, 200, 0.5).pvalue > SIGNIFICANCE


# Certified is printed at half the budget


@pytest.mark.parametrize("name", [CENTRAL, WHOLE, LOCAL])
@pytest.mark.parametrize("eps", [0.07, 1.0, 30.0])
def test_certified_is_printed_at_half_the_budget(name, eps):
    """Twice the noise and twice the noise part of the width: the same bits on the same stream."""
    for seed in range(20):
        actions, theta = draw(np.random.default_rng([9, seed]), 10, 2)
        certified = run(name, seed, actions, theta, calibration="certified", eps=eps)
        printed = run(name, seed, actions, theta, eps=eps / 2)
        np.testing.assert_array_equal(certified, printed)
        assert certified[0, SCALE] == pytest.approx(2 / eps, rel=1e-15)
        without = run(PLAIN, seed, actions, theta)[0, GAMMA]
        noise_part = run(name, seed, actions, theta, eps=eps)[0, GAMMA] - without
        assert certified[0, GAMMA] - without == pytest.approx(2 * noise_part, rel=1e-9)


@pytest.mark.parametrize("eps", [20.0, 100.0])
def test_certified_shuffled_is_certified_local_where_shuffling_proves_nothing(eps):
    """Large eps, whatever the batch: the certified scales are those of the local algorithm, and the runs agree."""
    for seed in range(10):
        actions, theta = draw(np.random.default_rng([11, seed]), 10, 2)
        shuffled, local = (
            run(name, seed, actions, theta, calibration="certified", eps=eps) for name in (SHUFFLED, LOCAL)
        )
        np.testing.assert_allclose(shuffled, local, rtol=1e-4)


def test_certified_shuffled_lies_between_certified_local_and_central():
    """At eps = 0.5: less noise than local in every batch with a crowd, and less regret; more than central."""
    instances = [draw(np.random.default_rng([12, seed]), 10, 2) for seed in range(200)]
    rounds = np.array([3, 100, 1000, T])
    runs = {
        name: np.array(
            [run(name, s, *instance, rounds, "certified", eps=0.5, width=0.3) for s, instance in enumerate(instances)]
        )
        for name in (CENTRAL, SHUFFLED, LOCAL)
    }
    scale = {name: runs[name][:, :, SCALE].mean(axis=0) for name in runs}
    assert scale[LOCAL] == pytest.approx(4.0)
    assert (scale[SHUFFLED] <= 4.0).all()
    assert (np.diff(scale[SHUFFLED]) < 0).all()
    assert scale[SHUFFLED][-1] < 1
    for better, worse in ((CENTRAL, SHUFFLED), (SHUFFLED, LOCAL)):
        difference = runs[worse][:, -1, 0] - runs[better][:, -1, 0]
        assert difference.mean() > 4 * difference.std(ddof=1) / np.sqrt(200)


# Rotations


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_rotating_actions_and_parameter_together_changes_nothing(name, d):
    """On the same stream most runs agree up to rounding, and the others without bias.

    The actions have different lengths, so that no choice among them depends on rounding. The design's choice between an
    ascent and an away step sometimes does: then it takes another path to another design within its tolerance.
    """
    plain, rotated = [], []
    for seed in range(40):
        rng = np.random.default_rng([10, d, seed])
        actions, theta = draw(rng, 7, d)
        actions *= rng.uniform(0.4, 1.0, size=7)[:, None]
        rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
        plain.append(run(name, seed, actions, theta, width=0.3))
        rotated.append(run(name, seed, actions @ rotation, theta @ rotation, width=0.3))
    same = [np.allclose(one, other, rtol=1e-9, atol=1e-9) for one, other in zip(plain, rotated, strict=True)]
    assert sum(same) >= 20
    difference = np.array(rotated)[:, -1, 0] - np.array(plain)[:, -1, 0]
    assert abs(difference.mean()) <= 4 * difference.std(ddof=1) / np.sqrt(40) + 1e-6
