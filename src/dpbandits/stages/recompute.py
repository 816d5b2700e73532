"""Compute a certified claim or audit again: play its runs, or rerun its audit cells, and compare the numbers."""

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.audits.release import DECLARED
from dpbandits.base.parquet import read_table
from dpbandits.base.storage import DamagedFile, read_record
from dpbandits.certificate.comparison import LAST_DIGITS, LAST_STEPS, Recomputed
from dpbandits.config.curves import Curve
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.loading import Paper, Project
from dpbandits.config.models.claims import AuditClaim, AuditTest, Statistical
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.sections import cases, compared_curves, name_of_curve
from dpbandits.config.wording import not_known
from dpbandits.planning.audits import cells
from dpbandits.stages.aggregate import by_point, stored
from dpbandits.stages.audit import record_of, record_of_own
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.certified import configured, judged, linked, table_of
from dpbandits.stages.simulate import run_seeds
from dpbandits.stages.single import noise_of

Columns = Mapping[str, np.ndarray]
SECONDS = 60.0
"""CPU seconds that the runs of a claim may take by default, by estimate; then fewer seeds are played. Our choice."""
FEWEST = 2
"""Least number of seeds that are played."""
NUMBERS = ("epsilons", "deltas", "lower", "noise")
"""Numbers of an audit record that are compared."""


def recompute(
    certificate: Path, scale: str, name: str, seeds: int | None = None, own_code: bool = False
) -> list[Recomputed]:
    """Compute a claim, `paper/C7` or `paper/C7/variant`, or an audit, `paper/sums`, again.

    Parameters
    ----------
    seeds : the first seeds of each curve to play; by default all, or as many as take about a minute.
    own_code : whether code that the certified configuration names may be run.

    Raises
    ------
    ConfigError
        The name is unknown, or the certified configuration is invalid or names code that may not be run.
    DamagedFile
        A table or record is missing or damaged.
    """
    project = configured(certificate, scale, own_code)
    known = [f"{key}/{claim}" for key, paper in project.papers.items() for claim in names(paper)]
    known += [f"{key}/{audit}" for key, paper in project.papers.items() for audit in paper.audits]
    if name not in known:
        raise ConfigError(f"--recompute: {not_known('claim or audit', name, known)}")
    key, _, rest = name.partition("/")
    paper = project.papers[key]
    if rest in paper.audits:
        if seeds:
            raise ConfigError(f"--seeds: {name} is an audit, which has no seeds. Leave it out.")
        return [audited(project, paper, certificate, rest)]
    found = list(claimed(project, paper, certificate, *rest.partition("/")[::2], seeds))
    if not found:
        place = certificate / f"claims/{key}.json"
        raise DamagedFile(f"{place}: has no record of {name}. Get a complete copy of the certificate.")
    return found


def names(paper: Paper) -> Iterator[str]:
    """Names of claims and variants: `C7`, `C7/paths`."""
    for name, claim in paper.claims.items():
        yield from (name, *(f"{name}/{variant}" for variant in claim.variants or ()))


def claimed(
    project: Project, paper: Paper, certificate: Path, claim: str, variant: str, seeds: int | None
) -> Iterator[Recomputed]:
    """Every calibration of a claim or of one of its variants."""
    old = {
        (each["variant"], each["calibration"]): each
        for each in read_record(certificate / f"claims/{paper.key}.json")["records"]
        if each["id"] == f"{paper.key}/{claim}"
    }
    for _, own, calibration, section in cases({claim: paper.claims[claim]}):
        if own != variant or (own, calibration) not in old:
            continue
        tables, runs, many, worst, equal = {}, 0, (0, 0), 0.0, True
        if isinstance(section, Statistical):
            columns, runs, many, worst = played(project, paper, certificate, section, calibration, seeds)
            tables = {section.experiment: columns}
        if isinstance(section, AuditClaim):
            for audit in {test.audit for test in section.tests_of(calibration) if isinstance(test, AuditTest)}:
                again = audited(project, paper, certificate, audit)
                runs, worst, equal = runs + again.runs, max(worst, again.relative), equal and again.same
        new = judged(project, paper, certificate, [claim], tables)["records"]
        (record,) = (each for each in new if (each["variant"], each["calibration"]) == (own, calibration))
        before = old[own, calibration]
        worst = max(worst, apart(judgement(before), judgement(record)))
        yield Recomputed(
            name=f"{before['id']} ({', '.join(filter(None, (calibration, own)))})",
            runs=runs,
            seeds=many,
            relative=worst,
            expected=number(before),
            obtained=number(record),
            same=equal and before["verdict"] == record["verdict"] and worst <= LAST_STEPS,
        )


def judgement(record: Mapping[str, Any]) -> np.ndarray:
    """Estimate and interval of a claim record, (3,)."""
    return flat([record["estimate"], *record["interval"]])


def number(record: Mapping[str, Any]) -> str:
    """The verdict of a claim record, and its estimate with all digits."""
    return record["verdict"] if record["estimate"] is None else f"{record['verdict']}, {record['estimate']!r}"


def played(
    project: Project,
    paper: Paper,
    certificate: Path,
    section: Statistical,
    calibration: str,
    seeds: int | None,
) -> tuple[dict[str, np.ndarray], int, tuple[int, int], float]:
    """The certified table with recomputed values, the runs played, seeds played of all, and the largest difference."""
    every = curves(project, paper, section.experiment)
    compared = compared_curves(
        section.tests_of(calibration), calibration, {name: entry.calibrations for name, entry in TABLE.items()}
    )
    own = [curve for curve in every if name_of_curve(curve) in compared]
    count = seeds or affordable(own)
    columns = table_read(table_of(certificate, paper, section.experiment))
    runs, worst = 0, 0.0
    for curve in own:
        first = min(count, curve.seeds)
        for point, ends in zip(curve.points, outputs_of(curve, project.root_seed, first), strict=True):
            rows = np.flatnonzero(rows_of(curve, point, columns) & (columns["seed"] < first))
            rows = rows[np.argsort(columns["seed"][rows])]
            runs += 0 if curve.bound else len(rows) * curve.replicates
            for name in ends.keys() & columns.keys():
                found = stored(ends[name])
                worst = max(worst, apart(columns[name][rows], found))
                columns[name][rows] = found
    most = max((curve.seeds for curve in own), default=0)
    return columns, runs, (min(count, most), most), worst


def table_read(table: Path) -> dict[str, np.ndarray]:
    """Columns of a certified table, as arrays that may be changed."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: np.array(values) for name, values in read_table(linked(table, Path(folder)))[0].items()}


def affordable(own: Sequence[Curve]) -> int:
    """Number of seeds whose runs take about `SECONDS`, by estimate."""
    each = sum(curve.seconds_per_chunk / curve.chunk for curve in own if not curve.bound)
    return max(FEWEST, math.floor(SECONDS / each)) if each else max((curve.seeds for curve in own), default=0)


def outputs_of(curve: Curve, root_seed: int, seeds: int) -> list[dict[str, np.ndarray]]:
    """For every point, all outputs at the horizon by seed (seeds,), averaged over replicates."""
    if curve.bound:
        return [{"regret": each[:, -1]} for each in evaluate(curve, root_seed, range(seeds))]
    columns = run_seeds(curve, root_seed, range(seeds), noise_of(curve))
    return [ends for _, ends in by_point(replace(curve, chunk=seeds), columns)]


def rows_of(curve: Curve, point: Mapping[str, float], columns: Columns) -> np.ndarray:
    """Which rows of a table are runs of a curve at a point, (rows,) bool."""
    words = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
    found = np.ones(len(columns["seed"]), dtype=bool)
    for name, word in words.items():
        found &= columns[name] == word
    for name in {name for each in curve.points for name in each}:
        found &= columns[name] == point[name]
    return found


def apart(old: np.ndarray, new: np.ndarray) -> float:
    """Largest relative difference of two samples; infinite if their sizes differ."""
    if old.shape != new.shape:
        return math.inf
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(old == new, 0.0, np.abs(new - old) / np.maximum(np.abs(old), np.abs(new)))
    found[np.isnan(old) & np.isnan(new)] = 0.0
    return float(found.max(initial=0.0))


def audited(project: Project, paper: Paper, certificate: Path, audit: str) -> Recomputed:
    """Rerun all cells of an audit."""
    old = {each["id"]: each for each in read_record(certificate / f"audit/{paper.key}.json")["records"]}
    worst, runs, verdicts = 0.0, 0, []
    for cell in cells(project, paper, audit):
        before = old[cell.id]
        new = (record_of_own if cell.release == DECLARED else record_of)(cell, project.root_seed)
        runs += new["trials"]
        worst = max(worst, *(apart(flat(before.get(name)), flat(new.get(name))) for name in NUMBERS))
        verdicts.append((before["verdict"], new["verdict"]))
    told = [", ".join(sorted(set(side))) for side in zip(*verdicts, strict=True)]
    same = all(one == other for one, other in verdicts) and worst <= LAST_DIGITS
    return Recomputed(f"{paper.key}/{audit}", runs, (0, 0), worst, told[0], told[1], same)


def flat(value: Any) -> np.ndarray:
    """Numbers of a field of a record, (n,); None, which stands for infinity or nothing, becomes NaN."""
    values = value if isinstance(value, list) else [value]
    return np.array([math.nan if each is None else float(each) for each in values])
