"""Writes docs/papers/<paper>.md and the findings in README.md and docs/papers from configuration and committed records.

`python tools/paper_pages.py --write` writes the pages; without `--write` it lists those that are out of date. Prose is
in docs/papers/notes: Jinja whose numbers come from the records. `estimate("C4 printed: * at eps = 1")` is the estimate
of one comparison of a claim; `epsilon("audit/sums printed: central: eps = 1")` is the actual epsilon of one cell of an
audit. `*` stands for any text.
"""

import html
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dpbandits.base.references import parts
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import Paper, Project, load_project
from dpbandits.config.values import domains_of
from dpbandits.planning.single import named_curve, with_settings
from dpbandits.report.finding_numbers import HELPERS, Entry
from dpbandits.report.findings import findings, text_of
from dpbandits.text import audits as audit_text
from dpbandits.text import text
from dpbandits.text.reproduction import takes_budget, written
from dpbandits.text.tables import table_rows

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/papers"
NOTES = FOLDER / "notes"
PAPERS = ("hanna2022", "chowdhury2022", "hu2021", "chen2020", "han2021")
"""Papers with a page, in the order in which README lists them."""
BEGIN, END = "<!-- begin: python tools/paper_pages.py -->\n", "<!-- end -->\n"
SEEDS = 20
"""Of a command that plays one curve."""
SETTINGS = {"scale": "full", "papers": list(PAPERS), "root_seed": 1, "pilot_seed": 2, "seconds_per_job": 40}
GREEK = {
    r"\beps(ilon)?_?0\b": "ε₀",
    r"(?<![\w.:])eps(ilon)?\b": "ε",
    r"(?<![\w.:])delta\b": "δ",
    r"(?<=[ \d])<=(?= )": "≤",
    r"(?<=[ \d])>=(?= )": "≥",
}
"""What configuration and records write in plain letters."""
Record = Mapping[str, Any]


def read(key: str, kind: str) -> Record:
    """A committed file of records: `claims` or `audit`."""
    return json.loads((ROOT / f"figures/{key}/data/{kind}.json").read_text(encoding="utf-8"))


def name_of(record: Record) -> str:
    """`C4` or `C4/small_budgets`."""
    return "/".join(filter(None, (record["id"].partition("/")[2], record["variant"])))


def short(paper: Paper) -> str:
    """`Hu, Huang, Mehta and Hegde`: the names of the authors, as few as say which paper it is."""
    names = [author.split()[-1] for author in paper.authors]
    names[0] = "Ray Chowdhury" if names[0] == "Chowdhury" else names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def first_sentence(said: str) -> str:
    """The first sentence of a note."""
    return re.split(r"(?<=[.?!])\s", " ".join(said.split()))[0].rstrip(".")


def cell(said: str) -> str:
    """Text as a cell of a Markdown table, with Greek letters."""
    said = " ".join(said.split())
    for plain, sign in GREEK.items():
        said = re.sub(plain, sign, said)
    return said.replace("|", r"\|").replace("*", r"\*").replace("<", "&lt;")


def statement(paper: Paper, by: Mapping[str, Record]) -> str:
    """What a claim says; for a variant, what is different in it; and whether it is ours and counted apart."""
    record = next(iter(by.values()))
    variant = record["variant"]
    note = paper.claims[record["id"].partition("/")[2]].variants[variant].note if variant else ""
    said = cell(first_sentence(note) if note else record["statement"])
    if any(each["subject"] != "variant_of_ours" for each in by.values()):
        return said
    question = record["source"] == "ours" and not variant
    return f"{said} *({text.SOURCES['ours'] if question else text.SUBJECTS['variant_of_ours']})*"


def verdict_word(record: Record) -> str:
    """The verdict in a cell; a failure of the paper's own words is bold."""
    word = {"fails_ours": "fails (ours)"}.get(text.marked(record), text.worded(record["verdict"]))
    return f"**{word}**" if word == "fails" else word


def signs(records: Sequence[Record]) -> str:
    """`✓ 39, ✗ 12`: how many records have each verdict."""
    found = [record["verdict"] for record in records]
    return ", ".join(f"{sign} {found.count(name)}" for name, sign in text.SYMBOLS.items() if name in found)


def by_claim(records: Sequence[Record]) -> dict[str, dict[str, Record]]:
    """The records of each claim and variant, by calibration."""
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        found.setdefault(name_of(record), {})[record["calibration"]] = record
    return found


def play(
    project: Project, paper: Paper, experiment: str, curve: str, calibrations: Sequence[str], held: Record | None = None
) -> str:
    """The command for one curve at one setting: at epsilon 1, or next to it, and in the middle of the other grids."""
    algorithm, variant, own = parts(curve)
    name = ":".join(filter(None, (algorithm, variant)))
    offered = next(e.calibrations for e in paper.experiments[experiment].entries if e.algorithm == algorithm)
    calibration = own or next((each for each in calibrations if each in offered), offered[0])
    found = named_curve(project, paper, experiment, name, calibration, SEEDS)
    kept = {each: values for each, values in (held or {}).items() if each in found.points[0]}
    points = [p for p in found.points if all(p[each] in values for each, values in kept.items())] or list(found.points)
    if any("eps" in point for point in points):
        nearest = min(abs(math.log(point["eps"])) for point in points)
        points = [point for point in points if abs(math.log(point["eps"])) == nearest]
    point = points[len(points) // 2]
    varied = [each for each in point if len({other.get(each) for other in found.points}) > 1]
    domains = domains_of([algorithm])
    changes = [f"{each}={written(f'{point[each]:.15g}', domains.get(each))}" for each in varied]
    with_settings([found], changes)  # which refuses a setting that the command would refuse
    options = "" if calibration == "printed" else f" --calibration {calibration}"
    settings = "".join(f" --set {change}" for change in changes)
    return f"dpbandits run {paper.key}/{experiment} --algorithm {name}{options}{settings} --seeds {SEEDS}"


def held(figure: Any) -> Record:
    """Grid values that a figure holds."""
    given = getattr(figure, "at", None) or {}
    return {name: values if isinstance(values, list | tuple) else [values] for name, values in dict(given).items()}


def private_first(curves: Sequence[str]) -> str:
    """The first curve with a privacy budget, else the first."""
    played = [curve for curve in curves if parts(curve)[0]]
    return next((curve for curve in played if is_private(curve)), played[0])


def is_private(curve: str) -> bool:
    """Whether it is a curve of an algorithm that has a privacy budget."""
    try:
        return takes_budget(parts(curve)[0])
    except KeyError:  # a bound
        return False


def pictures(paper: Paper, name: str) -> str:
    """Links to the pictures of a figure, one for each calibration."""
    return ", ".join(
        f"[{calibration}](../../figures/{paper.key}/{name}-{calibration}.svg)"
        for calibration in paper.figures[name].calibrations
    )


def figure_rows(project: Project, paper: Paper, records: Sequence[Record]) -> Iterator[dict[str, str]]:
    """A row for every figure, then one for each experiment and kind of claims that no figure shows."""
    claims = by_claim(records)
    left = dict.fromkeys(claims)
    for name, figure in paper.figures.items():
        shown = [claim for claim in figure.claims or () if claim in claims]
        for claim in shown:
            left.pop(claim, None)
        experiment, command = getattr(figure, "experiment", None), ""
        if experiment:
            command = (
                f"`{play(project, paper, experiment, private_first(figure.curves), figure.calibrations, held(figure))}`"
            )
        elif figure.drawing.startswith("audit"):
            command = f"`dpbandits --scale full audit {paper.key}`"
        yield row(cell(figure.shows), pictures(paper, name), command, shown, claims)
    groups: dict[tuple[str, str], list[str]] = {}
    for claim in left:
        first = next(iter(claims[claim].values()))
        table = Path((first["evidence"]["table"] or "").partition(",")[0]).stem
        place = table if first["kind"] == "statistical" and first["details"] else ""
        groups.setdefault((first["kind"], place), []).append(claim)
    for (kind, experiment), names in groups.items():
        explained = f"`dpbandits --scale full explain {paper.key}/{names[0].partition('/')[0]}`"
        if experiment in paper.experiments:
            section = paper.experiments[experiment]
            curve = private_first([":".join(filter(None, (e.algorithm, e.variant))) for e in section.entries])
            yield row(cell(section.title), "", f"`{play(project, paper, experiment, curve, ())}`", names, claims)
        else:
            title = {"audit": "privacy of the mechanisms", "statistical": "settings that no run decides"}
            yield row(title.get(kind, "closed forms"), "", explained, names, claims)


def main_figure(paper: Paper) -> str:
    """The picture that shows the most claims, but for those of audits."""
    drawn = {name: figure for name, figure in paper.figures.items() if not figure.drawing.startswith("audit")}
    name = max(drawn, key=lambda each: len(drawn[each].claims or ()))
    return f"{name}-{drawn[name].calibrations[0]}"


def row(shows: str, drawn: str, command: str, names: Sequence[str], claims: Mapping[str, Record]) -> dict[str, str]:
    """One row of the table of figures."""
    judged = [record for name in names for record in claims[name].values()]
    return {
        "shows": shows,
        "figure": drawn,
        "command for one curve": command,
        "claims": ", ".join(name.replace("_", " ") for name in names),
        "verdicts": signs(judged),
    }


def verdict_rows(paper: Paper, records: Sequence[Record]) -> list[dict[str, str]]:
    """A row for every claim and variant, with its verdict at every calibration."""
    columns = text.calibrations(records)
    return [
        {
            "claim": name.replace("/", ", ").replace("_", " "),
            "statement": statement(paper, by),
            **{each: verdict_word(by[each]) if each in by else "" for each in columns},
        }
        for name, by in by_claim(records).items()
    ]


def open_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """A row for every verdict that is not `holds`, with the number that decides it, or with what would."""
    found = []
    for record in records:
        if record["verdict"] == "holds":
            continue
        if record["verdict"] == "fails":
            why = record["threshold_reason"] if record.get("by_our_threshold") else record["could_fail"]
        else:
            why = f"{text.wants(record).rstrip('.')}."
            why = f"Needs {why}" if record["needs"]["what"] != "none" else why.capitalize()
        found.append(
            {
                "claim": name_of(record).replace("/", ", ").replace("_", " "),
                "constants": record["calibration"],
                "verdict": verdict_word(record),
                "deciding comparison: estimate [interval], allowed": cell(text.decided(record)),
                "threshold, or what would decide": cell(why),
            }
        )
    return found


def audit_rows(audits: Sequence[Record]) -> list[dict[str, str]]:
    """A row for every audit: the largest ratio of actual to claimed epsilon, by calibration."""
    cells: dict[str, dict[str, list[Record]]] = {}
    for record in audits:
        cells.setdefault(record["audit"], {}).setdefault(record["calibration"], []).append(record)
    columns = [each for each in ("printed", "released", "certified") if any(each in by for by in cells.values())]
    rows = []
    for audit, by in cells.items():
        claimed = sorted({record["eps"] for group in by.values() for record in group})
        said = {"audit": f"`{audit}`", "what is released": cell(next(iter(by.values()))[0]["says"])}
        said["claimed ε"] = f"{claimed[0]:g} to {claimed[-1]:g}" if len(claimed) > 1 else f"{claimed[0]:g}"
        for each in columns:
            sign = audit_text.SYMBOLS[audit_text.verdict_of_all(by[each])[0]] if each in by else ""
            sign = f"**{sign}**" if sign == audit_text.SYMBOLS["violated"] else sign
            said[each] = f"{audit_text.ratio(by[each])} {sign}" if each in by else ""
        rows.append(said)
    return rows


def printed(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as a Markdown table."""
    heads = list(dict.fromkeys(head for each in rows for head in each))
    lines = [heads, ["---"] * len(heads), *([each.get(head, "") for head in heads] for each in rows)]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |").replace("|  |", "| |") for line in lines)


def as_markdown(said: str) -> str:
    """The safe HTML of a finding as Markdown; it has paragraphs, emphasis and code alone."""
    for tag, sign in (("em", "*"), ("strong", "**"), ("code", "`")):
        said = re.sub(f"</?{tag}>", sign, said)
    paragraphs = [" ".join(each.split()) for each in said.replace("<p>", "").split("</p>")]
    assert "<" not in "".join(paragraphs), said
    return html.unescape("\n\n".join(paragraphs)).strip()


def numbers(records: Sequence[Record], audits: Sequence[Record]) -> dict[str, Callable[[str], float]]:
    """What the notes of a paper may call, each with one reference: `C4 printed: * at eps = 1`."""

    def entries(name: str, calibration: str, form: str) -> list[Entry]:
        if name.startswith("audit/"):
            of = [
                cell
                for cell in audits
                if (cell["audit"].partition("/")[2], cell["calibration"]) == (name[6:], calibration)
            ]
            every = [Entry(f"{c['algorithm']}: {audit_text.setting(c)}", c["verdict"], c) for c in of]
        else:
            of = [each for each in records if (name_of(each), each["calibration"]) == (name, calibration)]
            every = [Entry(each["label"], each["verdict"], each) for record in of for each in record["details"]]
        wanted = re.compile(".*".join(map(re.escape, form.split("*"))))
        found = [entry for entry in every if wanted.fullmatch(entry.label)]
        assert found, f"{name} {calibration}: no {form} among {[entry.label for entry in every]}"
        return found

    def call(helper: Callable[..., float], reference: str) -> float:
        place, _, form = reference.partition(": ")
        return helper(entries, *place.split(" "), form or "*")

    return {name: partial(call, helper) for name, helper in HELPERS.items()}


def shown(value: object) -> object:
    """Numbers with three digits, as in the findings."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return ("-∞" if value < 0 else "∞") if math.isinf(value) else text.number(float(f"{value:.3g}"))


def jinja() -> Environment:
    """Markdown is not HTML: nothing is escaped."""
    return Environment(  # noqa: S701
        loader=FileSystemLoader([ROOT / "tools", NOTES]), undefined=StrictUndefined, finalize=shown, trim_blocks=True
    )


def page(project: Project, key: str) -> str:
    """The page of a paper."""
    paper, claims, audits = project.papers[key], read(key, "claims"), read(key, "audit")["records"]
    records, measured = claims["records"], claims["measurements"]
    tables = [
        (table, printed([{k: cell(v) for k, v in r.items()} for r in table_rows(table, measured, records)]))
        for table in paper.tables.values()
    ]
    assumed = [
        {"item": cell(a["item"]), "taken here": cell(str(a["value"])), "why": cell(a["note"])}
        for a in assumptions(paper)
    ]
    functions = numbers(records, audits)
    notes, _, deviations = jinja().get_template(f"{key}.md").render(functions).partition("### Known deviations\n")
    return (
        jinja()
        .get_template("paper_page.md.jinja")
        .render(
            paper=paper,
            short=short(paper),
            headline=headlines()[key],
            findings=[(f.title, as_markdown(f.html)) for f in findings(key, text_of(key), records, audits)],
            figures=printed(list(figure_rows(project, paper, records))),
            picture=main_figure(paper),
            verdicts=printed(verdict_rows(paper, records)),
            counts=text.counted(text.own_claims(records)),
            variants=text.counted(r for r in records if r["subject"] == "variant_of_ours"),
            open=printed(open_rows(records)),
            notes=notes.strip(),
            deviations=deviations.strip(),
            audits=printed(audit_rows(audits)),
            tables=tables,
            assumed=printed(assumed),
            notebook=(ROOT / f"notebooks/{key}.ipynb").is_file(),
        )
    )


def headlines() -> dict[str, str]:
    """The main finding of every paper, one sentence each, with its numbers."""
    said = yaml.safe_load((NOTES / "headlines.yaml").read_text(encoding="utf-8"))
    found = {}
    for key in PAPERS:
        records, audits = read(key, "claims")["records"], read(key, "audit")["records"]
        for reference in said[key]["rests on"]:
            verdict = verdict_of(reference, records, audits)
            assert verdict == reference.split(" ")[2], f"{key}: the main finding rests on {reference}: {verdict}"
        found[key] = " ".join(jinja().from_string(said[key]["says"]).render(numbers(records, audits)).split())
    return found


def verdict_of(reference: str, records: Sequence[Record], audits: Sequence[Record]) -> str:
    """The verdict that the records have of `C18 printed ...` or `audit/sums printed ...`."""
    name, calibration, _ = reference.split(" ")
    if name.startswith("audit/"):
        wanted = (name.removeprefix("audit/"), calibration)
        cells = [each for each in audits if (each["audit"].partition("/")[2], each["calibration"]) == wanted]
        return audit_text.verdict_of_all(cells)[0]
    (found,) = (each for each in records if (name_of(each), each["calibration"]) == (name, calibration))
    return str(found["verdict"])


def with_block(said: str, block: str) -> str:
    """A text with what is between the marks of this program replaced."""
    before, _, rest = said.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, "the marks are gone"
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def listed(project: Project, folder: str) -> str:
    """The main findings as a list with links to the pages in a folder."""
    return "".join(
        f"* **{short(project.papers[key])}.** {said} [More]({folder}{key}.md)\n" for key, said in headlines().items()
    )


def pages() -> dict[Path, str]:
    """The text of every page that this program writes."""
    project = load_project(ROOT, SETTINGS)
    found = {FOLDER / f"{key}.md": page(project, key) for key in PAPERS}
    for path, folder in ((ROOT / "README.md", "docs/papers/"), (FOLDER / "index.md", "")):
        found[path] = with_block(path.read_text(encoding="utf-8"), listed(project, folder))
    return found


if __name__ == "__main__":
    for path, said in pages().items():
        if path.is_file() and path.read_text(encoding="utf-8") == said:
            continue
        print(path.relative_to(ROOT))
        if sys.argv[1:] == ["--write"]:
            path.write_text(said, encoding="utf-8")
