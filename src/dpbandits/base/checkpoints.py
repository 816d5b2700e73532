"""The rounds at which regret is recorded."""

from collections.abc import Iterable

import numpy as np


def log_spaced(horizon: int, per_decade: int, marks: Iterable[int] = ()) -> np.ndarray:
    """Log-spaced rounds up to `horizon`: 10**(k / per_decade) for k = 0, 1, ..., plus the `marks` and the horizon.

    They include all powers of ten. With `per_decade` 0, only the marks and the horizon are returned.

    Returns
    -------
    rounds : (n,) int64, strictly increasing, last entry `horizon`.

    Raises
    ------
    ValueError
        A mark lies outside [1, horizon].
    """
    rounds = {horizon}
    k = 0
    while per_decade > 0 and (t := round(10.0 ** (k / per_decade))) < horizon:
        rounds.add(t)
        k += 1
    for mark in marks:
        if not 1 <= mark <= horizon:
            raise ValueError(f"mark {mark} lies outside [1, {horizon}]")
        rounds.add(mark)
    return np.array(sorted(rounds), dtype=np.int64)


def evenly_spaced(horizon: int, count: int) -> list[int]:
    """The rounds k * horizon / count for k = 1 to `count`, rounded; every round if the horizon is below `count`."""
    return sorted({max(1, round(horizon * k / count)) for k in range(1, count + 1)})
