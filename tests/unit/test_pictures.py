"""Pictures of comparisons: places against values computed by hand."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from dpbandits.report.axes import LEAST, LINEAR, SPREAD, axis_of, groups, ticks, values_of
from dpbandits.report.pictures import (
    LEFT,
    RIGHT,
    RIM,
    STRIP_WIDTH,
    alternative,
    axis_picture,
    axis_words,
    picture,
    strips,
)
from tests.shipped import ROOT

WIDTH = RIGHT - LEFT
RECORDS = [
    record
    for file in sorted(ROOT.glob("figures/*/data/claims.json"))
    for record in json.loads(file.read_text(encoding="utf-8"))["records"]
]
GROUPS = [group for record in RECORDS for _, group in groups(record["details"])]


def detail(estimate, interval, allowed, equivalent=None, verdict="holds", reading="as said"):
    found = {"label": "linucb / ucb1 at eps = 1", "estimate": estimate, "interval": interval, "allowed": allowed}
    found["reading"] = reading
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
    assert (axis.low, axis.high) == pytest.approx((-0.6, 10.6))
    assert axis.scale == LINEAR
    assert [axis.at(value) for value in (0.0, 5.0, 10.0)] == pytest.approx([6.0, 56.0, 106.0])
    assert (axis.at(-99.0), axis.at(99.0)) == (0.0, 112.0)


def test_positive_values_far_apart_have_a_logarithmic_axis():
    """1 to 100: a tenth lies in the middle; the least ratio of 30 is logarithmic, a smaller one is not."""
    axis = axis_of([detail(10.0, [1.0, 100.0], [None, 50.0])], 0.0, 100.0)
    assert axis.scale.kind == "logarithmic"
    assert axis.low == pytest.approx(10.0**-0.12)
    assert axis.at(10.0) == pytest.approx(50.0)
    assert axis.at(-1.0) == 0.0
    assert axis_of([detail(1.0, [1.0, 30.0], [None, 2.0])], 0.0, 1.0).scale.kind == "logarithmic"
    assert axis_of([detail(1.0, [1.0, 29.0], [None, 2.0])], 0.0, 1.0).scale == LINEAR


def test_values_of_both_signs_far_apart_have_a_symmetric_axis():
    """Bounds at 1 on both sides of 0 and an estimate of 1000: as far from 0 as its opposite, and by the unit 1."""
    axis = axis_of([detail(one, [one, one], [-1.0, 1.0]) for one in (1000.0, -1000.0)], 0.0, 100.0)
    assert (axis.scale.kind, axis.scale.unit) == ("symmetric", 1.0)
    assert axis.at(0.0) == pytest.approx(50.0)
    for value in (0.5, 1.0, 30.0, 1000.0):
        assert axis.at(value) - 50.0 == pytest.approx(50.0 - axis.at(-value))
        assert axis.scale.value(axis.scale.measure(-value)) == pytest.approx(-value)
    # asinh(1) / asinh(1000) = 0.88137 / 7.60090, of the 50 less the free 6 in 112
    assert axis.at(1.0) - 50.0 == pytest.approx(0.88137 / 7.60090 * 50.0 / 1.12, abs=1e-3)
    assert axis.at(-1e9) == 0.0


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ([detail(1.0, [0.0, 29.0], [None, 1.0])], "linear"),
        ([detail(1.0, [0.0, 30.0], [None, 1.0])], "symmetric"),
        ([detail(9.0, [-0.001, 20.0], [None, 10.0])], "linear"),  # an end that happens to lie close to 0
        ([detail(-900.0, [-910.0, -890.0], [None, 0.0], [-2.0, 2.0])], "linear"),  # only the frame is narrow
        ([detail(one, [one, one], [None, 0.0]) for one in (-900.0, -3.0)], "symmetric"),
        ([detail(0.0, [0.0, 0.0], [None, 0.0])], "linear"),
    ],
)
def test_an_axis_is_symmetric_where_bounds_and_estimates_are_far_apart(details, kind):
    assert axis_of(details, 0.0, 1.0).scale.kind == kind


@pytest.mark.parametrize(("value", "ends"), [(4.0, (3.888, 4.112)), (0.0, (-0.56, 0.56)), (-4.0, (-4.112, -3.888))])
def test_a_single_value_lies_in_the_middle(value, ends):
    """The axis spans a twentieth of the value, or 1 around 0, with 6 % more on either side."""
    axis = axis_of([detail(value, [value, value], [None, value])], 0.0, 10.0)
    assert (axis.low, axis.high) == pytest.approx(ends)
    assert axis.at(value) == pytest.approx(5.0)


@pytest.mark.parametrize("size", [1e-6, 1.0, -3.0, 4e5])
def test_equal_numbers_look_equal(size):
    """Rounding is not seen, a thousandth is less than a fiftieth of the strip, and a tenth is most of it."""

    def distance(share):
        close = detail(size * (1.0 + share), [size * (1.0 + share)] * 2, [None, size])
        strip = drawn(strips([close])[0])
        return abs(float(strip["dot"][0].get("cx")) - float(re.match(r"M([\d.]+)", strip["bound"][0].get("d"))[1]))

    assert distance(1e-9) == 0.0
    assert 0.0 < distance(1e-3) <= 0.001 / LEAST * STRIP_WIDTH
    assert distance(0.1) > 0.8 * STRIP_WIDTH


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


def test_all_comparisons_of_a_group_share_an_axis():
    """0 to 10 and 5 to 20: the axis goes from -1.2 to 21.2 over the strip's width less 4 on either side."""
    details = [detail(5.0, [0.0, 10.0], [None, 10.0]), detail(10.0, [5.0, 20.0], [None, 10.0])]
    places = [float(drawn(strip)["dot"][0].get("cx")) for strip in strips(details)]
    width = STRIP_WIDTH - 8
    assert places == pytest.approx([4 + 6.2 / 22.4 * width, 4 + 11.2 / 22.4 * width], abs=0.05)
    bounds = [drawn(strip)["bound"][0].get("d") for strip in strips(details)]
    assert bounds == [f"M{4 + 11.2 / 22.4 * width:.1f} 0V16"] * 2
    assert strips([]) == []


def test_an_axis_is_said_in_words():
    symmetric = [detail(100.0, [100.0, 100.0], [-1.0, 1.0])]
    assert axis_words([detail(5.0, [0.0, 10.0], [None, 20.0])]) == "-1.2 to 21.2"
    assert axis_words([detail(10.0, [1.0, 100.0], [None, 50.0])]) == "0.7586 to 131.8, logarithmic"
    assert axis_words(symmetric).endswith(", linear near 0 and logarithmic beyond")
    assert 'aria-label="axis from -1.2 to 21.2"' in axis_picture([detail(5.0, [0.0, 10.0], [None, 20.0])])
    assert "axis linear near 0 and logarithmic beyond</text>" in picture(symmetric[0])
    assert "axis" not in picture(detail(5.0, [0.0, 10.0], [None, 20.0]))


@pytest.mark.parametrize(
    ("details", "labels"),
    [
        ([detail(5.0, [0.0, 10.0], [None, 20.0])], ["0", "10", "20"]),
        ([detail(1.0, [1.0, 1.0], [None, 1.000000001])], ["0.98", "0.99", "1", "1.01", "1.02"]),
        ([detail(10.0, [1.0, 100.0], [None, 50.0])], ["1", "10", "100"]),
        ([detail(one, [one, one], [-1.0, 1.0]) for one in (-900.0, 900.0)], ["-1000", "-10", "0", "10", "1000"]),
    ],
)
def test_ticks_are_round_numbers(details, labels):
    texts = drawn(axis_picture(details))["text"]
    assert [text.text for text in texts] == labels


def test_ticks_of_every_committed_record_are_readable():
    """Three to five in the frame, each at its number, with labels that lie in the frame and apart."""
    assert len(GROUPS) > 900
    for group in GROUPS:
        axis = axis_of(group, RIM, STRIP_WIDTH - RIM)
        found = ticks(axis, STRIP_WIDTH)
        assert 3 <= len(found) <= 5, axis
        assert all(axis.low <= tick.value <= axis.high for tick in found), axis
        assert all(0.0 <= tick.start < tick.end <= STRIP_WIDTH for tick in found), axis
        assert all(tick.start - 1e-9 <= tick.place <= tick.end + 1e-9 for tick in found), axis
        assert all(one.end + 5.0 < two.start for one, two in pairwise(found)), axis
        assert all(float(tick.label.replace(",", "")) == pytest.approx(tick.value, abs=1e-12) for tick in found), axis
        path = drawn(axis_picture(group))["bound"][0].get("d")
        assert [float(place) for place in re.findall(r"M([\d.]+) 23v", path)] == pytest.approx(
            [tick.place for tick in found], abs=0.051
        )


def test_long_labels_are_fewer():
    huge = axis_of([detail(one, [one, one], [None, 0.0]) for one in (-4.1e8, 4.3e8)], RIM, STRIP_WIDTH - RIM)
    found = ticks(huge, STRIP_WIDTH)
    assert 1 <= len(found) <= 3
    assert all(one.end < two.start for one, two in pairwise(found))


def order(one, other):
    return (one > other) - (one < other)


def test_no_committed_estimate_is_drawn_on_the_wrong_side_of_its_bound():
    """The order of places is that of numbers; strictly, on paper as well, from a difference of one in a hundred on."""
    compared = 0
    for group in GROUPS:
        axis = axis_of(group, RIM, STRIP_WIDTH - RIM)
        for one, strip in zip(group, strips(group), strict=True):
            shown = drawn(strip)
            bounds = [bound for bound in one["allowed"] if bound is not None]
            lines = [float(x) for x in re.findall(r"M([\d.]+)", shown["bound"][0].get("d"))] if bounds else []
            assert len(lines) == len(bounds), "every bound is drawn"
            assert all(RIM < line < STRIP_WIDTH - RIM for line in lines), "and none at the rim"
            values = sorted(set(values_of(one)))
            assert all(axis.at(low) <= axis.at(high) for low, high in pairwise(values)), one
            if one["estimate"] is None:
                continue
            dot = float(shown["dot"][0].get("cx"))
            for bound, line in zip(bounds, lines, strict=True):
                wanted = order(one["estimate"], bound)
                assert order(dot, line) in (wanted, 0), one
                if abs(one["estimate"] - bound) > 0.01 * max(abs(one["estimate"]), abs(bound)):
                    compared += 1
                    assert order(dot, line) == wanted, one
    assert compared > 5000


def test_readings_and_units_have_axes_of_their_own():
    """A regret and its exponent are parts of one reading, and ratios with bounds of 1 and 1.05 are alike."""
    regrets = [detail(one, [one, one], [0.0, None], reading="rate") for one in (2e5, 1e5)]
    exponents = [detail(one, [one, one], [-0.65, -0.35], reading="rate") for one in (-0.5, -0.4)]
    ratios = [detail(0.9, [0.8, 1.0], [None, bound], reading="falls") for bound in (1.05, 1.0)]
    found = groups([regrets[0], exponents[0], *ratios, regrets[1], exponents[1]])
    assert found == [("rate", regrets), ("rate", exponents), ("falls", ratios)]
    assert groups([]) == []
    others = [detail(0.9, [0.8, 1.0], [None, 1.0], reading=reading) for reading in ("a", "b")]
    assert groups(others) == [("a", others[:1]), ("b", others[1:])], "readings alike have axes of their own as well"


def test_no_committed_axis_is_shared_by_numbers_of_other_sizes():
    """Where the allowed ranges of a group differ, its comparisons are of sizes less than `SPREAD` from the first."""
    differing = 0
    for record in RECORDS:
        found = groups(record["details"])
        assert sorted(map(id, record["details"])) == sorted(id(one) for _, group in found for one in group)
        for reading, (first, *others) in found:
            for other in others:
                assert other["reading"] == reading
                if other["allowed"] != first["allowed"]:
                    differing += 1
                    sizes = sorted(max(map(abs, values_of(one))) for one in (first, other))
                    assert sizes[1] < SPREAD * sizes[0]
    assert differing > 20


def test_an_epsilon_that_nothing_bounds_is_an_arrow_beyond_the_right_end():
    found = {"label": "a: eps = 10", "reading": "r", "estimate": None, "interval": [None, None], "allowed": [None, 1.0]}
    one = {**found, "label": "a: eps = 1", "estimate": 1.5, "interval": [1.5, 1.7], "verdict": "fails"}
    infinite, _ = strips([{**found, "verdict": "fails"}, one])
    undefined, _ = strips([{**found, "verdict": "unclear"}, one])

    def start(strip):
        return float(re.search(r'class="line" d="M([\d.]+) ', strip)[1])

    end = float(re.search(r'viewBox="0 0 (\d+)', infinite)[1])
    assert start(infinite) > 0.9 * end
    assert start(undefined) < 0.1 * end
