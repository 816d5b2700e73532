"""Place the parts of a figure: title, panels, legends and margins."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from dpbandits.figures import captions
from dpbandits.figures.files import Picture
from dpbandits.figures.style import COLORS, GRAY, enlarged, legible
from dpbandits.text.names import WORDS, trust_models

EDGE, LINE = 0.06, 0.15  # margin below the lowest line, and height of a line below the panels, inches
KEY = 0.86  # left end of the color key, inches
HANDLE, LETTER = 0.6, 0.075  # width of a legend entry without its text, and of a character, inches
FROM_END, BETWEEN = 0.06, 0.13  # gap between the end of a curve and its label, and smallest gap between labels, inches
ONE, SEVERAL = 0.25, 0.15  # largest part of the figure width for labels beside curves, with one panel and with several
REACHES, SLACK = 0.9, 0.01  # parts of a panel: where a curve reaches the right edge, and the slack beyond its frame
FORMULA, INCH = 8, 72.0  # largest number of characters of a formula, and its size in points


def canvas(width: float, height: float) -> Figure:
    """Empty figure of this size in inches, scaled for its purpose."""
    wide, high = enlarged()
    return Picture(figsize=(wide * width, high * height))


@dataclass(frozen=True)
class Margins:
    """Margins around the panels in inches, and gaps between panels and rows in panel sizes; `axis` is the room below.

    They are fixed, because an automatic layout takes longer than drawing.
    """

    left: float = 0.75
    right: float = 0.12
    top: float = 0.55
    axis: float = 0.5
    between: float = 0.28
    rows: float = 0.42


def finished(
    figure: Figure, title: str, notes: Sequence[str], margins: Margins, curves: Iterable[str] = (), legend: str = ""
) -> Figure:
    """Add the title above the panels and, below them, the meaning of the curve colors.

    Parameters
    ----------
    notes : for the caption.
    legend : one more line below the panels, for symbols that no other legend explains.
    """
    width, height = figure.get_size_inches()
    models = trust_models(curves)
    below = EDGE + LINE * (bool(legend) + bool(models))
    figure.subplots_adjust(
        left=margins.left / width,
        right=1 - margins.right / width,
        top=1 - margins.top / height,
        bottom=(margins.axis + below) / height,
        wspace=margins.between / enlarged()[0],
        hspace=margins.rows,
    )
    figure.text(0.1 / width, 1 - 0.08 / height, title, fontsize=10, ha="left", va="top")
    text: dict[str, Any] = {"fontsize": 8, "ha": "left", "va": "bottom", "color": GRAY}
    if legend:
        figure.text(0.1 / width, EDGE / height, legend, **text)
    if models:
        up = (below - LINE) / height
        figure.text(0.1 / width, up, "trust model:", **text)
        figure.add_artist(_key(figure, models, (KEY / width, up)))
    captions.tell(figure, notes)
    return figure


def _key(figure: Figure, models: Sequence[str], place: tuple[float, float]) -> Legend:
    """Draw the key of trust-model colors on one line."""
    handles = [Line2D([], [], color=COLORS[each], linewidth=5, solid_capstyle="butt") for each in models]
    return Legend(figure, handles, [WORDS[each] for each in models], loc="lower left", bbox_to_anchor=place,
                  ncols=len(models), fontsize=8, labelcolor=GRAY, borderpad=0.0, borderaxespad=0.0,
                  handlelength=1.0, handletextpad=0.5, columnspacing=1.4)  # fmt: skip


def told_apart(figure: Figure, margins: Margins) -> Margins:
    """Identify the curves: beside their ends in the last panel, or in a legend below the title.

    Call it after all curves are drawn and the axes have their limits.

    Returns
    -------
    The margins including the room for the labels.
    """
    curves = {label: line for axes in figure.axes for label, line in _curves(axes).items()}
    last = figure.axes[-1]
    ends = {label: _end(last, line) for label, line in _curves(last).items()}
    room = LETTER * _longest(curves) + 2 * FROM_END
    if not _apart(figure, margins, room, [ends.get(label) for label in curves]):
        return replace(margins, top=_legend_above(figure, curves))
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "annotation_clip": False}
    for label, end in ends.items():
        color = legible(str(curves[label].get_color()))
        beside = (1.0, end[1]), (FROM_END * INCH, 0.0)
        last.annotate(label, *beside, **place, va="center", fontsize=8, color=color)
    return replace(margins, right=room)


def _curves(axes: Axes) -> dict[str, Line2D]:
    """Curves of a panel by label."""
    handles, labels = axes.get_legend_handles_labels()
    return {label: line for label, line in zip(labels, handles, strict=True) if isinstance(line, Line2D)}


def _end(axes: Axes, line: Line2D) -> tuple[float, float]:
    """Right end of a curve, in panel coordinates."""
    axes.get_xlim(), axes.get_ylim()  # limits are computed on access
    places = np.asarray(line.get_xydata(), dtype=float)
    last = line.get_transform().transform(places[np.isfinite(places).all(axis=1)][-1])
    across, height = axes.transAxes.inverted().transform(last)
    return float(across), float(height)


def _apart(figure: Figure, margins: Margins, room: float, ends: Sequence[tuple[float, float] | None]) -> bool:
    """Whether labels beside the curve ends are distinguishable and leave most of the width to the panels."""
    width, height = figure.get_size_inches()
    one_row = len({round(axes.get_position().y0, 6) for axes in figure.axes}) == 1
    reaching = [end for end in ends if end and end[0] > REACHES and -SLACK <= end[1] <= 1.0 + SLACK]
    heights = np.sort([end[1] for end in reaching]) * (height - margins.top - margins.axis - EDGE - LINE)
    most = (ONE if len(figure.axes) == 1 else SEVERAL) * width
    return one_row and len(reaching) == len(ends) and room < most and bool((np.diff(heights) > BETWEEN).all())


def _longest(labels: Iterable[str]) -> int:
    """Length of the longest label in characters. Formulas are short and not counted."""
    return max((len(label) for label in labels if not label.startswith("$")), default=FORMULA)


def _legend_above(figure: Figure, curves: Mapping[str, Line2D]) -> float:
    """Draw one legend for all panels below the title; return the height in inches of both."""
    columns = min(len(curves), int(figure.get_figwidth() / (HANDLE + LETTER * _longest(curves))))
    place = (0.0, 1 - 0.26 / figure.get_figheight())
    figure.legend(curves.values(), curves, loc="upper left", bbox_to_anchor=place, ncols=columns)
    return 0.62 + 0.18 * math.ceil(len(curves) / columns)
