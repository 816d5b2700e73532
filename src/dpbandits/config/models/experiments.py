"""Models of experiments: environment, horizon, grid, sizes, curves and bounds."""

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
"""The scale whose runs determine how many seeds the other scales need."""
FEWEST, MOST = 2, 1_000_000  # seeds of an experiment
FEWEST_OF_PILOT = 8  # fewer seeds give no verdict, so chances cannot be estimated


def scale_of(scale: str) -> str:
    """The scale whose budget and grids apply; the pilot uses those of full."""
    return "full" if scale == PILOT else scale


def _argument(value: Any) -> str:
    return MARK + ("means" if isinstance(value, list) else "value")


Mean = Annotated[float, Field(ge=0, le=1), AfterValidator(as_written)]
Means = Annotated[tuple[Mean, ...], Field(strict=False, min_length=2, max_length=10_000)]
EnvironmentValue = Annotated[
    Annotated[Value, Tag(MARK + "value")] | Annotated[Means, Tag(MARK + "means")], Discriminator(_argument)
]
Environment = Annotated[dict[Name, EnvironmentValue], Field(min_length=1)]
"""`family` and the arguments of its `draw`, which the family defines with their ranges."""


def _seeds(value: Any) -> str:
    return MARK + ("allocated" if isinstance(value, str) else "seeds")


ALLOCATED = "allocated"
"""Replaces a number of seeds: the number is in the paper's allocation."""
Seeds = Annotated[int, Field(ge=FEWEST, le=MOST)]
PilotSeeds = Annotated[int, Field(ge=FEWEST_OF_PILOT, le=MOST)]
SeedsOrAllocated = Annotated[
    Annotated[Seeds, Tag(MARK + "seeds")] | Annotated[Literal["allocated"], Tag(MARK + "allocated")],
    Discriminator(_seeds),
]


class Size(Model):
    """The amount of simulation at a scale.

    Attributes
    ----------
    seeds, chunk : number of problem instances, and number of instances in one file. The number of seeds may be
        `allocated` at the scales quick and full. Loading the configuration replaces the word by the numbers of the
        calibrations.
    horizon : rounds, which replace those of the experiment.
    longest : largest number of rounds of a run. Settings with a longer horizon get this one and become other settings.
    """

    seeds: SeedsOrAllocated
    chunk: Count
    horizon: Maybe[Rounds] = None
    longest: Maybe[Rounds] = None

    @property
    def number(self) -> int:
        """The number of seeds in a loaded configuration; the largest if calibrations differ."""
        return max(self.seeds.values()) if isinstance(self.seeds, Mapping) else cast(int, self.seeds)

    def number_of(self, calibrations: Collection[str]) -> int:
        """The number of seeds that a curve needs for these calibrations, in a loaded configuration."""
        return self.number


class SmallSize(Size):
    """The size at the scale smoke, which is never allocated."""

    seeds: Seeds


class RevisableSize(Size):
    """The size at the scale quick.

    Attributes
    ----------
    revised : by calibration, a number of seeds chosen after looking at results, which replaces the other.
    """

    revised: Maybe[Annotated[dict[Calibration, Seeds], Field(min_length=1)]] = None

    def number_of(self, calibrations: Collection[str]) -> int:
        """The number of seeds that a curve needs for these calibrations; revised numbers take precedence."""
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
        """Every scale except the pilot, with its size."""
        yield from (("smoke", self.smoke), ("quick", self.quick), ("full", self.full))

    @property
    def allocated(self) -> list[str]:
        """The scales with an allocated number of seeds, in the file as written."""
        return [scale for scale, size in self.items() if size.seeds == ALLOCATED]


class Varying(Model):
    """A constant that depends on a grid value: `values` are pairs of grid value and constant."""

    along: GridName
    values: Listed[Annotated[tuple[float, float], Field(strict=False)]]


class CurveEntry(Model):
    """An algorithm with the calibrations at which it runs."""

    algorithm: Name
    calibrations: Distinct[Calibration]
    milliseconds: Annotated[float, Field(gt=0, le=1e9)]
    variant: Maybe[Name] = None
    parameters: Maybe[Constants] = None
    replicates: Maybe[Annotated[int, Field(ge=1, le=1000)]] = None
    varying: Maybe[Annotated[dict[Name, Varying], Field(min_length=1)]] = None


class BoundEntry(Model):
    """A rate or bound of a theorem, evaluated on the instances of the experiment."""

    bound: Name
    variant: Maybe[Name] = None
    weights: Maybe[Constants] = None

    # The interface of a curve: a bound has one calibration and no simulation cost.
    @property
    def algorithm(self) -> str:
        """The name of the bound."""
        return self.bound

    @property
    def parameters(self) -> Constants | None:
        """The weights of the bound."""
        return self.weights

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The one calibration."""
        return ("printed",)

    @property
    def milliseconds(self) -> float:
        """CPU time: zero."""
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
    environments : by calibration, replacements in the environment.
    checkpoints_per_decade : density of recorded regret; null records only the horizon.
    checkpoints_even : number of additional, evenly spaced recorded rounds.
    traced : outputs, besides regret, whose traces are in the summary.
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
        """The distinct calibrations of its curves."""
        return list(dict.fromkeys(calibration for entry in self.curves for calibration in entry.calibrations))

    def key(self, index: int) -> str:
        """The key of an entry in the YAML of the experiment, such as `curves[2]` or `bounds[0]`."""
        count = len(self.curves)
        return f"curves[{index}]" if index < count else f"bounds[{index - count}]"

    def environment_of(self, calibration: str) -> Mapping[str, str | float | Sequence[float]]:
        """The environment at a calibration, which may replace some arguments."""
        changes = (self.environments or {}).get(cast(Calibration, calibration), {})
        return cast(Mapping[str, str | float | Sequence[float]], {**self.environment, **changes})

    def horizon_at(self, scale: str) -> int:
        """The horizon at a scale, which may replace or shorten that of the experiment."""
        return self.played(self.size.at(scale).horizon or self.horizon, scale)

    def played(self, rounds: float, scale: str) -> int:
        """The horizon that replaces `rounds` at a scale: at most `longest`."""
        return int(min(rounds, self.size.at(scale).longest or rounds))

    def settings_at(self, scale: str) -> list[dict[str, float]]:
        """All settings of the grid with the horizons of a scale; settings that become equal are merged."""
        return [{**each, "T": float(self.played(each["T"], scale))} if "T" in each else each for each in self.settings]

    @property
    def numbers(self) -> Settings:
        """The grid; its values are numbers after loading (`values.experiments_with_numbers`)."""
        return cast(Settings, self.grid)

    @property
    def blocks(self) -> dict[str, Mapping[str, Sequence[float]]]:
        """The blocks of the grid by key in the YAML: `grid`, or `grid[0]`, `grid[1]`, ..."""
        if isinstance(self.numbers, Mapping):
            return {"grid": self.numbers}
        return {f"grid[{index}]": block for index, block in enumerate(self.numbers)}

    @property
    def settings(self) -> list[dict[str, float]]:
        """All settings of the grid."""
        return combinations(self.numbers)


class Gate(Model):
    """Runs are long enough if the mean of `column`, divided by that of `over` if given, is at most `at_most`."""

    column: Name
    over: Maybe[Name] = None
    at_most: Annotated[float, Field(ge=0)]
    note: Text

    @property
    def columns(self) -> list[str]:
        """The outputs that the gate uses: `column`, and `over` if given."""
        return [self.column, *([self.over] if self.over else [])]


class Regime(Model):
    """The regime of a claim: runs with a horizon below `since` rounds decide nothing."""

    since: Annotated[float, Field(gt=0, le=1e15)]
    reason: Text
