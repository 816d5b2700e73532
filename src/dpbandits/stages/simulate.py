"""Stage simulate: run one chunk of seeds of one curve and write the regret trajectories to a parquet file."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dpbandits.base import jit
from dpbandits.base.digests import canonical_json, json_digest
from dpbandits.base.parquet import holds, write_table
from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import DamagedFile, read_json
from dpbandits.base.streams import generator
from dpbandits.base.versions import RUNS, versions
from dpbandits.config.curves import Curve
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.instances import draw_instances, drawn_ahead

COMPILED = "compiled{kind}"
"""Empty file beside an algorithm's compiled kernels, by `kind_of` the constants."""


def simulate(
    curve: Curve, root_seed: int, first: int, last: int, noise_file: Path | None, source: str, out: Path
) -> bool:
    """Run seeds `first` to `last` of a curve and write them, unless `out` is up to date.

    Parameters
    ----------
    noise_file : output of the stage calibrate; read for certified curves only.
    source : source digest, stored with the results.

    Returns
    -------
    Whether the runs were computed now.
    """
    noise = certified_noise(curve, noise_file)
    provenance = {
        "curve": curve.identity(),
        "id": json_digest(curve.identity()),
        "seeds": [first, last],
        "source": source,
        "root_seed": root_seed,
        "bit_generator": "PCG64",
        "noise": [dict(entry) for entry in noise],
        "versions": versions(RUNS),
    }
    if holds(out, provenance):
        return False
    write_table(out, run_seeds(curve, root_seed, range(first, last + 1), noise), provenance)
    return True


def certified_noise(curve: Curve, noise_file: Path | None) -> list[Mapping[str, float]]:
    """For every point of the curve, the certified noise by name; empty mappings for other calibrations.

    Raises
    ------
    DamagedFile
        The file is missing or does not answer a noise request.
    """
    if curve.calibration != "certified":
        return [{} for _ in curve.points]
    assert noise_file is not None, "certified curves need the file of the stage calibrate"
    algorithm = ALGORITHMS.module(curve.algorithm)
    entries = read_json(noise_file)["entries"]
    answers = {canonical_json({k: v for k, v in entry.items() if k != "noise"}): entry["noise"] for entry in entries}
    found: list[Mapping[str, float]] = []
    for setting in curve.settings():
        requests = {name: canonical_json(asdict(request)) for name, request in algorithm.requests(setting).items()}
        for request in requests.values():
            if request not in answers:
                raise DamagedFile(f"{noise_file}: holds no noise for {request}; delete it and run again")
        found.append({name: answers[request] for name, request in requests.items()})
    return found


def constants_at(curve: Curve, setting: Mapping[str, float], answers: Mapping[str, float]) -> tuple[Any, ...]:
    """The constants of an algorithm at a setting, in the form that its kernel takes.

    Raises
    ------
    ConfigError
        The algorithm has no constants for this setting.
    """
    try:
        return arguments_of(ALGORITHMS.module(curve.algorithm).params(curve.calibration, setting, answers))
    except ValueError as error:
        raise ConfigError(f"{curve.paper}/{curve.experiment}: {curve.algorithm}: {error}") from None


def run_seeds(curve: Curve, root_seed: int, seeds: range, noise: list[Mapping[str, float]]) -> dict[str, np.ndarray]:
    """Long columns `point, seed, replicate, t` and the algorithm's outputs; row order: point, seed, replicate, t."""
    algorithm = ALGORITHMS.module(curve.algorithm)
    if rule := getattr(algorithm, "rule", None):  # a user's class; imported late, so that no other digest includes it
        own: dict[str, np.ndarray] = import_module("dpbandits.stages.own").run_class(rule, curve, root_seed, seeds)
        return own
    constants = [constants_at(curve, *each) for each in zip(curve.settings(), noise, strict=True)]
    rounds = [curve.rounds_at(point) for point in curve.points]
    # Outputs come first, so that each column is contiguous and is not copied.
    shapes = [(len(algorithm.OUTPUTS), len(seeds), curve.replicates, len(each)) for each in rounds]
    traces = [np.empty(shape) for shape in shapes]
    names = [curve.stream_name(point) for point in curve.points]  # once: building a name takes longer than a short run
    for points in points_by_instance(curve):
        for s, seed in enumerate(seeds):
            instance = instance_of(curve, points, root_seed, seed)
            if points[0] == s == 0:  # before the very first run
                warm(algorithm, instance, constants[0], rounds[0])
            for p in points:
                for r in range(curve.replicates):
                    rng = generator(root_seed, "policy", names[p], seed, r)
                    trace = np.asarray(algorithm.run(rng, *instance, *constants[p], rounds[p]))
                    if trace.shape != (len(rounds[p]), len(algorithm.OUTPUTS)):  # others would be repeated to fit
                        says = "`run` must return an array (checkpoints, outputs)"
                        raise ConfigError(f"{curve.algorithm}: {says}; got the shape {list(trace.shape)}")
                    traces[p][:, s, r] = trace.T
    parts = [columns_of(p, seeds, *each) for p, each in enumerate(zip(rounds, traces, strict=True))]
    columns = ["point", "seed", "replicate", "t", *algorithm.OUTPUTS]
    return {name: np.concatenate(each) for name, each in zip(columns, zip(*parts, strict=True), strict=True)}


def points_by_instance(curve: Curve) -> list[list[int]]:
    """Groups of points whose runs play the same instances."""
    found: dict[str, list[int]] = {}
    for p, point in enumerate(curve.points):
        found.setdefault(curve.instance_name(point), []).append(p)
    return list(found.values())


def instance_of(curve: Curve, points: Sequence[int], root_seed: int, seed: int) -> tuple[Any, ...]:
    """The instance of a seed, shared by these points."""
    first = curve.points[points[0]]
    environment = curve.environment_at(first)
    (instance,) = draw_instances(environment, curve.instance_name(first), root_seed, [seed])
    horizons = [curve.horizon_at(curve.points[p]) for p in points for _ in range(curve.replicates)]
    found: tuple[Any, ...] = drawn_ahead(environment, instance, horizons)
    return found


def columns_of(point: int, seeds: range, rounds: np.ndarray, traces: np.ndarray) -> list[np.ndarray]:
    """Point, seed, replicate, round of all runs at a point, then their outputs, given traces (outputs, seeds, ...)."""
    replicates = traces.shape[2]
    index = (
        np.int16(point),
        np.array(seeds, dtype=np.int32)[:, None, None],
        np.arange(replicates, dtype=np.int16)[None, :, None],
        rounds[None, None, :],
    )
    return [np.broadcast_to(values, traces.shape[1:]).ravel() for values in index] + [each.ravel() for each in traces]


def arguments_of(params: Any) -> tuple[Any, ...]:
    """The fields of an algorithm's `Params`, in the order of the kernel's arguments."""
    return tuple(getattr(params, field.name) for field in fields(params))


def kind_of(constants: tuple[Any, ...]) -> str:
    """The types of grouped constants, which select the compiled kernel; empty if no constants are grouped."""
    return "".join(f"-{type(each).__name__}" for each in constants if isinstance(each, tuple))


def warm(algorithm: ModuleType, instance: tuple[Any, ...], constants: tuple[Any, ...], rounds: np.ndarray) -> None:
    """Compile or load the kernel by one run of eight rounds.

    Kernels of a package share most of their parts. While the cache is cold, only one process compiles kernels of a
    package; kernels of different packages are compiled concurrently.
    """
    folder = Path(jit.cache_folder(algorithm.__name__))
    marker = folder / COMPILED.format(kind=kind_of(constants))
    arguments = (*instance, *constants, np.array([8], dtype=rounds.dtype))
    if not jit.COMPILE or marker.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    name = algorithm.__name__
    package = name.removeprefix("dpbandits.").rpartition(".")[0] if name.startswith("dpbandits.") else "own"
    with jit.locked(folder.parent / f"{package}.lock"):
        start = time.process_time()
        algorithm.run(generator(0, "policy", "warm"), *arguments)
        print(f"compiled or loaded {algorithm.__name__} in {time.process_time() - start:.1f} s", file=sys.stderr)
        marker.touch()
