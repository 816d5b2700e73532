"""Claims, tests, figures and other sections of a paper as models, from what its YAML would hold."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import TypeAdapter, create_model

from dpbandits.config.models.claims import AnyClaim, AuditTest, ClosedForm, Rules
from dpbandits.config.models.compared import Comparison, Judged
from dpbandits.config.models.comparisons import Measurement, Quantity, RatioBetween, Test
from dpbandits.config.models.experiments import Gate
from dpbandits.config.models.figures import AnyFigure, Table

ADAPTERS = {name: TypeAdapter(kind) for name, kind in {"claim": AnyClaim, "figure": AnyFigure}.items()}
TESTS, QUANTITIES = TypeAdapter(Test), TypeAdapter(Quantity)
WORDS = {
    **{"where": "Figure 1", "statement": "It does.", "severity": "detail", "source": "stated", "class": "order"},
    **{"threshold_from": "ours", "threshold_reason": "We chose it.", "subject": "paper", "could_fail": "The contrary."},
}
FIGURE = {"shows": "It.", "caption": "It is shown.", "calibrations": ["printed"], "claims": []}
REQUIRED = {
    "curves": ["x", "y"],
    **dict.fromkeys(("against", "baseline"), "b"),
    "bounds": [0, 1],
    "factor": 2,
    "over": "T",
    "of": "inverse",
    "fit": 0.9,
    "column": "regret",
    "above": 0,
    "rate": 0.01,
}
"""What a test may leave out here that its predicate requires."""
Section = Mapping[str, Any]


def comparison_of(test: Section) -> Comparison:
    """A test of a statistical claim; its reading may be left out."""
    return TESTS.validate_python({"reading": "r", **test})


def quantity_of(test: Section) -> Comparison:
    """A test of a measurement; its reading may be left out."""
    return QUANTITIES.validate_python({"reading": "r", **test})


def completed(test: Section) -> Comparison:
    """A test of either kind, with all that its predicate requires and that it leaves out.

    What only a measurement may ask has bounds here, too, where they are given.
    """
    models = [get_args(each)[0] for union in (Test, Quantity) for each in get_args(get_args(union)[0])]
    model = next(each for each in models if test["predicate"] in get_args(each.model_fields["predicate"].annotation))
    if "bounds" in test and "bounds" not in model.model_fields:
        model = create_model(f"Judged{model.__name__}", __base__=(model, Judged))
    wanted = {name for name, field in model.model_fields.items() if field.is_required()}
    if model is RatioBetween and "reference" not in test:
        wanted.add("against")
    return model.model_validate({"reading": "r", **{n: REQUIRED[n] for n in REQUIRED if n in wanted}, **test})


def closed_form_of(test: Section) -> ClosedForm:
    """A test of an analytic claim; its reading and arguments may be left out."""
    return ClosedForm.model_validate({"reading": "r", "arguments": {}, **test})


def audit_test_of(test: Section) -> AuditTest:
    """A test of a claim about audits; its reading may be left out."""
    return AuditTest.model_validate({"reading": "r", **test})


def claim_of(claim: Section) -> AnyClaim:
    """A claim; its words, calibrations and way to combine readings may be left out."""
    return ADAPTERS["claim"].validate_python({**WORDS, "calibrations": ["printed"], "combine": "all", **claim})


def claims_of(claims: Mapping[str, Section | AnyClaim]) -> dict[str, AnyClaim]:
    """Claims by name; those that are models already stay what they are."""
    return {name: claim_of(claim) if isinstance(claim, Mapping) else claim for name, claim in claims.items()}


def measurement_of(measurement: Section) -> Measurement:
    """A measurement; its words and calibrations may be left out."""
    return Measurement.model_validate({"says": "It is.", "calibrations": ["printed"], **measurement})


def measurements_of(measurements: Mapping[str, Section]) -> dict[str, Measurement]:
    """Measurements by name."""
    return {name: measurement_of(measurement) for name, measurement in measurements.items()}


def gate_of(gate: Section) -> Gate:
    """A gate; its note may be left out."""
    return Gate.model_validate({"note": "Long enough.", **gate})


def rules_of(gates: Iterable[Section] = ()) -> Rules:
    """How claims are judged, with these gates."""
    return Rules(tuple(map(gate_of, gates)))


def figure_of(figure: Section) -> AnyFigure:
    """A figure; what it shows, its caption, calibrations and claims may be left out."""
    return ADAPTERS["figure"].validate_python({**FIGURE, **figure})


def table_of(table: Section) -> Table:
    """A table; what it shows and its caption may be left out."""
    return Table.model_validate({"shows": "It.", "caption": "It is shown.", **table})
