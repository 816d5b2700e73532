"""What every algorithm for a few arms keeps, whatever it does; and the two curves that are no algorithms, by hand."""

import dataclasses
import functools
import inspect
import math
import sys
from contextlib import contextmanager
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms import leader_epochs
from dpbandits.algorithms.play import OUTPUTS
from dpbandits.algorithms.table import TABLE
from dpbandits.privacy.accounting import least_noise
from dpbandits.statistics import holm

LEVEL = 1e-3  # family-wise
RUNS = 300  # a side
ARMS = [name for name, algorithm in TABLE.items() if algorithm.outputs == OUTPUTS]
BOUNDS = ["regret_floor", "regret_rate"]
PRIVATE = [name for name in ARMS if "eps" in TABLE[name].grid]
WEIGHTS = {name: 0.5 + k for k, name in enumerate(TABLE["regret_rate"].parameters)}  # all different
SETTING = {
    **{"T": 1000.0, "eps": 0.5, "exploration": 2.0, "privacy_bonus": 3.0, "beta": 0.1, "restarts": 0.0},
    **{"alpha": 3.1, "alpha_kl": 3.1, "alpha_private": 3.0, "ratio": 2.0, "first_batch": 1.0},
    **{"gamma": 0.1, "split_budget": 1.0, **WEIGHTS},
}
MEANS = np.array([0.375, 0.75, 0.25, 0.625, 0.5])
KNOWS_ITS_HORIZON = {"dp_successive_elimination": {"beta": 0.0}, "tree_ucb": {}}
ANYTIME = [
    *("lazy_ucb", "lazy_thompson_sampling", "adap_ucb", "adap_kl_ucb", "dp_kl_ucb", "dp_imed"),
    *("ucb1", "kl_ucb", "thompson_sampling", "follow_the_leader", "epoch_leader", "noisy_leader", "naive_noisy_leader"),
]
every = pytest.mark.parametrize("name", ARMS)
every_curve = pytest.mark.parametrize("name", [*ARMS, *BOUNDS])
noise_of = functools.cache(least_noise)


def module(name):
    return import_module(f"dpbandits.algorithms.{name}")


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


@every_curve
def test_modules_have_the_agreed_parts(name):
    found = module(name)
    assert TABLE[name].outputs == found.OUTPUTS
    assert found.Params.__dataclass_params__.frozen
    fields = [field.name for field in dataclasses.fields(found.Params)]
    for function in (found.run.py_func, found.run_literal):
        assert list(inspect.signature(function).parameters) == ["rng", "means", *fields, "checkpoints"]
    assert hasattr(found, "requests") == (TABLE[name].calibrations["certified"] == "certified")


@every_curve
def test_params_read_what_the_table_says_and_nothing_else(name):
    """With exactly these settings and the horizon `params` works; without any one of the settings it does not."""
    needed = {*TABLE[name].parameters, *TABLE[name].grid}
    setting = {key: value for key, value in SETTING.items() if key in needed}
    assert set(setting) == needed
    assert all(span.allows(setting[key]) for key, span in TABLE[name].parameters.items())
    assert module(name).params("printed", {**setting, "T": SETTING["T"]}, {}) == params(name)
    for key in needed:
        with pytest.raises(KeyError, match=key):
            module(name).params("printed", {**{k: v for k, v in setting.items() if k != key}, "T": 1000.0}, {})


def test_the_noisy_leader_alone_is_printed_with_too_little_noise():
    assert [name for name in ARMS if TABLE[name].calibrations["certified"] == "certified"] == ["noisy_leader"]
    assert params("noisy_leader", eps=0.5).noise_scale == 2.0
    assert params("noisy_leader", "certified", eps=0.5).noise_scale == 4.0


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
        regret, best = column(found, "regret"), column(found, "best")
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
    assert column(found, "best").tolist() == rounds


@every
@pytest.mark.parametrize("means", [[1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.5], [0.5, 0.0]], ids=str)
def test_certain_rewards_are_no_trouble(name, means):
    rounds = [2, 9, 700]
    found = trace(name, 1, np.array(means), rounds)
    assert np.isfinite(found).all()
    assert (column(found, "best") <= rounds).all()


def test_regret_does_not_hang_on_the_order_of_the_arms():
    orders = [np.sort(MEANS), np.sort(MEANS)[::-1], MEANS]
    p_values = {}
    for name in ARMS:
        one, *others = (column(traces(name, RUNS, np.ascontiguousarray(m), [60, 400]), "regret") for m in orders)
        p_values[name] = [stats.ks_2samp(one[:, k], x[:, k], method="asymp").pvalue for x in others for k in (0, 1)]
    assert holm([p for found in p_values.values() for p in found]).min() > LEVEL, p_values


def test_a_rule_that_takes_the_first_of_equal_arms_hangs_on_their_order():
    """The comparison above has power: without ties at random the arm at place 0 is favoured."""
    name, first = "epoch_leader", lambda rng, values: int(np.argmax(values))
    with plain_python() as patch:
        patch.setattr(leader_epochs, "largest_of", first)
        orders = np.ascontiguousarray(np.sort(MEANS)[::-1]), np.sort(MEANS)
        one, other = (
            [module(name).run(np.random.default_rng([s, k]), m, np.array([60]))[0, 0] for s in range(RUNS)]
            for k, m in enumerate(orders)
        )
    assert stats.ks_2samp(one, other).pvalue < LEVEL


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
    ends = [*rounds, 2_000_000 if name == "dp_successive_elimination" else 40_000]
    differ = 0
    for seed in range(8):
        short, long = (trace(name, seed, means, r, eps=10.0, **KNOWS_ITS_HORIZON[name]) for r in (rounds, ends))
        differ += not np.array_equal(short, long[:2])
    assert differ > 0


def test_every_algorithm_is_anytime_or_told_its_horizon():
    assert sorted(ARMS) == sorted([*ANYTIME, *KNOWS_ITS_HORIZON])


@every_curve
def test_kernel_and_its_plain_python_agree_in_bits(name):
    rounds = [3, 20, 101, 300]
    compiled = [trace(name, seed, MEANS, rounds) for seed in range(3)]
    with plain_python():
        plain = [trace(name, seed, MEANS, rounds) for seed in range(3)]
    assert np.array_equal(compiled, plain)


# Budgets


@pytest.mark.parametrize("name", ["noisy_leader", "naive_noisy_leader"])
def test_noise_of_no_size_leaves_the_leader(name):
    """In law: equal sums are told apart by the noise, each with the same chance."""
    rounds = [6, 14, 60]
    noisy = column(traces(name, 600, MEANS, rounds, eps=1e6), "regret")
    plain = column(traces("epoch_leader", 600, MEANS, [2, *rounds])[:, 1:], "regret")
    p_values = [stats.ks_2samp(noisy[:, k], plain[:, k], method="asymp").pvalue for k in range(3)]
    assert min(holm(p_values)) > LEVEL


@pytest.mark.parametrize("name", PRIVATE)
def test_more_privacy_never_pays(name):
    """A budget without bound, against one below all gaps."""
    free, dear = (column(traces(name, 40, MEANS, [3000], eps=eps), "regret") for eps in (1e6, 0.05))
    assert free.mean() <= 1.05 * dear.mean()


# Curves that are no algorithms


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("eps", [0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("means", [MEANS, np.array([0.9, 0.85]), np.array([0.0, 0.2, 0.0]), np.full(3, 0.5)], ids=str)
def test_bounds_and_their_transcription_agree(name, eps, means):
    rounds = [1, 2, 10, 5000, 10**8]
    found = trace(name, 0, means, rounds, eps=eps)
    assert found.shape == (5, 1)
    assert (np.diff(found[:, 0], prepend=0.0) >= 0).all()
    slow = module(name).run_literal(np.random.default_rng(0), means, *arguments(name, rounds, eps=eps))
    np.testing.assert_allclose(found[:, 0], slow, rtol=1e-7)


def test_floor_by_hand():
    """Without privacy gap ln t / kl, kl(1/4, 3/4) = ln(3) / 2; for a small budget ln t / eps an arm, nearly."""
    means, rounds = np.array([0.25, 0.75]), [1, 1000]
    free = trace("regret_floor", 0, means, rounds, eps=1e6)[:, 0]
    assert free == pytest.approx([0.0, 0.5 * math.log(1000) / (0.5 * math.log(3))])
    dear = trace("regret_floor", 0, np.array([0.75, 0.25, 0.5]), rounds, eps=1e-4)[1, 0]
    assert dear == pytest.approx(2 * math.log(1000) / 1e-4, rel=1e-3)
    # eps = ln 3: z has log-odds ln 3 - ln 3 = 0, z = 1/2: d = ln(3) / 4 + kl(1/2, 3/4), kl = ln(4 / 3) / 2
    between = trace("regret_floor", 0, means, rounds, eps=math.log(3))[1, 0]
    assert between == pytest.approx(0.5 * math.log(1000) / (math.log(3) / 4 + math.log(4 / 3) / 2))


RATES_BY_HAND = {  # K = 3, D = 1/4, eps = 1/2, t = 100: ln t = 4.605170, ln K = 1.098612
    "root_arms": 37.169222,  # sqrt(300 * 4.605170)
    "root_log_arms": 10.481471,  # sqrt(109.8612)
    "arms_log_over_eps": 27.631021,
    "log_arms_over_gap": 4.394449,
    "log_arms_over_eps": 2.197225,
    "log_arms_over_least": 4.394449,  # min(D, eps) = 1/4
    "log_arms_log_over_eps": 10.118594,  # 2 * 1.098612 * 4.605170
}


@pytest.mark.parametrize("rate", RATES_BY_HAND)
def test_rates_by_hand(rate):
    """One weight of 2 at a time."""
    weights = {**dict.fromkeys(WEIGHTS, 0.0), rate: 2.0}
    found = trace("regret_rate", 0, np.array([0.5, 0.75, 0.25]), [100], eps=0.5, **weights)[0, 0]
    assert found == pytest.approx(2 * RATES_BY_HAND[rate], rel=1e-6)
    assert set(RATES_BY_HAND) == set(WEIGHTS)


def test_the_lesser_of_gap_and_budget_is_taken():
    weights = {**dict.fromkeys(WEIGHTS, 0.0), "log_arms_over_least": 1.0}
    means = np.array([0.5, 0.75, 0.25])
    assert trace("regret_rate", 0, means, [100], eps=0.01, **weights)[0, 0] == pytest.approx(109.8612, rel=1e-6)
    assert trace("regret_rate", 0, np.full(3, 0.5), [9], eps=0.1, **weights)[0, 0] == pytest.approx(10.98612, rel=1e-6)
