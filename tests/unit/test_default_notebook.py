"""The notebook of a paper that has none: everything in the YAML once, by functions that the package has."""

import ast

import nbformat
import pytest

from dpbandits.figures.default_notebook import default_notebook
from dpbandits.stages import render
from tests.contracts.test_notebooks import absent
from tests.shipped import PAPERS, shipped


def cells(key, kind):
    """Cells of one kind of the notebook of a paper."""
    return [cell["source"] for cell in default_notebook(shipped().papers[key])["cells"] if cell["cell_type"] == kind]


def named(key, method):
    """What the notebook of a paper passes to a method of its results: every call's arguments but variables."""
    calls = [node for cell in cells(key, "code") for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Call)]
    own = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]
    return [[argument.value for argument in call.args if isinstance(argument, ast.Constant)] for call in own]


@pytest.mark.parametrize("key", PAPERS)
def test_everything_of_a_paper_is_shown_once(key):
    paper = shipped().papers[key]
    shown = [name for name, *_ in named(key, "figure")]
    assert sorted(shown) == sorted(paper.figures)
    assert named(key, "printed_table") == [[name] for name in paper.tables]
    assert sorted(claim for claims in named(key, "verdicts") for claim in claims) == sorted(paper.claims)
    measured = [[name, each] for name, section in paper.measurements.items() for each in section.calibrations]
    assert named(key, "measurement") == measured
    words = "\n".join(cells(key, "markdown"))
    every = [*paper.figures.values(), *paper.tables.values()]
    assert all(each.caption in words for each in every if not each.shows.startswith("Audit"))


@pytest.mark.parametrize("key", PAPERS)
def test_it_is_a_notebook_that_takes_only_what_the_package_has(key):
    made = default_notebook(shipped().papers[key])
    nbformat.validate(made)
    assert absent(cells(key, "code")) == []
    assert [cell["metadata"].get("tags") for cell in made["cells"]][:3] == [None, ["parameters"], None]


def test_it_is_executed_where_a_notebook_of_its_own_would_be(tmp_path):
    cell = nbformat.v4.new_code_cell("import os; print(os.getcwd(), where)")
    made = nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "python"}})
    place = tmp_path / "notebooks/one2020.ipynb"
    place.parent.mkdir()
    assert f"{place.parent} here" in render.execute(place, {"where": "here"}, made)
    assert not place.exists()
