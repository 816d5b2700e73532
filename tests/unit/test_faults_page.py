"""The page of faults has a row for every test that injects one, and its words."""

import ast
import re

import pytest

from tests.faults.table import PAGE, injects, page, rows
from tests.shipped import ROOT

WHOLE = ("tests/workflow/test_interrupted.py", "tests/workflow/test_disks.py")
"""Files in which every test injects a fault."""


def test_the_page_is_what_the_tests_say():
    """Else: python -m tests.faults.table --write."""
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text


def test_the_page_has_the_tests_of_faults():
    found = list(rows())
    assert len(found) > 30
    assert len({row[0] for row in found}) == len(found), "no fault stands twice"
    listed = {row[-1].strip("`") for row in found}
    for name in WHOLE:
        functions = {
            f"{name}::{node.name}"
            for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        }
        assert functions <= listed
    for row in found:
        assert not re.search(r"[|\n]", "".join(row)), "a cell is one line"


def test_a_row_says_all():
    with pytest.raises(AssertionError):
        injects("a fault", tried="somehow", happens="", do="nothing")
