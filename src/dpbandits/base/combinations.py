"""Expands the grids of the configuration: lists of values, of which all combinations are run."""

import math
from collections.abc import Mapping, Sequence
from itertools import product

Grid = Mapping[str, Sequence[float]] | Sequence[Mapping[str, Sequence[float]]]


def combinations(grid: Grid) -> list[dict[str, float]]:
    """All combinations of the values of a grid, in order; a list of grids is expanded one grid after the other."""
    blocks = [grid] if isinstance(grid, Mapping) else grid
    return [
        dict(zip(block, map(float, values), strict=True)) for block in blocks for values in product(*block.values())
    ]


def exponent(value: float, rounds: float) -> float:
    """The exponent e with rounds**e = value, rounded to 12 decimals: exactly 1/2 for 1000 and 1e6."""
    return round(math.log(value) / math.log(rounds), 12)
