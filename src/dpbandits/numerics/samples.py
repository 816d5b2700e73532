"""Samples of runs, each summarized once: its moments, its large runs, and what additional runs show about it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbandits.numerics.statistics import Floats
from dpbandits.numerics.tails import Large, Tail, Tails, is_large


@dataclass(frozen=True)
class Sample:
    """A sample (n,) with its moments, its large runs and the tail that additional runs show."""

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
        """The large runs of the sample's curve; None if too few are known or a run of the sample is not positive."""
        return self.tail.large if self.tail is not None and self.positive else None


class Samples:
    """Cache of summaries, so that each sample is summarized once."""

    def __init__(self, tails: Tails) -> None:
        self.tails, self.found = tails, dict[int, Sample]()  # by id of the array, which its sample keeps alive

    def __call__(self, row: Floats) -> Sample:
        if id(row) not in self.found:
            moments = float(row.mean()), float(row.var(ddof=1)), bool(row.min() > 0.0)
            self.found[id(row)] = Sample(row, self.tails(row), *moments)
        return self.found[id(row)]
