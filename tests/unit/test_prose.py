"""README and the documentation have short sentences, and none of the phrases that a reader stumbles over."""

import re

import pytest

from tests.shipped import ROOT

LONGEST = 40
"""Words of a sentence. Most should have fewer than 25."""
PHRASES = (
    *(r"made (?:anew|again)", "at fault", r"as little as can be", "set aside", r"at work\b"),
    *(r"\| the same \|", r"whose truth", r"\bfor ever\b"),
)
PAGES = [
    path
    for form in ("*.md", "docs/**/*.md", "config/*.md", "profiles/**/*.md")
    for path in sorted(ROOT.glob(form))
    if not {"_build", "proofs", "statements"} & set(path.parts) and not re.fullmatch(r"[a-z]+\d{4}", path.stem)
]
PAGES += sorted((ROOT / "docs/papers/notes").glob("*.md"))


def prose(text):
    """A page without code, tables and comments."""
    for code in (r"^ *```.*?^ *```$", r"<!--.*?-->", r"\{\{.*?\}\}"):
        text = re.sub(code, "", text, flags=re.M | re.S)
    return re.sub(r"^(?:    |\||#).*$", "", text, flags=re.M)


def sentences(text):
    for block in re.split(r"\n\s*\n|\n\s*[*-] |\n\s*\d+\. ", prose(text)):
        yield from re.split(r"(?<=[.?!:])\s+", " ".join(block.split()))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sentences_are_short_and_plain(path):
    text = path.read_text(encoding="utf-8")
    assert [each for each in sentences(text) if len(each.split()) > LONGEST] == []
    lines = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S).splitlines()
    assert [line for line in lines for phrase in PHRASES if re.search(phrase, line) and "::" not in line] == []
