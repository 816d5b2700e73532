"""The entry of the command `dpbandits` starts the package, or says in a line why it cannot."""

import importlib
import os
import subprocess
import sys
import tomllib

import pytest

from tests.faults.table import injects
from tests.shipped import ROOT

START = "import dpbandits_command; dpbandits_command.main()"


def call(*arguments, before=""):
    """Start the entry with another folder first on the path of Python."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (before, str(ROOT / "src"))))}
    command = [sys.executable, "-c", START, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_the_installed_command_is_the_entry():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, function = scripts["dpbandits"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert f"import {module}; {module}.{function}()" == START


def test_the_entry_starts_the_command():
    found = call("list", "papers")
    assert (found.returncode, found.stderr) == (0, "")
    assert "chen2020" in found.stdout
    assert call("--help").stdout.startswith("Usage: dpbandits ")


@injects(
    "`PYTHONPATH` has another package named dpbandits, and a single command is called",
    tried="an empty package, a module of that name",
    happens="the command names it and ends",
    do="remove its folder from `PYTHONPATH`",
)
@pytest.mark.parametrize("name", ["dpbandits/__init__.py", "dpbandits.py"])
def test_another_package_of_the_name_is_named(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    found = call("list", before=str(tmp_path))
    where = tmp_path / name.split("/")[0]
    said = f"dpbandits: {where} is another package. Remove its folder from PYTHONPATH.\n"
    assert (found.returncode, found.stdout, found.stderr) == (2, "", said)
