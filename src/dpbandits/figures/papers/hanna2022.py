"""What the formulas of Hanna et al. say about every batch: local epsilons under shuffling, and confidence widths."""

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.claims.closed_forms.hanna2022 import functions as formulas
from dpbandits.figures import values
from dpbandits.figures.looks import name_of, pen_of
from dpbandits.figures.style import Margins, canvas, finished, legend_above, plain_logarithm, style
from dpbandits.privacy.shuffling import valid_range
from dpbandits.text.text import number

EPS = r"$\varepsilon$"
SHUFFLED = "phased_elimination_shuffled"


def amplification(
    calibration: str, horizon: int, delta: float, eps: Sequence[float], title: str, notes: Sequence[str]
) -> Figure:
    """actual local epsilon of a report by batch, with what the theorem covers and the budget, one panel per budget."""
    sizes = formulas.batch_sizes(horizon)
    with style():
        figure = canvas(8.2, 3.8)
        for axes, each in zip(figure.subplots(1, len(eps), sharey=True), eps, strict=True):
            scales = formulas.report_scales(calibration, horizon, delta, each)
            pen = pen_of(SHUFFLED)
            epsilons = [formulas.RANGE / scale for scale in scales]
            axes.plot(sizes, epsilons, **pen.line, label="actual local epsilon")
            covered = [(n, valid_range(n, delta)) for n in sizes if valid_range(n, delta) > 0.0]
            axes.plot(*zip(*covered, strict=True), color="#000000", linestyle=":", label="range of the theorem")
            axes.axhline(each, color="#666666", linestyle="--", label=f"budget {EPS}")
            _mark(axes, f"actual local epsilon ({calibration})", zip(sizes, epsilons, strict=True))
            _mark(axes, "range of the theorem", covered)
            values.mark(axes, sizes[:1], [each], [f"budget ε = {each:g}"])
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.xaxis)
            plain_logarithm(axes.yaxis)
            axes.set_xlabel("reports in the batch $n_i$")
            axes.set_title(f"{EPS} = {each:g}", loc="left", fontsize=9)
        figure.axes[0].set_ylabel("local epsilon")
        return finished(figure, title, notes, Margins(top=legend_above(figure), between=0.1), [SHUFFLED])


def _mark(axes: Axes, name: str, points: Iterable[tuple[int, float]], what: str = "") -> None:
    """What a curve over the batches has at each."""
    places = list(points)
    texts = [f"{name}: batch of {size:,}, {what}{number(value)}" for size, value in places]
    values.mark(axes, [size for size, _ in places], [value for _, value in places], texts)


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
    """Width of every batch with all actions active, by algorithm, one panel per budget."""
    sizes = formulas.batch_sizes(horizon)
    every = [formulas.widths(calibration, horizon, delta, each, arms, core_factor) for each in eps]
    top = 1.6 * max(max(own) for found in every for own in found.values())
    with style():
        figure = canvas(8.2, 3.8)
        for axes, each, found in zip(figure.subplots(1, len(eps), sharey=True), eps, every, strict=True):
            for curve, own in found.items():
                pen = pen_of(curve)
                _mark(axes, values.named(name_of(curve), curve, calibration), zip(sizes, own, strict=True), "width ")
                axes.plot(sizes, own, **pen.line, label=name_of(curve))
            axes.axhspan(1.0, top, color="#888888", alpha=0.15, linewidth=0)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylim(top=top)
            plain_logarithm(axes.xaxis)
            plain_logarithm(axes.yaxis)
            axes.set_xlabel("rounds in the batch $q^i$")
            axes.set_title(f"{EPS} = {each:g}; gray: nothing can be dropped", loc="left", fontsize=9)
        figure.axes[0].set_ylabel(r"confidence width $\gamma_i$")
        return finished(figure, title, notes, Margins(top=legend_above(figure), between=0.1), every[0])


def amplification_rows(calibration: str, horizon: int, delta: float, eps: Sequence[float]) -> list[dict[str, Any]]:
    """What `amplification` draws, row by row."""
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
    """What `widths` draws, row by row."""
    return [
        {"calibration": calibration, "eps": each, "batch": i, "algorithm": curve, "width": value}
        for each in eps
        for curve, values in formulas.widths(calibration, horizon, delta, each, arms, core_factor).items()
        for i, value in enumerate(values, start=1)
    ]
