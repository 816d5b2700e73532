"""What the pages show of a paper: its claims with their variants, the figures and numbers behind each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import OfExperiment, Table
from dpbandits.report import threshold_history
from dpbandits.report.deciding import deciding_values
from dpbandits.report.findings import Finding
from dpbandits.report.overlays import Overlay, Value
from dpbandits.report.threshold_history import Change
from dpbandits.text import audits as audit_text
from dpbandits.text import reproduction, text
from dpbandits.text.audit_tables import audit_rows
from dpbandits.text.tables import table_rows

Record = Mapping[str, Any]


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
    def key(self) -> str:
        """Its name in the configuration: `C2/tuned_bits`."""
        return "/".join(filter(None, (self.number, self.first["variant"])))

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
        (claim, claim.by[calibration]) for claim in claims(section) if calibration in claim.by and claim.key in wanted
    ]


def horizons(section: Section, record: Record) -> list[float]:
    """The horizons that the experiment of a verdict plays at the scale of its record."""
    return reproduction.horizons_of(section.paper, record)


def of_experiment(section: Section, figure: str) -> bool:
    """Whether a figure shows curves of an experiment."""
    return isinstance(section.paper.figures[figure], OfExperiment)


def audits_by_verdict(section: Section) -> list[dict[str, str]]:
    """Rows of the audit, the violated ones first."""
    return sorted(audit_rows(section.audits), key=lambda row: audit_text.ORDER.index(row["verdict"]))


def history(section: Section, claim: Claim) -> list[Change]:
    """When the thresholds of a claim were set."""
    return threshold_history.history(section.paper.key).get(claim.key, [])


def main_figures(section: Section) -> tuple[list[str], list[str]]:
    """The figures that a main claim rests on or that are the paper's own first one, and those of details alone."""
    main = {claim.key for claim in claims(section) if claim.first["severity"] == "headline"}
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


def judged_at(variants: Sequence[Claim], calibration: str) -> list[Claim]:
    """The claim and its variants that were judged at a calibration, those first that count for the paper."""
    found = [claim for claim in variants if calibration in claim.by]
    return sorted(found, key=lambda claim: claim.by[calibration]["subject"] == "variant_of_ours")


def grid_counts(sections: Sequence[Section]) -> dict[str, int]:
    """Signs on the front page, `counted` and `others`, and `own`, all verdicts on the papers' own claims."""
    shown = [
        judged_at(variants, calibration)[0].by[calibration]
        for section in sections
        for calibration in calibrations(section)
        for variants in matrix(claims(section)).values()
        if judged_at(variants, calibration)
    ]
    counted = len(text.own_claims(shown))
    every = [record for section in sections for record in section.records]
    return {"counted": counted, "others": len(shown) - counted, "own": len(text.own_claims(every))}


def widest(sections: Sequence[Section]) -> int:
    """How many claims the paper has that has most."""
    return max(len(matrix(claims(section))) for section in sections)


def neighbors(every: Sequence[str], name: str) -> tuple[str | None, str | None]:
    """The names before and after one."""
    place = every.index(name)
    return (every[place - 1] if place else None), (every[place + 1] if place + 1 < len(every) else None)
