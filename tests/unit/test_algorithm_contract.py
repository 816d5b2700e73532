"""What every algorithm of the table keeps, whatever it does."""

import dataclasses
import inspect
from importlib import import_module

import numpy as np
import pytest

from dpbandits.algorithms import batches, table
from dpbandits.algorithms.table import TABLE
from dpbandits.checkpoints import log_spaced
from dpbandits.environments.linear import draw
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest

SETTING = {"width": 1.0, "core_factor": 1.5, "delta": 1e-6, "eps": 2.0}
UNIT = np.eye(2)  # two orthogonal actions

every = pytest.mark.parametrize("name", TABLE)
batched = pytest.mark.parametrize("name", [name for name in TABLE if name.startswith("phased_elimination")])


def module(name):
    return import_module(f"dpbandits.algorithms.{name}")


def own_calibrations(name):
    return [key for key, same in TABLE[name].calibrations.items() if key == same]


def parameters(name, calibration="printed", **changes):
    setting = {**SETTING, **changes}
    noise = {}
    if calibration == "certified":
        noise = {key: least_noise(request) for key, request in module(name).requests(setting).items()}
    return module(name).params(calibration, setting, noise)


def run(name, seed, actions, theta, rounds, **changes):
    constants = dataclasses.astuple(parameters(name, **changes))
    return module(name).run(np.random.default_rng(seed), actions, theta, *constants, rounds)


# Names and signatures


@every
def test_table_names_a_module_with_the_agreed_parts(name):
    assert dataclasses.is_dataclass(module(name).Params)
    assert module(name).Params.__dataclass_params__.frozen
    for part in ("params", "run", "run_literal"):
        assert callable(getattr(module(name), part))
    assert module(name).OUTPUTS[0] == "regret"
    assert len(set(module(name).OUTPUTS)) == len(module(name).OUTPUTS)
    assert isinstance(TABLE[name], table.Algorithm)


@every
def test_calibrations_name_each_other(name):
    calibrations = TABLE[name].calibrations
    assert all(calibrations[same] == same for same in calibrations.values())
    assert hasattr(module(name), "requests") == (calibrations.get("certified") == "certified")


@every
def test_params_are_the_kernels_parameters_in_order(name):
    fields = [field.name for field in dataclasses.fields(module(name).Params)]
    for function in (module(name).run.py_func, module(name).run_literal):
        assert list(inspect.signature(function).parameters) == ["rng", "actions", "theta", *fields, "checkpoints"]


@every
def test_params_read_what_the_table_says_and_nothing_else(name):
    """With exactly these settings `params` works; without any one of them it does not."""
    needed = {*TABLE[name].parameters, *TABLE[name].grid}
    setting = {key: value for key, value in SETTING.items() if key in needed}
    assert set(setting) == needed
    assert dataclasses.astuple(module(name).params("printed", setting, {})) == dataclasses.astuple(parameters(name))
    for key in needed:
        with pytest.raises(KeyError, match=key):
            module(name).params("printed", {k: v for k, v in setting.items() if k != key}, {})


@every
def test_certified_uses_the_noise_that_it_asks_for(name):
    if "certified" not in own_calibrations(name):
        assert "requests" not in vars(module(name))
        return
    requests = module(name).requests(SETTING)
    assert all(isinstance(request, NoiseRequest) for request in requests.values())
    certified = module(name).params("certified", SETTING, dict.fromkeys(requests, 77.0))
    assert all(getattr(certified, key) == 77.0 for key in requests)


# Traces


@every
@pytest.mark.parametrize(("arms", "d"), [(1, 2), (2, 2), (10, 2), (8, 4), (3, 5)])
@pytest.mark.parametrize("horizon", [1, 7, 8, 1000, 2981, 100_000])
def test_regret_grows_from_zero_to_at_most_the_largest_gap(name, arms, d, horizon):
    rounds = log_spaced(horizon, 10)
    for calibration in own_calibrations(name):
        actions, theta = draw(np.random.default_rng(arms * d), arms, d)
        trace = run(name, 1, actions, theta, rounds, calibration=calibration, width=0.2)
        gaps = (actions @ theta).max() - actions @ theta
        assert trace.shape == (len(rounds), len(module(name).OUTPUTS))
        assert np.isfinite(trace).all()
        increments = np.diff(trace[:, 0], prepend=0.0)
        assert (increments >= -1e-9 * (1 + trace[:, 0])).all()
        assert (increments <= np.diff(rounds, prepend=0) * gaps.max() * (1 + 1e-9)).all()


@batched
def test_regret_is_a_whole_number_of_plays_where_the_gap_is_one(name):
    """Means 1 and 0: the regret is the number of plays of the second action."""
    rounds = log_spaced(30_000, 40)
    for seed in range(10):
        regret = run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, width=0.1)[:, 0]
        assert (regret == np.round(regret)).all()
        assert (np.diff(regret, prepend=0) <= np.diff(rounds, prepend=0)).all()


@batched
def test_plays_add_up_to_the_horizon(name):
    """With huge widths nothing is dropped: ceil(q^i/2) plays of either action a batch, the rest to one of them.

    So with gap 1 the regret is that of the batches, or all that is left on top; both happen at a tiny budget.
    """
    horizon = 20_000
    q, last = batches.batch_schedule(horizon)
    halves = np.cumsum([np.ceil(q**i / 2) for i in range(1, last + 1)]).astype(int)
    rounds = np.array([*(2 * halves), horizon])
    finals = set()
    for seed in range(20):
        regret = run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, width=1e6, eps=1e-3)[:, 0]
        np.testing.assert_array_equal(regret[:-1], halves)
        finals.add(int(regret[-1]))
    wrong = horizon - int(halves[-1])
    assert finals == ({int(halves[-1])} if name == "phased_elimination" else {int(halves[-1]), wrong})


@batched
def test_inside_a_batch_the_plays_are_a_random_half(name):
    """Hypergeometric, not an interpolated line: in the last batch of the instance above, after 1000 of its rounds."""
    q, last = batches.batch_schedule(20_000)
    before, half = (int(sum(np.ceil(q**i / 2) for i in batch)) for batch in (range(1, last), [last]))
    rounds = np.array([2 * before, 2 * before + 1000, 20_000])
    runs = [run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, width=1e6)[:, 0] for seed in range(400)]
    drawn = np.array([regret[1] - regret[0] for regret in runs])
    sd = np.sqrt(1000 / 4 * (2 * half - 1000) / (2 * half - 1))
    assert abs(drawn.mean() - 500) <= 4 * sd / 20
    assert drawn.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * 400))


@batched
def test_last_row_is_the_horizon(name):
    """Checkpoints after the batches: an action that is kept costs its gap in every round, up to the last."""
    rounds = np.array([99_990, 99_995, 100_000])
    regret = run(name, 1, UNIT, np.array([0.5, 0.6]), rounds, width=1e6)[:, 0]
    assert regret[2] - regret[1] == pytest.approx(regret[1] - regret[0], abs=1e-9)


@every
def test_same_stream_same_bits(name):
    actions, theta = draw(np.random.default_rng(2), 10, 2)
    rounds = log_spaced(50_000, 20)
    first, again, other = (run(name, seed, actions, theta, rounds, width=0.3) for seed in (7, 7, 8))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


@every
def test_the_instance_is_left_as_it_was(name):
    actions, theta = draw(np.random.default_rng(2), 10, 2)
    rounds = log_spaced(5000, 5)
    copies = [array.copy() for array in (actions, theta, rounds)]
    run(name, 1, actions, theta, rounds)
    for array, copy in zip((actions, theta, rounds), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@batched
def test_good_event_misses_are_counted(name):
    """With the printed widths none; with a hundredth of them many; the count never falls."""
    actions, theta = draw(np.random.default_rng(3), 10, 2)
    rounds = log_spaced(100_000, 10)
    misses = module(name).OUTPUTS.index("misses")
    assert not any(run(name, seed, actions, theta, rounds)[:, misses].any() for seed in range(50))
    narrow = [run(name, seed, actions, theta, rounds, width=0.01)[:, misses] for seed in range(50)]
    assert all((np.diff(column) >= 0).all() for column in narrow)
    assert np.mean([column[-1] for column in narrow]) > 1


@every
def test_a_thousand_million_rounds(name):
    """Rounds are skipped: the run ends, with checkpoints inside batches of hundreds of millions."""
    actions, theta = draw(np.random.default_rng(4), 10, 2)
    rounds = log_spaced(10**9, 20)
    trace = run(name, 1, actions, theta, rounds)
    assert np.isfinite(trace).all()
    assert (np.diff(trace[:, 0]) >= 0).all()
    assert trace[-1, 0] < 1e-2 * 10**9
