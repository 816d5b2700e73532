"""Draw final regret against the privacy budget, one line per curve."""

from collections.abc import Iterable, Sequence

import matplotlib.ticker as ticker
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.frames import by
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.names import AXES, BUDGETS, WORDS, budget_of, name_of, trust_models


def draw(lines: pd.DataFrame, title: str, notes: Sequence[str]) -> Figure:
    """Draw the same data twice: with regret on a linear axis, as in the paper, and on a logarithmic one.

    Parameters
    ----------
    lines : rows at the horizon: `curve`, `eps` (NaN for a curve without a budget, drawn as a horizontal line), `mean`,
        `low`, `high`.
    notes : for the caption.
    """
    curves, least = lines["curve"].unique(), float(lines["eps"].min())
    with style():
        figure = canvas(8.2, 4.2)
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            for curve, rows in by("curve", lines):
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
        return finished(figure, title, notes, told_apart(figure, Margins()), curves)


def _budget(curves: Iterable[str]) -> str:
    """Label of the budget axis: `privacy budget ε (local: ε₀)` if a curve is local."""
    others = [model for model in trust_models(curves) if model in BUDGETS]
    return AXES["eps"] + "".join(f" ({WORDS[model]}: {BUDGETS[model]})" for model in others)


def _line(axes: Axes, curve: str, rows: pd.DataFrame, least: float) -> None:
    """Draw one curve. A curve without a budget carries its value at the smallest budget, where curves lie far apart."""
    pen, label = pen_of(curve), name_of(curve)
    texts = values.of_rows(label, curve, values.letters(budget_of(curve)), "eps", "regret", rows)
    if rows["eps"].isna().all():
        one = rows.iloc[0]
        values.mark(axes, [least], [one["mean"]], texts[:1])
        axes.axhline(one["mean"], **pen.line | {"marker": ""}, label=label)
        axes.axhspan(one["low"], one["high"], color=pen.color, alpha=0.12, linewidth=0)
        return
    values.mark(axes, rows["eps"], rows["mean"], texts)
    axes.plot(rows["eps"], rows["mean"], **pen.line, label=label)
    axes.fill_between(rows["eps"], rows["low"], rows["high"], color=pen.color, alpha=0.2, linewidth=0)
