"""Models of a pilot's committed record: its results for each statistical claim."""

from typing import Annotated, Literal

from pydantic import Field

from dpbandits.config.models.experiments import Seeds
from dpbandits.config.models.fields import Bounds, Calibration, ClaimName, Model, Name, Sections
from dpbandits.config.models.files import PaperKey, RootSeed

Chance = Annotated[float, Field(ge=0, le=1)]
ChancesOfSizes = Annotated[tuple[Chance, ...], Field(strict=False, min_length=1)]


class PilotExperiment(Model):
    """The size of an experiment in the pilot."""

    seeds: Seeds


class PilotShown(Model):
    """Summary of an algorithm's runs with the same constants on a family of instances.

    Attributes
    ----------
    runs : number of runs.
    linear : regret per round of the largest run, if the large runs are a separate kind.
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
    group : whether it is a main claim of the paper, another claim of the paper, or neither.
    decisive : label of the deciding comparison, which `effect`, `spread` (of a seed) and `interval` refer to.
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
    """`config/pilots/<paper>.json`, written by the stage pilot."""

    paper: PaperKey
    root_seed: RootSeed
    sizes: Annotated[tuple[int, ...], Field(strict=False)]
    experiments: Sections[PilotExperiment]
    shown: Annotated[tuple[PilotShown, ...], Field(strict=False)]
    claims: Annotated[tuple[PilotClaim, ...], Field(strict=False)]
