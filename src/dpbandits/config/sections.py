"""What claims, measurements and their tests name and compare, for all that read them: no numbers are needed for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dpbandits.base.references import parts
from dpbandits.config.curves import Curve
from dpbandits.config.models.claims import AnyClaim, Rules, Statistical
from dpbandits.config.models.compared import Comparison
from dpbandits.config.models.comparisons import Measurement

Coincides = Mapping[str, Mapping[str, str]]
"""Algorithm -> calibration -> the calibration whose runs stand for it."""
CurveName = tuple[str, str, str]
"""Algorithm, calibration and variant, which name a curve of an experiment."""

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
"""Predicates that compare settings with each other, which must be different points of the curve."""
SEVERAL = (*DIFFERENT, "flat")
FEWEST = {"affine_between": 3, "form_ratio": 4, "increments": 3}
"""Settings that a predicate needs at least, where two are not enough: more than what it fits has terms."""
SLOPES = ("slope_between", "slope_order", "affine_between")
FALLING = ("eps", "gap")
"""Grid values with which regret falls: the faster it grows, the lower is its slope in them."""


def enough(test: Comparison, left: Sequence[Mapping[str, float]]) -> bool:
    """Whether the settings that are left of a test suffice for its comparison.

    A slope over three values or more needs three, other comparisons of settings two, and a least value all: the least
    of some may not be the least of all.
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
    """Claim, variant, calibration, and the claim with what the variant puts in its place."""
    for name, claim in claims.items():
        for variant, merged in claim.cases():
            for calibration in merged.calibrations:
                yield name, variant, calibration, merged


def cases_of(claims: Mapping[str, AnyClaim], experiment: str) -> Iterator[tuple[str, str, str, Statistical]]:
    """The cases of claims that are judged by the runs of an experiment."""
    for claim, variant, calibration, section in cases(claims):
        if isinstance(section, Statistical) and section.experiment == experiment:
            yield claim, variant, calibration, section


def named_curve(reference: str, calibration: str, coincides: Coincides) -> CurveName:
    """The curve that a reference means at a calibration. A reference that names a calibration has that one."""
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
    """The number of seeds that all curves have which tests compare at a calibration; None where they compare none.

    The curves of an experiment may differ in their seeds. A comparison is one of the same instances, and so of the
    first seeds of both.
    """
    names = compared_curves(tests, calibration, coincides)
    return min((curve.seeds for curve in curves if name_of_curve(curve) in names), default=None)


def curves_at(
    tests: Iterable[Comparison], calibration: str, curves: Iterable[Curve], coincides: Coincides
) -> list[Curve]:
    """The curves of an experiment at a calibration, and those at others that tests compare with them."""
    names = compared_curves(tests, calibration, coincides)
    return [c for c in curves if c.calibration == calibration or name_of_curve(c) in names]


def names_of(claims: Mapping[str, AnyClaim]) -> list[str]:
    """The claims, then their variants as `C9/unit_contexts`."""
    return [*claims, *(f"{name}/{variant}" for name, claim in claims.items() for variant in claim.variants or {})]


def judged_outputs(
    claims: Mapping[str, AnyClaim], measurements: Mapping[str, Measurement], rules: Rules
) -> dict[str, set[str]]:
    """By experiment the outputs of algorithms that a claim or measurement looks at."""
    found: dict[str, set[str]] = {}
    judged = [section for *_, section in cases(claims) if isinstance(section, Statistical)]
    sections: list[Statistical | Measurement] = [*judged, *measurements.values()]
    for section in sections:
        names = {test.column_of(role) for test in section.tests for role, _ in test.roles}
        gates = {name for gate in rules.gates_of(section) for name in gate.columns}
        found.setdefault(section.experiment, set()).update(names, gates)
    return found
