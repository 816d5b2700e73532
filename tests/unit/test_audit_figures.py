"""Pictures of the audit show what the records say."""

import math

import pytest
from matplotlib.colors import to_hex

from dpbandits.figures import audit


def record(**changes):
    found = {
        "audit": "hu2021/sums",
        "algorithm": "lazy_ucb",
        "calibration": "printed",
        "point": {"eps": 1.0},
        "eps": 1.0,
        "delta": 0.0,
        "levels": [1.0, 1.0],
        "lower": 0.9,
        "tightness": 0.9,
        "cap": 7.2,
        "trials": 20000,
        "power": [{"trials": 100, "lower": 0.0, "cap": 2.5}, {"trials": 10000, "lower": 0.9, "cap": 7.2}],
        "verdict": "consistent",
        "proven": True,
    }
    return found | changes


RECORDS = [
    record(),
    record(eps=10.0, point={"eps": 10.0}, levels=[20.0, None], lower=12.0, tightness=1.2, verdict="violated"),
    record(algorithm="adap_ucb"),
    record(audit="hu2021/tree", algorithm="tree_ucb", levels=[0.0, 1.5], lower=0.0, tightness=0.0),
]


def dots(axes, marker):
    return [line for line in axes.lines if line.get_marker() == marker]


def shown(figure):
    return [axes for axes in figure.axes if axes.axison]


def test_levels_have_a_panel_for_every_audit_and_a_legend_where_algorithms_differ():
    first, second = shown(audit.audited_levels(RECORDS, "title", []))
    assert (first.get_title(loc="left"), second.get_title(loc="left")) == ("sums", "tree: DP-UCB")
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["lazy UCB", "AdaP-UCB"]
    assert second.get_legend() is None


def test_levels_are_drawn_as_they_are_and_at_the_frame_where_they_do_not_fit():
    first, second = shown(audit.audited_levels(RECORDS, "title", []))
    top, bottom = 10.0 * audit.ROOM, 1.0 / audit.ROOM
    assert [list(map(float, line.get_ydata())) for line in dots(first, "o")] == [[1, 1], [20, top], [1, 1]]
    assert [float(line.get_ydata()[0]) for line in dots(first, "^")] == [0.9, 12.0, 0.9]
    assert [list(map(float, line.get_ydata())) for line in dots(second, "o")] == [[bottom, 1.5]]
    assert dots(second, "^") == []  # nothing is shown by runs


@pytest.mark.parametrize(("calibration", "face"), [("certified", "white"), ("printed", audit.PALETTE[0])])
def test_certified_noise_is_hollow(calibration, face):
    (axes,) = shown(audit.audited_levels([record(calibration=calibration)], "title", []))
    assert dots(axes, "o")[0].get_markerfacecolor() == face


def test_the_table_of_verdicts_has_a_cell_for_every_budget_that_is_claimed():
    (axes,) = audit.audit_verdicts(RECORDS, "title", []).axes
    assert [text.get_text() for text in axes.texts] == ["✓ 1 | 0.9", "✗ ≥ 2 | 1.2", "✓ 1 | 0.9", "✓ 1.5 | 0"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "sums: lazy UCB",
        "sums: AdaP-UCB",
        "tree: DP-UCB",
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10"]
    colours = [to_hex(cell.get_facecolor()[0]) for cell in axes.collections]
    proven, broken = audit.COLOURS["consistent"], audit.COLOURS["violated"]
    assert colours == [proven, broken, proven, audit.OPEN]


def test_power_is_shown_at_the_level_nearest_to_one_and_over_the_claimed_one():
    first, second = shown(audit.audit_power(RECORDS, "title", []))
    assert first.get_title(loc="left").endswith(" = 1")
    bound, most = (list(map(float, line.get_ydata())) for line in first.lines[:2])
    assert (bound, most) == ([audit.LEAST, 0.9], [2.5, 7.2])
    assert len(second.lines) == 3


def test_rows_have_every_record():
    found = audit.rows(RECORDS)
    assert [row["most_level"] for row in found] == [1.0, "inf", 1.0, 1.5]
    assert found[1]["setting"] == "eps=10"
    assert not any(isinstance(value, float) and math.isinf(value) for row in found for value in row.values())
