"""Text of the configuration in other places than pages: one function for each place, which keeps it a text there.

Pages are made by `jinja`, which escapes all, and text for terminals is in `config.letters`.
"""

import html
from typing import Any

LIKE = str.maketrans({"{": "(", "}": ")", "<": "‹", ">": "›"})
FORMULAS = ("=", "+", "-", "@")
"""How a cell begins that spreadsheets compute. Signs that are not printed, which they skip, no text has."""


def in_snakemake_report(text: str) -> str:
    """For the labels of Snakemake's report, without braces and tags.

    Snakemake takes braces for wildcards, several times over, and writes labels into a script as they are.
    """
    return text.translate(LIKE)


def in_picture(text: str) -> str:
    """For Matplotlib, which would take what stands between two dollar signs for a formula."""
    return text.replace("$", r"\$")


def in_markdown(text: str) -> str:
    """For a cell of a notebook: no tags, links, pictures or formulas. Emphasis and code stay."""
    for sign in "[]$":
        text = text.replace(sign, f"\\{sign}")
    return html.escape(text, quote=False)


def in_cell(value: Any) -> Any:
    """For a spreadsheet: text that would be a formula gets an apostrophe in front; numbers are left."""
    if not isinstance(value, str) or not value.lstrip().startswith(FORMULAS) or _number(value):
        return value
    return f"'{value}"


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
