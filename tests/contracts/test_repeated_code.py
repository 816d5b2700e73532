"""No two files of algorithms share a run of more than ten equal lines of code, except for the pairs in `ALIKE`.

Comments, docstrings, blank lines, imports and signatures do not count. Each file reads as one algorithm of one paper,
so algorithms of one framework have some equal lines. Longer runs belong in a module that both import.
"""

import ast
import functools
import io
import itertools
import tokenize
from pathlib import Path

from dpbandits.base.registry import SOURCE_ROOT

MOST = 10
"""Lines that two files may share in a row."""
ALIKE = {
    "bernoulli adap_kl_ucb adap_ucb": "Azize and Basu give one algorithm, AdaP; only the index in it differs",
    "bernoulli dp_imed dp_kl_ucb": "Azize et al. play both in the same batches; only the index differs",
    "linucb linucb_ldp linucb_sdp_amp": "Algorithm 1 of Chowdhury and Zhou; the sum of noisy messages is the same",
    "phased_elimination phased_elimination_central phased_elimination_no_core_set": "Algorithm 1 of Hanna et al. and "
    "its rival without a core set (Figure 3(b))",
    "phased_elimination phased_elimination_local phased_elimination_shuffled": "Algorithms 2 and 3 of Hanna et al., "
    "with the same batches and core sets",
    "semi_bandit cucb_dp cucb_dp_least": "Algorithm 3 of Chen et al., and it on one arm of the super arm (Section 3.2)",
}
"""Family and two files that may share longer runs, with the reason from the paper."""


def rows_left_out(tree: ast.Module) -> set[int]:
    """Rows of imports, signatures and docstrings."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.FunctionDef):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found |= set(range(start, node.body[0].lineno))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def code_of(source: str) -> list[str]:
    """Lines of code, without indentation."""
    rows, left_out = source.splitlines(), rows_left_out(ast.parse(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            rows[row - 1] = rows[row - 1][:column]
    lines = (text.strip() for row, text in enumerate(rows, 1) if row not in left_out)
    return [line for line in lines if line]


def runs_of(source: str) -> set[tuple[str, ...]]:
    """Every run of one line more than allowed."""
    lines = code_of(source)
    return {tuple(lines[start : start + MOST + 1]) for start in range(len(lines) - MOST)}


def shared(sources: dict[str, str]) -> dict[tuple[str, str], str]:
    """Pairs of files that share a run of more lines than allowed -> the first line of one such run."""
    runs = {name: runs_of(source) for name, source in sorted(sources.items())}
    both = {pair: runs[pair[0]] & runs[pair[1]] for pair in itertools.combinations(runs, 2)}
    return {pair: min(found)[0] for pair, found in both.items() if found}


def files() -> dict[str, str]:
    """Family and name -> source of every module of a family of algorithms."""
    found: list[Path] = sorted((SOURCE_ROOT / "dpbandits" / "algorithms").glob("*/*.py"))
    return {f"{each.parent.name}/{each.stem}": each.read_text(encoding="utf-8") for each in found}


@functools.cache
def found() -> dict[tuple[str, str], str]:
    """What the files of the algorithms share."""
    return shared(files())


def listed() -> list[tuple[str, str]]:
    """The pairs of `ALIKE`, as `files` names them."""
    return [(f"{family}/{first}", f"{family}/{second}") for family, first, second in map(str.split, ALIKE)]


def test_files_of_algorithms_share_no_long_runs_of_code():
    unlisted = {pair: run for pair, run in found().items() if pair not in listed()}
    assert unlisted == {}, "move the shared lines to a module that both import, or add the pair to ALIKE"


def test_listed_pairs_share_a_long_run():
    assert set(listed()) <= set(found()), "remove the pairs that no longer share a run from ALIKE"


BODY = [f"    x{number} = {number}" for number in range(MOST + 1)]


def function(lines: list[str], name: str = "run") -> str:
    """A module with one function."""
    return "\n".join(['"""Title."""', "import math", "", f"def {name}(", "    a,", "):", *lines, ""])


def test_a_run_of_one_line_too_many_is_found():
    sources = {"one": function(BODY), "two": function(["    y = 1  # L1", *BODY], "play")}
    assert shared(sources) == {("one", "two"): "x0 = 0"}


def test_comments_do_not_hide_a_run():
    marked = [f"{line}  # L{number}" for number, line in enumerate(BODY)]
    assert shared({"one": function(BODY), "two": function([*marked[:5], "", "    # why", *marked[5:]])})


def test_a_run_that_is_short_enough_may_be_shared():
    assert shared({"one": function(BODY), "two": function(BODY[1:])}) == {}
