"""The ledger of proofs, docs/proofs/ledger.md: what bounds the privacy of every audited mechanism.

It is written from the committed audits of the full scale by `python -m tests.golden.test_ledger --write`.
"""

import json
import re
import sys

import pytest

from dpbandits.audits.release import SEARCHED
from dpbandits.config.theorems import THEOREMS
from dpbandits.text.audit_tables import ledger
from tests.shipped import COMMITTED, ROOT, shipped

PROJECT = shipped("full")
PAGE = ROOT / "docs/proofs/ledger.md"
INTRODUCTION = """# The ledger of proofs

Every audit compares an upper bound on epsilon with the claim. For each mechanism, this page says what proves the bound,
for which data, neighbors and view, and which two inputs are compared. It is generated from the records of the
scale `full`.

- *proven, tight*: the bound holds for all neighbors, and the two inputs attain it, because they are the farthest apart.
- *proven*: the bound holds for all neighbors. The two inputs give a smaller lower bound.
- *searched*: the bound is the largest value over the inputs tried. No verdict rests on it, and no noise is called
  certified because of it.

`certified` noise is the least for which the bound is at most the claim. The column *noise* has the range over all
settings of the audit: a scale (Laplace), a standard deviation (Gaussian) or a number of bits.

## Theorems
"""
HEADINGS = ("algorithm", "calibration", "noise", "status")


def row(cells):
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def audits_of(paper):
    found = {}
    for record in json.loads((ROOT / f"figures/{paper}/data/audit.json").read_text(encoding="utf-8"))["records"]:
        found.setdefault(record["audit"], []).append(record)
    return found


def linked(source):
    """The source of a theorem with links to pages of this folder."""
    return re.sub(r"docs/proofs/(\w+\.md)", r"[\1](\1)", source)


def theorems():
    """Those that all papers share, then those of single papers."""
    own = {name: each for key in COMMITTED for name, each in PROJECT.papers[key].theorems.items()}
    return {**THEOREMS, **own}


def page():
    lines = [INTRODUCTION, row(("name", "what it says", "source")), row(["---"] * 3)]
    lines += [row((f"`{name}`", each.says, linked(each.source))) for name, each in theorems().items()]
    for key in COMMITTED:
        paper = PROJECT.papers[key]
        lines += ["", f"## {paper.title} ({paper.reference})"]
        for audit, records in audits_of(key).items():
            head = records[0]
            lines += ["", f"### {audit}", "", f"{head['says']} ({head['where']})", ""]
            lines += [f"- {name}: {head[name]}" for name in ("domain", "neighbors", "view", "inputs")]
            lines += ["- proof: " + ", ".join(f"`{each['theorem']}`" for each in head["proof"]), ""]
            lines += [row(HEADINGS), row(["---"] * len(HEADINGS))]
            lines += [row([line[name] for name in HEADINGS]) for line in ledger(records)]
    return "\n".join(lines) + "\n"


def test_the_page_is_that_of_the_committed_audits():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.golden.test_ledger --write`"


@pytest.mark.parametrize("name", theorems())
def test_every_page_that_a_theorem_names_has_its_proof(name):
    """The page exists, and what is named after it is one of its headings or theorems."""
    for path, where in re.findall(r"(docs/proofs/\w+\.md)(?:, ([^;]+))?", theorems()[name].source):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not where or re.search(rf"^#+ {re.escape(where)}\b", text, re.MULTILINE), (path, where)


def test_every_theorem_is_the_proof_of_some_audit():
    used = {name for key in COMMITTED for audit in PROJECT.papers[key].audits.values() for name in audit.proof or ()}
    assert used == set(theorems())


@pytest.mark.parametrize("key", COMMITTED)
def test_certified_noise_rests_on_proofs(key):
    for records in audits_of(key).values():
        for record in records:
            assert record["proof"], record["audit"]
            if record["calibration"] == "certified":
                assert record["status"] != SEARCHED, (record["audit"], record["point"])


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.golden.test_ledger --write")
    PAGE.write_text(page(), encoding="utf-8")
