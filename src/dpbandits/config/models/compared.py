"""Models common to the tests of claims and measurements: the curves, settings and outputs that they compare."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from dpbandits.base.combinations import Grid as Settings
from dpbandits.base.combinations import combinations
from dpbandits.config.models.fields import (
    Bounds,
    Calibration,
    Distinct,
    Grid,
    GridName,
    GridValue,
    Maybe,
    Model,
    Name,
    Reference,
    Text,
)

Point = Annotated[dict[GridName, GridValue], Field(min_length=1)]


class Tested(Model):
    """The keys of every test: the reading in words, and the calibrations that it applies to (default: all)."""

    reading: Text
    calibrations: Maybe[Distinct[Calibration]] = None

    def about(self, calibration: str) -> bool:
        """Whether the test applies to a calibration."""
        return self.calibrations is None or calibration in self.calibrations


class Comparison(Tested):
    """The keys of every test of curves: which curves are compared, how, and at which settings."""

    predicate: str
    curves: Distinct[Reference]
    at: Grid

    @property
    def grid(self) -> Settings:
        """The grid `at`; its values are numbers after loading (`values.claims_with_numbers`)."""
        return cast(Settings, self.at)

    @property
    def settings(self) -> list[dict[str, float]]:
        """The grid settings, in order."""
        return combinations(self.grid)

    def at_settings(self, settings: Sequence[Mapping[str, float]]) -> Self:
        """The same test, restricted to these settings."""
        return self.model_copy(update={"at": [{name: [value] for name, value in each.items()} for each in settings]})

    # Keys that only some predicates have; empty or None for the others.
    @property
    def allowed(self) -> Bounds | None:
        """The bounds of the test."""
        return getattr(self, "bounds", None)

    @property
    def outer(self) -> Bounds | None:
        """The wider, tolerated bounds; the test fails only outside them."""
        return getattr(self, "tolerated", None)

    @property
    def ways(self) -> list[str]:
        """The grid values along which settings are compared."""
        return [name for name in (getattr(self, key, None) for key in ("along", "across")) if name is not None]

    @property
    def moved(self) -> Mapping[str, float]:
        """The grid values of the reference that a curve is compared with; numbers, as in `grid`."""
        return getattr(self, "reference", None) or {}

    def cells_of(self, role: str, setting: Mapping[str, float]) -> list[dict[str, float]]:
        """The grid points at which the test uses the curves of a key, for one of its settings."""
        there = [{**setting, **self.moved}] if self.moved else []
        if role == "against":
            return there or [dict(setting)]
        return [dict(setting), *(there if not getattr(self, "against", None) else [])]

    @property
    def roles(self) -> list[tuple[str, str]]:
        """Every curve of the test, as pairs of key and name."""
        others = ((role, getattr(self, role, None)) for role in ("against", "baseline"))
        return [*(("curves", name) for name in self.curves), *((role, name) for role, name in others if name)]

    def given_column(self, role: str) -> tuple[str, str | None]:
        """The key that names the output used of the curves at key `role`, and the output if given."""
        own: str | None = getattr(self, "against_column", None) if role == "against" else None
        return ("against_column", own) if own else ("column", getattr(self, "column", None))

    def column_of(self, role: str = "curves") -> str:
        """The output used of the curves at a key."""
        return self.given_column(role)[1] or "regret"


class OfMeans(Comparison):
    """A comparison of means, or of medians over runs."""

    statistic: Maybe[Literal["median"]] = None


class Judged(OfMeans):
    """A comparison whose number must lie within `bounds`; if `tolerated` is given, it fails only outside that."""

    bounds: Bounds
    tolerated: Maybe[Bounds] = None


class RatioOf(OfMeans):
    """Ratio of the mean of `column` to that of another curve, or of the same or another curve at other grid values."""

    predicate: Literal["ratio_between"]
    against: Maybe[Reference] = None
    reference: Maybe[Point] = None
    column: Maybe[Name] = None
    against_column: Maybe[Name] = None

    @model_validator(mode="before")
    @classmethod
    def _something_to_compare_with(cls, value: Any) -> Any:
        if isinstance(value, dict) and not {"against", "reference"} & set(value):
            raise PydanticCustomError(
                "one_of_two", "against or reference", {"key": "against", "keys": "`against` or `reference`"}
            )
        return value


class SlopeOf(OfMeans):
    """Slope of the log of a mean in the log of a grid value."""

    predicate: Literal["slope_between"]
    along: GridName
    against: Maybe[Reference] = None
    baseline: Maybe[Reference] = None
    column: Maybe[Name] = None
    scale: Maybe[Literal["log"]] = None
    worst: Maybe[GridName] = None


class FlatOf(OfMeans):
    """Mean regret divided by a function of the horizon, relative to its average over the settings."""

    predicate: Literal["flat"]
    over: Literal["T", "sqrt_T_log_T"]


class ShareOf(Comparison):
    """Share of runs in which `column` exceeds `above`."""

    predicate: Literal["share"]
    column: Name
    above: float


class MeanOf(Comparison):
    """Mean of `column`."""

    predicate: Literal["mean_of"]
    column: Name


class DispersionOf(Comparison):
    """Standard deviation of `column` over runs, divided by its mean."""

    predicate: Literal["dispersion"]
    column: Name
