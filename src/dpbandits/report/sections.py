"""Data of the pages on a paper: claims with variants, and the figures and numbers behind each."""

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
    """Content of the site on one paper; `figures` by name and calibration."""

    paper: Paper
    records: Sequence[Record]
    measurements: Sequence[Record]
    audits: Sequence[Record]
    figures: Mapping[tuple[str, str], Overlay]
    findings: Sequence[Finding]


@dataclass(frozen=True)
class Claim:
    """A claim or a variant of one, with its record at each calibration at which it was judged."""

    paper: str
    number: str
    variant: str
    by: Mapping[str, Record]

    @property
    def name(self) -> str:
        """Display name: `C2`, or `C2, tuned bits`."""
        return ", ".join(filter(None, (self.number, self.variant)))

    @property
    def key(self) -> str:
        """Key in the configuration: `C2/tuned_bits`."""
        return "/".join(filter(None, (self.number, self.first["variant"])))

    @property
    def anchor(self) -> str:
        """Anchor on the page of its paper and in the list of all claims."""
        return f"{self.paper}/{'-'.join(filter(None, (self.number, *self.variant.split())))}"

    @property
    def place(self) -> str:
        """Anchor on the page of the claim."""
        return "-".join(self.variant.split()) or "claim"

    @property
    def page(self) -> str:
        """Address of its explanation, relative to the top of the site: `hanna2022/C3.html#small-budgets`."""
        return f"{self.paper}/{self.number}.html#{self.place}"

    @property
    def first(self) -> Record:
        """Any one of its records, for the fields that all of them share."""
        return next(iter(self.by.values()))


def claims(section: Section) -> list[Claim]:
    """Claims of a paper in order; each variant follows the claim that it varies."""
    found: dict[tuple[str, str], dict[str, Record]] = {}
    for record in section.records:
        key = (record["id"].partition("/")[2], record["variant"].replace("_", " "))
        found.setdefault(key, {})[record["calibration"]] = record
    return [Claim(section.paper.key, *key, by) for key, by in found.items()]


def calibrations(section: Section) -> list[str]:
    """Calibrations at which any claim of a paper was judged."""
    return text.calibrations(section.records)


def matrix(every: Sequence[Claim]) -> dict[str, list[Claim]]:
    """Claim numbers, each with its variants: the columns of the matrix."""
    found: dict[str, list[Claim]] = {}
    for claim in every:
        found.setdefault(claim.number, []).append(claim)
    return found


def counts(section: Section) -> dict[str, dict[str, int]]:
    """Number of verdicts of each kind by calibration, for the paper's own claims; last, our variants."""
    own = text.own_claims(section.records)
    found = {name: text.counted(r for r in own if r["calibration"] == name) for name in calibrations(section)}
    others = text.counted(r for r in section.records if r["subject"] == "variant_of_ours")
    every = {**found, "our variants": others}
    return {name: count for name, count in every.items() if any(count.values())}


def short(paper: Paper) -> str:
    """Short reference for menus: `Hanna et al.`, or both names of two authors."""
    names = [author.split()[-1] for author in paper.authors]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def printed_tables(section: Section) -> dict[str, tuple[Table, list[dict[str, str]]]]:
    """Printed tables of a paper by name, each with its rows."""
    return {
        name: (table, table_rows(table, section.measurements, section.records))
        for name, table in section.paper.tables.items()
    }


def evidence(section: Section, claim: Claim) -> list[tuple[str, str]]:
    """Figures that show a claim, each at the calibrations of its records at which the figure is drawn."""
    found = []
    for calibration, record in claim.by.items():
        name = record["evidence"]["figure"]
        drawn = section.paper.figures[name].calibrations if name in section.paper.figures else ()
        if drawn:
            found.append((name, calibration if calibration in drawn else drawn[0]))
    return list(dict.fromkeys(found))


def deciding(section: Section, claim: Claim, figure: str, calibration: str) -> list[Value]:
    """Values in a figure that decide a claim at a calibration."""
    if calibration not in claim.by:
        return []
    drawn = section.figures[figure, calibration]
    return deciding_values(claim.by[calibration]["decisive"] or "", section.paper.figures[figure], drawn)


def shown_claims(section: Section, figure: str, calibration: str) -> list[tuple[Claim, Record]]:
    """Claims that a figure bears on, with their verdicts at a calibration."""
    wanted = section.paper.figures[figure].claims
    return [
        (claim, claim.by[calibration]) for claim in claims(section) if calibration in claim.by and claim.key in wanted
    ]


def grid(section: Section, record: Record) -> dict[str, list[float]]:
    """Grid values that the experiment behind a verdict plays at the scale of the record."""
    return reproduction.grid_of(section.paper, record)


def of_experiment(section: Section, figure: str) -> bool:
    """Whether a figure shows curves of an experiment."""
    return isinstance(section.paper.figures[figure], OfExperiment)


def audits_by_verdict(section: Section) -> list[dict[str, str]]:
    """Audit rows, with violated ones first."""
    return sorted(audit_rows(section.audits), key=lambda row: audit_text.ORDER.index(row["verdict"]))


def history(section: Section, claim: Claim) -> list[Change]:
    """Changes of a claim's thresholds, oldest first."""
    return threshold_history.history(section.paper.key).get(claim.key, [])


def main_figures(section: Section) -> tuple[list[str], list[str]]:
    """Figures that a headline claim rests on or that are the paper's first figure, and the remaining figures."""
    main = {claim.key for claim in claims(section) if claim.first["severity"] == "headline"}
    figures = section.paper.figures
    found = [name for k, (name, figure) in enumerate(figures.items()) if k == 0 or main & set(figure.claims)]
    return found, [name for name in figures if name not in found]


def thumbnail(section: Section) -> tuple[str, str] | None:
    """Figure that represents the paper (its first one), and its calibration."""
    return next(((name, figure.calibrations[0]) for name, figure in section.paper.figures.items()), None)


def algorithms_of(record: Record) -> str:
    """Algorithms that a verdict is about, for the search."""
    named = {parts(name)[0] for detail in record["details"] for name in reproduction.CURVE.findall(detail["label"])}
    return " ".join(f"{name} {TABLE[name].short}" for name in sorted(named) if name in TABLE)


def judged_at(variants: Sequence[Claim], calibration: str) -> list[Claim]:
    """A claim and its variants that were judged at a calibration, starting with those that count for the paper."""
    found = [claim for claim in variants if calibration in claim.by]
    return sorted(found, key=lambda claim: claim.by[calibration]["subject"] == "variant_of_ours")


def grid_counts(sections: Sequence[Section]) -> dict[str, int]:
    """Symbol counts for the front page: `counted` and `others`; `own` has all verdicts on the papers' own claims."""
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
    """Largest number of claims of any paper."""
    return max(len(matrix(claims(section))) for section in sections)


def neighbors(every: Sequence[str], name: str) -> tuple[str | None, str | None]:
    """Names before and after a name in the list."""
    place = every.index(name)
    return (every[place - 1] if place else None), (every[place + 1] if place + 1 < len(every) else None)
