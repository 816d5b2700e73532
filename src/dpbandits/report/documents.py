"""Pages of files of the project: Markdown as it reads, YAML and Python with numbers of their lines."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from posixpath import dirname, join, normpath, relpath
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from dpbandits.text.formulas import typeset_html

MARKDOWN = ".md"


@dataclass(frozen=True)
class Document:
    """A file of the project: its title, and the HTML of what it says."""

    name: str
    title: str
    html: Markup


def page_of(name: str) -> str:
    """The page of a file, from the top of the site: `docs/proofs/gloc.html`, `config/papers/hu2021.yaml.html`."""
    return f"{name.removesuffix(MARKDOWN)}.html"


def document(name: str, text: str, shown: Collection[str]) -> Document:
    """The page of a file; in Markdown, links to files that have a page lead there, others become plain words.

    Parameters
    ----------
    shown : names of all files that have a page.
    """
    if not name.endswith(MARKDOWN):
        return Document(name, name, numbered(text))
    tokens = parser().parse(text)
    parser().renderer.heading = ""  # type: ignore[attr-defined] # that of another file
    title = name
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", place_of(inline.content))
            title = inline.content if heading.tag == "h1" else title
        for child in inline.children or ():
            if child.type == "link_open":
                child.attrSet("href", led(str(child.attrGet("href")), name, shown))
    html = parser().renderer.render(tokens, parser().options, {})
    return Document(name, title, typeset_html(re.sub(r'<a href=""[^>]*>(.*?)</a>', r"\1", html, flags=re.DOTALL)))


def led(link: str, name: str, shown: Collection[str]) -> str:
    """Where a link of a file leads in the site: from its page to that of another file; nowhere if that has none."""
    if link.startswith(("https:", "#")):
        return link
    file, mark, place = link.partition("#")
    to = normpath(join(dirname(name), file))
    return relpath(page_of(to), dirname(name) or ".") + mark + place if to in shown else ""


def place_of(heading: str) -> str:
    """The name of a heading in addresses, as hosts of Markdown have it: lower case, spaces as hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def numbered(text: str) -> Markup:
    """Lines of a file, each with its number and a place for addresses: `L12`."""
    lines = (
        Markup('<span id="L{0}" data-line="{0}">{1}\n</span>').format(number, line)
        for number, line in enumerate(text.splitlines(), 1)
    )
    return Markup('<pre class="listing"><code>{}</code></pre>').format(Markup("").join(lines))


def linked_claims(html: str, pages: Mapping[str, str]) -> Markup:
    """HTML in whose cells the names of claims (`C3`, `C3/variant`) lead to their pages."""
    names = "|".join(sorted(map(re.escape, pages), key=len, reverse=True))
    if not names:
        return Markup(html)  # noqa: S704 - as it was made
    link = rf"(?<![\w/])({names})(?![\w/])"

    def cell(found: re.Match[str]) -> str:
        return re.sub(link, lambda name: f'<a href="{escape(pages[name[0]])}">{name[0]}</a>', found[0])

    return Markup(re.sub(r"<td[^>]*>[^<]*</td>", cell, html))  # noqa: S704 - so was the HTML, and addresses are escaped


def linked_proofs(text: str, documents: Mapping[str, str], top: str) -> Markup:
    """Sources between semicolons; those in the project's own proofs lead to the heading that begins as they say.

    `docs/proofs/shuffling.md, Theorem 2` is below `Theorem 2: approximate reports`.
    """
    found = []
    for source in text.split("; "):
        name, _, heading = source.partition(", ")
        places = map(place_of, re.findall(r"^#+ (.*)$", documents.get(name, ""), re.MULTILINE))
        begins = rf"{re.escape(place_of(heading))}(-.*)?"
        place = next((f"#{each}" for each in places if re.fullmatch(begins, each)), "")
        link = Markup('<a href="{}">{}</a>').format(f"{top}{page_of(name)}{place}", source)
        found.append(link if name in documents else escape(source))
    return Markup("; ").join(found)


def lines_of_claims(text: str) -> dict[str, int]:
    """Number of the line in which each claim of a paper's YAML begins."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    claims = [value for key, value in root.value if key.value == "claims"] if root else []
    return {key.value: key.start_mark.line + 1 for section in claims for key, _ in section.value}


class Renderer(RendererHTML):
    """HTML of Markdown with a caption for each table, and a frame in which wide ones move."""

    heading = ""

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        self.heading = tokens[at + 1].content
        return self.renderToken(tokens, at, options, env)

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        label = escape(self.heading)
        return f'<div class="scroll" role="group" aria-label="{label}" tabindex="0"><table><caption>{label}</caption>\n'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "</table></div>\n"


@cache
def parser() -> MarkdownIt:
    """Markdown with tables and without HTML."""
    return MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer).enable("table")
