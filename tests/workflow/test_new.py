"""The algorithm and the paper of CONTRIBUTING.md in a copy of the project: they plan, pass the contracts, and run."""

import shutil
import sys
from pathlib import Path

import pytest

from dpbandits.base.storage import read_json
from tests.shipped import PAPERS, ROOT
from tests.unit.test_contributing import COMMANDS

from .project import Copy, copy

ALGORITHM, PAPER = (tuple(command.split()) for command in COMMANDS[:2])
CHOSEN = ("--cores", "2", "--config", "scale=smoke", "papers=fresh2099")


@pytest.fixture
def extended(tmp_path: Path) -> Copy:
    """A copy with both, which reads all papers of its folder."""
    project = copy(tmp_path / "project", source=True, papers=[*PAPERS, "fresh2099"])
    for command in (ALGORITHM, PAPER):
        project.call(*command)
    return project


def run_tests(project: Copy, *selected: str) -> str:
    """Run tests in the copy; their output."""
    shutil.copytree(
        ROOT / "tests", project.root / "tests", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    return project.call(sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-m", "not slow", *selected)


def test_they_load_and_plan(extended: Copy) -> None:
    """A run of the paper has a job of every stage, and no notebook of its own."""
    assert "fresh_ucb" in extended.call("dpbandits", "list", "algorithms")
    assert "fresh2099/figure1" in extended.call("dpbandits", "list", "experiments")
    plan = extended.call("snakemake", "--dry-run", *CHOSEN)
    for stage in ("simulate_fresh2099_0", "aggregate_fresh2099_0", "audit_0", "judge", "render_fresh2099", "report"):
        assert f"rule {stage}:" in plan, stage


@pytest.mark.slow
def test_both_pass_the_contracts(extended: Copy) -> None:
    own = ("tests/unit/test_fresh_ucb.py", "tests/unit/test_configuration_fresh2099.py")
    said = run_tests(extended, "tests/contracts", *own, "-k", "fresh_ucb or fresh2099")
    assert "passed" in said
    assert "skipped" not in said


@pytest.mark.slow
def test_an_algorithm_without_a_paper_passes_with_its_audit_and_digests_skipped(tmp_path: Path) -> None:
    project = copy(tmp_path / "project", source=True, papers=PAPERS)
    project.call(*ALGORITHM)
    said = run_tests(project, "tests/contracts", "tests/golden/test_golden_digests.py", "-k", "fresh_ucb or recorded")
    assert "no paper plays fresh_ucb; `dpbandits new paper KEY --algorithm fresh_ucb`" in said
    assert "fresh_ucb: no digest in digests.json" in said


@pytest.mark.slow
def test_the_paper_runs_from_end_to_end(extended: Copy) -> None:
    extended.call("snakemake", *CHOSEN)
    smoke = extended.root / "results/smoke"
    (record,) = read_json(smoke / "claims/fresh2099.json")["records"]
    assert (record["id"], record["verdict"]) in {("fresh2099/C1", verdict) for verdict in ("holds", "unclear")}
    assert {each["verdict"] for each in read_json(smoke / "audit/fresh2099.json")["records"]} == {"consistent"}
    assert (smoke / "report/fresh2099.html").is_file()
