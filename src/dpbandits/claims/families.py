"""What all experiments of a paper show of its algorithms: how many runs, and whether some of them are linear.

An algorithm that settles on a wrong arm now and then has runs whose regret is linear in the horizon. Where a few of
them are seen in one experiment, they may happen in another as well, though none of its runs is large.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dpbandits.claims.pools import Family, Pools, Shown, Table, family_of
from dpbandits.config.curves import Curve
from dpbandits.numerics.tails import CellSummary, are_a_kind, summary

Cell = tuple[np.ndarray, float]
"""Regret of the runs of a setting, and their horizon."""


def shown_by(tables: Iterable[tuple[Table, Sequence[Curve]]]) -> dict[Family, Shown]:
    """What tables of runs show of each algorithm, with the same constants and on the same family of instances.

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
    """What runs show together with those of a pilot, of which only its record is left.

    Parameters
    ----------
    pilot : rows of the record of a pilot: `algorithm`, `calibration`, `family`, `constants`, `runs`, `linear`.
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
    """What settings show together, each with its horizon."""
    found = [cell for cell, _ in cells]
    kind = are_a_kind([cell for cell in found if cell.size >= 3])
    rates = [cell.largest / horizon for cell, horizon in cells if kind and cell.sizes.size]
    return Shown(sum(cell.size for cell in found), max(rates, default=None), found)
