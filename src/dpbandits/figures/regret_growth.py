"""Final regret against a setting on logarithmic axes, one line per curve, one panel per value of another setting."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.style import (
    AXES,
    Margins,
    footed,
    legend_above,
    look_of,
    name_of,
    plain,
    plain_logarithm,
    sign_of,
    style,
)

Rows = Mapping[str, np.ndarray]


FEW = 30.0  # ratio of the ends of an axis below which every value has a tick
REFERENCES = ("regret_floor", "regret_rate")
"""Curves that are no algorithm but what regret is measured against."""


def draw(panels: Mapping[str, Mapping[str, Rows]], along: str, title: str, notes: Sequence[str]) -> Figure:
    """One panel each, under one legend.

    Along the horizon with a thin line of slope 1/2 below the lowest curve, where there is no other reference. A curve
    that does not depend on the setting is a line across.

    Parameters
    ----------
    panels : by the title of the panel, rows of the summary at the horizon for every curve: `along`, `mean`, `low`,
        `high`.
    along : the setting on the horizontal axis.
    notes : lines below the panels.
    """
    with style():
        figure = Figure(figsize=(8.2, 4.2))
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, curves) in zip(every, panels.items(), strict=True):
            settings = np.unique(np.concatenate([rows[along] for rows in curves.values()]))
            settings = settings[~np.isnan(settings)]
            for curve, rows in curves.items():
                _line(axes, curve, rows, along, settings)
            if along == "T" and not any(curve.partition(":")[0] in REFERENCES for curve in curves):
                lowest = min(curves.values(), key=lambda rows: rows["mean"][0])
                guide = 0.6 * lowest["mean"][0] * np.sqrt(lowest["T"] / lowest["T"][0])
                axes.plot(lowest["T"], guide, color="#888888", linewidth=0.8, label=r"$\propto \sqrt{T}$")
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.yaxis, fine=True)
            if settings[-1] < FEW * settings[0]:
                axes.set_xticks(settings, [plain(value) for value in settings])
                axes.set_xticks([], minor=True)
            else:
                plain_logarithm(axes.xaxis)
            axes.set_xlabel(AXES[along])
            axes.set_title(name, loc="left", fontsize=9)
        figure.axes[0].set_ylabel("regret $R_T$")
        return footed(figure, title, notes, Margins(right=0.25, top=legend_above(figure), between=0.1))


def _line(axes: Axes, curve: str, rows: Rows, along: str, settings: np.ndarray) -> None:
    """The value of a line across stands at the first setting."""
    look = look_of(curve)
    texts = values.of_rows(name_of(curve), curve, values.letters(sign_of(along)), along, "regret", rows)
    if np.isnan(rows[along]).all():
        values.mark(axes, settings[:1], rows["mean"][:1], texts[:1])
        axes.axhline(float(rows["mean"][0]), color=look.colour, linestyle=look.dash, label=name_of(curve))
        axes.axhspan(float(rows["low"][0]), float(rows["high"][0]), color=look.colour, alpha=0.2, linewidth=0)
        return
    values.mark(axes, rows[along], rows["mean"], texts)
    axes.plot(
        rows[along],
        rows["mean"],
        color=look.colour,
        marker=look.marker or ".",
        linestyle=look.dash,
        label=name_of(curve),
    )
    axes.fill_between(rows[along], rows["low"], rows["high"], color=look.colour, alpha=0.2, linewidth=0)
