"""Build the site: front page, list of claims, pages per paper, claim and file, and pages on speed and run times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.config.grid import assumptions
from dpbandits.planning.documents import algorithms_of, statements_of
from dpbandits.report import axes, front, pictures
from dpbandits.report import sections as of
from dpbandits.report.costs import Costs
from dpbandits.report.documents import document, lines_of_claims, linked_claims, linked_proofs, page_of
from dpbandits.report.overlays import Overlay
from dpbandits.report.sections import Section, claims, matrix, neighbors
from dpbandits.text import audits as audit_text
from dpbandits.text import jinja, refutations, reproduction, speed, text
from dpbandits.text.audit_tables import audit_rows, ledger, sentences, what_is_seen
from dpbandits.text.formulas import searchable, typeset, typeset_html

Record = Mapping[str, Any]

STANDINGS = {
    **dict(zip(speed.SIGNS, zip(speed.SIGNS.values(), ("holds", "holds", "fails"), strict=True), strict=True)),
    "met": ("✓", "holds"),
    "over": ("✗", "fails"),
    "open": ("?", "unclear"),
}
"""Symbol of a requirement, a target or a budget, and the verdict whose colors it takes."""


@dataclass(frozen=True)
class Run:
    """How the run was made, and which pages the site has.

    Attributes
    ----------
    notebooks : papers with a notebook page.
    documents : project files with a page, by their name in the project.
    committed : whether the results are the committed ones.
    """

    scale: str
    root_seed: int
    costs: Costs
    notebooks: frozenset[str] = frozenset()
    documents: Mapping[str, str] = field(default_factory=dict)
    committed: bool = False


@dataclass(frozen=True)
class Speed:
    """Record of `make bench`, and its two figures; the record is None if there is none."""

    record: Record | None
    ratios: Overlay
    growth: Overlay


@cache
def environment() -> Environment:
    """Jinja environment with the functions that the page templates call."""
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
        short=of.short,
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
        arithmetic=reproduction.arithmetic,
        arxiv=front.arxiv,
        typeset=typeset,
        typeset_html=typeset_html,
        searchable=searchable,
        shown_epsilon=front.shown_epsilon,
        algorithms_of=of.algorithms_of,
        page_of=page_of,
        proofs=linked_proofs,
    )
    made.globals.update(
        of_experiment=of.of_experiment,
        claims=of.claims,
        calibrations=of.calibrations,
        matrix=of.matrix,
        counts=of.counts,
        evidence=of.evidence,
        shown_claims=of.shown_claims,
        printed_tables=of.printed_tables,
        assumptions=assumptions,
        audits_by_verdict=of.audits_by_verdict,
        thumbnail=of.thumbnail,
        main_figures=of.main_figures,
        deciding=of.deciding,
        history=of.history,
        judged_at=of.judged_at,
        grid_counts=of.grid_counts,
        grid=of.grid,
        widest=of.widest,
        count_word=front.count_word,
        algorithm_files=algorithms_of,
        statements_of=statements_of,
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


def pages(sections: Sequence[Section], run: Run, measured: Speed) -> dict[str, str]:
    """Pages by name. Only `run.html` shows run times."""
    papers = [section.paper for section in sections]

    def page(name: str, here: str, top: str = "", **own: Any) -> str:
        """Page rendered from its template; `top` is the path from its folder to the top of the site."""
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
        lines = lines_of_claims(run.documents.get(each.paper.file, ""))
        for number, variants in columns.items():
            around = neighbors(list(columns), number)
            own = {"section": each, "number": number, "variants": variants, "around": around}
            found[f"{key}/{number}.html"] = page("claim", key, "../", line=lines.get(number), **own)
    statements = {statements_of(each.paper.key): each for each in sections}
    for name, said in run.documents.items():
        made, top = document(name, said, run.documents), "../" * name.count("/")
        judging = {claim.key: top + claim.page for claim in claims(statements[name])} if name in statements else {}
        found[page_of(name)] = page("document", "", top, document=made, html=linked_claims(made.html, judging))
    return found
