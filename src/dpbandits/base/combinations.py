"""Settings as the configuration writes them: lists whose combinations are meant."""

import math
from collections.abc import Mapping, Sequence
from itertools import product

Grid = Mapping[str, Sequence[float]] | Sequence[Mapping[str, Sequence[float]]]


def combinations(grid: Grid) -> list[dict[str, float]]:
    """All combinations of a mapping of lists, or of each mapping of a list of such one after the other, in order."""
    blocks = [grid] if isinstance(grid, Mapping) else grid
    return [
        dict(zip(block, map(float, values), strict=True)) for block in blocks for values in product(*block.values())
    ]


def exponent(value: float, rounds: float) -> float:
    """The e with rounds**e = value, free of rounding errors: 1/2 for 1000 and 1e6."""
    return round(math.log(value) / math.log(rounds), 12)
