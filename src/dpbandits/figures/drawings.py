"""Figures of a paper as its YAML describes them: the rows that each shows, the drawing that takes them, and their data.

Drawings compute no statistics; what they show comes from the summary tables and the claim records.
"""

import csv
import gc
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbandits.base.entries import Choice, Domain
from dpbandits.base.parquet import read_table
from dpbandits.base.references import parts
from dpbandits.base.storage import write_text
from dpbandits.config.grid import grid_names, other_horizon
from dpbandits.config.models.experiments import Experiment
from dpbandits.config.models.figures import (
    Audited,
    Drawn,
    Estimates,
    OfExperiment,
    RegretAgainstRound,
    RegretGrowth,
)
from dpbandits.config.values import domains_of
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.figures import (
    audit,
    captions,
    estimates,
    regret_against_budget,
    regret_against_round,
    regret_growth,
    style,
)
from dpbandits.figures.looks import BOUND, trust_model_of
from dpbandits.figures.results import Results
from dpbandits.figures.values import setting
from dpbandits.text.text import NOTHING, left_out, marked, worded

LABELS = ("algorithm", "calibration", "variant")
MOMENTS = ("t", "n", "mean", "standard_error", "low", "high", "median")
Columns = Mapping[str, np.ndarray]
AUDITS = {drawn.__name__: drawn for drawn in (audit.audit_epsilons, audit.audit_verdicts, audit.audit_power)}
"""Drawings of audit records."""


def draw(results: Results, name: str, calibration: str) -> Figure:
    """Draw a figure of the paper at one calibration."""
    section = results.paper.figures[name]
    title = section.title(calibration)
    figure = _drawn(results, name, calibration, title)
    captions.of(figure).verdicts = by_verdict(
        r for r in results.records if r["calibration"] == calibration and _named(r) in section.claims
    )
    return figure


def _drawn(results: Results, name: str, calibration: str, title: str) -> Figure:
    """A figure, with all of its caption but the verdicts."""
    section = results.paper.figures[name]
    if isinstance(section, Audited):
        return AUDITS[section.drawing](audited(results, calibration), title)
    if isinstance(section, Drawn):
        drawn = getattr(_own(results), section.drawing)
        notes = [*filter(None, [section.note(calibration)]), "closed form"]
        return drawn(calibration, **section.arguments, title=title, notes=notes)
    if isinstance(section, Estimates):
        return _estimates(results.measurement(section.measurement, calibration), title)
    remarks = list(filter(None, [section.note(calibration), other_horizon(results.paper, name, results.scale)]))
    return _regret(results, section, calibration, title, remarks)


def save(results: Results, name: str) -> None:
    """Write a figure at all of its calibrations as SVG and PNG, and the data of the figure as CSV."""
    gc.freeze()  # what is there by now stays, so that the search for the last figure, which refers to itself, is short
    results.figures.mkdir(parents=True, exist_ok=True)
    for calibration in results.paper.figures[name].calibrations:
        style.save(draw(results, name, calibration), results.figures / f"{name}-{calibration}")
        gc.collect()
    write_text(results.figures / f"{name}.csv", data_of(results, name))


def _estimates(found: Mapping[str, Any], title: str) -> Figure:
    """The numbers of a measurement, with a panel for each value of the grid."""
    panels: dict[str, list[Any]] = {}
    for row in found["details"]:
        name, _, value = row["label"].partition(" at ")[2].partition(",")[0].partition(" = ")
        panels.setdefault(f"{style.SIGNS[name]} = {value}", []).append(row)
    notes = [f"95 % intervals over {found['n']} instances, cut at the frame"]
    if left_out(found):
        notes.append(f"{len(left_out(found))} left out, not played or not resolved")
    return estimates.draw(panels or {NOTHING: []}, "regret / non-private regret", title, notes)


def _regret(results: Results, section: OfExperiment, calibration: str, title: str, remarks: Sequence[str]) -> Figure:
    """Curves of an experiment, against the round, the budget or a value of the grid."""
    summary = _summary(results, section)
    bands = "bands: pointwise 95 % t intervals"
    if isinstance(section, RegretAgainstRound) and section.statistic:
        summary |= {"mean": summary["median"], "low": summary["median"], "high": summary["upper"]}
        bands = "medians, and bands to the 80 % quantile"
    experiment = results.paper.experiments[section.experiment]
    held = held_at(experiment, section.held, results.scale)
    lines = dict(lines_of(results, summary, section.curves, calibration, held))
    notes = [*remarks, f"{bands} over {runs_of(lines)} {unit_of(experiment)}"]
    if not isinstance(section, RegretAgainstRound | RegretGrowth):
        return regret_against_budget.draw(lines, title, notes)
    domain = domains_of(parts(curve)[0] for curve in section.curves).get(section.panels)
    blocks: Mapping[str, Mapping[str, Sequence[float]]] = {
        panel_title(section.panels, value, domain): {section.panels: [value]}
        for value in _panel_values(results, section, lines)
    }
    if isinstance(section, RegretGrowth) and section.titled:
        blocks = {title: held_at(experiment, block, results.scale) for title, block in section.blocks.items()}
    panels_of: dict[str, dict[str, Columns]] = {
        title: dict(lines_of(results, summary, section.curves, calibration, {**held, **block}))
        for title, block in blocks.items()
    }
    if isinstance(section, RegretGrowth):
        along = section.along or "T"
        if section.worst:
            every = lines_of(results, summary, section.curves, calibration, shown_at(section, held))
            worst: dict[str, Columns] = {curve: largest(rows, along) for curve, rows in every}
            panels_of = {f"largest over {style.sign_of(section.panels)}": worst} | panels_of
        return regret_growth.draw(panels_of, along, title, notes, section.guides or ())
    shown = style.AXES.get(section.column or "regret", section.column or "")
    logarithmic, to_quantile = section.scale is not None, section.statistic is not None
    growing = section.column is None
    return regret_against_round.draw(
        panels_of, title, notes, section.marks or (), shown, growing, logarithmic, to_quantile
    )


def shown_at(section: OfExperiment, held: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The grid values that a figure holds, but for those over which it shows the largest mean."""
    free = section.panels if isinstance(section, RegretGrowth) and section.worst else None
    return {name: values for name, values in held.items() if name != free}


def largest(rows: Columns, along: str) -> dict[str, np.ndarray]:
    """For every value of `along` the row with the largest mean; a curve that does not use it has one."""
    values = np.nan_to_num(rows[along], nan=-1.0)
    order = np.lexsort((rows["mean"], values))
    last = np.append(np.diff(values[order]) != 0.0, True)
    return {column: cells[order][last] for column, cells in rows.items()}


def audited(results: Results, calibration: str) -> list[Mapping[str, Any]]:
    """The audit records of a calibration, and of those that stand for it."""
    return [r for r in results.audits if r["calibration"] == results.stands_for(r["algorithm"], calibration)]


def by_verdict(records: Iterable[Mapping[str, Any]]) -> str:
    """`holds: C1, C3; unclear: C9 (unit contexts)`: the claims with each verdict."""
    found: dict[str, list[str]] = {}
    for record in records:
        claim, _, variant = _named(record).partition("/")
        name = claim + (f" ({variant.replace('_', ' ')})" if variant else "")
        found.setdefault(worded(marked(record)), []).append(name)
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in found.items())


def _named(record: Mapping[str, Any]) -> str:
    """The claim of a record, and its variant: `C9` or `C9/unit_contexts`."""
    return "/".join(filter(None, (record["id"].partition("/")[2], record["variant"])))


def _own(results: Results) -> ModuleType:
    """`figures/<paper>.py`: the figures from closed forms, and what they show as rows."""
    return import_module(f"dpbandits.figures.papers.{results.paper.key}")


def runs_of(lines: Mapping[str, Columns]) -> str:
    """How many runs the points of some curves have, `25` or `8 to 96`; a bound has no runs."""
    played = [rows for curve, rows in lines.items() if trust_model_of(curve) != BOUND]
    counts = np.concatenate([rows["n"] for rows in played or lines.values()])
    least, most = int(counts.min()), int(counts.max())
    return f"{least}" if least == most else f"{least} to {most}"


def unit_of(experiment: Experiment) -> str:
    """What seeds stand for: instances, one each; or runs, where all of them play the same instance."""
    arguments = {name: value for name, value in experiment.environment.items() if isinstance(value, int | float)}
    return "runs" if FAMILIES[str(experiment.environment["family"])].one_instance(arguments) else "instances"


def held_at(experiment: Experiment, held: Mapping[str, Sequence[float]], scale: str) -> dict[str, Sequence[float]]:
    """The grid values that a figure holds, with the horizons that a scale plays."""
    return {
        name: [experiment.played(value, scale) for value in values] if name == "T" else values
        for name, values in held.items()
    }


def panel_title(name: str, value: float, domain: Domain | None) -> str:
    """A grid value above its panel: `Δ = 0.25`, or its word in the configuration, `index below 0: lowest`."""
    if isinstance(domain, Choice):
        word = next(word for word, number in domain.words.items() if number == value)
        return f"{style.sign_of(name)}: {word}"
    return f"{style.sign_of(name)} = {setting(value) if name == 'T' else format(value, 'g')}"


def _panel_values(
    results: Results, section: RegretGrowth | RegretAgainstRound, lines: Mapping[str, Columns]
) -> list[float]:
    """Values of a figure with a panel each: those of the grid or, against the round, those that its curves have."""
    name = section.panels
    if isinstance(section, RegretGrowth):
        experiment = results.paper.experiments[section.experiment]
        grid = experiment.settings_at(results.scale)
        held = held_at(experiment, section.held, results.scale).get(name)
        return [value for value in dict.fromkeys(point[name] for point in grid) if held is None or value in held]
    values = np.unique(np.concatenate([rows[name] for rows in lines.values()]))
    return values[~np.isnan(values)].tolist()


def _summary(results: Results, section: OfExperiment) -> dict[str, np.ndarray]:
    """The rows of the summary that a figure draws from: those of all rounds, or at the horizon.

    With `column` the moments are those of that output, where a curve has it.
    """
    if not isinstance(section, RegretAgainstRound):
        return at_horizon(results, section.experiment)
    summary, _ = read_table(results.tables / f"{section.experiment}.summary.parquet")
    if section.column is None:
        return summary
    rows = ~np.isnan(summary[f"{section.column}_mean"])
    moments = {moment: summary[f"{section.column}_{moment}"] for moment in (*MOMENTS[2:], "upper")}
    return {column: values[rows] for column, values in {**summary, **moments}.items()}


def lines_of(
    results: Results,
    summary: Columns,
    curves: Sequence[str],
    calibration: str,
    at: Mapping[str, Sequence[float]],
) -> Iterator[tuple[str, Columns]]:
    """Rows of the summary curve by curve; a curve that does not use a grid value has it as NaN."""
    for curve in curves:
        algorithm, variant, _ = parts(curve)
        rows = (summary["algorithm"] == algorithm) & (summary["variant"] == variant)
        for name, values in at.items():
            rows &= np.isin(summary[name], values) | np.isnan(summary[name])
        own = rows & (summary["calibration"] == calibration)
        rows = own if own.any() else rows & (summary["calibration"] == results.stands_for(algorithm, calibration))
        if rows.any():
            yield curve, {column: values[rows] for column, values in summary.items()}


def at_horizon(results: Results, experiment: str) -> dict[str, np.ndarray]:
    """Rows of the summary at the last round of every point."""
    summary, _ = read_table(results.tables / f"{experiment}.summary.parquet")
    point = np.zeros(summary["t"].size, int)
    for name in (*LABELS, *grid_names(results.paper.experiments[experiment].settings)):
        if name in summary:
            _, value = np.unique(summary[name], return_inverse=True)
            _, point = np.unique(point * (value.max(initial=0) + 1) + value, return_inverse=True)
    last = np.full(point.size, -np.inf)
    np.maximum.at(last, point, summary["t"])
    rows = summary["t"] == last[point]
    return {column: values[rows] for column, values in summary.items()}


def data_of(results: Results, name: str) -> str:
    """What a figure shows, at all calibrations, as text."""
    section = results.paper.figures[name]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if isinstance(section, OfExperiment):
        summary = _summary(results, section)
        upper = ("upper",) if isinstance(section, RegretAgainstRound) and section.column else ()
        names = (*LABELS, *grid_names(results.paper.experiments[section.experiment].settings), *MOMENTS, *upper)
        curves = [":".join(filter(None, pair)) for pair in zip(summary["algorithm"], summary["variant"], strict=True)]
        rows = np.isin(curves, section.curves)
        experiment = results.paper.experiments[section.experiment]
        for grid, values in shown_at(section, held_at(experiment, section.held, results.scale)).items():
            rows &= np.isin(summary[grid], values) | np.isnan(summary[grid])
        writer.writerow(names)
        writer.writerows(zip(*(summary[column][rows].tolist() for column in names), strict=True))
    elif isinstance(section, Estimates):
        writer.writerow(("calibration", "reading", "comparison", "estimate", "low", "high"))
        for calibration in section.calibrations:
            for row in results.measurement(section.measurement, calibration)["details"]:
                writer.writerow((calibration, row["reading"], row["label"], row["estimate"], *row["interval"]))
    else:
        table = list(_rows(results, section))
        writer.writerow(table[0])
        writer.writerows(row.values() for row in table)
    return text.getvalue()


def _rows(results: Results, section: Drawn | Audited) -> Iterator[dict[str, Any]]:
    """What a figure from closed forms or audits shows, row by row; what two calibrations share, once."""
    if isinstance(section, Audited):
        yield from audit.rows(
            [r for r in results.audits if any(r in audited(results, c) for c in section.calibrations)]
        )
        return
    rows_of = getattr(_own(results), section.drawing + "_rows")
    for calibration in section.calibrations:
        yield from rows_of(calibration, **section.arguments)
