"""`make setup` rebuilds an environment that was copied, moved, or is not whole; nothing is installed here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpbandits.cli.main import main
from tests.faults.table import injects
from tests.shipped import ROOT

WHOLE, LACKING, GONE = "exit 0", 'case "$2" in tools/*) exit 1;; esac', "exit 1"
"""What stands for Python: all is there, files of packages are missing, the package is missing."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with a finished environment of its own."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    places = tmp_path / ".venv/bin"
    places.mkdir(parents=True)
    for lock in ("requirements-uv.lock", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / lock, tmp_path)
    (places / "uv").touch()
    (tmp_path / ".venv/folder").write_text(str(tmp_path), encoding="utf-8")
    (tmp_path / ".venv/ready").touch()
    python(tmp_path, WHOLE)
    return tmp_path


def python(folder: Path, does: str) -> None:
    path = folder / ".venv/bin/python"
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    path.chmod(0o755)


def planned(folder: Path, goal: str = "setup") -> str:
    """What `make` would do."""
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}
    found = subprocess.run(["make", "-n", goal], cwd=folder, env=alone, capture_output=True, text=True, check=True)
    return found.stdout


def test_a_finished_environment_stays(clone):
    assert "Nothing to be done" in planned(clone)


@pytest.mark.parametrize(("goal", "says"), [("setup", "lacks files of packages"), ("site", None)])
def test_files_of_packages_are_looked_for_where_setup_is_asked_for(clone, goal, says):
    python(clone, LACKING)
    found = planned(clone, goal)
    assert (says in found) if says else "rebuilt" not in found


@pytest.mark.parametrize("goal", ["setup", "quick"])
def test_an_environment_without_its_python_is_rebuilt(clone, goal):
    python(clone, GONE)
    assert "lacks its Python or packages" in planned(clone, goal)
    (clone / ".venv/bin/python").unlink()
    assert "lacks its Python or packages" in planned(clone, goal)


@injects(
    "`.venv` is unfinished or lacks files",
    tried="`ready`, Python or files of packages removed",
    happens="`make setup` says so and rebuilds it",
    do="nothing",
)
def test_an_unfinished_environment_is_rebuilt_though_its_first_file_is_there(clone):
    (clone / ".venv/ready").unlink()
    assert ".venv is unfinished and is rebuilt" in planned(clone)


@pytest.mark.parametrize("name", ["other", "with a space"])
@injects(
    "the clone is copied or moved",
    tried="`.venv` of another folder",
    happens="`make` says so and rebuilds it; the command of another clone refuses the project",
    do="nothing",
)
def test_a_copied_and_a_moved_environment_are_rebuilt(clone, name):
    copied = shutil.copytree(clone, clone.parent / f"{clone.name} {name}")
    found = planned(copied)
    assert ".venv was made for another folder and is rebuilt" in found
    assert found.index("rm -rf .venv") < found.index("-m venv .venv")
    assert "Nothing to be done" in planned(clone)


def test_an_environment_of_the_user_is_left(clone):
    """It has neither mark: packages are added to it, and it is marked as that of this folder."""
    for mark in ("folder", "ready"):
        (clone / ".venv" / mark).unlink()
    found = planned(clone)
    assert "rm -rf" not in found
    assert f"printf '%s' \"{clone}\" > .venv/folder" in found


def test_an_environment_from_before_there_was_a_note_of_its_folder_is_left(clone):
    (clone / ".venv/folder").unlink()
    assert "Nothing to be done" in planned(clone)


def test_the_command_of_another_checkout_refuses_a_project_with_a_package(tmp_path):
    (tmp_path / "config").mkdir()
    shutil.copy(ROOT / "config/config.yaml", tmp_path / "config")
    (tmp_path / "src/dpbandits").mkdir(parents=True)
    (tmp_path / "src/dpbandits/__init__.py").touch()
    found = CliRunner().invoke(main, ["--project", str(tmp_path), "list", "papers"])
    assert found.exit_code == 2
    assert found.stderr.startswith(f"dpbandits: {tmp_path}: has its own package, but this command uses ")
    assert found.stderr.endswith(" Run `make setup`.\n")
