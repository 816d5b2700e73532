"""The site: a front page, a list of all claims, a page a paper and a claim, one of speed, one of times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import OfExperiment, Table
from dpbandits.report import axes, front, pictures, threshold_history
from dpbandits.report.costs import Costs
from dpbandits.report.deciding import deciding_values
from dpbandits.report.findings import Finding
from dpbandits.report.overlays import Overlay, Value
from dpbandits.report.threshold_history import Change
from dpbandits.text import audits as audit_text
from dpbandits.text import jinja, refutations, reproduction, speed, text
from dpbandits.text.audit_tables import audit_rows, ledger, sentences, what_is_seen
from dpbandits.text.formulas import searchable, typeset
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
    """How it was run, and the papers that have a page of their notebook."""

    scale: str
    root_seed: int
    costs: Costs
    notebooks: frozenset[str] = frozenset()


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
        """Its name in addresses: on the page of its paper and in the list of all claims."""
        return f"{self.paper}/{'-'.join(filter(None, (self.number, *self.variant.split())))}"

    @property
    def place(self) -> str:
        """Its name on the page of its claim."""
        return "-".join(self.variant.split()) or "claim"

    @property
    def page(self) -> str:
        """Where it is explained, from the top of the site: `hanna2022/C3.html#small-budgets`."""
        return f"{self.paper}/{self.number}.html#{self.place}"

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


def deciding(section: Section, claim: Claim, figure: str, calibration: str) -> list[Value]:
    """The values of a figure that decide a claim at a calibration."""
    if calibration not in claim.by:
        return []
    drawn = section.figures[figure, calibration]
    return deciding_values(claim.by[calibration]["decisive"] or "", section.paper.figures[figure], drawn)


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
        groups=axes.groups,
        axis_picture=pictures.axis_picture,
        seconds=seconds,
        digits=speed.digits,
        of_side=speed.of_side,
        of_goal=speed.of_goal,
        counted=speed.counted,
        bound=speed.bound,
        axis_words=pictures.axis_words,
        command=reproduction.command,
        expected=reproduction.expected,
        arxiv=front.arxiv,
        typeset=typeset,
        searchable=searchable,
        shown_epsilon=front.shown_epsilon,
        algorithms_of=algorithms_of,
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
        thumbnail=thumbnail,
        main_figures=main_figures,
        deciding=deciding,
        history=history,
        judged_at=judged_at,
        widest=widest,
        count_word=front.count_word,
        answer=front.answer,
        guarantees=front.guarantees,
        worst_epsilon=front.worst_epsilon,
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


def history(section: Section, claim: Claim) -> list[Change]:
    """When the thresholds of a claim were set."""
    name = "/".join(filter(None, (claim.number, claim.first["variant"])))
    return threshold_history.history(section.paper.key).get(name, [])


def main_figures(section: Section) -> tuple[list[str], list[str]]:
    """The figures that a main claim rests on or that are the paper's own first one, and those of details alone."""
    main = {
        "/".join(filter(None, (claim.number, claim.first["variant"])))
        for claim in claims(section)
        if claim.first["severity"] == "headline"
    }
    figures = section.paper.figures
    found = [name for k, (name, figure) in enumerate(figures.items()) if k == 0 or main & set(figure.claims)]
    return found, [name for name in figures if name not in found]


def thumbnail(section: Section) -> tuple[str, str] | None:
    """The figure that stands for a paper, its first one, and its calibration."""
    return next(((name, figure.calibrations[0]) for name, figure in section.paper.figures.items()), None)


def algorithms_of(record: Record) -> str:
    """The names of the algorithms that a verdict is about, for the search."""
    named = {parts(name)[0] for detail in record["details"] for name in reproduction.CURVE.findall(detail["label"])}
    return " ".join(f"{name} {TABLE[name].short}" for name in sorted(named) if name in TABLE)


def pages(sections: Sequence[Section], run: Run, measured: Speed) -> dict[str, str]:
    """The pages by their names; of these `run.html` alone shows times of the run."""
    papers = [section.paper for section in sections]

    def page(name: str, here: str, top: str = "", **own: Any) -> str:
        """A page from its template; `top` leads from its folder to that of the site."""
        return environment().get_template(f"{name}.html").render(papers=papers, run=run, here=here, top=top, **own)

    found = {
        "index.html": page("index", "index", sections=sections),
        "claims.html": page("claims", "claims", sections=sections),
        "speed.html": page("speed", "speed", measured=measured),
        "run.html": page("run", "run"),
    }
    for each in sections:
        key = each.paper.key
        found[f"{key}.html"] = page("paper", key, section=each)
        columns = matrix(claims(each))
        for number, variants in columns.items():
            around = neighbors(list(columns), number)
            own = {"section": each, "number": number, "variants": variants, "around": around}
            found[f"{key}/{number}.html"] = page("claim", key, "../", **own)
    return found


def judged_at(variants: Sequence[Claim], calibration: str) -> list[Claim]:
    """The claim and its variants that were judged at a calibration."""
    return [claim for claim in variants if calibration in claim.by]


def widest(sections: Sequence[Section]) -> int:
    """How many claims the paper has that has most."""
    return max(len(matrix(claims(section))) for section in sections)


def neighbors(every: Sequence[str], name: str) -> tuple[str | None, str | None]:
    """The names before and after one."""
    place = every.index(name)
    return (every[place - 1] if place else None), (every[place + 1] if place + 1 < len(every) else None)
