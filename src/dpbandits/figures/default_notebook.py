"""The notebook of a paper that has none of its own: every figure, table, measurement, claim and audit once."""

from collections.abc import Iterator

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from dpbandits.config.audit_figures import FIGURES
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import AnyFigure

AUDIT = """## The audit: as private as it says?

Each mechanism is set beside its claim in three ways. Two calculations give the **actual** epsilon, or bounds on it;
runs on two neighboring inputs give a **lower bound** that knows nothing of the mechanism. *violated* means that
the actual epsilon lies above the claimed one; *consistent* that nothing contradicts the claim, which is proven where
actual over claimed is at most 1; *no power* that runs decide nothing: they are too few for the claim and no
calculation decides, or, where all that an algorithm lets anybody see is looked at, they do not find it with half
the noise."""

PARAMETERS = """# The pipeline passes these. Opened by hand, this shows the results of the last run, or committed ones.
tables_dir = claims_json = audit_json = figures_dir = None"""


def default_notebook(paper: Paper) -> nbformat.NotebookNode:
    """The notebook as nbformat has it, with the tagged cells that the stage render and the page look for."""
    cells = [
        new_markdown_cell(introduction(paper)),
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        new_code_cell(setup(paper.key), metadata={"tags": ["setup"]}),
        *(new_code_cell(text) if code else new_markdown_cell(text) for code, text in body(paper)),
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return new_notebook(cells=cells, metadata={**kernel, "language_info": {"name": "python"}})


def introduction(paper: Paper) -> str:
    """Title, authors, and where the notebook comes from."""
    return (
        f"# {paper.title}\n\n{', '.join(paper.authors)} ({paper.reference}).\n\n"
        f"This notebook is generated from `{paper.file}`: it has every figure, table, claim and audit of the paper. "
        f"To tell the story in your own words, write `notebooks/{paper.key}.ipynb`, which then takes its place."
    )


def setup(key: str) -> str:
    """The cell that opens the results."""
    return (
        "from dpbandits.figures import notebook\n"
        "from dpbandits.figures.notebook import table\n\n"
        f'results = notebook.open_results("{key}", tables_dir, claims_json, audit_json, figures_dir)'
    )


def body(paper: Paper) -> Iterator[tuple[bool, str]]:
    """Cells after the set-up, in order: whether each is code, and its text."""
    of_audits = FIGURES if paper.audits else ()
    figures = {name: section for name, section in paper.figures.items() if name not in of_audits}
    shown: dict[str, None] = {}
    for name, section in figures.items():
        yield False, f"## {section.shows}\n\n{section.caption}"
        yield True, call("show_all", name)
        own = [claim for claim in _claims(section) if claim not in shown]
        if own:
            yield True, verdicts(own)
        shown |= dict.fromkeys(own)
    for name, printed in paper.tables.items():
        yield False, f"## {printed.shows}\n\n{printed.caption}"
        yield True, call("tables_of", name)
    for name, measured in paper.measurements.items():
        yield False, f"## {measured.says}"
        for calibration in measured.calibrations:
            yield True, f"table({call('measurement_rows', name, calibration)})"
    audited = _claims(paper.figures["audit_epsilons"]) if paper.audits else []
    if others := [claim for claim in paper.claims if claim not in {*shown, *audited}]:
        yield False, "## Claims that no figure shows"
        yield True, verdicts(others)
    if paper.audits:
        yield False, AUDIT
        yield True, call("audit", *audited)
    if assumptions(paper):
        yield False, "## What was assumed"
        yield True, f"table({call('assumption_rows')})"


def call(function: str, *names: str) -> str:
    """A call of a function of `figures/notebook.py` on the results."""
    return f"notebook.{function}({', '.join(['results', *(_quoted(name) for name in names)])})"


def verdicts(claims: list[str]) -> str:
    """The cell with the verdicts on some claims."""
    return f"table({call('verdict_rows', *claims)})"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _claims(figure: AnyFigure) -> list[str]:
    """Claims of a figure without their variants, which the table of verdicts shows as well, each once."""
    return list(dict.fromkeys(claim.partition("/")[0] for claim in figure.claims))
