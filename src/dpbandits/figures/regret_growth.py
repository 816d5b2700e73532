"""Final regret against a setting on logarithmic axes, one line per curve, one panel per value of another setting."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbandits.figures import values
from dpbandits.figures.looks import BOUND, name_of, pen_of, trust_model_of
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

Rows = Mapping[str, np.ndarray]


APART = 20.0  # ratio of neighboring settings above which no line joins them; our choice
GRAY, DASHES = "#888888", ("-", "--", "-.", ":")  # of lines that guide the eye
FEW = 30.0  # ratio of the ends of an axis below which every value has a tick
NARROW, SHORT = 3, 50.0  # so many panels have room for ticks at 3, 30, .. only if the ratio is below this one
CLOSE = 0.03  # part of an axis within which there is no second number
BELOW = 30.0  # factor below the least regret at which the frame cuts a bound; our choice


def draw(
    panels: Mapping[str, Mapping[str, Rows]], along: str, title: str, notes: Sequence[str], guides: Sequence[str] = ()
) -> Figure:
    """One panel each, under one legend.

    A curve that does not depend on the setting is a line across. The frame cuts a bound that lies far below all curves.

    Parameters
    ----------
    panels : by the title of the panel, rows of the summary at the horizon for every curve: `along`, `mean`, `low`,
        `high`.
    along : the setting on the horizontal axis.
    notes : for the caption.
    guides : slopes of thin lines from the first value of the lowest curve on, as fractions.
    """
    with style():
        figure = canvas(8.2, 4.2)
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, curves) in zip(every, panels.items(), strict=True):
            settings = np.unique(np.concatenate([rows[along] for rows in curves.values()]))
            settings = settings[~np.isnan(settings)]
            for curve, rows in curves.items():
                _line(axes, curve, rows, along, settings)
            lowest = min(curves.values(), key=lambda rows: rows["mean"][0])
            for slope, dash in zip(guides, itertools.cycle(DASHES)):
                _guide(axes, lowest[along], 0.6 * lowest["mean"][0], slope, dash, sign_of(along))
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_logarithm(axes.yaxis, fine=True)
            if settings[-1] < FEW * settings[0]:
                axes.set_xticks(settings, _labels(settings))
                axes.set_xticks([], minor=True)
            else:
                plain_logarithm(axes.xaxis, fine=len(panels) < NARROW or settings[-1] < SHORT * settings[0])
            axes.set_xlabel(AXES[along])
            axes.set_title(name, loc="left", fontsize=9)
        figure.axes[0].set_ylabel("regret $R_T$")
        if cut := _cut(figure.axes[0], panels):
            notes = [*notes, f"cut by the frame: {', '.join(cut)}"]
        names = [curve for curves in panels.values() for curve in curves]
        return finished(figure, title, notes, Margins(right=0.25, top=legend_above(figure), between=0.1), names)


def _labels(settings: np.ndarray) -> list[str]:
    """A number for every setting, but for one too close to the number before it."""
    room, last, labels = CLOSE * np.log(settings[-1] / settings[0]), -np.inf, []
    for value in settings:
        apart = np.log(value) - last >= room
        labels.append(plain(value) if apart else "")
        last = np.log(value) if apart else last
    return labels


def _cut(axes: Axes, panels: Mapping[str, Mapping[str, Rows]]) -> list[str]:
    """End the axis where a bound is far below the least regret of all curves; the names of bounds that go on."""
    every = [(curve, float(rows["mean"].min())) for curves in panels.values() for curve, rows in curves.items()]
    least = min((mean for curve, mean in every if trust_model_of(curve) != BOUND), default=0.0)
    cut = dict.fromkeys(name_of(curve) for curve, mean in every if mean < least / BELOW)
    if cut:
        axes.set_ylim(bottom=least / BELOW)
    return list(cut)


def _guide(axes: Axes, x: np.ndarray, start: float, slope: str, dash: str, sign: str) -> None:
    """A line of this slope, labeled with it."""
    above, below = (float(part) for part in slope.split("/"))
    axes.plot(
        x,
        start * (x / x[0]) ** (above / below),
        color=GRAY,
        linewidth=0.8,
        linestyle=dash,
        label=rf"$\propto$ {sign}$^{{{slope}}}$",
    )


def _line(axes: Axes, curve: str, rows: Rows, along: str, settings: np.ndarray) -> None:
    """The value of a line across stands at the first setting."""
    pen = pen_of(curve)
    texts = values.of_rows(name_of(curve), curve, values.letters(sign_of(along)), along, "regret", rows)
    if np.isnan(rows[along]).all():
        values.mark(axes, settings[:1], rows["mean"][:1], texts[:1])
        axes.axhline(float(rows["mean"][0]), **pen.line | {"marker": ""}, label=name_of(curve))
        axes.axhspan(float(rows["low"][0]), float(rows["high"][0]), color=pen.color, alpha=0.2, linewidth=0)
        return
    values.mark(axes, rows[along], rows["mean"], texts)
    order = np.argsort(rows[along], kind="stable")  # a list of grids may have its values in any order
    x, mean, low, high = _apart(*(rows[name][order] for name in (along, "mean", "low", "high")))
    axes.plot(x, mean, **pen.line | {"marker": pen.marker or "."}, label=name_of(curve))
    axes.fill_between(x, low, high, color=pen.color, alpha=0.2, linewidth=0)


def _apart(x: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
    """The columns with a break, NaN, wherever neighbors are so far apart that a line would show what nobody ran."""
    breaks = np.flatnonzero(x[1:] > APART * x[:-1]) + 1
    return [np.insert(np.asarray(column, dtype=float), breaks, np.nan) for column in (x, *columns)]
