"""The scale pilot leaves only forecasts, from which the seeds of the other scales are allocated."""

from pathlib import Path

import pytest
import yaml

from dpbandits.base.parquet import read_table
from dpbandits.config.plain_yaml import load_yaml

from .project import ALLOCATION, YAML, Copy, copy, reduce

PILOT = ("--cores", "2", "--config", "scale=pilot", "--quiet", "host")


@pytest.fixture
def piloted(tmp_path: Path) -> Copy:
    """A reduced copy with allocated seeds, except for one experiment without a pilot; its runs are short."""
    project = copy(tmp_path / "project", source=False)
    reduce(project)
    record = load_yaml(project.root / YAML, YAML)
    record["cpu_budget"] |= {"quick": 0.01, "full": 0.01}  # few seeds, hence few files
    for name, section in record["experiments"].items():
        size = section["size"]
        size["full"] = {**size["full"], "longest": 1000}
        size["quick"] = {**size["quick"], "longest": 1000}
        if name != "sensitivity":
            size["quick"] |= {"seeds": "allocated", "chunk": 4}
            size["full"] |= {"seeds": "allocated", "chunk": 4, "pilot": 8}
    project.write(record)
    return project


def test_a_pilot_plans_runs_tables_and_forecasts_and_nothing_else(piloted: Copy) -> None:
    planned = piloted.call("snakemake", *PILOT, "--dry-run")
    for rule in ("simulate_hanna2022_0", "aggregate_hanna2022_0", "pilot"):
        assert f"\n{rule} " in planned
    for rule in ("audit_0", "judge", "draw_hanna2022_0", "render_hanna2022", "report", "certificate"):
        assert f"\n{rule} " not in planned
    assert "results/smoke" not in planned
    assert "results/pilot/runs/hanna2022/figure2" in planned
    assert "sensitivity" not in planned
    says = piloted.call("snakemake", "--cores", "1", "--config", "scale=quick", "--dry-run", code=2)
    assert "dpbandits: config/allocations/hanna2022.yaml: does not exist" in says
    assert "Run `dpbandits allocate hanna2022`." in says


def test_papers_without_a_pilot_are_refused_in_one_line(tmp_path: Path) -> None:
    project = copy(tmp_path / "project", source=False)
    record = load_yaml(project.root / YAML, YAML)
    if any("pilot" in section["size"]["full"] for section in record["experiments"].values()):
        for section in record["experiments"].values():
            for scale in ("quick", "full"):
                section["size"][scale]["seeds"] = 2 * section["size"][scale]["chunk"]
            section["size"]["full"].pop("pilot", None)
        project.write(record)
    says = project.call("snakemake", *PILOT, code=2)
    line = "dpbandits: scale: no experiment of these papers has a `pilot`. Add it to its `size.full`."
    assert line in says.splitlines()


@pytest.mark.slow
def test_from_a_pilot_to_fresh_runs_with_allocated_seeds(piloted: Copy) -> None:
    piloted.call("snakemake", *PILOT)
    assert "Nothing to be done" in piloted.call("snakemake", *PILOT, "--dry-run")
    seeds = load_yaml(piloted.root / "config/config.yaml", "config/config.yaml")
    assert not (piloted.root / "results/curves").exists()
    chunks = sorted((piloted.root / "results/pilot/curves/hanna2022/figure2").rglob("*.parquet"))
    assert {read_table(chunk)[1]["root_seed"] for chunk in chunks} == {seeds["pilot_seed"]}
    piloted.call("dpbandits", "allocate", "hanna2022", "--pilot", "results/pilot")
    numbers = yaml.safe_load((piloted.root / ALLOCATION).read_text(encoding="utf-8"))
    project = piloted.project("quick")
    assert {name: project.papers["hanna2022"].experiments[name].size.quick.seeds for name in numbers["quick"]} == (
        numbers["quick"]
    )
    own = dict.fromkeys(numbers["quick"]["figure2"], 8)
    assert {"printed", "certified"} < set(own)
    piloted.revise("quick", "figure2", to={**own, "printed": 20}, file=ALLOCATION)
    table = "results/quick/tables/hanna2022/figure2.parquet"
    piloted.call("snakemake", table, "--cores", "2", "--config", "scale=quick", "--quiet", "host")
    rows = read_table(piloted.root / table)[0]
    for calibration, seeds in (("printed", 20), ("certified", 8)):
        assert set(rows["seed"][rows["calibration"] == calibration]) == set(range(seeds))
    fresh = sorted((piloted.root / "results/curves/hanna2022/figure2").rglob("*.parquet"))
    assert {read_table(chunk)[1]["root_seed"] for chunk in fresh} == {seeds["root_seed"]}
    piloted.revise("quick", "figure2", to={**own, "printed": 40}, file=ALLOCATION)
    planned = piloted.call(
        "snakemake", table, "--cores", "2", "--config", "scale=quick", "--quiet", "host", "--dry-run"
    )
    assert "simulate_hanna2022" in planned
