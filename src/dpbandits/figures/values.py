"""What the points of a figure stand for: kept with the axes, and written into the SVG at the places of the points.

A browser that shows the SVG shows the text of a point where the pointer rests on it; pages read places and texts from
the file.
"""

import html
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.text.text import interval, number

REACH = 3.0  # radius within which a point is found
INCH = 72.0  # both in points, the unit of an SVG
SLACK = 0.05  # a point on the frame belongs to the axes whichever way its place is rounded
LETTERS = {
    **{r"\$": "", "$": ""},
    r"\varepsilon_0": "ε₀",
    r"\varepsilon": "ε",
    r"\Delta": "Δ",
    r"\beta": "β",
    r"\theta^*": "θ*",
    r"\Vert ": "‖",
    r" \Vert": "‖",
}
"""What formulas are made of, as plain letters."""


class Values(Artist):
    """Points in the coordinates of the axes' data, and a text for each; an artist that draws nothing."""

    def __init__(self, points: np.ndarray, texts: Sequence[str], reach: float) -> None:
        super().__init__()
        self.points, self.texts, self.reach = points, texts, reach


def mark(axes: Axes, x: Iterable[float], y: Iterable[float], texts: Sequence[str], reach: float = REACH) -> None:
    """Say what points of the axes stand for; `reach` is the radius within which each is found, in points."""
    points = np.array([place for *place, _ in zip(x, y, texts, strict=True)], dtype=float).reshape(-1, 2)
    axes.add_artist(Values(points, texts, reach))


def group(figure: Figure) -> str:
    """The values of a drawn figure as a group of circles for each panel, in the coordinates of the SVG's viewBox.

    Points outside of their axes are left out, and so is a text within the reach of the same one; what stands at one
    place is one circle with a line each.
    """
    height, unit = figure.get_figheight() * INCH, INCH / figure.dpi
    panels = []
    for axes in figure.axes:
        found: dict[tuple[str, str, str], list[str]] = {}
        frame, told = axes.bbox.padded(SLACK / unit), defaultdict[str, list[np.ndarray]](list)
        for artist in (each for each in axes.artists if isinstance(each, Values)):
            for place, text in zip(axes.transData.transform(artist.points), artist.texts, strict=True):
                if not np.isfinite(place).all() or not frame.contains(*place):
                    continue
                if all(np.hypot(*(place - other)) * unit > artist.reach for other in told[text]):
                    told[text].append(place)
                    x, y = place * unit
                    found.setdefault((f"{x:.1f}", f"{height - y:.1f}", f"{artist.reach:g}"), []).append(text)
        circles = [
            f'<circle cx="{x}" cy="{y}" r="{r}" fill="none" pointer-events="all">'
            f"<title>{html.escape(chr(10).join(texts), quote=False)}</title></circle>\n"
            for (x, y, r), texts in found.items()
        ]
        if circles:
            title = html.escape(letters(axes.get_title(loc="left").partition("\n")[0]))
            panels += [f'<g data-panel="{title}">\n', *circles, "</g>\n"]
    return "".join(['<g class="values">\n', *panels, "</g>\n"]) if panels else ""


def letters(formula: str) -> str:
    """A label without the marks of a formula: `ε`."""
    for sign, letter in LETTERS.items():
        formula = formula.replace(sign, letter)
    return formula


def setting(value: float) -> str:
    """A value on the horizontal axis, whole numbers with all digits: `0.1`, `2,718,253`."""
    return f"{value:,.0f}" if value >= 1000.0 and float(value).is_integer() else f"{value:g}"


def named(name: str, curve: str, calibration: str) -> str:
    """The name of a curve, with the calibration that it has at a given one, where its algorithm has several."""
    own = TABLE[parts(curve)[0]].calibrations
    several = len(set(own.values())) > 1
    if not several or not calibration:
        return name
    shown = own.get(calibration, calibration)
    return f"{name[:-1]}, {shown})" if name.endswith(")") else f"{name} ({shown})"


def estimate(value: float, low: float, high: float) -> str:
    """`1,234 [1,200, 1,260]`, or the value alone where there is no interval."""
    if np.isnan([low, high]).any():
        return number(value)
    return interval({"estimate": value, "interval": (low, high)})


def of_rows(
    name: str, curve: str, sign: str, along: str, what: str, rows: pd.DataFrame, to_quantile: bool = False
) -> list[str]:
    """`central (certified): ε = 0.1, regret 1,234 [1,200, 1,260]` for every row of the summary.

    Parameters
    ----------
    name : of the curve, as the legend has it.
    sign : of the setting `along`, which a row may not have; then it is left out.
    what : is estimated.
    to_quantile : whether the rows hold medians, and 80 % quantiles as their upper ends.
    """
    curve = named(name, curve, str(rows["calibration"].iloc[0]) if "calibration" in rows else "")
    texts = []
    for x, middle, low, high in zip(*(rows[column] for column in (along, "mean", "low", "high")), strict=True):
        place = "" if np.isnan(x) else f"{sign} = {setting(x)}, "
        if to_quantile:
            texts.append(f"{curve}: {place}median {what} {number(middle)}, 80 % quantile {number(high)}")
        else:
            texts.append(f"{curve}: {place}{what} {estimate(middle, low, high)}")
    return texts
