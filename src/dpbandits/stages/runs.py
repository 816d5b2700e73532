"""Read the runs in an experiment's table, for the stages that evaluate claims on them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.parquet import read_table, stored_columns
from dpbandits.base.storage import DamagedFile
from dpbandits.claims.pools import Table
from dpbandits.config.curves import Curve, names_of_points


def read_runs(table: Path, outputs: Collection[str], curves: Sequence[Curve]) -> dict[str, np.ndarray]:
    """The labels of the runs of a table, and these outputs.

    Raises
    ------
    DamagedFile
        The table lacks a label, because it belongs to another grid.
    """
    labels = labels_of(curves)
    runs, _ = read_table(table, {*labels, *outputs})
    demand(table, labels, runs)
    return filled(runs, outputs)


def stored_runs(table: Path, outputs: Collection[str], curves: Sequence[Curve]) -> Table:
    """Same as `read_runs`, but rows are read on demand. Raises like `read_runs`."""
    labels = labels_of(curves)
    runs = stored_columns(table, {*labels, *outputs})
    demand(table, labels, runs)
    return filled(runs, outputs)


def labels_of(curves: Sequence[Curve]) -> tuple[str, ...]:
    """Names of the columns that identify runs."""
    return "algorithm", "calibration", "variant", "seed", *names_of_points(curves)


def demand(table: Path, labels: Collection[str], columns: Collection[str]) -> None:
    """Raise `DamagedFile` if the columns of a table lack a label."""
    if missing := [name for name in labels if name not in columns]:
        raise DamagedFile(f"{table}: has no column {', '.join(missing)}, so it belongs to another experiment or grid")


def filled(runs: Mapping[str, Any], outputs: Collection[str]) -> dict[str, Any]:
    """Runs with all of these outputs; NaN for outputs that no curve has."""
    return {name: np.broadcast_to(np.nan, len(runs["seed"])) for name in outputs} | dict(runs)


def name_of(*parts: str) -> str:
    """The name of a claim or measurement under a calibration, made of its parts."""
    return "/".join(filter(None, parts))


@contextmanager
def named(name: str) -> Iterator[None]:
    """Name the claim or measurement in errors about numbers that are out of range."""
    try:
        yield
    except (ValueError, ArithmeticError) as error:
        raise DamagedFile(f"{name}: cannot be judged: {error}") from error
