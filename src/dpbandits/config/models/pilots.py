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
    claims: Annotated[tuple[PilotClaim, ...], Field(strict=False)]
