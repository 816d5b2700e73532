"""Sizes that are allowed one by one and together take all memory: the part of `faults` that multiplies them.

Nothing here makes a list of what it counts.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from dpbandits.combinations import Grid
from dpbandits.experiments.config import Paper
from dpbandits.experiments.grid import at_scale, points_of

MOST_SETTINGS = 10_000  # of a grid, or that a test compares; a point is a 16-bit number in the tables
MOST_CHUNKS = 10_000  # of a curve, each of them a file and its checksum
MOST_VALUES = 100_000_000  # of regret in a chunk, which is held in memory as a whole


def size_faults(paper: Paper) -> Iterator[str]:
    """Grids of too many settings, and curves of too many chunks, of a paper; to be asked before anything else."""
    for key, grid in grids(paper):
        if (count := settings_of(grid)) > MOST_SETTINGS:
            yield f"{key}: {min(count, 10**18)} settings are not allowed; at most {MOST_SETTINGS} combinations are"
    for experiment, section in paper.experiments.items():
        for scale, size in section["size"].items():
            if (count := size["seeds"] // size["chunk"]) > MOST_CHUNKS:
                key = f"experiments.{experiment}.size.{scale}.seeds"
                yield f"{key}: {size['seeds']} is not allowed; at most {MOST_CHUNKS} times chunk ({size['chunk']}) is"


def grids(paper: Paper) -> Iterator[tuple[str, Grid]]:
    """Every grid of a paper, and all settings that its tests compare, with the key."""
    for name, section in paper.experiments.items():
        yield f"experiments.{name}.grid", section["grid"]
    for name, section in paper.audits.items():
        yield from ((f"audits.{name}.grid.{scale}", grid) for scale, grid in section["grid"].items())
    for name, section in paper.measurements.items():
        yield from _compared(f"measurements.{name}", section)
    for name, section in paper.claims.items():
        yield from _compared(f"claims.{name}", section)
        for variant, changes in section.get("variants", {}).items():
            yield from _compared(f"claims.{name}.variants.{variant}", changes)


def _compared(key: str, section: Mapping[str, Any]) -> Iterator[tuple[str, Grid]]:
    for index, test in enumerate(section.get("tests", [])):
        if "at" in test:
            yield f"{key}.tests[{index}].at", test["at"]


def settings_of(grid: Grid) -> int:
    """How many settings `combinations` would list."""
    return sum(math.prod(map(len, block.values())) for block in ([grid] if isinstance(grid, Mapping) else grid))


def chunk_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Chunks that hold too many values."""
    for entry in section["curves"]:
        found = [points_of(paper, section, entry, calibration) for calibration in entry["calibrations"]]
        points = max(found, key=len)
        for scale, size in section["size"].items():
            horizon = at_scale(section, scale)["horizon"]
            rounds = sum(recorded(section, float(point.get("T", horizon))) for point in points)
            most = max(1, MOST_VALUES // (entry.get("replicates", 1) * rounds))
            if size["chunk"] > most:
                said = f"at most {most} is, for {entry['algorithm']} has up to {rounds} values a run"
                yield f"{key}.size.{scale}.chunk: {size['chunk']} is not allowed; {said}"
                return


def recorded(section: Mapping[str, Any], horizon: float) -> int:
    """At most so many rounds of a run are recorded."""
    return 2 + int(section["checkpoints_per_decade"] * math.log10(horizon)) + int(section.get("checkpoints_even", 0))
