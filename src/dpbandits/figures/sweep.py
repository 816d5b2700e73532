"""Curves that `dpbandits run` played: mean regret with 95 % intervals, and in gray what the figures have of them.

Against the setting that varies, with a panel for every value of a second one; against the round where none varies.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.base.parquet import read_table
from dpbandits.config.curves import Curve, Setting
from dpbandits.config.loading import Paper
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures.looks import Pen, pen_of
from dpbandits.figures.style import (
    AXES,
    Margins,
    canvas,
    finished,
    legend_above,
    plain,
    plain_logarithm,
    sign_of,
    style,
)
from dpbandits.text.sweeps import Played

MOST_PANELS = 6  # in a row
OWN = ("#cc79a7", "#e69f00", "#56b4e9", "#f0e442")  # of classes of the user's own, and no color of a trust model
MARKERS = ("o", "s", "^", "D")
DASHES = ("-", "--", ":", "-.")  # by calibration, where there are several
GRAY = "#bbbbbb"
DECADES = 8.0  # ratio of the ends above which an axis is logarithmic


@dataclass(frozen=True)
class Line:
    """A line of a panel: x, and mean regret with the ends of its interval."""

    label: str
    pen: Pen
    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def draw(every: Sequence[Played], paper: Paper, experiment: str, figures: Path) -> Figure:
    """Draw all curves.

    Parameters
    ----------
    figures : the folder with the results that are drawn in gray, as far as it has them.

    Raises
    ------
    ConfigError
        Too many settings vary.
    """
    along, panels = layout([each.curve for each in every])
    committed = _Committed(figures / paper.key / "data", experiment)
    with style():
        figure = canvas(8.2, 4.2)
        places = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        shown: list[Line] = []
        known = False
        for axes, (title, held) in zip(places, panels.items(), strict=True):
            for each, pen in zip(every, _pens(every), strict=True):
                line = _line(each, pen, along, held, several=len({e.calibration for e in every}) > 1)
                if gray := committed.line(each, along, held, line.x):
                    known = True
                    axes.plot(gray.x, gray.mean, **gray.pen.line)
                _plot(axes, line)
                shown.append(line)
            axes.set_xlabel(AXES.get(along, sign_of(along)))
            axes.set_title(title, loc="left", fontsize=9)
        _scales(places, along, shown)
        places[0].set_ylabel("regret $R_t$" if along == "t" else "regret $R_T$")
        notes = [f"bands: pointwise 95 % t intervals over {every[0].seeds} instances"]
        legend = "gray: the same curves in figures/" if known else ""
        curves = [_curve(each) for each in every if not each.own]
        return finished(
            figure,
            f"{paper.key}/{experiment}",
            notes,
            Margins(right=0.25, top=legend_above(figure), between=0.1),
            curves,
            legend,
        )


def layout(curves: Sequence[Curve]) -> tuple[str, dict[str, Setting]]:
    """The name on the horizontal axis, `t` for the round, and by title the settings of each panel.

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
    blocks = [dict(zip(rest, each, strict=True)) for each in itertools.product(*rest.values())]
    if len(blocks) > MOST_PANELS:
        numbers = ", ".join(f"{len(found)} of {name}" for name, found in varying.items())
        raise ConfigError(f"--plot: {numbers} make {len(blocks)} panels; at most {MOST_PANELS} are drawn. Set fewer.")
    return along, {", ".join(f"{sign_of(name)} = {plain(v)}" for name, v in each.items()): each for each in blocks}


def _setting(curve: Curve, point: Setting) -> dict[str, float]:
    """A point with its horizon."""
    return {**point, "T": float(curve.horizon_at(point))}


def _held(setting: Mapping[str, float], held: Setting) -> bool:
    """Whether a setting is one of a panel; a setting that a curve lacks does not matter."""
    return all(setting.get(name, value) == value for name, value in held.items())


def _curve(played: Played) -> str:
    return played.curve.algorithm + (f":{played.curve.variant}" if played.curve.variant else "")


def _pens(every: Sequence[Played]) -> Iterator[Pen]:
    """A pen for each: colors by trust model, dashes by calibration where there are several."""
    calibrations = list(dict.fromkeys(each.calibration for each in every))
    own = list(dict.fromkeys(_curve(each) for each in every if each.own))
    for each in every:
        k = own.index(_curve(each)) if each.own else 0
        pen = Pen(OWN[k % len(OWN)], MARKERS[k % len(MARKERS)], "-") if each.own else pen_of(_curve(each))
        dash = DASHES[calibrations.index(each.calibration) % len(DASHES)]
        yield replace(pen, dash=dash) if len(calibrations) > 1 else pen


def _line(played: Played, pen: Pen, along: str, held: Setting, several: bool) -> Line:
    """The line of a curve in a panel; NaN on the horizontal axis where the curve does not depend on the setting."""
    label = f"{played.name}, {played.calibration}" if several else played.name
    found = []
    for point, course in zip(played.curve.points, played.courses, strict=True):
        setting = _setting(played.curve, point)
        if not _held(setting, held):
            continue
        shown = course if along == "t" else course[:, -1:]
        x = played.curve.rounds_at(point) if along == "t" else [setting.get(along, math.nan)]
        found += [(float(place), *ends) for place, ends in zip(x, shown.T, strict=True)]
    columns = np.array(sorted(found)).reshape(-1, 4).T
    return Line(label, pen, *columns)


def _plot(axes: Axes, line: Line) -> None:
    if np.isnan(line.x).all():
        for middle, low, high in zip(line.mean, line.low, line.high, strict=True):
            axes.axhline(float(middle), **line.pen.line | {"marker": ""}, label=line.label)
            axes.axhspan(float(low), float(high), color=line.pen.color, alpha=0.2, linewidth=0)
        return
    many = {"markevery": max(1, len(line.x) // 8)}
    axes.plot(line.x, line.mean, **line.pen.line | {"marker": line.pen.marker or "."} | many, label=line.label)
    axes.fill_between(line.x, line.low, line.high, color=line.pen.color, alpha=0.2, linewidth=0)


def _scales(places: Sequence[Axes], along: str, shown: Sequence[Line]) -> None:
    """Logarithmic axes where the values span much, but for curves against the round, as the papers draw them."""
    if along == "t":
        for axes in places:
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: plain(value))
        return
    x = np.concatenate([line.x[np.isfinite(line.x)] for line in shown])
    y = np.concatenate([line.mean for line in shown])
    for axes in places:
        if _wide(x):
            axes.set_xscale("log")
            plain_logarithm(axes.xaxis, fine=len(places) < 3)
        if _wide(y):
            axes.set_yscale("log")
            plain_logarithm(axes.yaxis, fine=True)


def _wide(values: np.ndarray) -> bool:
    return bool(values.size and values.min() > 0 and values.max() > DECADES * values.min())


class _Committed:
    """The summary of an experiment in the folder of figures, if there is one."""

    def __init__(self, data: Path, experiment: str) -> None:
        path = data / f"{experiment}.summary.parquet"
        self.rows = read_table(path)[0] if path.is_file() else None

    def line(self, played: Played, along: str, held: Setting, x: np.ndarray) -> Line | None:
        """The line that a curve has there in a panel, as far as `x` reaches; None where it has none."""
        rows, curve = self.rows, played.curve
        if rows is None or played.changed:
            return None
        labels = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
        kept = np.logical_and.reduce([rows[name] == value for name, value in labels.items()])
        points = [point for point in curve.points if _held(_setting(curve, point), held)]
        for name in (name for name in rows if name in points[0] and name != along):
            kept &= rows[name] == points[0][name]
        if along == "t":
            kept &= rows["t"] <= curve.horizon_at(points[0])
        elif along != "T":
            kept &= rows["t"] == curve.horizon_at(points[0])
        there = rows["t"] if along in ("t", "T") else rows.get(along)
        if there is None or np.isnan(x).all():
            return None
        if along == "T" and "T" in rows:
            kept &= rows["t"] == rows["T"]
        kept &= (there >= np.nanmin(x)) & (there <= np.nanmax(x))
        order = np.argsort(there[kept], kind="stable")
        middle = rows["mean"][kept][order]
        pen = Pen(GRAY, "", "-", 2.6, 4.0, 1.5)
        return Line("", pen, there[kept][order].astype(float), middle, middle, middle) if len(middle) > 1 else None
