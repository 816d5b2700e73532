"""Samples of runs, each looked at once: its moments, its large runs, and what more runs say about it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbandits.numerics.statistics import Floats
from dpbandits.numerics.tails import Large, Tail, Tails, is_large


@dataclass(frozen=True)
class Sample:
    """A sample (n,), what more runs say about it, its moments and its large runs."""

    row: Floats
    tail: Tail | None
    mean: float
    variance: float
    positive: bool

    @cached_property
    def large(self) -> NDArray[np.bool_]:
        return is_large(self.row)

    @property
    def shown(self) -> Large | None:
        """The large runs of its curve; None where too few are known, or a run of the sample is not positive."""
        return self.tail.large if self.tail is not None and self.positive else None


class Samples:
    """What is known of samples, each looked at once."""

    def __init__(self, tails: Tails) -> None:
        self.tails, self.found = tails, dict[int, Sample]()  # by arrays, which the samples keep

    def __call__(self, row: Floats) -> Sample:
        if id(row) not in self.found:
            moments = float(row.mean()), float(row.var(ddof=1)), bool(row.min() > 0.0)
            self.found[id(row)] = Sample(row, self.tails(row), *moments)
        return self.found[id(row)]
