"""The field's terms: words that this project does not use, where a bandit researcher has another one."""

import re

import pytest

from tests.shipped import ROOT

FILES = sorted(
    path
    for pattern in (
        *("src/**/*", "benchmarks/**/*", "workflow/**/*", "config/**/*", "notebooks/*"),
        *("*.md", "docs/**/*.md", "Snakefile"),
    )
    for path in ROOT.glob(pattern)
    if path.suffix in (".py", ".smk", ".yaml", ".md", ".html", ".jinja", ".rst", ".ipynb", "") and path.is_file()
)
INSTEAD = {
    r"\w*(?<!f)laws?(?!\w)": "distribution",
    r"\w*neighbour\w*": "neighbor",  # codespell:ignore
    r"\w*colour\w*": "color",  # codespell:ignore
    r"hangs? on": "depend on",
    r"\w+(?:real|general|optim|minim|maxim|random|summa[r]|normal|initial)is(?:e|es|ed|er|ing|ation)\b": "-ize",
    r"promises?": "guarantee",
    r"true (?:levels?|epsilons?)": "actual epsilon",
    r"\w*grey\w*": "gray",  # codespell:ignore
    r"\w*centr(?:e|ed|es|ing)(?!\w)": "center",
    r"programmes?(?!\w)": "program",
    r"floors?(?![\w(])": "lower bound, or required",
}
EXCEPT = {  # word -> files that may have it
    # numbers rounded down; the regularizer of a radius; the name of a function that findings call
    r"floors?(?![\w(])": (
        *("privacy/vector_sum.py", "report/finding_numbers.py"),
        *("algorithms/linucb/rule.py", "algorithms/linucb/linucb.py", "algorithms/linucb/constants.py"),
        "algorithms/linucb/literal.py",
    ),
}
LEVEL = re.compile(r"levels?", re.IGNORECASE)
OF_CONFIDENCE = (  # modules in which `level` and `LEVEL` are the confidence level of intervals
    *("claims/chances.py", "claims/gates.py", "claims/judgements.py", "claims/verdicts.py"),
    *("numerics/limits.py", "numerics/statistics.py", "stages/aggregate.py", "stages/judge.py"),
)
OTHER_LEVELS = (  # names of other programs, and what Chowdhury and Zhou call user-level privacy
    *("confidence level", "user level", "user-level", "User-level", "--show-toplevel", "compress_level", "node.level"),
    "levelno",  # of the logging of Python
)


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("word", INSTEAD)
def test_the_field_has_another_word(word):
    said = re.compile(rf"(?<![\w-]){word}", re.IGNORECASE)
    found = [
        f"{named(path)}:{number}: {match[0]} (say: {INSTEAD[word]})"
        for path in FILES
        if named(path).removeprefix("src/dpbandits/") not in EXCEPT.get(word, ())
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := said.search(line))
    ]
    assert not found, "\n".join(found)


def test_level_is_the_confidence_level_alone():
    found = []
    for path in FILES:
        if named(path).removeprefix("src/dpbandits/") in OF_CONFIDENCE:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for allowed in OTHER_LEVELS:
                line = line.replace(allowed, "")
            if LEVEL.search(line):
                found.append(f"{named(path)}:{number}: {line.strip()[:80]}")
    assert not found, "\n".join(found)
