"""Comparisons as small pictures: an interval against the range that a claim allows, as SVG text."""

from collections.abc import Sequence
from html import escape

from dpbandits.report.axes import Axis, Detail, axis_of, ticks
from dpbandits.text.text import interval, is_infinite, number, range_of, readable, worded

WIDTH, HEIGHT, NOTE = 360, 68, 14
"""Size of the picture of a decisive comparison, with texts, and height of the note on an axis that is not linear."""
LEFT, RIGHT = 80.0, 280.0
"""Between them lies the axis; the margins hold the texts of ends that lie at the rim."""
STRIP_WIDTH, STRIP_HEIGHT, AXIS_HEIGHT = 260, 16, 24
"""Size of a strip, which has no texts, and height of the axis above strips."""
RIM = 4.0
"""Free on both sides of the axis of strips."""


def _ends(pair: Sequence[float | None], axis: Axis) -> tuple[float, float]:
    """Places of both ends of a range, where an infinite one lies at the rim."""
    low, high = pair
    return axis.left if low is None else axis.at(low), axis.right if high is None else axis.at(high)


def _box(name: str, pair: Sequence[float | None], axis: Axis, top: float, bottom: float) -> str:
    left, right = _ends(pair, axis)
    width = max(right - left, 1.0)
    return f'<rect class="{name}" x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{bottom - top:g}"/>'


def _marks(detail: Detail, axis: Axis, middle: float, size: float) -> str:
    """The interval as a line with caps, or with an arrow at an infinite end, and the estimate as a dot."""
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
    """Bounds above, ends of the interval below; each to its own side, so that none covers another."""
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
    """What the picture shows, in words."""
    found = f"{readable(detail['label'])}: {interval(detail)}; allowed: {range_of(detail)}; {worded(detail['verdict'])}"
    return found.replace("[", "interval ").replace("]", "")


def picture(detail: Detail) -> str:
    """A comparison on an axis of its own, with its numbers."""
    axis = axis_of([detail], LEFT, RIGHT)
    equal = _box("equal", detail["equivalent"], axis, 22, 48) if "equivalent" in detail else ""
    height, note = HEIGHT, ""
    if axis.scale.words:  # without it distances would be taken for differences
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
    """All comparisons of a group on one axis, small and without numbers, which stand beside them."""
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
    """The axis that the strips of a group share, with numbers, to stand above them."""
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
    """From where to where the strips of a group go, and by which scale if it is not linear."""
    return _shared(details).words
