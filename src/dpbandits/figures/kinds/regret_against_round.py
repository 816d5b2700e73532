"""Draw regret, or another output, against the round: one line per curve, one panel per value of a setting."""

import math
from collections.abc import Sequence

import matplotlib.ticker as ticker
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.frames import by
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.names import AXES, name_of

IN_A_ROW = 4  # panels per row; more are set in rows of three
LAST = 1e4  # ratio of the last to the first round shown on logarithmic axes; before, all curves grow alike; our choice
MOST = 20  # rounds per curve whose values are stored in the file, besides those of the markers


def draw(
    lines: pd.DataFrame,
    title: str,
    notes: Sequence[str],
    marks: Sequence[float] = (),
    shown: str = AXES["regret"],
    growing: bool = True,
    logarithmic: bool = False,
    to_quantile: bool = False,
) -> Figure:
    """Draw panels with a common range, so that they can be compared, under one legend.

    Logarithmic axes omit values that are not positive.

    Parameters
    ----------
    lines : one row per point of each curve in each panel: `panel`, `curve`, `t`, `mean`, `low`, `high`.
    notes : for the caption.
    marks : rounds with a vertical line.
    shown : the quantity that the lines show.
    growing : whether all lines grow alike at first, as regret does. Logarithmic axes then show only the last four
        decades of rounds.
    logarithmic : whether both axes are logarithmic; else both axes and all lines start at 0.
    to_quantile : whether the lines are medians and the bands extend to the 80 % quantiles.
    """
    panels = lines["panel"].unique()
    if logarithmic:
        above = lines[lines["mean"] > 0.0]
        if len(above) < len(lines):
            notes = [*notes, "values of 0 have no place on a logarithmic axis and are left out"]
        lines = above[above["t"] >= above["t"].max() / LAST] if growing else above
        ends = range_of(lines)
    names = list(lines["curve"].unique())
    with style():
        width = len(panels) if len(panels) <= IN_A_ROW else 3
        height = math.ceil(len(panels) / width)
        figure = canvas(8.2, 1.4 + 2.6 * height)
        places = figure.subplots(height, width, squeeze=False, sharey=True).ravel()
        for axes in places[len(panels) :]:
            axes.remove()
        for axes, panel in zip(places[: len(panels)], panels, strict=True):
            own = lines[lines["panel"] == panel]
            for mark in marks:
                axes.axvline(mark, color="#888888", linestyle=":", linewidth=0.9)
            for curve, rows in by("curve", own):
                some = rows.iloc[said(rows["t"].to_numpy(), marks, logarithmic)]
                what = shown.partition("$")[0].strip()
                texts = values.of_rows(name_of(curve), curve, "t", "t", what, some, to_quantile)
                values.mark(axes, some["t"], some["mean"], texts)
                _line(axes, curve, rows, names.index(curve) / len(names), logarithmic)
            if logarithmic:
                axes.set_xscale("log")
                axes.set_yscale("log")
                axes.set_ylim(*ends)
                plain_logarithm(axes.xaxis)
                plain_logarithm(axes.yaxis, fine=True)
            else:
                axes.set_xlim(0, own["t"].max())
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_locator(ticker.MaxNLocator(4))
                    axis.set_major_formatter(ticker.EngFormatter(sep=""))
            axes.set_xlabel(AXES["t"])
            axes.set_title(panel, loc="left", fontsize=9)
        for axes in places[: len(panels) : width]:
            axes.set_ylabel(shown)
        if not logarithmic:
            places[0].set_ylim(bottom=0)  # after all lines are drawn; else the first panel would fix the upper limit
        margins = told_apart(figure, Margins(right=0.2, between=0.24 if width == IN_A_ROW else 0.12))
        return finished(figure, title, notes, margins, names)


def range_of(lines: pd.DataFrame) -> tuple[float, float]:
    """Common range of all lines and of the upper ends of their bands, with a small margin."""
    if lines.empty:
        return 1.0, 10.0
    return 0.8 * lines["mean"].min(), 1.25 * lines[["mean", "high"]].max(axis=None)


def said(t: np.ndarray, marks: Sequence[float], logarithmic: bool) -> np.ndarray:
    """Rounds whose values are stored: about `MOST`, evenly spaced along the axis, and the marked ones."""
    even = np.geomspace(t[0], t[-1], MOST) if logarithmic else np.linspace(t[-1] / MOST, t[-1], MOST)
    nearest = np.abs(t[:, None] - even).argmin(axis=0)
    return np.union1d(nearest, np.flatnonzero(np.isin(t, marks)))


def _line(axes: Axes, curve: str, rows: pd.DataFrame, shift: float, logarithmic: bool) -> None:
    """Draw a line with a few markers, at different rounds for each curve."""
    pen = pen_of(curve)
    start = [] if logarithmic else [0.0]
    t, mean, low, high = (np.concatenate([start, rows[name]]) for name in ("t", "mean", "low", "high"))
    axes.fill_between(t, low, high, color=pen.color, alpha=0.2, linewidth=0)
    axes.plot(t, mean, **pen.line, markevery=(0.08 + 0.2 * shift, 0.2), clip_on=False, label=name_of(curve))
