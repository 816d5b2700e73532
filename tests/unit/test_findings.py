"""Findings: prose that is shown where the records bear it, with their numbers in it."""

import json
import re
from copy import deepcopy
from html import unescape
from pathlib import Path

import pytest

from dpbandits.base.digests import closure
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning import dependencies
from dpbandits.report.finding_numbers import HELPERS
from dpbandits.report.findings import AUDIT, VERDICTS, findings, sections, text_of
from dpbandits.text.text import cut_down

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("hanna2022", "chowdhury2022", "hu2021", "chen2020", "han2021")
DATA = {
    key: [json.loads((ROOT / f"figures/{key}/data/{kind}.json").read_text())["records"] for kind in ("claims", "audit")]
    for key in PAPERS
}
WRITTEN = {key: sections(key, text_of(key)) for key in PAPERS}
EACH = [(key, place) for key in PAPERS for place in range(3)]
TYPED = {
    "hanna2022": {"1", "-1", "2", "0.1", "0.2", "0.01"},
    "chowdhury2022": {"1", "2", "3", "4", "5", "10", "20", "0.1"},
    "hu2021": {"1", "2", "0.02", "3.1", "15"},
    "chen2020": {"0", "1", "2", "8", "10", "0.1", "0.25"},
    "han2021": {"1", "2", "4", "5", "9", "10", "0.01", "0.1", "0.5"},
}
"""Numbers that may be typed: of the settings, of theorems, of figures and of claims."""

OF_CLAIMS, OF_AUDITS = set(VERDICTS[:4]), set(VERDICTS[4:])

TEXT = """## Twice as much
question: How much is it?
rests on: C1 printed fails; C2/wide tuned holds
rests on: C1 printed fails where a / b at *; audit/sums printed violated where noisy: eps = 1

It is {{ estimate("C1", "printed", "a / b at eps = 1") }}
and *{{ epsilon("audit/sums", "printed", "noisy: eps = 1") }}*.
"""


def comparison(label, verdict, estimate, interval, allowed=(None, 1.0)):
    return {
        "label": label,
        "verdict": verdict,
        "estimate": estimate,
        "interval": list(interval),
        "allowed": list(allowed),
    }


def claim(number, variant, calibration, verdict, *details):
    return {
        "id": f"paper/{number}",
        "variant": variant,
        "calibration": calibration,
        "verdict": verdict,
        "details": list(details),
    }


def cell(eps, verdict, epsilons, status=None):
    known = "proven, tight" if epsilons[0] == epsilons[1] else "proven"
    return {
        "audit": "paper/sums",
        "algorithm": "noisy",
        "calibration": "printed",
        "point": {"eps": eps},
        "verdict": verdict,
        "epsilons": list(epsilons),
        "status": status or known,
    }


AT_ONE = comparison("a / b at eps = 1", "fails", 1.98765, (1.5, None))
AT_TWO = comparison("a / b at eps = 2", "fails", 12345.6, (None, 13000.0), (0.5, 7.0))
RECORDS = [claim("C1", "", "printed", "fails", AT_ONE, AT_TWO), claim("C2", "wide", "tuned", "holds")]
AUDITS = [cell(1.0, "violated", (2.0, 2.0)), cell(2.0, "consistent", (0.5, None)), cell(3.0, "violated", (None, None))]


def name_of(record):
    return "/".join(filter(None, [record["id"].partition("/")[2], record["variant"]]))


def audit_of(record):
    return AUDIT + record["audit"].partition("/")[2]


def made(text=TEXT, records=RECORDS, audits=AUDITS):
    return findings("paper", text, records, audits)


def words(html):
    return unescape(re.sub(r"<[^>]+>", "", html))


def filled(placeholder):
    text = TEXT[: TEXT.index("It is")] + placeholder
    (found,) = made(text)
    return words(found.html).strip() if found.decided else None


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_has_three_findings_all_decided_at_full(key):
    found = findings(key, text_of(key), *DATA[key])
    assert len(found) == 3
    assert all(each.decided for each in found)
    assert [each.title for each in found] == [section.heading for section in WRITTEN[key]]
    assert all(40 <= sum(any(map(str.isalpha, word)) for word in words(each.html).split()) <= 90 for each in found)
    assert not any("{{" in each.html or "undefined" in each.html for each in found)


@pytest.mark.parametrize("key", PAPERS)
def test_references_name_what_is_there(key):
    """Claims, variants, calibrations, and where labels are given, comparisons and cells."""
    records, audits = DATA[key]
    claims = {(name_of(record), record["calibration"]) for record in records}
    audited = {(audit_of(record), record["calibration"]) for record in audits}
    references = [reference for section in WRITTEN[key] for reference in section.references]
    assert {(r.name, r.calibration) for r in references} <= claims | audited
    for each, section in zip(findings(key, text_of(key), *DATA[key]), WRITTEN[key], strict=True):
        wanted = dict.fromkeys(r.name for r in section.references if not r.name.startswith(AUDIT))
        assert each.claims == tuple(wanted) != ()
        assert each.audits == any(r.name.startswith(AUDIT) for r in section.references)


@pytest.mark.parametrize("key", PAPERS)
def test_numbers_are_not_typed(key):
    for section in WRITTEN[key]:
        prose = re.sub(r"\{\{.*?\}\}", "", section.words, flags=re.S)
        prose = re.sub(r"LDP[12]", "", prose)
        assert not re.findall(r"\d", section.heading + section.question)
        assert set(re.findall(r"(?<!\w)-?\d+(?:\.\d+)?|\d+(?:\.\d+)?", prose)) <= TYPED[key], prose
        assert "{{" in section.words


@pytest.mark.parametrize(("key", "place"), EACH)
def test_a_finding_without_its_verdicts_is_a_question(key, place):
    """Whichever of the verdicts turns, to its opposite or to unclear; the others of the paper stay as they are."""
    section = WRITTEN[key][place]
    sentence = findings(key, text_of(key), *DATA[key])[place].html
    for reference in section.references:
        for other in (OF_AUDITS if reference.name.startswith(AUDIT) else OF_CLAIMS) - {reference.verdict}:
            found = findings(key, text_of(key), *turned(reference, other, *DATA[key]))[place]
            assert (found.title, found.decided) == (section.question, False)
            assert found.title.endswith("?")
            assert sentence not in found.html
            assert f"{reference.name.replace('_', ' ')} ({reference.calibration})" in found.html


def turned(reference, other, records, audits):
    """The same with another verdict of what the reference names."""

    def claim_of(record):
        if (name_of(record), record["calibration"]) != (reference.name, reference.calibration):
            return record
        if reference.form is None:
            return {**record, "verdict": other}
        return {**record, "details": [{**detail, "verdict": other} for detail in record["details"]]}

    def cell_of(record):
        hit = (audit_of(record), record["calibration"]) == (reference.name, reference.calibration)
        return {**record, "verdict": other} if hit else record

    return [claim_of(record) for record in records], [cell_of(record) for record in audits]


@pytest.mark.parametrize("key", PAPERS)
def test_findings_of_no_records_are_questions(key):
    assert not any(each.decided for each in findings(key, text_of(key), [], []))


def lookup(key, name, calibration, label):
    number, _, variant = name.partition("/")
    (record,) = (
        r
        for r in DATA[key][0]
        if r["id"] == f"{key}/{number}" and (r["variant"], r["calibration"]) == (variant, calibration)
    )
    return next(d for d in record["details"] if d["label"] == label)


def audited(key, name, calibration, **point):
    return next(
        r
        for r in DATA[key][1]
        if (r["audit"], r["calibration"]) == (f"{key}/{name}", calibration)
        and point.items() <= (r["point"] | {"algorithm": r["algorithm"]}).items()
    )


def test_the_numbers_shown_are_those_of_the_records():
    """One finding of each paper, by other code."""
    shown = {
        key: [" ".join(words(each.html).split()) for each in findings(key, text_of(key), *DATA[key])] for key in PAPERS
    }
    base = "phased_elimination_local / phased_elimination at eps"
    one, tenth = (lookup("hanna2022", "C5", "printed", f"{base} = {eps}")["estimate"] for eps in (1, 0.1))
    assert f"{one:.3g} times as much, and {tenth:.3g} times at ε = 0.1" in shown["hanna2022"][0]
    epsilon = audited("hanna2022", "shuffled", "printed", eps=1.0)["epsilons"][0]
    assert f"actual epsilon at ε = 1 is at least {cut_down(epsilon, 3):.3g}," in shown["hanna2022"][1]
    epsilon = audited("chowdhury2022", "local_reports", "released", eps=1.0)["epsilons"][1]
    assert f"its local reports have an actual epsilon of {epsilon:.3g}." in shown["chowdhury2022"][1]
    less, more = (
        lookup("chowdhury2022", name, "certified", f"{label} at eps = 1, dimension = 5")["estimate"]
        for name, label in (
            ("C2", "linucb_sdp_vec - linucb_ldp"),
            ("C4", "linucb_jdp - linucb_sdp_vec"),
        )
    )
    assert less < 0 > more
    assert f"regret is {-float(f'{less:.3g}'):g} below" in shown["chowdhury2022"][2]
    assert f"and {-float(f'{more:.3g}'):g} above" in shown["chowdhury2022"][2]
    factors = {
        calibration: lookup("hu2021", "C14/one_constant", calibration, "rnm_ftnl / epoch_ftl at eps = 0.02")["estimate"]
        for calibration in ("printed", "certified")
    }
    assert f"regret is {factors['certified']:.3g} times that without noise" in shown["hu2021"][2]
    assert f"the smaller noise gives {factors['printed']:.3g} and we had allowed 4." in shown["hu2021"][2]
    ratios = [
        lookup("chen2020", "C11", "certified", f"cucb_dp / cucb at T = 1e+07, gap = {gap}, eps = 1")["estimate"]
        for gap in (0.25, 0.1)
    ]
    assert f"and {ratios[0]:.3g} times with the least noise that satisfies the guarantee;" in shown["chen2020"][2]
    assert f"and {ratios[1]:.3g} times. The form" in shown["chen2020"][2]
    label = "ldp_sgd - ldp_gloc at T = 1e+06, eps = 5"
    more = lookup("han2021", "C8", "certified", label)["estimate"]
    assert f"LDP-GLOC: {float(f'{more:.3g}'):.0f} more at ε = 5" in shown["han2021"][2]
    epsilon = audited("han2021", "unclipped_gradients", "released", eps=1.0, algorithm="ldp_epoch_greedy")["epsilons"][
        0
    ]
    assert f"the actual epsilon for two users is at least {cut_down(epsilon, 3):.3g}." in shown["han2021"][1]


@pytest.mark.parametrize("key", PAPERS)
def test_findings_are_the_same_twice(key):
    assert findings(key, text_of(key), *DATA[key]) == findings(key, text_of(key), *deepcopy(DATA[key]))


def test_a_finding_is_filled_and_rendered():
    (found,) = made()
    assert found.title == "Twice as much"
    assert found.html == "<p>It is 1.99\nand <em>2</em>.</p>\n"
    assert found.claims == ("C1", "C2/wide")
    assert found.audits


@pytest.mark.parametrize(
    ("placeholder", "says"),
    [
        ('{{ estimate("C1", "printed", "* at eps = 2") }}', "12,300"),
        ('{{ -estimate("C1", "printed", "* at eps = 1") }}', "-1.99"),
        ('{{ estimate("C1", "printed", "* at eps = 1") | round(1) }}', "2"),
        ('{{ low("C1", "printed", "* at eps = 1") }} {{ high("C1", "printed", "* at eps = 1") }}', "1.5 ∞"),
        ('{{ low("C1", "printed", "* at eps = 2") }} {{ high("C1", "printed", "* at eps = 2") }}', "-∞ 13,000"),
        (
            '{{ least_allowed("C1", "printed", "* at eps = 2") }} {{ most_allowed("C1", "printed", "* at eps = 2") }}',
            "0.5 7",
        ),
        ('{{ smallest("C1", "printed", "*") }} {{ largest("C1", "printed", "*") }}', "1.99 12,300"),
        ('{{ epsilon("audit/sums", "printed", "*: eps = 3") }}', "∞"),
        ('{{ epsilon_at_least("audit/sums", "printed", "*: eps = 2") }}', "0.5"),
        ('{{ epsilon_at_least("audit/sums", "printed", "*: eps = 3") }}', "∞"),
        ('{{ estimate("C1", "printed", "a / b at eps = 9") }}', None),
        ('{{ least_allowed("C1", "printed", "* at eps = 1") }}', None),
        ('{{ epsilon("audit/sums", "printed", "*: eps = 2") }}', None),
        ('{{ epsilon("audit/sums", "printed", "*: eps = 9") }}', None),
    ],
)
def test_helpers(placeholder, says):
    """None: the records have no such number, and the finding is not decided."""
    assert filled(placeholder) == says


def test_an_epsilon_that_is_not_proven_is_none():
    found = made(audits=[cell(1.0, "violated", (2.0, 2.0), status="searched")])[0]
    assert not found.decided
    assert found.html == "<p>At this scale: a number is not among the records.</p>\n"


@pytest.mark.parametrize(
    ("records", "audits", "says"),
    [
        ([claim("C1", "", "printed", "unclear", AT_ONE), RECORDS[1]], AUDITS, "C1 (printed) unclear"),
        (
            [claim("C1", "", "printed", "fails", AT_ONE, {**AT_TWO, "verdict": "holds"}), RECORDS[1]],
            AUDITS,
            "C1 (printed) in part fails and holds",
        ),
        (RECORDS[:1], AUDITS, "C2/wide (tuned) not among the records"),
        (RECORDS, AUDITS[1:], "audit/sums (printed) in part not among the records"),
        (RECORDS, [cell(1.0, "no power", (0.0, None))], "audit/sums (printed) in part no power"),
        (RECORDS[:1], [], "C2/wide (tuned) not among the records; audit/sums (printed) in part not among the records"),
    ],
)
def test_what_is_missing_is_said(records, audits, says):
    (found,) = made(records=records, audits=audits)
    assert (found.title, found.decided) == ("How much is it?", False)
    assert found.html == f"<p>At this scale: {says}.</p>\n"


def test_an_audit_as_a_whole_has_its_worst_verdict():
    text = TEXT.replace(" where noisy: eps = 1", "")
    assert made(text)[0].decided
    assert not made(text.replace("audit/sums printed violated", "audit/sums printed consistent"))[0].decided


def test_html_of_records_and_files_is_escaped():
    bad = [claim("C1", "", "printed", "<script>alert(1)</script>"), RECORDS[1]]
    html = made(records=bad)[0].html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    number = {**AT_ONE, "estimate": "<b onload=x>"}
    html = made(records=[claim("C1", "", "printed", "fails", number), RECORDS[1]])[0].html
    assert "<b" not in html
    html = made(TEXT + "<img src=x onerror=y> [a](javascript:b)")[0].html
    assert "<img" not in html
    assert "href" not in html


HEAD = TEXT[: TEXT.index("\n\nIt is")]
REFERENCES = (
    "must be `<claim, claim/variant or audit/name> <calibration> <verdict>`, with or without ` where <label>`, "
    f"and a verdict among: {', '.join(VERDICTS)}"
)
QUESTION = "must be one line `question: <words>`"
BELOW = (
    "must be `question: <words>` once, `rests on: <references, between semicolons>`, and a blank line before the words"
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\nwords", "2: got 'words'; must come after the first `## <heading>`"),
        ("# One\n" + TEXT, "1: got '# One'; must come after the first `## <heading>`"),
        (TEXT.replace("question", "asks"), f"2: got 'asks: How much is it?'; {BELOW}"),
        (TEXT.replace("How much is it?", ""), f"2: got 'question: '; {BELOW}"),
        (
            TEXT.replace("question: How much is it?\n", ""),
            f"1: '## Twice as much': question: got 0 lines; {QUESTION}",
        ),
        (TEXT.replace("rests on: C1", "question: C1"), f"1: '## Twice as much': question: got 3 lines; {QUESTION}"),
        (
            "## One\nquestion: Two?\n\nThree",
            "1: '## One': rests on: got 0 lines; must be at least one line `rests on: <references>`",
        ),
        (HEAD, "1: '## Twice as much': words: got 0 lines; must be at least one line, after a blank line"),
        (TEXT + "\n## Next\n", f"9: '## Next': question: got 0 lines; {QUESTION}"),
        (TEXT.replace("tuned holds", "tuned"), f"3: rests on: got 'C2/wide tuned'; {REFERENCES}"),
        (
            TEXT.replace("printed violated", "printed broken"),
            f"4: rests on: got 'audit/sums printed broken where noisy: eps = 1'; {REFERENCES}",
        ),
        (TEXT.replace("; C2", "; ; C2"), f"3: rests on: got ''; {REFERENCES}"),
    ],
)
def test_a_malformed_file_is_one_clear_line(text, says):
    with pytest.raises(ConfigError) as fault:
        made(text)
    assert str(fault.value) == f"findings/paper.md:{says}"


@pytest.mark.parametrize(
    ("placeholder", "says"),
    [
        ("{{ guess(1) }}", "6: words: 'guess' is undefined"),
        ("{{ range(3) }}", "6: words: 'range' is undefined"),
        ('{{ estimate("C1") }}', "6: words: estimate() missing 2 required positional arguments"),
        ("one\n\n{{ estimate( }}", "8: words: unexpected '}'"),
        (
            '{{ estimate("C9", "printed", "*") }}',
            "6: words: got 'C9 printed'; the finding does not rest on it. "
            "Use one of: C1 printed, C2/wide tuned, audit/sums printed",
        ),
        (
            '{{ estimate("C1", "printed", "a *") }}',
            "6: words: got 'a *'; must match one label, not 2. Use one of: 'a / b at eps = 1', 'a / b at eps = 2'",
        ),
    ],
)
def test_a_fault_in_the_words_is_one_clear_line(placeholder, says):
    with pytest.raises(ConfigError) as fault:
        filled(placeholder)
    text = str(fault.value)
    assert text.startswith(f"findings/paper.md:{says}")
    assert "\n" not in text
    if says.startswith("6: "):
        assert text.endswith(f". Functions to use: {', '.join(HELPERS)}")


def test_a_paper_without_findings_has_none():
    assert text_of("nobody1999") == ""
    assert findings("nobody1999", "", [], []) == []


def test_a_changed_finding_changes_the_digest(monkeypatch):
    """The prose counts with the module that fills it, and with no other."""
    folder = Path(dependencies.__file__).parents[1] / "report"
    assert {path.stem for path in (folder / "findings").iterdir()} == set(PAPERS)
    for module, read in dependencies.TEXTS.items():
        assert module in closure([module], dependencies.SOURCE_ROOT)
        assert all((folder / name).exists() for name in read)
    before = dependencies._digest(("dpbandits.report.findings",))
    monkeypatch.setitem(dependencies.TEXTS, "dpbandits.report.findings", ("templates",))
    assert dependencies._digest(("dpbandits.report.findings",)) != before
