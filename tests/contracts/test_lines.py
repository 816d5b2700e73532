"""The docstring of an algorithm numbers the lines of its pseudo-code, and its code is marked with the same numbers.

A line is `L3` at the start of an indented line of the module docstring. A mark is a comment that starts with `# L3`,
`# L3, L4` (both lines) or `# L3 or L4` (one of them, by the case). Marks inside `run_literal` do not count: the kernel
has to show where each line is. The same holds for modules with the rounds of one calibration or variant, which have
pseudo-code and no entry in the table.

A call that does two or more lines must not hide them: the functions that it calls carry these marks as well. A function
that algorithms with other numbers share names them: `# L4, L5 of ldp_ucb; L4, L6 of ldp_gloc`.
"""

import ast
import functools
import io
import re
import tokenize
from pathlib import Path

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS, SOURCE_ROOT
from tests.shipped import COMMITTED, played_by

LINE = re.compile(r"^ +L(\d+) ", re.MULTILINE)
MENTION = re.compile(r"\bL(\d+)\b")
MARK = re.compile(r"# ?(L\d+(?:(?:, | or )L\d+)*)\b")
NAMED = re.compile(r"(L\d+(?:, L\d+)*) of (\w+(?:, \w+)*)")
FEWEST = 2
"""Lines of the shortest pseudo-code."""
PACKAGE = "dpbandits.algorithms"
SHIPPED = played_by(COMMITTED)
CALLING = (ast.Expr, ast.Assign, ast.Return)
"""Statements that may be one call, or a tuple of calls."""


def path(name: str) -> Path:
    """The file of an algorithm."""
    return SOURCE_ROOT / (ALGORITHMS.place(name).replace(".", "/") + ".py")


@functools.cache
def rounds_beside() -> list[Path]:
    """Modules of the families that have pseudo-code and are not an algorithm's own."""
    own = {path(name) for name in TABLE}
    found = sorted((SOURCE_ROOT / "dpbandits" / "algorithms").glob("*/*.py"))
    texts = {each: ast.get_docstring(ast.parse(each.read_text(encoding="utf-8")), clean=False) for each in found}
    return [each for each, text in texts.items() if each not in own and lines_of(text or "")]


def lines_of(docstring: str) -> list[int]:
    """Numbers of the lines of pseudo-code, in their order."""
    return [int(number) for number in LINE.findall(docstring)]


def numbers(text: str) -> set[int]:
    """Numbers of the lines that a text mentions."""
    return {int(number) for number in MENTION.findall(text)}


def span(node: ast.stmt) -> range:
    """Rows of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


@functools.cache
def comments_of(source: str) -> dict[int, str]:
    """Row -> comment, without those inside `run_literal`."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    literal = [span(node) for node in functions if node.name == "run_literal"]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
    return {row: text for row, text in found.items() if not any(row in body for body in literal)}


def marks_of(source: str) -> set[int]:
    """Numbers in the marks of a module, without those inside `run_literal`."""
    marks = [MARK.match(text) for text in comments_of(source).values() if not NAMED.search(text)]
    return {number for mark in marks if mark for number in numbers(mark[1])}


def marks_for(comment: str, name: str) -> set[int]:
    """Numbers in a mark that hold for that algorithm: all where no algorithm is named.

    Helpers do not know the name of a copy of an algorithm, so that all of their marks hold for one.
    """
    if named := NAMED.findall(comment):
        every = name not in SHIPPED
        return {number for lines, names in named if every or name in names.split(", ") for number in numbers(lines)}
    mark = MARK.match(comment)
    return numbers(mark[1]) if mark else set()


@functools.cache
def tree_of(module: str) -> tuple[str, ast.Module]:
    """Source and syntax tree of a module of the package."""
    source = (SOURCE_ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")
    return source, ast.parse(source)


@functools.cache
def scope(module: str) -> dict[str, tuple[str, str]]:
    """Name of a function or module -> module of the algorithms that has it, and its name there (empty: the module)."""
    found = {node.name: (module, node.name) for node in tree_of(module)[1].body if isinstance(node, ast.FunctionDef)}
    for node in tree_of(module)[1].body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            for alias in node.names:
                below = SOURCE_ROOT / f"{node.module}.{alias.name}".replace(".", "/")
                inside = (f"{node.module}.{alias.name}", "") if below.with_suffix(".py").exists() else None
                found[alias.asname or alias.name] = inside or (node.module or "", alias.name)
    return found


def called(node: ast.AST, module: str) -> tuple[str, str] | None:
    """Module and name of the function of the algorithms that a call calls, if it is one."""
    target = node.func if isinstance(node, ast.Call) else None
    if isinstance(target, ast.Name):
        return scope(module).get(target.id)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in scope(module):
        return scope(module)[target.value.id][0], target.attr
    return None


def marks_within(function: tuple[str, str], name: str, seen: set[tuple[str, str]]) -> set[int]:
    """Numbers in the marks of a function, and of those that it calls and are not `seen`, for one algorithm."""
    source, tree = tree_of(function[0])
    bodies = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function[1]]
    if not bodies or function in seen:
        return set()
    seen.add(function)
    found = {n for row, text in comments_of(source).items() if row in span(bodies[0]) for n in marks_for(text, name)}
    for node in ast.walk(bodies[0]):
        if inner := called(node, function[0]):
            found |= marks_within(inner, name, seen)
    return found


def hidden(module: str) -> list[str]:
    """Lines that are marked at a call, or a tuple of calls, with others, and not in what is called."""
    source, tree = tree_of(module)
    name, comments, found = module.rpartition(".")[2], comments_of(source), []
    for node in ast.walk(tree):
        if not isinstance(node, CALLING):
            continue
        mark = MARK.match(comments.get(node.end_lineno or 0, ""))
        wanted = numbers(mark[1]) if mark and " or " not in mark[1] else set()
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if len(wanted) < 2 or not any(called(part, module) for part in parts if part):
            continue
        calls = {call for inner in ast.walk(node) if (call := called(inner, module))}
        shown = {number for call in calls for number in marks_within(call, name, set())}
        functions = ", ".join(sorted(function for _, function in calls))
        found += [
            f"L{number} is marked at a call of {functions}; mark it there, too" for number in sorted(wanted - shown)
        ]
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


def dotted(file: Path) -> str:
    """Dotted name of the module in a file of the package."""
    return ".".join(file.relative_to(SOURCE_ROOT).with_suffix("").parts)


@pytest.mark.parametrize("module", [dotted(each) for each in [*map(path, TABLE), *rounds_beside()]])
def test_no_call_hides_several_lines(module):
    assert hidden(module) == []


@pytest.mark.parametrize(
    "file", sorted((SOURCE_ROOT / "dpbandits" / "algorithms").glob("*/*.py")), ids=lambda f: f.stem
)
def test_marks_with_names_are_lines_of_those_algorithms(file):
    own = {each.stem: each for each in [*map(path, TABLE), *rounds_beside()]}
    for comment in comments_of(file.read_text(encoding="utf-8")).values():
        for lines, names in NAMED.findall(comment):
            for name in names.split(", "):
                docstring = ast.get_docstring(ast.parse(own[name].read_text(encoding="utf-8")), clean=False)
                assert numbers(lines) <= set(lines_of(docstring or "")), f"{name} has no {lines}: {comment}"


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


@pytest.mark.parametrize(
    ("comment", "name", "expected"),
    [
        ("# L4, L6", "ldp_gloc", {4, 6}),
        ("# L4, L5 of ldp_ucb; L4, L6 of ldp_gloc, ldp_sgd", "ldp_sgd", {4, 6}),
        ("# L4, L5 of ldp_ucb; L4, L6 of ldp_gloc", "ldp_ucb", {4, 5}),
        ("# L4, L5 of ldp_ucb", "ldp_ucb_multi", set()),
        ("# as in L4", "ldp_ucb", set()),
    ],
)
def test_marks_hold_for_the_algorithms_that_they_name(comment, name, expected):
    assert marks_for(comment, name) == expected


def test_a_call_that_hides_lines_is_found(monkeypatch):
    shown, plain = tree_of("dpbandits.algorithms.glm_single.ldp_gloc_learner"), tree_of
    bare = "\n".join(row.partition("  # L")[0] for row in shown[0].splitlines())
    changed = {"dpbandits.algorithms.glm_single.ldp_gloc_learner": (bare, ast.parse(bare))}
    monkeypatch.setattr(f"{__name__}.tree_of", lambda module: changed.get(module) or plain(module))
    assert [each.split()[0] for each in hidden("dpbandits.algorithms.glm_single.ldp_gloc")] == ["L4", "L5", "L6", "L7"]
