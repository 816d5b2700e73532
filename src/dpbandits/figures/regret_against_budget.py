"""Final regret against the privacy budget, one line per curve."""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.ticker as ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.looks import BUDGETS, WORDS, budget_of, name_of, pen_of, trust_models
from dpbandits.figures.style import AXES, Margins, canvas, finished, legend_above, plain_logarithm, style

Rows = Mapping[str, np.ndarray]


def draw(curves: Mapping[str, Rows], title: str, notes: Sequence[str]) -> Figure:
    """Two panels with the same data: regret on a linear axis, as the paper has it, and on a logarithmic one.

    Parameters
    ----------
    curves : rows of the summary at the horizon for every curve: `eps` (NaN for one without a budget, drawn as a
        horizontal line), `mean`, `low`, `high`.
    notes : for the caption.
    """
    budgets = np.concatenate([rows["eps"] for rows in curves.values()])
    least = float(budgets[~np.isnan(budgets)].min(initial=np.inf))
    with style():
        figure = canvas(8.2, 4.2)
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            for curve, rows in curves.items():
                _line(axes, curve, rows, least)
            axes.set_xscale("log")
            plain_logarithm(axes.xaxis, fine=True)
            axes.set_xlabel(_budget(curves))
            axes.set_ylabel("regret $R_T$")
        left.set_ylim(bottom=0)
        left.yaxis.set_major_formatter(ticker.EngFormatter(sep=""))
        left.set_title("linear axis", loc="left", fontsize=9)
        right.set_yscale("log")
        plain_logarithm(right.yaxis, fine=True)
        right.set_title("logarithmic axis", loc="left", fontsize=9)
        return finished(figure, title, notes, Margins(left=0.75, top=legend_above(figure)), curves)


def _budget(curves: Iterable[str]) -> str:
    """The label of the budget: `privacy budget ε (local: ε₀)` where a curve is local."""
    others = [model for model in trust_models(curves) if model in BUDGETS]
    return AXES["eps"] + "".join(f" ({WORDS[model]}: {BUDGETS[model]})" for model in others)


def _line(axes: Axes, curve: str, rows: Rows, least: float) -> None:
    """The value of a curve without a budget stands at the least one, where the curves lie far apart."""
    pen, label = pen_of(curve), name_of(curve)
    texts = values.of_rows(label, curve, values.letters(budget_of(curve)), "eps", "regret", rows)
    if np.isnan(rows["eps"]).all():
        values.mark(axes, [least], rows["mean"][:1], texts[:1])
        axes.axhline(rows["mean"][0], **pen.line | {"marker": ""}, label=label)
        axes.axhspan(rows["low"][0], rows["high"][0], color=pen.color, alpha=0.12, linewidth=0)
        return
    values.mark(axes, rows["eps"], rows["mean"], texts)
    axes.plot(rows["eps"], rows["mean"], **pen.line, label=label)
    axes.fill_between(rows["eps"], rows["low"], rows["high"], color=pen.color, alpha=0.2, linewidth=0)
