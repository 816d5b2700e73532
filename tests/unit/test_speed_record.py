"""The record of `make bench`: faults are named, standings are right, and the pictures show the numbers."""

import copy
import json
from itertools import pairwise

import pytest

from dpbandits.base.storage import DamagedFile
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures import files, values
from dpbandits.figures.kinds import speed
from dpbandits.stages import report as stage
from dpbandits.text.speed import NOTHING, RATIOS, bound, check, counted, of_goal, standing

from .. import committed_site

RECORD = committed_site.RATIOS


def changed(*keys, to):
    record = inner = copy.deepcopy(RECORD)
    for key in keys[:-1]:
        inner = inner[key]
    if to is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = to
    return record


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ([], r"\(top\): got \[\]; must be a mapping"),
        (changed("growth", to=None), "growth: required key is missing. Add it."),
        (
            changed("kernels", 0, "sides", 1, "ratio", to=None),
            r"kernels\[0\]\.sides\[1\]\.ratio: required key is missing. Add it.",
        ),
        (
            changed("kernels", 0, "sides", 1, "ratio", to=0),
            r"kernels\[0\]\.sides\[1\]\.ratio: got 0; must be > 0",
        ),
        (changed("kernels", 0, "sides", 1, "ratio", to="4"), r"\.ratio: got '4'; must be a number"),
        (changed("kernels", 0, "sides", 1, "ratio", to=float("nan")), r"\.ratio: got nan"),
        (
            changed("kernels", 0, "sides", 1, "high", to=4.2),
            r"sides\[1\]\.ratio: got 4.5; must lie between low and high",
        ),
        (changed("kernels", 0, "seconds", to=1.5), r"kernels\[0\]\.seconds: unknown key. Use one of: left_out, name"),
        (changed("growth", 1, "costs", to=[1.0, 2.0]), r"growth\[1\]\.costs: got 2 entries; must have 3"),
        (changed("pipeline", 0, "better", to="most"), r"better: got 'most'; must be one of: less, more"),
    ],
)
def test_a_damaged_record_gives_one_line(tmp_path, record, says):
    path = tmp_path / "ratios.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"^{RATIOS}: .*{says}") as fault:
        stage.speed_record(path)
    assert "\n" not in str(fault.value)


def test_a_record_that_is_no_json_is_named(tmp_path):
    (tmp_path / "ratios.json").write_text('{"kernels": [', encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"ratios\.json: is not JSON"):
        stage.speed_record(tmp_path / "ratios.json")


def test_a_sound_record_is_taken():
    check(RECORD, RATIOS)


@pytest.mark.parametrize(
    ("value", "required", "target", "better", "found"),
    [
        (0.65, 0.4, 0.65, "more", "reached"),
        (0.64, 0.4, 0.65, "more", "met"),
        (0.4, 0.4, 0.65, "more", "met"),
        (0.39, 0.4, 0.65, "more", "missed"),
        (0.39, 0.4, 0.3, "less", "met"),
        (0.41, 0.4, 0.3, "less", "missed"),
        (0.3, 0.4, 0.3, "less", "reached"),
        (5.0, None, None, "more", ""),
        (5.0, None, 6.0, "more", ""),
        (1.9, 1.8, None, "more", "met"),
    ],
)
def test_standings(value, required, target, better, found):
    assert standing(value, required, target, better) == found


def test_words():
    assert [of_goal(goal) for goal in RECORD["pipeline"]] == ["missed", "met"]
    assert counted(["met", "met", "", "missed"]) == "0 targets reached, 2 requirements met, 1 missed"
    assert [bound(None), bound(3), bound(0.1, "less")] == ["", "at least 3", "at most 0.1"]


def drawn(axes, label):
    """The marks with a label."""
    return [line for line in axes.lines if line.get_label() == label]


def test_ratios_requirements_and_targets_are_where_the_record_has_them():
    figure = speed.ratios(RECORD["kernels"])
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    looks = speed.looks(RECORD["kernels"])
    assert len({(look.color, look.marker) for look in looks.values()}) == len(looks) == 3
    sides = [side for kernel in RECORD["kernels"] for side in kernel["sides"]]
    for name in ("ratio", "required", "target"):
        shown = [(*line.get_xdata(), line.get_color()) for line in drawn(axes, name)]
        assert shown == [(side[name], looks[side["label"]].color) for side in sides if side[name] is not None]
    faces = [line.get_markerfacecolor() for line in drawn(axes, "ratio")]
    assert [face == "white" for face in faces] == [False, False, False, True], "the last one is below what is required"
    spreads = [
        tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2 and line.get_xdata()[0] != 1
    ]
    assert spreads == [(side["low"], side["high"]) for side in sides]


def test_every_side_has_a_line_of_its_own_within_the_row_of_its_family():
    figure = speed.ratios(RECORD["kernels"])
    (axes,) = figure.axes
    heights = [float(line.get_ydata()[0]) for line in drawn(axes, "ratio")]
    assert heights == sorted(heights)
    assert all(b - a > 0.1 for a, b in pairwise(heights))
    names = [text.get_text() for text in axes.texts]
    assert names == ["UCB1", "K = 10 & Bernoulli rewards", "LinUCB", "d = 5"]
    end = speed.SIDE * 3 + speed.GAP
    assert heights[2] < end < heights[3]


def test_values_say_what_a_mark_stands_for():
    figure = speed.ratios(RECORD["kernels"])
    figure.draw_without_rendering()
    said = values.group(figure)
    assert said.count("<circle") == 4
    assert "UCB1 against C loop: 0.71 [0.66, 0.74], required at least 0.4, target at least 0.65: reached" in said
    assert "UCB1 against a loop: 150 [148, 151]<" in said


def test_growth_is_relative_to_the_first_place():
    lines = [*RECORD["growth"], {**RECORD["growth"][0], "name": "linucb", "title": "LinUCB", "places": [2, 4, 8]}]
    figure = speed.growth(lines)
    first, second = figure.axes
    assert {axes.get_xscale() for axes in figure.axes} == {axes.get_yscale() for axes in figure.axes} == {"log"}
    assert [line.get_label() for line in first.lines][:2] == ["T: 1.00", "seeds: 1.00"]
    assert list(first.lines[0].get_xdata()) == [1, 10, 100]
    assert list(first.lines[0].get_ydata()) == [1.0, 9.8, 98.5]
    assert list(second.lines[0].get_xdata()) == [1, 2, 4]
    assert list(second.lines[-1].get_ydata()) == [1, 4], "cost in proportion, for comparison"
    figure.draw_without_rendering()
    assert "UCB1: T = 10,000, cost 9.8 times that at 1,000" in values.group(figure)


def test_without_a_record_the_pictures_say_so(tmp_path):
    for figure in (speed.ratios([]), speed.growth([]), speed.ratios([{**RECORD["kernels"][0], "sides": []}])):
        assert [text.get_text() for text in figure.texts] == [NOTHING]
        files.save(figure, tmp_path / "x")
        assert stage.overlay_of(tmp_path / "x.svg").values == ()


def test_long_settings_are_cut():
    figure = speed.ratios([{**RECORD["kernels"][0], "setting": "d = 15, " * 20}])
    setting = figure.axes[0].texts[1].get_text()
    assert len(setting) <= speed.LETTERS
    assert setting.endswith(" ..")
