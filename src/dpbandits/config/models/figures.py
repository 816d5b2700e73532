"""What a figure or a table may say: one model for each kind of drawing."""

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
"""The slope of a line that guides the eye, a fraction."""


class Figure(Model):
    """What every figure says: what it shows, its calibrations, one picture each, its caption and its claims."""

    shows: Text
    calibrations: Distinct[Calibration]
    caption: Text
    claims: DistinctOrNone[VerdictName]
    notes: Maybe[Annotated[dict[Calibration, Text], Field(min_length=1)]] = None
    constants: Maybe[Annotated[dict[Calibration, Text], Field(min_length=1)]] = None
    drawing: str

    def note(self, calibration: str) -> str:
        """What is said at a calibration beside the caption; nothing where it is not."""
        return next((text for name, text in (self.notes or {}).items() if name == calibration), "")

    def title(self, calibration: str) -> str:
        """What it shows, and with which constants: those of `constants`, or of the calibration."""
        own = (text for name, text in (self.constants or {}).items() if name == calibration)
        return f"{self.shows}, {next(own, f'{calibration} constants')}"


class OfExperiment(Figure):
    """A drawing of curves of an experiment, at the grid values `at`."""

    experiment: Name
    curves: Distinct[Reference]
    at: Maybe[Block] = None

    @property
    def held(self) -> Mapping[str, Sequence[float]]:
        """What is `at`; its values are numbers once the file is loaded (`values.figures_with_numbers`)."""
        return cast(Mapping[str, Sequence[float]], self.at or {})


class RegretAgainstBudget(OfExperiment):
    """Final regret against epsilon."""

    drawing: Literal["regret_against_budget"]


class RegretGrowth(OfExperiment):
    """Final regret against a grid value `along`, with a panel for each value of another.

    Attributes
    ----------
    titled : panels by their titles, each with the grid values that it holds; without it there is one for each value of
        `panels`.
    worst : whether the first panel has the largest mean over all values of `panels`.
    """

    drawing: Literal["regret_growth"]
    panels: GridName
    along: Maybe[GridName] = None
    titled: Maybe[Annotated[dict[Text, Block], Field(min_length=1)]] = None
    worst: Maybe[bool] = None
    guides: Maybe[Distinct[Guide]] = None

    @property
    def blocks(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """What is `titled`; its values are numbers once the file is loaded (`values.figures_with_numbers`)."""
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
    """The numbers of a measurement, with their intervals."""

    drawing: Literal["estimates"]
    measurement: Name


class Drawn(Figure):
    """A drawing of the paper's own, of closed forms."""

    drawing: Literal["amplification", "widths", "noisy_max", "learnable"]
    arguments: Arguments


class Audited(Figure):
    """A drawing of the audits of the paper."""

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
    """A column of a table with numbers of a measurement: for every row a curve, or null."""

    column: Text
    measurement: Name
    calibration: Calibration
    curves: Listed[Reference | None]


class Table(Model):
    """A table of the paper, with measurements beside the printed entries."""

    shows: Text
    caption: Text
    columns: Distinct[Text]
    rows: Listed[Listed[Entry]]
    measured: Maybe[Listed[MeasuredColumn]] = None
    verdicts: Maybe[Listed[VerdictName | None]] = None
