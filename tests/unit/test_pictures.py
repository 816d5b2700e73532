"""Pictures of comparisons: places against values computed by hand."""

import re
from xml.etree import ElementTree

import pytest

from dpbandits.report.pictures import LEFT, RIGHT, STRIP_WIDTH, alternative, axis_of, axis_words, picture, strips

WIDTH = RIGHT - LEFT


def detail(estimate, interval, allowed, equivalent=None, verdict="holds"):
    found = {"label": "linucb / ucb1 at eps = 1", "estimate": estimate, "interval": interval, "allowed": allowed}
    return found | {"verdict": verdict} | ({"equivalent": equivalent} if equivalent else {})


def drawn(text):
    """Elements of a picture by their names and classes."""
    root = ElementTree.fromstring(text)  # noqa: S314 - our own drawing
    found = {}
    for element in root:
        found.setdefault(element.get("class") or element.tag, []).append(element)
    return found


def test_a_linear_axis_leaves_six_hundredths_free_on_both_sides():
    """Values from 0 to 10: the axis goes from -0.6 to 10.6, so that 5 lies in its middle and 0 at 0.6 / 11.2."""
    axis = axis_of([detail(5.0, [4.0, 6.0], [0.0, 10.0])], 0.0, 112.0)
    assert (axis.low, axis.high, axis.logarithmic) == pytest.approx((-0.6, 10.6, False))
    assert [axis.at(value) for value in (0.0, 5.0, 10.0)] == pytest.approx([6.0, 56.0, 106.0])
    assert (axis.at(-99.0), axis.at(99.0)) == (0.0, 112.0)


def test_positive_values_far_apart_have_a_logarithmic_axis():
    """1 to 100: a tenth lies in the middle; the least ratio of 30 is logarithmic, a smaller one and a zero are not."""
    axis = axis_of([detail(10.0, [1.0, 100.0], [None, 50.0])], 0.0, 100.0)
    assert axis.logarithmic
    assert axis.low == pytest.approx(10.0**-0.12)
    assert axis.at(10.0) == pytest.approx(50.0)
    assert axis.at(-1.0) == 0.0
    assert axis_of([detail(1.0, [1.0, 30.0], [None, 2.0])], 0.0, 1.0).logarithmic
    assert not axis_of([detail(1.0, [1.0, 29.0], [None, 2.0])], 0.0, 1.0).logarithmic
    assert not axis_of([detail(1.0, [0.0, 99.0], [None, 2.0])], 0.0, 1.0).logarithmic


@pytest.mark.parametrize(("value", "ends"), [(4.0, (2.0, 6.0)), (0.0, (-1.0, 1.0)), (-4.0, (-6.0, -2.0))])
def test_a_single_value_lies_in_the_middle(value, ends):
    axis = axis_of([detail(value, [value, value], [None, value])], 0.0, 10.0)
    assert (axis.low, axis.high) == ends
    assert axis.at(value) == 5.0


def test_an_interval_inside_its_range():
    """Between 0 and 10, estimate 5, interval 4 to 6."""
    found = drawn(picture(detail(5.0, [4.0, 6.0], [0.0, 10.0])))

    def place(value):
        return LEFT + (value + 0.6) / 11.2 * WIDTH

    (box,), (dot,), (line,) = found["allowed"], found["dot"], found["line"]
    assert float(box.get("x")) == pytest.approx(place(0.0), abs=0.05)
    assert float(box.get("width")) == pytest.approx(place(10.0) - place(0.0), abs=0.05)
    assert float(dot.get("cx")) == pytest.approx(place(5.0), abs=0.05)
    start, end = re.match(r"M([\d.]+) 35H([\d.]+)", line.get("d")).groups()
    assert [float(start), float(end)] == pytest.approx([place(4.0), place(6.0)], abs=0.05)
    texts = {text.text: (float(text.get("x")), text.get("text-anchor")) for text in found["text"]}
    assert set(texts) == {"0", "10", "4", "6"}
    assert texts["4"] == (pytest.approx(place(4.0), abs=0.05), "end")
    assert texts["6"] == (pytest.approx(place(6.0), abs=0.05), "start")
    assert "equal" not in found


def test_an_end_without_bound_has_an_arrow_and_reaches_the_rim():
    found = drawn(picture(detail(2.0, [1.0, None], [None, 3.0])))
    (box,), (line,) = found["allowed"], found["line"]
    assert float(box.get("x")) == LEFT
    assert f"H{RIGHT:.1f}" in line.get("d")
    assert f"M{RIGHT - 5:.1f} 30L{RIGHT:.1f} 35l-5 5" in line.get("d"), "an arrow head to the right"
    assert "≤ 3" in picture(detail(2.0, [1.0, None], [None, 3.0]))
    assert "∞" in picture(detail(2.0, [1.0, None], [None, 3.0]))
    assert "≥ 3" in picture(detail(2.0, [1.0, 2.0], [3.0, None]))


def test_a_range_of_equivalence_is_framed():
    """Values from -4 to 4, so that the axis goes from -4.48 to 4.48."""
    (frame,) = drawn(picture(detail(-3.0, [-4.0, -2.0], [None, 0.0], [-4.0, 4.0])))["equal"]
    assert float(frame.get("x")) == pytest.approx(LEFT + 0.48 / 8.96 * WIDTH, abs=0.05)
    assert float(frame.get("width")) == pytest.approx(8.0 / 8.96 * WIDTH, abs=0.1)


def test_a_number_in_closed_form_is_a_dot_beside_its_bound():
    """2 against at most 1: the axis goes from 0.94 to 2.06."""
    found = drawn(picture(detail(2.0, [2.0, 2.0], [None, 1.0], verdict="fails")))
    assert "line" not in found
    assert float(found["dot"][0].get("cx")) == pytest.approx(LEFT + 1.06 / 1.12 * WIDTH, abs=0.05)


def test_what_is_undefined_has_no_dot():
    found = drawn(picture(detail(None, [None, None], [None, 1.0], verdict="unclear")))
    assert "dot" not in found
    assert "undefined" in picture(detail(None, [None, None], [None, 1.0], verdict="unclear"))


def test_the_picture_has_an_alternative_in_words():
    one = detail(1.018, [1.011, 1.024], [0.95, 1.05])
    assert alternative(one) == "LinUCB / UCB1 at eps = 1: 1.018 interval 1.011, 1.024; allowed: 0.95 to 1.05; holds"
    root = ElementTree.fromstring(picture(one | {"label": 'a < "b"'}))  # noqa: S314 - our own drawing
    assert root.get("role") == "img"
    assert root.get("aria-label").startswith('a < "b": 1.018')


def test_all_comparisons_of_a_record_share_an_axis():
    """0 to 10 and 5 to 20: the axis goes from -1.2 to 21.2 over the strip's width less 4 on either side."""
    details = [detail(5.0, [0.0, 10.0], [None, 10.0]), detail(10.0, [5.0, 20.0], [None, 10.0])]
    places = [float(drawn(strip)["dot"][0].get("cx")) for strip in strips(details)]
    width = STRIP_WIDTH - 8
    assert places == pytest.approx([4 + 6.2 / 22.4 * width, 4 + 11.2 / 22.4 * width], abs=0.05)
    assert axis_words(details) == "-1.2 to 21.2"
    assert axis_words([detail(10.0, [1.0, 100.0], [None, 50.0])]) == "0.7586 to 131.8, logarithmic"
    assert strips([]) == []
