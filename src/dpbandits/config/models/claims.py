"""Models of the claims of a paper, of their variants, and of audits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Discriminator, Field, Tag

from dpbandits.base.combinations import Grid as Settings
from dpbandits.base.combinations import combinations
from dpbandits.config.models.compared import Tested
from dpbandits.config.models.comparisons import Measurement, Test
from dpbandits.config.models.experiments import Gate, Regime, scale_of
from dpbandits.config.models.fields import (
    MARK,
    Arguments,
    Bounds,
    Calibration,
    Constant,
    Distinct,
    Grid,
    GridName,
    Listed,
    Maybe,
    Model,
    Name,
    Ranges,
    Sections,
    Text,
    tag_of,
)

Combine = Literal["all", "readings"]
Source = Literal["stated", "theorem", "figure", "ours"]
"""Where the paper makes a claim: in the text, a theorem or a figure; `ours`: nowhere, the question is ours."""
Class = Literal["order", "upper_rate", "exact_rate", "limit", "event", "privacy", "identity", "judgement"]
"""In this order: A below B; at most O(f); grows like f; tends to; never or rarely happens; an (epsilon, delta)
guarantee; a closed form or count; a qualitative judgement."""
From = Literal["paper", "ours"]
Subject = Literal["paper", "released_code", "variant_of_ours"]


class ClosedForm(Tested):
    """A function of the paper's closed forms, with the bounds that its numbers must satisfy."""

    function: Name
    arguments: Arguments
    bounds: Bounds


class AuditTest(Tested):
    """The ratio of actual to claimed epsilon in the cells of an audit, with the bounds that it must satisfy."""

    audit: Name
    bounds: Bounds
    algorithms: Maybe[Distinct[Name]] = None
    within: Maybe[Ranges] = None


def _form(value: Any) -> str:
    return MARK + ("function" if isinstance(value, dict) and "function" in value else "audit")


FormOrAudit = Annotated[
    Annotated[ClosedForm, Tag(MARK + "function")] | Annotated[AuditTest, Tag(MARK + "audit")], Discriminator(_form)
]


Broken = dict[Calibration, Text]
"""The step of a guarantee's proof that is wrong, by calibration at which the guarantee fails."""


class Variant(Model):
    """The replacements of a variant of a claim, and the reason."""

    note: Text
    subject: Subject
    source: Maybe[Source] = None
    class_: Annotated[Maybe[Class], Field(alias="class")] = None
    threshold_from: Maybe[From] = None
    threshold_reason: Maybe[Text] = None
    could_fail: Maybe[Text] = None
    calibrations: Maybe[Distinct[Calibration]] = None
    combine: Maybe[Combine] = None
    tests: Maybe[Listed[Any]] = None

    @property
    def changes(self) -> dict[str, Any]:
        """The replacements, by key."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class StatisticalVariant(Variant):
    """A variant of a statistical claim."""

    experiment: Maybe[Name] = None
    tests: Maybe[Listed[Test]] = None
    gated: Maybe[bool] = None
    regime: Maybe[Regime] = None

    @property
    def changes(self) -> dict[str, Any]:
        """The replacements, by key; the regime is always replaced, because the claim's regime is for its own tests."""
        return {"regime": None} | super().changes


class ClosedVariant(Variant):
    """A variant of a claim about closed forms."""

    tests: Maybe[Listed[ClosedForm]] = None


class AuditVariant(Variant):
    """A variant of a claim about audits."""

    tests: Maybe[Listed[FormOrAudit]] = None
    breaks: Maybe[Broken] = None


class Claim(Model):
    """The keys of every claim: the paper's statement and its place, the thresholds, and how it is judged.

    Attributes
    ----------
    class_ : the kind of statement, which determines what can refute it.
    threshold_from, threshold_reason : the source of the tests' thresholds, and the reason for them.
    subject : what the claim is about.
    could_fail : the finding that would refute it.
    """

    where: Text
    statement: Text
    source: Source
    class_: Annotated[Class, Field(alias="class")]
    threshold_from: From
    threshold_reason: Text
    subject: Subject
    could_fail: Text
    severity: Literal["headline", "detail"]
    kind: str
    calibrations: Distinct[Calibration]
    combine: Combine
    tests: Listed[Any]
    variants: Maybe[Sections[Any]] = None
    note: Maybe[Text] = None

    def cases(self) -> Iterator[tuple[str, Self]]:
        """The claim itself, under an empty name, and every variant as a claim with its replacements."""
        yield "", self
        for name, variant in (self.variants or {}).items():
            yield name, self.model_copy(update=variant.changes)

    def tests_of(self, calibration: str) -> list[Any]:
        """The tests that apply to a calibration."""
        return [test for test in self.tests if test.about(calibration)]

    def subject_at(self, calibration: str) -> Subject:
        """The subject of a verdict at a calibration; our own constants make it our variant."""
        if calibration == "tuned":
            return "variant_of_ours"
        return "released_code" if (calibration, self.subject) == ("released", "paper") else self.subject


class Statistical(Claim):
    """A claim that is judged by runs."""

    kind: Literal["statistical"]
    experiment: Name
    tests: Listed[Test]
    variants: Maybe[Sections[StatisticalVariant]] = None
    gated: Maybe[bool] = None
    regime: Maybe[Regime] = None


class Analytic(Claim):
    """A claim that is judged by closed forms."""

    kind: Literal["analytic", "exact"]
    tests: Listed[ClosedForm]
    variants: Maybe[Sections[ClosedVariant]] = None


class AuditClaim(Claim):
    """A claim that is judged by audits and by closed forms."""

    kind: Literal["audit"]
    tests: Listed[FormOrAudit]
    variants: Maybe[Sections[AuditVariant]] = None
    breaks: Maybe[Broken] = None


@dataclass(frozen=True)
class Rules:
    """Rules for the settings that count in all claims and measurements of a paper.

    Attributes
    ----------
    gates : the gates of the paper.
    horizons : by experiment, the default horizon of its settings.
    """

    gates: tuple[Gate, ...] = ()
    horizons: Mapping[str, float] = field(default_factory=dict)

    def gates_of(self, section: Statistical | Measurement) -> tuple[Gate, ...]:
        """The gates of the paper, unless the claim or measurement turns them off."""
        return () if section.gated is False else self.gates

    def late_of(self, claim: Statistical) -> "Late | None":
        """The regime of a claim; None if all horizons count."""
        return Late(claim.regime, self.horizons.get(claim.experiment, 0.0)) if claim.regime else None


@dataclass(frozen=True)
class Late:
    """The settings that lie in a regime; `horizon` is the default horizon of a setting."""

    regime: Regime
    horizon: float

    def horizon_of(self, setting: Mapping[str, float]) -> float:
        """The rounds of a setting."""
        return setting.get("T", self.horizon)

    def reached(self, setting: Mapping[str, float]) -> bool:
        """Whether a setting lies in the regime."""
        return self.horizon_of(setting) >= self.regime.since


def kind(value: Any) -> str | None:
    """Tag of the model of a claim."""
    return tag_of(value, "kind")


AnyClaim = Annotated[
    Annotated[Statistical, Tag(MARK + "statistical")]
    | Annotated[Analytic, Tag(MARK + "analytic")]
    | Annotated[Analytic, Tag(MARK + "exact")]
    | Annotated[AuditClaim, Tag(MARK + "audit")],
    Discriminator(kind),
]


class Grids(Model):
    """The grid at every scale."""

    smoke: Grid
    quick: Grid
    full: Grid

    @property
    def numbers(self) -> dict[str, Settings]:
        """The grids by scale; their values are numbers once the file is loaded (`values.audits_with_numbers`)."""
        return {scale: cast(Settings, getattr(self, scale)) for scale in type(self).model_fields}


Trials = Annotated[int, Field(ge=400, le=1_000_000)]
Milliseconds = Annotated[float, Field(gt=0, le=1e6)]


class TrialsOfScales(Model):
    """Number of runs on each input, at every scale."""

    smoke: Trials
    quick: Trials
    full: Trials

    def at(self, scale: str) -> int:
        """The number of runs at a scale."""
        return {"smoke": self.smoke, "quick": self.quick, "full": self.full}[scale_of(scale)]


class MillisecondsOfScales(Model):
    """Measured CPU time of one cell, at every scale."""

    smoke: Milliseconds
    quick: Milliseconds
    full: Milliseconds

    def at(self, scale: str) -> float:
        """The time at a scale."""
        return {"smoke": self.smoke, "quick": self.quick, "full": self.full}[scale_of(scale)]


class Theorem(Model):
    """A theorem that bounds the privacy of a mechanism: its statement, and its reference or the page of the proof."""

    says: Text
    source: Text


class Audit(Model):
    """A mechanism whose privacy is audited.

    `inputs` are the two neighbors with the largest distance. `proof` names the theorems that bound all other neighbors;
    without them nothing is proven.
    """

    title: Text
    says: Text
    where: Text
    release: Name
    target: Literal["mechanism", "actions", "statement"]
    domain: Text
    neighbors: Text
    view: Text
    inputs: Text
    proof: Maybe[Distinct[Name]] = None
    note: Maybe[Text] = None
    algorithms: Distinct[Name]
    calibrations: Distinct[Calibration]
    constants: Maybe[dict[GridName, Constant]] = None
    delta: Maybe[Annotated[float, Field(ge=0, lt=1)]] = None
    grid: Grids
    trials: TrialsOfScales
    milliseconds: MillisecondsOfScales
    theorem: Maybe[Ranges] = None

    def settings(self, scale: str) -> list[dict[str, float]]:
        """All settings of the grid at a scale."""
        return combinations(self.grid.numbers[scale_of(scale)])
