"""README.md is one page, and what it shows is what comes out."""

import importlib.util
import re
import shlex

import pytest

from tests.shipped import ROOT

from .test_cli import call

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)
CONSOLE = re.findall(r"^\$ (.*)$", TEXT, re.M)
NUMBER = re.compile(r"-?\d+\.\d+|(?<![\w#.-])-?\d+(?![\w.])")


def test_it_is_one_page():
    assert len(TEXT.splitlines()) <= 150


def test_the_screen_is_that_of_the_committed_results():
    (screen,) = re.findall(r"^```text\n(.*?)^```$", TEXT, re.M | re.S)
    assert screen == (ROOT / "tests/unit/screens/summary-80.txt").read_text(encoding="utf-8")


def test_the_figure_is_that_of_the_example(tmp_path, monkeypatch):
    """Its numbers may differ in the last digits on another machine. Else: python tools/readme_figure.py."""
    specification = importlib.util.spec_from_file_location("readme_figure", ROOT / "tools/readme_figure.py")
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    assert tool.example() == PYTHON[0]
    assert len([line for line in PYTHON[0].splitlines() if line]) <= 5
    monkeypatch.chdir(ROOT)
    drawn = tmp_path / "drawn.svg"
    tool.draw(drawn)
    path = re.compile(r' d="([^"]*)"')
    lines, committed = (path.findall(p.read_text(encoding="utf-8")) for p in (drawn, tool.IMAGE))
    numbers, expected = (
        [float(each) for line in found for each in NUMBER.findall(line)] for found in (lines, committed)
    )
    assert numbers == pytest.approx(expected, abs=0.5)


def test_the_audit_finds_the_missing_half_of_the_noise(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_module.py").write_text(PYTHON[1], encoding="utf-8")
    (line,) = (each for each in CONSOLE if each.startswith("dpbandits audit"))
    audited = call(ROOT, *shlex.split(line)[1:])
    assert audited.exit_code == 1
    assert audited.stdout.startswith("VIOLATED")


def test_every_paper_has_its_page():
    papers = sorted(path.stem for path in (ROOT / "docs/papers").glob("*.md") if path.stem != "index")
    assert papers == sorted(re.findall(r"^\| \[.*\]\(docs/papers/(\w+)\.md\)", TEXT, re.M))
