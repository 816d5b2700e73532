"""`dpbandits --version` names the version of the code that runs, whatever is installed."""

import importlib.metadata
import tomllib

import pytest
from click.testing import CliRunner

from dpbandits.cli.main import main
from dpbandits.stages import provenance
from tests.shipped import ROOT

INSTALLED = "9.9.9"


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    monkeypatch.setattr(provenance, "version", lambda _: INSTALLED)


def test_the_command_prints_the_version_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.output) == (0, f"dpbandits {project['version']}\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[project]\nname = "dpbandits"\nversion = "1.2.3"\n', "1.2.3"),
        ('[project]\nname = "other"\nversion = "1.2.3"\n', INSTALLED),
        ("[tool.ruff]\n", INSTALLED),
        (None, INSTALLED),
    ],
)
def test_outside_of_the_project_it_is_the_installed_one(tmp_path, text, expected):
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert provenance.release(tmp_path / "src") == expected


def test_nothing_says_the_version(tmp_path, monkeypatch):
    def missing(_):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(provenance, "version", missing)
    assert provenance.release(tmp_path / "src") == "of unknown version"
