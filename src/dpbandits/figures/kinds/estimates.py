"""Estimates with intervals, one row per reading, one panel per setting, one marker per curve."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.layout import Margins, canvas, finished
from dpbandits.figures.names import name_of
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.text import interval

SHOWN = (0.5, 500.0)  # of the axis; what lies beyond is cut, as the notes say


def draw(panels: Mapping[str, Sequence[Mapping[str, Any]]], axis: str, title: str, notes: Sequence[str]) -> Figure:
    """A dot plot on a logarithmic axis.

    Parameters
    ----------
    panels : by the title of the panel, details of a measurement: `reading`, `curve`, `estimate`, `interval`; not every
        curve is in each.
    axis : label of the estimates.
    """
    readings = list(dict.fromkeys(row["reading"] for rows in panels.values() for row in rows))
    curves = list(dict.fromkeys(row["curve"] for rows in panels.values() for row in rows))
    with style():
        figure = canvas(8.2, 1.7 + 0.32 * max(1, len(readings)))
        places = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, rows) in zip(places, panels.items(), strict=True):
            for k, curve in enumerate(curves):
                own = [row for row in rows if row["curve"] == curve]
                if not own:
                    continue
                pen, shift = pen_of(curve), 0.22 * (k - (len(curves) - 1) / 2)
                y = np.array([readings.index(row["reading"]) + shift for row in own])
                x = np.array([row["estimate"] for row in own])
                low, high = np.array([row["interval"] for row in own], dtype=float).T
                texts = [f"{name_of(curve)}, {row['reading']}: {axis} {interval(row)}" for row in own]
                values.mark(axes, x, y, texts)
                axes.hlines(y, np.maximum(low, SHOWN[0]), high, color=pen.color, linewidth=1.2)
                axes.plot(x, y, **pen.line | {"linestyle": ""}, label=name_of(curve))
            axes.axvline(1.0, color="#888888", linewidth=0.8)
            axes.set_xscale("log")
            axes.set_xlim(*SHOWN)
            plain_logarithm(axes.xaxis)
            axes.set_xlabel(axis)
            axes.set_title(name, loc="left", fontsize=9)
            axes.grid(visible=False, axis="y")
        first = figure.axes[0]
        first.set_yticks(range(len(readings)), readings)
        first.set_ylim(len(readings) - 0.4, -0.6)
        handles = {
            label: line for each in figure.axes for line, label in zip(*each.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles, loc="upper right", ncols=max(1, len(handles)))
        return finished(figure, title, notes, Margins(left=1.85, top=0.75, between=0.1), curves)
