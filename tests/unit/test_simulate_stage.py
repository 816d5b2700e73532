"""Stage simulate: columns and order of a chunk, and that a run depends on nothing but its own names and indices."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.checkpoints import log_spaced
from dpbandits.digests import json_digest
from dpbandits.environments import linear
from dpbandits.experiments.curves import Curve
from dpbandits.stages import simulate as stage
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import certified_noise, run_seeds, simulate
from dpbandits.storage import DamagedFile, read_json, read_table

from .small import CENTRAL, LOCAL, PLAIN, curve

KEYS = ["point", "seed", "replicate", "t"]


def runs(c: Curve, seeds: range = range(6), root_seed: int = 1) -> dict[str, np.ndarray]:
    return run_seeds(c, root_seed, seeds, [{} for _ in c.points])


def rows(columns: dict[str, np.ndarray], **where: int) -> dict[str, bytes]:
    """The bytes of the outputs in some rows."""
    chosen = np.all([columns[name] == value for name, value in where.items()], axis=0)
    assert chosen.any()
    return {name: values[chosen].tobytes() for name, values in columns.items() if name not in KEYS}


def test_columns_and_their_order():
    c = curve(CENTRAL, replicates=2)
    columns = runs(c, range(3, 6))
    assert list(columns) == [*KEYS, "regret", "active", "core", "width", "noise_scale", "misses"]
    types = {name: values.dtype for name, values in columns.items()}
    assert [types[name] for name in KEYS] == [np.int16, np.int32, np.int16, np.int64]
    assert all(types[name] == np.float64 for name in types if name not in KEYS)
    rounds = log_spaced(1000, 1)
    expected = [(p, s, r, t) for p in (0, 1) for s in (3, 4, 5) for r in (0, 1) for t in rounds]
    assert list(zip(*(columns[name].tolist() for name in KEYS), strict=True)) == expected
    assert all(len(values) == len(expected) for values in columns.values())
    assert np.isfinite([columns[name] for name in types]).all()
    assert (columns["regret"] >= 0).all()


@pytest.mark.parametrize("algorithm", [PLAIN, CENTRAL, LOCAL])
def test_chunks_do_not_matter(algorithm: str):
    c = curve(algorithm, replicates=2)
    whole = runs(c)
    for bounds in ((0, 1, 2, 3, 4, 5, 6), (0, 2, 4, 6), (0, 3, 6)):
        parts = [range(*pair) for pair in pairwise(bounds)]
        for part in reversed(parts):
            columns = runs(c, part)
            for seed in part:
                assert rows(columns, seed=seed) == rows(whole, seed=seed)


def test_a_further_point_changes_nothing_for_the_old_ones():
    c = curve(CENTRAL)
    more = replace(c, points=({"eps": 0.1}, *c.points))
    for point in range(len(c.points)):
        assert rows(runs(c), point=point) == rows(runs(more), point=point + 1)


def test_a_further_replicate_changes_nothing_for_the_old_ones_and_is_a_run_of_its_own():
    once, thrice = runs(curve()), runs(curve(replicates=3))
    assert rows(once, replicate=0) == rows(thrice, replicate=0)
    assert rows(thrice, replicate=1) != rows(thrice, replicate=0)
    assert rows(thrice, replicate=2) != rows(thrice, replicate=1)


def test_another_curve_before_changes_nothing():
    alone = runs(curve(CENTRAL))
    runs(curve(LOCAL))
    runs(curve(PLAIN))
    assert rows(alone, seed=3) == rows(runs(curve(CENTRAL)), seed=3)


def test_names_and_sizes_change_nothing_and_the_root_seed_does():
    c = curve()
    renamed = replace(c, paper="two2021", experiment="other", variant="wide", seeds=600, chunk=2, milliseconds=9.0)
    assert rows(runs(c), point=0) == rows(runs(renamed), point=0)
    assert rows(runs(c), point=0) != rows(runs(c, root_seed=2), point=0)


def test_curves_of_one_environment_share_their_instances(monkeypatch: pytest.MonkeyPatch):
    drawn: list[Any] = []
    draw = linear.draw
    monkeypatch.setattr(linear, "draw", lambda *args, **kwargs: drawn.append(draw(*args, **kwargs)) or drawn[-1])
    runs(curve(PLAIN), range(2))
    runs(curve(CENTRAL), range(1, 3))
    first, second = drawn[1], drawn[2]  # seed 1 of either
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(drawn[0][0], drawn[1][0])


def test_certified_curves_read_their_noise(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    assert calibrate(c, file) == 2
    noise = certified_noise(c, file)
    assert [entry["noise_scale"] for entry in noise] == pytest.approx([2.0, 0.2])
    columns = run_seeds(c, 1, range(2), noise)
    last = columns["noise_scale"][columns["t"] == 1000]
    assert set(last) <= {entry["noise_scale"] for entry in noise}
    printed = curve(CENTRAL)
    assert certified_noise(printed, None) == [{}, {}]


def test_curves_that_share_points_share_answers(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    calibrate(c, file)
    fewer = replace(c, points=c.points[1:])
    assert certified_noise(fewer, file) == certified_noise(c, file)[1:]


def test_noise_that_is_not_in_the_file_is_named(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    calibrate(replace(c, points=c.points[:1]), file)
    with pytest.raises(DamagedFile) as fault:
        certified_noise(c, file)
    request = '{"delta":0.0,"eps":10.0,"mechanism":"laplace","sensitivity":2.0}'
    assert str(fault.value) == f"{file}: holds no noise for {request}; delete it and run again"
    with pytest.raises(DamagedFile, match=r"gone\.json: cannot be read"):
        certified_noise(c, tmp_path / "gone.json")


def test_a_chunk_keeps_where_it_comes_from(tmp_path: Path):
    c, noise, out = curve(CENTRAL, "certified"), tmp_path / "noise.json", tmp_path / "chunk.parquet"
    calibrate(c, noise)
    simulate(c, 5, 2, 3, noise, "source digest", out)
    columns, provenance = read_table(out)
    assert set(columns["seed"]) == {2, 3}
    assert provenance["curve"] == json.loads(json.dumps(c.identity()))
    assert provenance["id"] == json_digest(c.identity())
    assert (provenance["source"], provenance["root_seed"], provenance["bit_generator"]) == ("source digest", 5, "PCG64")
    answers = sorted(entry["noise"] for entry in read_json(noise)["entries"])
    assert sorted(entry["noise_scale"] for entry in provenance["noise"]) == answers
    assert set(provenance["versions"]) == {"python", "numpy", "numba", "pyarrow"}
    again = tmp_path / "again.parquet"
    simulate(c, 5, 2, 3, noise, "source digest", again)
    assert again.read_bytes() == out.read_bytes()


def test_a_first_run_says_what_it_compiled_and_not_on_standard_output(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(stage, "cache_folder", lambda _: str(tmp_path / "kernels"))
    cold = runs(curve(PLAIN))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("compiled or loaded dpbandits.algorithms.phased_elimination in ")
    assert read_json(tmp_path / "kernels" / stage.COMPILED)["algorithm"] == f"dpbandits.algorithms.{PLAIN}"
    assert rows(cold, point=0) == rows(runs(curve(PLAIN)), point=0)
    assert capsys.readouterr().err == ""
