"""Properties of every algorithm for contexts."""

import functools

import numpy as np
import pytest

from dpbandits.algorithms.base import SWITCH
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.base import CONTEXTS, SHARED
from dpbandits.environments.contextual import one_direction, shared_sphere, sphere_contexts
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.privacy.accounting import least_noise

NAMES = [name for name in TABLE if TABLE[name].plays(CONTEXTS) or TABLE[name].plays(SHARED)]
AROUND = {"arms": 3.0, "dimension": 2.0, "T": 300.0}  # what an environment and the horizon tell
OTHERS = {"delta": 0.01, "failure": 0.1, "loss_bound": 2.0, "bonus": 0.1, "lazy": 5.0, "warm_up": 30.0, "schedule": 0.0}
every = pytest.mark.parametrize("name", NAMES)
noise_of = functools.cache(least_noise)


def module(name):
    return ALGORITHMS.module(name)


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
    if name == "ldp_ols_estimate":
        return one_direction.draw(rng, 2, 1.0, 0.1)
    if TABLE[name].plays(SHARED):
        return shared_sphere.draw(rng, 3, 2, 0.1)
    return sphere_contexts.draw(rng, 3, 2, "linear", 0.1)


def run(name, seed, rounds, calibration):
    constants = vars(params(name, calibration, {**setting_of(name), "T": float(rounds[-1])})).values()
    return module(name).run(np.random.default_rng(seed), *instance_of(name), *constants, np.array(rounds))


@every
def test_the_generator_decides_and_checkpoints_do_not(name):
    for calibration in calibrations(name):
        one, again, other = (run(name, seed, [40, 300], calibration) for seed in (3, 3, 4))
        assert one.shape == (2, len(TABLE[name].outputs))
        assert one.tobytes() == again.tobytes()
        assert one.tobytes() != other.tobytes()
        np.testing.assert_array_equal(run(name, 3, [7, 40, 99, 300], calibration)[[1, 3]], one)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("random_arms", "ldp_ols_estimate")])
def test_regret_grows_and_no_faster_than_the_gaps_allow(name):
    for calibration in calibrations(name):
        regret = run(name, 5, range(1, 301), calibration)[:, 0]
        steps = np.diff(regret, prepend=0.0)
        assert (steps > -1e-12).all()
        assert (steps <= 2.0 + 1e-12).all()
        assert steps.max() > 0.0


def test_every_family_of_contexts_is_played_by_some_algorithm():
    kinds = {family.arms for family in FAMILIES.values()}
    assert kinds >= {CONTEXTS, SHARED}
    assert all(any(TABLE[name].plays(kind) for name in TABLE) for kind in kinds)
