"""Stage aggregate: the chunks of all curves of an experiment in, two tables out.

* the table of runs: one row per curve, point and seed with the outputs at the horizon, averaged over replicates: what
  the claims are judged from;
* the summary: one row per curve, point and checkpoint with mean regret over seeds, its t interval and its median:
  what is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.digests import canonical_json, json_digest
from dpbandits.experiments.curves import Curve
from dpbandits.statistics import mean, standard_error, t_interval
from dpbandits.storage import DamagedFile, checksum_file, columns_digest, read_table, write_table

LEVEL = 0.95  # of the intervals in the summary; source: our choice
KEYS = ("point", "seed", "replicate", "t")
MADE_BY = ("source", "root_seed", "noise")  # parts of a chunk's provenance in which all chunks of a curve agree


def aggregate(curves: Sequence[Curve], files: Mapping[str, Sequence[Path]], runs: Path, summary: Path) -> None:
    """Write both tables.

    Parameters
    ----------
    files : the chunk files of every curve, by the curve's folder, in the order of the seeds.

    Raises
    ------
    DamagedFile
        Some chunks are damaged, belong to another curve, or were made otherwise than the rest. They are set aside as
        `<name>.damaged`, so that the next run makes them again.
    """
    faults: list[str] = []
    run_parts, summary_parts, origins = [], [], []
    for curve in curves:
        columns, origin = read_chunks(curve, files[curve.folder], faults)
        origins.append({"curve": curve.identity(), "folder": curve.folder, "seeds": curve.seeds} | origin)
        if columns and not faults:
            run_parts.append(finals(curve, columns))
            summary_parts.append(summarise(curve, columns))
    if faults:
        raise DamagedFile("; ".join(faults))
    provenance = {"curves": origins, "level": LEVEL}
    write_table(runs, stack(run_parts), provenance)
    write_table(summary, stack(summary_parts), provenance)


def read_chunks(curve: Curve, files: Sequence[Path], faults: list[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Outputs of a curve as arrays (points, seeds, replicates, checkpoints), and `t`; where they come from.

    The origin is the source digest of the runs, and a digest of the columns of every chunk by its file name. Faults are
    collected.
    """
    parts: list[dict[str, np.ndarray]] = []
    origin: dict[str, Any] = {"source": "", "chunks": {}}
    made = set()
    for path, (first, last) in zip(files, curve.chunks(), strict=True):
        try:
            columns, provenance = read_table(path)
            if provenance.get("id") != json_digest(curve.identity()):
                raise DamagedFile(f"{path}: belongs to another curve")
            if not np.array_equal(np.unique(columns["seed"]), np.arange(first, last + 1)):
                raise DamagedFile(f"{path}: holds other seeds than {first} to {last}")
        except DamagedFile as fault:
            faults.append(set_aside(str(fault), path))
            continue
        made.add(canonical_json([provenance[name] for name in MADE_BY]))
        origin["source"] = provenance["source"]
        origin["chunks"][path.name] = columns_digest(columns)
        parts.append(columns)
    if len(made) > 1:  # which of them is the present one is not known here: all are made again
        faults.append(set_aside(f"{files[0].parent}: chunks differ in sources, root seed or noise", *files))
    if not parts or faults:
        return {}, origin
    shape = (len(curve.points), -1, curve.replicates, len(np.unique(parts[0]["t"])))
    arrays = {
        name: np.concatenate([part[name].reshape(shape) for part in parts], axis=1)
        for name in parts[0]
        if name not in KEYS
    }
    return arrays | {"t": parts[0]["t"].reshape(shape)[0, 0, 0]}, origin


def set_aside(fault: str, *paths: Path) -> str:
    """Rename chunks to `<name>.damaged`, so that the next run makes them again; the whole fault."""
    there = [path for path in paths if path.exists()]
    for path in there:
        path.rename(path.with_name(path.name + ".damaged"))
        checksum_file(path).unlink(missing_ok=True)
    aside = "; set aside as .damaged" if there else ""
    return fault.removesuffix("; delete it and run again") + f"{aside}; run again"


def labels(curve: Curve, rows: int) -> dict[str, Any]:
    """The columns that name a curve."""
    names = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
    return {name: np.full(rows, value, dtype=object) for name, value in names.items()}


def settings(curve: Curve, repeats: int) -> dict[str, np.ndarray]:
    """Grid values as columns, each point `repeats` times; NaN for values that the curve does not distinguish."""
    return {name: np.repeat([float(point.get(name, np.nan)) for point in curve.points], repeats) for name in ("eps",)}


def finals(curve: Curve, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Rows of the table of runs: (points x seeds), outputs at the horizon averaged over replicates."""
    rows = len(curve.points) * curve.seeds
    if not np.isfinite(columns["regret"]).all():
        raise DamagedFile(f"{curve.folder}: holds regret that is not a finite number; the algorithm is at fault")
    values = {name: array[..., -1].mean(axis=2).ravel() for name, array in columns.items() if name != "t"}
    seeds = np.tile(np.arange(curve.seeds, dtype=np.int32), len(curve.points))
    return labels(curve, rows) | settings(curve, curve.seeds) | {"seed": seeds} | values


def summarise(curve: Curve, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Rows of the summary: (points x checkpoints), over seeds."""
    rounds = columns["t"]
    regret = columns["regret"].mean(axis=2)
    values = [_moments(regret[p, :, k]) for p in range(len(curve.points)) for k in range(len(rounds))]
    names = ("mean", "standard_error", "low", "high", "median")
    rows = len(values)
    return (
        labels(curve, rows)
        | settings(curve, len(rounds))
        | {"t": np.tile(rounds, len(curve.points)), "n": np.full(rows, curve.seeds, dtype=np.int32)}
        | {name: np.array([value[k] for value in values]) for k, name in enumerate(names)}
    )


def _moments(sample: np.ndarray) -> tuple[float, float, float, float, float]:
    statistic = mean(sample)
    interval = t_interval(statistic, LEVEL)
    error = standard_error(statistic)
    return statistic.estimate, error, interval.low, interval.high, float(np.median(sample))


def stack(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Tables of equal columns below each other; outputs that only some algorithms have are NaN elsewhere."""
    names: Iterator[str] = iter(dict.fromkeys(name for part in parts for name in part))
    length = [len(next(iter(part.values()))) for part in parts]
    return {
        name: np.concatenate([part.get(name, np.full(n, np.nan)) for part, n in zip(parts, length, strict=True)])
        for name in names
    }
