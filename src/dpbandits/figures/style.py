"""One style for all figures: seaborn's theme, axes, legends, title and margins.

Curves are drawn with matplotlib from DataFrames, since their intervals are those that claims are judged by, which the
summaries have; seaborn would estimate its own.
"""

import html
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.ticker as ticker
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axis import Axis, XAxis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from dpbandits.base.storage import write_bytes, write_text
from dpbandits.figures import captions, values
from dpbandits.figures.looks import COLORS, WORDS, trust_models

SIGNS = {
    "eps": r"$\varepsilon$",
    "arms": "$K$",
    "dimension": "$d$",
    "batch": "$B$",
    "T": "$T$",
    "gap": r"$\Delta$",
    "fewest": "actions in a bracket",
    "size": "$K$",
    "bad": "suboptimal super arms",
    "fallback": "index below 0",
    "beta": r"$\beta$",
    "norm": r"$\Vert \theta^* \Vert$",
    "bonus": "part of the bonus",
    "threshold": "$h$",
    "warm_up": "warm-up",
}
"""Grid values as formulas."""
AXES = {
    "eps": r"privacy budget $\varepsilon$",
    "T": "horizon $T$",
    "arms": "actions $K$",
    "dimension": "dimension $d$",
    "batch": "batch $B$",
    "gap": r"gap $\Delta$",
    "brackets": "brackets $S$",
    "size": "arms in a super arm $K$",
    "bad": "suboptimal super arms",
    "width": "part of the printed bonus",
    "beta": r"margin exponent $\beta$",
    "norm": r"norm of $\theta^*$",
    "threshold": "threshold $h$",
    "warm_up": "rounds of the warm-up",
    "t": "round $t$",
    "regret": "regret $R_t$",
    "error": r"error $\Vert \hat\theta_t - \theta^* \Vert$",
    "elliptical": "elliptical error",
}
"""Labels of grid values and outputs."""


def sign_of(name: str) -> str:
    """A grid value as a formula, or by its name."""
    return SIGNS.get(name, name.replace("_", " "))


PACKED = 3  # of 9: files 7 % larger than at the usual 6, in two thirds of its time
EDGE, LINE = 0.06, 0.15  # below the lowest line, and of a line below the panels, inches
KEY, GRAY = 0.86, "#444444"  # where the key begins, inches from the left, and the color of both lines
HANDLE, LETTER = 0.6, 0.075  # what an entry of a legend takes, and a letter of it, inches
SHOWN = 820  # pixels across of a figure in a notebook
FONTS = ["DejaVu Sans", "Verdana", "sans-serif"]
"""The font that matplotlib brings along, and for who shows an SVG without it, one whose letters are as wide."""
THEME = {"context": "paper", "style": "ticks", "palette": list(COLORS.values())}
"""Of seaborn; its context `paper` has the sizes of letters and lines."""
SETTINGS: dict[Any, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.sans-serif": FONTS,
    "axes.titley": 1.0,  # above the axes, without a search for what else is there, which costs a quarter of a drawing
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "dpbandits",
    # Letters stay letters, which can be searched and edited.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


PURPOSES = {"paper": (1.0, 1.0), "slide": (0.7, 0.9)}
"""What figures are for, with their width and height: a slide is shown larger, so that letters and lines grow."""
KINDS: dict[str, tuple[dict[str, str | None], str]] = {
    "pdf": ({"CreationDate": None, "Creator": None, "Producer": None}, "Subject"),
    "png": ({"Software": None}, "Description"),
    "svg": ({"Date": None, "Creator": None}, ""),
}
"""Kinds of files: what is left out, so that the same figure has the same bytes, and where the caption stands."""
_purpose = ContextVar("purpose", default="paper")


@contextmanager
def style() -> Iterator[None]:
    """Draw inside with the house style; nothing outside changes."""
    with mpl.rc_context():
        mpl.rcdefaults()
        sns.set_theme(**THEME, rc=SETTINGS)
        yield


@contextmanager
def drawn_for(purpose: str) -> Iterator[None]:
    """Draw inside for one of `PURPOSES`."""
    before = _purpose.set(purpose)
    try:
        yield
    finally:
        _purpose.reset(before)


class Picture(Figure):
    """A figure that a notebook shows in the house style, with its caption for who does not see it."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        said = captions.caption(self)
        return {"image/png": _drawn(self, "png"), "text/plain": said}, {"image/png": {"alt": said, "width": SHOWN}}


def canvas(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, for a paper."""
    wide, high = PURPOSES[_purpose.get()]
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
        wspace=margins.between / PURPOSES[_purpose.get()][0],
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


def plain(value: float) -> str:
    """A number on an axis: 0.01, 10, 100k, 16.8M."""
    return f"{value:g}" if value < 1000.0 else ticker.EngFormatter(sep="")(float(f"{value:.3g}"))


class FewTicks(ticker.LogLocator):
    """Ticks at 1, 3, 10, 30, ..; at 1, 2, 5 where the axis has hardly a decade, at powers of ten where it has many."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Where the ticks are."""
        ratio = vmax / vmin
        self.set_params(subs=(1.0, 2.0, 5.0) if ratio < 12.0 else (1.0, 3.0) if ratio < 1e4 else (1.0,))
        return super().tick_values(vmin, vmax)


class MinorTicks(Artist):
    """The minor ticks of a logarithmic axis, drawn as one line: with five artists a tick they are half of a drawing."""

    def __init__(self, axis: Axis) -> None:
        super().__init__()
        self.axis, self.places = axis, ticker.LogLocator(subs="auto")
        self.places.set_axis(axis)

    def draw(self, renderer: Any) -> None:
        """Ticks outside of the axes, below or to the left of them."""
        low, high = self.axis.get_view_interval()
        along = [place for place in self.places() if low <= place <= high]
        across = [0.0] * len(along)
        flat, axes = isinstance(self.axis, XAxis), self.axis.axes
        ticks = Line2D(
            along if flat else across,
            across if flat else along,
            linestyle="",
            color=mpl.rcParams["xtick.color"],
            marker=3 if flat else 0,  # a tick down, or to the left
            markersize=mpl.rcParams["xtick.minor.size"],
            markeredgewidth=mpl.rcParams["xtick.minor.width"],
            transform=axes.get_xaxis_transform() if flat else axes.get_yaxis_transform(),
        )
        ticks.set_figure(axes.figure)
        ticks.draw(renderer)


def plain_logarithm(axis: Axis, fine: bool = False) -> None:
    """A logarithmic axis with plain numbers; `fine` with 3, 30, .. as well."""
    if fine:
        axis.set_major_locator(FewTicks())
    axis.set_major_formatter(lambda value, _: plain(value))
    axis.set_minor_locator(ticker.NullLocator())
    axis.axes.add_artist(MinorTicks(axis))


def write(figure: Figure, path: Path) -> None:
    """Write one file, of the kind that its ending names, one of `KINDS`: the same bytes for the same figure."""
    kind = path.suffix.removeprefix(".")
    write_bytes(path, _svg(figure).encode() if kind == "svg" else _drawn(figure, kind))


def save(figure: Figure, path: Path) -> None:
    """Write `<path>.svg`, with the values of its points, and `<path>.png`: the same bytes for the same figure."""
    before, end, after = _svg(figure).rpartition("</svg>")
    write_text(path.with_name(path.name + ".svg"), before + values.group(figure) + end + after)
    write_bytes(path.with_name(path.name + ".png"), _drawn(figure, "png", pil_kwargs={"compress_level": PACKED}))


def _svg(figure: Figure) -> str:
    """The picture, with the caption as its description."""
    start, end, rest = _drawn(figure, "svg").decode().partition('version="1.1">\n')
    said = captions.caption(figure)
    return start + end + (f" <desc>{html.escape(said, quote=False)}</desc>\n" if said else "") + rest


def _drawn(figure: Figure, kind: str, **options: Any) -> bytes:
    """A picture, with the caption where its kind has a place for it."""
    left_out, place = KINDS[kind]
    said = captions.caption(figure)
    with style():
        drawn = io.BytesIO()
        figure.savefig(drawn, format=kind, metadata=left_out | ({place: said} if place and said else {}), **options)
        return drawn.getvalue()
