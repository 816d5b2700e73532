"""The kept runs of mutants are those of the code."""

from dataclasses import replace

import numpy as np
import pytest

from dpbandits.stages.aggregate import stored
from tests.statistical import kept_runs

RUNS = kept_runs.wanted()
ROUNDING = 2.0**-23  # one step of single precision, where another processor turns the last digit
SHORT = 1e5  # rounds that are simulated again


def test_the_file_has_all_runs_and_no_others():
    assert set(kept_runs.kept()) == set(RUNS), kept_runs.REMEDY


@pytest.mark.parametrize(
    "name", [name for name, (curve, *_) in RUNS.items() if min(map(curve.horizon_at, curve.points)) <= SHORT]
)
def test_the_shortest_runs_of_a_curve_are_simulated_alike(name):
    curve, noise, root_seed = RUNS[name]
    p = min(range(len(curve.points)), key=lambda k: curve.horizon_at(curve.points[k]))
    one = replace(curve, points=curve.points[p : p + 1], seeds=1, chunk=1)
    ((_, found),) = kept_runs.simulated(one, noise[p : p + 1], root_seed)
    _, expected = kept_runs.kept()[name][p]
    assert set(found) == set(expected)
    for output, values in found.items():
        np.testing.assert_allclose(stored(values), expected[output][:1], rtol=ROUNDING, err_msg=output)


def test_a_file_is_read_as_it_was_written(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    runs = {
        run: [({}, {name: stored(rng.random(seeds)) for name in "ab"}) for _ in range(3)]
        for run, seeds in (("x", 2), ("w", 5))
    }
    monkeypatch.setattr(kept_runs, "FILE", tmp_path / "kept.parquet")
    kept_runs.write(runs)
    kept_runs.kept.cache_clear()
    found = kept_runs.kept()
    kept_runs.kept.cache_clear()
    assert set(found) == set(runs)
    for run, points in runs.items():
        for (_, one), (_, two) in zip(points, found[run], strict=True):
            assert {name: list(values) for name, values in one.items()} == {name: list(x) for name, x in two.items()}
