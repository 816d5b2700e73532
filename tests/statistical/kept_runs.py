"""Runs of mutants that would take a quarter of an hour, kept in a file.

A run is known by all that determines it: the curve with its fault, seeds, noise, root seed and the digest of its
sources. Noise counts with `DIGITS` digits, because the last ones depend on the processor. Runs that the file does not
have are simulated. This command simulates them and writes the file again:

python -m tests.statistical.kept_runs
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import read_table, write_table
from dpbandits.config.curves import Curve
from dpbandits.planning import dependencies
from dpbandits.stages.aggregate import Points, by_point
from dpbandits.stages.simulate import run_seeds

FILE = Path(__file__).with_suffix(".parquet")
DIGITS = 6  # significant ones of noise that is the root of an equation
LONG = ("chen2020", "chowdhury2022", "han2021")  # papers whose runs are kept

Noise = Sequence[Mapping[str, float]]


def name_of(curve: Curve, noise: Noise, root_seed: int) -> str:
    """A digest of all that determines the runs of a curve."""
    settings = [[sorted(point.items()), curve.horizon_at(point)] for point in curve.points]
    source = dependencies.digest(dependencies.simulate(curve))
    values = [[(what, f"{value:.{DIGITS}g}") for what, value in sorted(each.items())] for each in noise]
    return json_digest([curve.identity(), settings, curve.seeds, curve.replicates, values, root_seed, source])[:16]


def ends(curve: Curve, noise: Noise, root_seed: int) -> Points:
    """Outputs at the horizon, (seeds,) for every point: those in the file, or simulated."""
    return kept().get(name_of(curve, noise, root_seed)) or simulated(curve, noise, root_seed)


def simulated(curve: Curve, noise: Noise, root_seed: int) -> Points:
    return [({}, last) for _, last in by_point(curve, run_seeds(curve, root_seed, range(curve.seeds), noise))]


@cache
def kept() -> dict[str, Points]:
    """All runs in the file, by name."""
    if not FILE.is_file():
        return {}
    table, _ = read_table(FILE)
    names, order = np.unique(
        np.stack([table[name].astype(str) for name in ("run", "output")]), axis=1, return_inverse=True
    )
    found: dict[str, Points] = {}
    for k, (run, output) in enumerate(names.T):
        rows = np.flatnonzero(order == k)
        points = table["point"][rows]
        each = found.setdefault(str(run), [({}, {}) for _ in range(int(points.max()) + 1)])
        for p, (_, last) in enumerate(each):
            last[str(output)] = table["value"][rows[points == p]]
    return found


def write(runs: Mapping[str, Points]) -> None:
    """The file: a row for each seed of an output at a point of a run."""
    cells = [
        (run, output, p, values)
        for run, points in sorted(runs.items())
        for p, (_, last) in enumerate(points)
        for output, values in sorted(last.items())
    ]
    sizes = [values.size for *_, values in cells]
    run, output, point = (np.repeat(np.array(column), sizes) for column in list(zip(*cells, strict=True))[:3])
    columns = {"run": run.astype(object), "output": output.astype(object), "point": point.astype(np.int16)}
    write_table(FILE, columns | {"value": np.concatenate([values for *_, values in cells])}, {"papers": list(LONG)})


def main() -> None:
    from .mutants import PROJECT, simulations
    from .studies import STUDIES

    wanted = {}
    for study in STUDIES:
        if study.paper in LONG:
            for curve, noise in simulations(study):
                wanted[name_of(curve, noise, PROJECT.root_seed)] = (curve, noise, PROJECT.root_seed)
    missing = [name for name in wanted if name not in kept()]
    with ProcessPoolExecutor() as pool:
        made = pool.map(simulated, *zip(*(wanted[name] for name in missing), strict=True)) if missing else ()
        runs = {name: kept()[name] for name in wanted if name in kept()} | dict(zip(missing, made, strict=True))
    write(runs)


if __name__ == "__main__":
    main()
