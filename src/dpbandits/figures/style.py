"""One style for all figures: a fixed colour, marker and dash per algorithm, whatever the paper."""

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.ticker as ticker
from matplotlib.artist import Artist
from matplotlib.axis import Axis, XAxis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpbandits.algorithms.table import TABLE
from dpbandits.figures import values
from dpbandits.references import parts
from dpbandits.storage import write_text
from dpbandits.whole_files import write_bytes


@dataclass(frozen=True)
class Look:
    """How an algorithm is drawn; colour, marker and dash together tell it apart."""

    colour: str
    marker: str
    dash: str


LOOKS = {
    "phased_elimination": Look("#000000", "", "--"),
    "phased_elimination_g_optimal": Look("#000000", "", ":"),
    "phased_elimination_central": Look("#0072b2", "o", "-"),
    "phased_elimination_shuffled": Look("#009e73", "s", "-"),
    "phased_elimination_local": Look("#d55e00", "^", "-"),
    "phased_elimination_central_whole:uniform": Look("#e69f00", "v", "-"),
    "phased_elimination_central_whole:fw": Look("#cc79a7", "D", "-"),
    "phased_elimination_central_whole:uniform_narrow": Look("#56b4e9", "P", "-"),
    "linucb": Look("#000000", "o", "-"),
    "linucb_central": Look("#0072b2", "s", "-"),
    "linucb_shuffled_amplified": Look("#d55e00", "D", "-"),
    "linucb_shuffled_vector_sum": Look("#009e73", "^", "-"),
    "linucb_local": Look("#56b4e9", "v", "-"),
    "linucb:long_batches": Look("#000000", "o", ":"),
    "linucb_central:returning": Look("#0072b2", "o", "--"),
    "linucb_shuffled_amplified:returning": Look("#d55e00", "P", "--"),
    "linucb_shuffled_vector_sum:tenfold": Look("#009e73", "P", "--"),
    "uniform_play": Look("#999999", "x", ":"),
    "lazy_ucb": Look("#0072b2", "s", "-"),
    "lazy_thompson_sampling": Look("#009e73", "o", "-"),
    "dp_successive_elimination": Look("#d55e00", "^", "-"),
    "adap_ucb": Look("#cc79a7", "v", "--"),
    "adap_kl_ucb": Look("#cc79a7", "D", "-"),
    "adap_kl_ucb:alpha_kl_one": Look("#cc79a7", "D", "--"),
    "adap_kl_ucb:alpha_one": Look("#cc79a7", "D", ":"),
    "dp_kl_ucb": Look("#e69f00", "P", "-"),
    "dp_imed": Look("#e69f00", "X", "--"),
    "tree_ucb": Look("#56b4e9", "v", "-"),
    "tree_ucb:whole_budget": Look("#56b4e9", "v", "--"),
    "ucb1": Look("#000000", "s", "--"),
    "kl_ucb": Look("#000000", "P", ":"),
    "thompson_sampling": Look("#000000", "o", "-."),
    "follow_the_leader": Look("#000000", "o", ":"),
    "epoch_leader": Look("#000000", "s", "--"),
    "noisy_leader": Look("#0072b2", "o", "-"),
    "naive_noisy_leader": Look("#d55e00", "^", "-"),
    "regret_floor": Look("#999999", "", ":"),
    "regret_rate": Look("#999999", "", "--"),
    "cucb": Look("#000000", "", "--"),
    "cucb:anytime": Look("#000000", "x", ":"),
    "cucb_ldp1": Look("#d55e00", "v", ":"),
    "cucb_ldp1:k2": Look("#d55e00", "^", "-"),
    "cucb_ldp2": Look("#009e73", "s", "-"),
    "cucb_dp": Look("#0072b2", "o", "-"),
    "cucb_dp:over_rounds": Look("#0072b2", "x", ":"),
    "cucb_dp:base_two": Look("#0072b2", "P", "--"),
    "cucb_dp_least": Look("#56b4e9", "D", "-"),
    "path_sum_ldp": Look("#cc79a7", "D", "-"),
    "structured_dp": Look("#e69f00", "P", "-"),
    "greedy_least_squares": Look("#009e73", "s", "-"),
    "greedy_least_squares:open": Look("#000000", "", "--"),
    "greedy_gradient": Look("#d55e00", "o", "-"),
    "greedy_gradient:tuned_step": Look("#d55e00", "P", "--"),
    "greedy_gradient:greedy": Look("#000000", "s", "--"),
    "least_squares_ucb": Look("#0072b2", "^", "-"),
    "gloc": Look("#cc79a7", "D", "-"),
    "random_arms": Look("#999999", "x", ":"),
    "contextual_rate": Look("#999999", "", ":"),
    "epoch_greedy_gradient": Look("#0072b2", "o", "-"),
    "epoch_greedy_gradient:frequent": Look("#56b4e9", "v", "-"),
    "greedy_first_gradient": Look("#d55e00", "^", "-"),
    "greedy_first_gradient:averaged": Look("#d55e00", "P", "--"),
    "least_squares_estimate": Look("#0072b2", "o", "-"),
    "least_squares_estimate:theory_ridge": Look("#d55e00", "^", "--"),
    "greedy_least_squares_by_arm": Look("#009e73", "s", "-"),
    "greedy_gradient_by_arm": Look("#d55e00", "o", "-"),
    "greedy_gradient_by_arm:tuned_step": Look("#d55e00", "P", "--"),
    "least_squares_ucb_by_arm": Look("#0072b2", "^", "-"),
    "gloc_by_arm": Look("#cc79a7", "D", "-"),
    "gloc_by_arm:outer_products": Look("#cc79a7", "x", ":"),
    "semi_bandit_rate": Look("#999999", "", "--"),
    "semi_bandit_rate:leading_local": Look("#999999", "", "-."),
    "semi_bandit_floor": Look("#999999", "", ":"),
    "semi_bandit_floor:channel": Look("#999999", "", "-."),
}
"""By curve, `algorithm` or `algorithm:variant`; colours of Okabe and Ito, which readers with any colour vision tell
apart."""


def look_of(curve: str) -> Look:
    """The look of a curve; of its algorithm, where a variant has none of its own."""
    return LOOKS.get(curve) or LOOKS[parts(curve)[0]]


def name_of(curve: str) -> str:
    """`central`, or `no core set (uniform)`."""
    algorithm, variant, _ = parts(curve)
    return TABLE[algorithm].short + (f" ({variant.replace('_', ' ')})" if variant else "")


SIGNS = {
    "eps": r"$\varepsilon$",
    "arms": "$K$",
    "dimension": "$d$",
    "batch": "$B$",
    "T": "$T$",
    "gap": r"$\Delta$",
    "fewest": "actions in a bracket",
    "size": "$K$",
    "bad": "suboptimal super arms",
    "negative": "rule for negative indices",
    "beta": r"$\beta$",
    "norm": r"$\Vert \theta^* \Vert$",
    "bonus": "part of the bonus",
    "threshold": "$h$",
    "warm_up": "warm-up",
}
"""Grid values as formulas."""
AXES = {
    "eps": r"privacy budget $\varepsilon$",
    "T": "horizon $T$",
    "arms": "actions $K$",
    "dimension": "dimension $d$",
    "batch": "batch $B$",
    "gap": r"gap $\Delta$",
    "brackets": "brackets $S$",
    "size": "arms in a super arm $K$",
    "bad": "suboptimal super arms",
    "width": "part of the printed bonus",
    "beta": r"margin exponent $\beta$",
    "norm": r"norm of $\theta^*$",
    "threshold": "threshold $h$",
    "warm_up": "rounds of the warm-up",
    "t": "round $t$",
    "regret": "regret $R_t$",
    "error": r"error $\Vert \hat\theta_t - \theta^* \Vert$",
    "elliptical": "elliptical error",
}
"""Labels of grid values and outputs."""


def sign_of(name: str) -> str:
    """A grid value as a formula, or by its name."""
    return SIGNS.get(name, name.replace("_", " "))


PACKED = 3  # of 9: files 7 % larger than at the usual 6, in two thirds of its time
HANDLE, LETTER = 0.6, 0.075  # what an entry of a legend takes, and a letter of it, inches
SETTINGS: dict[Any, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titley": 1.0,  # above the axes, without a search for what else is there, which costs a quarter of a drawing
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "svg.hashsalt": "dpbandits",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """Draw inside with the house style; nothing outside changes."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


@dataclass(frozen=True)
class Margins:
    """Room around the panels, in inches, and between them and their rows, in sizes of a panel.

    Fixed, since an automatic layout costs more than drawing.
    """

    left: float = 0.65
    right: float = 0.12
    top: float = 0.55
    bottom: float = 0.95
    between: float = 0.28
    rows: float = 0.42


def footed(figure: Figure, title: str, notes: Sequence[str], margins: Margins) -> Figure:
    """Title above, notes below, panels between."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=margins.left / width,
        right=1 - margins.right / width,
        top=1 - margins.top / height,
        bottom=margins.bottom / height,
        wspace=margins.between,
        hspace=margins.rows,
    )
    figure.text(0.1 / width, 1 - 0.08 / height, title, fontsize=10, ha="left", va="top")
    figure.text(0.1 / width, 0.06 / height, "\n".join(notes), fontsize=8, ha="left", va="bottom", color="#444444")
    return figure


def legend_above(figure: Figure) -> float:
    """One legend for all panels, below the title; the room above the panels that both take, in inches."""
    handles: dict[str, Artist] = {}
    for axes in figure.axes:
        lines, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, lines, strict=True))
    column = HANDLE + LETTER * max(len(label) for label in handles if not label.startswith("$"))
    columns = min(len(handles), int(figure.get_figwidth() / column))
    place = (0.0, 1 - 0.26 / figure.get_figheight())
    figure.legend(handles.values(), handles, loc="upper left", bbox_to_anchor=place, ncols=columns)
    return 0.62 + 0.18 * math.ceil(len(handles) / columns)


def plain(value: float) -> str:
    """A number on an axis: 0.01, 10, 100k, 16.8M."""
    return f"{value:g}" if value < 1000.0 else ticker.EngFormatter(sep="")(float(f"{value:.3g}"))


class FewTicks(ticker.LogLocator):
    """Ticks at 1, 3, 10, 30, ..; at 1, 2, 5 where the axis has hardly a decade, at powers of ten where it has many."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Where the ticks are."""
        ratio = vmax / vmin
        self.set_params(subs=(1.0, 2.0, 5.0) if ratio < 12.0 else (1.0, 3.0) if ratio < 1e4 else (1.0,))
        return super().tick_values(vmin, vmax)


class MinorTicks(Artist):
    """The minor ticks of a logarithmic axis, drawn as one line: with five artists a tick they are half of a drawing."""

    def __init__(self, axis: Axis) -> None:
        super().__init__()
        self.axis, self.places = axis, ticker.LogLocator(subs="auto")
        self.places.set_axis(axis)

    def draw(self, renderer: Any) -> None:
        """Ticks outside of the axes, below or to the left of them."""
        low, high = self.axis.get_view_interval()
        along = [place for place in self.places() if low <= place <= high]
        across = [0.0] * len(along)
        flat, axes = isinstance(self.axis, XAxis), self.axis.axes
        ticks = Line2D(
            along if flat else across,
            across if flat else along,
            linestyle="",
            color="black",
            marker=3 if flat else 0,  # a tick down, or to the left
            markersize=mpl.rcParams["xtick.minor.size"],
            markeredgewidth=mpl.rcParams["xtick.minor.width"],
            transform=axes.get_xaxis_transform() if flat else axes.get_yaxis_transform(),
        )
        ticks.set_figure(axes.figure)
        ticks.draw(renderer)


def plain_logarithm(axis: Axis, fine: bool = False) -> None:
    """A logarithmic axis with plain numbers; `fine` with 3, 30, .. as well."""
    if fine:
        axis.set_major_locator(FewTicks())
    axis.set_major_formatter(lambda value, _: plain(value))
    axis.set_minor_locator(ticker.NullLocator())
    axis.axes.add_artist(MinorTicks(axis))


def save(figure: Figure, path: Path) -> None:
    """Write `<path>.svg`, with the values of its points, and `<path>.png`: the same bytes for the same figure."""
    with style():
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        before, end, after = drawn.getvalue().rpartition("</svg>")
        write_text(path.with_name(path.name + ".svg"), before + values.group(figure) + end + after)
        pixels = io.BytesIO()
        figure.savefig(pixels, format="png", metadata={"Software": None}, pil_kwargs={"compress_level": PACKED})
        write_bytes(path.with_name(path.name + ".png"), pixels.getvalue())
