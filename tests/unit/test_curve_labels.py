"""Curves whose ends are apart are named beside them; a legend names all others."""

import numpy as np
import pytest

from dpbandits.figures import layout, style
from dpbandits.figures.kinds import regret_growth

from .lines import lines
from .small import CENTRAL, LOCAL, PLAIN

X = np.array([0.1, 1.0, 10.0])


def curve(height, x=X):
    return {"eps": x, **{name: np.full(len(x), height) for name in ("mean", "low", "high")}}


def drawn(**panels):
    return regret_growth.draw(lines(panels), "eps", "title", [])


def labels_of(figure):
    return {text.get_text(): text for text in figure.axes[-1].texts}


def legends_of(figure):
    return [[text.get_text() for text in legend.get_texts()] for legend in figure.legends]


def test_curves_that_end_apart_are_named_beside_their_ends():
    figure = drawn(a={PLAIN: curve(10.0), CENTRAL: curve(1000.0)}, b={PLAIN: curve(20.0), CENTRAL: curve(500.0)})
    figure.draw_without_rendering()
    assert legends_of(figure) == []
    axes, found = figure.axes[-1], labels_of(figure)
    assert list(found) == ["non-private", "central"]
    for label, height in (("non-private", 20.0), ("central", 500.0)):
        box, (_, end) = found[label].get_window_extent(), axes.transData.transform((10.0, height))
        assert (box.y0 + box.y1) / 2 == pytest.approx(end, abs=1.5)
        assert axes.bbox.x1 < box.x0 < box.x1 < figure.bbox.x1
    assert found["central"].get_color() == style.legible(style.COLORS["central"])


def test_a_line_across_is_named_as_well():
    across = {"eps": np.array([np.nan]), **{name: np.array([10.0]) for name in ("mean", "low", "high")}}
    assert list(labels_of(drawn(a={CENTRAL: curve(1000.0), PLAIN: across}))) == ["central", "non-private"]


CLOSE = {PLAIN: curve(10.0), LOCAL: curve(11.0), CENTRAL: curve(1000.0)}
SHORT = {PLAIN: curve(10.0), CENTRAL: curve(1000.0, X[:2])}
PANELS = {name: {PLAIN: curve(10.0), CENTRAL: curve(1000.0)} for name in "abcd"}


@pytest.mark.parametrize(
    "panels",
    [
        pytest.param({"a": CLOSE}, id="two end at one place"),
        pytest.param({"a": SHORT}, id="one ends before the edge"),
        pytest.param({"a": PANELS["a"], "b": {PLAIN: curve(10.0)}}, id="one is missing in the last panel"),
        pytest.param(
            {name: {PLAIN: curve(10.0), "cucb_dp_least": curve(500.0)} for name in "abc"},
            id="a long name and several panels",
        ),
    ],
)
def test_other_curves_have_a_legend(panels):
    figure = drawn(**panels)
    (legend,) = legends_of(figure)
    assert len(legend) == len({name for own in panels.values() for name in own})
    assert labels_of(figure) == {}


def test_panels_in_two_rows_have_a_legend():
    with style.style():
        figure = layout.canvas(8.0, 6.0)
        for axes in figure.subplots(2, 2).flat:
            axes.plot([0.0, 1.0], [0.0, 1.0], label="x")
            axes.set_xlim(0.0, 1.0)
        layout.told_apart(figure, layout.Margins())
    assert legends_of(figure) == [["x"]]


def test_words_beside_a_curve_are_dark_enough_to_read():
    """A contrast of 4.5 with white, as WCAG 2.2 has it for small text."""
    for color in style.COLORS.values():
        parts = np.array(list(bytes.fromhex(style.legible(color)[1:]))) / 255.0
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5, color
