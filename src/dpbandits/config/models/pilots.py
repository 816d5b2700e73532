"""The record of a pilot that is committed: what it says of each statistical claim."""

from typing import Annotated, Literal

from pydantic import Field

from dpbandits.config.models.experiments import Seeds
from dpbandits.config.models.fields import Bounds, Calibration, ClaimName, Model, Name, Sections
from dpbandits.config.models.files import PaperKey, RootSeed

Chance = Annotated[float, Field(ge=0, le=1)]
ChancesOfSizes = Annotated[tuple[Chance, ...], Field(strict=False, min_length=1)]


class PilotExperiment(Model):
    """How much of an experiment the pilot played."""

    seeds: Seeds


class PilotShown(Model):
    """What the runs of an algorithm with the same constants on a family of instances show.

    Attributes
    ----------
    runs : how many there are.
    linear : regret a round of the largest of the large runs, where these are a kind of their own.
    """

    algorithm: Name
    calibration: Calibration
    family: Name
    constants: dict[Name, float]
    runs: Annotated[int, Field(ge=1)]
    linear: Annotated[float, Field(gt=0)] | None


class PilotChances(Model):
    """Chances of a verdict at every size, by scale."""

    full: ChancesOfSizes
    quick: ChancesOfSizes


class PilotClaim(Model):
    """A claim, or a variant of one, under a calibration.

    Attributes
    ----------
    group : whether it is a main claim of the paper, another one of its own, or neither.
    decisive : label of the comparison that decides; `effect`, `spread` of a seed and `interval` are of that one.
    """

    claim: ClaimName
    variant: str
    calibration: Calibration
    experiment: Name
    group: Literal["main", "own", "other"]
    decisive: str
    effect: float | None
    spread: float | None
    interval: Bounds
    chances: PilotChances


class PilotFile(Model):
    """`config/pilots/<paper>.json`, which the stage pilot writes."""

    paper: PaperKey
    root_seed: RootSeed
    sizes: Annotated[tuple[int, ...], Field(strict=False)]
    experiments: Sections[PilotExperiment]
    shown: Annotated[tuple[PilotShown, ...], Field(strict=False)]
    claims: Annotated[tuple[PilotClaim, ...], Field(strict=False)]
