"""What the notebooks call: open the results of a paper, show verdicts, draw and save its figures.

Notebooks compute no statistics. They read the summary tables and the claim records, and call the drawing functions.
"""

import gc
from pathlib import Path
from typing import Any

from IPython.display import HTML, Image, display

from dpbandits.base.storage import write_text
from dpbandits.config.audit_figures import FIGURES
from dpbandits.config.grid import assumptions, grid_names
from dpbandits.figures import style
from dpbandits.figures.drawings import at_horizon, data_of, draw, lines_of
from dpbandits.figures.looks import name_of
from dpbandits.figures.results import Results
from dpbandits.figures.results import open_results as open_results
from dpbandits.text import audits as audit_text
from dpbandits.text import tables
from dpbandits.text.audit_tables import audit_rows, sentences, what_is_seen
from dpbandits.text.jinja import environment
from dpbandits.text.text import case, interval, left_out, marked, nothing, range_of, readable, symbol, wants, worded


def verdict_rows(results: Results, *claims: str) -> list[dict[str, str]]:
    """One row per claim and variant: what it says, and for every calibration the verdict with its decisive number."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for record in results.records:
        claim = record["id"].partition("/")[2]
        if claim in claims:
            name = claim + (f" ({record['variant'].replace('_', ' ')})" if record["variant"] else "")
            row = rows.setdefault((claim, record["variant"]), {"claim": name, "statement": record["statement"]})
            by = f"{readable(record['decisive'])} {interval(record)}" if record["details"] else nothing(record)
            found = [f"{symbol(record['verdict'])} {worded(marked(record))}: {by}"]
            if record["needs"]["what"] in ("horizon", "regime", "unplayed"):
                found.append(f"needs {wants(record)}")
            if left_out(record):
                found.append(f"{len(left_out(record))} left out")
            row[record["calibration"]] = "; ".join(found)
    return list(rows.values())


def comparison_rows(results: Results, claim: str, calibration: str, variant: str = "") -> list[dict[str, str]]:
    """All comparisons of one claim with interval and allowed range, and what was left out."""
    name = (claim, calibration, variant)
    record = next(r for r in results.records if (r["id"].partition("/")[2], r["calibration"], r["variant"]) == name)
    return [
        {
            "comparison": readable(detail["label"]),
            "estimate and interval": interval(detail),
            "allowed": range_of(detail),
            "verdict": f"{symbol(detail['verdict'])} {worded(detail['verdict'])}",
        }
        for detail in record["details"]
    ] + [{"comparison": cell, "verdict": "left out"} for cell in left_out(record)]


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
                row[case(record)] = f"{symbol(each['verdict'])} {worded(each['verdict'])}"
    return list(rows.values())


def measurement_rows(results: Results, name: str, calibration: str) -> list[dict[str, str]]:
    """The numbers of a measurement with their intervals, and what was left out."""
    found = results.measurement(name, calibration)
    rows = [{"what": readable(row["label"]), "estimate and interval": interval(row)} for row in found["details"]]
    return rows + [{"what": cell, "estimate and interval": "left out"} for cell in left_out(found)]


def regret_rows(results: Results, experiment: str, calibration: str, *curves: str) -> list[dict[str, str]]:
    """Mean and median regret at the horizon, one row a point and one column a curve."""
    summary = at_horizon(results, experiment)
    names = grid_names(results.paper.experiments[experiment].settings)
    rows: dict[tuple[float, ...], dict[str, str]] = {}
    for curve, lines in lines_of(results, summary, curves, calibration, {}):
        for k, point in enumerate(zip(*(lines[name] for name in names), strict=True)):
            row = rows.setdefault(point, {n: f"{v:g}" for n, v in zip(names, point, strict=True)})
            row[name_of(curve)] = f"{lines['mean'][k]:,.0f}; {lines['median'][k]:,.0f}"
    return list(rows.values())


def table_rows(results: Results, name: str) -> list[dict[str, str]]:
    """A table of the paper, with what was measured beside it."""
    return tables.table_rows(results.paper.tables[name], results.measurements, results.records)


def save(results: Results, name: str, calibration: str) -> Path:
    """Draw a figure and write it as SVG and PNG, and the data of the figure as CSV; the place of the PNG."""
    gc.freeze()  # what is there by now stays, so that the search for the last figure, which refers to itself, is short
    results.figures.mkdir(parents=True, exist_ok=True)
    style.save(draw(results, name, calibration), results.figures / f"{name}-{calibration}")
    gc.collect()
    write_text(results.figures / f"{name}.csv", data_of(results, name))
    return results.figures / f"{name}-{calibration}.png"


def show(results: Results, name: str, calibration: str) -> Image:
    """`save` a figure and show the file that was written, with words for who does not see it."""
    says = f"{results.paper.figures[name].shows}, {calibration}"
    return Image(filename=save(results, name, calibration), width=820, alt=says)


def show_all(results: Results, *names: str) -> None:
    """Show figures, each at all of its calibrations."""
    for name in names:
        for calibration in results.paper.figures[name].calibrations:
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
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return HTML(environment().get_template("rows.html").render(rows=rows, columns=columns))


def audit(results: Results, *claims: str) -> None:
    """The audit of the paper: verdicts on claims, pictures, a row for every mechanism, what each is, what is broken."""
    rows = audit_rows(results.audits)
    for row in rows:
        many = row.pop("how many")
        row["verdict"] = f"{audit_text.symbol(row['verdict'])} {row['verdict']}" + (f" ({many})" if many else "")
    if claims:
        display(table(verdict_rows(results, *claims)))
    show_all(results, *FIGURES)
    for shown in (rows, what_is_seen(results.audits), sentences(results.audits)):
        display(table(shown))
