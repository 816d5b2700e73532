"""The runs of a table of an experiment, for the stages that evaluate claims on them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dpbandits.base.parquet import read_table
from dpbandits.base.storage import DamagedFile
from dpbandits.claims.pools import Table
from dpbandits.config.curves import Curve, names_of_points


def read_runs(table: Path, outputs: Collection[str], curves: Sequence[Curve]) -> Table:
    """The labels of the runs of a table, and these outputs.

    Raises
    ------
    DamagedFile
        It lacks a label, as that of another grid.
    """
    labels = ("algorithm", "calibration", "variant", "seed", *names_of_points(curves))
    runs, _ = read_table(table, {*labels, *outputs})
    if missing := [name for name in labels if name not in runs]:
        raise DamagedFile(f"{table}: has no column {', '.join(missing)}, so it belongs to another experiment or grid")
    return filled(runs, outputs)


def filled(runs: Table, outputs: Collection[str]) -> Table:
    """Runs with all of these outputs; NaN where no curve has one."""
    return {name: np.full(len(runs["seed"]), np.nan) for name in outputs} | dict(runs)


def name_of(*parts: str) -> str:
    """The name of a claim or measurement under a calibration."""
    return "/".join(filter(None, parts))


@contextmanager
def named(name: str) -> Iterator[None]:
    """Say which claim or measurement it is whose numbers are out of range."""
    try:
        yield
    except (ValueError, ArithmeticError) as error:
        raise DamagedFile(f"{name}: cannot be judged: {error}") from error
