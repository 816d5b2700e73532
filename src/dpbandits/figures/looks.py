"""How figures draw a curve: the color is that of its trust model, in all papers; the rest is the look of its entry."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dpbandits.base.entries import Look, Shade
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.theory.base import Bound

BOUND = "bound"
COLORS = {"central": "#0072b2", "shuffle": "#009e73", "local": "#d55e00", "none": "#000000", BOUND: "#999999"}
"""By trust model, of the palette of Okabe and Ito, which readers with any color vision can tell apart."""
WORDS = {"central": "central", "shuffle": "shuffle", "local": "local", "none": "no privacy", BOUND: "bound"}
"""What a figure calls the curves of a color."""
MIXED: dict[Shade, tuple[int, float]] = {"plain": (0, 0.0), "dark": (0, 0.4), "light": (255, 0.4)}
"""By shade, the gray with which a color is mixed, and its part."""
WEIGHTS: dict[Shade, tuple[float, float, float]] = {"dark": (1.9, 5.0, 2.0), "plain": (1.4, 4.0, 2.1),
                                                    "light": (1.2, 3.2, 2.2)}  # fmt: skip
"""By shade, the widths of line and marker, in points, and the layer: of curves that coincide, all are seen."""
VARIANTS = {
    **{"channel": "of Laplace reports", "fw": "Frank-Wolfe", "k2": "K² in the root", "nonprivate": "non-private"},
    **{"leading": "leading order", "leading_local": "leading order, local"},
}
"""What figures call variants whose own names are too short or not those of the papers."""
BUDGETS = {"local": r"$\varepsilon_0$"}
"""What a privacy budget is called, where it is not epsilon."""


@dataclass(frozen=True)
class Pen:
    """Color, marker and dash of a curve, as matplotlib takes them, widths of line and marker, and the layer."""

    color: str
    marker: str
    dash: str
    width: float = WEIGHTS["plain"][0]
    size: float = WEIGHTS["plain"][1]
    layer: float = WEIGHTS["plain"][2]

    @property
    def line(self) -> dict[str, Any]:
        """What `plot` needs to draw the curve."""
        return {
            **{"color": self.color, "marker": self.marker, "linestyle": self.dash},
            **{"linewidth": self.width, "markersize": self.size, "zorder": self.layer},
        }


def pen(trust_model: str, look: Look) -> Pen:
    """The pen for a look, in the color of a trust model."""
    gray, part = MIXED[look.shade]
    plain = bytes.fromhex(COLORS[trust_model].removeprefix("#"))
    mixed = bytes(round((1.0 - part) * each + part * gray) for each in plain)
    return Pen(f"#{mixed.hex()}", look.marker, look.dash, *WEIGHTS[look.shade])


def pen_of(curve: str) -> Pen:
    """The pen of a curve; of its algorithm, where a variant has no look of its own."""
    algorithm, variant, _ = parts(curve)
    return pen(trust_model_of(curve), TABLE[algorithm].looks.get(variant, TABLE[algorithm].look))


def trust_model_of(curve: str) -> str:
    """The trust model of a curve; `bound` for a bound of theory."""
    algorithm, variant, _ = parts(curve)
    entry = TABLE[algorithm]
    return BOUND if isinstance(entry, Bound) else entry.trust_model_of(variant)


def trust_models(curves: Iterable[str]) -> list[str]:
    """The trust models of some curves, in the order of `COLORS`."""
    found = {trust_model_of(curve) for curve in curves}
    return [each for each in COLORS if each in found]


def budget_of(curve: str) -> str:
    """What the privacy budget of a curve is called, as a formula."""
    return BUDGETS.get(trust_model_of(curve), r"$\varepsilon$")


def name_of(curve: str) -> str:
    """`central`, or `no core set (uniform)`."""
    algorithm, variant, _ = parts(curve)
    return TABLE[algorithm].short + (f" ({VARIANTS.get(variant, variant.replace('_', ' '))})" if variant else "")
