"""Ticks with plain numbers on logarithmic axes."""

from typing import Any

import matplotlib as mpl
import matplotlib.ticker as ticker
from matplotlib.artist import Artist
from matplotlib.axis import Axis, XAxis
from matplotlib.lines import Line2D


def plain(value: float) -> str:
    """Label of a number on an axis: 0.01, 10, 100k, 16.8M."""
    return f"{value:g}" if value < 1000.0 else ticker.EngFormatter(sep="")(float(f"{value:.3g}"))


class FewTicks(ticker.LogLocator):
    """Ticks at 1, 3, 10, 30, ..; at 1, 2, 5 if the axis spans about a decade; at powers of ten if it spans many."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Positions of the ticks."""
        ratio = vmax / vmin
        self.set_params(subs=(1.0, 2.0, 5.0) if ratio < 12.0 else (1.0, 3.0) if ratio < 1e4 else (1.0,))
        return super().tick_values(vmin, vmax)


class MinorTicks(Artist):
    """Minor ticks of a logarithmic axis, drawn as one line. Separate artists would take half of the drawing time."""

    def __init__(self, axis: Axis) -> None:
        super().__init__()
        self.axis, self.places = axis, ticker.LogLocator(subs="auto")
        self.places.set_axis(axis)

    def draw(self, renderer: Any) -> None:
        """Draw ticks outside the axes, below or to the left."""
        low, high = self.axis.get_view_interval()
        along = [place for place in self.places() if low <= place <= high]
        across = [0.0] * len(along)
        flat, axes = isinstance(self.axis, XAxis), self.axis.axes
        ticks = Line2D(
            along if flat else across,
            across if flat else along,
            linestyle="",
            color=mpl.rcParams["xtick.color"],
            marker=3 if flat else 0,  # a tick pointing down, or left
            markersize=mpl.rcParams["xtick.minor.size"],
            markeredgewidth=mpl.rcParams["xtick.minor.width"],
            transform=axes.get_xaxis_transform() if flat else axes.get_yaxis_transform(),
        )
        ticks.set_figure(axes.figure)
        ticks.draw(renderer)


def plain_logarithm(axis: Axis, fine: bool = False) -> None:
    """Use a logarithmic axis with plain numbers; with `fine`, also label 3, 30, .."""
    if fine:
        axis.set_major_locator(FewTicks())
    axis.set_major_formatter(lambda value, _: plain(value))
    axis.set_minor_locator(ticker.NullLocator())
    axis.axes.add_artist(MinorTicks(axis))
