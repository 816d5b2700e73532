"""Final regret against a setting on logarithmic axes, one line per curve, one panel per value of another setting."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from dpbandits.figures.style import AXES, Margins, footed, look_of, name_of, plain_logarithm, style

Rows = Mapping[str, np.ndarray]


def draw(panels: Mapping[str, Mapping[str, Rows]], along: str, title: str, notes: Sequence[str]) -> Figure:
    """One panel each; along the horizon with a thin line of slope 1/2 below the lowest curve.

    Parameters
    ----------
    panels : by the title of the panel, rows of the summary at the horizon for every curve: `along`, `mean`, `low`,
        `high`.
    along : the setting on the horizontal axis.
    notes : lines below the panels.
    """
    with style():
        figure = Figure(figsize=(8.2, 4.0))
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, curves) in zip(every, panels.items(), strict=True):
            for curve, rows in curves.items():
                look = look_of(curve)
                marker = look.marker or "."
                axes.plot(
                    rows[along],
                    rows["mean"],
                    color=look.colour,
                    marker=marker,
                    linestyle=look.dash,
                    label=name_of(curve),
                )
                axes.fill_between(rows[along], rows["low"], rows["high"], color=look.colour, alpha=0.2, linewidth=0)
            if along == "T":
                lowest = min(curves.values(), key=lambda rows: rows["mean"][0])
                guide = 0.6 * lowest["mean"][0] * np.sqrt(lowest["T"] / lowest["T"][0])
                axes.plot(lowest["T"], guide, color="#888888", linewidth=0.8, label=r"$\propto \sqrt{T}$")
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.xaxis)
            plain_logarithm(axes.yaxis, fine=True)
            axes.set_xlabel(AXES[along])
            axes.set_title(name, loc="left", fontsize=9)
        figure.axes[0].set_ylabel("regret $R_T$")
        figure.axes[-1].legend(loc="best")
        return footed(figure, title, notes, Margins(right=0.25, between=0.1))
