"""Stage pilot: estimate the effect, spread and verdict chances of each statistical claim from a pilot's tables.

The chances are the probabilities of a verdict on fresh runs, at several numbers of seeds and at each scale whose seeds
may be allocated. The scale full plays the same runs as the pilot. The scale quick may play shorter runs; the chances
of a claim then use only the cells that the pilot and quick share.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.storage import write_text
from dpbandits.claims.chances import Chances, chances
from dpbandits.claims.families import shown_by
from dpbandits.claims.gates import cells_of
from dpbandits.claims.pools import Family, Pools, Shown, rows_of
from dpbandits.claims.samples import Runs
from dpbandits.config.curves import Curve
from dpbandits.config.models.claims import AnyClaim, Rules, Statistical
from dpbandits.config.sections import Coincides, cases_of, judged_outputs, name_of_curve
from dpbandits.planning.allocation import SIZES
from dpbandits.stages.quarantine import demand_whole
from dpbandits.stages.runs import name_of, named, read_runs

DIGITS = 6  # significant digits in the record, which is committed
Rows = Mapping[str, np.ndarray]
LINES = ("shown", "claims")
"""Keys of the record that hold lists, written one entry per line."""


def pilot(
    paper: str,
    root_seed: int,
    claims: Mapping[str, AnyClaim],
    rules: Rules,
    curves: Mapping[str, Sequence[Curve]],
    quick: Mapping[str, Sequence[Curve]],
    coincides: Coincides,
    tables: Mapping[str, Path],
    out: Path,
) -> dict[str, Any]:
    """Forecast every statistical claim of the experiments that have a pilot, and write the record.

    Parameters
    ----------
    root_seed : root seed of the pilot.
    claims, rules : of the paper's YAML.
    curves : experiment -> the curves that the pilot plays.
    quick : experiment -> its curves at the scale quick.
    coincides : algorithm -> calibration -> the calibration whose runs are used in its place.
    tables : experiment -> its table of runs.

    Raises
    ------
    DamagedFile
        The numbers of a claim are out of range, or tables are damaged, which are quarantined.
    """
    demand_whole(tables[experiment] for experiment in curves)
    outputs = judged_outputs(claims, {}, rules)
    shown = shown_in_full_and_quick(curves, quick, tables)
    rows: dict[str, dict[str, Any]] = {}
    for experiment, own in curves.items():
        if experiment in outputs:
            files = tables[experiment]
            others = quick[experiment]
            rows |= forecasts(paper, claims, rules, outputs[experiment], own, others, coincides, files, shown)
    record = {
        "paper": paper,
        "root_seed": root_seed,
        "sizes": list(SIZES),
        "experiments": {experiment: {"seeds": own[0].seeds} for experiment, own in curves.items()},
        "shown": rows_of_shown(shown[0]),
        "claims": list(rows.values()),
    }
    write_text(out, lines_of(record))
    return record


def rows_of_shown(shown: Mapping[Family, Shown]) -> list[dict[str, Any]]:
    """Summaries of each algorithm's pilot runs that forecasts use: how many runs, and how large linear ones are."""
    return [
        {
            "algorithm": algorithm,
            "calibration": calibration,
            "family": family,
            "constants": dict(constants),
            "runs": each.runs,
            "linear": None if each.linear is None else rounded(each.linear),
        }
        for (algorithm, calibration, family, constants), each in sorted(shown.items())
    ]


def lines_of(record: Mapping[str, Any]) -> str:
    """A record as JSON with one list entry per line, so that diffs of a committed record are readable."""
    head = json.dumps({name: value for name, value in record.items() if name not in LINES}, ensure_ascii=False)
    rows = {name: ",\n".join(map(line_of, record[name])) for name in LINES}
    lists = ", ".join(f'"{name}": [\n{lines}\n]' for name, lines in rows.items())
    return f"{head[:-1]}, {lists}}}\n"


def line_of(row: Mapping[str, Any]) -> str:
    """One row of a record as JSON."""
    return json.dumps(row, allow_nan=False, ensure_ascii=False)


def forecasts(
    paper: str,
    claims: Mapping[str, AnyClaim],
    rules: Rules,
    outputs: Collection[str],
    curves: Sequence[Curve],
    quick: Sequence[Curve],
    coincides: Coincides,
    table: Path,
    shown: tuple[Mapping[Family, Shown], Mapping[Family, Shown]],
) -> dict[str, dict[str, Any]]:
    """Forecast rows of all claims about one experiment, by name.

    `shown` summarizes the algorithms' runs in all experiments, at the scales full and quick.
    """
    runs = read_runs(table, outputs, curves)
    shorter = played(runs, curves, quick)
    pools, pools_of_quick = (Pools(rows, curves, each) for rows, each in zip((runs, shorter), shown, strict=True))
    found = {}
    for claim, variant, calibration, section in cases_of(claims, curves[0].experiment):
        name = name_of(paper, claim, variant, calibration)
        with named(name):
            full = evaluated(section, calibration, rules, Runs(runs, curves, calibration, coincides, pools))
            at_quick = full.values
            if shorter is not runs or shown[0] != shown[1]:
                sample = Runs(shorter, curves, calibration, coincides, pools_of_quick)
                at_quick = (0.0,) * len(SIZES)
                if not cut(section, calibration, sample):
                    at_quick = evaluated(section, calibration, rules, sample).values
        found[name] = {
            "claim": claim,
            "variant": variant,
            "calibration": calibration,
            "experiment": section.experiment,
            "group": group_of(section, calibration),
            "decisive": full.decisive,
            "effect": rounded(full.effect),
            "spread": rounded(full.spread),
            "interval": [rounded(end) for end in full.interval],
            "chances": {"full": list(map(rounded, full.values)), "quick": list(map(rounded, at_quick))},
        }
    return found


def evaluated(claim: Statistical, calibration: str, rules: Rules, sample: Runs) -> Chances:
    """The chances of a claim at all sample sizes."""
    return chances(claim, calibration, rules, sample, sample.tail, SIZES)


def group_of(claim: Statistical, calibration: str) -> str:
    """The group in which an allocation counts this claim: `main`, `own` or `other`."""
    if claim.subject_at(calibration) != "paper":
        return "other"
    return "main" if claim.severity == "headline" else "own"


def shown_in_full_and_quick(
    curves: Mapping[str, Sequence[Curve]], quick: Mapping[str, Sequence[Curve]], tables: Mapping[str, Path]
) -> tuple[dict[Family, Shown], dict[Family, Shown]]:
    """Summaries of each algorithm's pilot runs: of all runs, and of those that the scale quick also plays."""

    def read(experiment: str) -> dict[str, np.ndarray]:
        return read_runs(tables[experiment], {"regret"}, curves[experiment])

    full = shown_by((read(name), own) for name, own in curves.items())
    return full, shown_by((played(read(name), own, quick[name]), own) for name, own in curves.items())


def played(runs: Rows, curves: Sequence[Curve], others: Sequence[Curve]) -> Rows:
    """The runs of a table that other curves of the experiment also play; the table itself if they play all."""
    kept = played_rows(runs, curves, others)
    return runs if kept.all() else {name: column[kept] for name, column in runs.items()}


def played_rows(runs: Rows, curves: Iterable[Curve], others: Iterable[Curve]) -> np.ndarray:
    """Mask of the runs that other curves of the experiment also play, at the same settings and horizons."""
    played = {(*name_of_curve(curve), cell) for curve in others for cell in cells(curve)}
    kept = np.ones(len(runs["seed"]), dtype=bool)
    for curve in curves:
        for point, cell in zip(curve.points, cells(curve), strict=True):
            if (*name_of_curve(curve), cell) not in played:
                rows = rows_of(runs, *name_of_curve(curve))
                for name, value in point.items():
                    rows &= runs[name] == value
                kept &= ~rows
    return kept


def cells(curve: Curve) -> list[tuple[object, ...]]:
    """The setting and horizon of every point of a curve."""
    return [(*sorted(point.items()), curve.horizon_at(point)) for point in curve.points]


def cut(claim: Statistical, calibration: str, sample: Runs) -> bool:
    """Whether a claim lacks runs at a setting that does not fix the horizon.

    The scale then plays the setting at a different horizon, about which the pilot says nothing.
    """
    return any(
        "T" not in setting and not len(sample(curve, setting, "seed"))
        for test in claim.tests_of(calibration)
        for each in test.settings
        for curve, setting in cells_of(test, each)
    )


def rounded(value: float) -> float | None:
    """A number rounded to `DIGITS` significant digits; None if it is not finite."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
