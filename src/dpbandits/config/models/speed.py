"""Models of the record of `make bench`: ratios of CPU times, growth exponents, and goals of the pipeline."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from dpbandits.config.models.fields import NAME_PATTERN, Entry, Model, Positive, Text

Word = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Words = Annotated[Text, StringConstraints(max_length=300)]
Numbers = Annotated[tuple[Positive, ...], Field(strict=False, min_length=2)]


class Side(Model):
    """Our kernel against another implementation: the ratio of times, its range, and its target."""

    name: Word
    label: Words
    ratio: Positive
    low: Positive
    high: Positive
    required: Positive | None
    target: Positive | None


class LeftOut(Model):
    """A comparison that was skipped."""

    name: Word
    label: Words
    why: Words


class Kernel(Model):
    """One kernel and everything it is compared with."""

    name: Word
    title: Words
    setting: Words
    sides: Annotated[tuple[Side, ...], Field(strict=False)]
    left_out: Annotated[tuple[LeftOut, ...], Field(strict=False)]


class Growth(Model):
    """Growth of a kernel's cost along an axis."""

    name: Word
    title: Words
    axis: Words
    setting: Words
    places: Numbers
    costs: Numbers
    exponent: float
    low: float
    high: float


class Goal(Model):
    """A goal for the whole pipeline: the requirement and the target."""

    name: Word
    title: Words
    value: float
    unit: Annotated[Entry, StringConstraints(max_length=60)]
    required: Positive | None
    target: Positive | None
    better: Literal["less", "more"]


class RatiosFile(Model):
    """`benchmarks/ratios.json`."""

    kernels: Annotated[tuple[Kernel, ...], Field(strict=False)]
    growth: Annotated[tuple[Growth, ...], Field(strict=False)]
    pipeline: Annotated[tuple[Goal, ...], Field(strict=False)]
