"""Draw the audit: claimed against actual epsilon, verdicts as a table, and audit power."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from dpbandits.audits.release import SEARCHED
from dpbandits.figures import values
from dpbandits.figures.files import Picture
from dpbandits.figures.frames import by
from dpbandits.figures.layout import Margins, finished
from dpbandits.figures.style import GRAY, pen_of, style
from dpbandits.figures.ticks import plain, plain_logarithm
from dpbandits.text.audits import ORDER, SYMBOLS, claimed, epsilons, is_calculated
from dpbandits.text.names import name_of
from dpbandits.text.text import number

Record = Mapping[str, Any]
COLUMNS = ("audit", "title", "algorithm", "calibration", "eps", "delta", "lower", "tightness", "cap", "trials", "power",
           "verdict", "status")  # fmt: skip
"""Columns that the figures take from a record unchanged."""
COLORS = {"consistent": "#b8dfc9", "violated": "#f2b8a0", "no power": "#e3e3e3"}
OPEN = "#f1f2cf"  # consistent, but not proven
ACROSS = 3  # panels per row
ROOM = 30.0  # factor by which the axes extend beyond the claimed epsilons; values further out are drawn at the frame
SMALLEST, STEP, LARGEST = 4.5, 1.1, 8.0  # marker sizes in points, smaller ones on top of larger ones
LEAST = 0.05  # lower limit of the power figure, in units of the claimed epsilon
ROUNDING = 1e-9  # relative tolerance for epsilons
MARGINS = Margins(top=0.62, between=0.08, rows=0.26)  # size of a panel
HEIGHT, BETWEEN, ROUND = 1.65, MARGINS.rows, MARGINS.top + MARGINS.axis + 0.36  # of a panel and around all; inches
WIDTH = 8.2  # smallest figure, inches; a table with many columns is larger
COLUMN, LETTER = 0.86, 0.06  # size of a table cell, and width of a letter beside it; inches
CELL = 8.5  # half the height of a table cell, points
MANY = 4  # legends of a panel with more entries are set in two columns
LEGEND = 0.35  # of the claimed epsilon: if all bounds are above it, a legend fits below them
MEDIUM = 1.0  # among several claimed epsilons, the power figure shows the one nearest to this


def frame(records: Sequence[Record]) -> pd.DataFrame:
    """Rows that the figures draw, one per record.

    Columns: `COLUMNS` of the record; `setting` and `claimed` in words; `least` and `most` of the actual epsilon, inf if
    unbounded; and `calculated`, whether calculations bound the actual epsilon at all.
    """
    found = pd.DataFrame(records, columns=[*COLUMNS, "point", "epsilons"])
    every = [[math.inf if end is None else end for end in ends] for ends in found.pop("epsilons")]
    settings = [" ".join(f"{name}={value:g}" for name, value in point.items()) for point in found.pop("point")]
    words = {"setting": settings, "claimed": list(map(claimed, records))}
    ends = {"least": [least for least, _ in every], "most": [most for _, most in every]}
    return found.assign(**words, **ends, calculated=list(map(is_calculated, records)))


def panels(count: int, fine: bool = False) -> tuple[Figure, list[Axes]]:
    """Figure with this many panels, three per row, with shared logarithmic axes.

    Only the first panel of a row and the lowest of a column have tick labels; `fine` as in `plain_logarithm`, for x.
    """
    rows = math.ceil(count / ACROSS)
    figure = Picture(figsize=(WIDTH, ROUND + HEIGHT * (rows + BETWEEN * (rows - 1))))
    places = list(figure.subplots(rows, ACROSS, squeeze=False, sharex=True, sharey=True).flat)
    for axes in places[count:]:
        axes.remove()
    shown = places[:count]
    shown[0].set_xscale("log")
    shown[0].set_yscale("log")
    for axes in shown:
        plain_logarithm(axes.xaxis, fine)
        plain_logarithm(axes.yaxis)
    for axes in shown[-ACROSS:]:
        axes.tick_params(labelbottom=True)
    return figure, shown


def labeled(places: Sequence[Axes], x: str, y: str) -> None:
    """Label those axes that have tick labels."""
    for axes in places[-ACROSS:]:
        axes.set_xlabel(x)
    for axes in places[::ACROSS]:
        axes.set_ylabel(y)


def named(axes: Axes, title: str, algorithms: Sequence[str], besides: str = "", **place: Any) -> None:
    """Set the title. Name a single algorithm below it, or add a legend at `place` for several."""
    one = f"algorithm: {name_of(algorithms[0])}" if len(algorithms) == 1 else f"{len(algorithms)} algorithms"
    axes.set_title(f"{title}\n{one}{besides}", loc="left", fontsize=7)
    if len(algorithms) > 1:
        handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        look = {"loc": "best", "ncols": 1 if len(handles) <= MANY else 2, "fontsize": 6.5, "handlelength": 1.2}
        axes.legend(handles.values(), handles, **look | {"labelspacing": 0.25, "columnspacing": 1.0} | place)


def _of(row: Any) -> str:
    """Label such as `central (certified), ε = 1 claimed`."""
    return f"{values.named(name_of(row.algorithm), row.algorithm, row.calibration)}, {row.claimed} claimed"


def audit_epsilons(audits: pd.DataFrame, title: str) -> Figure:
    """Draw bounds on the actual epsilon against the claimed one, as bars with dots; triangles are bounds from runs.

    Parameters
    ----------
    audits : of `frame`; those of each audit have a panel.
    """
    ends = audits["eps"].min() / 1.6, audits["eps"].max() * 1.6
    lowest, highest = audits["eps"].min() / ROOM, audits["eps"].max() * ROOM
    inside = audits.assign(**{end: audits[end].clip(lowest, highest) for end in ("least", "most", "lower")})
    with style():
        figure, places = panels(audits["audit"].nunique(), fine=True)
        places[0].set_xlim(ends)
        places[0].set_ylim(lowest, highest)
        for axes, (_, found) in zip(places, by("audit", inside), strict=True):
            algorithms = found["algorithm"].unique()
            axes.plot(ends, ends, color="#000000", linewidth=0.8)
            axes.fill_between(ends, ends, highest, color="#f2b8a0", alpha=0.35, linewidth=0)
            step = min(STEP, (LARGEST - SMALLEST) / max(len(algorithms) - 1, 1))
            for k, (_, own) in enumerate(by("algorithm", found)):
                _bars(axes, audits.loc[own.index], own, SMALLEST + step * (len(algorithms) - 1 - k))
            seen = found[found["lower"] > lowest]
            axes.plot(seen["eps"], seen["lower"], "^", color="#000000")
            named(axes, found["title"].iloc[0], algorithms)
        labeled(places, r"claimed $\varepsilon$", r"actual $\varepsilon$")
        legend = "dots: calculated bounds, hollow for certified noise; triangle: lower bound from runs"
        notes = ["above the diagonal: the actual epsilon exceeds the claim", "at the frame: beyond it, infinite or 0"]
        return finished(figure, title, notes, MARGINS, audits["algorithm"].unique(), legend)


def _bars(axes: Axes, audits: pd.DataFrame, inside: pd.DataFrame, size: float) -> None:
    """Draw the bounds on the actual epsilons of an algorithm at one calibration, with texts for them and the triangles.

    Parameters
    ----------
    inside : the same rows, clipped to the frame.
    """
    algorithm, pen = audits["algorithm"].iloc[0], pen_of(audits["algorithm"].iloc[0])
    shown = inside[inside["calculated"]]
    axes.vlines(shown["eps"], shown["least"], shown["most"], color=pen.color, linewidth=1.6)
    dots = pd.concat([shown.assign(end=shown[end]) for end in ("least", "most")])
    face = "white" if audits["calibration"].iloc[0] == "certified" else pen.color
    look: dict[str, Any] = {"color": pen.color, "markersize": size, "markerfacecolor": face}
    axes.plot("eps", "end", "o", data=dots, **look, label=name_of(algorithm))
    for row, cut in zip(audits.itertuples(), inside.itertuples(), strict=True):
        heights = [cut.least, cut.most] if row.calculated else []
        heights += [cut.lower] if row.lower > axes.get_ylim()[0] else []
        tried = ", of the pairs tried" if row.status == SEARCHED else ""
        actual = f"{_ends(row)}{tried}" if row.calculated else "not calculated"
        said = f"{_of(row)}: actual epsilon {actual}, runs show {number(row.lower)}"
        values.mark(axes, [row.eps] * len(heights), heights, [said] * len(heights))


def _ends(row: Any) -> str:
    """Text of an interval: `2`, or `0.5 to ∞`."""
    return epsilons([None if math.isinf(end) else end for end in (row.least, row.most)])


def audit_verdicts(audits: pd.DataFrame, title: str) -> Figure:
    """Draw verdicts and actual over claimed epsilon: one row per audit and algorithm, one column per claimed epsilon.

    Parameters
    ----------
    audits : of `frame`.
    """
    labels = audits["title"] + ": " + audits["algorithm"].map(name_of)
    rows = list(dict.fromkeys(zip(audits["audit"], audits["algorithm"], labels, strict=True)))
    budgets = sorted(audits["eps"].unique())
    margins = Margins(left=0.3 + LETTER * labels.str.len().max(), top=0.4)
    width = max(WIDTH, margins.left + COLUMN * len(budgets) + margins.right)
    with style():
        figure = Picture(figsize=(width, 1.1 + 0.26 * len(rows)))
        axes = figure.subplots()
        cells, colors = [], []
        by_cell = dict(list(audits.groupby(["audit", "algorithm", "eps"], sort=False)))
        for (y, (audit, algorithm, label)), (x, eps) in product(enumerate(rows), enumerate(budgets)):
            own = by_cell.get((audit, algorithm, eps))
            if own is None:
                continue
            worst, proven, words, said = _cell(own)
            left, right, top, bottom = x - 0.48, x + 0.48, y - 0.46, y + 0.46
            cells.append([(left, top), (right, top), (right, bottom), (left, bottom)])
            colors.append(OPEN if worst == "consistent" and not proven else COLORS[worst])
            axes.text(x, y, words, ha="center", va="center", fontsize=7)
            values.mark(axes, [x], [y], [f"{label}, ε = {eps:g} claimed: {said}"], CELL)
        axes.add_collection(PolyCollection(cells, facecolors=colors, linewidths=0), autolim=False)
        axes.set_yticks(range(len(rows)), [label for _, _, label in rows], fontsize=8)
        axes.set_xticks(range(len(budgets)), [plain(eps) for eps in budgets])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(-0.5, len(budgets) - 0.5)
        axes.set_xlabel(r"claimed $\varepsilon$")
        axes.set_title("audit: algorithm", loc="left", x=-0.01, ha="right", pad=3, fontsize=7, color=GRAY)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        said = ", ".join(f"{SYMBOLS[verdict]} {verdict}" for verdict in reversed(ORDER))
        legend = f"{said}, pale: not proven; numbers: actual / claimed ε by calculation | from runs alone"
        by_what = "actual over claimed epsilon by calculation | lower bound from runs over claimed epsilon"
        return finished(figure, title, [f"numbers: {by_what}"], margins, legend=legend)


def _cell(own: pd.DataFrame) -> tuple[str, bool, str, str]:
    """Worst verdict of a cell, whether it is proven, the text on the cell, and its description."""
    worst = min(own["verdict"], key=ORDER.index)
    least, most = (own[end] / own["eps"] for end in ("least", "most"))
    half_open = math.isinf(most.max()) and math.isfinite(least.max())
    sign, end = ("≥ ", least.max()) if half_open else ("", most.max())
    proven = bool((own["status"] != SEARCHED).all()) and most.max() <= 1.0 + ROUNDING
    shown = own["tightness"].max()
    short, long = sign + _short(end), sign + ("∞" if math.isinf(end) else number(end))
    if not own["calculated"].any():
        short, long = "–", "not calculated"
    beside = "" if worst != "consistent" or proven else ", not proven"
    said = f"{worst}{beside}; actual over claimed epsilon {long}, runs show {number(shown)} of the claimed one"
    return worst, proven, f"{SYMBOLS[worst]} {short} | {_short(shown)}", said


def _short(value: float) -> str:
    """Number with two digits, or as an integer from 10 on."""
    return "∞" if math.isinf(value) else f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def audit_power(audits: pd.DataFrame, title: str) -> Figure:
    """Draw the lower bound over the claimed epsilon against the number of runs, and the largest bound they could show.

    Parameters
    ----------
    audits : of `frame`; those of each audit have a panel.
    """
    with style():
        figure, places = panels(audits["audit"].nunique())
        for axes, (_, found) in zip(places, by("audit", audits), strict=True):
            lowest = 1.0
            for algorithm, own in by("algorithm", found):
                pen = pen_of(algorithm)
                row = min(own.itertuples(), key=lambda row: abs(math.log(row.eps / MEDIUM)))
                power = pd.DataFrame(row.power)
                for key, dash, verb in (("lower", "-", "show"), ("cap", ":", "could show at most")):
                    part = power[key] / row.eps
                    heights = part.clip(lower=LEAST)
                    texts = [
                        f"{_of(row)}: {n:,} runs {verb} {number(each)} of it"
                        for n, each in zip(power["trials"], part, strict=True)
                    ]
                    values.mark(axes, power["trials"], heights, texts)
                    marker, label = (pen.marker, name_of(algorithm)) if key == "lower" else ("", None)
                    axes.plot(power["trials"], heights, **pen.line | {"linestyle": dash, "marker": marker}, label=label)
                    lowest = min(lowest, heights.min())
            axes.axhline(1.0, color="#000000", linewidth=0.8)
            above = {"bbox_to_anchor": (0.0, 1.0), "bbox_transform": axes.get_yaxis_transform(), "borderaxespad": 0.2}
            place = {"loc": "lower left"} | ({} if lowest > LEGEND else above)
            shown = found["algorithm"].unique()
            named(axes, found["title"].iloc[0], shown, rf", $\varepsilon$ = {row.eps:g}", **place)
        places[0].set_ylim(bottom=LEAST)
        labeled(places, "evaluated runs on each input", r"bound / claimed $\varepsilon$")
        legend = "markers: lower bound at 99.9 %, or at the frame; dotted: largest bound that so many runs can show"
        notes = ["above 1: the claim is violated"]
        return finished(figure, title, notes, MARGINS, audits["algorithm"].unique(), legend)


def data_of(audits: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the figures."""
    names = {"least": "least_epsilon", "most": "largest_epsilon", "lower": "runs_show"}
    columns = ["audit", "algorithm", "calibration", "eps", "delta", "setting", *names, "cap", "trials", "verdict"]
    return audits[columns].rename(columns=names)
