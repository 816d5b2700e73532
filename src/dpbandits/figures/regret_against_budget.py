"""Final regret against the privacy budget, one line per algorithm."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.ticker as ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.algorithms.table import TABLE
from dpbandits.figures.style import LOOKS, style

Rows = Mapping[str, np.ndarray]


def draw(curves: Mapping[str, Rows], x: str, title: str, verdicts: Sequence[str]) -> Figure:
    """Two panels with the same data: regret on a linear axis, as the paper has it, and on a logarithmic one.

    Parameters
    ----------
    curves : rows of the summary at the horizon for every algorithm: the grid value `x` (NaN for an algorithm without
    it,
        drawn as a horizontal line), `mean`, `low`, `high`.
    verdicts : lines below the panels.
    """
    with style():
        figure = Figure(figsize=(8.2, 3.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            for algorithm, rows in curves.items():
                _line(axes, algorithm, rows, x)
            axes.set_xscale("log")
            axes.set_xlabel(_x_label(x))
            axes.set_ylabel("regret $R_T$")
        left.set_ylim(bottom=0)
        left.yaxis.set_major_formatter(ticker.EngFormatter(sep=""))
        left.set_title("linear axis", loc="left", fontsize=9)
        right.set_yscale("log")
        right.set_title("logarithmic axis", loc="left", fontsize=9)
        right.legend(loc="upper right")
        figure.suptitle(title, fontsize=10, x=0.01, ha="left")
        figure.supxlabel("\n".join(verdicts), fontsize=8, x=0.01, ha="left", color="#444444")
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not again for every file
        return figure


def _x_label(x: str) -> str:
    return {"eps": r"privacy budget $\varepsilon$ (local: $\varepsilon_0$)"}[x]


def _line(axes: Axes, algorithm: str, rows: Rows, x: str) -> None:
    look, label = LOOKS[algorithm], TABLE[algorithm].short
    if np.isnan(rows[x]).all():
        axes.axhline(rows["mean"][0], color=look.colour, linestyle=look.dash, label=label)
        axes.axhspan(rows["low"][0], rows["high"][0], color=look.colour, alpha=0.12, linewidth=0)
        return
    line: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.dash}
    axes.plot(rows[x], rows["mean"], label=label, **line)
    axes.fill_between(rows[x], rows["low"], rows["high"], color=look.colour, alpha=0.2, linewidth=0)
