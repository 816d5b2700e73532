"""The page of licenses lists what the locks pin, with the licenses that installed packages state."""

from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.markers import Marker

from tests import tools
from tests.shipped import ROOT

LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"}


@pytest.fixture
def tool():
    """tools/licenses.py as a module."""
    return tools.tool("licenses")


def page():
    return (ROOT / "docs/reference/licenses.md").read_text(encoding="utf-8")


def test_it_lists_what_the_locks_pin(tool):
    """Else: make setup-dev setup-slurm setup-peers, then python tools/licenses.py --write."""
    assert set(tool.LOCKS) == {path.name for path in ROOT.glob("requirements*.lock")}
    assert page() == tool.page(tool.listed(page()))
    names = {(lock, name) for lock, name, _ in tool.listed(page())}
    for lock in tool.LOCKS:
        lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
        pinned = [line.partition("==")[0] for line in lines if line[:1].strip()]
        assert pinned
        assert {name for kept, name in names if kept == lock} == set(pinned)


def test_a_new_version_of_a_package_shows(tool, monkeypatch):
    kept = tool.pins
    monkeypatch.setattr(tool, "pins", lambda lock: [(name, f"{version}.1", mark) for name, version, mark in kept(lock)])
    assert page() != tool.page(tool.listed(page()))


def test_a_license_is_missing_only_where_another_platform_or_python_is_needed(tool):
    found = tool.listed(page())
    for lock in tool.LOCKS:
        for name, version, marker in tool.pins((ROOT / lock).read_text(encoding="utf-8")):
            said = found[lock, name, version]
            assert said != "not stated", name
            if said == tool.UNKNOWN:
                here = {**LINUX, "python_version": "3.11", "python_full_version": "3.11.0"}
                assert marker, name
                assert not Marker(marker).evaluate(here), name


def test_licenses_are_those_of_the_installed_packages(tool):
    """The environment that runs the tests may lack the packages for clusters and the peers."""
    found = tool.listed(page())
    installed = tool.licenses()
    assert len([lock for lock, *_ in installed if lock == "requirements.lock"]) > 100
    assert {place: said for place, said in installed.items() if found[place] not in (said, tool.UNKNOWN)} == {}


@pytest.mark.parametrize(
    ("lines", "file", "said"),
    [
        (["License-Expression: MIT", "License: BSD", "Classifier: License :: Public Domain"], "", "MIT"),
        (["License: BSD", "Classifier: License :: OSI Approved :: MIT License"], "", "MIT License"),
        (["License: W3C", "Classifier: License :: OSI Approved"], "", "W3C"),
        (
            ["Classifier: License :: OSI Approved :: MIT License", "Classifier: License :: Public Domain"],
            "",
            "MIT License, Public Domain",
        ),
        (["License: MIT License", "        ", "        Copyright (c) 2026"], "", "MIT License"),
        ([], "\nMIT License\n\nCopyright", "MIT License (from its license file)"),
        ([], "", "not stated"),
    ],
)
def test_the_license_of_a_package(tool, tmp_path: Path, lines, file, said):
    folder = tmp_path / "one-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", "Name: one", "Version: 1.0", *lines, "", ""]))
    (folder / "RECORD").write_text("one-1.0.dist-info/LICENSE,,\n" if file else "one-1.0.dist-info/METADATA,,\n")
    (folder / "LICENSE").write_text(file)
    assert tool.license_of(Distribution.at(folder)) == said
