"""Properties of every algorithm for a few arms."""

import dataclasses
import functools
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.full_information import epoch_ftl
from dpbandits.algorithms.registry import TABLE
from dpbandits.algorithms.shared.play import OUTPUTS
from dpbandits.base.registry import ALGORITHMS
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.accounting import least_noise

SIGNIFICANCE = 1e-3  # family-wise
RUNS = 300  # a side
ARMS = [name for name, algorithm in TABLE.items() if algorithm.outputs == OUTPUTS]
PRIVATE = [name for name in ARMS if "eps" in TABLE[name].grid]
SETTING = {
    **{key: value for name in ARMS for key, value in TABLE[name].examples[0].setting.items()},  # of any not named below
    **{"T": 1000.0, "eps": 0.5, "exploration": 2.0, "privacy_bonus": 3.0, "beta": 0.1, "restarts": 0.0},
    **{"alpha": 3.1, "alpha_kl": 3.1, "alpha_private": 3.0, "ratio": 2.0, "first_batch": 1.0},
    **{"gamma": 0.1, "split_budget": 1.0},
}
MEANS = np.array([0.375, 0.75, 0.25, 0.625, 0.5])
KNOWS_ITS_HORIZON = {"dp_se": {"beta": 0.0}, "dp_ucb": {}}
ANYTIME = [
    *("anytime_lazy_ucb", "lazy_dp_ts", "adap_ucb", "adap_kl_ucb", "dp_kl_ucb", "dp_imed"),
    *("ucb1", "kl_ucb", "thompson_sampling", "ftl", "epoch_ftl", "rnm_ftnl", "naive_ftnl"),
]
every = pytest.mark.parametrize("name", ARMS)
noise_of = functools.cache(least_noise)


def module(name):
    return ALGORITHMS.module(name)


def params(name, calibration="printed", **changes):
    setting, noise = {**SETTING, **changes}, {}
    if calibration == "certified":
        noise = {key: noise_of(request) for key, request in module(name).requests(setting).items()}
    return module(name).params(calibration, setting, noise)


def arguments(name, rounds, **changes):
    return *dataclasses.astuple(params(name, T=float(rounds[-1]), **changes)), np.array(rounds)


def trace(name, seed, means, rounds, **changes):
    return module(name).run(np.random.default_rng(seed), means, *arguments(name, rounds, **changes))


def traces(name, runs, means, rounds, **changes):
    """(runs, checkpoints, outputs); the runs of different calls are independent where `means` or `rounds` differ."""
    key = [len(rounds), *np.round(1000 * means).astype(int)]
    return np.array([trace(name, [seed, *key], means, rounds, **changes) for seed in range(runs)])


@contextmanager
def plain_python():
    """No compiled kernel is called, neither `run` nor any helper of any module."""
    with pytest.MonkeyPatch.context() as patch:
        for each in [found for key, found in sys.modules.items() if key.startswith("dpbandits.")]:
            for function in [key for key, value in vars(each).items() if hasattr(value, "py_func")]:
                patch.setattr(each, function, getattr(each, function).py_func)
        yield patch


def column(found, name):
    return found[..., OUTPUTS.index(name)]


# Parts


def test_the_rnm_ftnl_alone_is_printed_with_too_little_noise():
    assert [name for name in ARMS if TABLE[name].calibrations["certified"] == "certified"] == ["rnm_ftnl"]
    assert params("rnm_ftnl", eps=0.5).noise_scale == 2.0
    assert params("rnm_ftnl", "certified", eps=0.5).noise_scale == 4.0


# Runs


@every
@pytest.mark.parametrize("rounds", [[2], [7], [8], [1, 2, 3, 4, 5, 6, 7, 8], [3, 50, 51, 400]], ids=str)
@pytest.mark.parametrize("arms", [2, 5, 12])
def test_regret_grows_by_at_most_the_largest_gap(name, rounds, arms):
    """Also where the horizon is reached before every arm was pulled once."""
    means = np.random.default_rng(arms).permutation(np.linspace(0.1, 0.9, arms))
    gaps = means.max() - means
    for seed in range(5):
        found = trace(name, seed, means, rounds)
        assert found.shape == (len(rounds), len(OUTPUTS))
        assert np.isfinite(found).all()
        regret, best = column(found, "regret"), column(found, "best_pulls")
        others = np.array(rounds) - best
        assert (np.diff(found, axis=0, prepend=0.0) >= 0).all(), "every column grows"
        assert (np.diff(regret, prepend=0.0) <= np.diff(rounds, prepend=0) * gaps.max() + 1e-9).all()
        assert (np.diff(best, prepend=0.0) <= np.diff(rounds, prepend=0)).all()
        assert (regret <= others * gaps.max() + 1e-9).all(), "regret comes from the other arms"
        assert (regret >= others * gaps[gaps > 0].min() - 1e-9).all()
        assert (column(found, "steps") <= rounds).all()


@every
@pytest.mark.parametrize("arms", [2, 4])
def test_equal_means_give_no_regret(name, arms):
    rounds = [5, 100, 600]
    found = trace(name, 1, np.full(arms, 0.4), rounds)
    assert not column(found, "regret").any()
    assert column(found, "best_pulls").tolist() == rounds


@every
@pytest.mark.parametrize("means", [[1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.5], [0.5, 0.0]], ids=str)
def test_certain_rewards_are_no_trouble(name, means):
    rounds = [2, 9, 700]
    found = trace(name, 1, np.array(means), rounds)
    assert np.isfinite(found).all()
    assert (column(found, "best_pulls") <= rounds).all()


def test_regret_does_not_depend_on_the_order_of_the_arms():
    orders = [np.sort(MEANS), np.sort(MEANS)[::-1], MEANS]
    p_values = {}
    for name in ARMS:
        one, *others = (column(traces(name, RUNS, np.ascontiguousarray(m), [60, 400]), "regret") for m in orders)
        p_values[name] = [stats.ks_2samp(one[:, k], x[:, k], method="asymp").pvalue for x in others for k in (0, 1)]
    assert holm([p for found in p_values.values() for p in found]).min() > SIGNIFICANCE, p_values


def test_a_rule_that_takes_the_first_of_equal_arms_depends_on_their_order():
    """The comparison above has power: without ties at random the arm at place 0 is favored."""
    name, first = "epoch_ftl", lambda rng, values: int(np.argmax(values))
    with plain_python() as patch:
        patch.setattr(epoch_ftl, "largest_of", first)
        orders = np.ascontiguousarray(np.sort(MEANS)[::-1]), np.sort(MEANS)
        one, other = (
            [module(name).run(np.random.default_rng([s, k]), m, np.array([60]))[0, 0] for s in range(RUNS)]
            for k, m in enumerate(orders)
        )
    assert stats.ks_2samp(one, other).pvalue < SIGNIFICANCE


@pytest.mark.parametrize("name", ANYTIME)
def test_the_horizon_changes_nothing_before_it(name):
    for seed in range(8):
        rounds = [3, 10, 77, 200]
        short, long = (trace(name, seed, MEANS, [*rounds, *more]) for more in ([], [1500]))
        assert np.array_equal(short, long[:4])


@pytest.mark.parametrize("name", KNOWS_ITS_HORIZON)
def test_some_are_told_their_horizon(name):
    """Long enough that an elimination, or a width, shows it."""
    rounds, means = [3000, 20000], np.array([0.9, 0.1, 0.5])
    ends = [*rounds, 2_000_000 if name == "dp_se" else 40_000]
    differ = 0
    for seed in range(8):
        short, long = (trace(name, seed, means, r, eps=10.0, **KNOWS_ITS_HORIZON[name]) for r in (rounds, ends))
        differ += not np.array_equal(short, long[:2])
    assert differ > 0


# Budgets


@pytest.mark.parametrize("name", ["rnm_ftnl", "naive_ftnl"])
def test_noise_of_no_size_leaves_the_leader(name):
    """In distribution: equal sums are told apart by the noise, each with the same chance."""
    rounds = [6, 14, 60]
    noisy = column(traces(name, 600, MEANS, rounds, eps=1e6), "regret")
    plain = column(traces("epoch_ftl", 600, MEANS, [2, *rounds])[:, 1:], "regret")
    p_values = [stats.ks_2samp(noisy[:, k], plain[:, k], method="asymp").pvalue for k in range(3)]
    assert min(holm(p_values)) > SIGNIFICANCE


@pytest.mark.parametrize("name", PRIVATE)
def test_more_privacy_never_pays(name):
    """A budget without bound, against one below all gaps."""
    free, dear = (column(traces(name, 40, MEANS, [3000], eps=eps), "regret") for eps in (1e6, 0.05))
    assert free.mean() <= 1.05 * dear.mean()


# Curves that are no algorithms
