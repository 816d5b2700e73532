"""Measure how the costs of simulating, aggregating, judging and drawing grow with the number of seeds.

What is aggregated was not simulated: chunks are drawn at random, and the run table of one experiment is resampled from
the committed one. Each measurement is a process: the CPU seconds of its stage on the reference machine, without those
of starting and reading the configuration, and its peak memory.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ROOT
from benchmarks.growth import grown, of_memory
from benchmarks.papers import Cost, cost
from benchmarks.record import Entry, goal
from benchmarks.timing import with_slowness
from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import read_table, write_table
from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import write_checksum, write_json
from dpbandits.config.curves import Curve, chunk_name
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.loading import Paper, load_project
from dpbandits.config.models.claims import Statistical
from dpbandits.planning import cluster
from dpbandits.stages.aggregate import stored
from dpbandits.stages.simulate import columns_of

PAPER, EXPERIMENT, CURVE = "hanna2022", "figure2", "phased_elimination_central"
FIGURE = "regret_against_budget"
"""A figure of the experiment."""
EVERY = (1000, 10_000, 30_000, 100_000)
SEEDS = {
    "aggregate": EVERY,
    "judge": EVERY,
    "draw": EVERY,
    "simulate": (1000, 3000),
    "aggregate_all": (1000, 10_000),
}
"""Measured stages, each with a usual number of seeds and with more, up to a hundred times as many."""
TITLES = {
    "simulate": f"Simulating {EXPERIMENT}",
    "aggregate": "Aggregating one curve",
    "aggregate_all": f"Aggregating {EXPERIMENT}",
    "judge": f"Judging the claims of {EXPERIMENT}",
    "draw": f"Drawing {FIGURE}",
}
CODE = """import sys, pathlib, benchmarks.seeds as seeds
getattr(seeds, sys.argv[1])(sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4]))"""
"""Script of a measured process.

Another process prepares its files, and a small one starts it, because Linux counts the memory of the starting process
as memory of the new one.
"""
CHUNK = 1000
SPENT = "seconds"  # file with the CPU seconds of a measured process
TURNS = 2  # of each measurement; the faster one counts
MANY = 10_000  # reference number of seeds for the largest one
SECONDS = 20.0  # largest allowed CPU seconds to judge with that many seeds
SHARE = 0.1  # largest allowed CPU time per seed to aggregate and judge, over that to simulate
LINEAR = 1.1  # largest allowed cost of ten times the seeds, over ten times the cost
SAME = {"aggregate": 1.25, "judge": 1.5, "draw": 1.25}
"""Largest allowed growth from ten times the seeds: memory, and CPU time of drawing.

Judging holds one claim's runs. Drawing reads summaries, so its cost does not change unless it reads runs.
"""


def paper() -> Paper:
    """Paper of the experiment and of the curve."""
    return load_project(ROOT, {"scale": "full"}).papers[PAPER]


def own_curves(seeds: int) -> list[Curve]:
    """Curves of the experiment with this number of seeds."""
    project = load_project(ROOT, {"scale": "full"})
    every, chunk = curves(project, project.papers[PAPER], EXPERIMENT), min(CHUNK, seeds)
    return [replace(curve, seeds=seeds, chunk=chunk) for curve in every]


def one_curve(seeds: int) -> Curve:
    """Curve to aggregate."""
    return next(curve for curve in own_curves(seeds) if curve.algorithm == CURVE)


def played_curves(seeds: int) -> list[Curve]:
    """Curves of the experiment that need no certified noise; the certified curves run the same kernels.

    Judging reads all curves, so `goals` compares a little too much judging with the simulation of these.
    """
    return [curve for curve in own_curves(seeds) if curve.calibration != "certified"]


def write_chunks(curve: Curve, folder: Path) -> list[Path]:
    """Write all chunks of a curve, with random regret and other outputs that compress like real ones."""
    outputs = ALGORITHMS.module(curve.algorithm).OUTPUTS
    provenance = {"id": json_digest(curve.identity()), "source": "", "root_seed": 0, "noise": []}
    rounds = [curve.rounds_at(point) for point in curve.points]
    paths = []
    for first, last in curve.chunks():
        rng, seeds = np.random.default_rng(first), range(first, last + 1)
        parts = []
        for p, each in enumerate(rounds):
            traces = np.zeros((len(outputs), len(seeds), curve.replicates, len(each)))
            traces[0] = rng.exponential(size=traces.shape[1:]).cumsum(axis=-1)
            parts.append(columns_of(p, seeds, each, traces))
        names = ("point", "seed", "replicate", "t", *outputs)
        columns = {name: np.concatenate(each) for name, each in zip(names, zip(*parts, strict=True), strict=True)}
        paths.append(folder / chunk_name(first, last))
        write_table(paths[-1], columns, provenance)
    return paths


def write_runs(seeds: int, table: Path) -> None:
    """Write a run table with this number of seeds, each resampled from the committed table."""
    committed, provenance = read_table(ROOT / f"figures/{PAPER}/data/{EXPERIMENT}.parquet")
    starts = np.flatnonzero(committed["seed"] == 0)
    sizes = np.diff([*starts, committed["seed"].size])
    places = np.random.default_rng(seeds).random(seeds)
    rows = (starts[:, None] + sizes[:, None] * places).astype(int).ravel()
    columns = {name: values[rows] for name, values in committed.items()}
    columns["seed"] = np.tile(np.arange(seeds, dtype=np.int32), starts.size)
    columns["regret"] = stored(columns["regret"])
    write_table(table, columns, provenance)


def prepare(name: str, seeds: int, folder: Path) -> None:
    """Write the files that a measured process reads."""
    if name == "simulate":
        return
    if name in ("aggregate", "aggregate_all"):
        for curve in [one_curve(seeds)] if name == "aggregate" else played_curves(seeds):
            (folder / curve.folder).mkdir(parents=True)
            write_chunks(curve, folder / curve.folder)
        return
    write_runs(seeds, folder / f"{EXPERIMENT}.parquet")
    if name == "judge":
        write_json(folder / "audits.json", {"records": []})
    else:
        committed = ROOT / f"figures/{PAPER}/data"
        for path in (*committed.glob("*.summary.parquet"), *committed.glob("*.json")):
            shutil.copy(path, folder)
            write_checksum(folder / path.name)


def play(name: str, seeds: int, folder: Path) -> None:
    """Simulate, or aggregate, judge or draw the prepared files, and write the CPU seconds of this alone to `SPENT`."""
    job = job_of(name, seeds, folder)
    start = time.process_time()
    job()
    (folder / SPENT).write_text(f"{time.process_time() - start}\n", encoding="utf-8")


def job_of(name: str, seeds: int, folder: Path) -> Callable[[], Any]:
    """The measured work, with the configuration read and only its own stage loaded, as in a real job."""
    if name == "simulate":
        return simulating(seeds, folder)
    if name == "judge":
        return judging(seeds, folder)
    if name == "draw":
        from dpbandits.stages.draw import draw

        return partial(
            draw, paper(), [FIGURE], folder, folder / "claims.json", folder / "audit.json", folder / "figures"
        )
    from dpbandits.stages.aggregate import aggregate

    every = [one_curve(seeds)] if name == "aggregate" else played_curves(seeds)
    files = {each.folder: [folder / each.folder / chunk_name(*chunk) for chunk in each.chunks()] for each in every}
    return partial(aggregate, every, files, folder / "runs.parquet", folder / "summary.parquet", 0)


def simulating(seeds: int, folder: Path) -> Callable[[], Any]:
    """Work that simulates all chunks of the played curves."""
    from dpbandits.stages.simulate import simulate

    every = played_curves(seeds)

    def job() -> None:
        for curve in every:
            shutil.rmtree(folder / curve.folder, ignore_errors=True)  # chunks of an earlier turn would be kept
            (folder / curve.folder).mkdir(parents=True)
            for first, last in curve.chunks():
                simulate(curve, 0, first, last, None, "", folder / curve.folder / chunk_name(first, last))

    return job


def judging(seeds: int, folder: Path) -> Callable[[], Any]:
    """Work that judges all claims that involve only this experiment."""
    from dpbandits.stages.judge import judge

    found = paper()
    claims = {
        key: claim
        for key, claim in found.claims.items()
        if isinstance(claim, Statistical) and all(case.experiment == EXPERIMENT for _, case in claim.cases())
    }
    coincides = {algorithm: entry.calibrations for algorithm, entry in TABLE.items()}
    every, tables = {EXPERIMENT: own_curves(seeds)}, {EXPERIMENT: folder / f"{EXPERIMENT}.parquet"}
    audits, out = folder / "audits.json", folder / "claims.json"
    return partial(judge, PAPER, "full", claims, {}, found.rules, {}, every, coincides, tables, audits, out)


def command(does: str, name: str, seeds: int, folder: str) -> list[str]:
    """Command of a process that does one part."""
    return [sys.executable, "-c", CODE, does, name, str(seeds), folder]


def measured(seeds: Mapping[str, Sequence[int]] = SEEDS) -> dict[str, list[Cost]]:
    """Cost of each stage at each number of seeds."""
    found: dict[str, list[Cost]] = {}
    for name, counts in seeds.items():
        found[name] = []
        for count in counts:
            with tempfile.TemporaryDirectory() as place:
                cost(command("prepare", name, count, place), ROOT)
                turns = [turn(name, count, Path(place)) for _ in range(TURNS)]
                found[name].append(min(turns, key=lambda each: each.seconds))
    return found


def turn(name: str, seeds: int, folder: Path) -> Cost:
    """CPU seconds on the reference machine of the work alone, and peak memory of the process that does it."""
    whole, slow = with_slowness(partial(cost, command("play", name, seeds, str(folder)), ROOT))
    return Cost(float((folder / SPENT).read_text(encoding="utf-8")) / slow, whole.megabytes)


def lines(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> list[Entry]:
    """Growth entries of the record."""
    entries, setting = [], f"{PAPER}/{EXPERIMENT}"
    for name, costs in found.items():
        about = name, TITLES[name]
        entries += [
            grown(*about, "seeds", setting, seeds[name], [each.seconds for each in costs]),
            grown(*about, of_memory("seeds"), setting, seeds[name], [each.megabytes for each in costs]),
        ]
    return entries


def goals(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> list[Entry]:
    """Goal entries of the record."""
    at = {(name, count): each for name, costs in found.items() for count, each in zip(seeds[name], costs, strict=True)}
    most = max(seeds["judge"])
    asked = {
        "aggregate": cluster.to_hold([one_curve(CHUNK)]),
        "judge": cluster.megabytes(cluster.BYTES_PER_RUN * cluster.runs_of(own_curves(most))),
    }
    entries = []
    for name, megabytes in asked.items():
        few, many = at[name, MANY], at[name, most]
        times = most / MANY
        title = f"{TITLES[name]}, {times:g} times the seeds: CPU time over {times:g} times that before"
        entries.append(goal(f"{name}_seeds", title, many.seconds / few.seconds / times, LINEAR))
        title = f"{TITLES[name]}: memory at {most:,} seeds over that at {MANY:,}"
        entries.append(goal(f"{name}_memory", title, many.megabytes / few.megabytes, SAME[name]))
        title = f"{TITLES[name]}: memory at {most:,} seeds over what its job asks for"
        entries.append(goal(f"{name}_request", title, many.megabytes / megabytes, 1.0))
    title = f"{TITLES['judge']} at {MANY:,} seeds, CPU time over {SECONDS:g} s"
    entries.append(goal("judge_time", title, at["judge", MANY].seconds / SECONDS, 1.0))
    title = f"{TITLES['draw']}: CPU time at {most:,} seeds over that at {MANY:,}"
    entries.append(goal("draw_seeds", title, at["draw", most].seconds / at["draw", MANY].seconds, SAME["draw"]))
    runs, *after = (per_seed(seeds[name], found[name]) for name in ("simulate", "aggregate_all", "judge"))
    title = f"Aggregating and judging {EXPERIMENT}, CPU time of one more seed over that to simulate it"
    return [*entries, goal("after_runs", title, sum(after) / runs, SHARE)]


def per_seed(seeds: Sequence[int], costs: Sequence[Cost]) -> float:
    """CPU seconds that one more seed adds, from the first and the last measurement."""
    return (costs[-1].seconds - costs[0].seconds) / (seeds[-1] - seeds[0])


def text(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> str:
    """Table for a terminal: one row per number of seeds."""
    return "\n".join(
        f"{TITLES[name]:36}{count:>9,} seeds{each.seconds:9.2f} s{each.megabytes:7.0f} MB"
        for name, costs in found.items()
        for count, each in zip(seeds[name], costs, strict=True)
    )
