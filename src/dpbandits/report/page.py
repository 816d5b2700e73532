"""The report: one page that needs nothing but itself."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from dpbandits.experiments.config import Paper
from dpbandits.experiments.grid import assumptions, other_horizon
from dpbandits.report import audit_text, text
from dpbandits.report.audit_tables import audit_rows, sentences, what_is_seen
from dpbandits.report.tables import table_rows

CALIBRATIONS = ("printed", "released", "tuned", "certified")


@dataclass(frozen=True)
class Section:
    """What the report shows of one paper."""

    paper: Paper
    records: Sequence[Mapping[str, Any]]
    measurements: Sequence[Mapping[str, Any]]
    audits: Sequence[Mapping[str, Any]]
    figures: Mapping[tuple[str, str], Path]
    notebook: str


@dataclass(frozen=True)
class Costs:
    """How long it took: CPU seconds and number of jobs by stage, and CPU seconds of compilation."""

    stages: Mapping[str, tuple[int, float]]
    compilation: float


def environment() -> Environment:
    """Jinja with the package's templates, escaping everything, failing on unknown names."""
    folder = files("dpbandits").joinpath("report", "templates")
    jinja = Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters.update(number=text.number, range_of=text.range_of, interval=text.interval, decided=text.decided)
    jinja.filters.update(
        unresolved=text.unresolved,
        gate=text.gate,
        symbol=text.symbol,
        case=text.case,
        basis=text.basis,
        wants=text.wants,
        readable=text.readable,
        data_uri=_data_uri,
        audit_symbol=audit_text.symbol,
        audit_rows=audit_rows,
        what_is_seen=what_is_seen,
        sentences=sentences,
    )
    jinja.globals["other_horizon"] = other_horizon
    return jinja


def _data_uri(path: Path) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


def matrix(section: Section) -> list[tuple[str, dict[str, Mapping[str, Any]]]]:
    """Rows (claim or claim and variant, record by calibration) in the order of the claims."""
    rows: dict[str, dict[str, Mapping[str, Any]]] = {}
    for record in section.records:
        name = " ".join(filter(None, [record["id"].partition("/")[2], record["variant"].replace("_", " ")]))
        rows.setdefault(name, {})[record["calibration"]] = record
    return list(rows.items())


def printed_tables(section: Section) -> list[tuple[Mapping[str, Any], list[dict[str, str]]]]:
    """The tables of a paper, each with its rows."""
    return [
        (table, table_rows(table, section.measurements, section.records)) for table in section.paper.tables.values()
    ]


def page(sections: Sequence[Section], scale: str, costs: Costs) -> str:
    """The whole report as HTML."""
    shown = [c for c in CALIBRATIONS if any(r["calibration"] == c for s in sections for r in s.records)]
    return (
        environment()
        .get_template("index.html")
        .render(
            sections=[(s, matrix(s), printed_tables(s), assumptions(s.paper)) for s in sections],
            calibrations=shown,
            scale=scale,
            costs=costs,
        )
    )


def notebook_page(title: str, body: str) -> str:
    """A rendered notebook as a page of its own."""
    return environment().get_template("notebook.html").render(title=title, body=body)
