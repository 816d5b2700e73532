"""Tables of runs in memory, as the stage judge reads what the stage aggregate wrote."""

from collections.abc import Mapping, Sequence

import numpy as np

from dpbandits.stages.aggregate import SINGLE, aligned


def stacked(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The table that the rows of several curves make."""
    tables = list(aligned(parts, (name for part in parts for name in part)))
    found = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return {name: values.astype(float) if values.dtype == SINGLE else values for name, values in found.items()}
