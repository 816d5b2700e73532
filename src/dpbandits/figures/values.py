"""Texts for the data points of a figure, stored with the axes and written into the SVG at the points.

A browser that opens the SVG shows the text of a point under the pointer. Report pages read positions and texts from the
file.
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

REACH = 3.0  # radius within which a point is selected
INCH = 72.0  # both in points, the unit of an SVG
SLACK = 0.05  # tolerance for points on the frame, whose position may be rounded outward
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
"""Replacements that turn formula markup into plain letters."""


class Values(Artist):
    """Points in data coordinates with a text each, stored as an artist that draws nothing."""

    def __init__(self, points: np.ndarray, texts: Sequence[str], reach: float) -> None:
        super().__init__()
        self.points, self.texts, self.reach = points, texts, reach


def mark(axes: Axes, x: Iterable[float], y: Iterable[float], texts: Sequence[str], reach: float = REACH) -> None:
    """Attach texts to points of the axes; `reach` is the radius within which each is selected, in points."""
    points = np.array([place for *place, _ in zip(x, y, texts, strict=True)], dtype=float).reshape(-1, 2)
    axes.add_artist(Values(points, texts, reach))


def group(figure: Figure) -> str:
    """SVG group with one circle per point, by panel, in the coordinates of the SVG's viewBox.

    Points outside their axes are left out, and so is a text within reach of an equal one. Points at one position share
    a circle, with one line of text each.
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
            f'<circle cx="{x}" cy="{y}" r="{r}">'
            f"<title>{html.escape(chr(10).join(texts), quote=False)}</title></circle>\n"
            for (x, y, r), texts in found.items()
        ]
        if circles:
            title = html.escape(letters(axes.get_title(loc="left").partition("\n")[0]))
            panels += [f'<g data-panel="{title}">\n', *circles, "</g>\n"]
    return "".join(['<g class="values" fill="none" pointer-events="all">\n', *panels, "</g>\n"]) if panels else ""


def letters(formula: str) -> str:
    """Label without formula markup: `ε`."""
    for sign, letter in LETTERS.items():
        formula = formula.replace(sign, letter)
    return formula


def setting(value: float) -> str:
    """Value on the horizontal axis; integers with all digits: `0.1`, `2,718,253`."""
    return f"{value:,.0f}" if value >= 1000.0 and float(value).is_integer() else f"{value:g}"


def named(name: str, curve: str, calibration: str) -> str:
    """Name of a curve, with its calibration if the algorithm has several at this one."""
    own = TABLE[parts(curve)[0]].calibrations
    several = len(set(own.values())) > 1
    if not several or not calibration:
        return name
    shown = own.get(calibration, calibration)
    return f"{name[:-1]}, {shown})" if name.endswith(")") else f"{name} ({shown})"


def estimate(value: float, low: float, high: float) -> str:
    """Text such as `1,234 [1,200, 1,260]`, or the value alone without an interval."""
    if np.isnan([low, high]).any():
        return number(value)
    return interval({"estimate": value, "interval": (low, high)})


def of_rows(
    name: str, curve: str, sign: str, along: str, what: str, rows: pd.DataFrame, to_quantile: bool = False
) -> list[str]:
    """Text `central (certified): ε = 0.1, regret 1,234 [1,200, 1,260]` for each row of the summary.

    Parameters
    ----------
    name : name of the curve, as in the legend.
    sign : symbol of the setting `along`; left out if a row lacks the setting.
    what : name of the estimated quantity.
    to_quantile : whether the rows hold medians with 80 % quantiles as upper ends.
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
