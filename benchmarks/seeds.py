"""How the costs of aggregating and judging grow with the number of seeds.

Runs are not simulated. The chunks of one curve are drawn at random, and the table of runs of one experiment is drawn
from the committed one. Measured are processes: CPU seconds beyond those of a process that reads the configuration
alone, and the most memory.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import ROOT
from benchmarks.growth import ends, exponent
from benchmarks.papers import Cost, cost
from benchmarks.record import Entry, goal
from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import read_table, write_table
from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import write_json
from dpbandits.config.curves import Curve, chunk_name
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.loading import Paper, load_project
from dpbandits.config.models.claims import Statistical
from dpbandits.planning import cluster
from dpbandits.stages.aggregate import aggregate
from dpbandits.stages.judge import judge
from dpbandits.stages.simulate import columns_of

PAPER, EXPERIMENT, CURVE = "hanna2022", "figure2", "phased_elimination_central"
SEEDS = dict.fromkeys(("aggregate", "judge"), (1000, 10_000, 100_000))
"""What is measured, with as many seeds as are common, and ten and a hundred times as many."""
TITLES = {"aggregate": "Aggregating one curve", "judge": f"Judging the claims of {EXPERIMENT}"}
CODE = """import sys, pathlib, benchmarks.seeds as seeds
getattr(seeds, sys.argv[1])(sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4]))"""
"""What a process does. Files are prepared by another one than that which is measured, and than the one that starts
it: to the memory of a process Linux counts that of the one that started it."""
CHUNK = 1000
SECONDS = 20.0  # most CPU seconds to judge with ten times the seeds
LINEAR = 1.1  # most that ten times the seeds may cost, over ten times the cost
SAME = 1.25  # most memory to aggregate a hundred times the seeds, over that of the first


def paper() -> Paper:
    """The paper of both."""
    return load_project(ROOT, {"scale": "full"}).papers[PAPER]


def own_curves(seeds: int) -> list[Curve]:
    """The curves of the experiment with so many seeds."""
    project = load_project(ROOT, {"scale": "full"})
    return [replace(curve, seeds=seeds, chunk=CHUNK) for curve in curves(project, project.papers[PAPER], EXPERIMENT)]


def one_curve(seeds: int) -> Curve:
    """The curve that is aggregated."""
    return next(curve for curve in own_curves(seeds) if curve.algorithm == CURVE)


def write_chunks(curve: Curve, folder: Path) -> list[Path]:
    """Write all chunks of a curve, with regret at random and other outputs that compress as those of real runs."""
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
    """Write a table of runs with so many seeds, each of which is one of the committed table."""
    committed, provenance = read_table(ROOT / f"figures/{PAPER}/data/{EXPERIMENT}.parquet")
    starts = np.flatnonzero(committed["seed"] == 0)
    sizes = np.diff([*starts, committed["seed"].size])
    places = np.random.default_rng(seeds).random(seeds)
    rows = (starts[:, None] + sizes[:, None] * places).astype(int).ravel()
    columns = {name: values[rows] for name, values in committed.items()}
    columns["seed"] = np.tile(np.arange(seeds, dtype=np.int32), starts.size)
    write_table(table, columns, provenance)


def prepare(name: str, seeds: int, folder: Path) -> None:
    """Write what a process then reads."""
    if name == "aggregate":
        write_chunks(one_curve(seeds), folder)
    else:
        write_runs(seeds, folder / "runs.parquet")
        write_json(folder / "audits.json", {"records": []})


def play(name: str, seeds: int, folder: Path) -> None:
    """Aggregate or judge what was prepared; with no seeds, read the configuration alone."""
    if seeds == 0:
        own_curves(1)
    elif name == "aggregate":
        curve = one_curve(seeds)
        files = {curve.folder: [folder / chunk_name(*chunk) for chunk in curve.chunks()]}
        aggregate([curve], files, folder / "runs.parquet", folder / "summary.parquet", 0)
    else:
        found = paper()
        claims = {
            key: claim
            for key, claim in found.claims.items()
            if isinstance(claim, Statistical) and all(case.experiment == EXPERIMENT for _, case in claim.cases())
        }
        coincides = {algorithm: entry.calibrations for algorithm, entry in TABLE.items()}
        every, tables = {EXPERIMENT: own_curves(seeds)}, {EXPERIMENT: folder / "runs.parquet"}
        judge(PAPER, "full", claims, {}, found.rules, {}, every, coincides, tables, folder / "audits.json",
              folder / "claims.json")  # fmt: skip


def command(does: str, name: str, seeds: int, folder: str) -> list[str]:
    """That of a process which does one part."""
    return [sys.executable, "-c", CODE, does, name, str(seeds), folder]


def measured(seeds: Mapping[str, Sequence[int]] = SEEDS) -> dict[str, list[Cost]]:
    """What aggregating and judging cost at each number of seeds."""
    found: dict[str, list[Cost]] = {}
    for name, counts in seeds.items():
        found[name] = []
        for count in (0, *counts):
            with tempfile.TemporaryDirectory() as place:
                if count:
                    cost(command("prepare", name, count, place), ROOT)
                found[name].append(cost(command("play", name, count, place), ROOT))
        base, *costs = found[name]
        found[name] = [Cost(max(each.seconds - base.seconds, 0.01), each.megabytes) for each in costs]
    return found


def lines(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> list[Entry]:
    """The entries of the record's growth."""
    entries = []
    for name, costs in found.items():
        places, spent = list(seeds[name]), [each.seconds for each in costs]
        entries.append(
            {
                "name": name,
                "title": TITLES[name],
                "axis": "seeds",
                "setting": f"{PAPER}/{EXPERIMENT}",
                "places": places,
                "costs": [each / spent[0] for each in spent],
                "exponent": exponent(places, spent),
                **ends(places, spent),
            }
        )
    return entries


def goals(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> list[Entry]:
    """The entries of the record's goals."""
    entries = []
    for name, costs in found.items():
        times = seeds[name][-1] / seeds[name][-2]
        growth = costs[-1].seconds / costs[-2].seconds / times
        title = f"{TITLES[name]}, {times:g} times the seeds: CPU time over {times:g} times that before"
        entries.append(goal(f"{name}_seeds", title, growth, LINEAR))
    first, *_, last = found["aggregate"]
    least, most = seeds["aggregate"][0], seeds["aggregate"][-1]
    title = f"{TITLES['aggregate']}: memory at {most:,} seeds over that at {least:,}"
    judged = f"{TITLES['judge']} at {seeds['judge'][-2]:,} seeds, CPU time over {SECONDS:g} s"
    asked = {
        "aggregate": cluster.to_hold([one_curve(CHUNK)]),
        "judge": cluster.megabytes(cluster.BYTES_PER_RUN * cluster.runs_of(own_curves(seeds["judge"][-1]))),
    }
    requests = [
        goal(
            f"{name}_request",
            f"{TITLES[name]}: memory at {seeds[name][-1]:,} seeds over what its job asks for",
            found[name][-1].megabytes / megabytes,
            1.0,
        )
        for name, megabytes in asked.items()
    ]
    return [
        *entries,
        goal("aggregate_memory", title, last.megabytes / first.megabytes, SAME),
        goal("judge_time", judged, found["judge"][-2].seconds / SECONDS, 1.0),
        *requests,
    ]


def text(found: Mapping[str, Sequence[Cost]], seeds: Mapping[str, Sequence[int]] = SEEDS) -> str:
    """For a terminal: a row for each number of seeds."""
    return "\n".join(
        f"{TITLES[name]:36}{count:>9,} seeds{each.seconds:9.2f} s{each.megabytes:7.0f} MB"
        for name, costs in found.items()
        for count, each in zip(seeds[name], costs, strict=True)
    )
