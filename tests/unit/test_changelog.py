"""CHANGELOG.md has the form of Keep a Changelog, and its last release is the version of the project."""

import re
import tomllib

import yaml

from tests.shipped import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_its_form():
    first, *releases = re.findall(r"^## (.*)$", TEXT, re.M)
    assert first == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", release) for release in releases)
    assert set(re.findall(r"^### (.*)$", TEXT, re.M)) <= KINDS


def test_the_last_release_is_the_version_that_is_cited():
    (version, day), *_ = re.findall(r"^## \[(\d.*)\] - (.*)$", TEXT, re.M)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version == cited["version"] == project["version"]
    assert day == str(cited["date-released"])
