"""How costs grow with seeds: small cases are measured in processes, and the record has growth and goals."""

import json
import sys

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import record, seeds, timing
from benchmarks.papers import Cost
from dpbandits.base.parquet import read_table
from dpbandits.config.models.speed import RatiosFile
from dpbandits.planning import cluster

FOUND = {
    "aggregate": [Cost(0.2, 300.0), Cost(2.0, 330.0), Cost(6.2, 340.0), Cost(21.0, 363.0)],
    "judge": [Cost(0.5, 320.0), Cost(4.0, 330.0), Cost(12.0, 400.0), Cost(32.0, 450.0)],
    "draw": [Cost(1.0, 300.0), Cost(1.2, 300.0), Cost(1.1, 300.0), Cost(1.5, 300.0)],
    "simulate": [Cost(11.0, 300.0), Cost(31.0, 310.0)],
    "aggregate_all": [Cost(1.0, 300.0), Cost(6.4, 330.0)],
}


SMALL = 300  # megabytes of a process that has loaded the configuration and the libraries
SCRATCH = 45  # megabytes by which two measurements of bounded memory may differ


@pytest.mark.slow
def test_processes_hold_less_than_their_jobs_ask_for_and_seeds_cost_no_memory():
    """Aggregated are 20,000 seeds in place of 5,000, whose runs in memory would be 70 MB more."""
    found = seeds.measured({"aggregate": (5000, 20_000), "judge": (100, 1000)})
    one, many = (each.megabytes for each in found["aggregate"])
    numbers = cluster.numbers_of_chunk(seeds.one_curve(seeds.CHUNK))
    assert numbers == 14 * 31 * 1000
    assert many <= one + SCRATCH
    assert one - SMALL <= cluster.BYTES_PER_NUMBER * numbers / 1e6
    few, more = (each.megabytes for each in found["judge"])
    assert more - few <= cluster.BYTES_PER_RUN * 900 * 130 / 1e6 + 20


def test_what_is_measured_is_aggregated_and_judged(tmp_path):
    made = (
        ("aggregate", 1000, ["runs", "summary"]),
        ("aggregate_all", 10, ["runs", "summary"]),
        ("judge", 10, ["claims"]),
        ("draw", 10, ["figures"]),
    )
    cells = sum(len(curve.points) for curve in seeds.played_curves(10))
    for name, count, files in made:
        folder = tmp_path / name
        folder.mkdir()
        seeds.prepare(name, count, folder)
        seeds.play(name, count, folder)
        assert set(files) <= {path.stem for path in folder.iterdir()}
        assert 0 < float((folder / seeds.SPENT).read_text(encoding="utf-8")) < 1000
    every, _ = read_table(tmp_path / "aggregate_all/runs.parquet")
    assert every["seed"].tolist() == list(range(10)) * cells
    runs, _ = read_table(tmp_path / "aggregate/runs.parquet")
    assert runs["seed"].tolist() == list(range(1000)) * 14
    records = json.loads((tmp_path / "judge/claims.json").read_text(encoding="utf-8"))["records"]
    assert {each["n"] for each in records} == {10}


def test_simulated_chunks_are_those_that_are_aggregated(tmp_path):
    for name, folder in (("simulate", tmp_path / "runs"), ("aggregate_all", tmp_path / "drawn")):
        folder.mkdir()
        seeds.prepare(name, 3, folder)
        if name == "simulate":
            seeds.play(name, 3, folder)
    played, drawn = (
        {path.relative_to(tmp_path / name): path for path in (tmp_path / name).rglob("*.parquet")}
        for name in ("runs", "drawn")
    )
    assert played.keys() == drawn.keys()
    for name, path in played.items():
        (runs, _), (like, _) = read_table(path), read_table(drawn[name])
        assert {key: each.dtype for key, each in runs.items()} == {key: each.dtype for key, each in like.items()}
        assert (runs["t"] == like["t"]).all()


def test_chunks_and_tables_are_those_of_the_curves(tmp_path):
    curve = seeds.one_curve(2000)
    paths = seeds.write_chunks(curve, tmp_path)
    columns, _ = read_table(paths[1])
    assert len(paths) == 2
    assert np.unique(columns["seed"]).tolist() == list(range(1000, 2000))
    assert columns["regret"].size == cluster.numbers_of_chunk(curve)
    seeds.write_runs(30, tmp_path / "runs.parquet")
    runs, _ = read_table(tmp_path / "runs.parquet")
    assert runs["seed"].size == cluster.runs_of(seeds.own_curves(30)) == 3900
    cells = {name: runs[name].reshape(-1, 30) for name in ("algorithm", "calibration", "eps", "seed")}
    assert all((cells[name] == cells[name][:, :1]).all() for name in ("algorithm", "calibration"))
    assert (cells["seed"] == np.arange(30)).all()


def test_lines_and_goals_fit_the_record():
    lines, goals = seeds.lines(FOUND), seeds.goals(FOUND)
    RatiosFile.model_validate({"kernels": [], "growth": lines, "pipeline": goals})
    assert [(line["name"], line["axis"]) for line in lines] == [
        (name, axis) for name in FOUND for axis in ("seeds", "seeds (memory)")
    ]
    assert lines[0]["places"] == [1000, 10_000, 30_000, 100_000]
    assert lines[0]["costs"] == pytest.approx([1.0, 10.0, 31.0, 105.0])
    assert lines[0]["exponent"] == pytest.approx(1.01, abs=0.01)
    assert lines[1]["costs"] == pytest.approx([1.0, 1.1, 340 / 300, 1.21])
    values = {goal["name"]: goal["value"] for goal in goals}
    assert values == pytest.approx(
        {
            "aggregate_seeds": 1.05,
            "judge_seeds": 0.8,
            "aggregate_memory": 1.1,
            "judge_memory": 450 / 330,
            "draw_seeds": 1.25,
            "after_runs": (0.0006 + 31.5 / 99_000) / 0.01,
            "judge_time": 0.2,
            "aggregate_request": 363 / cluster.to_hold([seeds.one_curve(1000)]),
            "judge_request": 450 / (2000 + 520),
        }
    )


def test_the_command_writes_both(tmp_path, monkeypatch, capsys):
    path = tmp_path / "ratios.json"
    monkeypatch.setattr(seeds, "measured", lambda: FOUND)
    monkeypatch.setattr(command, "growths", lambda *_: [])
    for part in ("seeds", "growth"):
        monkeypatch.setattr(sys, "argv", ["benchmarks", part, "--out", str(path)])
        command.main()
    kept = record.read(path)
    assert [line["name"] for line in kept["growth"]] == [name for name in FOUND for _ in range(2)]
    assert len(kept["pipeline"]) == 9
    assert "100,000 seeds    21.00 s    363 MB" in capsys.readouterr().out


def test_the_seconds_are_those_of_the_work_on_the_machine_that_goals_name(monkeypatch, tmp_path):
    """Not those of the process, which also starts and reads the configuration."""
    paces = iter((1.5, 2.5))
    monkeypatch.setattr(timing, "slowness", lambda: next(paces))
    monkeypatch.setattr(seeds, "cost", lambda *_: Cost(99.0, 123.0))
    (tmp_path / seeds.SPENT).write_text("10.0\n", encoding="utf-8")
    assert seeds.turn("judge", 10, tmp_path) == Cost(5.0, 123.0)
