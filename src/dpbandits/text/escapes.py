"""Escape text from the configuration for targets other than pages, one function per target.

Pages are made by `jinja`, which escapes everything. Text for terminals is handled in `config.letters`.
"""

import html
from typing import Any

LIKE = str.maketrans({"{": "(", "}": ")", "<": "‹", ">": "›"})
FORMULAS = ("=", "+", "-", "@")
"""First characters of cells that spreadsheets evaluate. Texts here have no nonprinting characters, which they skip."""


def in_snakemake_report(text: str) -> str:
    """Escape a label for Snakemake's report: no braces and no tags.

    Snakemake repeatedly expands braces as wildcards, and writes labels into a script unescaped.
    """
    return text.translate(LIKE)


def in_picture(text: str) -> str:
    """Escape text for Matplotlib, which reads text between two dollar signs as a formula."""
    return text.replace("$", r"\$")


def in_markdown(text: str) -> str:
    """Escape text for a notebook cell: no tags, links, images or formulas. Emphasis and code stay."""
    for sign in "[]$":
        text = text.replace(sign, f"\\{sign}")
    return html.escape(text, quote=False)


def in_cell(value: Any) -> Any:
    """Escape text for a spreadsheet: a text that would be a formula gets a leading apostrophe. Numbers stay."""
    if not isinstance(value, str) or not value.lstrip().startswith(FORMULAS) or _number(value):
        return value
    return f"'{value}"


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
