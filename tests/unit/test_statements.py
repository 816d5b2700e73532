"""What a paper states, row by row: every row names claims that judge it or says why none does.

Pages are `docs/statements/<paper>.md`. A paper without a page is not asked for one here.
"""

import re
from pathlib import Path

import pytest

from dpbandits.config.sections import names_of
from tests.shipped import COMMITTED, ROOT, shipped

PAGES = {path.stem: path for path in sorted((ROOT / "docs/statements").glob("*.md")) if path.stem in COMMITTED}
HEAD = ("where", "statement", "judged by")
OURS = "## Questions of ours"
CLAIM = re.compile(r"\bC\d+(?:/\w+)?")
LIST = re.compile(r"C\d+(?:/\w+)?(?:, C\d+(?:/\w+)?)*(?:[;,] [^C]+)?")
OUTSIDE = re.compile(r"out of scope: \S.*")


def rows(text: str) -> list[tuple[str, ...]]:
    """Cells of the tables of a text, without the lines below their heads."""
    lines = [line.strip() for line in text.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    return [row for row in cells if set("".join(row)) != {"-", " "} and set("".join(row)) != {"-"}]


def known(paper: str) -> set[str]:
    """Claims of a paper and their variants, `C1` and `C1/variant`."""
    return set(names_of(shipped("full").papers[paper].claims))


def faults(text: str, claims: set[str]) -> list[str]:
    """What is wrong with a page, one line each."""
    page, _, ours = text.partition(OURS)
    head, *stated = rows(page) or [()]
    found = [] if head == HEAD else [f"the head of the table must be {HEAD}; got {head}"]
    for row in stated:
        if len(row) != len(HEAD) or not all(row):
            found.append(f"a row needs {len(HEAD)} cells: {row}")
        elif not LIST.fullmatch(row[-1]) and not OUTSIDE.fullmatch(row[-1]):
            found.append(f"a row needs claims or `out of scope: reason`; got {row[-1]!r}")
    judged = [row[-1] for row in stated] + ours.splitlines()
    named = {name for cell in judged if not cell.startswith("out of scope") for name in CLAIM.findall(cell)}
    found += [f"{name} is not a claim of the paper" for name in sorted(named - claims)]
    claims = {name for name in claims if "/" not in name}
    return found + [f"{name} is not named" for name in sorted(claims - {each.partition("/")[0] for each in named})]


@pytest.mark.parametrize("paper", PAGES)
def test_every_statement_is_judged_or_out_of_scope_and_every_claim_is_named(paper):
    assert faults(Path(PAGES[paper]).read_text(encoding="utf-8"), known(paper)) == []


GOOD = """# Statements

| where | statement | judged by |
| --- | --- | --- |
| Theorem 1 | Regret is small. | C1, C2/wide |
| Remark 2 | No algorithm does better. | out of scope: a lower bound over all algorithms |

## Questions of ours

| claim | question |
| --- | --- |
| C2 | How large is it? |
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("C1, C2/wide", "C1, C2/wide, C3", "C3 is not a claim of the paper"),
        ("C1, C2/wide", "C1, C2/narrow", "C2/narrow is not a claim of the paper"),
        ("C1, C2/wide", "C2/wide", "C1 is not named"),
        ("C1, C2/wide", "C1 and C2/wide", "a row needs claims or `out of scope: reason`; got 'C1 and C2/wide'"),
        (
            ": a lower bound over all algorithms",
            ":",
            "a row needs claims or `out of scope: reason`; got 'out of scope:'",
        ),
        ("| Regret is small. ", "", "a row needs 3 cells: ('Theorem 1', 'C1, C2/wide')"),
        ("judged by", "tested by", f"the head of the table must be {HEAD}; got ('where', 'statement', 'tested by')"),
    ],
)
def test_faults_of_a_page_are_named(old, new, said):
    claims = {"C1", "C2", "C2/wide"}
    assert faults(GOOD, claims) == []
    assert said in faults(GOOD.replace(old, new), claims)
