"""Two figures of the record of `make bench`: speed relative to other implementations, and growth of cost."""

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpbandits.figures import captions, values
from dpbandits.figures.layout import EDGE, HANDLE, LETTER, Margins, finished
from dpbandits.figures.style import Pen, style
from dpbandits.figures.ticks import plain_logarithm
from dpbandits.text.escapes import in_picture
from dpbandits.text.speed import NOTHING, bound, of_side
from dpbandits.text.text import number

Entry = Mapping[str, Any]
INK, GRAY, BAND = "#333333", "#555555", "#f3f5f7"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")  # palette of Okabe and Ito
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
AXES = {"T": Pen("#000000", "o", "-"), "K": Pen("#0072b2", "s", "-"), "d": Pen("#009e73", "^", "-"),
        "seeds": Pen("#d55e00", "D", "-"), "papers": Pen("#e69f00", "P", "-"),
        **dict.fromkeys(("seeds (memory)", "papers (memory)"), Pen("#56b4e9", "X", "--"))}  # fmt: skip
OTHER = Pen("#cc79a7", "v", "-")
"""Style of an axis without an entry in the table above."""
WIDTH, LEFT, RIGHT, TOP, FOOT = 8.2, 3.0, 0.3, 0.5, 0.5  # of the ratio figure, inches
SIDE, GAP, ENTRY = 0.17, 0.15, 0.2  # height of a side, of the gap between families, of a legend row; inches
LETTERS = 56  # largest number of labeled settings on an axis
ROOM = 40.0  # room for the legends above the largest cost
PANEL, ACROSS, TITLE = 2.05, 4, 30  # growth figure: side of a panel in inches, panels per row, characters per line


def nothing() -> Figure:
    """Empty figure with the sentence that no record exists."""
    with style():
        figure = Figure(figsize=(WIDTH, 0.6))
        figure.text(0.5, 0.5, NOTHING, ha="center", va="center", color=INK)
        return figure


def looks(kernels: Sequence[Entry]) -> dict[str, Pen]:
    """Color and marker for each kind of competitor, in order of appearance."""
    labels = dict.fromkeys(kind(side) for kernel in kernels for side in kernel["sides"])
    pairs = zip(cycle(COLORS), cycle(MARKERS), strict=False)
    return {label: Pen(*pair, "") for label, pair in zip(labels, pairs, strict=False)}


def kind(side: Entry) -> str:
    """Kind of a side: `limit` for the label `limit: Beta draws alone`; a label without a colon is its own kind."""
    return str(side["label"]).partition(": ")[0]


def ratios(kernels: Sequence[Entry]) -> Figure:
    """Our speed over that of every other side: one block per family, one line per side."""
    shown = [kernel for kernel in kernels if kernel["sides"]]
    if not shown:
        return nothing()
    own = looks(shown)
    entries = [*_entries(own)]
    across = int((WIDTH - 0.2) / (HANDLE + LETTER * max(len(str(each.get_label())) for each in entries)))
    top = TOP + ENTRY * math.ceil(len(entries) / max(across, 1))
    heights = [SIDE * max(len(kernel["sides"]), 2) + GAP for kernel in shown]
    height = top + sum(heights) + FOOT
    with style():
        figure = Figure(figsize=(WIDTH, height))
        box = (LEFT / WIDTH, FOOT / height, (WIDTH - LEFT - RIGHT) / WIDTH, sum(heights) / height)
        axes = figure.add_axes(box)
        axes.set_xscale("log")
        axes.set_ylim(sum(heights), 0.0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        begin = 0.0
        for k, (kernel, tall) in enumerate(zip(shown, heights, strict=True)):
            _row(axes, kernel, own, begin, tall, shaded=k % 2 == 0)
            begin += tall
        axes.axvline(1.0, color=INK, linewidth=0.9, zorder=1.5)
        plain_logarithm(axes.xaxis, fine=True)
        axes.set_xlabel("our speed / the other's; above 1, ours is faster")
        figure.legend(handles=entries, loc="upper left", bbox_to_anchor=(0.0, 1 - 0.3 / height), ncols=max(across, 1))
        figure.text(0.1 / WIDTH, 1 - 0.08 / height, "Speed of the kernels relative to other implementations",
                    fontsize=10, va="top")  # fmt: skip
        captions.tell(figure, ["CPU time, best of several repetitions", "lines: smallest and largest ratio",
                               "hollow mark: requirement missed"])  # fmt: skip
        return figure


def _entries(own: Mapping[str, Pen]) -> Iterator[Line2D]:
    for label, look in own.items():
        yield Line2D([], [], color=look.color, marker=look.marker, linewidth=1.2, label=in_picture(label))
    yield Line2D([], [], color=INK, marker="|", markersize=8, markeredgewidth=1.6, linestyle="", label="required")
    yield Line2D([], [], color=INK, marker=">", markersize=6, markerfacecolor="none", linestyle="", label="target")


def _row(axes: Axes, kernel: Entry, own: Mapping[str, Pen], begin: float, tall: float, shaded: bool) -> None:
    """Draw a family downward from a given height: its name, and one mark per side."""
    if shaded:
        axes.axhspan(begin, begin + tall, color=BAND, linewidth=0, zorder=0)
    beside: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "ha": "right"}
    middle = begin + tall / 2
    axes.text(-0.02, middle - 0.01, in_picture(kernel["title"]), fontsize=9, va="bottom", color=INK, **beside)
    setting = textwrap.shorten(kernel["setting"], LETTERS, placeholder=" ..")
    axes.text(-0.02, middle + 0.02, in_picture(setting), fontsize=6.5, va="top", color=GRAY, **beside)
    first = middle - SIDE * (len(kernel["sides"]) - 1) / 2
    for j, side in enumerate(kernel["sides"]):
        look, y = own[kind(side)], first + j * SIDE
        face = "white" if of_side(side) == "missed" else look.color
        axes.plot([side["low"], side["high"]], [y, y], color=look.color, linewidth=1.4)
        axes.plot([side["ratio"]], [y], color=look.color, marker=look.marker, markersize=5.5, markerfacecolor=face,
                  linestyle="", label="ratio", zorder=3)  # fmt: skip
        for name, marker, size, face in (("required", "|", 8, look.color), ("target", ">", 5, "none")):
            if side[name] is not None:
                axes.plot([side[name]], [y], color=look.color, marker=marker, markersize=size, markeredgewidth=1.3,
                          markerfacecolor=face, linestyle="", label=name, zorder=2.5)  # fmt: skip
        values.mark(axes, [side["ratio"]], [y], [_says(kernel, side)])


def _says(kernel: Entry, side: Entry) -> str:
    """Text such as `UCB1 against C loop: 0.71 [0.66, 0.74], required at least 0.4, target at least 0.65: reached`."""
    asked = [f"{name} {bound(side[name])}" for name in ("required", "target") if side[name] is not None]
    stands = of_side(side)
    found = f"{kernel['title']} against {side['label']}: {values.estimate(side['ratio'], side['low'], side['high'])}"
    return ", ".join([found, *asked]) + (f": {stands}" if stands else "")


def growth(lines: Sequence[Entry]) -> Figure:
    """Growth of cost with the settings: one panel per family, one line per axis, relative to the smallest setting."""
    if not lines:
        return nothing()
    families = {line["name"]: [each for each in lines if each["name"] == line["name"]] for line in lines}
    across = min(ACROSS, len(families))
    down = math.ceil(len(families) / across)
    margins = Margins(left=0.62, top=0.6, axis=0.5, right=0.15, between=0.12)
    width = margins.left + margins.right + across * PANEL
    height = margins.top + margins.axis + EDGE + down * PANEL * 1.08
    with style():
        figure = Figure(figsize=(max(width, 5.2), height))
        grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for axes, own in zip(grid.flat, families.values(), strict=False):
            _panel(axes, own)
        grid[0, 0].set_ylim(0.6, ROOM * max(cost for line in lines for cost in line["costs"]))
        for axes in grid.flat[len(families) :]:
            axes.remove()
        for k, axes in enumerate(figure.axes):
            axes.tick_params(labelleft=k % across == 0, labelbottom=k + across >= len(families))
        figure.supxlabel("setting / its smallest value", fontsize=9, y=0.06 / height)
        figure.supylabel("cost / cost at the smallest setting", fontsize=9, x=0.08 / width)
        notes = [
            "exponents: least-squares slopes",
            "dotted: cost proportional to the setting",
        ]
        found = finished(figure, "How costs grow", notes, margins)
        figure.subplots_adjust(hspace=0.3)
        return found


def _panel(axes: Axes, own: Sequence[Entry]) -> None:
    """Draw the lines of one family."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    most = 1.0
    for line in own:
        look = AXES.get(line["axis"], OTHER)
        first = line["places"][0]
        places = [place / first for place in line["places"]]
        most = max(most, *places)
        axes.plot(places, line["costs"], color=look.color, marker=look.marker, linestyle=look.dash,
                  label=f"{in_picture(line['axis'])}: {line['exponent']:.2f}")  # fmt: skip
        texts = [
            f"{line['title']}: {line['axis']} = {values.setting(place)}, cost {number(cost)} times that at "
            f"{values.setting(first)}"
            for place, cost in zip(line["places"], line["costs"], strict=True)
        ]
        values.mark(axes, places, line["costs"], texts)
    axes.plot([1.0, most], [1.0, most], color="#999999", linestyle=":", linewidth=1.0, zorder=1)
    axes.set_title(in_picture(textwrap.fill(own[0]["title"], TITLE)), fontsize=8.5, loc="left", pad=4)
    axes.legend(loc="upper left", fontsize=7.5, handlelength=1.6, borderaxespad=0.2, labelspacing=0.25)
    for axis in (axes.xaxis, axes.yaxis):
        plain_logarithm(axis)
