"""Models of the tests of statistical claims and of measurements, one for each predicate."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from dpbandits.config.models.compared import (
    Comparison,
    DispersionOf,
    FlatOf,
    Judged,
    MeanOf,
    OfMeans,
    RatioOf,
    ShareOf,
    SlopeOf,
)
from dpbandits.config.models.fields import (
    MARK,
    Bounds,
    Calibration,
    Distinct,
    GridName,
    Maybe,
    Model,
    Name,
    Reference,
    Share,
    Text,
    tag_of,
)


class RatioBetween(RatioOf, Judged):
    """The ratio lies within the bounds at every setting."""

    equivalent: Maybe[Share] = None


class ExcessRatioBetween(Judged):
    """The excess over `baseline`, relative to that of `against`, lies within the bounds."""

    predicate: Literal["excess_ratio_between"]
    against: Reference
    baseline: Reference


class FallingExcess(OfMeans):
    """The excess over `baseline` decreases from one setting to the next."""

    predicate: Literal["falling_excess"]
    baseline: Reference
    bounds: Maybe[Bounds] = None
    tolerated: Maybe[Bounds] = None


class Ordered(OfMeans):
    """Mean regret increases from each curve of the list to the next."""

    predicate: Literal["ordered"]
    curves: Annotated[Distinct[Reference], Field(min_length=2)]
    equivalent: Maybe[Share] = None


class Decreasing(Judged):
    """Mean regret changes by a factor within the bounds from one setting to the next, and decreases overall."""

    predicate: Literal["decreasing"]
    against: Maybe[Reference] = None


class SlopeBetween(SlopeOf, Judged):
    """The slope lies within the bounds."""


class SlopeOrder(OfMeans):
    """The slope increases from each curve to the next, or for each curve along the grid value `across`."""

    predicate: Literal["slope_order"]
    along: GridName
    across: Maybe[GridName] = None
    worst: Maybe[GridName] = None
    bounds: Maybe[Bounds] = None
    tolerated: Maybe[Bounds] = None


class Increments(Judged):
    """The ratio of consecutive increments of the mean lies within the bounds."""

    predicate: Literal["increments"]
    along: GridName
    column: Maybe[Name] = None


class ArgminBetween(OfMeans):
    """The value of `along` that minimizes mean regret is a power of T with an exponent within the bounds."""

    predicate: Literal["argmin_between"]
    along: GridName
    bounds: Bounds


class Flat(FlatOf, Judged):
    """The relative means lie within the bounds."""


class FallingSupremum(OfMeans):
    """The largest ratio to `against` does not increase along a grid value."""

    predicate: Literal["falling_supremum"]
    against: Reference
    along: GridName
    bounds: Maybe[Bounds] = None
    tolerated: Maybe[Bounds] = None


class WithinFactor(OfMeans):
    """Mean regret at any two settings differs by at most a factor."""

    predicate: Literal["within_factor"]
    factor: Annotated[float, Field(gt=1)]
    against: Maybe[Reference] = None


class AffineBetween(Judged):
    """Mean regret is affine in the inverse of a grid value, with an intercept within the bounds."""

    predicate: Literal["affine_between"]
    along: GridName
    of: Literal["inverse"]
    baseline: Reference
    fit: Share


class FormRatio(Judged):
    """A sum of two inverse terms fits mean regret better than their product, by a ratio within the bounds."""

    predicate: Literal["form_ratio"]
    along: GridName
    across: GridName


class ShareBetween(ShareOf):
    """The share of runs lies within the bounds."""

    bounds: Bounds
    tolerated: Maybe[Bounds] = None


class Never(Comparison):
    """`column` exceeds `above` in no run."""

    predicate: Literal["never"]
    column: Name
    above: float
    rate: Annotated[float, Field(ge=0, le=1)]


def predicate(value: Any) -> str | None:
    """Tag of the model of a test."""
    return tag_of(value, "predicate")


Test = Annotated[
    Annotated[RatioBetween, Tag(MARK + "ratio_between")]
    | Annotated[ExcessRatioBetween, Tag(MARK + "excess_ratio_between")]
    | Annotated[FallingExcess, Tag(MARK + "falling_excess")]
    | Annotated[Ordered, Tag(MARK + "ordered")]
    | Annotated[Decreasing, Tag(MARK + "decreasing")]
    | Annotated[SlopeBetween, Tag(MARK + "slope_between")]
    | Annotated[SlopeOrder, Tag(MARK + "slope_order")]
    | Annotated[Increments, Tag(MARK + "increments")]
    | Annotated[ArgminBetween, Tag(MARK + "argmin_between")]
    | Annotated[Flat, Tag(MARK + "flat")]
    | Annotated[FallingSupremum, Tag(MARK + "falling_supremum")]
    | Annotated[WithinFactor, Tag(MARK + "within_factor")]
    | Annotated[AffineBetween, Tag(MARK + "affine_between")]
    | Annotated[FormRatio, Tag(MARK + "form_ratio")]
    | Annotated[ShareBetween, Tag(MARK + "share")]
    | Annotated[Never, Tag(MARK + "never")],
    Discriminator(predicate),
]
Quantity = Annotated[
    Annotated[RatioOf, Tag(MARK + "ratio_between")]
    | Annotated[SlopeOf, Tag(MARK + "slope_between")]
    | Annotated[FlatOf, Tag(MARK + "flat")]
    | Annotated[ShareOf, Tag(MARK + "share")]
    | Annotated[MeanOf, Tag(MARK + "mean_of")]
    | Annotated[DispersionOf, Tag(MARK + "dispersion")],
    Discriminator(predicate),
]


class Measurement(Model):
    """Numbers with intervals but without a verdict."""

    says: Text
    experiment: Name
    calibrations: Distinct[Calibration]
    tests: Annotated[tuple[Quantity, ...], Field(strict=False, min_length=1)]
    gated: Maybe[bool] = None

    def tests_of(self, calibration: str) -> list[Comparison]:
        """The tests that apply to a calibration."""
        return [test for test in self.tests if test.about(calibration)]
