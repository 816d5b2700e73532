"""Stage aggregate: the chunks of all curves of an experiment in, two tables out.

* the table of runs: one row per curve, point and seed with the outputs at the horizon, averaged over replicates: what
  the claims are judged from;
* the summary: one row per curve, point and checkpoint with mean regret over seeds, its t interval and its median,
  and those of outputs that the experiment traces: what is drawn.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.digests import canonical_json, json_digest
from dpbandits.base.parquet import columns_digest, read_table, write_stacked
from dpbandits.base.storage import DamagedFile
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.statistics import column_moments
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.quarantine import set_aside, unreadable

LEVEL = 0.95  # of the intervals in the summary; source: our choice
KEYS = ("point", "seed", "replicate", "t")
Points = list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]
"""For each point of a curve: regret and traced outputs by seed and checkpoint; all outputs at the horizon by seed."""
UPPER_QUANTILE = 0.8  # the quantile of traced outputs in the summary, as in Figure 3 of han2021
MUST_AGREE = ("source", "root_seed", "noise")  # parts of the provenance that all chunks of a curve share


def aggregate(
    curves: Sequence[Curve],
    files: Mapping[str, Sequence[Path]],
    runs: Path,
    summary: Path,
    root_seed: int,
    traced: Collection[str] = (),
) -> None:
    """Write both tables.

    Parameters
    ----------
    files : the chunk files of every curve, by the curve's folder, in the order of the seeds; none for bounds.
    root_seed : of the instances on which bounds are evaluated.
    traced : outputs whose course the summary shows besides that of regret, where a curve has them.

    Raises
    ------
    DamagedFile
        Some chunks are damaged, belong to another curve, or were made otherwise than the rest. They are set aside as
        `<name>.damaged`, so that the next run makes them again. Or regret is not a finite number: those chunks stay.
    """
    faults: list[str] = []
    run_parts, summary_parts, origins = [], [], []
    names = names_of_points(curves)
    for curve in curves:
        origin: dict[str, Any] = {}
        if curve.bound:
            chunks = [evaluated(curve, root_seed)]
        else:
            chunks, origin, found = read_chunks(curve, files[curve.folder], traced)
            faults += found
        origins.append({"curve": curve.identity(), "folder": curve.folder, "seeds": curve.seeds} | origin)
        if chunks and not faults:
            run_parts.append(final_rows(curve, names, chunks))
            summary_parts.append(summarize(curve, names, chunks))
        del chunks  # before the next ones are read
    if faults:
        raise DamagedFile("; ".join(faults))
    provenance = {"curves": origins, "level": LEVEL}
    write_stacked(runs, aligned(run_parts), provenance)
    write_stacked(summary, aligned(summary_parts), provenance)


def read_chunks(
    curve: Curve, files: Sequence[Path], traced: Collection[str]
) -> tuple[list[Points], dict[str, Any], list[str]]:
    """The chunks of a curve, each point by point, where they come from, and the faults of those that were set aside.

    The origin is the source digest of the runs, and a digest of the columns of every chunk by its file name. Raises
    DamagedFile where a chunk cannot be read at all, or as `by_point`.
    """
    parts: list[Points] = []
    faults: list[str] = []
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
            if unreadable(fault):
                raise
            faults.append(set_aside(str(fault), path))
            continue
        made.add(canonical_json([provenance[name] for name in MUST_AGREE]))
        origin["source"] = provenance["source"]
        origin["chunks"][path.name] = columns_digest(columns)
        parts.append(by_point(curve, columns, traced))
        del columns  # before the next chunk is read: they are most of the memory
    if len(made) > 1:  # this stage cannot tell which one is current, so all are recomputed
        faults.append(set_aside(f"{files[0].parent}: chunks differ in sources, root seed or noise", *files))
    return parts, origin, faults


def evaluated(curve: Curve, root_seed: int) -> Points:
    """The values of a bound, as `by_point` returns the runs of an algorithm."""
    return [({"regret": values}, {"regret": values[:, -1]}) for values in evaluate(curve, root_seed)]


def by_point(curve: Curve, columns: Mapping[str, np.ndarray], traced: Collection[str] = ()) -> Points:
    """For every point regret and traced outputs, (seeds, checkpoints), and the outputs at the horizon, (seeds,).

    All are averaged over replicates. Points may have horizons, hence checkpoints, of their own.

    Raises
    ------
    DamagedFile
        Regret is not a finite number.
    """
    found = []
    start = 0
    for point in curve.points:
        rounds = len(curve.rounds_at(point))
        stop = start + curve.chunk * curve.replicates * rounds
        shape = (curve.chunk, curve.replicates, rounds)
        outputs = {name: values[start:stop].reshape(shape) for name, values in columns.items() if name not in KEYS}
        if not np.isfinite(outputs["regret"]).all():
            raise DamagedFile(f"{curve.folder}: holds regret that is not a finite number; correct the algorithm")
        ends = {name: values[:, :, -1].mean(axis=1) for name, values in outputs.items()}
        found.append(({name: outputs[name].mean(axis=1) for name in outputs if name in ("regret", *traced)}, ends))
        start = stop
    return found


def labels(curve: Curve, names: Sequence[str], rows: Sequence[int]) -> dict[str, Any]:
    """Columns that name curve and grid values, so many rows a point; NaN for values that the curve does not use."""
    total = sum(rows)
    words = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
    grid = {name: np.repeat([float(point.get(name, np.nan)) for point in curve.points], rows) for name in names}
    return {name: np.broadcast_to(np.array(word, dtype=object), total) for name, word in words.items()} | grid


def final_rows(curve: Curve, names: Sequence[str], chunks: Sequence[Points]) -> dict[str, Any]:
    """Rows of the table of runs, (points x seeds): outputs at the horizon."""
    points = range(len(curve.points))
    seeds = np.tile(np.arange(curve.seeds, dtype=np.int32), len(points))
    outputs = {
        name: np.concatenate([chunk[p][1][name] for p in points for chunk in chunks]) for name in chunks[0][0][1]
    }
    return labels(curve, names, [curve.seeds] * len(points)) | {"seed": seeds} | outputs


def summarize(curve: Curve, names: Sequence[str], chunks: Sequence[Points]) -> dict[str, Any]:
    """Rows of the summary, (points x checkpoints): over seeds."""
    rounds = [curve.rounds_at(point) for point in curve.points]
    moments = [
        trace_moments({name: np.concatenate([chunk[p][0][name] for chunk in chunks]) for name in chunks[0][p][0]})
        for p in range(len(curve.points))
    ]
    rows = sum(map(len, rounds))
    return (
        labels(curve, names, [len(each) for each in rounds])
        | {"t": np.concatenate(rounds), "n": np.full(rows, curve.seeds, dtype=np.int32)}
        | {name: np.concatenate([each[name] for each in moments]) for name in moments[0]}
    )


def trace_moments(traces: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Moments over seeds of every trace (seeds, checkpoints), (checkpoints,); `<output>_mean` but of regret `mean`."""
    found: dict[str, np.ndarray] = {}
    for name, values in traces.items():
        moments = column_moments(values, LEVEL)
        if name != "regret":
            moments["upper"] = np.quantile(values, UPPER_QUANTILE, axis=0)
        found |= {moment if name == "regret" else f"{name}_{moment}": each for moment, each in moments.items()}
    return found


def aligned(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tables given the same columns; outputs that only some algorithms have are NaN elsewhere."""
    names = dict.fromkeys(name for part in parts for name in part)
    lengths = [len(next(iter(part.values()))) for part in parts]
    gap = np.full(max(lengths), np.nan)  # of which all parts have pieces
    return [{name: part.get(name, gap[:length]) for name in names} for part, length in zip(parts, lengths, strict=True)]
