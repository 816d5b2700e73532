"""What the notebooks call: open the results of a paper, show verdicts, draw and save its figures.

Notebooks compute no statistics. They read the summary tables and the claim records, and call the drawing functions.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML, Image, display
from matplotlib.figure import Figure

from dpbandits.algorithms.table import TABLE
from dpbandits.combinations import combinations
from dpbandits.experiments.config import Paper, load_paper
from dpbandits.experiments.grid import assumptions, grid_names, other_horizon
from dpbandits.figures import estimates, regret_against_budget, regret_against_round, regret_growth, style
from dpbandits.references import parts
from dpbandits.report import tables
from dpbandits.report.text import NOTHING, case, interval, range_of, readable, symbol, unresolved, wants
from dpbandits.storage import read_table, write_text

LABELS = ("algorithm", "calibration", "variant")
MOMENTS = ("t", "n", "mean", "standard_error", "low", "high", "median")
Columns = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Results:
    """The results of one paper at one scale."""

    paper: Paper
    tables: Path
    records: list[Mapping[str, Any]]
    measurements: list[Mapping[str, Any]]
    figures: Path

    def stands_for(self, algorithm: str, calibration: str) -> str:
        """The calibration whose runs stand for another one of an algorithm; nothing where none do."""
        return TABLE[algorithm].calibrations.get(calibration, "")


def open_results(key: str, tables_dir: str, claims_json: str, figures_dir: str) -> Results:
    """Find the configuration above the working folder and read the claim records."""
    root = next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "config/config.yaml").is_file())
    found = json.loads(Path(claims_json).read_text(encoding="utf-8"))
    return Results(load_paper(root, key), Path(tables_dir), found["records"], found["measurements"], Path(figures_dir))


def verdict_rows(results: Results, *claims: str) -> list[dict[str, str]]:
    """One row per claim and variant: what it says, and for every calibration the verdict with its decisive number."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for record in results.records:
        claim = record["id"].partition("/")[2]
        if claim in claims:
            name = claim + (f" ({record['variant'].replace('_', ' ')})" if record["variant"] else "")
            row = rows.setdefault((claim, record["variant"]), {"claim": name, "says": record["says"]})
            by = f"{readable(record['decisive'])} {interval(record)}" if record["details"] else NOTHING
            found = [f"{symbol(record['verdict'])} {record['verdict']}: {by}"]
            if record["needs"]["what"] == "horizon":
                found.append(f"needs {wants(record['needs'])}")
            if unresolved(record):
                found.append(f"{len(unresolved(record))} not resolved and left out")
            row[record["calibration"]] = "; ".join(found)
    return list(rows.values())


def comparison_rows(results: Results, claim: str, calibration: str, variant: str = "") -> list[dict[str, str]]:
    """All comparisons of one claim with interval and allowed range, and what was left out as not resolved."""
    name = (claim, calibration, variant)
    record = next(r for r in results.records if (r["id"].partition("/")[2], r["calibration"], r["variant"]) == name)
    return [
        {
            "comparison": readable(detail["label"]),
            "estimate and interval": interval(detail),
            "allowed": range_of(detail),
            "verdict": f"{symbol(detail['verdict'])} {detail['verdict']}",
        }
        for detail in record["details"]
    ] + [{"comparison": cell, "verdict": "not resolved, left out"} for cell in unresolved(record)]


def assumption_rows(results: Results) -> list[dict[str, Any]]:
    """What the paper leaves open, and what was taken instead."""
    return [{key: row[key] for key in ("item", "value", "note")} for row in assumptions(results.paper)]


def reading_rows(results: Results, claim: str) -> list[dict[str, str]]:
    """Verdict of every reading of a claim, one column a calibration."""
    rows: dict[str, dict[str, str]] = {}
    for record in results.records:
        if record["id"].partition("/")[2] == claim:
            for each in record["readings"]:
                row = rows.setdefault(each["reading"], {"reading": each["reading"]})
                row[case(record)] = f"{symbol(each['verdict'])} {each['verdict']}"
    return list(rows.values())


def measurement_rows(results: Results, name: str, calibration: str) -> list[dict[str, str]]:
    """The numbers of a measurement with their intervals, and what was left out as not resolved."""
    found = _measurement(results, name, calibration)
    rows = [{"what": readable(row["label"]), "estimate and interval": interval(row)} for row in found["details"]]
    return rows + [{"what": cell, "estimate and interval": "not resolved, left out"} for cell in unresolved(found)]


def regret_rows(results: Results, experiment: str, calibration: str, *curves: str) -> list[dict[str, str]]:
    """Mean and median regret at the horizon, one row a point and one column a curve."""
    summary = _at_horizon(results, experiment)
    names = grid_names(results.paper.experiments[experiment])
    rows: dict[tuple[float, ...], dict[str, str]] = {}
    for curve, lines in _lines(results, summary, {"curves": curves}, calibration, {}):
        for k, point in enumerate(zip(*(lines[name] for name in names), strict=True)):
            row = rows.setdefault(point, {n: f"{v:g}" for n, v in zip(names, point, strict=True)})
            row[style.name_of(curve)] = f"{lines['mean'][k]:,.0f}; {lines['median'][k]:,.0f}"
    return list(rows.values())


def table_rows(results: Results, name: str) -> list[dict[str, str]]:
    """A table of the paper, with what was measured beside it."""
    return tables.table_rows(results.paper.tables[name], results.measurements, results.records)


def _measurement(results: Results, name: str, calibration: str) -> Mapping[str, Any]:
    return next(m for m in results.measurements if (m["name"], m["calibration"]) == (name, calibration))


def draw(results: Results, name: str, calibration: str) -> Figure:
    """Draw a figure of the paper at one calibration."""
    section = results.paper.figures[name]
    title = f"{section['shows']}, {calibration} constants"
    remark = [section["notes"][calibration]] if calibration in section.get("notes", {}) else []
    verdicts = "  ".join(
        f"{r['id'].partition('/')[2]} {r['verdict']}"
        for r in results.records
        if r["calibration"] == calibration and not r["variant"] and r["id"].partition("/")[2] in section["claims"]
    )
    if "arguments" in section:
        drawn = getattr(_own(results), section["drawing"])
        return drawn(calibration, **section["arguments"], title=title, notes=[f"closed form  {verdicts}"])
    if section["drawing"] == "estimates":
        found = _measurement(results, section["measurement"], calibration)
        panels: dict[str, list[Any]] = {}
        for row in found["details"]:
            name, _, value = row["label"].partition(" at ")[2].partition(",")[0].partition(" = ")
            panels.setdefault(f"{style.SIGNS[name]} = {value}", []).append(row)
        notes = [f"simultaneous 95 % intervals over {found['n']} instances, cut at the frame", verdicts]
        if unresolved(found):
            notes.append(f"{len(unresolved(found))} not resolved and left out")
        return estimates.draw(panels or {NOTHING: []}, "regret / non-private regret", title, notes)
    summary = _summary(results, section)
    lines = dict(_lines(results, summary, section, calibration, section.get("at", {})))
    n = int(next(iter(lines.values()))["n"][0])
    remark += filter(None, [other_horizon(results.paper, name, results.records[0]["scale"])])
    notes = [*remark, f"bands: pointwise 95 % t intervals over {n} instances", verdicts]
    if section["drawing"] == "regret_against_budget":
        return regret_against_budget.draw(lines, title, notes)
    panels_of = {
        f"{style.sign_of(section['panels'])} = {value:g}": dict(
            _lines(results, summary, section, calibration, {**section.get("at", {}), section["panels"]: [value]})
        )
        for value in _panel_values(results, section, lines)
    }
    if section["drawing"] == "regret_against_round":
        return regret_against_round.draw(panels_of, title, notes, section.get("marks", ()))
    return regret_growth.draw(panels_of, section.get("along", "T"), title, notes)


def _own(results: Results) -> ModuleType:
    """`figures/<paper>.py`: the figures from closed forms, and what they show as rows."""
    return import_module(f"dpbandits.figures.{results.paper.key}")


def _panel_values(results: Results, section: Mapping[str, Any], lines: Mapping[str, Columns]) -> list[float]:
    """Values of a figure with a panel each: those of the grid or, against the round, those that its curves have."""
    name = section["panels"]
    if section["drawing"] == "regret_growth":
        grid = combinations(results.paper.experiments[section["experiment"]]["grid"])
        return list(dict.fromkeys(setting[name] for setting in grid))
    values = np.unique(np.concatenate([rows[name] for rows in lines.values()]))
    return values[~np.isnan(values)].tolist()


def _summary(results: Results, section: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The rows of the summary that a figure draws from: those of all rounds, or at the horizon."""
    if section["drawing"] == "regret_against_round":
        return read_table(results.tables / f"{section['experiment']}.summary.parquet")[0]
    return _at_horizon(results, section["experiment"])


def _lines(
    results: Results,
    summary: Columns,
    section: Mapping[str, Any],
    calibration: str,
    at: Mapping[str, list[float]],
) -> Iterator[tuple[str, Columns]]:
    """Rows of the summary curve by curve; a curve that does not use a grid value has it as NaN."""
    for curve in section["curves"]:
        algorithm, variant, _ = parts(curve)
        rows = (summary["algorithm"] == algorithm) & (summary["variant"] == variant)
        for name, values in at.items():
            rows &= np.isin(summary[name], values) | np.isnan(summary[name])
        own = rows & (summary["calibration"] == calibration)
        rows = own if own.any() else rows & (summary["calibration"] == results.stands_for(algorithm, calibration))
        if rows.any():
            yield curve, {column: values[rows] for column, values in summary.items()}


def _at_horizon(results: Results, experiment: str) -> dict[str, np.ndarray]:
    """Rows of the summary at the last round of every point."""
    summary, _ = read_table(results.tables / f"{experiment}.summary.parquet")
    names = ["algorithm", "variant", "calibration", *grid_names(results.paper.experiments[experiment])]
    frame = pd.DataFrame({name: summary[name] for name in (*names, "t") if name in summary})
    last = frame.groupby([name for name in names if name in summary], dropna=False)["t"].transform("max")
    rows = (frame["t"] == last).to_numpy()
    return {column: values[rows] for column, values in summary.items()}


def save(results: Results, name: str, calibration: str) -> Path:
    """Draw a figure and write it as SVG and PNG, and the data of the figure as CSV; the place of the PNG."""
    figure = draw(results, name, calibration)
    results.figures.mkdir(parents=True, exist_ok=True)
    style.save(figure, results.figures / f"{name}-{calibration}")
    write_text(results.figures / f"{name}.csv", _csv(results, name))
    return results.figures / f"{name}-{calibration}.png"


def show(results: Results, name: str, calibration: str) -> Image:
    """`save` a figure and show the file that was written."""
    return Image(filename=save(results, name, calibration), width=820)


def show_all(results: Results, *names: str) -> None:
    """Show figures, each at all of its calibrations."""
    for name in names:
        for calibration in results.paper.figures[name]["calibrations"]:
            display(show(results, name, calibration))


def tables_of(results: Results, *names: str) -> None:
    """Show tables of the paper, one below the other."""
    for name in names:
        display(table(table_rows(results, name)))


def measured(results: Results, calibration: str, *names: str) -> list[dict[str, str]]:
    """The numbers of several measurements, each under what it says."""
    says = {m["name"]: m["says"] for m in results.measurements}
    return [{"measurement": says[name]} | row for name in names for row in measurement_rows(results, name, calibration)]


def table(rows: list[dict[str, Any]]) -> HTML:
    """Rows as a table; cells that a row does not have stay empty."""
    with pd.option_context("display.max_colwidth", None):
        return HTML(pd.DataFrame(rows).fillna("").to_html(index=False, border=0))


def _csv(results: Results, name: str) -> str:
    """What a figure shows, at all calibrations, as text."""
    section = results.paper.figures[name]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if "experiment" in section:
        summary = _summary(results, section)
        names = (*LABELS, *grid_names(results.paper.experiments[section["experiment"]]), *MOMENTS)
        curves = [":".join(filter(None, pair)) for pair in zip(summary["algorithm"], summary["variant"], strict=True)]
        rows = np.isin(curves, section["curves"])
        for grid, values in section.get("at", {}).items():
            rows &= np.isin(summary[grid], values) | np.isnan(summary[grid])
        writer.writerow(names)
        writer.writerows(zip(*(summary[column][rows].tolist() for column in names), strict=True))
    elif "measurement" in section:
        writer.writerow(("calibration", "reading", "comparison", "estimate", "low", "high"))
        for calibration in section["calibrations"]:
            for row in _measurement(results, section["measurement"], calibration)["details"]:
                writer.writerow((calibration, row["reading"], row["label"], row["estimate"], *row["interval"]))
    else:
        rows_of = getattr(_own(results), section["drawing"] + "_rows")
        table = [row for each in section["calibrations"] for row in rows_of(each, **section["arguments"])]
        writer.writerow(table[0])
        writer.writerows(row.values() for row in table)
    return text.getvalue()
