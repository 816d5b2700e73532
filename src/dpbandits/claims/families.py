"""Number of runs of each algorithm over all experiments of a paper, and whether some have linear regret.

An algorithm that occasionally settles on a wrong arm has runs with regret linear in the horizon. If one experiment
shows a few such runs, they may also occur in another experiment that has none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dpbandits.claims.pools import Family, Pools, Shown, Table, family_of
from dpbandits.config.curves import Curve
from dpbandits.numerics.tails import CellSummary, are_a_kind, summary

Cell = tuple[np.ndarray, float]
"""Regret of a setting's runs, and their horizon."""


def shown_by(tables: Iterable[tuple[Table, Sequence[Curve]]]) -> dict[Family, Shown]:
    """The runs of each algorithm in some tables, by constants and family of instances.

    Parameters
    ----------
    tables : the regret of all runs of an experiment, and its curves.
    """
    found: dict[Family, list[tuple[CellSummary, float]]] = {}
    for runs, curves in tables:
        pools = Pools(runs, curves)
        for curve in curves:
            for setting, (regret, horizon) in () if curve.bound else cells(pools, curve):
                found.setdefault(family_of(curve, setting), []).append((summary(regret), horizon))
    return {family: shown_of(each) for family, each in found.items()}


def with_pilot(shown: Mapping[Family, Shown], pilot: Iterable[Mapping[str, Any]]) -> dict[Family, Shown]:
    """Add the runs of a pilot, of which only the record is kept.

    Parameters
    ----------
    pilot : rows of the pilot's record: `algorithm`, `calibration`, `family`, `constants`, `runs`, `linear`.
    """
    found = dict(shown)
    for row in pilot:
        family = row["algorithm"], row["calibration"], row["family"], tuple(sorted(row["constants"].items()))
        own = shown.get(family, Shown(0, None))
        linear = max((each for each in (own.linear, row["linear"]) if each is not None), default=None)
        found[family] = Shown(own.runs + row["runs"], linear, own.cells)
    return found


def cells(pools: Pools, curve: Curve) -> Iterator[tuple[dict[str, float], Cell]]:
    """The settings of a curve, each with its runs."""
    for setting, rows in pools.settings(curve.algorithm, curve.calibration, curve.variant):
        regret = pools.values(rows, "regret")
        if np.isfinite(regret).all():
            yield setting, (regret, setting.get("T", float(curve.horizon)))


def shown_of(cells: Sequence[tuple[CellSummary, float]]) -> Shown:
    """The summary of several settings, each with its horizon."""
    found = [cell for cell, _ in cells]
    kind = are_a_kind([cell for cell in found if cell.size >= 3])
    rates = [cell.largest / horizon for cell, horizon in cells if kind and cell.sizes.size]
    return Shown(sum(cell.size for cell in found), max(rates, default=None), found)
