"""The shipped kernels of the four phased eliminations against their two oracles.

The same source in plain Python on the same stream gives the same bits. The round-by-round transcription, which shares
with the kernels the draw of the noise and nothing else, gives the same law: regret at checkpoints inside batches, at
the horizon, at a horizon that cuts a batch, and the increments between them. The instance is one on which both find
the same core sets, so that no difference in law is due to the design's tolerance; the widths are small parts of the
printed ones, so that actions are dropped, the best one sometimes among them.
"""

import itertools
import math
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms import batches, batches_literal
from dpbandits.algorithms.table import TABLE
from dpbandits.statistics import holm

NAMES = [name for name in TABLE if name.startswith("phased_elimination")]
LEVEL = 1e-3  # family-wise
RUNS = 240  # a side
ACTIONS = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, -0.6], [0.9, 0.3]])
THETA = np.array([0.6, 0.45])  # gaps 0.12, 0, 0.51, 0.045
HORIZONS = {2000: "whole batches", 2981: "cuts the last batch"}  # 2981 > e^8, where the schedule overruns
INSIDE = [50, 150, 400, 900, 1500]
SETTINGS = {  # at these budgets the noise of the sums is at least as large as the rewards' own
    "phased_elimination": {"width": 0.1},
    "phased_elimination_central": {"width": 0.03, "core_factor": 1.5, "eps": 0.05},
    "phased_elimination_local": {"width": 0.1, "eps": 2.0},
    "phased_elimination_shuffled": {"width": 0.1, "delta": 1e-6, "eps": 1.0},
}


def module(name):
    return import_module(f"dpbandits.algorithms.{name}")


def constants(name, **changes):
    return tuple(vars(module(name).params("printed", {**SETTINGS[name], **changes}, {})).values())


def checkpoints(horizon):
    return np.array([*INSIDE, horizon])


def kernel_regrets(name, horizon, **changes):
    """(runs, checkpoints), rounded: the two sides add the same gaps in different orders."""
    runs = [
        module(name).run(
            np.random.default_rng([1, seed]), ACTIONS, THETA, *constants(name, **changes), checkpoints(horizon)
        )
        for seed in range(RUNS)
    ]
    return np.round(np.array(runs)[:, :, 0], 6)


@pytest.fixture(scope="module")
def literal_regrets():
    """(runs, checkpoints) of the transcription by name and horizon; its slow design computed once for each set."""
    known = {}

    def design(points, plain=batches_literal.design):
        key = points.tobytes()
        if key not in known:
            known[key] = plain(points)
        return known[key].copy()

    regrets = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches_literal, "design", design)
        for name, horizon in itertools.product(NAMES, HORIZONS):
            kernel_regrets(name, horizon)  # compiled before the draw below is replaced
            if hasattr(module(name), "laplace"):
                patch.setattr(module(name), "laplace", module(name).laplace.py_func)  # a call from Python costs less
            runs = [
                module(name).run_literal(
                    np.random.default_rng([2, seed]), ACTIONS, THETA, *constants(name), checkpoints(horizon)
                )
                for seed in range(RUNS)
            ]
            regrets[name, horizon] = np.round(runs, 6)
            patch.undo()
            patch.setattr(batches_literal, "design", design)
    return regrets


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


def test_both_sides_find_the_same_core_sets():
    """For every set of actions that can be active, and every batch of both horizons."""
    nominals = [q**i for q, last in map(batches.batch_schedule, HORIZONS) for i in range(1, last + 1)]
    for size in range(1, len(ACTIONS) + 1):
        for active in itertools.combinations(range(len(ACTIONS)), size):
            weights = batches_literal.design(ACTIONS[list(active)])
            coordinates = batches.coordinates_of(ACTIONS, np.array(active))
            for nominal in nominals:
                core, pulls = batches.core_set(coordinates, nominal)
                expected = {k: math.ceil(w * nominal - 1e-12) for k, w in enumerate(weights) if w > 0}
                assert dict(zip(core.tolist(), pulls.tolist(), strict=True)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_setting_is_eventful(name):
    """Runs drop different numbers of actions, and checkpoints lie inside batches; the cut batch is the last of 7."""
    runs = [
        module(name).run(np.random.default_rng([1, s]), ACTIONS, THETA, *constants(name), checkpoints(2000))
        for s in range(RUNS)
    ]
    assert len(np.unique(np.array(runs)[:, -1, 1])) >= 2
    q, last = batches.batch_schedule(2981)
    assert last == 7
    assert sum(q**i for i in range(1, 8)) > 2981 > sum(q**i for i in range(1, 7)) + 4 * 7
    ends = np.cumsum([[q**i, q**i + 4] for i in range(1, 8)], axis=0)
    assert not any(low <= t <= high for t in INSIDE for low, high in ends)


# The oracles


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("horizon", [5, 8, 60, *HORIZONS])
def test_kernel_is_its_own_source_in_plain_python(name, horizon):
    rounds = np.array([*(t for t in INSIDE if t < horizon), horizon])
    for seed in range(5):
        compiled, plain = (
            run(np.random.default_rng(seed), ACTIONS, THETA, *constants(name), rounds)
            for run in (module(name).run, module(name).run.py_func)
        )
        np.testing.assert_array_equal(compiled, plain)


def test_kernels_have_the_law_of_the_transcription(literal_regrets):
    cells = {cell: p_values(kernel_regrets(*cell), literal_regrets[cell]) for cell in literal_regrets}
    for (name, horizon), found in cells.items():
        print(f"{name}, T = {horizon}, {HORIZONS[horizon]}: smallest of {len(found)} p-values {min(found):.3g}")
    assert holm(list(itertools.chain(*cells.values()))).min() > LEVEL


@pytest.mark.parametrize("name", NAMES)
def test_the_comparison_has_power(name, literal_regrets):
    """Widths 30 % off, and half the noise, are found at either horizon."""
    for horizon in HORIZONS:
        expected = literal_regrets[name, horizon]
        assert (
            holm(p_values(kernel_regrets(name, horizon, width=1.3 * SETTINGS[name]["width"]), expected)).min() < LEVEL
        )
        if name != "phased_elimination":
            halved = kernel_regrets(name, horizon, eps=2 * SETTINGS[name]["eps"])
            assert holm(p_values(halved, expected)).min() < LEVEL
