"""Examples in docstrings run and print what they say."""

import doctest
from importlib import import_module

import pytest

from dpbandits.base.digests import SOURCE_ROOT
from tests.shipped import ROOT

MODULES = [
    ".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SOURCE_ROOT / "dpbandits").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module(module, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0
    assert found.failed == 0


def test_examples_are_found():
    assert "dpbandits.api.playing" in MODULES
