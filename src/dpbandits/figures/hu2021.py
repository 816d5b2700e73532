"""Figures from closed forms of Hu et al., arXiv 2102.07929."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from dpbandits.audits.hu2021 import leader_scale
from dpbandits.audits.report_noisy_max import ReportNoisyMax
from dpbandits.figures import values
from dpbandits.figures.style import Margins, footed, style
from dpbandits.report.text import number

EPS = r"$\varepsilon$"
LOOKS = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", ":"))
"""Colour, marker and dash of the budgets."""


def noisy_max(
    calibration: str, eps: Sequence[float], rounds: Sequence[int], title: str, notes: Sequence[str]
) -> Figure:
    """Exact level of the noisy leader of two actions over eps, against the rounds of an epoch."""
    with style():
        figure = Figure(figsize=(6.2, 3.8))
        axes = figure.subplots()
        for each, (colour, marker, dash) in zip(eps, LOOKS, strict=False):
            levels = [level_of_the_leader(calibration, each, n) / each for n in rounds]
            texts = [
                f"ε = {each:g} ({calibration}): {n:,} rounds, true level {number(level)} of ε"
                for n, level in zip(rounds, levels, strict=True)
            ]
            values.mark(axes, rounds, levels, texts)
            axes.plot(rounds, levels, color=colour, marker=marker, linestyle=dash, label=f"{EPS} = {each:g}")
        axes.axhline(1.0, color="#000000", linewidth=1.0)
        axes.annotate("claimed", (rounds[0], 1.0), xytext=(0, -11), textcoords="offset points", fontsize=8)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(0.0, 2.1)
        axes.set_xlabel("rounds of the epoch")
        axes.set_ylabel(f"true level / {EPS}")
        axes.legend(loc="lower right")
        return footed(figure, title, notes, Margins())


def noisy_max_rows(calibration: str, eps: Sequence[float], rounds: Sequence[int]) -> list[dict[str, Any]]:
    """What `noisy_max` draws, row by row."""
    return [
        {"calibration": calibration, "eps": each, "rounds": n, "level": level_of_the_leader(calibration, each, n)}
        for each in eps
        for n in rounds
    ]


def level_of_the_leader(calibration: str, eps: float, rounds: int) -> float:
    """Exact level of the noisy leader of two actions after an epoch of so many rounds."""
    return ReportNoisyMax(leader_scale("noisy_leader", calibration, {"eps": eps}), rounds).loss
