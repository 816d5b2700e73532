"""Properties of the algorithms that play super arms, on decision sets of every family."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest

from dpbandits.algorithms.base import SWITCH
from dpbandits.algorithms.registry import TABLE
from dpbandits.environments.base import SETS
from dpbandits.environments.registry import TABLE as FAMILIES

from .semi_bandits import DRAWS, FRAMEWORK, LISTS, SETTING, drawn, members_of, module, params, trace, uneven
from .super_arms import reward_at

STRUCTURED = {"path_sum_ldp": ["bandit", "paths"], "structured_dp": ["public"]}
PLAYS = {**{name: list(DRAWS) for name in FRAMEWORK}, **STRUCTURED}
NAMES = list(PLAYS)
ALGORITHMS = NAMES
PRIVATE = [name for name in ALGORITHMS if TABLE[name].private]
ANYTIME = {"cucb": {"anytime": 1.0}}
CENTRAL, LOCAL = {"eps": 100.0, "width": 0.002, "cucb_root": 1.0}, {"eps": 40.0, "width": 0.4}
QUICK = {name: LOCAL if TABLE[name].trust_model == "local" else CENTRAL for name in NAMES}
"""Constants with which something is learned in a few hundred rounds."""
every = pytest.mark.parametrize("name", NAMES)
every_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


def calibrations(name):
    return [calibration for calibration, same in TABLE[name].calibrations.items() if calibration == same]


def run(name, seed, problem, rounds, calibration=None, **changes):
    return trace(name, seed, problem, rounds, calibration or calibrations(name)[0], **changes)


def column(name, found, output):
    return found[:, TABLE[name].outputs.index(output)]


@contextmanager
def plain_python():
    """No compiled kernel is called, neither `run` nor any helper of any module."""
    with pytest.MonkeyPatch.context() as patch:
        for each in [found for key, found in sys.modules.items() if key.startswith("dpbandits.")]:
            for function in [key for key, value in vars(each).items() if hasattr(value, "py_func")]:
                patch.setattr(each, function, getattr(each, function).py_func)
        yield


# Parts


def test_every_family_is_tested():
    drawn_from = {environment.__name__.rpartition(".")[2] for environment, _ in DRAWS.values()}
    assert {name for name, family in FAMILIES.items() if family.arms == SETS} == drawn_from | {"karate_club"}


@every
def test_every_constant_is_handed_on(name):
    """Another value of any one of them gives other `Params`; switches become whole numbers."""
    for key, span in {**TABLE[name].parameters, **dict.fromkeys(TABLE[name].grid)}.items():
        value = 1.0 if span == SWITCH else 2.0
        assert params(name, 1000, calibrations(name)[0], **{key: value}) != params(name, 1000, calibrations(name)[0])
    whole = {"k_squared", "fallback", "anytime", "cucb_root", "over_rounds", "certified", "channel", "nonprivate"}
    for field, value in vars(params(name, 1000, calibrations(name)[0])).items():
        assert type(value) is (int if field in whole else float)


@pytest.mark.parametrize("name", [name for name in NAMES if TABLE[name].calibrations.get("certified") == "certified"])
def test_noise_depends_on_no_argument_of_the_environment(name):
    """Curves that differ in others share one file of noise: that of K arms is K times that of one."""
    asks, standard = module(name).requests, {**SETTING, "T": 1e5, "bad": 3.0, "size": 4.0, "gap": 0.1, "arms": 12.0}
    assert all(asks({**standard, each: 0.2}) == asks(standard) for each in ("bad", "size", "gap", "arms", "width"))
    assert asks({**standard, "eps": 3.0}) != asks(standard)
    assert TABLE[name].noise_asks == ()


# Runs


@every_algorithm
def test_regret_grows_by_gaps(name):
    """Also where the horizon ends before every arm was seen."""
    for problem in PLAYS[name]:
        instance = uneven(problem, alpha=1.0)
        if problem in LISTS:
            rewards = [reward_at(instance, instance.means, members_of(instance, s)) for s in range(len(instance.own))]
            gaps = max(rewards) - np.array(rewards)
        for calibration in calibrations(name):
            for horizon in (1, 2, 7, 8, 200):
                found = run(name, horizon, instance, range(1, horizon + 1), calibration, **QUICK[name])
                assert found.shape == (horizon, len(TABLE[name].outputs))
                assert np.isfinite(found[:, :-1]).all()
                regret, t = column(name, found, "regret"), np.arange(1, horizon + 1)
                bad = np.round(column(name, found, "suboptimal") * t)
                if problem in LISTS:
                    steps = np.diff(regret, prepend=0.0)
                    assert (np.abs(steps[:, None] - gaps).min(axis=1) < 1e-9).all()
                    np.testing.assert_array_equal(np.diff(bad, prepend=0.0), steps > 1e-9)
                assert np.isin(np.diff(bad, prepend=0.0), (0, 1)).all()
                np.testing.assert_allclose(
                    column(name, found, "late_regret"),
                    np.where(t > horizon // 2, regret - [0.0, *regret][horizon // 2], 0.0),
                )


@every_algorithm
def test_equal_means_give_no_regret(name):
    for problem in [each for each in PLAYS[name] if each != "coverage"]:
        instance = drawn(problem)
        instance = instance._replace(means=np.full(len(instance.means), 0.25))
        best = reward_at(instance, instance.means, range(instance.size))
        found = run(name, 1, instance._replace(values=np.full(3, best)), [5, 100, 300], **QUICK[name])
        assert not column(name, found, "regret").any()
        assert not column(name, found, "suboptimal").any()
        assert not column(name, found, "late_regret").any()


@every_algorithm
def test_certain_outcomes_are_no_trouble(name):
    for problem in PLAYS[name]:
        for seed in range(3):
            instance = drawn(problem, seed)
            means = np.random.default_rng(seed).integers(0, 2, len(instance.means)).astype(float)
            found = run(name, 1, instance._replace(means=means), [2, 9, 300], **QUICK[name])
            assert np.isfinite(found[:, :-1]).all()


@pytest.mark.parametrize("name", [*ALGORITHMS, "cucb:anytime"])
def test_the_horizon_changes_what_comes_before_it(name):
    """It is in every bonus, but for that of CUCB with ln t."""
    name, _, anytime = name.partition(":")
    changes, differ = {**QUICK[name], **(ANYTIME[name] if anytime else {})}, 0
    for seed in range(8):
        instance = uneven(PLAYS[name][0], seed)
        short, long = (run(name, seed, instance, [3, 10, 77, 200, *more], **changes)[:4] for more in ([], [4000]))
        differ += not np.array_equal(short[:, :4], long[:, :4])
    assert (differ == 0) == bool(anytime)


@every
def test_kernel_and_its_plain_python_agree_in_bits(name):
    rounds = [3, 20, 101]
    for problem in PLAYS[name]:
        for changes in (QUICK[name], {"eps": 5.0, "width": 0.05, "fallback": 1.0, "over_rounds": 1.0}):
            compiled = run(name, 1, uneven(problem), rounds, **changes)
            with plain_python():
                plain = run(name, 1, uneven(problem), rounds, **changes)
            assert np.array_equal(compiled, plain, equal_nan=True)


@pytest.mark.parametrize("name", PRIVATE)
def test_more_privacy_never_pays(name):
    """A budget without bound, against one below all gaps."""
    regrets = [
        np.mean(
            [run(name, s, drawn(PLAYS[name][0], s), [3000], calibrations(name)[-1], eps=eps)[0, 0] for s in range(40)]
        )
        for eps in (1e6, 0.05)
    ]
    assert regrets[0] <= 1.05 * regrets[1]
