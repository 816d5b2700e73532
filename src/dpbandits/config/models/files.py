"""Models of the configuration's files: `config/config.yaml` and one file for each paper."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from dpbandits.config.models.claims import AnyClaim, Audit, Theorem
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import Experiment, Gate, Seeds, scale_of
from dpbandits.config.models.fields import (
    MARK,
    OWN_CODE_PATTERN,
    PAPER_PATTERN,
    Calibration,
    ClaimName,
    Constants,
    Distinct,
    Listed,
    Maybe,
    Model,
    Name,
    Number,
    Sections,
    Text,
)
from dpbandits.config.models.figures import AnyFigure, Table

Scale = Literal["smoke", "quick", "full", "pilot"]
RootSeed = Annotated[int, Field(ge=0, le=18446744073709551615)]
PaperKey = Annotated[str, StringConstraints(pattern=PAPER_PATTERN)]


class ProjectFile(Model):
    """The papers to run, and the scale."""

    scale: Scale
    papers: Annotated[Distinct[PaperKey] | None, Field(json_schema_extra={"nullable": True})] = None
    root_seed: RootSeed
    pilot_seed: RootSeed
    seconds_per_job: Annotated[float, Field(ge=0, le=86400)]


def _text(value: Any) -> str:
    return MARK + ("text" if isinstance(value, str) else "other")


class Assumption(Model):
    """A choice that the paper leaves open."""

    item: Text
    value: Annotated[Annotated[Text, Tag(MARK + "text")] | Annotated[Number, Tag(MARK + "other")], Discriminator(_text)]
    source: Literal["assumed"]
    note: Text


Seconds = Annotated[float, Field(gt=0, le=1e9)]


class Budget(Model):
    """CPU seconds that a paper may use at every scale."""

    smoke: Seconds
    quick: Seconds
    full: Seconds

    def at(self, scale: str) -> float:
        """The budget at a scale."""
        return {"smoke": self.smoke, "quick": self.quick, "full": self.full}[scale_of(scale)]


SeedsOfCalibrations = Annotated[dict[Calibration, Seeds], Field(min_length=1)]


class AllocationFile(Model):
    """Numbers of seeds derived from a pilot, by scale, experiment and calibration."""

    quick: Maybe[Annotated[dict[Name, SeedsOfCalibrations], Field(min_length=1)]] = None
    full: Maybe[Annotated[dict[Name, SeedsOfCalibrations], Field(min_length=1)]] = None

    @property
    def seeds(self) -> dict[str, dict[str, dict[str, int]]]:
        """The numbers by scale, experiment and calibration."""
        given = {"quick": self.quick or {}, "full": self.full or {}}
        return {scale: {name: dict(each.items()) for name, each in sizes.items()} for scale, sizes in given.items()}


OwnCode = Annotated[str, StringConstraints(pattern=OWN_CODE_PATTERN, max_length=200)]


class PaperFile(Model):
    """One paper: its reference, assumptions, experiments, figures and claims.

    Attributes
    ----------
    algorithms, environments : the user's own code, by name in experiments; its files are in the project's folder.
    """

    title: Text
    authors: Listed[Text]
    reference: Text
    gates: Maybe[Listed[Gate]] = None
    cpu_budget: Maybe[Budget] = None
    algorithms: Maybe[Annotated[dict[Name, OwnCode], Field(min_length=1)]] = None
    environments: Maybe[Annotated[dict[Name, OwnCode], Field(min_length=1)]] = None
    assumptions: Maybe[Annotated[tuple[Assumption, ...], Field(strict=False)]] = None
    constants: Maybe[Constants] = None
    calibrations: Maybe[dict[Calibration, Constants]] = None
    experiments: Sections[Experiment]
    figures: Maybe[Sections[AnyFigure]] = None
    measurements: Maybe[Sections[Measurement]] = None
    tables: Maybe[Sections[Table]] = None
    theorems: Maybe[dict[Name, Theorem]] = None
    audits: Maybe[dict[Name, Audit]] = None
    claims: Maybe[Annotated[dict[ClaimName, AnyClaim], Field(min_length=1)]] = None
