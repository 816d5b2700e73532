"""Turn plain-text formulas in claims into HTML without network or script, and into search terms."""

import html
import re
from collections.abc import Iterator, Mapping

from markupsafe import Markup, escape

SYMBOLS = {
    **{"eps": "ε", "epsilon": "ε", "delta": "δ", "beta": "β", "theta": "θ", "alpha": "α", "lambda": "λ"},
    "Delta": "Δ",
}
"""Words that stand for symbols, and their Greek letters; a capital at the start of a sentence is an ordinary word."""
RELATIONS = {"<=": "≤", ">=": "≥"}
MINUS = "−"
DEEPEST = 16
"""Largest nesting depth of typeset exponents; deeper ones stay text, so that no input exhausts the stack."""
SPELLINGS = (
    ("eps", "epsilon", "ε"),
    *(("delta", "δ"), ("beta", "β"), ("theta", "θ"), ("alpha", "α"), ("lambda", "λ")),
    ("sqrt", "root", "√"),
)
"""Spellings of a symbol in lower case (so Delta and delta coincide); the last one is the sign."""
INDICES = ("0", "_0", "₀")

UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""Characters that XML forbids, even escaped."""
CODE = r"`[^`]+`"
PARENTHESES = re.compile(rf"{CODE}|[()]")
TOKEN = re.compile(
    rf"""
    (?P<code>{CODE})
    | (?P<relation>(?<![<>=])[<>]=(?![<>=]))
    # a power of ten in a power would read as one number, so that 1e6^2 keeps its base
    | (?<![\w.])(?P<mantissa>[0-9]+(?:\.[0-9]+)?)e(?P<ten>[+-]?[0-9]+)(?![\w^]|\.[0-9])
    | (?P<root>(?<![\w.])sqrt(?=\())
    # `alpha_one`, `ldp_sgd:beta`, `run.eps` and `--eps` are names of something, not symbols
    | (?<![\w.@])(?<!\w:)(?<!--)(?P<symbol>{"|".join(SYMBOLS)})(?P<index>_?0)?(?!\w|[.:@]\w)
    | (?P<raised>(?<=[\w)\]])\^)
    """,
    re.VERBOSE,
)
ATOM = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[A-Za-z]\w*")
CALLED = ("exp", "ln", "log", "max", "min", "sqrt")
"""Functions: an exponent that starts with one extends to the end of its argument."""


def typeset(text: str) -> Markup:
    """Typeset a text as HTML: Greek letters, superscripts, roots, powers of ten and code; the rest is escaped.

    The output has only the elements sub, sup and code, without attributes; text marked as safe is escaped too.
    Parentheses around an exponent are dropped, because raising replaces them; those of a root stay. Text with
    unbalanced parentheses, and words such as `the root of T` or `sqrt B`, stay unchanged.
    """
    plain = UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))
    return piece(plain, matching(plain), 0, len(plain), 0)


def matching(text: str) -> dict[int, int]:
    """Positions of opening parentheses with those of the matching closing ones; parentheses in code do not count."""
    opened: list[int] = []
    found = {}
    for each in PARENTHESES.finditer(text):
        if each[0] == "(":
            opened.append(each.start())
        elif each[0] == ")" and opened:
            found[opened.pop()] = each.start()
    return found


def piece(text: str, closed: Mapping[int, int], start: int, end: int, depth: int) -> Markup:
    """HTML of a part of a text; `depth` is the number of enclosing exponents."""
    return Markup("").join(pieces(text, closed, start, end, depth))


def pieces(text: str, closed: Mapping[int, int], start: int, end: int, depth: int) -> Iterator[Markup]:
    """HTML of the tokens of a part of a text and the words between them."""
    done = start
    while token := TOKEN.search(text, start, end):
        start = token.end()
        if token["raised"]:
            after = exponent_end(text, closed, start, end) if depth < DEEPEST else start
            made = raised(text, closed, start, after, depth) if after > start else None
            start = max(start, after)
        else:
            made = single(token, closed)
        if made is not None:
            yield words(text[done : token.start()], depth)
            yield made
            done = start
    yield words(text[done:end], depth)


def single(token: re.Match[str], closed: Mapping[int, int]) -> Markup | None:
    """HTML of a token without parts; None if it stays text, such as a root with an unclosed parenthesis."""
    if token["code"]:
        return Markup("<code>{}</code>").format(token["code"][1:-1])
    if token["relation"]:
        return escape(RELATIONS[token["relation"]])
    if token["root"]:
        return escape("√") if token.end() in closed else None
    if token["symbol"]:
        index = Markup("<sub>0</sub>") if token["index"] else ""
        return Markup("{}{}").format(SYMBOLS[token["symbol"]], index)
    # the digits are not converted, because Python refuses very long numbers
    digits = token["ten"].lstrip("+-").lstrip("0") or "0"
    sign = MINUS if token["ten"].startswith("-") else ""
    factor = "" if token["mantissa"] == "1" else f"{token['mantissa']}·"
    return Markup("{}10<sup>{}{}</sup>").format(factor, sign, digits)


def words(text: str, depth: int) -> Markup:
    """Escaped text without tokens; in an exponent a hyphen is a minus sign, except between letters."""
    return escape(re.sub(r"(?<![^\W\d])-|-(?![^\W\d])", MINUS, text) if depth else text)


def exponent_end(text: str, closed: Mapping[int, int], start: int, end: int) -> int:
    """End of the exponent that starts at `start`, including nested exponents; `start` if there is none."""
    found = at = start
    while at < end:
        at += text[at] in ("-", MINUS)
        atom = ATOM.match(text, at, end)
        if at in closed:
            found = closed[at] + 1
        elif atom:
            called = atom[0] in CALLED and atom.end() in closed
            found = closed[atom.end()] + 1 if called else atom.end()
        else:
            break
        if not text.startswith("^", found, end):
            break
        at = found + 1
    return found


def raised(text: str, closed: Mapping[int, int], start: int, end: int, depth: int) -> Markup:
    """HTML of an exponent, without outer parentheses."""
    if closed.get(start) == end - 1:
        start, end = start + 1, end - 1
    return Markup("<sup>{}</sup>").format(piece(text, closed, start, end, depth + 1))


def typeset_html(text: str) -> Markup:
    """HTML in which formulas in the text are typeset; tags and the content of `code` are unchanged."""
    found, code = [], 0
    for tag, words in re.findall(r"(<[^>]*>)|([^<]+)", text):
        code += tag.startswith("<code") - (tag == "</code>")
        found.append(tag or (words if code else typeset(html.unescape(words))))
    return Markup("".join(found))  # noqa: S704 - tags are those of the given HTML, words are escaped by `typeset`


def searchable(text: str) -> str:
    """Lower-case text for the search index, followed by other spellings of the symbols that it contains.

    A text with `eps`, `epsilon` or `ε` gets all three, one with `eps0` also `epsilon0` and `ε₀`, and one with `sqrt`,
    `√` or `root` those three. Numbers are unchanged: `Theorem 3` has the words `theorem` and `3`.

    JavaScript must convert a query to lower case (`toLowerCase`) and split it at spaces (`/\\s+/`, no empty words). A
    text matches if it contains (`includes`) every word of the query, in any order; a query without words matches all
    texts. The query needs no other treatment, because the index has every spelling.
    """
    low = " ".join(text.lower().split())
    known = set(low.split())
    others = dict.fromkeys(spelling for group in SPELLINGS for spelling in spelled(low, group))
    return " ".join([*filter(None, [low]), *(each for each in others if each not in known)])


def spelled(low: str, group: tuple[str, ...]) -> list[str]:
    """All spellings of a symbol in a lower-case text, with its index if it has one; empty for other words."""
    *names, sign = group
    # next to letters a name is part of another word, as in `steps`; a sign may follow anything, as in `2ε`
    places = rf"(?<!\w)(?:{'|'.join(names)})(?:(?P<index>_?0|₀)|s)?(?!\w)|{sign}(?P<of_sign>_?0|₀)?"
    found = list(re.finditer(places, low))
    indexed = any(each["index"] or each["of_sign"] for each in found)
    return [each + index for each in group for index in ("", *(INDICES if indexed else ()))] if found else []
