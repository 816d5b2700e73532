"""The docstring of an algorithm numbers the lines of its pseudo-code, and its code is marked with the same numbers.

A line is `L3` at the start of an indented line of the module docstring. A mark is a comment that starts with `# L3` or
`# L3, L4`. Marks inside `run_literal` do not count: the kernel has to show where each line is. The same holds for
modules with the rounds of one calibration or variant, which have pseudo-code and no entry in the table.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS, SOURCE_ROOT

LINE = re.compile(r"^ +L(\d+) ", re.MULTILINE)
MENTION = re.compile(r"\bL(\d+)\b")
MARK = re.compile(r"# ?(L\d+(?:, L\d+)*)\b")
FEWEST = 2
"""Lines of the shortest pseudo-code."""


def path(name: str) -> Path:
    """The file of an algorithm."""
    return SOURCE_ROOT / (ALGORITHMS.place(name).replace(".", "/") + ".py")


def rounds_beside() -> list[Path]:
    """Modules of the families that have pseudo-code and are not an algorithm's own."""
    own = {path(name) for name in TABLE}
    found = sorted((SOURCE_ROOT / "dpbandits" / "algorithms").glob("*/*.py"))
    texts = {each: ast.get_docstring(ast.parse(each.read_text(encoding="utf-8")), clean=False) for each in found}
    return [each for each, text in texts.items() if each not in own and lines_of(text or "")]


def lines_of(docstring: str) -> list[int]:
    """Numbers of the lines of pseudo-code, in their order."""
    return [int(number) for number in LINE.findall(docstring)]


def marks_of(source: str) -> set[int]:
    """Numbers in the marks of a module, without those inside `run_literal`."""
    literal = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "run_literal"
    ]
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        mark = MARK.match(token.string) if token.type == tokenize.COMMENT else None
        if mark and not any(token.start[0] in body for body in literal):
            found |= {int(number) for number in MENTION.findall(mark[1])}
    return found


def problems(source: str) -> list[str]:
    """What is wrong with the pseudo-code and the marks of a module; empty if nothing is."""
    docstring = ast.get_docstring(ast.parse(source), clean=False) or ""
    lines, marks = lines_of(docstring), marks_of(source)
    mentions = {int(number) for number in MENTION.findall(docstring)}
    found = []
    if lines != list(range(1, len(lines) + 1)):
        found.append(f"lines of the docstring are numbered {lines}; number them from 1 without a gap")
    if len(lines) < FEWEST:
        found.append(f"the docstring has {len(lines)} lines of pseudo-code; write at least {FEWEST}")
    for wrong, remedy in (
        (set(lines) - marks, "has no mark outside run_literal; mark the code that does it"),
        (marks - set(lines), "is marked, but is not a line of the docstring"),
        (mentions - set(lines), "is mentioned in the docstring, but is not one of its lines"),
    ):
        found += [f"L{number} {remedy}" for number in sorted(wrong)]
    return found


@pytest.mark.parametrize("name", TABLE)
def test_lines_of_the_pseudo_code_are_marked_in_the_code(name):
    assert problems(path(name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", rounds_beside(), ids=lambda module: module.stem)
def test_rounds_beside_those_of_an_algorithm_are_marked_as_well(module):
    assert problems(module.read_text(encoding="utf-8")) == []


def test_released_rounds_are_found():
    assert "ldp_gloc_multi_released" in {module.stem for module in rounds_beside()}


# The checker itself
PLAIN = '''"""Title.

    L1  for t = 1, 2, ...:
    L2      pull an arm
    L3      learn, see L2
"""

def run():
    for t in range(9):  # L1
        pull()  # L2, L3

def run_literal():
    learn()  # L3
'''


def test_a_module_that_conforms_has_no_problems():
    assert problems(PLAIN) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("  # L1", "", "L1 has no mark"),
        ("# L2, L3", "# L2", "L3 has no mark"),
        ("# L2, L3", "# L2, L3, L4", "L4 is marked, but"),
        ("    L3      learn, see L2\n", "", "L3 is marked, but"),
        ("see L2", "see L9", "L9 is mentioned"),
        ("    L2      pull", "    L4      pull", "numbered [1, 4, 3]"),
        ("    L2      pull", "    L1      pull", "numbered [1, 1, 3]"),
        ("    L1  for", "    for", "numbered [2, 3]"),
        ("# L1", "# as in L1", "L1 has no mark"),
        ("pull()  # L2, L3", 'pull("# L2, L3")', "L2 has no mark"),
    ],
    ids=[
        "missing_mark",
        "mark_in_run_literal_only",
        "extra_mark",
        "missing_line",
        "mention_of_no_line",
        "gap",
        "repeated_line",
        "first_line_missing",
        "comment_that_is_not_a_mark",
        "mark_in_a_string",
    ],
)
def test_the_checker_finds(old, new, problem):
    assert PLAIN.count(old) == 1
    assert any(problem in each for each in problems(PLAIN.replace(old, new)))


@pytest.mark.parametrize("docstring", ["", '"""Title."""\n', '"""Title.\n\n    L1  pull an arm\n"""\n'])
def test_the_checker_wants_at_least_two_lines(docstring):
    marked = "x = 1  # L1\n" if "L1" in docstring else "x = 1\n"
    assert [each for each in problems(docstring + marked) if "at least 2" in each]
