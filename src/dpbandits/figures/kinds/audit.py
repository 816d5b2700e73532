"""Pictures of the audit: claimed against actual epsilon, verdicts as a table, and what runs could show."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from dpbandits.audits.release import SEARCHED
from dpbandits.figures import values
from dpbandits.figures.files import Picture
from dpbandits.figures.layout import Margins, finished
from dpbandits.figures.names import name_of
from dpbandits.figures.style import GRAY, Pen, pen_of, style
from dpbandits.figures.ticks import plain, plain_logarithm
from dpbandits.text.audits import ORDER, SYMBOLS, claimed, epsilons, is_calculated
from dpbandits.text.text import number

Record = Mapping[str, Any]
COLORS = {"consistent": "#b8dfc9", "violated": "#f2b8a0", "no power": "#e3e3e3"}
OPEN = "#f1f2cf"  # consistent, but not proven
ACROSS = 3  # panels in a row
ROOM = 30.0  # factor by which the axis of epsilons goes beyond the claimed ones; what lies further is put at the frame
SMALLEST, STEP, LARGEST = 4.5, 1.1, 8.0  # sizes of the markers of algorithms, smaller ones upon larger ones, in points
LEAST = 0.05  # of the claimed epsilon, in the picture of power
ROUNDING = 1e-9  # of an epsilon, relative
MARGINS = Margins(top=0.62, between=0.08, rows=0.26)  # of panels
HEIGHT, BETWEEN, ROUND = 1.65, MARGINS.rows, MARGINS.top + MARGINS.axis + 0.36  # of a panel and around all, inches
WIDTH = 8.2  # of a picture, inches; that of the table is larger where it has many columns
COLUMN, LETTER = 0.86, 0.06  # of the table, and what a letter beside it takes, inches
CELL = 8.5  # half the height of a cell of the table, points
MANY = 4  # entries of the legend of a panel, more than which are set in two columns
LEGEND = 0.35  # of the claimed epsilon: where all bounds are above it, a legend fits below them
MEDIUM = 1.0  # of several claimed epsilons the picture of power shows the one nearest to it


def by_audit(records: Sequence[Record]) -> list[list[Record]]:
    """The records of each audit."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["audit"], []).append(record)
    return list(found.values())


def panels(count: int, fine: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, three in a row, with logarithmic axes in common.

    Numbers stand at the first panel of a row and the lowest of a column; `fine` as for `plain_logarithm`, on x.
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
    """Labels of the axes where their numbers stand."""
    for axes in places[-ACROSS:]:
        axes.set_xlabel(x)
    for axes in places[::ACROSS]:
        axes.set_ylabel(y)


def named(axes: Axes, title: str, algorithms: Sequence[str], besides: str = "", **place: Any) -> None:
    """A title, and below it the algorithm where it is one; of several a legend at a `place`."""
    one = f"algorithm: {name_of(algorithms[0])}" if len(algorithms) == 1 else f"{len(algorithms)} algorithms"
    axes.set_title(f"{title}\n{one}{besides}", loc="left", fontsize=7)
    if len(algorithms) > 1:
        handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        look = {"loc": "best", "ncols": 1 if len(handles) <= MANY else 2, "fontsize": 6.5, "handlelength": 1.2}
        axes.legend(handles.values(), handles, **look | {"labelspacing": 0.25, "columnspacing": 1.0} | place)


def _of(record: Record) -> str:
    """`central (certified), ε = 1 claimed`."""
    name = values.named(name_of(record["algorithm"]), record["algorithm"], record["calibration"])
    return f"{name}, {claimed(record)} claimed"


def audit_epsilons(records: Sequence[Record], title: str) -> Figure:
    """Claimed epsilon on x; on y bounds on the actual one as a bar with dots, and what runs show as a triangle."""
    every = [record["eps"] for record in records]
    ends = min(every) / 1.6, max(every) * 1.6
    frame = min(every) / ROOM, max(every) * ROOM
    with style():
        figure, places = panels(len(by_audit(records)), fine=True)
        places[0].set_xlim(ends)
        places[0].set_ylim(frame)
        for axes, found in zip(places, by_audit(records), strict=True):
            algorithms = list(dict.fromkeys(record["algorithm"] for record in found))
            axes.plot(ends, ends, color="#000000", linewidth=0.8)
            axes.fill_between(ends, ends, frame[1], color="#f2b8a0", alpha=0.35, linewidth=0)
            step = min(STEP, (LARGEST - SMALLEST) / max(len(algorithms) - 1, 1))
            for k, algorithm in enumerate(algorithms):
                size = SMALLEST + step * (len(algorithms) - 1 - k)
                _bars(axes, [r for r in found if r["algorithm"] == algorithm], frame, pen_of(algorithm), size)
            seen = [(record["eps"], _inside(record["lower"], frame)) for record in found if record["lower"] > frame[0]]
            axes.plot([eps for eps, _ in seen], [lower for _, lower in seen], "^", color="#000000")
            named(axes, found[0]["title"], algorithms)
        labeled(places, r"claimed $\varepsilon$", r"actual $\varepsilon$")
        legend = "dots: bounds by calculation, hollow where the noise is certified; triangle: what runs alone show"
        notes = ["above the diagonal the claim is broken", "at the frame: further out, or infinite, or 0"]
        return finished(figure, title, notes, MARGINS, [record["algorithm"] for record in records], legend)


def _bars(axes: Axes, records: Sequence[Record], frame: tuple[float, float], pen: Pen, size: float) -> None:
    """Bounds on the actual epsilons of an algorithm at one calibration, and what they and the triangles say."""
    ends = [[_inside(end, frame) for end in record["epsilons"]] if is_calculated(record) else [] for record in records]
    every = [record["eps"] for record, own in zip(records, ends, strict=True) if own]
    least, most = ([own[k] for own in ends if own] for k in (0, 1))
    axes.vlines(every, least, most, color=pen.color, linewidth=1.6)
    face = "white" if records[0]["calibration"] == "certified" else pen.color
    label = name_of(records[0]["algorithm"])
    axes.plot(every * 2, least + most, "o", color=pen.color, markersize=size, markerfacecolor=face, label=label)
    for record, heights in zip(records, ends, strict=True):
        tried = ", of the pairs tried" if record["status"] == SEARCHED else ""
        actual = f"{epsilons(record['epsilons'])}{tried}" if is_calculated(record) else "not calculated"
        said = f"{_of(record)}: actual epsilon {actual}, runs show {number(record['lower'])}"
        if record["lower"] > frame[0]:
            heights.append(_inside(record["lower"], frame))
        values.mark(axes, [record["eps"]] * len(heights), heights, [said] * len(heights))


def _inside(epsilon: float | None, frame: tuple[float, float]) -> float:
    return frame[1] if epsilon is None else min(max(epsilon, frame[0]), frame[1])


def audit_verdicts(records: Sequence[Record], title: str) -> Figure:
    """A row for every audit and algorithm, a column for every claimed epsilon: verdict, actual over claimed."""
    rows = list(dict.fromkeys((record["audit"], record["algorithm"]) for record in records))
    budgets = sorted({record["eps"] for record in records})
    titles = {record["audit"]: record["title"] for record in records}
    labels = [f"{titles[audit]}: {name_of(algorithm)}" for audit, algorithm in rows]
    margins = Margins(left=0.3 + LETTER * max(map(len, labels)), top=0.4)
    width = max(WIDTH, margins.left + COLUMN * len(budgets) + margins.right)
    with style():
        figure = Picture(figsize=(width, 1.1 + 0.26 * len(rows)))
        axes = figure.subplots()
        cells, colors = [], []
        for y, row in enumerate(rows):
            for x, eps in enumerate(budgets):
                own = [r for r in records if (r["audit"], r["algorithm"], r["eps"]) == (*row, eps)]
                if not own:
                    continue
                worst = min((r["verdict"] for r in own), key=ORDER.index)
                least, most = (_over(own, k) for k in (0, 1))
                half_open = math.isinf(most) and math.isfinite(least)
                sign, end = ("≥ ", least) if half_open else ("", most)
                unknown = not any(map(is_calculated, own))
                proven = all(r["status"] != SEARCHED for r in own) and most <= 1.0 + ROUNDING
                left, right, top, bottom = x - 0.48, x + 0.48, y - 0.46, y + 0.46
                cells.append([(left, top), (right, top), (right, bottom), (left, bottom)])
                colors.append(OPEN if worst == "consistent" and not proven else COLORS[worst])
                shown = max(r["tightness"] for r in own)
                numbers = f"{'–' if unknown else sign + _short(end)} | {_short(shown)}"
                axes.text(x, y, f"{SYMBOLS[worst]} {numbers}", ha="center", va="center", fontsize=7)
                beside = "" if worst != "consistent" or proven else ", not proven"
                epsilon = "not calculated" if unknown else sign + ("∞" if math.isinf(end) else number(end))
                said = f"{labels[y]}, ε = {eps:g} claimed: {worst}{beside}; actual over claimed epsilon {epsilon}"
                values.mark(axes, [x], [y], [f"{said}, runs show {number(shown)} of the claimed one"], CELL)
        axes.add_collection(PolyCollection(cells, facecolors=colors, linewidths=0), autolim=False)
        axes.set_yticks(range(len(rows)), labels, fontsize=8)
        axes.set_xticks(range(len(budgets)), [plain(eps) for eps in budgets])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(-0.5, len(budgets) - 0.5)
        axes.set_xlabel(r"claimed $\varepsilon$")
        axes.set_title("audit: algorithm", loc="left", x=-0.01, ha="right", pad=3, fontsize=7, color=GRAY)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        said = ", ".join(f"{SYMBOLS[verdict]} {verdict}" for verdict in reversed(ORDER))
        legend = f"{said}, pale: not proven; numbers: actual / claimed ε by calculation | by runs alone"
        by = "actual over claimed epsilon by calculation | the part of the claimed epsilon that runs alone show"
        return finished(figure, title, [f"numbers: {by}"], margins, legend=legend)


def _over(records: Sequence[Record], end: int) -> float:
    """The largest lower (0) or upper (1) end of the actual epsilon over the claimed one."""
    return max(math.inf if r["epsilons"][end] is None else r["epsilons"][end] / r["eps"] for r in records)


def _short(value: float) -> str:
    """Two digits, whole from 10 on."""
    return "∞" if math.isinf(value) else f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def audit_power(records: Sequence[Record], title: str) -> Figure:
    """Bound against the number of runs, over the claimed epsilon, with what so many runs can show at most."""
    with style():
        figure, places = panels(len(by_audit(records)))
        for axes, found in zip(places, by_audit(records), strict=True):
            algorithms = list(dict.fromkeys(record["algorithm"] for record in found))
            lowest = 1.0
            for algorithm in algorithms:
                pen = pen_of(algorithm)
                own = [record for record in found if record["algorithm"] == algorithm]
                record = min(own, key=lambda r: abs(math.log(r["eps"] / MEDIUM)))
                runs = [each["trials"] for each in record["power"]]
                for key, dash, verb in (("lower", "-", "show"), ("cap", ":", "could show at most")):
                    parts = [each[key] / record["eps"] for each in record["power"]]
                    heights = [max(part, LEAST) for part in parts]
                    texts = [
                        f"{_of(record)}: {n:,} runs {verb} {number(part)} of it"
                        for n, part in zip(runs, parts, strict=True)
                    ]
                    values.mark(axes, runs, heights, texts)
                    marker, label = (pen.marker, name_of(algorithm)) if key == "lower" else ("", None)
                    axes.plot(runs, heights, **pen.line | {"linestyle": dash, "marker": marker}, label=label)
                    lowest = min(lowest, *heights)
            axes.axhline(1.0, color="#000000", linewidth=0.8)
            above = {"bbox_to_anchor": (0.0, 1.0), "bbox_transform": axes.get_yaxis_transform(), "borderaxespad": 0.2}
            place = {"loc": "lower left"} | ({} if lowest > LEGEND else above)
            named(axes, found[0]["title"], algorithms, rf", $\varepsilon$ = {record['eps']:g}", **place)
        places[0].set_ylim(bottom=LEAST)
        labeled(places, "evaluated runs on either input", r"bound / claimed $\varepsilon$")
        legend = "markers: lower bound at 99.9 %, at the frame if less; dotted: the most that so many runs can show"
        notes = ["above 1 the claim is broken"]
        return finished(figure, title, notes, MARGINS, [record["algorithm"] for record in records], legend)


def rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """What the pictures draw, row by row; an infinite epsilon is `inf`."""
    return [
        {
            **{name: record[name] for name in ("audit", "algorithm", "calibration", "eps", "delta")},
            "setting": " ".join(f"{name}={value:g}" for name, value in record["point"].items()),
            "least_epsilon": "inf" if record["epsilons"][0] is None else record["epsilons"][0],
            "largest_epsilon": "inf" if record["epsilons"][1] is None else record["epsilons"][1],
            "runs_show": record["lower"],
            "cap": record["cap"],
            "trials": record["trials"],
            "verdict": record["verdict"],
        }
        for record in records
    ]
