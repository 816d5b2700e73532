"""The style of all figures: seaborn's theme, a palette by trust model, pens of curves, sizes for papers and slides.

Curves are drawn with matplotlib from DataFrames, since their intervals are those that claims are judged by, which the
summaries have; seaborn would estimate its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import seaborn as sns

from dpbandits.base.entries import Look, Shade
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.text.names import BOUND, trust_model_of

COLORS = {"central": "#0072b2", "shuffle": "#009e73", "local": "#d55e00", "none": "#000000", BOUND: "#999999"}
"""By trust model, of the palette of Okabe and Ito, which readers with any color vision can tell apart."""
MIXED: dict[Shade, tuple[int, float]] = {"plain": (0, 0.0), "dark": (0, 0.4), "light": (255, 0.4)}
"""By shade, the gray with which a color is mixed, and its part."""
WEIGHTS: dict[Shade, tuple[float, float, float]] = {"dark": (1.9, 5.0, 2.0), "plain": (1.4, 4.0, 2.1),
                                                    "light": (1.2, 3.2, 2.2)}  # fmt: skip
"""By shade, the widths of line and marker, in points, and the layer: of curves that coincide, all are seen."""
GRAY, DARKER = "#444444", 0.3
"""Of words below the panels, and the part of black in the color of words beside a curve."""
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
_purpose = ContextVar("purpose", default="paper")


@dataclass(frozen=True)
class Pen:
    """Color, marker and dash of a curve, as matplotlib takes them, widths of line and marker, and the layer."""

    color: str
    marker: str
    dash: str
    width: float = WEIGHTS["plain"][0]
    size: float = WEIGHTS["plain"][1]
    layer: float = WEIGHTS["plain"][2]

    @property
    def line(self) -> dict[str, Any]:
        """What `plot` needs to draw the curve."""
        return {
            **{"color": self.color, "marker": self.marker, "linestyle": self.dash},
            **{"linewidth": self.width, "markersize": self.size, "zorder": self.layer},
        }


def pen(trust_model: str, look: Look) -> Pen:
    """The pen for a look, in the color of a trust model."""
    return Pen(_mixed(COLORS[trust_model], *MIXED[look.shade]), look.marker, look.dash, *WEIGHTS[look.shade])


def legible(color: str) -> str:
    """A darker kind of a color, for words on white."""
    return _mixed(color, 0, DARKER)


def _mixed(color: str, gray: int, part: float) -> str:
    """A color with a part of gray."""
    plain = bytes.fromhex(color.removeprefix("#"))
    return f"#{bytes(round((1.0 - part) * each + part * gray) for each in plain).hex()}"


def pen_of(curve: str) -> Pen:
    """The pen of a curve; of its algorithm, where a variant has no look of its own."""
    algorithm, variant, _ = parts(curve)
    return pen(trust_model_of(curve), TABLE[algorithm].looks.get(variant, TABLE[algorithm].look))


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


def enlarged() -> tuple[float, float]:
    """Width and height of a figure over those that it has in a paper."""
    return PURPOSES[_purpose.get()]
