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


def test_targets_of_make_exist():
    targets = set(re.findall(r"make ([a-z-]+)", TEXT))
    known = set(re.findall(r"^([a-z -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert targets <= {target for line in known for target in line.split()}


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 65
