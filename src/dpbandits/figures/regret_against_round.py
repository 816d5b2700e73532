"""Regret, or another output, against the round, one line per curve, one panel per value of a setting."""

import math
from collections.abc import Iterable, Mapping, Sequence

import matplotlib.ticker as ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.looks import name_of, pen_of
from dpbandits.figures.style import AXES, Margins, canvas, finished, legend_above, plain_logarithm, style

Rows = Mapping[str, np.ndarray]


IN_A_ROW = 4  # panels; more are set in rows of three
LAST = 1e4  # ratio of the last round to the first one of regret on logarithmic axes: before, all grow alike; our choice
MOST = 20  # rounds of a curve whose values the file says, beside those of the marks


def draw(
    panels: Mapping[str, Mapping[str, Rows]],
    title: str,
    notes: Sequence[str],
    marks: Sequence[float] = (),
    shown: str = AXES["regret"],
    growing: bool = True,
    logarithmic: bool = False,
    to_quantile: bool = False,
) -> Figure:
    """Panels with one range for all, so that they can be compared, under one legend.

    On logarithmic axes what is not above 0 is left out.

    Parameters
    ----------
    panels : by the title of the panel, rows of the summary of one point for every curve: `t`, `mean`, `low`, `high`.
    notes : for the caption.
    marks : rounds with a line from top to bottom.
    shown : what the lines show.
    growing : whether all lines grow alike at first, as regret does. On logarithmic axes they then have their last four
        decades of rounds.
    logarithmic : whether both axes are; else both begin at 0, and the lines with them.
    to_quantile : whether the lines are medians, and the bands reach up to 80 % quantiles.
    """
    if logarithmic:
        above = {name: {curve: positive(rows) for curve, rows in curves.items()} for name, curves in panels.items()}
        if any(
            above[name][curve]["t"].size < rows["t"].size for name in panels for curve, rows in panels[name].items()
        ):
            notes = [*notes, "values of 0 have no place on a logarithmic axis and are left out"]
        first = max(rows["t"].max(initial=0.0) for curves in above.values() for rows in curves.values()) / LAST
        if growing:
            above = {name: {c: since(first, rows) for c, rows in curves.items()} for name, curves in above.items()}
        panels = {name: {c: rows for c, rows in curves.items() if rows["t"].size} for name, curves in above.items()}
        ends = range_of(panels.values())
    names = list(dict.fromkeys(curve for curves in panels.values() for curve in curves))
    with style():
        width = len(panels) if len(panels) <= IN_A_ROW else 3
        height = math.ceil(len(panels) / width)
        figure = canvas(8.2, 1.4 + 2.6 * height)
        places = figure.subplots(height, width, squeeze=False, sharey=True).ravel()
        for axes in places[len(panels) :]:
            axes.remove()
        for axes, (name, curves) in zip(places[: len(panels)], panels.items(), strict=True):
            for mark in marks:
                axes.axvline(mark, color="#888888", linestyle=":", linewidth=0.9)
            for k, curve in enumerate(names):
                if curve in curves:
                    rows = curves[curve]
                    some = {name: column[said(rows["t"], marks, logarithmic)] for name, column in rows.items()}
                    what = shown.partition("$")[0].strip()
                    texts = values.of_rows(name_of(curve), curve, "t", "t", what, some, to_quantile)
                    values.mark(axes, some["t"], some["mean"], texts)
                    _line(axes, curve, rows, k / len(names), logarithmic)
            if logarithmic:
                axes.set_xscale("log")
                axes.set_yscale("log")
                axes.set_ylim(*ends)
                plain_logarithm(axes.xaxis)
                plain_logarithm(axes.yaxis, fine=True)
            else:
                axes.set_xlim(0, max(float(rows["t"].max()) for rows in curves.values()))
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_locator(ticker.MaxNLocator(4))
                    axis.set_major_formatter(ticker.EngFormatter(sep=""))
            axes.set_xlabel(AXES["t"])
            axes.set_title(name, loc="left", fontsize=9)
        for axes in places[: len(panels) : width]:
            axes.set_ylabel(shown)
        if not logarithmic:
            places[0].set_ylim(bottom=0)  # once all lines are there, or the first panel would set the upper end
        margins = Margins(right=0.2, top=legend_above(figure), between=0.24 if width == IN_A_ROW else 0.12)
        return finished(figure, title, notes, margins, names)


def positive(rows: Rows) -> dict[str, np.ndarray]:
    """The rows whose line is above 0."""
    return {name: column[rows["mean"] > 0.0] for name, column in rows.items()}


def since(first: float, rows: Rows) -> dict[str, np.ndarray]:
    """The rows from a round on."""
    return {name: column[rows["t"] >= first] for name, column in rows.items()}


def range_of(panels: Iterable[Mapping[str, Rows]]) -> tuple[float, float]:
    """The range of all lines and of the upper ends of their bands, and a little more."""
    every = [rows for curves in panels for rows in curves.values()]
    low = min((float(rows["mean"].min()) for rows in every if rows["mean"].size), default=1.0)
    high = max((float(np.fmax(rows["high"], rows["mean"]).max()) for rows in every if rows["mean"].size), default=10.0)
    return 0.8 * low, 1.25 * high


def said(t: np.ndarray, marks: Sequence[float], logarithmic: bool) -> np.ndarray:
    """Which rounds have their values said: about `MOST`, evenly along the axis, and the marked ones."""
    even = np.geomspace(t[0], t[-1], MOST) if logarithmic else np.linspace(t[-1] / MOST, t[-1], MOST)
    nearest = np.abs(t[:, None] - even).argmin(axis=0)
    return np.union1d(nearest, np.flatnonzero(np.isin(t, marks)))


def _line(axes: Axes, curve: str, rows: Rows, shift: float, logarithmic: bool) -> None:
    """With a few markers, at other places for every curve."""
    pen = pen_of(curve)
    start = [] if logarithmic else [0.0]
    t, mean, low, high = (np.concatenate([start, rows[name]]) for name in ("t", "mean", "low", "high"))
    axes.fill_between(t, low, high, color=pen.color, alpha=0.2, linewidth=0)
    axes.plot(t, mean, **pen.line, markevery=(0.08 + 0.2 * shift, 0.2), clip_on=False, label=name_of(curve))
