"""The shipped kernels of the phased eliminations against their two oracles.

The same source in plain Python on the same stream gives the same bits. The round-by-round transcription, which shares
with the kernels the draw of the noise and nothing else, gives the same distribution: regret at checkpoints inside
batches, at the horizon, at a horizon that cuts a batch, and the increments between them. The instance is one on which
both find the same core sets, so that no difference in distribution is due to the design's tolerance; the widths are
small parts of the printed ones, so that actions are dropped, the best one sometimes among them. The same for every
reading of what the paper leaves open, one changed at a time; where that is the tolerance, the transcription is given
the kernels' design.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.base.registry import ALGORITHMS
from dpbandits.numerics.optimal_design import near_optimal_design
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.accounting import least_noise

SIGNIFICANCE = 1e-3  # family-wise
RUNS, FEWER = 240, 100  # a side; for a changed reading
ACTIONS = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, -0.6], [0.9, 0.3]])
THETA = np.array([0.6, 0.45])  # gaps 0.12, 0, 0.51, 0.045
GIVEN = (ACTIONS, THETA)
FAN = (  # at 0, 4 and 80 degrees: once the last action is dropped, its estimate by the others is mostly noise
    np.stack([np.cos(np.radians([0, 4, 80])), np.sin(np.radians([0, 4, 80]))], axis=1),
    np.array([0.95, 0.0]),  # gaps 0, 0.002, 0.785
)
HORIZONS = {2000: "whole batches", 2981: "cuts the last batch"}  # 2981 > e^8, where the schedule overruns
INSIDE = [50, 150, 400, 900, 1500]
READING = {"extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
WHOLE = {"width": 0.1, "core_factor": 1.5, "eps": 0.2, "frank_wolfe": 0.0, "printed_width": 0.0}
SHUFFLED, G_OPTIMAL = "phased_elimination_shuffled", "phased_elimination_g_optimal"
SETTINGS = {  # at these budgets the noise of the sums is at least as large as the rewards' own
    "phased_elimination": {"width": 0.1},
    G_OPTIMAL: {"width": 0.1},
    "phased_elimination_central": {"width": 0.03, "core_factor": 1.5, "eps": 0.05},
    "phased_elimination_no_core_set:uniform": WHOLE,
    "phased_elimination_no_core_set:fw": {**WHOLE, "frank_wolfe": 1.0},
    "phased_elimination_no_core_set:uniform_narrow": {**WHOLE, "printed_width": 1.0},
    "phased_elimination_local": {"width": 0.1, "eps": 2.0},
    SHUFFLED: {"width": 0.1, "delta": 1e-6, "eps": 1.0},
    f"{SHUFFLED}:certified": {"width": 0.1, "delta": 1e-6, "eps": 2.0},
}
NAMES = list(SETTINGS)
NARROWER = 0.5  # widths on the fan, so that the last action is dropped early
READINGS = {  # the G-optimal one knows two of them
    "extra_batches": {"extra_batches": 1.0},
    "whole_maximum": {"whole_maximum": 1.0},
    "reward_sd": {"reward_sd": 2.0},
    "tolerance": {"tolerance": 1.0},
}
CHANGED = [
    (name, reading)
    for name in NAMES
    for reading in READINGS
    if name != G_OPTIMAL or reading in ("reward_sd", "tolerance", "whole_maximum")
    if not (reading == "tolerance" and "frank_wolfe" in SETTINGS[name])  # no design of that tolerance
    if not name.endswith((":uniform_narrow", ":certified"))  # their readings are those of their neighbors above
]
noise_of = functools.cache(least_noise)


def module(name):
    return ALGORITHMS.module(name.partition(":")[0])


def constants(name, horizon, **changes):
    setting = {**READING, **SETTINGS[name], "T": float(horizon), **changes}
    if not name.endswith(":certified"):
        return tuple(vars(module(name).params("printed", setting, {})).values())
    noise = {key: noise_of(request) for key, request in module(name).requests(setting).items()}
    return tuple(vars(module(name).params("certified", setting, noise)).values())


def checkpoints(horizon):
    return np.array([*INSIDE, horizon])


def kernel_traces(name, horizon, runs=RUNS, instance=GIVEN, **changes):
    """(runs, checkpoints, outputs)"""
    arguments = (*instance, *constants(name, horizon, **changes), checkpoints(horizon))
    return np.array([module(name).run(np.random.default_rng([1, seed]), *arguments) for seed in range(runs)])


def kernel_regrets(name, horizon, runs=RUNS, instance=GIVEN, **changes):
    """(runs, checkpoints), rounded: the two sides add the same gaps in different orders."""
    return np.round(kernel_traces(name, horizon, runs, instance, **changes)[:, :, 0], 6)


def literal_regrets(name, horizon, runs=RUNS, instance=GIVEN, **changes):
    """(runs, checkpoints) of the transcription; its slow designs are computed once for each set of actions."""
    arguments = (*instance, *constants(name, horizon, **changes), checkpoints(horizon))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches_literal, "design", plain_design)
        patch.setattr(batches_literal, "frank_wolfe", plain_frank_wolfe)
        if changes.get("tolerance"):
            patch.setattr(batches_literal, "design", loose_design)
        if hasattr(module(name), "laplace"):
            patch.setattr(module(name), "laplace", module(name).laplace.py_func)  # a call from Python costs less
        literal = module(name).run_literal
        found = [literal(np.random.default_rng([2, seed]), *arguments) for seed in range(runs)]
    return np.round(found, 6)


def once_for_each_set(design):
    """The design, computed once for each set of actions."""
    known = {}

    def of(points):
        key = points.tobytes()
        if key not in known:
            known[key] = design(points)
        return known[key].copy()

    return of


plain_design, plain_frank_wolfe = map(once_for_each_set, (batches_literal.design, batches_literal.frank_wolfe))


def loose_design(points):
    return near_optimal_design(batches.coordinates_of(points, np.arange(len(points))), 1.0)


@pytest.fixture(scope="module")
def transcribed():
    """(runs, checkpoints) by name and horizon."""
    for name in NAMES:
        kernel_regrets(name, 2000, runs=1)  # compiled before the draw of the noise is replaced
    return {cell: literal_regrets(*cell) for cell in itertools.product(NAMES, HORIZONS)}


def p_values(one, other):
    """Kolmogorov-Smirnov and Welch on the regret at every checkpoint and on the increments between them."""
    found = []
    for x, y in zip(columns(one), columns(other), strict=True):
        found.append(stats.ks_2samp(x, y, method="asymp").pvalue)
        if np.ptp(x) > 0 or np.ptp(y) > 0:
            found.append(stats.ttest_ind(x, y, equal_var=False).pvalue)
    return found


def columns(regrets):
    return [*regrets.T, *np.diff(regrets, axis=1).T]


# The instance


def nominal_lengths(name, horizon, arms):
    """Of all batches or phases that are estimated."""
    if name == G_OPTIMAL:
        lengths = (4 * 4**k * math.log(arms * k * (k + 1) * horizon) for k in range(1, 20))
        return list(itertools.takewhile(lambda length: length < horizon, lengths))
    return [batches.batch_schedule(horizon)[0] ** i for i in range(1, 8)]


@pytest.mark.parametrize("name", ["phased_elimination", G_OPTIMAL])
@pytest.mark.parametrize("actions", [ACTIONS, FAN[0]], ids=["given", "fan"])
def test_both_sides_find_the_same_core_sets(name, actions):
    """For every set of actions that can be active, and every batch of both horizons, one more at the first one."""
    nominals = [length for horizon in HORIZONS for length in nominal_lengths(name, horizon, len(actions))]
    for size in range(1, len(actions) + 1):
        for active in itertools.combinations(range(len(actions)), size):
            coordinates = batches.coordinates_of(actions, np.array(active))
            plain = plain_design(actions[list(active)])
            for nominal in nominals:
                core, pulls = batches.core_set(coordinates, nominal, 1e-3)
                expected = {k: math.ceil(w * nominal - 1e-12) for k, w in enumerate(plain) if w > 0}
                assert dict(zip(core.tolist(), pulls.tolist(), strict=True)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_setting_is_eventful(name):
    """Runs drop different numbers of actions, and checkpoints lie inside batches; the cut batch is the last of 7."""
    active = kernel_traces(name, 2000)[:, -1, batches.OUTPUTS.index("active")]
    assert len(np.unique(active)) >= 2
    q, last = batches.batch_schedule(2981)
    assert last == 7
    assert sum(q**i for i in range(1, 8)) > 2981 > sum(q**i for i in range(1, 7)) + 4 * 7
    ends = np.cumsum([[q**i, q**i + 4] for i in range(1, 8)], axis=0)
    assert not any(low <= t <= high for t in INSIDE for low, high in ends)


@pytest.mark.parametrize("name", [name for name in NAMES if name != G_OPTIMAL])
def test_the_fan_makes_the_whole_maximum_fall_back(name):
    """In a fifth of the runs at least; and a loose design differs from the near-optimal one."""
    width = NARROWER * SETTINGS[name]["width"]
    traces = kernel_traces(name, 2000, instance=FAN, whole_maximum=1.0, width=width)
    assert np.mean(traces[:, -1, batches.OUTPUTS.index("fallbacks")] > 0) > 1 / 5
    assert np.abs(loose_design(ACTIONS) - plain_design(ACTIONS)).max() > 0.1


# The oracles


def assert_same_bits(name, horizon, **changes):
    rounds = np.array([*(t for t in INSIDE if t < horizon), horizon])
    for seed in range(5):
        compiled, plain = (
            run(np.random.default_rng(seed), ACTIONS, THETA, *constants(name, horizon, **changes), rounds)
            for run in (module(name).run, module(name).run.py_func)
        )
        np.testing.assert_array_equal(compiled, plain)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("horizon", [5, 8, 60, *HORIZONS])
def test_kernel_is_its_own_source_in_plain_python(name, horizon):
    assert_same_bits(name, horizon)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reading", READINGS)
def test_kernel_is_its_own_source_under_every_reading(name, reading):
    for horizon in (8, 60, *HORIZONS):
        assert_same_bits(name, horizon, **READINGS[reading])
    assert_same_bits(name, 2981, **{key: value for change in READINGS.values() for key, value in change.items()})


@pytest.mark.slow
def test_kernels_have_the_distribution_of_the_transcription(transcribed):
    cells = {cell: p_values(kernel_regrets(*cell), transcribed[cell]) for cell in transcribed}
    for (name, horizon), found in cells.items():
        print(f"{name}, T = {horizon}, {HORIZONS[horizon]}: smallest of {len(found)} p-values {min(found):.3g}")
    assert holm(list(itertools.chain(*cells.values()))).min() > SIGNIFICANCE


@pytest.mark.slow
def test_kernels_have_the_distribution_of_the_transcription_under_every_reading(transcribed):
    """And every reading can be told from the default one, by one algorithm at least."""
    same, told = {}, {}
    for name, reading in CHANGED:
        changes = dict(READINGS[reading])
        if reading == "whole_maximum":
            changes |= {"width": NARROWER * SETTINGS[name]["width"], "instance": FAN}
        literal = literal_regrets(name, 2000, FEWER, **changes)
        same[name, reading] = p_values(kernel_regrets(name, 2000, FEWER, **changes), literal)
        default = {**changes, **{key: READING[key] for key in READINGS[reading]}}
        told[name, reading] = min(p_values(kernel_regrets(name, 2000, **default), literal))
    for cell, found in same.items():
        print(f"{cell}: smallest of {len(found)} p-values {min(found):.3g}; against the default {told[cell]:.3g}")
    assert holm(list(itertools.chain(*same.values()))).min() > SIGNIFICANCE
    for reading in READINGS:
        assert min(p for (_, each), p in told.items() if each == reading) < SIGNIFICANCE / 100, reading


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_comparison_has_power(name, transcribed):
    """Widths 30 % off, and half the noise, are found at either horizon."""
    for horizon in HORIZONS:
        expected = transcribed[name, horizon]
        wider = kernel_regrets(name, horizon, width=1.3 * SETTINGS[name]["width"])
        assert holm(p_values(wider, expected)).min() < SIGNIFICANCE
        if "eps" in SETTINGS[name]:
            halved = kernel_regrets(name, horizon, eps=2 * SETTINGS[name]["eps"])
            assert holm(p_values(halved, expected)).min() < SIGNIFICANCE
