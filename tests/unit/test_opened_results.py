"""Which results a notebook shows."""

import os
from pathlib import Path

import pytest

from dpbandits.api.results import load_results
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures.results import last_places
from tests.shipped import ROOT

KEY = "hu2021"


def judged(root: Path, place: str, when: int) -> Path:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    os.utime(path, (when, when))
    return path


def test_they_are_those_of_the_scale_that_was_judged_last(tmp_path):
    committed = judged(tmp_path, f"figures/{KEY}/data/claims.json", 9)
    assert last_places(tmp_path, KEY)["claims"] == committed
    quick = judged(tmp_path, f"results/quick/claims/{KEY}.json", 5)
    judged(tmp_path, f"results/smoke/claims/{KEY}.json", 4)
    assert last_places(tmp_path, KEY)["claims"] == quick
    judged(tmp_path, f"results/full/claims/{KEY}.json", 6)
    assert last_places(tmp_path, KEY)["claims"] == committed


def test_without_any_it_says_what_to_run(tmp_path):
    with pytest.raises(ConfigError, match=f"figures/{KEY}/data/claims.json: does not exist yet. Run `make` first."):
        last_places(tmp_path, KEY)


def test_they_say_what_they_are(monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")
    found = load_results(KEY, "last")
    assert repr(found).startswith(f"<Results of hu2021 at the scale {found.scale}: ")
    places = last_places(ROOT, KEY)
    assert found.folders == places
    assert repr(load_results(KEY, folders=places)) == repr(found)
