"""Which results a notebook shows that is opened by hand."""

import os
from pathlib import Path

import pytest

from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures.results import last_places, open_results
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


def test_a_notebook_says_which_it_shows(monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "notebooks")
    found = open_results(KEY)
    place = "figures/hu2021/data" if found.scale == "full" else f"results/{found.scale}/claims"
    assert capsys.readouterr().out == f"Results of the scale {found.scale}, from {place}\n"
    assert found.figures == ROOT / "results/notebooks" / KEY
