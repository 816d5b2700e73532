"""Closed-form figures of Hanna et al. for every batch: local epsilons under shuffling, and confidence widths."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.claims.closed_forms.hanna2022 import functions as formulas
from dpbandits.figures import values
from dpbandits.figures.frames import by
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.privacy.shuffling import valid_range
from dpbandits.text.names import name_of
from dpbandits.text.text import number

EPS = r"$\varepsilon$"
SHUFFLED = "phased_elimination_shuffled"


def amplification(
    calibration: str, horizon: int, delta: float, eps: Sequence[float], title: str, notes: Sequence[str]
) -> Figure:
    """Draw the actual local epsilon of a report by batch, the theorem's range, and the budget; one panel per budget."""
    rows = pd.DataFrame(amplification_rows(calibration, horizon, delta, eps))
    with style():
        figure = canvas(8.2, 3.8)
        places = figure.subplots(1, len(eps), sharey=True)
        for axes, (each, own) in zip(places, rows.groupby("eps", sort=False), strict=True):
            covered = own[own["range_of_the_theorem"] > 0.0]
            line, dotted = pen_of(SHUFFLED).line, {"color": "#000000", "linestyle": ":"}
            axes.plot("reports", "actual_local_epsilon", data=own, **line, label="actual local epsilon")
            axes.plot("reports", "range_of_the_theorem", data=covered, **dotted, label="range of the theorem")
            axes.axhline(each, color="#666666", linestyle="--", label=f"budget {EPS}")
            _mark(axes, f"actual local epsilon ({calibration})", own, "reports", "actual_local_epsilon")
            _mark(axes, "range of the theorem", covered, "reports", "range_of_the_theorem")
            values.mark(axes, own["reports"][:1], [each], [f"budget ε = {each:g}"])
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.xaxis)
            plain_logarithm(axes.yaxis)
            axes.set_xlabel("reports in the batch $n_i$")
            axes.set_title(f"{EPS} = {each:g}", loc="left", fontsize=9)
        figure.axes[0].set_ylabel("local epsilon")
        return finished(figure, title, notes, told_apart(figure, Margins(between=0.1)), [SHUFFLED])


def _mark(axes: Axes, name: str, rows: pd.DataFrame, size: str, value: str, what: str = "") -> None:
    """Attach values to a curve over the batches."""
    places = zip(rows[size], rows[value], strict=True)
    texts = [f"{name}: batch of {n:,}, {what}{number(height)}" for n, height in places]
    values.mark(axes, rows[size], rows[value], texts)


def widths(
    calibration: str,
    horizon: int,
    delta: float,
    eps: Sequence[float],
    arms: int,
    core_factor: float,
    title: str,
    notes: Sequence[str],
) -> Figure:
    """Draw the width of every batch with all actions active, by algorithm, one panel per budget."""
    rows = pd.DataFrame(widths_rows(calibration, horizon, delta, eps, arms, core_factor))
    rows["rounds"] = rows["batch"].map(dict(enumerate(formulas.batch_sizes(horizon), start=1)))
    top = 1.6 * rows["width"].max()
    with style():
        figure = canvas(8.2, 3.8)
        places = figure.subplots(1, len(eps), sharey=True)
        for axes, (each, panel) in zip(places, rows.groupby("eps", sort=False), strict=True):
            for curve, own in by("algorithm", panel):
                _mark(axes, values.named(name_of(curve), curve, calibration), own, "rounds", "width", "width ")
                axes.plot("rounds", "width", data=own, **pen_of(curve).line, label=name_of(curve))
            axes.axhspan(1.0, top, color="#888888", alpha=0.15, linewidth=0)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylim(top=top)
            plain_logarithm(axes.xaxis)
            plain_logarithm(axes.yaxis)
            axes.set_xlabel("rounds in the batch $q^i$")
            axes.set_title(f"{EPS} = {each:g}; gray: nothing can be dropped", loc="left", fontsize=9)
        figure.axes[0].set_ylabel(r"confidence width $\gamma_i$")
        return finished(figure, title, notes, told_apart(figure, Margins(between=0.1)), rows["algorithm"].unique())


def amplification_rows(calibration: str, horizon: int, delta: float, eps: Sequence[float]) -> list[dict[str, Any]]:
    """Rows of the figure `amplification`."""
    return [
        {
            "calibration": calibration,
            "eps": each,
            "batch": i,
            "reports": n,
            "actual_local_epsilon": formulas.RANGE / scale,
            "range_of_the_theorem": valid_range(n, delta),
        }
        for each in eps
        for i, (n, scale) in enumerate(
            zip(
                formulas.batch_sizes(horizon),
                formulas.report_scales(calibration, horizon, delta, each),
                strict=True,
            ),
            start=1,
        )
    ]


def widths_rows(
    calibration: str, horizon: int, delta: float, eps: Sequence[float], arms: int, core_factor: float
) -> list[dict[str, Any]]:
    """Rows of the figure `widths`."""
    return [
        {"calibration": calibration, "eps": each, "batch": i, "algorithm": curve, "width": value}
        for each in eps
        for curve, values in formulas.widths(calibration, horizon, delta, each, arms, core_factor).items()
        for i, value in enumerate(values, start=1)
    ]
