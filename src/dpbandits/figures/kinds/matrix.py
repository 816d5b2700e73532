"""All verdicts in one picture: paper by paper a row for every calibration and a column for every claim."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from dpbandits.config.loading import Paper
from dpbandits.figures import values
from dpbandits.figures.style import style
from dpbandits.text.text import COUNTED, SYMBOLS, calibrations, case, counted, marked, own_claims, worded

Record = Mapping[str, Any]
NOTHING = {"verdict": "not judged"}  # what stands where a claim has no record
COLORS = {"holds": "#009e73", "fails": "#d55e00", "fails_ours": "#f6cfb0", "unclear": "#f6ee8e",
          "not_tested": "#cfd4da", "not judged": "#f1f1f1"}  # fmt: skip
"""Colors of Okabe and Ito; those of `unclear` and of a failure by our threshold are paler."""
SIGNS = {"holds": "#ffffff", "fails": "#ffffff", "fails_ours": "#a04600", "unclear": "#333333", "not_tested": "#333333"}
"""Colors of the signs upon them."""
INK, GRAY = "#333333", "#555555"
ROWS = (
    "printed: the paper's constants; released: those of the authors' code; tuned: ours, where no code was released;"
    " certified: the noise that the stated guarantee needs"
)
LEAST, LEFT, EDGE = 10.7, 0.82, 0.1  # width of the picture at least, of the names of rows, and what stays free, inches
COLUMN, ROW, GAP = 0.245, 0.27, 0.025  # a cell, and what of it separates it from the next one, inches
TOP, HEAD, FOOT = 0.62, 0.56, 0.34  # above all papers, above the rows of each, and below all, inches
COUNT = 0.36  # a column of counts, inches
PART = 0.62  # of the shorter side of a tile that its sign takes
ACROSS = 3  # tiles side by side in a cell
INCH = 72.0  # points


@dataclass(frozen=True)
class Tile:
    """A verdict in the picture, and where it stands: inches from the upper left corner."""

    record: Record
    left: float
    top: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        """Its middle."""
        return self.left + self.width / 2, self.top + self.height / 2

    @property
    def side(self) -> float:
        """Its shorter side, rounded: tiles of a size are drawn together."""
        return round(min(self.width, self.height), 3)


def cells(paper: Paper, records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    """By calibration and claim the records of a cell, a variant each; none where the claim is not judged."""
    names = [(calibration, claim) for calibration in calibrations(records) for claim in paper.claims]
    found: dict[tuple[str, str], list[Record]] = {name: [] for name in names}
    for record in records:
        found[record["calibration"], record["id"].partition("/")[2]].append(record)
    return found


def tiles(records: Sequence[Record], left: float, top: float) -> Iterator[Tile]:
    """A cell in stripes, up to three side by side; of more than three in as many rows as are needed."""
    rows = math.ceil(len(records) / ACROSS)
    height = (ROW - GAP) / rows
    ends = [math.ceil(len(records) * k / rows) for k in range(rows + 1)]
    for k, (begin, end) in enumerate(pairwise(ends)):
        width = (COLUMN - GAP) / (end - begin)
        for j, record in enumerate(records[begin:end]):
            yield Tile(record, left + j * width, top + k * height, width, height)


def placed(paper: Paper, records: Sequence[Record], top: float) -> Iterator[Tile]:
    """The tiles of a paper whose first row begins at a height."""
    rows, columns = calibrations(records), list(paper.claims)
    for (calibration, claim), own in cells(paper, records).items():
        left = LEFT + columns.index(claim) * COLUMN
        yield from tiles(own or [NOTHING], left, top + rows.index(calibration) * ROW)


def width(papers: Sequence[Paper]) -> float:
    """Inches that the heading needs, or the paper with most claims and the counts beside them."""
    most = max((len(paper.claims) for paper in papers), default=0)
    return max(LEAST, LEFT + most * COLUMN + len(SIGNS) * COUNT + EDGE)


def draw(papers: Sequence[Paper], records: Mapping[str, Sequence[Record]]) -> Figure:
    """The matrix of verdicts with counts.

    Parameters
    ----------
    records : of claims, by the key of their paper.
    """
    rows = sum(len(calibrations(records[paper.key])) for paper in papers)
    wide, height = width(papers), TOP + HEAD * len(papers) + ROW * rows + FOOT
    with style():
        figure = Figure(figsize=(wide, height))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(0.0, wide)
        axes.set_ylim(height, 0.0)
        axes.set_axis_off()
        found, top = list(_heading(axes, papers, records)), TOP
        right = wide - EDGE
        for paper in papers:
            top += HEAD
            _names(axes, paper, records[paper.key], top, right)
            found += placed(paper, records[paper.key], top)
            top += ROW * len(calibrations(records[paper.key]))
        for verdict in COLORS:
            _fill(axes, verdict, [tile for tile in found if marked(tile.record) == verdict])
        for tile in found:
            if "id" in tile.record:
                x, y = tile.center
                values.mark(axes, [x], [y], [_says(tile.record)], round(tile.side * INCH / 2, 1))
        axes.text(EDGE, height - FOOT / 2, ROWS, fontsize=7.5, va="center", color=GRAY)
        return figure


def _heading(axes: Axes, papers: Sequence[Paper], records: Mapping[str, Sequence[Record]]) -> Iterator[Tile]:
    """What is counted, and the words of the legend; its tiles."""
    every = [record for paper in papers for record in records[paper.key]]
    own = own_claims(every)
    many = f"{len(papers)} paper{'s' * (len(papers) != 1)}"
    said = ", ".join(f"{count} {COUNTED[verdict]}" for verdict, count in counted(own).items())
    axes.text(EDGE, 0.2, f"{len(own)} verdicts on claims of {many}: {said}", fontsize=10, va="center")
    apart = f"{len(every) - len(own)} more verdicts on variants of ours"
    axes.text(width(papers) - EDGE, 0.2, apart, fontsize=8.5, ha="right", va="center", color=GRAY)
    entries = [([{"verdict": verdict}], worded(verdict)) for verdict in COLORS]
    entries.append(([{"verdict": "holds"}, {"verdict": "fails"}], "several cases of one claim, a tile each"))
    x, y = EDGE, 0.5
    for shown, words in entries:
        yield from tiles(shown, x, y - (ROW - GAP) / 2)
        axes.text(x + COLUMN + 0.04, y, words, fontsize=8.5, va="center", color=INK)
        x += COLUMN + 0.26 + 0.068 * len(words)


def _names(axes: Axes, paper: Paper, records: Sequence[Record], top: float, right: float) -> None:
    """Title, authors, numbers of claims, calibrations, and the counts of each."""
    beside: dict[str, Any] = {"va": "center", "color": GRAY}
    axes.text(EDGE, top - 0.34, paper.title, fontsize=9, va="center", weight="bold")
    axes.text(right, top - 0.34, ", ".join(paper.authors), fontsize=7.5, ha="right", **beside)
    for k, claim in enumerate(paper.claims):
        axes.text(LEFT + k * COLUMN + (COLUMN - GAP) / 2, top - 0.1, claim, fontsize=6.5, ha="center", **beside)
    for row, calibration in enumerate(calibrations(records)):
        y = top + row * ROW + (ROW - GAP) / 2
        axes.text(LEFT - 0.08, y, calibration, fontsize=8.5, ha="right", va="center")
        every = [record for record in records if record["calibration"] == calibration]
        own = own_claims(every)
        count = counted(own or every)
        for k, verdict in enumerate(reversed(SIGNS)):
            color = GRAY if not own else COLORS["fails"] if verdict == "fails_ours" else INK
            shown = f"{count[verdict]} {SYMBOLS[verdict]}"
            axes.text(right - k * COUNT, y, shown, fontsize=8, ha="right", va="center", color=color)


def _fill(axes: Axes, verdict: str, found: Sequence[Tile]) -> None:
    """Tiles of a verdict in its color, with its sign."""
    corners = ((0, 0), (1, 0), (1, 1), (0, 1))
    boxes = [[(t.left + right * t.width, t.top + down * t.height) for right, down in corners] for t in found]
    color = COLORS[verdict]
    axes.add_collection(PolyCollection(boxes, facecolors=color, edgecolors="white", linewidths=0.6), autolim=False)
    if verdict not in SIGNS:
        return
    for side in sorted({tile.side for tile in found}):
        x, y = zip(*(tile.center for tile in found if tile.side == side), strict=True)
        axes.plot(x, y, linestyle="", marker=_sign(verdict), markersize=PART * side * INCH, markeredgewidth=0,
                  color=SIGNS[verdict])  # fmt: skip


def _sign(verdict: str) -> MarkerStyle:
    """A sign as a shape of size 1 around 0, so that no font has to have it where the picture is shown."""
    bold = FontProperties(family="DejaVu Sans", weight="bold")
    shape: Path = TextPath((0.0, 0.0), SYMBOLS[verdict], size=1.0, prop=bold)
    box = shape.get_extents()
    centered = Affine2D().translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2)
    return MarkerStyle(centered.scale(1.0 / max(box.width, box.height)).transform_path(shape))


def _says(record: Record) -> str:
    """`C7 of hanna2022 (printed): holds. ..`."""
    key, _, claim = record["id"].partition("/")
    return f"{claim} of {key} ({case(record)}): {worded(marked(record))}. {record['statement']}"
