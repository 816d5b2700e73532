"""Properties of every phased elimination in the table, at every reading."""

import functools
import math

import numpy as np
import pytest

from dpbandits.algorithms.phased_elimination import batches
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.base import SIGNED
from dpbandits.environments.linear.linear import draw
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest

READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
SETTING = {**READING, "core_factor": 1.5, "frank_wolfe": 0.0, "printed_width": 0.0, "delta": 1e-6, "eps": 2.0}
UNIT = np.eye(2)  # two orthogonal actions
VARIANTS = {  # of the run without core set; every other curve is an algorithm of the table
    "phased_elimination_no_core_set:fw": {"frank_wolfe": 1.0},
    "phased_elimination_no_core_set:uniform_narrow": {"printed_width": 1.0},
}
G_OPTIMAL = "phased_elimination_g_optimal"
READINGS = [{"extra_batches": 1.0}, {"whole_maximum": 1.0}, {"reward_sd": 0.5}, {"tolerance": 1.0}]

PHASED = [name for name in TABLE if TABLE[name].plays(SIGNED) and "width" in TABLE[name].parameters]
WITHOUT_NOISE = tuple(name for name in PHASED if not TABLE[name].private)

every = pytest.mark.parametrize("name", PHASED)
every_curve = pytest.mark.parametrize("name", [*PHASED, *VARIANTS])
in_batches = pytest.mark.parametrize("name", [name for name in [*PHASED, *VARIANTS] if name != G_OPTIMAL])
every_reading = pytest.mark.parametrize("reading", READINGS, ids=lambda reading: "".join(reading))
noise_of = functools.cache(least_noise)


def module(name):
    return ALGORITHMS.module(name.partition(":")[0])


def has_core_set(name):
    """Whether it plays a few actions of each batch; a switch of the others says how they play all."""
    return "frank_wolfe" not in TABLE[name.partition(":")[0]].parameters


def own_calibrations(name):
    return [key for key, same in TABLE[name.partition(":")[0]].calibrations.items() if key == same]


def parameters(name, calibration="printed", **changes):
    setting = {**SETTING, **VARIANTS.get(name, {}), **changes}
    noise = {}
    if calibration == "certified":
        noise = {key: noise_of(request) for key, request in module(name).requests(setting).items()}
    return module(name).params(calibration, setting, noise)


def values(params):
    """The fields in order, for a kernel; `dataclasses.astuple` would take the reading apart."""
    return tuple(vars(params).values())


def run(name, seed, actions, theta, rounds, **changes):
    constants = values(parameters(name, T=float(rounds[-1]), **changes))
    return module(name).run(np.random.default_rng(seed), actions, theta, *constants, rounds)


def column(trace, name):
    return trace[:, batches.OUTPUTS.index(name)]


# Parameters


@every
def test_readings_reach_the_kernel_under_their_own_names(name):
    """Five different values; whole numbers and switches become such."""
    odd = {"width": 0.3, "extra_batches": 2.0, "tolerance": 0.07, "whole_maximum": 1.0, "reward_sd": 0.9}
    reading = parameters(name, **odd).reading
    assert reading._asdict() == odd
    assert [type(value) for value in reading] == [float, int, float, bool, float]
    assert list(TABLE[name].parameters)[:5] == list(odd)
    assert all(TABLE[name].parameters[key].allows(value) for key, value in odd.items())


def test_variants_without_core_set_are_what_their_names_say():
    fw, narrow = map(parameters, VARIANTS)
    plain = parameters("phased_elimination_no_core_set")
    switches = [(each.frank_wolfe, each.printed_width) for each in (plain, fw, narrow)]
    assert switches == [(False, False), (True, False), (False, True)]


@every
def test_certified_uses_the_noise_that_it_asks_for(name):
    """One scale, or one for every batch in the order of the batches."""
    if "certified" not in own_calibrations(name):
        assert "requests" not in vars(module(name))
        return
    requests = module(name).requests({**SETTING, "T": 1e5})
    assert all(isinstance(request, NoiseRequest) for request in requests.values())
    assert all(request.eps == SETTING["eps"] and request.sensitivity == 2.0 for request in requests.values())
    noise = {key: 70.0 + i for i, key in enumerate(requests)}
    certified = module(name).params("certified", SETTING, noise)
    if name == "phased_elimination_shuffled":
        np.testing.assert_array_equal(certified.scales, 70.0 + np.arange(batches.batch_schedule(10**5)[1]))
        np.testing.assert_array_equal(parameters(name).scales, [])
    else:
        assert certified.noise_scale == noise["noise_scale"] == 70.0
        assert parameters(name).noise_scale == 1 / SETTING["eps"]


@pytest.mark.parametrize("name", [name for name in PHASED if "certified" in own_calibrations(name)])
def test_noise_depends_on_no_argument_of_the_environment_that_the_table_does_not_name(name):
    """Curves that differ in others share one file of noise."""
    asks, standard = module(name).requests, {**SETTING, "T": 1e5, "arms": 10.0, "dimension": 2.0}
    moved = {each for each in ("arms", "dimension") if asks({**standard, each: 7.0}) != asks(standard)}
    assert moved == set(TABLE[name].noise_asks)


def test_shuffled_asks_for_every_batch_and_its_least_number_of_reports():
    """T = 1e5: q = 2.886966, q^i = 2.9, 8.3, 24.1, 69.5, 200.5, ...; one more batch, one more request."""
    requests = module("phased_elimination_shuffled").requests
    sizes = [request.n for request in requests({**SETTING, "T": 1e5}).values()]
    assert sizes[:5] == [3, 9, 25, 70, 201]
    assert len(sizes) == 10
    longer = requests({**SETTING, "T": 1e5, "extra_batches": 1.0})
    assert list(longer) == [f"batch_{i}" for i in range(1, 12)]
    assert [request.n for request in longer.values()][:10] == sizes
    assert longer["batch_11"].n == 116107  # e^11 2^(11/ln 1e5) = 116106.83
    assert {(r.mechanism, r.eps, r.delta) for r in longer.values()} == {("shuffled_laplace", 2.0, 1e-6)}


# Traces


@every_curve
@pytest.mark.parametrize(("arms", "d"), [(1, 2), (2, 2), (10, 2), (8, 4), (3, 5)])
@pytest.mark.parametrize("horizon", [2, 7, 8, 1000, 2981, 100_000])
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


@every_curve
@every_reading
def test_regret_grows_under_every_reading(name, reading):
    """As above, at both calibrations; the horizon 2981 > e^8 cuts a batch."""
    actions, theta = draw(np.random.default_rng(3), 9, 3)
    gaps = (actions @ theta).max() - actions @ theta
    for horizon, calibration in [(h, c) for h in (9, 2981, 60_000) for c in own_calibrations(name)]:
        rounds = log_spaced(horizon, 10)
        trace = run(name, 1, actions, theta, rounds, calibration=calibration, width=0.2, **reading)
        assert np.isfinite(trace).all()
        increments = np.diff(trace[:, 0], prepend=0.0)
        assert (increments >= -1e-9 * (1 + trace[:, 0])).all()
        assert (increments <= np.diff(rounds, prepend=0) * gaps.max() * (1 + 1e-9)).all()


@every_curve
def test_regret_is_a_whole_number_of_plays_where_the_gap_is_one(name):
    """Means 1 and 0: the regret is the number of plays of the second action."""
    rounds = log_spaced(30_000, 40)
    for seed in range(10):
        regret = run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, width=0.1)[:, 0]
        assert (regret == np.round(regret)).all()
        assert (np.diff(regret, prepend=0) <= np.diff(rounds, prepend=0)).all()


@in_batches
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
    assert finals == ({int(halves[-1])} if name in WITHOUT_NOISE else {int(halves[-1]), wrong})


@in_batches
def test_one_batch_more_is_cut_by_the_horizon(name):
    """q times the last batch never fits into what is left: both actions are played until the end, in random order."""
    horizon = 20_000
    q, last = batches.batch_schedule(horizon)
    halves = np.cumsum([np.ceil(q**i / 2) for i in range(1, last + 1)]).astype(int)
    left = horizon - 2 * int(halves[-1])
    assert left < q ** (last + 1)
    rounds = np.array([*(2 * halves), horizon])
    changes = {"width": 1e6, "eps": 1e-3, "extra_batches": 1.0}
    runs = np.array([run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, **changes)[:, 0] for seed in range(50)])
    np.testing.assert_array_equal(runs[:, :-1], np.tile(halves, (50, 1)))
    last_plays = runs[:, -1] - halves[-1]
    assert abs(last_plays.mean() - left / 2) <= 4 * np.sqrt(left / 4 / 50)
    assert 0 < last_plays.std() < 1.3 * np.sqrt(left / 4)


def g_optimal_lengths(horizon, phases):
    """Nominal lengths of the first phases while two actions are active: 4 * 4^k * ln(2 k (k + 1) T), d = 2."""
    return np.array([4 * 4**k * math.log(2 * k * (k + 1) * horizon) for k in range(1, phases + 1)])


def test_plays_of_the_g_optimal_phases_add_up_to_the_horizon():
    """With huge widths nothing is dropped, and the phase that the horizon cuts is played in random order."""
    lengths = g_optimal_lengths(20_000, 4)
    halves = np.cumsum(np.ceil(lengths / 2)).astype(int)
    assert 2 * halves[-1] < 20_000 < 2 * halves[-1] + g_optimal_lengths(20_000, 5)[-1]
    rounds = np.array([*(2 * halves), 20_000])
    runs = np.array([run(G_OPTIMAL, s, UNIT, np.array([1.0, 0.0]), rounds, width=1e6)[:, 0] for s in range(100)])
    np.testing.assert_array_equal(runs[:, :-1], np.tile(halves, (100, 1)))
    left = 20_000 - 2 * int(halves[-1])
    last = runs[:, -1] - halves[-1]
    assert abs(last.mean() - left / 2) <= 4 * np.sqrt(left / 4 / 100)
    assert 0 < last.std() < 1.3 * np.sqrt(left / 4)


@every_curve
def test_inside_a_batch_the_plays_are_a_random_half(name):
    """Hypergeometric, not an interpolated line: in the last batch (fourth phase) above, after 1000 of its rounds."""
    q, last = batches.batch_schedule(20_000)
    lengths = g_optimal_lengths(20_000, 4) if name == G_OPTIMAL else np.array([q**i for i in range(1, last + 1)])
    *earlier, half = np.ceil(lengths / 2).astype(int)
    before = sum(earlier)
    rounds = np.array([2 * before, 2 * before + 1000, 20_000])
    runs = [run(name, seed, UNIT, np.array([1.0, 0.0]), rounds, width=1e6)[:, 0] for seed in range(400)]
    drawn = np.array([regret[1] - regret[0] for regret in runs])
    sd = np.sqrt(1000 / 4 * (2 * half - 1000) / (2 * half - 1))
    assert abs(drawn.mean() - 500) <= 4 * sd / 20
    assert drawn.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * 400))


@in_batches
def test_last_row_is_the_horizon(name):
    """Checkpoints after the batches: an action that is kept costs its gap in every round, up to the last."""
    rounds = np.array([99_990, 99_995, 100_000])
    regret = run(name, 1, UNIT, np.array([0.5, 0.6]), rounds, width=1e6)[:, 0]
    assert regret[2] - regret[1] == pytest.approx(regret[1] - regret[0], abs=1e-9)


@every_curve
def test_good_event_misses_are_counted(name):
    """With the printed widths none; with a hundredth of them many; the count never falls."""
    actions, theta = draw(np.random.default_rng(3), 10, 2)
    rounds = log_spaced(100_000, 10)
    assert not any(column(run(name, seed, actions, theta, rounds), "misses").any() for seed in range(50))
    narrow = [column(run(name, seed, actions, theta, rounds, width=0.01), "misses") for seed in range(50)]
    assert all((np.diff(misses) >= 0).all() for misses in narrow)
    assert np.mean([misses[-1] for misses in narrow]) > 1


@pytest.mark.parametrize(
    ("name", "whole_maximum"),
    [(name, switch) for name in [*PHASED, *VARIANTS] for switch in (0.0, 1.0) if name != G_OPTIMAL or not switch],
)
def test_states_of_a_run_agree_with_each_other(name, whole_maximum):
    """Every round recorded: sizes, the largest core set so far, the regret over its bound, and no fallback unasked."""
    rounds = np.arange(1, 40_001)
    over, fallbacks = 0, 0
    for seed in range(30):
        actions, theta = draw(np.random.default_rng([4, seed]), 40, 2)
        trace = run(name, seed, actions, theta, rounds, width=0.001, eps=20.0, whole_maximum=whole_maximum)
        active, core, exceeds = (column(trace, each) for each in ("active", "core", "over_bound"))
        assert active[0] == 40
        assert (np.diff(active) <= 0).all()
        assert ((core >= 1) & (core <= active)).all()
        assert core.max() <= 3 if has_core_set(name) else (core == active).all()
        np.testing.assert_array_equal(column(trace, "largest_core"), np.maximum.accumulate(core))
        np.testing.assert_array_equal(exceeds, column(trace, "regret") > column(trace, "bound"))
        assert (np.diff(column(trace, "bound"), prepend=0.0) > 0).all()
        assert (np.diff(column(trace, "fallbacks"), prepend=0.0) >= 0).all()
        over += exceeds.any()
        fallbacks += column(trace, "fallbacks")[-1]
    assert over > 0
    assert (fallbacks > 0) == (whole_maximum > 0)


@every_curve
def test_printed_widths_keep_the_regret_below_its_bound(name):
    """On the good event, which at the printed widths is certain for all practical purposes; they never fall back."""
    rounds = log_spaced(300_000, 20)
    for seed in range(20):
        actions, theta = draw(np.random.default_rng([5, seed]), 10, 2)
        trace = run(name, seed, actions, theta, rounds, eps=[0.05, 1.0, 100.0][seed % 3])
        assert not column(trace, "misses").any()
        assert not column(trace, "over_bound").any()
        assert not column(trace, "fallbacks").any()
        assert column(trace, "bound")[-1] > column(trace, "regret")[-1]


@every_curve
def test_a_thousand_million_rounds(name):
    """Rounds are skipped: the run ends, with checkpoints inside batches of hundreds of millions."""
    actions, theta = draw(np.random.default_rng(4), 10, 2)
    rounds = log_spaced(10**9, 20)
    trace = run(name, 1, actions, theta, rounds)
    assert np.isfinite(trace).all()
    assert (np.diff(trace[:, 0]) >= 0).all()
    assert trace[-1, 0] < 1e-2 * 10**9
