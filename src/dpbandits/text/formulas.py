"""Formulas that claims have as plain text: as HTML without a network or a script, and as words to search for."""

import html
import re
from collections.abc import Iterator, Mapping

from markupsafe import Markup, escape

SYMBOLS = {
    **{"eps": "ε", "epsilon": "ε", "delta": "δ", "beta": "β", "theta": "θ", "alpha": "α", "lambda": "λ"},
    "Delta": "Δ",
}
"""Words that are symbols, and their Greek letters; a capital at the start of a sentence is a word."""
RELATIONS = {"<=": "≤", ">=": "≥"}
MINUS = "−"
DEEPEST = 16
"""So many exponents of exponents are typeset; what lies deeper is text, so that no input exhausts the stack."""
SPELLINGS = (
    ("eps", "epsilon", "ε"),
    *(("delta", "δ"), ("beta", "β"), ("theta", "θ"), ("alpha", "α"), ("lambda", "λ")),
    ("sqrt", "root", "√"),
)
"""Spellings of one thing, in lower case, which makes one of Delta and delta as well; the last is its sign."""
INDICES = ("0", "_0", "₀")

UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""What no XML may contain, not even escaped."""
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
"""Functions: an exponent that begins with one goes on to the end of its argument."""


def typeset(text: str) -> Markup:
    """HTML of a text: Greek letters, raised exponents, roots, powers of ten and code; all else is escaped.

    Only elements sub, sup and code without attributes occur, and a text that is marked as safe is escaped as well.
    Parentheses around an exponent go, since raising it says the same; those of a root stay. Where parentheses do not
    match, and for words (`the root of T`, `sqrt B`), the text stays as it is.
    """
    plain = UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))
    return piece(plain, matching(plain), 0, len(plain), 0)


def matching(text: str) -> dict[int, int]:
    """Places of opening parentheses, each with the place of the one that closes it; those in code do not count."""
    opened: list[int] = []
    found = {}
    for each in PARENTHESES.finditer(text):
        if each[0] == "(":
            opened.append(each.start())
        elif each[0] == ")" and opened:
            found[opened.pop()] = each.start()
    return found


def piece(text: str, closed: Mapping[int, int], start: int, end: int, depth: int) -> Markup:
    """HTML of a part of a text; `depth` counts the exponents that it stands in."""
    return Markup("").join(pieces(text, closed, start, end, depth))


def pieces(text: str, closed: Mapping[int, int], start: int, end: int, depth: int) -> Iterator[Markup]:
    """HTML of the tokens of a part of a text, and of what is between them."""
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
    """HTML of a token that has no parts; None where it stays text, as a root whose parenthesis is not closed."""
    if token["code"]:
        return Markup("<code>{}</code>").format(token["code"][1:-1])
    if token["relation"]:
        return escape(RELATIONS[token["relation"]])
    if token["root"]:
        return escape("√") if token.end() in closed else None
    if token["symbol"]:
        index = Markup("<sub>0</sub>") if token["index"] else ""
        return Markup("{}{}").format(SYMBOLS[token["symbol"]], index)
    # no number is made of the digits, since Python refuses very long ones
    digits = token["ten"].lstrip("+-").lstrip("0") or "0"
    sign = MINUS if token["ten"].startswith("-") else ""
    factor = "" if token["mantissa"] == "1" else f"{token['mantissa']}·"
    return Markup("{}10<sup>{}{}</sup>").format(factor, sign, digits)


def words(text: str, depth: int) -> Markup:
    """Text without tokens, escaped; in an exponent a hyphen is a minus, but between letters."""
    return escape(re.sub(r"(?<![^\W\d])-|-(?![^\W\d])", MINUS, text) if depth else text)


def exponent_end(text: str, closed: Mapping[int, int], start: int, end: int) -> int:
    """Where an exponent ends that begins at `start`, with the exponents that it has itself; `start` if it is none."""
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
    """HTML of an exponent, without parentheses around the whole of it."""
    if closed.get(start) == end - 1:
        start, end = start + 1, end - 1
    return Markup("<sup>{}</sup>").format(piece(text, closed, start, end, depth + 1))


def typeset_html(text: str) -> Markup:
    """HTML with the formulas in its words typeset; tags and what is in `code` are left as they are."""
    found, code = [], 0
    for tag, words in re.findall(r"(<[^>]*>)|([^<]+)", text):
        code += tag.startswith("<code") - (tag == "</code>")
        found.append(tag or (words if code else typeset(html.unescape(words))))
    return Markup("".join(found))  # noqa: S704 - tags are those of the given HTML, words are escaped by `typeset`


def searchable(text: str) -> str:
    """Text in lower case for the index of the search, and after it the other spellings of the symbols it has.

    So a text with `eps`, `epsilon` or `ε` has all three, one with `eps0` also `epsilon0` and `ε₀`, and one with
    `sqrt`, `√` or `root` these. Numbers stay as they are: `Theorem 3` has the words `theorem` and `3`.

    JavaScript must put a query into lower case (`toLowerCase`) and split it at spaces (`/\\s+/`, without empty words).
    A text is found if every word of the query occurs in it (`includes`), in any order; a query without words finds
    all. Nothing else is done to the query, since the index has every spelling.
    """
    low = " ".join(text.lower().split())
    known = set(low.split())
    others = dict.fromkeys(spelling for group in SPELLINGS for spelling in spelled(low, group))
    return " ".join([*filter(None, [low]), *(each for each in others if each not in known)])


def spelled(low: str, group: tuple[str, ...]) -> list[str]:
    """All spellings of a symbol that a text in lower case has, with an index where it has one; none otherwise."""
    *names, sign = group
    # letters beside a name make another word, as in `steps`; a sign may stand beside anything, as in `2ε`
    places = rf"(?<!\w)(?:{'|'.join(names)})(?:(?P<index>_?0|₀)|s)?(?!\w)|{sign}(?P<of_sign>_?0|₀)?"
    found = list(re.finditer(places, low))
    indexed = any(each["index"] or each["of_sign"] for each in found)
    return [each + index for each in group for index in ("", *(INDICES if indexed else ()))] if found else []
