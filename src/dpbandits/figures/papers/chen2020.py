"""Closed-form figures of Chen et al., arXiv 2006.00706."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpbandits.claims.closed_forms.chen2020.horizons import WIDTHS, learnable_horizon
from dpbandits.config.curves import whole
from dpbandits.config.loading import Paper
from dpbandits.environments.combinatorial import (
    any_subsets,
    coverage,
    disjoint_sets,
    grid_paths,
    karate_club,
    matchings,
    public_arms,
    public_bottleneck,
    spanning_trees,
)
from dpbandits.environments.combinatorial.problem import BOTTLENECK, LINEAR
from dpbandits.environments.combinatorial.smoothness import smoothness
from dpbandits.figures import values
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import pen_of, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.names import name_of
from dpbandits.text.text import number

EPS = r"$\varepsilon$"
CURVES = {
    "CUCB": "cucb",
    "CUCB-DP": "cucb_dp",
    "CUCB-LDP2": "cucb_ldp2",
    "CUCB-LDP1": "cucb_ldp1",
    "CUCB-LDP1, K^2": "cucb_ldp1:k2",
}
"""Curves of other figures whose styles the closed-form curves share."""
ACROSS, WIDTH, HEIGHT = 3, 8.2, 2.5  # panels per row; inches: width of the figure, height of a row of panels


def learnable(
    calibration: str,
    arms: Sequence[float],
    size: Sequence[float],
    gap: Sequence[float],
    eps: Sequence[float],
    title: str,
    notes: Sequence[str],
) -> Figure:
    """Draw the smallest horizon at which all suboptimal disjoint paths can be dropped, over eps, by setting."""
    rows = pd.DataFrame(learnable_rows(calibration, arms, size, gap, eps)).set_index(["arms", "size", "gap"])
    with style():
        down = math.ceil(len(arms) / ACROSS)
        figure = canvas(WIDTH, 1.4 + HEIGHT * down)
        places = figure.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in places[len(arms) :]:
            axes.remove()
        for axes, (m, k, d) in zip(places, settings(arms, size, gap), strict=False):
            panel = rows.loc[(m, k, d)]
            for name, curve in CURVES.items():
                own, label = panel[panel["algorithm"] == name], name_of(curve)
                places_of = zip(own["eps"], own["horizon"], strict=True)
                texts = [f"{label}: ε = {each:g}, T = {number(t)}" for each, t in places_of]
                values.mark(axes, own["eps"], own["horizon"], texts)
                axes.plot("eps", "horizon", data=own, **pen_of(curve).line, label=label)
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.xaxis, fine=True)
            plain_logarithm(axes.yaxis)
            axes.set_title(rf"$m$ = {m:g}, $K$ = {k:g}, gap of an arm {d:g}", loc="left", fontsize=9)
        for axes in figure.axes[-ACROSS:]:
            axes.set_xlabel(f"privacy budget {EPS}")
            axes.tick_params(labelbottom=True)
        for axes in figure.axes[::ACROSS]:
            axes.set_ylabel("smallest horizon $T$")
        return finished(figure, title, notes, told_apart(figure, Margins(between=0.1, rows=0.3)), CURVES.values())


def learnable_rows(
    calibration: str, arms: Sequence[float], size: Sequence[float], gap: Sequence[float], eps: Sequence[float]
) -> list[dict[str, Any]]:
    """Rows of the figure `learnable`."""
    check(calibration)
    return [
        {
            "calibration": calibration,
            "arms": m,
            "size": k,
            "gap": d,
            "eps": each,
            "algorithm": name,
            "horizon": learnable_horizon(name, m, k, d, each),
        }
        for m, k, d in settings(arms, size, gap)
        for name in WIDTHS
        for each in eps
    ]


def settings(arms: Sequence[float], size: Sequence[float], gap: Sequence[float]) -> list[tuple[float, float, float]]:
    """m, K and gap of each panel."""
    return list(zip(arms, size, gap, strict=True))


def check(calibration: str) -> None:
    """Raise unless the calibration is `printed`.

    Raises
    ------
    ValueError
        Another calibration.
    """
    if calibration != "printed":
        raise ValueError(f"no smallest horizons for calibration {calibration}")


FAMILIES = (disjoint_sets, public_arms, public_bottleneck, any_subsets, grid_paths, spanning_trees, matchings, coverage)
MODELS = {family.__name__.rpartition(".")[2]: family for family in (*FAMILIES, karate_club)}


def model_rows(paper: Paper) -> list[dict[str, str]]:
    """One row per decision set and reward of the experiments: number of arms, and smoothness of the reward.

    The base arms m and the super-arm size K are those of the first instance at the last grid point, in the experiment
    with the largest K.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for section in paper.experiments.values():
        last = section.settings[-1]
        given: dict[str, Any] = dict(section.environment)
        given |= {name: whole(value) for name, value in last.items() if name in given}
        family = given.pop("family")
        (problem,) = MODELS[family].draw(np.random.default_rng(0), **given)
        one, largest = smoothness(problem)
        reward = given.get("reward", {LINEAR: "linear", BOTTLENECK: "bottleneck"}.get(problem.reward, "coverage"))
        if (family, reward) in rows and int(rows[family, reward]["K"]) >= problem.size:
            continue
        rows[family, reward] = {
            "decision set": family.replace("_", " "),
            "reward": reward.replace("_", " "),
            "m": f"{len(problem.means)}",
            "K": f"{problem.size}",
            "B_1": f"{one:g}",
            "B_infinity": f"{largest:g}" if largest == 1.0 else "K",
        }
    return list(rows.values())
