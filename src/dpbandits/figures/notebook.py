"""What the notebooks call: open the results of a paper, show verdicts, draw and save its figures.

Notebooks compute no statistics. They read the summary tables and the claim records, and call the drawing functions.
"""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbandits.experiments.config import Paper, load_paper
from dpbandits.experiments.grid import assumptions
from dpbandits.figures import regret_against_budget, style
from dpbandits.report.text import allowed, interval, readable, symbol
from dpbandits.storage import read_table, write_text

DRAWINGS = {"regret_against_budget": regret_against_budget.draw}
CSV_COLUMNS = (
    "algorithm",
    "calibration",
    "variant",
    "eps",
    "t",
    "n",
    "mean",
    "standard_error",
    "low",
    "high",
    "median",
)


@dataclass(frozen=True)
class Results:
    """The results of one paper at one scale."""

    paper: Paper
    tables: Path
    records: list[Mapping[str, Any]]
    figures: Path


def open_results(key: str, tables_dir: str, claims_json: str, figures_dir: str) -> Results:
    """Find the configuration above the working folder and read the claim records."""
    root = next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "config/config.yaml").is_file())
    records = json.loads(Path(claims_json).read_text(encoding="utf-8"))["records"]
    return Results(load_paper(root, key), Path(tables_dir), records, Path(figures_dir))


def verdict_rows(results: Results, *claims: str) -> list[dict[str, str]]:
    """One row per claim and calibration: what it says, the verdict and the decisive comparison."""
    return [
        {
            "claim": record["id"].partition("/")[2],
            "calibration": record["calibration"],
            "verdict": f"{symbol(record['verdict'])} {record['verdict']}",
            "decisive comparison": f"{readable(record['decisive'])}: {interval(record)}",
            "says": record["says"],
        }
        for record in results.records
        if record["id"].partition("/")[2] in claims
    ]


def comparison_rows(results: Results, claim: str, calibration: str) -> list[dict[str, str]]:
    """All comparisons of one claim with interval and allowed range."""
    record = next(r for r in results.records if r["id"].endswith(f"/{claim}") and r["calibration"] == calibration)
    return [
        {
            "comparison": readable(detail["label"]),
            "estimate and interval": interval(detail),
            "allowed": allowed(detail["allowed"]),
            "verdict": f"{symbol(detail['verdict'])} {detail['verdict']}",
        }
        for detail in record["details"]
    ]


def assumption_rows(results: Results) -> list[dict[str, Any]]:
    """What the paper leaves open, and what was taken instead."""
    return [{key: row[key] for key in ("item", "value", "note")} for row in assumptions(results.paper)]


def draw(results: Results, name: str, calibration: str) -> Figure:
    """Draw a figure of the paper at one calibration from the summary table."""
    section = results.paper.figures[name]
    summary, _ = read_table(results.tables / f"{section['experiment']}.summary.parquet")
    horizon = summary["t"].max()
    curves = {}
    for algorithm in section["curves"]:
        rows = (summary["algorithm"] == algorithm) & (summary["variant"] == "") & (summary["t"] == horizon)
        own = rows & (summary["calibration"] == calibration)
        rows = own if own.any() else rows & np.isnan(summary[section["x"]]) & (summary["calibration"] == "printed")
        if rows.any():
            curves[algorithm] = {column: values[rows] for column, values in summary.items()}
    n = int(next(iter(curves.values()))["n"][0])
    verdicts = [
        "bands: pointwise 95 % t intervals over " + f"{n} instances",
        "  ".join(
            f"{r['id'].partition('/')[2]} {r['verdict']}"
            for r in results.records
            if r["calibration"] == calibration and r["id"].partition("/")[2] in section["claims"]
        ),
    ]
    title = f"{section['shows']}, {calibration} constants"
    return DRAWINGS[section["drawing"]](curves, section["x"], title, verdicts)


def save(results: Results, name: str, calibration: str) -> Figure:
    """Draw a figure and write it as SVG and PNG, and the data of the figure as CSV."""
    figure = draw(results, name, calibration)
    results.figures.mkdir(parents=True, exist_ok=True)
    style.save(figure, results.figures / f"{name}-{calibration}")
    write_text(results.figures / f"{name}.csv", _csv(results, name))
    return figure


def _csv(results: Results, name: str) -> str:
    section = results.paper.figures[name]
    summary, _ = read_table(results.tables / f"{section['experiment']}.summary.parquet")
    rows = np.isin(summary["algorithm"], section["curves"]) & (summary["t"] == summary["t"].max())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(zip(*(summary[column][rows].tolist() for column in CSV_COLUMNS), strict=True))
    return text.getvalue()
