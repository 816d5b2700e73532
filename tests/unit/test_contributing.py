"""CONTRIBUTING.md shows what is there: its commands write the files that it lists, and its paths and targets exist."""

import re
from pathlib import Path

import pytest

from dpbandits.skeletons.algorithms import algorithm_files
from dpbandits.skeletons.papers import paper_files

ROOT = Path(__file__).resolve().parents[2]
OWN_NAMES = {"my_ucb": "fresh_ucb", "azize2022": "fresh2099"}
"""In place of the names of the example: who follows it has these already."""
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
for shown, own in OWN_NAMES.items():
    TEXT = TEXT.replace(shown, own)
COMMANDS = [line.strip() for line in TEXT.splitlines() if line.startswith("    ")]
"""The example, which tests/workflow/test_new.py runs."""
LISTED = re.findall(r"^\| `([^`]+)` \|", TEXT, re.M)
PACKAGE = ROOT / "src/dpbandits"
TEST_FINDINGS = "tests/unit/test_findings.py"


def test_the_files_that_it_lists_are_those_that_its_commands_write(tmp_path):
    algorithm, paper, run = (command.split() for command in COMMANDS)
    assert (algorithm[:3], algorithm[4]) == (["dpbandits", "new", "algorithm"], "--family")
    assert (paper[:3], paper[4]) == (["dpbandits", "new", "paper"], "--algorithm")
    assert run == ["make", "smoke", f"PAPER={paper[3]}"]
    assert paper[5] == algorithm[3]
    written = [*algorithm_files(algorithm[3], algorithm[5]), *paper_files(tmp_path, paper[3], "anytime_lazy_ucb")]
    assert written == LISTED


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w./-]+/[\w./<>-]*)`", TEXT)) - set(LISTED)))
def test_paths_exist(name):
    """A path is given from the root or from the package; of a name in angle brackets its folder is there."""
    place = name.partition("<")[0]
    place = place if "<" not in name else place.rpartition("/")[0]
    there = any((base / place).exists() for base in (ROOT, PACKAGE))
    assert there or place == ".snakemake/planned.json"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"python -m ([\w.]+)", TEXT))))
def test_modules_that_it_runs_exist(name):
    assert (ROOT / f"{name.replace('.', '/')}.py").is_file()


def test_the_files_of_the_example_are_six_at_most_and_it_names_what_publishing_takes():
    assert len(LISTED) < 6
    assert "notebooks/<key>.ipynb" in TEXT
    section = TEXT.split("## What publishing takes")[1].partition("\n## ")[0]
    for command in (
        "python -m tests.golden.test_golden_digests --write <name>",
        "python -m tests.golden.test_curve_ids --write",
        "python -m tests.workflow.smoke_record --write",
        "pytest tests/statistical/test_mutants.py",
    ):
        assert f"`{command}`" in section
    for file in (TEST_FINDINGS, "tests/unit/test_audit_verdicts.py", "src/dpbandits/report/findings/<key>.md"):
        assert f"`{file}`" in section


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (TEST_FINDINGS, "PAPERS"),
        ("tests/unit/test_audit_verdicts.py", "VERDICTS"),
        ("tests/statistical/studies/__init__.py", "STUDIES"),
    ],
)
def test_the_lists_that_publishing_extends_exist(file, name):
    assert f"`{name}` of `{file}`" in TEXT
    assert re.search(rf"^{name} = ", (ROOT / file).read_text(encoding="utf-8"), re.M)


def test_targets_of_make_exist():
    targets = set(re.findall(r"make ([a-z-]+)", TEXT))
    known = set(re.findall(r"^([a-z -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert targets <= {target for line in known for target in line.split()}


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 80
