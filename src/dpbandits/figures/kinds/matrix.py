"""Draw all verdicts in one figure: for each paper, one row per calibration and one column per claim."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
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
from dpbandits.text.escapes import in_picture
from dpbandits.text.text import COUNTED, SYMBOLS, calibrations, case, marked, own_claims, worded

Record = Mapping[str, Any]
NOT_JUDGED = "not judged"  # fill of a cell whose claim has no record
COLORS = {"holds": "#009e73", "fails": "#d55e00", "fails_ours": "#f6cfb0", "unclear": "#f6ee8e",
          "not_tested": "#cfd4da", NOT_JUDGED: "#f1f1f1"}  # fmt: skip
"""Colors of the Okabe-Ito palette; those of `unclear` and of a failure by our threshold are paler."""
SIGNS = {"holds": "#ffffff", "fails": "#ffffff", "fails_ours": "#a04600", "unclear": "#333333", "not_tested": "#333333"}
"""Colors of the symbols on the tiles."""
INK, GRAY = "#333333", "#555555"
ROWS = (
    "printed: the paper's constants; released: the authors' code; tuned: our constants, if no code was released; "
    "certified: the noise that the stated guarantee needs"
)
LEAST, LEFT, EDGE = 10.7, 0.82, 0.1  # minimum width of the figure, width of row names, and margin; inches
COLUMN, ROW, GAP = 0.245, 0.27, 0.025  # size of a cell, and the gap between cells; inches
TOP, HEAD, FOOT = 0.62, 0.56, 0.34  # space above all papers, above the rows of a paper, and below all; inches
COUNT = 0.36  # width of a column of counts; inches
PART = 0.62  # size of the symbol, as a part of the shorter side of its tile
ACROSS = 3  # largest number of tiles side by side in a cell
INCH = 72.0  # points


@dataclass(frozen=True)
class Tile:
    """A verdict in the figure, with its position in inches from the upper left corner."""

    verdict: str
    says: str
    left: float
    top: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        """Center of the tile."""
        return self.left + self.width / 2, self.top + self.height / 2

    @property
    def side(self) -> float:
        """Shorter side of the tile, rounded, so that tiles of equal size are drawn together."""
        return round(min(self.width, self.height), 3)


def frame(records: Iterable[Record]) -> pd.DataFrame:
    """Rows that the matrix draws, one per record.

    Columns: `paper`, `claim`, `calibration`, `verdict` (`fails_ours` for a failure by our threshold), `own` (whether
    the claim is the paper's own), and `says`, the claim in words.
    """
    every = list(records)
    own = {id(record) for record in own_claims(every)}
    rows = [
        (*record["id"].split("/"), record["calibration"], marked(record), id(record) in own, _says(record))
        for record in every
    ]
    columns = ["paper", "claim", "calibration", "verdict", "own", "says"]
    return pd.DataFrame(rows, columns=columns).astype({"own": bool})


def rows_of(verdicts: pd.DataFrame) -> list[str]:
    """Calibrations of a paper, in order."""
    return calibrations(verdicts[["calibration"]].to_dict("records"))


def tiles(shown: Sequence[tuple[str, str]], left: float, top: float) -> Iterator[Tile]:
    """Divide a cell into tiles: up to three side by side, and further rows if there are more.

    Parameters
    ----------
    shown : the verdict and the text of each tile.
    """
    rows = math.ceil(len(shown) / ACROSS)
    height = (ROW - GAP) / rows
    ends = [math.ceil(len(shown) * k / rows) for k in range(rows + 1)]
    for k, (begin, end) in enumerate(pairwise(ends)):
        width = (COLUMN - GAP) / (end - begin)
        for j, (verdict, says) in enumerate(shown[begin:end]):
            yield Tile(verdict, says, left + j * width, top + k * height, width, height)


def placed(paper: Paper, verdicts: pd.DataFrame, top: float) -> Iterator[Tile]:
    """Tiles of a paper whose first row starts at a given height: one cell per calibration and claim."""
    cells = dict(list(verdicts.groupby(["calibration", "claim"], sort=False)))
    for row, calibration in enumerate(rows_of(verdicts)):
        for column, claim in enumerate(paper.claims):
            own = cells.get((calibration, claim))
            shown = [(NOT_JUDGED, "")] if own is None else list(zip(own["verdict"], own["says"], strict=True))
            yield from tiles(shown, LEFT + column * COLUMN, top + row * ROW)


def width(papers: Sequence[Paper]) -> float:
    """Width in inches: that of the heading, or of the paper with the most claims and the counts beside it."""
    most = max((len(paper.claims) for paper in papers), default=0)
    return max(LEAST, LEFT + most * COLUMN + len(SIGNS) * COUNT + EDGE)


def draw(papers: Sequence[Paper], verdicts: pd.DataFrame) -> Figure:
    """Draw the matrix of verdicts, with counts.

    Parameters
    ----------
    verdicts : rows from `frame`.
    """
    of = {paper.key: verdicts[verdicts["paper"] == paper.key] for paper in papers}
    rows = sum(len(rows_of(own)) for own in of.values())
    wide, height = width(papers), TOP + HEAD * len(papers) + ROW * rows + FOOT
    with style():
        figure = Figure(figsize=(wide, height))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(0.0, wide)
        axes.set_ylim(height, 0.0)
        axes.set_axis_off()
        found, top = list(_heading(axes, papers, verdicts)), TOP
        right = wide - EDGE
        for paper in papers:
            top += HEAD
            _names(axes, paper, of[paper.key], top, right)
            found += placed(paper, of[paper.key], top)
            top += ROW * len(rows_of(of[paper.key]))
        for verdict in COLORS:
            _fill(axes, verdict, [tile for tile in found if tile.verdict == verdict])
        for tile in found:
            if tile.says:
                x, y = tile.center
                values.mark(axes, [x], [y], [tile.says], round(tile.side * INCH / 2, 1))
        axes.text(EDGE, height - FOOT / 2, ROWS, fontsize=7.5, va="center", color=GRAY)
        return figure


def _counted(verdicts: pd.DataFrame) -> dict[str, int]:
    """Number of rows with each verdict, in the order of `SYMBOLS`."""
    return {verdict: int((verdicts["verdict"] == verdict).sum()) for verdict in SYMBOLS}


def _heading(axes: Axes, papers: Sequence[Paper], verdicts: pd.DataFrame) -> Iterator[Tile]:
    """Draw the heading with the counts and the text of the legend; return the legend's tiles."""
    own = verdicts[verdicts["own"]]
    many = f"{len(papers)} paper{'s' * (len(papers) != 1)}"
    said = ", ".join(f"{count} {COUNTED[verdict]}" for verdict, count in _counted(own).items())
    axes.text(EDGE, 0.2, f"{len(own)} verdicts on claims of {many}: {said}", fontsize=10, va="center")
    apart = f"{len(verdicts) - len(own)} more verdicts on our variants"
    axes.text(width(papers) - EDGE, 0.2, apart, fontsize=8.5, ha="right", va="center", color=GRAY)
    entries = [([(verdict, "")], worded(verdict)) for verdict in COLORS]
    entries.append(([("holds", ""), ("fails", "")], "one tile per case of a claim"))
    x, y = EDGE, 0.5
    for shown, words in entries:
        yield from tiles(shown, x, y - (ROW - GAP) / 2)
        axes.text(x + COLUMN + 0.04, y, words, fontsize=8.5, va="center", color=INK)
        x += COLUMN + 0.26 + 0.068 * len(words)


def _names(axes: Axes, paper: Paper, verdicts: pd.DataFrame, top: float, right: float) -> None:
    """Draw the title, authors, claim numbers, calibrations, and counts per calibration."""
    beside: dict[str, Any] = {"va": "center", "color": GRAY}
    axes.text(EDGE, top - 0.34, in_picture(paper.title), fontsize=9, va="center", weight="bold")
    axes.text(right, top - 0.34, in_picture(", ".join(paper.authors)), fontsize=7.5, ha="right", **beside)
    for k, claim in enumerate(paper.claims):
        axes.text(LEFT + k * COLUMN + (COLUMN - GAP) / 2, top - 0.1, claim, fontsize=6.5, ha="center", **beside)
    for row, calibration in enumerate(rows_of(verdicts)):
        y = top + row * ROW + (ROW - GAP) / 2
        axes.text(LEFT - 0.08, y, calibration, fontsize=8.5, ha="right", va="center")
        every = verdicts[verdicts["calibration"] == calibration]
        own = every[every["own"]]
        count = _counted(every if own.empty else own)
        for k, verdict in enumerate(reversed(SIGNS)):
            color = GRAY if own.empty else COLORS["fails"] if verdict == "fails_ours" else INK
            shown = f"{count[verdict]} {SYMBOLS[verdict]}"
            axes.text(right - k * COUNT, y, shown, fontsize=8, ha="right", va="center", color=color)


def _fill(axes: Axes, verdict: str, found: Sequence[Tile]) -> None:
    """Draw the tiles of one verdict in its color, with its symbol."""
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
    """Symbol as a path of size 1 centered at 0, so that no font needs to contain it."""
    bold = FontProperties(family="DejaVu Sans", weight="bold")
    shape: Path = TextPath((0.0, 0.0), SYMBOLS[verdict], size=1.0, prop=bold)
    box = shape.get_extents()
    centered = Affine2D().translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2)
    return MarkerStyle(centered.scale(1.0 / max(box.width, box.height)).transform_path(shape))


def _says(record: Record) -> str:
    """Text such as `C7 of hanna2022 (printed): holds. ..`."""
    key, _, claim = record["id"].partition("/")
    return f"{claim} of {key} ({case(record)}): {worded(marked(record))}. {record['statement']}"
