"""Closed-form figures of Hu et al., arXiv 2102.07929."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpbandits.audits.mechanisms.report_noisy_max import ReportNoisyMax
from dpbandits.audits.papers.hu2021 import leader_scale
from dpbandits.base.entries import Look
from dpbandits.figures import values
from dpbandits.figures.layout import Margins, canvas, finished
from dpbandits.figures.style import pen, style
from dpbandits.text.names import trust_model_of
from dpbandits.text.text import number

EPS = r"$\varepsilon$"
LEADER = "rnm_ftnl"
LOOKS = (Look("o", "-"), Look("s", "--", "dark"), Look("^", ":", "light"))
"""Line styles of the budgets."""


def noisy_max(
    calibration: str, eps: Sequence[float], rounds: Sequence[int], title: str, notes: Sequence[str]
) -> Figure:
    """Draw the exact epsilon of the noisy leader of two actions over eps, against the rounds of an epoch."""
    with style():
        figure = canvas(6.2, 3.8)
        axes = figure.subplots()
        found = pd.DataFrame(noisy_max_rows(calibration, eps, rounds))
        parts = found.assign(part=found["epsilon"] / found["eps"])
        pens = [pen(trust_model_of(LEADER), look) for look in LOOKS]
        for (each, own), drawn in zip(parts.groupby("eps", sort=False), pens, strict=False):
            texts = [
                f"ε = {each:g} ({calibration}): {n:,} rounds, actual epsilon {number(part)} of ε"
                for n, part in zip(own["rounds"], own["part"], strict=True)
            ]
            values.mark(axes, own["rounds"], own["part"], texts)
            axes.plot("rounds", "part", data=own, **drawn.line, label=f"{EPS} = {each:g}")
        axes.axhline(1.0, color="#000000", linewidth=1.0)
        axes.annotate("claimed", (rounds[0], 1.0), xytext=(0, -11), textcoords="offset points", fontsize=8)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(0.0, 2.1)
        axes.set_xlabel("rounds of the epoch")
        axes.set_ylabel(f"actual epsilon / {EPS}")
        axes.legend(loc="lower right")
        return finished(figure, title, notes, Margins(), [LEADER])


def noisy_max_rows(calibration: str, eps: Sequence[float], rounds: Sequence[int]) -> list[dict[str, Any]]:
    """Rows of the figure `noisy_max`."""
    return [
        {"calibration": calibration, "eps": each, "rounds": n, "epsilon": epsilon_of_the_leader(calibration, each, n)}
        for each in eps
        for n in rounds
    ]


def epsilon_of_the_leader(calibration: str, eps: float, rounds: int) -> float:
    """Exact epsilon of the noisy leader of two actions after an epoch of `rounds` rounds."""
    return ReportNoisyMax(leader_scale(LEADER, calibration, {"eps": eps}), rounds).loss
