"""One style for all figures: a fixed colour, marker and dash per algorithm, whatever the paper."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from dpbandits.algorithms.table import TABLE


@dataclass(frozen=True)
class Look:
    """How an algorithm is drawn; colour, marker and dash tell it apart each on its own."""

    colour: str
    marker: str
    dash: str


LOOKS = {
    "phased_elimination": Look("#000000", "", "--"),
    "phased_elimination_g_optimal": Look("#000000", "", ":"),
    "phased_elimination_central": Look("#0072b2", "o", "-"),
    "phased_elimination_shuffled": Look("#009e73", "s", "-"),
    "phased_elimination_local": Look("#d55e00", "^", "-"),
    "phased_elimination_central_whole:uniform": Look("#e69f00", "v", "-"),
    "phased_elimination_central_whole:fw": Look("#cc79a7", "D", "-"),
    "phased_elimination_central_whole:uniform_narrow": Look("#56b4e9", "P", "-"),
}
"""By curve, `algorithm` or `algorithm:variant`; colours of Okabe and Ito, which readers with any colour vision tell
apart."""


def name_of(curve: str) -> str:
    """`central`, or `no core set (uniform)`."""
    algorithm, _, variant = curve.partition(":")
    return TABLE[algorithm].short + (f" ({variant.replace('_', ' ')})" if variant else "")


AXES = {
    "eps": r"privacy budget $\varepsilon$ (local: $\varepsilon_0$)",
    "T": "horizon $T$",
    "arms": "actions $K$",
}
"""Labels of grid values."""

SETTINGS: dict[Any, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "svg.hashsalt": "dpbandits",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """Draw inside with the house style; nothing outside changes."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


def footed(figure: Figure, title: str, notes: Sequence[str]) -> Figure:
    """Title above and notes below, laid out once and not again for every file."""
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    figure.supxlabel("\n".join(notes), fontsize=8, x=0.01, ha="left", color="#444444")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write `<path>.svg` and `<path>.png`: the same bytes for the same figure."""
    with style():
        figure.savefig(path.with_name(path.name + ".svg"), metadata={"Date": None, "Creator": None})
        figure.savefig(path.with_name(path.name + ".png"), metadata={"Software": None})
