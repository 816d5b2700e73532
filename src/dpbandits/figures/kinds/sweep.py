"""Draw curves played by `dpbandits run`: mean regret with 95 % intervals, and the published curves in gray.

The horizontal axis is the setting that varies, with one panel per value of a second one. If none varies, it is the
round.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.base.parquet import read_table
from dpbandits.config.curves import Curve, Setting
from dpbandits.config.loading import Paper
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures.layout import Margins, canvas, finished, told_apart
from dpbandits.figures.style import Pen, pen_of, style
from dpbandits.figures.ticks import plain, plain_logarithm
from dpbandits.text.names import AXES, sign_of
from dpbandits.text.sweeps import Played

MOST_PANELS, BESIDE = 6, 2  # panels per row; this many leave room for a title with several settings on one line
TITLE = 0.16  # height of a line of a title, inches
OWN = ("#cc79a7", "#e69f00", "#56b4e9", "#f0e442")  # for the user's own classes; not a color of a trust model
MARKERS = ("o", "s", "^", "D")
DASHES = ("-", "--", ":", "-.")  # by calibration, if there are several
GRAY = "#bbbbbb"
GRAY_PEN = Pen(GRAY, "", "-", 2.6, 4.0, 1.5)
DECADES = 8.0  # axes that span a larger ratio are logarithmic


def draw(every: Sequence[Played], paper: Paper, experiment: str, figures: Path) -> Figure:
    """Draw all curves.

    Parameters
    ----------
    figures : folder with the results to draw in gray, if it has them.

    Raises
    ------
    ConfigError
        Too many settings vary.
    """
    along, panels = layout([each.curve for each in every])
    committed = _summary_in(figures / paper.key / "data", experiment)
    lines = lines_of(every, along, panels)
    several = len({each.calibration for each in every}) > 1
    with style():
        figure = canvas(8.2, 4.2)
        places = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        known, folded = False, len(panels) > BESIDE
        for axes, (title, held) in zip(places, panels.items(), strict=True):
            for k, (each, pen) in enumerate(zip(every, _pens(every), strict=True)):
                line = lines[(lines["panel"] == title) & (lines["line"] == k)]
                gray = _gray(committed, each, along, held, line["x"])
                if len(gray) > 1:
                    known = True
                    axes.plot("x", "mean", data=gray, **GRAY_PEN.line)
                _plot(axes, line, pen, f"{each.name}, {each.calibration}" if several else each.name)
            axes.set_xlabel(AXES.get(along, sign_of(along)))
            axes.set_title(title.replace(", ", "\n") if folded else title, loc="left", fontsize=9)
        _scales(places, along, lines)
        places[0].set_ylabel("regret $R_t$" if along == "t" else "regret $R_T$")
        notes = [f"bands: pointwise 95 % t intervals over {every[0].seeds} instances"]
        legend = "gray: committed results of these curves" if known else ""
        curves = [_curve(each) for each in every if not each.own]
        margins = told_apart(figure, Margins(right=0.25, between=0.1))
        if folded:
            margins = replace(margins, top=margins.top + TITLE * max(title.count(", ") for title in panels))
        return finished(figure, f"{paper.key}/{experiment}", notes, margins, curves, legend)


def layout(curves: Sequence[Curve]) -> tuple[str, dict[str, Setting]]:
    """Name on the horizontal axis (`t` for the round), and the settings of each panel by title.

    Raises
    ------
    ConfigError
        Too many settings vary.
    """
    values: dict[str, list[float]] = {}
    for curve in curves:
        for point in curve.points:
            for name, value in _setting(curve, point).items():
                values.setdefault(name, []).append(value)
    varying = {name: sorted(set(found)) for name, found in values.items() if len(set(found)) > 1}
    if not varying:
        return "t", {"": {}}
    along = max(varying, key=lambda name: (len(varying[name]), name == "eps", name == "T"))
    rest = {name: found for name, found in varying.items() if name != along}
    settings = [_setting(curve, point) for curve in curves for point in curve.points]
    most = max(len(rest.keys() & setting.keys()) for setting in settings)
    whole = [setting for setting in settings if len(rest.keys() & setting.keys()) == most]  # others are in all panels
    every = (dict(zip(rest, each, strict=True)) for each in itertools.product(*rest.values()))
    blocks = [block for block in every if any(_held(setting, block) for setting in whole)]
    if len(blocks) > MOST_PANELS:
        numbers = ", ".join(f"{len(found)} of {name}" for name, found in varying.items())
        raise ConfigError(f"--plot: {numbers} make {len(blocks)} panels; at most {MOST_PANELS} are drawn. Set fewer.")
    return along, {", ".join(f"{sign_of(name)} = {plain(v)}" for name, v in each.items()): each for each in blocks}


def _setting(curve: Curve, point: Setting) -> dict[str, float]:
    """Setting of a point, including its horizon."""
    return {**point, "T": float(curve.horizon_at(point))}


def _held(setting: Mapping[str, float], held: Setting) -> bool:
    """Whether a setting belongs to a panel. Settings that a curve lacks are ignored."""
    return all(setting.get(name, value) == value for name, value in held.items())


def _curve(played: Played) -> str:
    return played.curve.algorithm + (f":{played.curve.variant}" if played.curve.variant else "")


def _pens(every: Sequence[Played]) -> Iterator[Pen]:
    """Style of each curve: color by trust model, dashes by calibration if there are several."""
    calibrations = list(dict.fromkeys(each.calibration for each in every))
    own = list(dict.fromkeys(_curve(each) for each in every if each.own))
    for each in every:
        k = own.index(_curve(each)) if each.own else 0
        pen = Pen(OWN[k % len(OWN)], MARKERS[k % len(MARKERS)], "-") if each.own else pen_of(_curve(each))
        dash = DASHES[calibrations.index(each.calibration) % len(DASHES)]
        yield replace(pen, dash=dash) if len(calibrations) > 1 else pen


def lines_of(every: Sequence[Played], along: str, panels: Mapping[str, Setting]) -> pd.DataFrame:
    """Mean regret with interval: `panel`, `line` (index in `every`), `x`, `mean`, `low`, `high`.

    x is NaN if the curve does not depend on the setting.
    """
    parts = []
    for k, played in enumerate(every):
        for point, course in zip(played.curve.points, played.courses, strict=True):
            setting = _setting(played.curve, point)
            shown = course if along == "t" else course[:, -1:]
            x = played.curve.rounds_at(point) if along == "t" else [setting.get(along, math.nan)]
            own = pd.DataFrame({"line": k, "x": x, **dict(zip(("mean", "low", "high"), shown, strict=True))})
            parts += [own.assign(panel=title) for title, held in panels.items() if _held(setting, held)]
    return pd.concat(parts, ignore_index=True).sort_values(["line", "x"], kind="stable")


def _plot(axes: Axes, line: pd.DataFrame, pen: Pen, label: str) -> None:
    if line["x"].isna().all():
        for row in line.itertuples():
            axes.axhline(row.mean, **pen.line | {"marker": ""}, label=label)
            axes.axhspan(row.low, row.high, color=pen.color, alpha=0.2, linewidth=0)
        return
    many = {"markevery": max(1, len(line) // 8)}
    axes.plot("x", "mean", data=line, **pen.line | {"marker": pen.marker or "."} | many, label=label)
    axes.fill_between("x", "low", "high", data=line, color=pen.color, alpha=0.2, linewidth=0)


def _scales(places: Sequence[Axes], along: str, lines: pd.DataFrame) -> None:
    """Use logarithmic axes for values that span a wide range. Curves against the round follow the papers instead."""
    if along == "t":
        for axes in places:
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: plain(value))
        return
    for axes in places:
        if _wide(lines["x"].dropna()):
            axes.set_xscale("log")
            plain_logarithm(axes.xaxis, fine=len(places) < 3)
        if _wide(lines["mean"]):
            axes.set_yscale("log")
            plain_logarithm(axes.yaxis, fine=True)


def _wide(values: pd.Series) -> bool:
    return bool(values.size and values.min() > 0 and values.max() > DECADES * values.min())


def _summary_in(data: Path, experiment: str) -> pd.DataFrame:
    """Summary of an experiment in the figures folder; empty if there is none."""
    path = data / f"{experiment}.summary.parquet"
    return pd.DataFrame(read_table(path)[0]) if path.is_file() else pd.DataFrame()


def _gray(rows: pd.DataFrame, played: Played, along: str, held: Setting, x: pd.Series) -> pd.DataFrame:
    """`x` and `mean` of a curve in a panel from the summary, within the range of `x`; empty if it has none."""
    curve = played.curve
    place = "t" if along == "T" else along
    if rows.empty or played.changed or place not in rows or x.isna().all():
        return pd.DataFrame()
    point = next(point for point in curve.points if _held(_setting(curve, point), held))
    labels = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
    same = labels | {name: value for name, value in point.items() if name in rows and name != along}
    kept = rows[np.logical_and.reduce([rows[name] == value for name, value in same.items()])]
    if along == "t":
        kept = kept[kept["t"] <= curve.horizon_at(point)]
    elif along != "T":
        kept = kept[kept["t"] == curve.horizon_at(point)]
    elif "T" in rows:
        kept = kept[kept["t"] == kept["T"]]
    found = kept.assign(x=kept[place].astype(float)).sort_values("x", kind="stable")
    return found[found["x"].between(x.min(), x.max())][["x", "mean"]]
