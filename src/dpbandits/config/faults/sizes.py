"""Check that sizes that are valid one by one fit into memory together.

The functions count without building the lists.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from dpbandits.base.combinations import Grid
from dpbandits.config.allocations import not_whole, too_many
from dpbandits.config.grid import points_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.claims import AnyClaim, Variant
from dpbandits.config.models.compared import Comparison
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import FEWEST_OF_PILOT, Experiment, Sizes
from dpbandits.config.wording import got

MOST_SETTINGS = 10_000  # of a grid or a test; the tables number points with 16 bits
MOST_VALUES = 100_000_000  # of regret in a chunk, which is in memory as a whole


def size_faults(paper: Paper) -> Iterator[str]:
    """Faults of grids with too many settings and curves with too many chunks; check these first."""
    for key, grid in grids(paper):
        if (count := settings_of(grid)) > MOST_SETTINGS:
            yield f"{key}: got {min(count, 10**18)} combinations; at most {MOST_SETTINGS} are allowed"
    for experiment, section in paper.experiments.items():
        for scale, size in section.size.items():
            if wrong := too_many(size.number, size.chunk):
                yield f"experiments.{experiment}.size.{scale}.seeds: {wrong}"


def seed_faults(key: str, sizes: Sizes, allocated: Sequence[str]) -> Iterator[str]:
    """Faults of seeds that are too many or do not fill whole chunks, and of a missing pilot.

    Parameters
    ----------
    allocated : scales with an allocated number of seeds.
    """
    for scale, size in sizes.items():
        if scale not in allocated and (wrong := not_whole(size.number, size.chunk)):
            yield f"{key}.size.{scale}.seeds: {wrong}"
    pilot, chunk = sizes.full.pilot, sizes.full.chunk
    if pilot is not None and (wrong := not_whole(pilot, chunk, FEWEST_OF_PILOT) or too_many(pilot, chunk)):
        yield f"{key}.size.full.pilot: {wrong}"
    for scale, size in (("quick", sizes.quick), ("full", sizes.full)):
        for calibration, seeds in (size.revised or {}).items():
            if wrong := not_whole(seeds, size.chunk) or too_many(seeds, size.chunk):
                yield f"{key}.size.{scale}.revised.{calibration}: {wrong}"
    if pilot is None and allocated:
        said = f"because `size.{allocated[0]}.seeds` is `allocated`"
        yield f"{key}.size.full.pilot: required key is missing. Add a number of seeds, {said}."


def grids(paper: Paper) -> Iterator[tuple[str, Grid]]:
    """Every grid of a paper and every set of settings that its tests compare, with the key."""
    for name, experiment in paper.experiments.items():
        yield f"experiments.{name}.grid", experiment.numbers
    for name, audit in paper.audits.items():
        yield from ((f"audits.{name}.grid.{scale}", grid) for scale, grid in audit.grid.numbers.items())
    for name, section in paper.measurements.items():
        yield from _compared(f"measurements.{name}", section)
    for name, claim in paper.claims.items():
        yield from _compared(f"claims.{name}", claim)
        for variant, changes in (claim.variants or {}).items():
            yield from _compared(f"claims.{name}.variants.{variant}", changes)


def _compared(key: str, section: AnyClaim | Variant | Measurement) -> Iterator[tuple[str, Grid]]:
    for index, test in enumerate(section.tests or ()):
        if isinstance(test, Comparison):
            yield f"{key}.tests[{index}].at", test.grid


def settings_of(grid: Grid) -> int:
    """Number of settings that `combinations` would list."""
    return sum(math.prod(map(len, block.values())) for block in ([grid] if isinstance(grid, Mapping) else grid))


def chunk_faults(paper: Paper, key: str, section: Experiment) -> Iterator[str]:
    """Faults of chunks with too many values."""
    for entry in section.entries:
        found = [points_of(paper, section, entry, calibration) for calibration in entry.calibrations]
        points = max(found, key=len)
        for scale, size in section.size.items():
            horizon = section.horizon_at(scale)
            rounds = sum(recorded(section, float(point.get("T", horizon))) for point in points)
            most = max(1, MOST_VALUES // ((entry.replicates or 1) * rounds))
            if size.chunk > most:
                said = f"must be <= {most}, because a run of `{entry.algorithm}` records up to {rounds} values"
                yield f"{key}.size.{scale}.chunk: {got(size.chunk, said)}"
                return


def recorded(section: Experiment, horizon: float) -> int:
    """Upper bound on the number of recorded rounds of a run."""
    logarithmic = (section.checkpoints_per_decade or 0) * math.log10(horizon)
    return 2 + int(logarithmic) + (section.checkpoints_even or 0)
