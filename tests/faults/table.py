"""The table of faults in docs/howto/faults.md, from the tests that inject them.

`python -m tests.faults.table --write` writes it; `tests/unit/test_faults_page.py` compares it.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

from tests.shipped import ROOT

Test = TypeVar("Test", bound=Callable[..., object])
PAGE = ROOT / "docs/howto/faults.md"
BEGIN, END = "<!-- begin: python -m tests.faults.table -->\n\n", "\n<!-- end -->\n"
COLUMNS = ("fault", "how it is tried", "what happens", "what you do", "test")


def injects(what: str, *, tried: str, happens: str, do: str) -> Callable[[Test], Test]:
    """State which fault a test injects, how, what happens, and what the user does: a row of the table."""
    assert all((what, tried, happens, do))
    return lambda test: test


def rows() -> Iterator[tuple[str, ...]]:
    """Rows of the table, in the order of files and tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            for each in node.decorator_list:
                if isinstance(each, ast.Call) and ast.unparse(each.func) == "injects":
                    told = {option.arg: ast.literal_eval(option.value) for option in each.keywords}
                    place = f"`{path.relative_to(ROOT).as_posix()}::{node.name}`"
                    yield ast.literal_eval(each.args[0]), told["tried"], told["happens"], told["do"], place


def table() -> str:
    """Table as Markdown."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows()]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page(text: str) -> str:
    """Text of the page with the table of these tests."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    written = page(PAGE.read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(written, encoding="utf-8")
    else:
        print(table(), end="")
