"""Final regret against the privacy budget, one line per curve."""

from collections.abc import Mapping, Sequence

import matplotlib.ticker as ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.style import AXES, Margins, footed, look_of, name_of, plain_logarithm, style

Rows = Mapping[str, np.ndarray]
LOCAL = r" (local: $\varepsilon_0$)"  # what a budget is called where a curve is local


def draw(curves: Mapping[str, Rows], title: str, notes: Sequence[str]) -> Figure:
    """Two panels with the same data: regret on a linear axis, as the paper has it, and on a logarithmic one.

    Parameters
    ----------
    curves : rows of the summary at the horizon for every curve: `eps` (NaN for one without a budget, drawn as a
        horizontal line), `mean`, `low`, `high`.
    notes : lines below the panels.
    """
    budgets = np.concatenate([rows["eps"] for rows in curves.values()])
    least = float(budgets[~np.isnan(budgets)].min(initial=np.inf))
    with style():
        figure = Figure(figsize=(8.2, 4.0))
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            for curve, rows in curves.items():
                _line(axes, curve, rows, least)
            axes.set_xscale("log")
            plain_logarithm(axes.xaxis)
            axes.set_xlabel(AXES["eps"] + LOCAL * any("local" in curve for curve in curves))
            axes.set_ylabel("regret $R_T$")
        left.set_ylim(bottom=0)
        left.yaxis.set_major_formatter(ticker.EngFormatter(sep=""))
        left.set_title("linear axis", loc="left", fontsize=9)
        right.set_yscale("log")
        plain_logarithm(right.yaxis, fine=True)
        right.set_title("logarithmic axis", loc="left", fontsize=9)
        right.legend(loc="upper right")
        return footed(figure, title, notes, Margins())


def _line(axes: Axes, curve: str, rows: Rows, least: float) -> None:
    """The value of a curve without a budget stands at the least one, where the curves lie far apart."""
    look, label = look_of(curve), name_of(curve)
    texts = values.of_rows(label, curve, "ε₀" if "local" in curve else "ε", "eps", "regret", rows)
    if np.isnan(rows["eps"]).all():
        values.mark(axes, [least], rows["mean"][:1], texts[:1])
        axes.axhline(rows["mean"][0], color=look.colour, linestyle=look.dash, label=label)
        axes.axhspan(rows["low"][0], rows["high"][0], color=look.colour, alpha=0.12, linewidth=0)
        return
    values.mark(axes, rows["eps"], rows["mean"], texts)
    axes.plot(rows["eps"], rows["mean"], color=look.colour, marker=look.marker, linestyle=look.dash, label=label)
    axes.fill_between(rows["eps"], rows["low"], rows["high"], color=look.colour, alpha=0.2, linewidth=0)
