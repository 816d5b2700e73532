"""What an experiment may say: environment, horizon, grid, sizes, curves and bounds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Discriminator, Field, Tag

from dpbandits.base.combinations import Grid as Settings
from dpbandits.base.combinations import combinations
from dpbandits.config.models.fields import (
    MARK,
    Calibration,
    Constants,
    Count,
    Distinct,
    Grid,
    GridName,
    Listed,
    Maybe,
    Model,
    Name,
    Rounds,
    Text,
    Value,
    as_written,
)

PILOT = "pilot"
"""The scale whose runs say how many seeds the others need."""
FEWEST, MOST = 2, 1_000_000  # seeds of an experiment
FEWEST_OF_PILOT = 8  # fewer seeds give no verdict, and so no chance of one


def scale_of(scale: str) -> str:
    """The scale whose budget and grids a scale has: the pilot plays what full plays."""
    return "full" if scale == PILOT else scale


def _argument(value: Any) -> str:
    return MARK + ("means" if isinstance(value, list) else "value")


Mean = Annotated[float, Field(ge=0, le=1), AfterValidator(as_written)]
Means = Annotated[tuple[Mean, ...], Field(strict=False, min_length=2, max_length=10_000)]
EnvironmentValue = Annotated[
    Annotated[Value, Tag(MARK + "value")] | Annotated[Means, Tag(MARK + "means")], Discriminator(_argument)
]
Environment = Annotated[dict[Name, EnvironmentValue], Field(min_length=1)]
"""`family`, and the arguments of its `draw`; which they are and where they lie, the family says."""


def _seeds(value: Any) -> str:
    return MARK + ("allocated" if isinstance(value, str) else "seeds")


ALLOCATED = "allocated"
"""In place of a number of seeds: the number is in the allocation of the paper."""
Seeds = Annotated[int, Field(ge=FEWEST, le=MOST)]
PilotSeeds = Annotated[int, Field(ge=FEWEST_OF_PILOT, le=MOST)]
SeedsOrAllocated = Annotated[
    Annotated[Seeds, Tag(MARK + "seeds")] | Annotated[Literal["allocated"], Tag(MARK + "allocated")],
    Discriminator(_seeds),
]


class Size(Model):
    """How much is simulated at a scale.

    Attributes
    ----------
    seeds, chunk : number of problem instances, and how many of them one file holds. The number of seeds may be
        `allocated` at the scales quick and full; loading the configuration replaces the word by the numbers of the
        calibrations.
    horizon : rounds, in place of those of the experiment.
    longest : most rounds of a run. Settings with a longer horizon get this one: they are other settings.
    """

    seeds: SeedsOrAllocated
    chunk: Count
    horizon: Maybe[Rounds] = None
    longest: Maybe[Rounds] = None

    @property
    def number(self) -> int:
        """The number of seeds of a loaded configuration; of calibrations that differ in it, the largest."""
        return max(self.seeds.values()) if isinstance(self.seeds, Mapping) else cast(int, self.seeds)

    def number_of(self, calibrations: Collection[str]) -> int:
        """The number of seeds of a loaded configuration that the runs of a curve need for these calibrations."""
        return self.number


class SmallSize(Size):
    """The size at the scale smoke, which is never allocated."""

    seeds: Seeds


class RevisableSize(Size):
    """The size at the scale quick.

    Attributes
    ----------
    revised : by calibration, the number of seeds that was chosen after a look at results, in place of the other.
    """

    revised: Maybe[Annotated[dict[Calibration, Seeds], Field(min_length=1)]] = None

    def number_of(self, calibrations: Collection[str]) -> int:
        """The number of seeds that the runs of a curve need for these calibrations; a revised one replaces another."""
        numbers: dict[str, int] = dict.fromkeys(calibrations, self.number)
        if isinstance(self.seeds, Mapping):
            numbers = dict(self.seeds)
        numbers |= cast(Mapping[str, int], self.revised or {})
        return max((numbers[each] for each in calibrations if each in numbers), default=self.number)


class FullSize(RevisableSize):
    """The size at the scale full.

    Attributes
    ----------
    pilot : number of seeds of the pilot.
    """

    pilot: Maybe[PilotSeeds] = None


class Sizes(Model):
    """The size at every scale."""

    smoke: SmallSize
    quick: RevisableSize
    full: FullSize

    def at(self, scale: str) -> Size:
        """The size at a scale. The pilot is the scale full with other seeds; without one it has no seeds."""
        if scale == PILOT:
            return self.full.model_copy(update={"seeds": self.full.pilot or 0, "revised": None})
        return {"smoke": self.smoke, "quick": self.quick, "full": self.full}[scale]

    def items(self) -> Iterator[tuple[str, Size]]:
        """Every scale but the pilot with its size."""
        yield from (("smoke", self.smoke), ("quick", self.quick), ("full", self.full))

    @property
    def allocated(self) -> list[str]:
        """The scales whose number of seeds is allocated, of a file as it is written."""
        return [scale for scale, size in self.items() if size.seeds == ALLOCATED]


class Varying(Model):
    """A constant that takes another value for every value of the grid: `values` are pairs of both."""

    along: GridName
    values: Listed[Annotated[tuple[float, float], Field(strict=False)]]


class CurveEntry(Model):
    """An algorithm, with the calibrations at which it runs."""

    algorithm: Name
    calibrations: Distinct[Calibration]
    milliseconds: Annotated[float, Field(gt=0, le=1e9)]
    variant: Maybe[Name] = None
    parameters: Maybe[Constants] = None
    replicates: Maybe[Annotated[int, Field(ge=1, le=1000)]] = None
    varying: Maybe[Annotated[dict[Name, Varying], Field(min_length=1)]] = None


class BoundEntry(Model):
    """A rate or bound of a theorem, which is evaluated on the instances of the experiment."""

    bound: Name
    variant: Maybe[Name] = None
    weights: Maybe[Constants] = None

    # What makes it a curve among others: it has one calibration and costs nothing to simulate.
    @property
    def algorithm(self) -> str:
        """The name of the bound."""
        return self.bound

    @property
    def parameters(self) -> Constants | None:
        """The weights."""
        return self.weights

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The one calibration."""
        return ("printed",)

    @property
    def milliseconds(self) -> float:
        """No CPU time."""
        return 0.0

    @property
    def replicates(self) -> int | None:
        """None: a bound has no runs."""
        return None

    @property
    def varying(self) -> dict[str, Varying] | None:
        """None: its weights hold at every point."""
        return None


Entry = CurveEntry | BoundEntry


class Experiment(Model):
    """A simulated study.

    Attributes
    ----------
    environments : by calibration what it replaces of the environment.
    checkpoints_per_decade : how densely regret is recorded; null records the horizon alone.
    checkpoints_even : so many evenly spaced rounds besides.
    traced : outputs whose course the summary has besides that of regret.
    """

    title: Text
    environment: Environment
    environments: Maybe[Annotated[dict[Calibration, Environment], Field(min_length=1)]] = None
    horizon: Rounds
    checkpoints_per_decade: Annotated[int, Field(ge=1, le=100)] | None
    checkpoints_even: Maybe[Annotated[int, Field(ge=1, le=1000)]] = None
    grid: Grid
    size: Sizes
    curves: Listed[CurveEntry]
    traced: Maybe[Distinct[Name]] = None
    bounds: Maybe[Listed[BoundEntry]] = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The curves, then the bounds."""
        return (*self.curves, *(self.bounds or ()))

    @property
    def calibrations(self) -> list[str]:
        """The calibrations of its curves, each once."""
        return list(dict.fromkeys(calibration for entry in self.curves for calibration in entry.calibrations))

    def key(self, index: int) -> str:
        """Where an entry is in the YAML of the experiment: `curves[2]`, or `bounds[0]`."""
        count = len(self.curves)
        return f"curves[{index}]" if index < count else f"bounds[{index - count}]"

    def environment_of(self, calibration: str) -> Mapping[str, str | float | Sequence[float]]:
        """The environment of a calibration, which may replace some arguments."""
        changes = (self.environments or {}).get(cast(Calibration, calibration), {})
        return cast(Mapping[str, str | float | Sequence[float]], {**self.environment, **changes})

    def horizon_at(self, scale: str) -> int:
        """The horizon at a scale, which may replace that of the experiment, or shorten it."""
        return self.played(self.size.at(scale).horizon or self.horizon, scale)

    def played(self, rounds: float, scale: str) -> int:
        """The horizon that a run gets at a scale in place of one of so many rounds: at most `longest`."""
        return int(min(rounds, self.size.at(scale).longest or rounds))

    def settings_at(self, scale: str) -> list[dict[str, float]]:
        """All settings of the grid with the horizons that a scale plays; those that differ in nothing else coincide."""
        return [{**each, "T": float(self.played(each["T"], scale))} if "T" in each else each for each in self.settings]

    @property
    def numbers(self) -> Settings:
        """The grid, whose values are numbers once the file is loaded (`values.experiments_with_numbers`)."""
        return cast(Settings, self.grid)

    @property
    def blocks(self) -> dict[str, Mapping[str, Sequence[float]]]:
        """The mappings of lists of the grid by their place in the YAML: `grid`, or `grid[0]`, `grid[1]`, ..."""
        if isinstance(self.numbers, Mapping):
            return {"grid": self.numbers}
        return {f"grid[{index}]": block for index, block in enumerate(self.numbers)}

    @property
    def settings(self) -> list[dict[str, float]]:
        """All settings of the grid."""
        return combinations(self.numbers)


class Gate(Model):
    """When runs are long enough to count: the mean of `column`, over that of `over` if given, is at most `at_most`."""

    column: Name
    over: Maybe[Name] = None
    at_most: Annotated[float, Field(ge=0)]
    note: Text

    @property
    def columns(self) -> list[str]:
        """The outputs that it looks at: `column`, and `over` if given."""
        return [self.column, *([self.over] if self.over else [])]


class Regime(Model):
    """Where the regime begins in which a claim speaks: runs with a horizon below `since` rounds decide nothing."""

    since: Annotated[float, Field(gt=0, le=1e15)]
    reason: Text
