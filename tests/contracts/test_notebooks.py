"""What a notebook takes from the package is there: found without running the notebook."""

import ast
import json
import types
from pathlib import Path

import pytest

NOTEBOOKS = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))


def code(notebook: Path) -> list[str]:
    """The code cells of a notebook."""
    cells = json.loads(notebook.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def absent(cells: list[str]) -> list[str]:
    """What the cells import, or take from an imported module, that is not there."""
    space: dict[str, object] = {}
    faults = []
    for cell in cells:
        tree = ast.parse(cell)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                try:
                    exec(ast.unparse(node), space)  # noqa: S102 - import statements of our own notebooks
                except ImportError as fault:
                    faults.append(str(fault))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                holder = space.get(node.value.id)
                if isinstance(holder, types.ModuleType) and not hasattr(holder, node.attr):
                    faults.append(f"{holder.__name__} has no {node.attr}")
    return faults


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_takes_only_what_the_package_has(notebook: Path) -> None:
    cells = code(notebook)
    assert any("import" in cell for cell in cells)
    assert absent(cells) == []


def test_absent_names_are_noticed() -> None:
    cells = ["from dpbandits.figures import style, no_such_paper", "style.no_such_function(1)"]
    assert len(absent(cells)) == 2
