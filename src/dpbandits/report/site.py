"""The site: a first page, one for every paper, one of speed and one of times. Data in, HTML out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import OfExperiment, Table
from dpbandits.report import pictures
from dpbandits.report.costs import Costs
from dpbandits.report.findings import Finding
from dpbandits.report.overlays import Overlay
from dpbandits.text import audits as audit_text
from dpbandits.text import jinja, refutations, speed, text
from dpbandits.text.audit_tables import audit_rows, ledger, sentences, what_is_seen
from dpbandits.text.tables import table_rows

Record = Mapping[str, Any]
STANDINGS = {
    **dict(zip(speed.SIGNS, zip(speed.SIGNS.values(), ("holds", "holds", "fails"), strict=True), strict=True)),
    "met": ("✓", "holds"),
    "over": ("✗", "fails"),
    "open": ("?", "unclear"),
}
"""Sign of a requirement, a target or a budget, and the verdict whose colors it has."""


@dataclass(frozen=True)
class Section:
    """What the site shows of one paper; `figures` by name and calibration."""

    paper: Paper
    records: Sequence[Record]
    measurements: Sequence[Record]
    audits: Sequence[Record]
    figures: Mapping[tuple[str, str], Overlay]
    findings: Sequence[Finding]


@dataclass(frozen=True)
class Run:
    """How it was run."""

    scale: str
    root_seed: int
    costs: Costs


@dataclass(frozen=True)
class Speed:
    """The record of `make bench`, and both pictures of it; the record is None where there is none."""

    record: Record | None
    ratios: Overlay
    growth: Overlay


@dataclass(frozen=True)
class Claim:
    """A claim, or a variant of one, with its record at every calibration at which it was judged."""

    paper: str
    number: str
    variant: str
    by: Mapping[str, Record]

    @property
    def name(self) -> str:
        """`C2`, or `C2, tuned bits`."""
        return ", ".join(filter(None, (self.number, self.variant)))

    @property
    def anchor(self) -> str:
        """Where it stands, on the page of its paper and in the list of the first page."""
        return f"{self.paper}/{'-'.join(filter(None, (self.number, *self.variant.split())))}"

    @property
    def first(self) -> Record:
        """Any of its records, for what all have in common."""
        return next(iter(self.by.values()))


def claims(section: Section) -> list[Claim]:
    """The claims of a paper in their order, variants after what they vary."""
    found: dict[tuple[str, str], dict[str, Record]] = {}
    for record in section.records:
        key = (record["id"].partition("/")[2], record["variant"].replace("_", " "))
        found.setdefault(key, {})[record["calibration"]] = record
    return [Claim(section.paper.key, *key, by) for key, by in found.items()]


def calibrations(section: Section) -> list[str]:
    """The calibrations at which something of a paper was judged."""
    return text.calibrations(section.records)


def matrix(every: Sequence[Claim]) -> dict[str, list[Claim]]:
    """Numbers of claims, each with its variants: the columns of the matrix."""
    found: dict[str, list[Claim]] = {}
    for claim in every:
        found.setdefault(claim.number, []).append(claim)
    return found


def counts(section: Section) -> dict[str, dict[str, int]]:
    """By calibration how many of the paper's own claims have each verdict, and at the end variants of ours."""
    own = text.own_claims(section.records)
    found = {name: text.counted(r for r in own if r["calibration"] == name) for name in calibrations(section)}
    others = text.counted(r for r in section.records if r["subject"] == "variant_of_ours")
    every = {**found, "variants of ours": others}
    return {name: count for name, count in every.items() if any(count.values())}


def short(paper: Paper) -> str:
    """`Hanna et al.`, or both names of two authors, for menus."""
    names = [author.split()[-1] for author in paper.authors]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def printed_tables(section: Section) -> dict[str, tuple[Table, list[dict[str, str]]]]:
    """The tables of a paper by name, each with its rows."""
    return {
        name: (table, table_rows(table, section.measurements, section.records))
        for name, table in section.paper.tables.items()
    }


def evidence(section: Section, claim: Claim) -> list[tuple[str, str]]:
    """The figures that show a claim, each at the calibration of a record where it is drawn there."""
    found = []
    for calibration, record in claim.by.items():
        name = record["evidence"]["figure"]
        drawn = section.paper.figures[name].calibrations if name in section.paper.figures else ()
        if drawn:
            found.append((name, calibration if calibration in drawn else drawn[0]))
    return list(dict.fromkeys(found))


def shown_claims(section: Section, figure: str, calibration: str) -> list[tuple[Claim, Record]]:
    """The claims that a figure bears on, with their verdicts at a calibration."""
    wanted = section.paper.figures[figure].claims
    return [
        (claim, claim.by[calibration])
        for claim in claims(section)
        if calibration in claim.by and "/".join(filter(None, (claim.number, claim.first["variant"]))) in wanted
    ]


def of_experiment(section: Section, figure: str) -> bool:
    """Whether a figure shows curves of an experiment."""
    return isinstance(section.paper.figures[figure], OfExperiment)


def audits_by_verdict(section: Section) -> list[dict[str, str]]:
    """Rows of the audit, the violated ones first."""
    return sorted(audit_rows(section.audits), key=lambda row: audit_text.ORDER.index(row["verdict"]))


@cache
def environment() -> Environment:
    """Jinja with what the pages of the site call."""
    made = jinja.environment()
    made.filters.update(number=text.number, range_of=text.range_of, interval=text.interval, decided=text.decided)
    made.filters.update(
        left_out=text.left_out,
        worded=text.worded,
        marked=text.marked,
        flips=text.flips,
        refuted=refutations.said,
        in_typical_run=text.in_typical_run,
        gate=text.gate,
        symbol=text.symbol,
        basis=text.basis,
        wants=text.wants,
        unseen=text.unseen,
        readable=text.readable,
        decisive=text.decisive,
        audit_symbol=audit_text.symbol,
        audit_rows=audit_rows,
        what_is_seen=what_is_seen,
        ledger=ledger,
        sentences=sentences,
        short=short,
        picture=pictures.picture,
        strips=pictures.strips,
        seconds=seconds,
        digits=speed.digits,
        of_side=speed.of_side,
        of_goal=speed.of_goal,
        counted=speed.counted,
        bound=speed.bound,
        axis_words=pictures.axis_words,
    )
    made.globals.update(
        of_experiment=of_experiment,
        claims=claims,
        calibrations=calibrations,
        matrix=matrix,
        counts=counts,
        evidence=evidence,
        shown_claims=shown_claims,
        printed_tables=printed_tables,
        assumptions=assumptions,
        audits_by_verdict=audits_by_verdict,
        CALIBRATIONS=CALIBRATIONS,
        SYMBOLS=text.SYMBOLS,
        COUNTED=text.COUNTED,
        SOURCES=text.SOURCES,
        CLASSES=text.CLASSES,
        SUBJECTS=text.SUBJECTS,
        THRESHOLDS=text.THRESHOLDS,
        STANDINGS=STANDINGS,
        NOTHING=speed.NOTHING,
    )
    return made


def seconds(value: float) -> str:
    """Seconds as text, with one decimal below ten."""
    return f"{value:,.1f}" if value < 10.0 else f"{value:,.0f}"


def pages(sections: Sequence[Section], run: Run, measured: Speed) -> dict[str, str]:
    """The pages by their names; of these `run.html` alone shows times of the run."""
    papers = [section.paper for section in sections]

    def page(name: str, here: str, **own: Any) -> str:
        return environment().get_template(f"{name}.html").render(papers=papers, run=run, here=here, **own)

    return {
        "index.html": page("index", "index", sections=sections),
        "speed.html": page("speed", "speed", measured=measured),
        "run.html": page("run", "run"),
    } | {f"{each.paper.key}.html": page("paper", each.paper.key, section=each) for each in sections}
