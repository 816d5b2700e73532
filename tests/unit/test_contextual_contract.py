"""What every algorithm for contexts keeps: its entry in the table, its parts, and what it reads."""

import dataclasses
import functools
import inspect
from importlib import import_module

import numpy as np
import pytest

from dpbandits.algorithms.entry import SWITCH
from dpbandits.algorithms.table import TABLE
from dpbandits.environments import one_direction, shared_sphere, sphere_contexts
from dpbandits.environments.table import CONTEXTS, SHARED
from dpbandits.environments.table import TABLE as FAMILIES
from dpbandits.privacy.accounting import least_noise

NAMES = [name for name in TABLE if TABLE[name].plays(CONTEXTS) or TABLE[name].plays(SHARED)]
AROUND = {"arms": 3.0, "dimension": 2.0, "T": 300.0}  # what an environment and the horizon tell
OTHERS = {"delta": 0.01, "failure": 0.1, "loss_bound": 2.0, "bonus": 0.1, "lazy": 5.0, "warm_up": 30.0, "schedule": 0.0}
FORMULAS = ("random_arms", "contextual_rate")
every = pytest.mark.parametrize("name", NAMES)
noise_of = functools.cache(least_noise)


def module(name):
    return import_module(f"dpbandits.algorithms.{name}")


def setting_of(name):
    values = {key: 0.0 if span == SWITCH else OTHERS.get(key, 1.0) for key, span in TABLE[name].parameters.items()}
    return {**values, **dict.fromkeys(TABLE[name].grid, 2.0), **AROUND}


def calibrations(name):
    return [calibration for calibration, same in TABLE[name].calibrations.items() if calibration == same]


def params(name, calibration, setting):
    asks = getattr(module(name), "requests", lambda _: {}) if calibration == "certified" else lambda _: {}
    noise = {key: noise_of(request) for key, request in asks(setting).items()}
    return module(name).params(calibration, setting, noise)


def instance_of(name):
    rng = np.random.default_rng(1)
    if name == "least_squares_estimate":
        return one_direction.draw(rng, 2, 0.1)
    if TABLE[name].plays(SHARED):
        return shared_sphere.draw(rng, 3, 2, 0.1)
    return sphere_contexts.draw(rng, 3, 2, "linear", 0.1)


def run(name, seed, rounds, calibration):
    constants = vars(params(name, calibration, {**setting_of(name), "T": float(rounds[-1])})).values()
    return module(name).run(np.random.default_rng(seed), *instance_of(name), *constants, np.array(rounds))


@every
def test_modules_have_the_agreed_parts(name):
    found = module(name)
    assert TABLE[name].outputs == found.OUTPUTS
    assert found.Params.__dataclass_params__.frozen
    fields = [field.name for field in dataclasses.fields(found.Params)]
    for function in (found.run, found.run_literal):
        inside = getattr(function, "py_func", function)
        assert list(inspect.signature(inside).parameters) == ["rng", "problem", *fields, "checkpoints"]
    assert all(TABLE[name].calibrations[same] == same for same in TABLE[name].calibrations.values())


@every
def test_every_parameter_of_the_table_is_read_and_nothing_else(name):
    """With exactly these settings `params` works at all calibrations; without any one of them not at all of them."""
    setting = setting_of(name)
    assert all(span.allows(setting[key]) for key, span in TABLE[name].parameters.items())
    for calibration in calibrations(name):
        params(name, calibration, setting)
    for key in {*TABLE[name].parameters, *TABLE[name].grid}:
        left = {each: value for each, value in setting.items() if each != key}
        switched = [
            {**left, **dict.fromkeys(on, 1.0)} for on in ((), ("gaussian",), ("released_noise",), ("schedule",))
        ]
        missed = 0
        for calibration in calibrations(name):
            for changes in switched:
                try:
                    params(name, calibration, {each: value for each, value in changes.items() if each != key})
                except KeyError as error:
                    missed += error.args[0] == key
        assert missed, key


@every
def test_the_generator_decides_and_checkpoints_do_not(name):
    for calibration in calibrations(name):
        one, again, other = (run(name, seed, [40, 300], calibration) for seed in (3, 3, 4))
        assert one.shape == (2, len(TABLE[name].outputs))
        assert one.tobytes() == again.tobytes()
        assert (one.tobytes() != other.tobytes()) == (name != "contextual_rate")
        np.testing.assert_array_equal(run(name, 3, [7, 40, 99, 300], calibration)[[1, 3]], one)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*FORMULAS, "least_squares_estimate")])
def test_regret_grows_and_no_faster_than_the_gaps_allow(name):
    for calibration in calibrations(name):
        regret = run(name, 5, range(1, 301), calibration)[:, 0]
        steps = np.diff(regret, prepend=0.0)
        assert (steps > -1e-12).all()
        assert (steps <= 2.0 + 1e-12).all()
        assert steps.max() > 0.0


def test_the_rate_by_hand():
    (instance,) = sphere_contexts.draw(np.random.default_rng(0), 3, 5, "linear", 0.0)
    rounds = np.array([5, 500])
    found = module("contextual_rate").run(np.random.default_rng(0), instance, 0.5, rounds)
    np.testing.assert_allclose(found, [[10.0], [100.0]])
    literal = module("contextual_rate").run_literal(np.random.default_rng(0), instance, 0.5, rounds)
    np.testing.assert_allclose(literal, found[:, 0])


def test_every_family_of_contexts_is_played_by_some_algorithm():
    kinds = {family.arms for family in FAMILIES.values()}
    assert kinds >= {CONTEXTS, SHARED}
    assert all(any(TABLE[name].plays(kind) for name in TABLE) for kind in kinds)
