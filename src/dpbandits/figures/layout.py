"""Where the parts of a figure are: title, panels, legends and margins."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from dpbandits.figures import captions
from dpbandits.figures.files import Picture
from dpbandits.figures.names import WORDS, trust_models
from dpbandits.figures.style import COLORS, GRAY, enlarged

EDGE, LINE = 0.06, 0.15  # below the lowest line, and of a line below the panels, inches
KEY = 0.86  # where the key begins, inches from the left
HANDLE, LETTER = 0.6, 0.075  # what an entry of a legend takes, and a letter of it, inches


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


def legend_above(figure: Figure) -> float:
    """One legend for all panels, below the title; the room above the panels that both take, in inches."""
    handles: dict[str, Artist] = {}
    for axes in figure.axes:
        lines, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, lines, strict=True))
    column = HANDLE + LETTER * max(len(label) for label in handles if not label.startswith("$"))
    columns = min(len(handles), int(figure.get_figwidth() / column))
    place = (0.0, 1 - 0.26 / figure.get_figheight())
    figure.legend(handles.values(), handles, loc="upper left", bbox_to_anchor=place, ncols=columns)
    return 0.62 + 0.18 * math.ceil(len(handles) / columns)
