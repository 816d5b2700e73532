"""Models of figures and tables, one for each kind of drawing."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import Discriminator, Field, Tag

from dpbandits.config.models.fields import (
    MARK,
    Arguments,
    Block,
    Calibration,
    Distinct,
    DistinctOrNone,
    Entry,
    GridName,
    Listed,
    Maybe,
    Model,
    Name,
    Positive,
    Reference,
    Text,
    VerdictName,
    tag_of,
)

Guide = Annotated[str, Field(pattern=r"^[1-9]/[1-9]$")]
"""The slope of a guide line, a fraction."""


class Figure(Model):
    """The keys of every figure: its content, its calibrations (one picture each), its caption and its claims."""

    shows: Text
    calibrations: Distinct[Calibration]
    caption: Text
    claims: DistinctOrNone[VerdictName]
    notes: Maybe[Annotated[dict[Calibration, Text], Field(min_length=1)]] = None
    constants: Maybe[Annotated[dict[Calibration, Text], Field(min_length=1)]] = None
    drawing: str

    def note(self, calibration: str) -> str:
        """The note at a calibration, shown besides the caption; else empty."""
        return next((text for name, text in (self.notes or {}).items() if name == calibration), "")

    def title(self, calibration: str) -> str:
        """The title: what the figure shows, and whose constants it uses (`constants`, or else the calibration)."""
        own = (text for name, text in (self.constants or {}).items() if name == calibration)
        return f"{self.shows}, {next(own, f'{calibration} constants')}"


class OfExperiment(Figure):
    """A drawing of an experiment's curves, at the grid values `at`."""

    experiment: Name
    curves: Distinct[Reference]
    at: Maybe[Block] = None

    @property
    def held(self) -> Mapping[str, Sequence[float]]:
        """The grid values `at`, which are numbers after loading (`values.figures_with_numbers`)."""
        return cast(Mapping[str, Sequence[float]], self.at or {})


class RegretAgainstBudget(OfExperiment):
    """Final regret against epsilon."""

    drawing: Literal["regret_against_budget"]


class RegretGrowth(OfExperiment):
    """Final regret against a grid value `along`, with a panel for each value of another grid value.

    Attributes
    ----------
    titled : panels by title, each with its grid values; by default there is one panel for each value of `panels`.
    worst : whether the first panel shows the largest mean over all values of `panels`.
    """

    drawing: Literal["regret_growth"]
    panels: GridName
    along: Maybe[GridName] = None
    titled: Maybe[Annotated[dict[Text, Block], Field(min_length=1)]] = None
    worst: Maybe[bool] = None
    guides: Maybe[Distinct[Guide]] = None

    @property
    def blocks(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """The panels `titled`, whose values are numbers after loading (`values.figures_with_numbers`)."""
        return cast(Mapping[str, Mapping[str, Sequence[float]]], self.titled or {})


class RegretAgainstRound(OfExperiment):
    """Regret, or `column`, against the round, with a panel for each value of a grid value."""

    drawing: Literal["regret_against_round"]
    panels: GridName
    marks: Maybe[Distinct[Positive]] = None
    column: Maybe[Name] = None
    statistic: Maybe[Literal["median"]] = None
    scale: Maybe[Literal["log"]] = None


class Estimates(Figure):
    """The numbers of a measurement with their intervals."""

    drawing: Literal["estimates"]
    measurement: Name


class Drawn(Figure):
    """A paper's own drawing of closed forms."""

    drawing: Literal["amplification", "widths", "noisy_max", "learnable"]
    arguments: Arguments


class Audited(Figure):
    """A drawing of the paper's audits."""

    drawing: Literal["audit_epsilons", "audit_verdicts", "audit_power"]


def drawing(value: Any) -> str | None:
    """Tag of the model of a figure."""
    return tag_of(value, "drawing")


AnyFigure = Annotated[
    Annotated[RegretAgainstBudget, Tag(MARK + "regret_against_budget")]
    | Annotated[RegretGrowth, Tag(MARK + "regret_growth")]
    | Annotated[RegretAgainstRound, Tag(MARK + "regret_against_round")]
    | Annotated[Estimates, Tag(MARK + "estimates")]
    | Annotated[Drawn, Tag(MARK + "amplification")]
    | Annotated[Drawn, Tag(MARK + "widths")]
    | Annotated[Drawn, Tag(MARK + "noisy_max")]
    | Annotated[Drawn, Tag(MARK + "learnable")]
    | Annotated[Audited, Tag(MARK + "audit_epsilons")]
    | Annotated[Audited, Tag(MARK + "audit_verdicts")]
    | Annotated[Audited, Tag(MARK + "audit_power")],
    Discriminator(drawing),
]


class MeasuredColumn(Model):
    """A column of a table with the numbers of a measurement: a curve, or null, for every row."""

    column: Text
    measurement: Name
    calibration: Calibration
    curves: Listed[Reference | None]


class Table(Model):
    """A table of the paper, with measurements next to the printed entries."""

    shows: Text
    caption: Text
    columns: Distinct[Text]
    rows: Listed[Listed[Entry]]
    measured: Maybe[Listed[MeasuredColumn]] = None
    verdicts: Maybe[Listed[VerdictName | None]] = None
