"""Draw final regret against a setting on log-log axes: one line per curve, one panel per value of another setting."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.frames import apart, by
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain, plain_logarithm
from dpbandits.text.names import AXES, BOUND, name_of, sign_of, trust_model_of

APART = 20.0  # largest ratio of neighboring settings that a line joins; our choice
GRAY, DASHES = "#888888", ("-", "--", "-.", ":")  # of the guide lines
FEW = 30.0  # axes that span a smaller ratio have a tick at every value
NARROW, SHORT = 3, 50.0  # with NARROW panels, ticks at 3, 30, .. fit only if the axis spans a ratio below SHORT
CLOSE = 0.03  # minimum distance between two labeled values, as a part of the axis
BELOW = 30.0  # factor below the smallest regret at which the frame cuts a bound; our choice


def draw(lines: pd.DataFrame, along: str, title: str, notes: Sequence[str], guides: Sequence[str] = ()) -> Figure:
    """Draw one panel per value, under one legend.

    A curve that does not depend on the setting is a horizontal line. The frame cuts a bound that lies far below all
    curves.

    Parameters
    ----------
    lines : rows at the horizon: `panel`, `curve`, the setting, `mean`, `low`, `high`.
    along : the setting on the horizontal axis.
    notes : for the caption.
    guides : slopes, as fractions, of thin lines that start at the first value of the lowest curve.
    """
    with style():
        figure = canvas(8.2, 4.2)
        panels = list(by("panel", lines))
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, own) in zip(every, panels, strict=True):
            settings = np.sort(own[along].dropna().unique())
            for curve, rows in by("curve", own):
                _line(axes, curve, rows, along, settings)
            lowest = min((rows for _, rows in by("curve", own)), key=lambda rows: rows["mean"].iloc[0])
            for slope, dash in zip(guides, itertools.cycle(DASHES)):
                _guide(axes, lowest[along].to_numpy(), 0.6 * lowest["mean"].iloc[0], slope, dash, sign_of(along))
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.yaxis, fine=True)
            if settings[-1] < FEW * settings[0]:
                axes.set_xticks(settings, _labels(settings))
                axes.set_xticks([], minor=True)
            else:
                plain_logarithm(axes.xaxis, fine=len(panels) < NARROW or settings[-1] < SHORT * settings[0])
            axes.set_xlabel(AXES[along])
            axes.set_title(name, loc="left", fontsize=9)
        figure.axes[0].set_ylabel("regret $R_T$")
        if cut := _cut(figure.axes[0], lines):
            notes = [*notes, f"cut by the frame: {', '.join(cut)}"]
        margins = told_apart(figure, Margins(right=0.25, between=0.1))
        return finished(figure, title, notes, margins, lines["curve"].unique())


def _labels(settings: np.ndarray) -> list[str]:
    """A label for every setting, except one too close to the label before it."""
    room, last, labels = CLOSE * np.log(settings[-1] / settings[0]), -np.inf, []
    for value in settings:
        apart = np.log(value) - last >= room
        labels.append(plain(value) if apart else "")
        last = np.log(value) if apart else last
    return labels


def _cut(axes: Axes, lines: pd.DataFrame) -> list[str]:
    """Cut the axis where a bound is far below the smallest regret of all curves; return the names of bounds it cuts."""
    least_of = lines.groupby("curve", sort=False)["mean"].min()
    least = min((mean for curve, mean in least_of.items() if trust_model_of(str(curve)) != BOUND), default=0.0)
    cut = [name_of(str(curve)) for curve, mean in least_of.items() if mean < least / BELOW]
    if cut:
        axes.set_ylim(bottom=least / BELOW)
    return cut


def _guide(axes: Axes, x: np.ndarray, start: float, slope: str, dash: str, sign: str) -> None:
    """Draw a guide line with this slope and label it."""
    above, below = (float(part) for part in slope.split("/"))
    axes.plot(
        x,
        start * (x / x[0]) ** (above / below),
        color=GRAY,
        linewidth=0.8,
        linestyle=dash,
        label=rf"$\propto$ {sign}$^{{{slope}}}$",
    )


def _line(axes: Axes, curve: str, rows: pd.DataFrame, along: str, settings: np.ndarray) -> None:
    """Draw one curve. A horizontal line carries its value at the first setting."""
    pen = pen_of(curve)
    texts = values.of_rows(name_of(curve), curve, values.letters(sign_of(along)), along, "regret", rows)
    if rows[along].isna().all():
        one = rows.iloc[0]
        values.mark(axes, settings[:1], [one["mean"]], texts[:1])
        axes.axhline(one["mean"], **pen.line | {"marker": ""}, label=name_of(curve))
        axes.axhspan(one["low"], one["high"], color=pen.color, alpha=0.2, linewidth=0)
        return
    values.mark(axes, rows[along], rows["mean"], texts)
    drawn = apart(rows, along, APART)
    axes.plot(along, "mean", data=drawn, **pen.line | {"marker": pen.marker or "."}, label=name_of(curve))
    axes.fill_between(along, "low", "high", data=drawn, color=pen.color, alpha=0.2, linewidth=0)
