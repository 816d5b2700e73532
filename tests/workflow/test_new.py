"""The algorithm and the paper of CONTRIBUTING.md in a copy of the project: they plan, pass the contracts, and run."""

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dpbandits.base.storage import read_json
from dpbandits.skeletons.families import FAMILIES
from tests.shipped import PAPERS, ROOT
from tests.unit.test_contributing import COMMANDS

from .project import Copy, copy

ALGORITHM, PAPER = (tuple(command.split()) for command in COMMANDS[:2])
CHOSEN = ("--cores", "2", "--config", "scale=smoke", "papers=fresh2099")


@pytest.fixture
def extended(tmp_path: Path) -> Copy:
    """A copy with both, which reads all papers in its folder."""
    project = copy(tmp_path / "project", source=True, papers=[*PAPERS, "fresh2099"])
    for command in (ALGORITHM, PAPER):
        project.call(*command)
    return project


def run_tests(project: Copy, *selected: str) -> str:
    """Run tests in the copy; return their output."""
    shutil.copytree(
        ROOT / "tests", project.root / "tests", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    return project.call(sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-m", "not slow", *selected)


def test_they_load_and_plan(extended: Copy) -> None:
    """A run of the paper has a job of every stage, and no notebook of its own."""
    assert "fresh_ucb" in extended.call("dpbandits", "list", "algorithms")
    assert "fresh2099/figure1" in extended.call("dpbandits", "list", "experiments")
    plan = extended.call("snakemake", "--dry-run", *CHOSEN)
    for stage in (
        "simulate_fresh2099_0",
        "aggregate_fresh2099_0",
        "audit_0",
        "judge",
        "draw_fresh2099_0",
        "render_fresh2099",
        "report",
    ):
        assert f"rule {stage}:" in plan, stage


def test_the_next_commands_of_every_family_are_accepted(tmp_path: Path) -> None:
    """The command printed by `new algorithm` writes a paper, and all these papers load and plan."""
    keys = {family: f"fresh{2090 + number}" for number, family in enumerate(FAMILIES)}
    project = copy(tmp_path / "project", source=True, papers=[*PAPERS, *keys.values()])
    printed = together(project, [f"new algorithm fresh_{family} --family {family}" for family in FAMILIES])
    commands = re.findall(r"dpbandits (new paper KEY .*?) +#", printed)
    assert len(commands) == len(FAMILIES)
    together(project, [command.replace("KEY", keys[command.split("fresh_")[1]]) for command in commands])
    plan = project.call("snakemake", "--dry-run", "--cores", "2", "--config", "scale=smoke", *papers_of(keys))
    for key in keys.values():
        for stage in (f"simulate_{key}_0", f"aggregate_{key}_0", f"render_{key}"):
            assert f"rule {stage}:" in plan, stage


def papers_of(keys: Mapping[str, str]) -> list[str]:
    return [f"papers={','.join(keys.values())}"]


def together(project: Copy, commands: Sequence[str]) -> str:
    """Run commands of dpbandits in one process of the copy; return their output."""
    script = "import sys; from dpbandits.cli.main import main\n"
    script += "for each in sys.argv[1:]: main(each.split(), standalone_mode=False)"
    return project.call(sys.executable, "-c", script, *commands)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["linucb", "semi_bandit"])
def test_a_copy_of_another_family_and_its_paper_pass_the_contracts(tmp_path: Path, family: str) -> None:
    project = copy(tmp_path / "project", source=True, papers=[*PAPERS, "fresh2099"])
    project.call("dpbandits", "new", "algorithm", "fresh_copy", "--family", family)
    project.call("dpbandits", "new", "paper", "fresh2099", "--algorithm", "fresh_copy")
    own = ("tests/unit/test_fresh_copy.py", "tests/unit/test_configuration_fresh2099.py", "tests/unit/test_pens.py")
    said = run_tests(project, "tests/contracts", *own, "-k", "fresh_copy or fresh2099 or test_looks")
    assert "passed" in said
    assert "skipped" not in said


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
