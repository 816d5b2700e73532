"""A curve, whose results are one folder of files: its name, identity and random streams."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property

import numpy as np

from dpbandits.base.checkpoints import evenly_spaced, log_spaced
from dpbandits.base.digests import canonical_json, json_digest, short
from dpbandits.base.registry import BOUNDS
from dpbandits.config.plain_yaml import ConfigError

Setting = Mapping[str, float]
Environment = Mapping[str, str | float | Sequence[float]]
NOT_ASKING = ("environment", "data", "checkpoints_per_decade", "checkpoints_even", "replicates", "chunk")
"""Fields that certified noise does not depend on, except for the environment's arguments in `noise_asks`."""


@dataclass(frozen=True)
class Varying:
    """A constant that depends on a grid value: `values` are pairs of grid value and constant.

    Use it if a theorem sets a constant by a property of the environment that the algorithm does not know.
    """

    name: str
    along: str
    values: tuple[tuple[float, float], ...]

    def at(self, setting: Setting) -> float:
        """The constant at the grid value of `setting`; ConfigError if there is none."""
        where = setting[self.along]
        for value, constant in self.values:
            if value == where:
                return constant
        given = ", ".join(f"{value:g}" for value, _ in self.values)
        raise ConfigError(
            f"{self.name}: has no value for {self.along} = {where:g}; it has for {given}, and --set {self.name}=... "
            "gives another"
        )


@dataclass(frozen=True)
class Curve:
    """One algorithm of an experiment at one calibration and variant, with all its points; each has a folder of files.

    Attributes
    ----------
    environment : `family`, the module of the environment, and the arguments of its `draw`: numbers, words, and lists.
    horizon, checkpoints_per_decade : rounds of a run, and the density of recorded regret; 0 records only the end.
    parameters : constants that hold at every point, except the `varying` ones.
    points : settings of the grid, one mapping per point. `T`, arguments of the environment and parameters in it replace
        those of the curve.
    replicates : runs per instance.
    seeds, chunk : number of instances, and number of instances in one file.
    milliseconds : measured CPU time of one run, averaged over the points; smaller at scales with shorter runs.
    checkpoints_even : number of additional, evenly spaced recorded rounds.
    noise_asks : arguments of the environment that the certified noise depends on, from the table of algorithms.
    data : SHA-256 of the file that the environment reads; empty if it reads none.
    """

    paper: str
    experiment: str
    algorithm: str
    calibration: str
    variant: str
    environment: Environment
    horizon: int
    checkpoints_per_decade: int
    parameters: Setting
    points: tuple[Setting, ...]
    replicates: int
    seeds: int
    chunk: int
    milliseconds: float
    checkpoints_even: int = 0
    noise_asks: tuple[str, ...] = ()
    data: str = ""
    varying: tuple[Varying, ...] = ()

    def identity(self) -> dict[str, object]:
        """Everything that determines the runs; excludes names, number of seeds, scale and cost."""
        even = {"checkpoints_even": self.checkpoints_even} if self.checkpoints_even else {}
        data = {"data": self.data} if self.data else {}
        varying = {"varying": [asdict(each) for each in self.varying]} if self.varying else {}
        return (
            even
            | data
            | varying
            | {
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
        )

    @cached_property
    def folder(self) -> str:
        """Folder name, `<algorithm>-<calibration>[-<variant>]-<id8>`."""
        names = (self.algorithm, self.calibration, *([self.variant] if self.variant else []))
        return "-".join((*names, short(json_digest(self.identity()))))

    @cached_property
    def noise_name(self) -> str:
        """File name of the certified noise, `<algorithm>-<id8>.json`; curves that request the same noise share it."""
        asks = {name: value for name, value in self.identity().items() if name not in NOT_ASKING}
        if self.noise_asks:
            asks["environment"] = {name: self.environment[name] for name in self.noise_asks}
        return f"{self.algorithm}-{short(json_digest(asks))}.json"

    @property
    def seconds_per_chunk(self) -> float:
        """Estimated CPU seconds of one chunk."""
        return len(self.points) * self.replicates * self.chunk * self.milliseconds / 1000.0

    @property
    def bound(self) -> bool:
        """Whether the curve is a bound, which is evaluated on the instances of the seeds and has no runs."""
        return self.algorithm in BOUNDS.places()

    def chunks(self) -> Iterator[tuple[int, int]]:
        """First and last seed of every chunk; a bound has none."""
        if self.bound:
            return
        for first in range(0, self.seeds, self.chunk):
            yield first, first + self.chunk - 1

    def horizon_at(self, point: Setting) -> int:
        """Rounds of a run at a point."""
        return int(point.get("T", self.horizon))

    def environment_at(self, point: Setting) -> Environment:
        """The environment at a point; whole numbers have type int, as in the YAML."""
        return {name: whole(point[name]) if name in point else value for name, value in self.environment.items()}

    def rounds_at(self, point: Setting) -> np.ndarray:
        """Rounds at which the regret of a run at a point is recorded, (checkpoints,) int64."""
        return _rounds(self.horizon_at(point), self.checkpoints_per_decade, self.checkpoints_even).copy()

    def constants_at(self, point: Setting) -> Setting:
        """The algorithm's inputs at a point, besides the horizon: parameters and grid values."""
        own = {name: value for name, value in point.items() if name != "T" and name not in self.environment}
        around = {**numbers(self.environment), **point}
        varying = {each.name: each.at(around) for each in self.varying if each.name not in own}
        return {**self.parameters, **varying, **own}

    def settings(self) -> Iterator[Setting]:
        """The algorithm's inputs at each point: constants, numbers of the environment, and the horizon `T`."""
        for point in self.points:
            around = numbers(self.environment_at(point))
            yield {**around, **self.constants_at(point), "T": float(self.horizon_at(point))}

    def stream_name(self, point: Setting) -> str:
        """Name of the random streams of the runs at one point; equal in all experiments and at all scales."""
        return canonical_json(
            {
                "environment": dict(self.environment_at(point)),
                "horizon": self.horizon_at(point),
                "algorithm": self.algorithm,
                "calibration": self.calibration,
                "setting": dict(self.constants_at(point)),
            }
        )

    def instance_name(self, point: Setting) -> str:
        """Name of the random streams of the instances, shared by all runs on the same environment."""
        return canonical_json(dict(self.environment_at(point)))

    def default(self, name: str) -> float | None:
        """The curve's default for a grid value that a point does not give; None if the curve does not use it."""
        if name == "T":
            return float(self.horizon)
        return numbers(self.environment).get(name, self.parameters.get(name))


def names_of_points(curves: Sequence[Curve]) -> tuple[str, ...]:
    """The distinct names of the grid values of some curves."""
    return tuple(dict.fromkeys(name for curve in curves for point in curve.points for name in point))


def seconds_per_seed(curves: Sequence[Curve]) -> float:
    """Estimated CPU seconds of one seed of an experiment with these curves."""
    return math.fsum(len(curve.points) * curve.replicates * curve.milliseconds for curve in curves) / 1000.0


@cache
def _rounds(horizon: int, per_decade: int, even: int) -> np.ndarray:
    """Cached, because planning counts the recorded rounds of every point several times."""
    return log_spaced(horizon, per_decade, evenly_spaced(horizon, even))


def numbers(environment: Environment) -> dict[str, float]:
    """The numeric arguments of an environment, which a grid may vary and algorithms receive."""
    return {name: float(value) for name, value in environment.items() if isinstance(value, int | float)}


def whole(value: float) -> float:
    """The number, as an int if it is whole."""
    return int(value) if float(value).is_integer() else value


def seed_range(first: int, last: int) -> str:
    """The seeds of a chunk in its file name, such as `0000-0019`."""
    return f"{first:04d}-{last:04d}"


def chunk_name(first: int, last: int) -> str:
    """File name of a chunk, such as `seeds_0000-0019.parquet`."""
    return f"seeds_{seed_range(first, last)}.parquet"
