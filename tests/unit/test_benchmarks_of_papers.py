"""How planning grows with papers: the copies are projects, and the record has growth and goals."""

import sys

import pytest
import yaml

from benchmarks import __main__ as command
from benchmarks import papers, record, timing
from benchmarks.papers import Cost
from dpbandits.config.loading import load_project
from dpbandits.config.models.speed import RatiosFile

TIMES = (1, 10, 30, 100)
FOUND = {
    "plan_quick": [Cost(2.0, 120.0), Cost(12.0, 330.0), Cost(36.0, 600.0), Cost(90.0, 1900.0)],
    "plan_full": [Cost(3.0, 130.0), Cost(15.0, 300.0), Cost(45.0, 700.0)],
    "node": [Cost(1.5, 115.0), Cost(1.5, 115.0), Cost(1.6, 115.0), Cost(2.1, 115.0)],
}


def test_a_copy_has_every_paper_so_many_times(tmp_path):
    keys = papers.copies(2, tmp_path)
    assert len(keys) == len(set(keys)) == 2 * papers.PAPERS
    project = load_project(tmp_path, {"scale": "full"})
    assert set(project.papers) == set(keys)
    assert "hannaaa2022" in keys
    one, other = project.papers["hanna2022"], project.papers["hannaaa2022"]
    assert list(one.experiments) == list(other.experiments)
    assert one.allocated == other.allocated
    for folder in ("audits/papers", "figures/papers"):
        assert (tmp_path / f"src/dpbandits/{folder}/hannaaa2022.py").is_file()
    assert yaml.safe_load((tmp_path / "config/config.yaml").read_text(encoding="utf-8"))["papers"] == keys


def test_a_command_costs_time_and_memory_and_a_fault_is_said(tmp_path):
    (tmp_path / "src").mkdir()
    block = "x = bytearray(10**8); sum(range(10**7))"
    found = papers.cost([sys.executable, "-c", block], tmp_path)
    assert found.seconds > 0.05
    assert found.megabytes > 100
    with pytest.raises(RuntimeError, match="no such thing"):
        papers.cost([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path)


def test_lines_of_growth_are_relative_and_fit_the_record():
    lines = papers.lines(FOUND, TIMES)
    assert [line["places"] for line in lines[::2]] == [[5, 50, 150, 500], [5, 50, 150], [5, 50, 150, 500]]
    assert [line["axis"] for line in lines] == ["papers", "papers (memory)"] * 3
    assert lines[1]["costs"] == pytest.approx([1.0, 2.75, 5.0, 1900 / 120])
    assert lines[0]["costs"] == [1.0, 6.0, 18.0, 45.0]
    assert lines[0]["low"] == pytest.approx(0.761, abs=1e-3)  # of the last step
    assert lines[0]["high"] == pytest.approx(0.778, abs=1e-3)  # of the first
    RatiosFile.model_validate({"kernels": [], "growth": lines, "pipeline": papers.goals(FOUND, TIMES)})


def test_goals_compare_plans_with_what_is_asked_of_them():
    found = {goal["name"]: goal["value"] for goal in papers.goals(FOUND, TIMES)}
    assert found == pytest.approx(
        {"plan_10": 0.8, "plan_30": 0.8, "plan_100": 0.5, "plan_memory_10": 1.1, "plan_memory_100": 0.95, "node": 1.4}
    )
    few = {name: costs[:2] for name, costs in FOUND.items()}
    assert [goal["name"] for goal in papers.goals(few, TIMES[:2])] == ["plan_10", "plan_memory_10", "node"]


def test_the_command_writes_both_and_other_parts_keep_them(tmp_path, monkeypatch, capsys):
    path = tmp_path / "ratios.json"
    record.write_part(path, "pipeline", [record.goal("start_up", "Start", 0.1, 0.2)], whole=True)
    monkeypatch.setattr(papers, "measured", lambda: FOUND)
    monkeypatch.setattr(command, "growths", lambda *_: [])
    for part in ("papers", "growth"):
        monkeypatch.setattr(sys, "argv", ["benchmarks", part, "--out", str(path)])
        command.main()
    kept = record.read(path)
    assert [line["name"] for line in kept["growth"]] == [name for name in FOUND for _ in range(2)]
    assert [goal["name"] for goal in kept["pipeline"]][:2] == ["start_up", "plan_10"]
    assert "36.0 s  600 MB" in capsys.readouterr().out


def test_seconds_are_those_of_the_machine_that_goals_name(monkeypatch, tmp_path):
    paces = iter((1.5, 2.5))
    monkeypatch.setattr(timing, "slowness", lambda: next(paces))
    monkeypatch.setattr(papers, "cost", lambda *_: Cost(10.0, 123.0))
    assert papers.timed(["plan"], tmp_path) == Cost(5.0, 123.0)
