"""A curve: what one file folder of results holds, and its name, identity and streams."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dpbandits.digests import canonical_json, json_digest, short

Setting = Mapping[str, float]
NOT_ASKING = ("checkpoints_per_decade", "replicates", "chunk")  # parts of the identity that no noise depends on


@dataclass(frozen=True)
class Curve:
    """Experiment x algorithm x calibration x variant with all its points: the unit of work and of files.

    Attributes
    ----------
    environment : `family`, the module of the environment, and the arguments of its `draw`.
    horizon, checkpoints_per_decade : rounds of a run, and how densely regret is recorded.
    parameters : constants that hold at every point.
    points : settings of the grid, one mapping a point.
    replicates : runs per instance.
    seeds, chunk : number of instances, and how many of them one job runs.
    milliseconds : CPU time of one run, measured.
    """

    paper: str
    experiment: str
    algorithm: str
    calibration: str
    variant: str
    environment: Mapping[str, str | int]
    horizon: int
    checkpoints_per_decade: int
    parameters: Setting
    points: tuple[Setting, ...]
    replicates: int
    seeds: int
    chunk: int
    milliseconds: float

    def identity(self) -> dict[str, object]:
        """All that determines the runs, and no name, number of seeds, scale or cost."""
        return {
            "environment": dict(self.environment),
            "horizon": self.horizon,
            "checkpoints_per_decade": self.checkpoints_per_decade,
            "algorithm": self.algorithm,
            "calibration": self.calibration,
            "parameters": dict(self.parameters),
            "points": [dict(point) for point in self.points],
            "replicates": self.replicates,
            "chunk": self.chunk,
        }

    @property
    def folder(self) -> str:
        """`<algorithm>-<calibration>[-<variant>]-<id8>`."""
        names = (self.algorithm, self.calibration, *([self.variant] if self.variant else []))
        return "-".join((*names, short(json_digest(self.identity()))))

    @property
    def noise_name(self) -> str:
        """`<algorithm>-<id8>.json`: the file of the certified noise; curves that ask for the same noise share it."""
        asks = {name: value for name, value in self.identity().items() if name not in NOT_ASKING}
        return f"{self.algorithm}-{short(json_digest(asks))}.json"

    def chunks(self) -> Iterator[tuple[int, int]]:
        """First and last seed of every chunk."""
        for first in range(0, self.seeds, self.chunk):
            yield first, first + self.chunk - 1

    def settings(self) -> Iterator[Setting]:
        """Parameters and grid values together, point by point."""
        for point in self.points:
            yield {**self.parameters, **point}

    def stream_name(self, setting: Setting) -> str:
        """Name of the random streams of the runs at one point: the same in every experiment and at every scale."""
        return canonical_json(
            {
                "environment": dict(self.environment),
                "horizon": self.horizon,
                "algorithm": self.algorithm,
                "calibration": self.calibration,
                "setting": dict(setting),
            }
        )

    def instance_name(self) -> str:
        """Name of the random streams of the instances: shared by all curves on the same environment."""
        return canonical_json(dict(self.environment))


def seed_range(first: int, last: int) -> str:
    """`0000-0019`: the part of a chunk's file name that says which seeds it holds."""
    return f"{first:04d}-{last:04d}"


def chunk_name(first: int, last: int) -> str:
    """`seeds_0000-0019.parquet`."""
    return f"seeds_{seed_range(first, last)}.parquet"
