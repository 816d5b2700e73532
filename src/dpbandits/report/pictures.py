"""Draw comparisons as small SVG figures: an interval against the range that a claim allows."""

from collections.abc import Sequence
from html import escape

from dpbandits.report.axes import Axis, Detail, axis_of, ticks
from dpbandits.text.text import interval, is_infinite, number, range_of, readable, worded

WIDTH, HEIGHT, NOTE = 360, 68, 14
"""Size of the figure of a decisive comparison with its labels, and height of the note on a nonlinear axis."""
LEFT, RIGHT = 80.0, 280.0
"""Left and right end of the axis; the margins hold labels at its ends."""
STRIP_WIDTH, STRIP_HEIGHT, AXIS_HEIGHT = 260, 16, 24
"""Size of a strip, which has no labels, and height of the axis above strips."""
RIM = 4.0
"""Margin on both sides of the axis of strips."""


def _ends(pair: Sequence[float | None], axis: Axis) -> tuple[float, float]:
    """Positions of both ends of a range; an infinite end lies at the edge."""
    low, high = pair
    return axis.left if low is None else axis.at(low), axis.right if high is None else axis.at(high)


def _box(name: str, pair: Sequence[float | None], axis: Axis, top: float, bottom: float) -> str:
    left, right = _ends(pair, axis)
    width = max(right - left, 1.0)
    return f'<rect class="{name}" x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{bottom - top:g}"/>'


def _marks(detail: Detail, axis: Axis, middle: float, size: float) -> str:
    """Draw the interval as a line with caps (an arrow at an infinite end) and the estimate as a dot."""
    low, high = detail["interval"]
    left, right = _ends((low, high), axis)
    if is_infinite(detail):  # beyond the right end, and nowhere else
        left, low = right - 3 * size, right
    path = f"M{left:.1f} {middle:g}H{right:.1f}" if right > left else ""
    for end, place, side in ((low, left, 1), (high, right, -1)):
        if end is None:
            path += f"M{place + side * size:.1f} {middle - size:g}L{place:.1f} {middle:g}l{side * size:g} {size:g}"
        elif right > left and not is_infinite(detail):
            path += f"M{place:.1f} {middle - size:g}v{2 * size:g}"
    line = f'<path class="line" d="{path}"/>' if path else ""
    if detail["estimate"] is None:
        return line
    return f'{line}<circle class="dot" cx="{axis.at(detail["estimate"]):.1f}" cy="{middle:g}" r="{size:g}"/>'


def _bounds(detail: Detail, axis: Axis, top: float, bottom: float) -> str:
    places = [axis.at(end) for end in detail["allowed"] if end is not None]
    path = "".join(f"M{place:.1f} {top:g}V{bottom:g}" for place in places)
    return f'<path class="bound" d="{path}"/>' if path else ""


def _text(place: float, height: float, anchor: str, words: str) -> str:
    return f'<text x="{place:.1f}" y="{height:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _texts(detail: Detail, axis: Axis) -> str:
    """Label bounds above and interval ends below, each on its own side, so that labels do not overlap."""
    low, high = detail["allowed"]
    both = low is not None and high is not None
    found = ""
    if low is not None:
        found += _text(axis.at(low), 13, "end" if both else "middle", number(low) if both else f"≥ {number(low)}")
    if high is not None:
        found += _text(axis.at(high), 13, "start" if both else "middle", number(high) if both else f"≤ {number(high)}")
    if detail["estimate"] is None:
        return found + _text((axis.left + axis.right) / 2, 64, "middle", "undefined")
    least, most = detail["interval"]
    if least is not None and least == most:
        return found + _text(axis.at(least), 64, "middle", number(least))
    left, right = _ends((least, most), axis)
    found += _text(left, 64, "end", "−∞" if least is None else number(least))
    return found + _text(right, 64, "start", number(most))


def alternative(detail: Detail) -> str:
    """Alternative text of the figure."""
    found = f"{readable(detail['label'])}: {interval(detail)}; allowed: {range_of(detail)}; {worded(detail['verdict'])}"
    return found.replace("[", "interval ").replace("]", "")


def picture(detail: Detail) -> str:
    """Draw one comparison on its own axis, with numbers."""
    axis = axis_of([detail], LEFT, RIGHT)
    equal = _box("equal", detail["equivalent"], axis, 22, 48) if "equivalent" in detail else ""
    height, note = HEIGHT, ""
    if axis.scale.words:  # without the note, readers would take distances for differences
        height, note = HEIGHT + NOTE, _text(WIDTH / 2, HEIGHT + NOTE - 3, "middle", f"axis {axis.scale.words}")
    return (
        f'<svg class="picture {detail["verdict"]}" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{escape(alternative(detail))}">'
        f"{_box('allowed', detail['allowed'], axis, 18, 52)}{equal}{_bounds(detail, axis, 18, 52)}"
        f"{_marks(detail, axis, 35, 5)}{_texts(detail, axis)}{note}</svg>"
    )


def _shared(details: Sequence[Detail]) -> Axis:
    return axis_of(details, RIM, STRIP_WIDTH - RIM)


def strips(details: Sequence[Detail]) -> list[str]:
    """Draw all comparisons of a group on one axis, small and without numbers, which are printed beside them."""
    axis = _shared(details)
    bottom = STRIP_HEIGHT - 1
    return [
        f'<svg class="strip {detail["verdict"]}" viewBox="0 0 {STRIP_WIDTH} {STRIP_HEIGHT}" aria-hidden="true">'
        f"{_box('allowed', detail['allowed'], axis, 1, bottom)}"
        f"{_box('equal', detail['equivalent'], axis, 3, bottom - 2) if 'equivalent' in detail else ''}"
        f"{_bounds(detail, axis, 0, STRIP_HEIGHT)}{_marks(detail, axis, STRIP_HEIGHT / 2, 3)}</svg>"
        for detail in details
    ]


def axis_picture(details: Sequence[Detail]) -> str:
    """Draw the axis shared by the strips of a group, with numbers, for the row above them."""
    axis = _shared(details)
    found = ticks(axis, STRIP_WIDTH)
    bottom = AXIS_HEIGHT - 1
    path = f"M{axis.left:g} {bottom}H{axis.right:g}" + "".join(f"M{tick.place:.1f} {bottom}v-6" for tick in found)
    texts = "".join(_text((tick.start + tick.end) / 2, 12, "middle", tick.label) for tick in found)
    return (
        f'<svg class="axis" viewBox="0 0 {STRIP_WIDTH} {AXIS_HEIGHT}" role="img"'
        f' aria-label="axis from {escape(axis.words)}"><path class="bound" d="{path}"/>{texts}</svg>'
    )


def axis_words(details: Sequence[Detail]) -> str:
    """Range of the strips of a group in words, and the scale if it is not linear."""
    return _shared(details).words
