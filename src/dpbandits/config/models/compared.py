"""What tests of claims and measurements have in common: the curves and settings that they compare, and of what."""

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
    """What every test says: the reading in words, and the calibrations that it is about, where it is not all."""

    reading: Text
    calibrations: Maybe[Distinct[Calibration]] = None

    def about(self, calibration: str) -> bool:
        """Whether it is about a calibration."""
        return self.calibrations is None or calibration in self.calibrations


class Comparison(Tested):
    """What every test of curves says: which curves are compared, how, and at which settings."""

    predicate: str
    curves: Distinct[Reference]
    at: Grid

    @property
    def grid(self) -> Settings:
        """What is `at`; its values are numbers once the file is loaded (`values.claims_with_numbers`)."""
        return cast(Settings, self.at)

    @property
    def settings(self) -> list[dict[str, float]]:
        """The grid settings, in order."""
        return combinations(self.grid)

    def at_settings(self, settings: Sequence[Mapping[str, float]]) -> Self:
        """The same test of these settings alone."""
        return self.model_copy(update={"at": [{name: [value] for name, value in each.items()} for each in settings]})

    # What some predicates have and others do not: none where the test does not have it.
    @property
    def allowed(self) -> Bounds | None:
        """The bounds."""
        return getattr(self, "bounds", None)

    @property
    def outer(self) -> Bounds | None:
        """The wider bounds, outside of which alone it fails."""
        return getattr(self, "tolerated", None)

    @property
    def ways(self) -> list[str]:
        """The grid values along which settings are compared."""
        return [name for name in (getattr(self, key, None) for key in ("along", "across")) if name is not None]

    @property
    def moved(self) -> Mapping[str, float]:
        """The grid values at which a curve is compared with itself or `against`; numbers, as in `grid`."""
        return getattr(self, "reference", None) or {}

    def cells_of(self, role: str, setting: Mapping[str, float]) -> list[dict[str, float]]:
        """The grid values that it takes of the curves at a key, at one of its settings."""
        there = [{**setting, **self.moved}] if self.moved else []
        if role == "against":
            return there or [dict(setting)]
        return [dict(setting), *(there if not getattr(self, "against", None) else [])]

    @property
    def roles(self) -> list[tuple[str, str]]:
        """Every curve that it names, after the key that it stands at."""
        others = ((role, getattr(self, role, None)) for role in ("against", "baseline"))
        return [*(("curves", name) for name in self.curves), *((role, name) for role, name in others if name)]

    def given_column(self, role: str) -> tuple[str, str | None]:
        """The key that says which output it takes of the curves at another key, and the output, where it says."""
        own: str | None = getattr(self, "against_column", None) if role == "against" else None
        return ("against_column", own) if own else ("column", getattr(self, "column", None))

    def column_of(self, role: str = "curves") -> str:
        """The output that it takes of the curves at a key."""
        return self.given_column(role)[1] or "regret"


class OfMeans(Comparison):
    """A comparison of means, or of medians over runs."""

    statistic: Maybe[Literal["median"]] = None


class Judged(OfMeans):
    """A comparison whose number must lie within `bounds`; outside of `tolerated`, if given, alone it fails."""

    bounds: Bounds
    tolerated: Maybe[Bounds] = None


class RatioOf(OfMeans):
    """Mean of `column` over that of another curve, of the same curve at other grid values, or of both changed."""

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
    """Slope of the log of a mean on the log of a grid value."""

    predicate: Literal["slope_between"]
    along: GridName
    against: Maybe[Reference] = None
    baseline: Maybe[Reference] = None
    column: Maybe[Name] = None
    scale: Maybe[Literal["log"]] = None
    worst: Maybe[GridName] = None


class FlatOf(OfMeans):
    """Mean regret over a function of the horizon, relative to its average over the settings."""

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
    """Standard deviation of `column` between runs over its mean."""

    predicate: Literal["dispersion"]
    column: Name
