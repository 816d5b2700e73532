"""Style of all figures: seaborn's theme, a palette by trust model, curve styles, and sizes for papers and slides.

Curves are drawn with matplotlib from DataFrames, because the intervals must be those in the summaries, by which claims
are judged. Seaborn would estimate its own.
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
"""Colors by trust model, from the color-blind-safe Okabe-Ito palette."""
MIXED: dict[Shade, tuple[int, float]] = {"plain": (0, 0.0), "dark": (0, 0.4), "light": (255, 0.4)}
"""Gray mixed into a color and its share, by shade."""
WEIGHTS: dict[Shade, tuple[float, float, float]] = {"dark": (1.9, 5.0, 2.0), "plain": (1.4, 4.0, 2.1),
                                                    "light": (1.2, 3.2, 2.2)}  # fmt: skip
"""Widths of line and marker in points, and layer, by shade, so that coinciding curves all remain visible."""
GRAY, DARKER = "#444444", 0.3
"""Size of text below the panels, and share of black in the color of labels beside curves."""
FONTS = ["DejaVu Sans", "Verdana", "sans-serif"]
"""The font that matplotlib includes, and fallbacks of equal width for viewers of an SVG without it."""
THEME = {"context": "paper", "style": "ticks", "palette": list(COLORS.values())}
"""Seaborn style; its context `paper` sets the sizes of fonts and lines."""
SETTINGS: dict[Any, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.sans-serif": FONTS,
    "axes.titley": 1.0,  # fixed position above the axes; the automatic search takes a quarter of the drawing time
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "dpbandits",
    # Keep text as text, so that it can be searched and edited.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
PURPOSES = {"paper": (1.0, 1.0), "slide": (0.7, 0.9)}
"""Width and height by purpose. A slide is displayed larger, so its fonts and lines are larger."""
_purpose = ContextVar("purpose", default="paper")


@dataclass(frozen=True)
class Pen:
    """Color, marker and dash of a curve in matplotlib's terms, widths of line and marker, and the layer."""

    color: str
    marker: str
    dash: str
    width: float = WEIGHTS["plain"][0]
    size: float = WEIGHTS["plain"][1]
    layer: float = WEIGHTS["plain"][2]

    @property
    def line(self) -> dict[str, Any]:
        """Arguments with which `plot` draws the curve."""
        return {
            **{"color": self.color, "marker": self.marker, "linestyle": self.dash},
            **{"linewidth": self.width, "markersize": self.size, "zorder": self.layer},
        }


def pen(trust_model: str, look: Look) -> Pen:
    """Style for a look, in the color of a trust model."""
    return Pen(_mixed(COLORS[trust_model], *MIXED[look.shade]), look.marker, look.dash, *WEIGHTS[look.shade])


def legible(color: str) -> str:
    """Darker version of a color, for text on white."""
    return _mixed(color, 0, DARKER)


def _mixed(color: str, gray: int, part: float) -> str:
    """Color mixed with a share of gray."""
    plain = bytes.fromhex(color.removeprefix("#"))
    return f"#{bytes(round((1.0 - part) * each + part * gray) for each in plain).hex()}"


def pen_of(curve: str) -> Pen:
    """Style of a curve; a variant without its own look takes that of its algorithm."""
    algorithm, variant, _ = parts(curve)
    return pen(trust_model_of(curve), TABLE[algorithm].looks.get(variant, TABLE[algorithm].look))


@contextmanager
def style() -> Iterator[None]:
    """Context in which figures are drawn in the house style."""
    with mpl.rc_context():
        mpl.rcdefaults()
        sns.set_theme(**THEME, rc=SETTINGS)
        yield


@contextmanager
def drawn_for(purpose: str) -> Iterator[None]:
    """Context in which figures are drawn for one of `PURPOSES`."""
    before = _purpose.set(purpose)
    try:
        yield
    finally:
        _purpose.reset(before)


def enlarged() -> tuple[float, float]:
    """Ratios of width and height to those of a paper figure."""
    return PURPOSES[_purpose.get()]
