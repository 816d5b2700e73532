"""The repository stays small: what is committed, and in which formats."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dpbandits.base.digests import file_digest
from dpbandits.base.storage import CHECKSUMS
from tests.shipped import COMMITTED, ROOT, shipped

MOST = 30e6  # bytes of all committed files
LARGEST = 2e6  # bytes of one committed file


@pytest.fixture(scope="module")
def committed():
    """The committed files, with their sizes."""
    command = ["git", "ls-files", "-z"]
    asked = (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False) if shutil.which("git") else None
    )
    if asked is None or asked.returncode or not asked.stdout:
        pytest.skip("this folder is not a git repository that may be read")
    listed = asked.stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {path.relative_to(ROOT): path.stat().st_size for path in paths if path.is_file()}


def test_all_files_together_are_small(committed):
    assert sum(committed.values()) < MOST
    assert {str(path): size for path, size in committed.items() if size > LARGEST} == {}


def test_figures_are_svg_and_their_numbers_are_not_there_twice(committed):
    kinds = {path.suffix for path in committed if path.parts[0] == "figures"}
    assert kinds == {".svg", ".json", ".parquet", ".txt"}
    pages = "".join(
        (ROOT / path).read_text(encoding="utf-8")
        for path in committed
        if path.suffix == ".md" and path.parts[0] != "data"
    )
    embedded = set(re.findall(r"[\w-]+\.png", pages))
    assert [path for path in committed if path.suffix == ".png" and path.name not in embedded] == []


def test_one_manifest_has_the_digests_of_all_data(committed):
    figures = ROOT / "figures"
    lines = (figures / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    listed = dict(reversed(line.split("  ")) for line in lines)
    data = [path for path in committed if path.parts[0] == "figures" and path.parts[2:3] == ("data",)]
    assert listed == {path.relative_to("figures").as_posix(): file_digest(ROOT / path) for path in data}
    assert {name.split("/")[0] for name in listed} == set(COMMITTED)
    assert [path for path in committed if path.parts[0] == "figures" and path.suffix == ".sha256"] == []


@pytest.mark.parametrize("paper", COMMITTED)
def test_every_figure_of_the_configuration_is_there(paper, committed):
    pictures = {Path("figures") / paper / f"{name}.svg" for name in shipped("full").papers[paper].pictures}
    assert {path for path in committed if path.parent == Path("figures") / paper} == pictures
