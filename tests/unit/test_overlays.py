"""Values of a figure out of its SVG."""

import pytest

from dpbandits.report.overlays import Overlay, Value, overlay

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="20pt" height="10pt" viewBox="0 0 20 10">'
CIRCLE = '<circle cx="1.5" cy="2" r="4" fill="none"><title>central: ε = 1, regret &lt; 5</title></circle>'


def test_values_are_read_with_their_places():
    described = "<desc>Bands: 95 %.\nHolds: C1.</desc>"
    lines = '<g class="lines"><circle cx="9" cy="9" r="9"/></g>'
    found = overlay(f'{HEAD}{described}{lines}<g class="values">{CIRCLE}</g></svg>')
    assert found == Overlay("0 0 20 10", "Bands: 95 %.", (Value(1.5, 2.0, 4.0, "central: ε = 1, regret < 5"),))
    assert found.size == ("20", "10")


def test_a_figure_without_the_group_has_no_values_and_one_without_a_description_no_notes():
    found = overlay(f"{HEAD}<g/></svg>")
    assert (found.values, found.notes) == ((), "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no picture", r"is not an SVG \(syntax error"),
        ("<html/>", "is not an SVG with a viewBox of four numbers"),
        (f"{HEAD.replace('viewBox', 'box')}</svg>", "is not an SVG with a viewBox of four numbers"),
        (f'{HEAD}<g class="values">{CIRCLE.replace("title", "desc")}</g></svg>', "lacks its position or its text"),
        (f'{HEAD}<g class="values">{CIRCLE.replace("cx", "x")}</g></svg>', "lacks its position or its text"),
        (f'{HEAD}<g class="values">{CIRCLE.replace("r=", "rx=")}</g></svg>', "lacks its position or its text"),
    ],
)
def test_what_is_no_figure_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        overlay(text)
