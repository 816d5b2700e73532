"""Generate the default notebook of a paper: every figure, table, measurement, claim and audit, each once."""

from collections.abc import Iterator, Sequence

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from dpbandits.config.audit_figures import FIGURES
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import AnyFigure
from dpbandits.text.escapes import in_markdown

AUDIT = """## Privacy audit

Each mechanism is compared with its claim in three ways. Two calculations give the **actual** epsilon, or bounds on it
(but not for user-defined classes). Runs on two neighboring inputs give a **lower bound** without using knowledge of
the mechanism. *violated* means that the actual epsilon exceeds the claimed one. *consistent* means that nothing
contradicts the claim, which is proven if actual over claimed is at most 1. *no power* means that the runs decide
nothing: they are too few for the claim and no calculation decides, or, for an audit of all actions that an algorithm
plays, they do not detect half the noise."""

PARAMETERS = """\
# The pipeline sets its folders here. Opened by hand, the notebook shows the last run or the committed results.
folders = None"""


def default_notebook(paper: Paper) -> nbformat.NotebookNode:
    """Notebook in nbformat, with the tagged cell that the render stage looks for."""
    cells = [
        new_markdown_cell(introduction(paper)),
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        *(new_code_cell(text) if code else new_markdown_cell(text) for code, text in body(paper)),
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return new_notebook(cells=cells, metadata={**kernel, "language_info": {"name": "python"}})


def introduction(paper: Paper) -> str:
    """Title, authors, and how the notebook was generated."""
    authors = in_markdown(", ".join(paper.authors))
    return (
        f"# {in_markdown(paper.title)}\n\n{authors} ({in_markdown(paper.reference)}).\n\n"
        f"This notebook is generated from `{paper.file}`: it has every figure, table, claim and audit of the paper. "
        f"To write your own notebook, create `notebooks/{paper.key}.ipynb`, which then replaces it."
    )


def setup(key: str) -> str:
    """Code cell that loads the results."""
    return f"""\
import pandas as pd
from IPython.display import display

import dpbandits as dpb

pd.options.display.float_format = "{{:.3g}}".format
pd.options.display.max_colwidth = None

results = dpb.load_results("{key}", "last", folders=folders)
results"""


def body(paper: Paper) -> Iterator[tuple[bool, str]]:
    """Cells after the parameters, in order, each as (is code, text)."""
    yield True, setup(paper.key)
    of_audits = FIGURES if paper.audits else ()
    figures = {name: section for name, section in paper.figures.items() if name not in of_audits}
    shown: dict[str, None] = {}
    for name, section in figures.items():
        yield False, f"## {in_markdown(section.shows)}\n\n{in_markdown(section.caption)}"
        yield True, drawn(name, section.calibrations)
        own = [claim for claim in _claims(section) if claim not in shown]
        if own:
            yield True, call("verdicts", *own)
        shown |= dict.fromkeys(own)
    for name, printed in paper.tables.items():
        yield False, f"## {in_markdown(printed.shows)}\n\n{in_markdown(printed.caption)}"
        yield True, call("printed_table", name)
    for name, measured in paper.measurements.items():
        yield False, f"## {in_markdown(measured.says)}"
        for calibration in measured.calibrations:
            yield True, call("measurement", name, calibration)
    audited = _claims(paper.figures["audit_epsilons"]) if paper.audits else []
    if others := [claim for claim in paper.claims if claim not in {*shown, *audited}]:
        yield False, "## Claims that no figure shows"
        yield True, call("verdicts", *others)
    if paper.audits:
        yield False, AUDIT
        if rest := [claim for claim in audited if claim not in shown]:
            yield True, call("verdicts", *rest)
        for name in FIGURES:
            yield True, drawn(name, paper.figures[name].calibrations)
        yield True, "results.audit_table"
    if assumptions(paper):
        yield False, "## What was assumed"
        yield True, "results.assumptions"


def call(function: str, *names: str) -> str:
    """Source of a method call on the results."""
    return f"results.{function}({', '.join(_quoted(name) for name in names)})"


def drawn(name: str, calibrations: Sequence[str]) -> str:
    """Cell that shows a figure at all of its calibrations."""
    if len(calibrations) == 1:
        return call("figure", name, *calibrations)
    every = ", ".join(map(_quoted, calibrations))
    return f"for calibration in ({every}):\n    display(results.figure({_quoted(name)}, calibration))"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _claims(figure: AnyFigure) -> list[str]:
    """Claims of a figure, each once, without variants: the table of verdicts includes those."""
    return list(dict.fromkeys(claim.partition("/")[0] for claim in figure.claims))
