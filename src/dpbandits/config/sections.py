"""The curves and outputs that claims, measurements and their tests compare, without their numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dpbandits.base.references import parts
from dpbandits.config.curves import Curve
from dpbandits.config.models.claims import AnyClaim, Rules, Statistical
from dpbandits.config.models.compared import Comparison
from dpbandits.config.models.comparisons import Measurement

Coincides = Mapping[str, Mapping[str, str]]
"""Algorithm -> calibration -> the calibration whose runs are used for it."""
CurveName = tuple[str, str, str]
"""Algorithm, calibration and variant, which identify a curve of an experiment."""

DIFFERENT = (
    "falling_excess",
    "decreasing",
    "slope_between",
    "slope_order",
    "increments",
    "argmin_between",
    "falling_supremum",
    "within_factor",
    "affine_between",
    "form_ratio",
)
"""Predicates that compare settings with each other; these must be different points of the curve."""
SEVERAL = (*DIFFERENT, "flat")
FEWEST = {"affine_between": 3, "form_ratio": 4, "increments": 3}
"""Least number of settings of a predicate, if above two: more than the number of fitted terms."""
SLOPES = ("slope_between", "slope_order", "affine_between")
FALLING = ("eps", "gap")
"""Grid values in which regret decreases: the faster regret grows, the lower its slope in them."""


def enough(test: Comparison, left: Sequence[Mapping[str, float]]) -> bool:
    """Whether the remaining settings of a test are enough for its comparison.

    A slope over three or more values needs three settings, and other comparisons of settings need two. A minimum needs
    all of them, because the minimum of some settings may not be the minimum of all.
    """
    predicate, before, ways = test.predicate, test.settings, test.ways
    counts = [len({setting[name] for setting in left}) for name in ways] or [len(left)]
    least = 2 if predicate in SEVERAL else 1
    if predicate in SLOPES:
        least = min(3, len({setting[ways[0]] for setting in before}))
    if predicate == "argmin_between":
        return len(left) == len(before)
    return min(counts) >= least and len(left) >= FEWEST.get(predicate, 1)


def cases(claims: Mapping[str, AnyClaim]) -> Iterator[tuple[str, str, str, AnyClaim]]:
    """Claim, variant, calibration, and the claim with the variant's replacements."""
    for name, claim in claims.items():
        for variant, merged in claim.cases():
            for calibration in merged.calibrations:
                yield name, variant, calibration, merged


def cases_of(claims: Mapping[str, AnyClaim], experiment: str) -> Iterator[tuple[str, str, str, Statistical]]:
    """The cases of claims that are judged by runs of an experiment."""
    for claim, variant, calibration, section in cases(claims):
        if isinstance(section, Statistical) and section.experiment == experiment:
            yield claim, variant, calibration, section


def named_curve(reference: str, calibration: str, coincides: Coincides) -> CurveName:
    """The curve of a reference at a calibration; a calibration named in the reference takes precedence."""
    algorithm, variant, pinned = parts(reference)
    return algorithm, coincides.get(algorithm, {}).get(pinned or calibration, ""), variant


def name_of_curve(curve: Curve) -> CurveName:
    """Algorithm, calibration and variant of a curve."""
    return curve.algorithm, curve.calibration, curve.variant


def compared_curves(tests: Iterable[Comparison], calibration: str, coincides: Coincides) -> set[CurveName]:
    """The curves that tests compare at a calibration."""
    return {named_curve(name, calibration, coincides) for test in tests for _, name in test.roles}


def common_seeds(
    tests: Iterable[Comparison], calibration: str, curves: Iterable[Curve], coincides: Coincides
) -> int | None:
    """The number of seeds common to all curves that tests compare at a calibration; None if there are no curves.

    The curves of an experiment may have different numbers of seeds. A comparison uses the same instances, that is, the
    first seeds of both curves.
    """
    names = compared_curves(tests, calibration, coincides)
    return min((curve.seeds for curve in curves if name_of_curve(curve) in names), default=None)


def curves_at(
    tests: Iterable[Comparison], calibration: str, curves: Iterable[Curve], coincides: Coincides
) -> list[Curve]:
    """The curves of an experiment at a calibration, with those at other calibrations that tests compare with them."""
    names = compared_curves(tests, calibration, coincides)
    return [c for c in curves if c.calibration == calibration or name_of_curve(c) in names]


def names_of(claims: Mapping[str, AnyClaim]) -> list[str]:
    """The names of claims, then of their variants, such as `C9/unit_contexts`."""
    return [*claims, *(f"{name}/{variant}" for name, claim in claims.items() for variant in claim.variants or {})]


def judged_outputs(
    claims: Mapping[str, AnyClaim], measurements: Mapping[str, Measurement], rules: Rules
) -> dict[str, set[str]]:
    """The outputs of algorithms that claims and measurements use, by experiment."""
    found: dict[str, set[str]] = {}
    judged = [section for *_, section in cases(claims) if isinstance(section, Statistical)]
    sections: list[Statistical | Measurement] = [*judged, *measurements.values()]
    for section in sections:
        names = {test.column_of(role) for test in section.tests for role, _ in test.roles}
        gates = {name for gate in rules.gates_of(section) for name in gate.columns}
        found.setdefault(section.experiment, set()).update(names, gates)
    return found
