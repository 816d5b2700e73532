"""Where the parts of a figure are: title, panels, legends and margins."""

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

EDGE, LINE = 0.06, 0.15  # below the lowest line, and of a line below the panels, inches
KEY = 0.86  # where the key begins, inches from the left
HANDLE, LETTER = 0.6, 0.075  # what an entry of a legend takes, and a letter of it, inches
FROM_END, BETWEEN = 0.06, 0.13  # from the end of a curve to its label, and between labels at least, inches
ONE, SEVERAL = 0.25, 0.15  # of the width of a figure that labels beside the curves of one or several panels may take
REACHES, SLACK = 0.9, 0.01  # parts of a panel: where a curve ends that reaches the right edge, and beyond its frame
FORMULA, INCH = 8, 72.0  # letters of a formula at most, and points


def canvas(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, for a paper."""
    wide, high = enlarged()
    return Picture(figsize=(wide * width, high * height))


@dataclass(frozen=True)
class Margins:
    """Room around the panels, in inches, and between them and their rows, in sizes of a panel; `axis` is below them.

    Fixed, since an automatic layout costs more than drawing.
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
    """Title above, panels, and below them what the colors of the curves mean.

    Parameters
    ----------
    notes : for the caption.
    legend : one more line below, what signs mean that have no entry in another legend.
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
    """The colors of trust models, in one line."""
    handles = [Line2D([], [], color=COLORS[each], linewidth=5, solid_capstyle="butt") for each in models]
    return Legend(figure, handles, [WORDS[each] for each in models], loc="lower left", bbox_to_anchor=place,
                  ncols=len(models), fontsize=8, labelcolor=GRAY, borderpad=0.0, borderaxespad=0.0,
                  handlelength=1.0, handletextpad=0.5, columnspacing=1.4)  # fmt: skip


def told_apart(figure: Figure, margins: Margins) -> Margins:
    """Say which curve is which: beside their ends in the last panel, or else in a legend below the title.

    Called once all curves are drawn and the axes have their limits.

    Returns
    -------
    The margins with the room that the words take.
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
    """The curves of a panel by their labels."""
    handles, labels = axes.get_legend_handles_labels()
    return {label: line for label, line in zip(labels, handles, strict=True) if isinstance(line, Line2D)}


def _end(axes: Axes, line: Line2D) -> tuple[float, float]:
    """The right end of a curve, as parts of its panel."""
    axes.get_xlim(), axes.get_ylim()  # limits are computed when they are asked for
    places = np.asarray(line.get_xydata(), dtype=float)
    last = line.get_transform().transform(places[np.isfinite(places).all(axis=1)][-1])
    across, height = axes.transAxes.inverted().transform(last)
    return float(across), float(height)


def _apart(figure: Figure, margins: Margins, room: float, ends: Sequence[tuple[float, float] | None]) -> bool:
    """Whether words beside the ends of all curves tell them apart and leave most of the width to the panels."""
    width, height = figure.get_size_inches()
    one_row = len({round(axes.get_position().y0, 6) for axes in figure.axes}) == 1
    reaching = [end for end in ends if end and end[0] > REACHES and -SLACK <= end[1] <= 1.0 + SLACK]
    heights = np.sort([end[1] for end in reaching]) * (height - margins.top - margins.axis - EDGE - LINE)
    most = (ONE if len(figure.axes) == 1 else SEVERAL) * width
    return one_row and len(reaching) == len(ends) and room < most and bool((np.diff(heights) > BETWEEN).all())


def _longest(labels: Iterable[str]) -> int:
    """Letters of the longest label; those of a formula are not counted, as it is short."""
    return max((len(label) for label in labels if not label.startswith("$")), default=FORMULA)


def _legend_above(figure: Figure, curves: Mapping[str, Line2D]) -> float:
    """One legend for all panels, below the title; the room above the panels that both take, in inches."""
    columns = min(len(curves), int(figure.get_figwidth() / (HANDLE + LETTER * _longest(curves))))
    place = (0.0, 1 - 0.26 / figure.get_figheight())
    figure.legend(curves.values(), curves, loc="upper left", bbox_to_anchor=place, ncols=columns)
    return 0.62 + 0.18 * math.ceil(len(curves) / columns)
