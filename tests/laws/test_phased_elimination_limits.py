"""Limits and symmetries of the four phased eliminations: no privacy, nothing to learn, one line, rotated instances."""

from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.table import TABLE
from dpbandits.checkpoints import log_spaced
from dpbandits.environments.linear import draw
from dpbandits.privacy.accounting import least_noise
from dpbandits.statistics import holm

NAMES = [name for name in TABLE if name.startswith("phased_elimination")]
LEVEL = 1e-3
T = 10**5
ROUNDS = log_spaced(T, 5)
PRIVATE = [name for name in NAMES if name != "phased_elimination"]
CERTIFIED = [name for name in NAMES if TABLE[name].calibrations.get("certified") == "certified"]
SETTING = {"width": 1.0, "core_factor": 1.5, "delta": 1e-6, "eps": 1.0}


def run(name, seed, actions, theta, rounds=ROUNDS, calibration="printed", **changes):
    algorithm = import_module(f"dpbandits.algorithms.{name}")
    setting = {**SETTING, **changes}
    noise = {}
    if calibration == "certified":
        noise = {key: least_noise(request) for key, request in algorithm.requests(setting).items()}
    constants = vars(algorithm.params(calibration, setting, noise)).values()
    return algorithm.run(np.random.default_rng(seed), actions, theta, *constants, rounds)


# No privacy


@pytest.mark.parametrize(("name", "eps"), [(PRIVATE[0], 1e9), (PRIVATE[1], 1e9), (PRIVATE[2], 1e4)])
def test_without_privacy_they_are_the_non_private_algorithm(name, eps):
    """Widths agree to rounding, regrets in law (the noise still uses its stream, so that bits differ)."""
    actions, theta = draw(np.random.default_rng(5), 6, 2)
    private = np.array([run(name, [1, seed], actions, theta, eps=eps, width=0.3) for seed in range(800)])
    plain = np.array([run("phased_elimination", [2, seed], actions, theta, width=0.3) for seed in range(800)])
    np.testing.assert_allclose(private[0, 0, 3], plain[0, 0, 3], rtol=1e-3)
    one, other = np.round(private[:, ROUNDS >= 100, 0], 6).T, np.round(plain[:, ROUNDS >= 100, 0], 6).T
    p_values = [stats.ks_2samp(x, y, method="asymp").pvalue for x, y in zip(one, other, strict=True)]
    p_values.append(stats.ttest_ind(one[-1], other[-1], equal_var=False).pvalue)
    assert holm(p_values).min() > LEVEL, p_values
    noisy = [run(name, [1, seed], actions, theta, eps=0.5, width=0.3)[-1, 0] for seed in range(100)]
    assert stats.ks_2samp(noisy, other[-1], method="asymp").pvalue < LEVEL


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
    assert (trace[:, 2] == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_regret_where_all_actions_are_equal(name):
    trace = run(name, 4, np.tile([0.6, -0.5], (5, 1)), np.array([0.9, 0.1]))
    assert (trace[:, 0] == 0).all()
    assert trace[-1, 1] == 5


# One line


def test_antipodal_actions_by_hand():
    """T = 1e5, q = 2.886966, means -1 and 1, rewards without variance, estimates exact: the worse one goes when
    2 gamma < 2, gamma^2 = 8 ln(8e10) / q^i = 200.84 / q^i: after batch 6 (q^5 = 200.54, q^6 = 578.96).

    The core set is the first action, the worse one: regret 2 (3 + 9 + 25 + 70 + 201 + 579) = 1774.
    """
    trace = run("phased_elimination", 5, np.array([[-0.6, -0.8], [0.6, 0.8]]), np.array([0.6, 0.8]))
    assert trace[-1, 0] == pytest.approx(1774, rel=1e-12)
    assert trace[-1, 1] == 1


@pytest.mark.parametrize("name", NAMES)
def test_antipodal_actions_are_told_apart(name):
    """Two actions, rank one: the worse one is dropped, and a run that drops it never plays it again."""
    trace = run(name, 6, np.array([[-0.6, -0.8], [0.6, 0.8]]), np.array([0.6, 0.8]), eps=5.0)
    alone = trace[:, 1] == 1
    assert alone.any()
    assert trace[-1, 0] == pytest.approx(trace[alone, 0][0], rel=1e-12)
    assert trace[-1, 0] < T / 10


@pytest.mark.parametrize("name", NAMES)
def test_the_best_of_two_actions_wins(name):
    """K = 2: with the printed widths the worse action is dropped at T = 1e6 and a large budget, in every run."""
    actions, theta = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.1, 0.8])
    rounds = log_spaced(10**6, 3)
    runs = np.array([run(name, [7, seed], actions, theta, rounds, eps=10.0) for seed in range(50)])
    assert (runs[:, -1, 1] == 1).all()
    assert (runs[:, -1, 0] == runs[:, -2, 0]).all()
    assert (runs[:, :, 5] == 0).all()


@pytest.mark.parametrize("name", PRIVATE)
def test_without_budget_nothing_is_learnt(name):
    """eps = 1e-6: no action is ever dropped, and the last phase plays an arbitrary one: here either of two."""
    actions, theta = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, -0.5])
    last = [run(name, [8, seed], actions, theta, np.array([99_999, T]), eps=1e-6) for seed in range(200)]
    assert all((trace[:, 1] == 2).all() for trace in last)
    wrong = sum(trace[1, 0] > trace[0, 0] for trace in last)
    assert stats.binomtest(wrong, 200, 0.5).pvalue > LEVEL


# Certified is printed at half the budget


@pytest.mark.parametrize("name", CERTIFIED)
@pytest.mark.parametrize("eps", [0.07, 1.0, 30.0])
def test_certified_is_printed_at_half_the_budget(name, eps):
    """Twice the noise and twice the noise part of the width: the same bits on the same stream."""
    for seed in range(20):
        actions, theta = draw(np.random.default_rng([9, seed]), 10, 2)
        certified = run(name, seed, actions, theta, calibration="certified", eps=eps)
        printed = run(name, seed, actions, theta, eps=eps / 2)
        np.testing.assert_array_equal(certified, printed)
        assert certified[0, 4] == pytest.approx(2 / eps, rel=1e-15)
        without = run("phased_elimination", seed, actions, theta)[0, 3]
        noise_part = run(name, seed, actions, theta, eps=eps)[0, 3] - without
        assert certified[0, 3] - without == pytest.approx(2 * noise_part, rel=1e-9)


# Rotations


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_rotating_actions_and_parameter_together_changes_nothing(name, d):
    """On the same stream most runs agree up to rounding, and the others without bias.

    The actions have different lengths, so that no choice among them hangs on rounding. The design's choice between an
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
