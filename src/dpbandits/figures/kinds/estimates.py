"""Draw estimates with intervals: one row per reading, one panel per setting, one marker per curve."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.frames import by
from dpbandits.figures.layout import Margins, canvas, finished
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.escapes import in_picture
from dpbandits.text.names import name_of
from dpbandits.text.text import NOTHING, interval

SHOWN = (0.5, 500.0)  # limits of the axis; values beyond are cut, and the notes say so


def draw(estimates: pd.DataFrame, axis: str, title: str, notes: Sequence[str]) -> Figure:
    """Draw a dot plot on a logarithmic axis.

    Parameters
    ----------
    estimates : columns `panel`, `reading`, `curve`, `estimate`, and the ends of its interval, `low` and `high` (inf if
        unbounded). A panel may lack some curves.
    axis : label of the estimates.
    """
    readings, curves = list(estimates["reading"].unique()), list(estimates["curve"].unique())
    panels = list(by("panel", estimates)) or [(NOTHING, estimates)]
    with style():
        figure = canvas(8.2, 1.7 + 0.32 * max(1, len(readings)))
        places = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, rows) in zip(places, panels, strict=True):
            for curve, own in by("curve", rows):
                end = own["high"].where(own["high"] < math.inf, SHOWN[1])
                pen, shift = pen_of(curve), 0.22 * (curves.index(curve) - (len(curves) - 1) / 2)
                x, y = own["estimate"], own["reading"].map(readings.index) + shift
                texts = [f"{name_of(curve)}, {row.reading}: {axis} {_interval(row)}" for row in own.itertuples()]
                values.mark(axes, x, y, texts)
                axes.hlines(y, own["low"].clip(lower=SHOWN[0]), end, color=pen.color, linewidth=1.2)
                axes.plot(x, y, **pen.line | {"linestyle": ""}, label=name_of(curve))
            axes.axvline(1.0, color="#888888", linewidth=0.8)
            axes.set_xscale("log")
            axes.set_xlim(*SHOWN)
            plain_logarithm(axes.xaxis)
            axes.set_xlabel(axis)
            axes.set_title(name, loc="left", fontsize=9)
            axes.grid(visible=False, axis="y")
        first = figure.axes[0]
        first.set_yticks(range(len(readings)), map(in_picture, readings))
        first.set_ylim(len(readings) - 0.4, -0.6)
        handles = {
            label: line for each in figure.axes for line, label in zip(*each.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles, loc="upper right", ncols=max(1, len(handles)))
        return finished(figure, title, notes, Margins(left=1.85, top=0.75, between=0.1), curves)


def _interval(row: Any) -> str:
    """Text of an estimate: `1.5 [1.25, ∞]`."""
    estimate, *ends = (each if math.isfinite(each) else None for each in (row.estimate, row.low, row.high))
    return interval({"estimate": estimate, "interval": ends})
