"""Findings of a paper: prose whose numbers come from the records, shown only if the records support it.

A file `findings/<paper>.md` is a sequence of sections:

    ## Heading, which is shown where the records bear it
    question: What the heading answers, shown where they do not?
    rests on: C18 printed fails; C1/ls22 tuned fails
    rests on: C6 certified fails where central - shuffled at *; audit/sums printed violated where central: eps = 1

    Words in Markdown. At ε = 1 the actual epsilon is {{ epsilon("audit/sums", "printed", "central: eps = 1") }}.

A reference is `<claim, claim/variant or audit/name> <calibration> <verdict>`. With `where`, the verdict must hold for
every comparison of the claim, or cell of the audit, whose label matches this form (`*` for any text). A cell is labeled
`algorithm: eps = 1`. The words are filled in only if all references hold, with numbers only from the claims and audits
that the finding rests on (`finding_numbers.HELPERS`). The finding is also undecided if the records lack a number, as
happens at smaller scales, which have fewer settings.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from itertools import pairwise

from jinja2 import Environment, StrictUndefined, TemplateError, TemplateSyntaxError
from markdown_it import MarkdownIt
from markupsafe import escape

from dpbandits.config.plain_yaml import ConfigError, shown
from dpbandits.config.wording import got
from dpbandits.report.finding_numbers import HELPERS, Absent, Entry, Record, WordsFault
from dpbandits.text import audits as audit_text
from dpbandits.text.text import number

VERDICTS = ("holds", "fails", "unclear", "not_tested", "violated", "consistent", "no power")
AUDIT = "audit/"
HEADS = ("question", "rests on")
REFERENCE = re.compile(
    rf"(?P<name>[\w/]+) (?P<calibration>[a-z]+) (?P<verdict>{'|'.join(VERDICTS)})(?: where (?P<form>\S.*))?"
)
REFERENCES = (
    "must be `<claim, claim/variant or audit/name> <calibration> <verdict>`, with or without ` where <label>`, "
    f"and a verdict among: {', '.join(VERDICTS)}"
)
BELOW = (
    "must be `question: <words>` once, `rests on: <references, between semicolons>`, and a blank line before the words"
)


@dataclass(frozen=True)
class Finding:
    """A finding as shown in the report: `html` is safe; `claims` are like `C18` and `C1/ls22`, without audits.

    `audits` says whether the finding also rests on audits. If it is not `decided`, `title` is a question and `html`
    says which verdicts are missing.
    """

    title: str
    html: str
    decided: bool
    claims: tuple[str, ...]
    audits: bool


@dataclass(frozen=True)
class Reference:
    """A reference that a finding rests on; without `form` it is the verdict of the whole claim or audit."""

    name: str
    calibration: str
    verdict: str
    form: str | None


@dataclass(frozen=True)
class Section:
    """A finding as written in the file; `line` is the line number of its first words."""

    heading: str
    question: str
    references: tuple[Reference, ...]
    words: str
    line: int


def text_of(key: str) -> str:
    """Text of a paper's findings file; empty if it has none."""
    path = files("dpbandits").joinpath("report", "findings", f"{key}.md")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def findings(key: str, text: str, records: Sequence[Record], audits: Sequence[Record]) -> list[Finding]:
    """Findings of a paper, with numbers filled in.

    Parameters
    ----------
    key : key of the paper; it names the file in error messages.
    text : content of the findings file.
    records, audits : records of claims and audits.

    Raises
    ------
    ConfigError: the text is malformed; the error names file, line and what must be there.
    """
    file = f"findings/{key}.md"
    return [_finding(file, section, records, audits) for section in sections(file, text)]


def sections(file: str, text: str) -> list[Section]:
    """Parse a findings file. Raises ConfigError like `findings`."""
    lines = list(enumerate(text.splitlines(), start=1))
    starts = [place for place, (_, line) in enumerate(lines) if line.startswith("## ")]
    for row, line in lines[: starts[0] if starts else None]:
        if line.strip():
            raise ConfigError(f"{file}:{row}: {got(line, 'must come after the first `## <heading>`')}")
    return [_section(file, lines[here:end]) for here, end in pairwise([*starts, len(lines)])]


def _section(file: str, lines: Sequence[tuple[int, str]]) -> Section:
    (first, heading), *rest = lines
    blank = next((place for place, (_, line) in enumerate(rest) if not line.strip()), len(rest))
    heads: dict[str, list[tuple[int, str]]] = {name: [] for name in HEADS}
    for row, line in rest[:blank]:
        name, _, value = line.partition(": ")
        if name not in HEADS or not value.strip():
            raise ConfigError(f"{file}:{row}: {got(line, BELOW)}")
        heads[name].append((row, value.strip()))
    words = [(row, line) for row, line in rest[blank:] if line.strip()]
    questions, rests = len(heads["question"]), len(heads["rests on"])
    needed = (
        ("question", questions, questions == 1, "one line `question: <words>`"),
        ("rests on", rests, rests > 0, "at least one line `rests on: <references>`"),
        ("words", len(words), len(words) > 0, "at least one line, after a blank line"),
    )
    for name, count, there, must in needed:
        if not there:
            raise ConfigError(f"{file}:{first}: {shown(heading)}: {name}: got {count} lines; must be {must}")
    references = [
        _reference(f"{file}:{row}", each.strip()) for row, value in heads["rests on"] for each in value.split(";")
    ]
    body = "\n".join(line for row, line in rest if row >= words[0][0])
    return Section(heading[3:].strip(), heads["question"][0][1], tuple(references), body, words[0][0])


def _reference(place: str, text: str) -> Reference:
    found = REFERENCE.fullmatch(text)
    if found is None:
        raise ConfigError(f"{place}: rests on: {got(text, REFERENCES)}")
    return Reference(**found.groupdict())


def _finding(file: str, section: Section, records: Sequence[Record], audits: Sequence[Record]) -> Finding:
    found = [_verdict(reference, records, audits) for reference in section.references]
    audited = {r.name for r in section.references if r.name.startswith(AUDIT)}
    claims = dict.fromkeys(r.name for r in section.references if r.name not in audited)
    if found == [reference.verdict for reference in section.references]:
        try:
            html = MarkdownIt("commonmark", {"html": False}).render(_filled(file, section, records, audits))
            return Finding(section.heading, html, True, tuple(claims), bool(audited))
        except Absent:
            pass
    return Finding(section.question, _deviations(section.references, found), False, tuple(claims), bool(audited))


def _deviations(references: Sequence[Reference], found: Sequence[str]) -> str:
    """Safe HTML of what the records say instead of the required verdicts, each claim and audit once."""
    said: dict[str, str] = {}
    for reference, verdict in zip(references, found, strict=True):
        if verdict != reference.verdict:
            part = "" if reference.form is None else " in part"
            said.setdefault(f"{reference.name.replace('_', ' ')} ({reference.calibration})", f"{part} {verdict}")
    text = "; ".join(name + verdict for name, verdict in said.items()) or "a number is not among the records"
    return f"<p>At this scale: {escape(text)}.</p>\n"


def _verdict(reference: Reference, records: Sequence[Record], audits: Sequence[Record]) -> str:
    """Verdict in the records; several if they differ."""
    there = list(_entries(reference.name, reference.calibration, records, audits))
    if reference.form is not None:
        verdicts = {entry.verdict for entry in there if _has_form(entry.label, reference.form)}
    elif reference.name.startswith(AUDIT):
        verdicts = {audit_text.verdict_of_all([entry.record for entry in there])[0]} if there else set()
    else:
        verdicts = {record["verdict"] for record in _of_claim(reference.name, reference.calibration, records)}
    return " and ".join(sorted(verdicts)) or "not among the records"


def _of_claim(name: str, calibration: str, records: Sequence[Record]) -> list[Record]:
    number_, _, variant = name.partition("/")
    wanted = (number_, variant, calibration)
    return [r for r in records if (r["id"].partition("/")[2], r["variant"], r["calibration"]) == wanted]


def _entries(name: str, calibration: str, records: Sequence[Record], audits: Sequence[Record]) -> Iterator[Entry]:
    if not name.startswith(AUDIT):
        for record in _of_claim(name, calibration, records):
            yield from (Entry(detail["label"], detail["verdict"], detail) for detail in record["details"])
        return
    for cell in audits:
        if (cell["audit"].partition("/")[2], cell["calibration"]) == (name.removeprefix(AUDIT), calibration):
            yield Entry(f"{cell['algorithm']}: {audit_text.setting(cell)}", cell["verdict"], cell)


def _has_form(label: str, form: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, form.split("*"))), label) is not None


def _filled(file: str, section: Section, records: Sequence[Record], audits: Sequence[Record]) -> str:
    def entries(name: str, calibration: str, form: str) -> list[Entry]:
        rested = {(reference.name, reference.calibration) for reference in section.references}
        if (name, calibration) not in rested:
            use = ", ".join(" ".join(each) for each in sorted(rested))
            raise WordsFault(f"{got(f'{name} {calibration}')}; the finding does not rest on it. Use one of: {use}")
        found = [e for e in _entries(name, calibration, records, audits) if _has_form(e.label, form)]
        if not found:
            raise Absent
        return found

    jinja = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown)
    jinja.globals.clear()
    jinja.globals.update({name: partial(helper, entries) for name, helper in HELPERS.items()})
    try:
        return jinja.from_string(section.words).render()
    except TemplateSyntaxError as fault:
        raise ConfigError(f"{file}:{section.line + fault.lineno - 1}: words: {_one_line(fault)}") from None
    except (WordsFault, TemplateError, TypeError) as fault:
        said = f"{_one_line(fault).removesuffix('.')}. Functions to use: {', '.join(HELPERS)}"
        raise ConfigError(f"{file}:{section.line}: words: {said}") from None


def _one_line(fault: Exception) -> str:
    return " ".join(str(fault).split())


def _shown(value: object) -> object:
    """Text of a value: numbers with three digits, others unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    return number(float(f"{value:.3g}"))
