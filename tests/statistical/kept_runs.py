"""Runs of mutants that would take a quarter of an hour, kept in a file.

Values are in single precision, as tables of runs have them. The name of a run has a digest of its settings (the curve
with its fault, seeds, noise and root seed) and one of its sources. Noise counts with `DIGITS` digits, because the last
ones depend on the processor. Runs that the file does not have are simulated.

python -m tests.statistical.kept_runs                simulate the runs that the file does not have
python -m tests.statistical.kept_runs --same         rename the runs, after a change of the code that changes no result
python -m tests.statistical.kept_runs --check        say whether the file has the runs of this code
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import read_table, write_table
from dpbandits.config.curves import Curve
from dpbandits.planning import dependencies
from dpbandits.stages.aggregate import Points, by_point, stored
from dpbandits.stages.simulate import run_seeds

FILE = Path(__file__).with_suffix(".parquet")
DIGITS = 6  # significant ones of noise that is the root of an equation
REMEDY = (
    "`python -m tests.statistical.kept_runs` simulates them again; "
    "`--same` renames them, after a change of the code that changes no result."
)
LONG = ("chen2020", "chowdhury2022", "han2021")  # papers whose runs are kept

Noise = Sequence[Mapping[str, float]]


def name_of(curve: Curve, noise: Noise, root_seed: int) -> str:
    """All that determines the runs of a curve: `SETTINGS-SOURCES`, two digests."""
    settings = [[sorted(point.items()), curve.horizon_at(point)] for point in curve.points]
    source = dependencies.digest(dependencies.simulate(curve))
    values = [[(what, f"{value:.{DIGITS}g}") for what, value in sorted(each.items())] for each in noise]
    known = json_digest([curve.identity(), settings, curve.seeds, curve.replicates, values, root_seed])
    return f"{known[:16]}-{source[:8]}"


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
    write_table(
        FILE, columns | {"value": stored(np.concatenate([values for *_, values in cells]))}, {"papers": list(LONG)}
    )


def wanted() -> dict[str, tuple[Curve, Noise, int]]:
    """What the mutants of `LONG` need, by name."""
    from .mutants import PROJECT, simulations
    from .studies import STUDIES

    return {
        name_of(curve, noise, PROJECT.root_seed): (curve, noise, PROJECT.root_seed)
        for study in STUDIES
        if study.paper in LONG
        for curve, noise in simulations(study)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--same", action="store_true", help="rename the kept runs")
    which.add_argument("--check", action="store_true", help="say whether the file has the runs of this code")
    options = parser.parse_args()
    runs, found = wanted(), kept()
    if options.check:
        if set(found) != set(runs):
            sys.exit(f"{FILE.name} has runs of other code. {REMEDY}")
        return
    if options.same:
        found = {settings_of(name): points for name, points in found.items()}
        found = {name: found[settings_of(name)] for name in runs if settings_of(name) in found}
    missing = [name for name in runs if name not in found]
    with ProcessPoolExecutor() as pool:
        made = pool.map(simulated, *zip(*(runs[name] for name in missing), strict=True)) if missing else ()
        write({name: found[name] for name in runs if name in found} | dict(zip(missing, made, strict=True)))


def settings_of(name: str) -> str:
    return name.partition("-")[0]


if __name__ == "__main__":
    main()
