"""Display names of curves, trust models, grid values and outputs in figures."""

from collections.abc import Iterable

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.theory.base import Bound

BOUND = "bound"
WORDS = {"central": "central", "shuffle": "shuffle", "local": "local", "none": "no privacy", BOUND: "bound"}
"""Legend text for each color."""
VARIANTS = {
    **{"channel": "of Laplace reports", "fw": "Frank-Wolfe", "k2": "K² in the root", "nonprivate": "non-private"},
    **{"leading": "leading order", "leading_local": "leading order, local"},
}
"""Display names of variants whose own names are too short or differ from the papers."""
BUDGETS = {"local": r"$\varepsilon_0$"}
"""Name of the privacy budget, if it is not epsilon."""
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
    "fallback": "index below 0",
    "beta": r"$\beta$",
    "norm": r"$\Vert \theta^* \Vert$",
    "bonus": "bonus factor",
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


def name_of(curve: str) -> str:
    """Display name of a curve: `central`, or `no core set (uniform)`."""
    algorithm, variant, _ = parts(curve)
    return TABLE[algorithm].short + (f" ({VARIANTS.get(variant, variant.replace('_', ' '))})" if variant else "")


def trust_model_of(curve: str) -> str:
    """Trust model of a curve; `bound` for a theoretical bound."""
    algorithm, variant, _ = parts(curve)
    entry = TABLE[algorithm]
    return BOUND if isinstance(entry, Bound) else entry.trust_model_of(variant)


def trust_models(curves: Iterable[str]) -> list[str]:
    """Trust models of some curves, in the order of `WORDS`."""
    found = {trust_model_of(curve) for curve in curves}
    return [each for each in WORDS if each in found]


def budget_of(curve: str) -> str:
    """Symbol of the privacy budget of a curve, as a formula."""
    return BUDGETS.get(trust_model_of(curve), r"$\varepsilon$")


def sign_of(name: str) -> str:
    """Symbol of a grid value, or its name."""
    return SIGNS.get(name, name.replace("_", " "))
