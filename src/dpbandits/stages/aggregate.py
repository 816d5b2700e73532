"""Stage aggregate: merge the chunks of all curves of an experiment into two tables.

* The table of runs has one row per curve, point and seed. It holds the outputs at the horizon, averaged over
  replicates. Claims are judged from it.
* The summary has one row per curve, point and checkpoint. It holds the mean regret over seeds, its t interval and its
  median, and the same for other traced outputs. Figures are drawn from it.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.digests import canonical_json
from dpbandits.base.parquet import write_stacked
from dpbandits.base.scratch import SIZE, Scratch
from dpbandits.base.storage import DamagedFile
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.statistics import column_moments
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.chunks import Made, ahead, read_chunk
from dpbandits.stages.quarantine import RUNS, SUMMARY, set_aside, unreadable, without_chunks

LEVEL = 0.95  # of the intervals in the summary; source: our choice
KEYS = ("point", "seed", "replicate", "t")
Points = list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]
"""For each point of a curve: regret and traced outputs by seed and checkpoint; all outputs at the horizon by seed."""
UPPER_QUANTILE = 0.8  # the quantile of traced outputs in the summary, as in Figure 3 of han2021
BLOCK = 2**23
"""Bytes of checkpoints per block when moments are computed; at the papers' sizes one block holds all checkpoints."""
ROWS = 2**17
"""Number of seeds per block when the table of runs is written."""
SINGLE = np.float32
"""Type of stored outputs and moments: half as large as doubles, with a relative error of at most 6e-8.

Whole numbers are exact up to 2^24. Moments are computed in double precision, before they are stored.
"""
MUST_AGREE = ("source", "root_seed", "noise")  # parts of the provenance that all chunks of a curve share


def aggregate(
    curves: Sequence[Curve],
    files: Mapping[str, Sequence[Path]],
    runs: Path,
    summary: Path,
    root_seed: int,
    traced: Collection[str] = (),
    threads: int = 1,
    made: Mapping[str, Made] | None = None,
) -> None:
    """Write both tables.

    Parameters
    ----------
    files : curve folder -> chunk files of the curve, ordered by seed; no entry for bounds.
    root_seed : root seed of the runs and of the instances on which bounds are evaluated.
    traced : outputs that the summary shows at every checkpoint besides regret, where a curve has them.
    threads : number of threads that read chunks.
    made : curve folder -> the current root seed, sources and noise of its chunks; by default only the root seed is
        compared.

    Raises
    ------
    DamagedFile
        Some chunks are damaged, belong to another curve, or differ from the current settings or from each other. They
        are quarantined as `<name>.damaged`, so that the next run recomputes them. Or regret is not finite; those
        chunks are kept.
    """
    faults: list[str] = []
    every, summary_parts, origins = [], [], []
    names = names_of_points(curves)
    with ExitStack() as scratch:
        for curve in curves:
            origin: dict[str, Any] = {}
            if curve.bound:
                chunks = evaluated(curve, root_seed)
            else:
                origin |= {"source": "", "chunks": {}}
                now = (made or {}).get(curve.folder, Made(root_seed))
                chunks = read_chunks(curve, files[curve.folder], now, traced, origin, faults, threads)
            together = gathered(curve, chunks, runs.parent, scratch)
            origins.append({"curve": curve.identity(), "folder": curve.folder, "seeds": curve.seeds} | origin)
            if together and not faults:
                summary_parts.append(summarize(names, together))
                every.append(together)
        if faults:
            raise DamagedFile("; ".join(faults))
        provenance = {"root_seed": root_seed, "curves": origins, "level": LEVEL}
        labeled = ("algorithm", "calibration", "variant", *names, "seed")
        outputs = (name for each in every for name in each.outputs)
        rows = (part for each in every for part in final_parts(names, each))
        write_stacked(runs, aligned(rows, (*labeled, *outputs)), {"table": RUNS, **provenance})
        every_name = (name for part in summary_parts for name in part)
        provenance["curves"] = list(map(without_chunks, origins))  # the table of runs lists them
        write_stacked(summary, aligned(summary_parts, every_name), {"table": SUMMARY, **provenance})


def read_chunks(
    curve: Curve,
    files: Sequence[Path],
    made: Made,
    traced: Collection[str],
    origin: dict[str, Any],
    faults: list[str],
    threads: int = 1,
) -> Iterator[tuple[int, Points]]:
    """Yield the chunks of a curve, each as its first seed and its values point by point.

    Parameters
    ----------
    made : the current root seed, sources and noise.
    origin : receives the provenance: the source digest of the runs, and for each chunk file a digest of its columns.
    faults : receives a message for each quarantined chunk.
    threads : number of chunks read at a time; one thread reads no chunk ahead.

    Raises
    ------
    DamagedFile
        A chunk cannot be read, or `by_point` raises.
    """
    seen = set()
    parts = zip(files, curve.chunks(), strict=True)
    for (path, (first, _)), read in ahead(lambda part: read_chunk(curve, part[0], *part[1], made), parts, threads):
        try:
            chunk = read()
        except DamagedFile as fault:
            if unreadable(fault):
                raise
            faults.append(set_aside(str(fault), path))
            continue
        seen.add(canonical_json([chunk.provenance[name] for name in MUST_AGREE]))
        origin["source"] = chunk.provenance["source"]
        origin["chunks"][path.name] = chunk.digest
        found = by_point(curve, chunk.columns, traced)
        del chunk, read  # frees most of the memory before the next chunk is read
        yield first, found
    if len(seen) > 1:  # this stage cannot tell which one is current, so all are recomputed
        faults.append(set_aside(f"{files[0].parent}: chunks differ in sources, root seed or noise", *files))


def evaluated(curve: Curve, root_seed: int) -> Iterator[tuple[int, Points]]:
    """Yield the values of a bound in blocks of seeds, in the format of `read_chunks`."""
    for first in range(0, curve.seeds, curve.chunk):
        values = evaluate(curve, root_seed, range(first, min(first + curve.chunk, curve.seeds)))
        yield first, [({"regret": each}, {"regret": each[:, -1]}) for each in values]


def by_point(curve: Curve, columns: Mapping[str, np.ndarray], traced: Collection[str] = ()) -> Points:
    """For every point, regret and traced outputs (seeds, checkpoints), and all outputs at the horizon (seeds,).

    Values are averaged over replicates. Points may differ in horizon, and therefore in checkpoints.

    Raises
    ------
    DamagedFile
        Regret is not finite.
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
    """Columns that label rows with curve and grid values, `rows` per point; NaN for values the curve does not use."""
    total = sum(rows)
    words = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
    grid = {name: np.repeat([float(point.get(name, np.nan)) for point in curve.points], rows) for name in names}
    return {name: np.broadcast_to(np.array(word, dtype=object), total) for name, word in words.items()} | grid


@dataclass(frozen=True)
class Gathered:
    """The runs of a curve, on disk if they are too large for memory.

    Attributes
    ----------
    outputs, traced : names of the outputs at the horizon, and of the outputs known at every checkpoint.
    blocks : for every point, the indices of its checkpoints, in blocks.
    ends : (point, output) -> (seeds, 1).
    traces : (point, output, block) -> (seeds, checkpoints).
    """

    curve: Curve
    outputs: tuple[str, ...]
    traced: tuple[str, ...]
    blocks: list[list[np.ndarray]]
    ends: Scratch
    traces: Scratch


def gathered(curve: Curve, chunks: Iterable[tuple[int, Points]], folder: Path, scratch: ExitStack) -> Gathered | None:
    """Merge the chunks of a curve, on disk in this folder if they are large; None if there are no chunks."""
    found = None
    for first, points in chunks:
        found = found or room_for(curve, points, folder, scratch)
        for p, (traces, ends) in enumerate(points):
            for name, values in ends.items():
                found.ends.write((p, name), first, values)
            for name in found.traced:
                for k, block in enumerate(found.blocks[p]):
                    found.traces.write((p, name, k), first, traces[name][:, block[0] : block[-1] + 1])
    return found


def room_for(curve: Curve, points: Points, folder: Path, scratch: ExitStack) -> Gathered:
    """Allocate storage for the runs of a curve, given those of some seeds; `scratch` closes it."""
    traced, outputs = (tuple(each) for each in points[0])
    blocks = [blocks_of(len(curve.rounds_at(point)), curve.seeds) for point in curve.points]
    of_ends: dict[Hashable, int] = {(p, name): 1 for p in range(len(points)) for name in outputs}
    of_traces: dict[Hashable, int] = {
        (p, name, k): len(block) for p, each in enumerate(blocks) for name in traced for k, block in enumerate(each)
    }
    ends, traces = (
        scratch.enter_context(closing(Scratch(curve.seeds, widths, folder))) for widths in (of_ends, of_traces)
    )
    return Gathered(curve, outputs, traced, blocks, ends, traces)


def blocks_of(checkpoints: int, seeds: int) -> list[np.ndarray]:
    """Checkpoint indices in blocks of at most `BLOCK` bytes, but of two checkpoints at least.

    A block has a single checkpoint only if the curve has one: NumPy sums a single column in a different order than
    several columns.
    """
    width = max(2, BLOCK // (SIZE * seeds))
    return np.array_split(np.arange(checkpoints), max(1, min(math.ceil(checkpoints / width), checkpoints // 2)))


def final_parts(names: Sequence[str], runs: Gathered) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of runs in blocks of seeds, point by point, then free the runs."""
    for p in range(len(runs.curve.points)):
        for first in range(0, runs.curve.seeds, ROWS):
            last = min(first + ROWS, runs.curve.seeds)
            ends = {name: runs.ends.read((p, name), first, last)[:, 0] for name in runs.outputs}
            yield final_rows(runs.curve, names, p, first, ends)
    runs.ends.close()


def final_rows(
    curve: Curve, names: Sequence[str], point: int, first: int, ends: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """Rows of the table of runs at one point: outputs at the horizon, for consecutive seeds starting at `first`."""
    seeds = np.arange(first, first + len(next(iter(ends.values()))), dtype=np.int32)
    own = replace(curve, points=(curve.points[point],))
    return labels(own, names, [len(seeds)]) | {"seed": seeds} | {name: stored(each) for name, each in ends.items()}


def stored(values: np.ndarray) -> np.ndarray:
    """Values as the tables have them."""
    return values.astype(SINGLE)


def summarize(names: Sequence[str], runs: Gathered) -> dict[str, Any]:
    """Rows of the summary, (points x checkpoints), with moments over seeds; frees the traces afterwards."""
    curve = runs.curve
    rounds = [curve.rounds_at(point) for point in curve.points]
    moments = [
        trace_moments({name: runs.traces.read((p, name, k)) for name in runs.traced})
        for p, blocks in enumerate(runs.blocks)
        for k in range(len(blocks))
    ]
    runs.traces.close()
    rows = sum(map(len, rounds))
    return (
        labels(curve, names, [len(each) for each in rounds])
        | {"t": np.concatenate(rounds), "n": np.full(rows, curve.seeds, dtype=np.int32)}
        | {name: stored(np.concatenate([each[name] for each in moments])) for name in moments[0]}
    )


def trace_moments(traces: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Moments over seeds, (checkpoints,), of traces (seeds, checkpoints): `<output>_mean`, or `mean` for regret."""
    found: dict[str, np.ndarray] = {}
    for name, values in traces.items():
        moments = column_moments(values, LEVEL)
        if name != "regret":
            moments["upper"] = np.quantile(values, UPPER_QUANTILE, axis=0)
        found |= {moment if name == "regret" else f"{name}_{moment}": each for moment, each in moments.items()}
    return found


def aligned(parts: Iterable[Mapping[str, Any]], names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the tables with all of these columns; NaN where an algorithm lacks an output."""
    columns = tuple(dict.fromkeys(names))
    for part in parts:
        length = len(next(iter(part.values())))
        yield {name: part[name] if name in part else np.full(length, SINGLE(np.nan)) for name in columns}
