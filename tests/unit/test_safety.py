"""Nothing that a user writes is run: no pickle, no eval, no shell that reads a text of the configuration.

By the syntax tree of every Python file of the project, and by the texts of its rules. Numba's own cache of compiled
kernels uses pickle inside; its files lie in a folder of the user's, it is Numba's, and no input of ours reaches it.
"""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from dpbandits.cli.audits import NAMED
from dpbandits.config import plain_yaml
from dpbandits.config.loading import load_project
from dpbandits.config.models.fields import Name
from dpbandits.config.models.files import PaperKey
from dpbandits.config.paper_files import KEY as KEY_PATTERN
from dpbandits.config.plain_yaml import ConfigError
from tests.faults.table import injects

from .small import CONFIG, KEY, PAPER, ROOT, changed, fault, write_project

FILES = sorted(path for folder in ("src", "workflow", "profiles", "tools") for path in (ROOT / folder).rglob("*.py"))
RULES = sorted((ROOT / "workflow").rglob("*.smk"))
MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "jsonpickle", "code"}
CALLS = {"eval", "exec", "compile", "__import__", "system", "popen", "getoutput", "getstatusoutput", "read_pickle"}
HARMLESS = {"re.compile", "platform.system"}
LOADERS = {"load", "load_all", "unsafe_load", "full_load", "unsafe_load_all", "full_load_all"}
GUARANTEED = {
    "input": "names of files: keys of papers, names of experiments, audits and figures",
    "output": "as input",
    "log": "as input",
    "threads": "a number",
    "wildcards.paper": "a key of a paper, by the constraint of the wildcard as well",
    "params.paper": "a key of a paper",
    "params.options": "no word, or `--scale` and the name of the pilot scale",
    "params.papers": "keys of papers with commas between them; a comma by itself means nothing to a shell",
    "params.scale": "the name of a scale",
    "params.names": "names of experiments, audits, chunks and noise: algorithm, calibration, variant and a digest",
    "params.folder": "the folder of an output",
    "params.curves": "as folder",
    "params.tables": "as folder",
    "params.figures": "as folder",
    "params.cells": "as folder",
    "params.noise": "as folder",
    "params.receipts": "as folder",
}
"""Placeholders that a shell text may have, and what they hold; `test_no_name...` shows what these may be."""
NUMBERS = {"threads"}
"""Placeholders that need no quotes."""
PLAIN_WORDS = re.compile(r"[a-zA-Z0-9_./ {}:>&-]*")


def called(tree: ast.AST) -> Iterator[tuple[str, str, ast.Call]]:
    """What is called, by its last name and by all of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            yield name, ast.unparse(node.func), node


def dangers(tree: ast.AST) -> Iterator[str]:
    """Every place where a text or a file could be run."""
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (f"import of {name}" for name in names if name.partition(".")[0] in MODULES)
    for name, whole, call in called(tree):
        options = {each.arg: ast.unparse(each.value) for each in call.keywords}
        if name in CALLS and whole not in HARMLESS:
            yield f"call of {whole}"
        if options.get("shell", "False") != "False":
            yield f"{whole} with shell={options['shell']}"
        if options.get("allow_pickle", "False") != "False":
            yield f"{whole} with allow_pickle"
        if whole.partition(".")[0] == "yaml" and name in LOADERS:
            given = [ast.unparse(each) for each in call.args[1:]] + [options.get("Loader", "")]
            if "_Loader" not in given and "yaml.CSafeLoader" not in given:
                yield f"{whole} without a safe loader"


def test_no_python_file_runs_what_it_reads():
    """Would fail for `import pickle`, `eval(...)`, `os.system`, `shell=True`, `allow_pickle=True` or another loader."""
    assert len(FILES) > 200
    found = {str(path.relative_to(ROOT)): list(dangers(ast.parse(path.read_text(encoding="utf-8")))) for path in FILES}
    assert {name: what for name, what in found.items() if what} == {}
    assert issubclass(plain_yaml._Loader, plain_yaml.yaml.CSafeLoader)


@pytest.mark.parametrize(
    "line",
    [
        *("import pickle", "from joblib import load", "import numpy, dill as d", "from marshal import loads"),
        *(
            "eval('1')",
            "exec(text)",
            "compile(text, 'f', 'exec')",
            "__import__(name)",
            "os.system(text)",
            "os.popen(c)",
        ),
        *(
            "subprocess.run(c, shell=True)",
            "Popen(c, shell=flag)",
            "np.load(f, allow_pickle=True)",
            "pd.read_pickle(f)",
        ),
        *(
            "yaml.load(t)",
            "yaml.load(t, yaml.Loader)",
            "yaml.unsafe_load(t)",
            "yaml.load_all(t, Loader=yaml.FullLoader)",
        ),
    ],
)
def test_a_danger_is_seen(line: str):
    assert len(list(dangers(ast.parse(line)))) == 1


def shell_texts(text: str) -> list[str]:
    """The texts of `shell:` directives and of calls of `shell`."""
    directive = r'^\s*shell:\s*\n((?:\s*"[^"\n]*"[ \t]*)+\s*)$'
    found = re.findall(directive, text, re.M) + re.findall(r'\bshell\(("[^"\n]*")\)', text)
    assert len(found) == len(re.findall(r"\bshell\s*[:(]", text)), "every one is read"
    return ["".join(re.findall(r'"([^"]*)"', each)) for each in found]


def test_every_placeholder_of_a_shell_text_is_known():
    """Each is quoted. Would fail for a rule that hands on something else, as `{params.title}` or `{config[...]}`."""
    texts = {path.name: shell_texts(path.read_text(encoding="utf-8")) for path in RULES}
    assert sum(map(len, texts.values())) >= 10
    for name, each in texts.items():
        for text in each:
            used = set(re.findall(r"{([^}]*)}", text))
            assert all(place.endswith(":q") for place in used - NUMBERS), (name, text)
            places = {place.removesuffix(":q") for place in used}
            known = {place for place in places if place in GUARANTEED or place.partition(".")[0] in ("input", "output")}
            assert places == known, (name, text)
            assert PLAIN_WORDS.fullmatch(text), (name, text)


def test_a_name_that_came_through_would_be_one_word():
    """What `:q` does to a text and to every entry of a list; an empty list leaves no word."""
    from snakemake.utils import format as formatted

    names = ["a;touch x", "b"]
    assert formatted("{names:q} {none:q}>", names=names, none=[]) == "'a;touch x' b >"
    assert formatted("{name:q}", name="$(touch x)") == "'$(touch x)'"


def test_rules_hold_no_python_beside_what_they_pass_on():
    """No `run:`, no `script:`, and none of the dangers in what stands outside of rules."""
    for path in (*RULES, ROOT / "workflow/Snakefile", ROOT / "Snakefile"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(run|script|notebook|wrapper):", text, re.M), path
        assert not re.search(r"\b(eval|exec|pickle|os\.system|subprocess|popen)\b", text), path


STUDY, REGRET = PAPER["experiments"]["study"], PAPER["figures"]["regret"]
SHELL = (
    "$(touch x)",
    "a; touch x",
    "`touch x`",
    "a'b",
    'a"b',
    "a b",
    "a|b",
    "a&b",
    "a>b",
    "a\nb",
    "a*",
    "{a}",
    "-a",
    "../a",
)
CURVES = "experiments.study.curves[0]"
PLACES = {
    "key of a paper": ("papers[0]: ", lambda name: (PAPER, {**CONFIG, "papers": [name]})),
    "scale": ("scale: ", lambda name: (PAPER, {**CONFIG, "scale": name})),
    "experiment": ("experiments: got the name ", lambda name: (changed(PAPER, "experiments", {name: STUDY}), CONFIG)),
    "algorithm": (f"{CURVES}.algorithm: ", lambda name: (_study("algorithm", name), CONFIG)),
    "calibration": (f"{CURVES}.calibrations[0]: ", lambda name: (_study("calibrations", [name]), CONFIG)),
    "variant": (f"{CURVES}.variant: ", lambda name: (_study("variant", name), CONFIG)),
    "figure": ("figures: got the name ", lambda name: (changed(PAPER, "figures", {name: REGRET}), CONFIG)),
    "picture": (
        "figures.regret.calibrations[0]: ",
        lambda name: (changed(PAPER, "figures.regret.calibrations", [name]), CONFIG),
    ),
    "audit": ("audits: got the name ", lambda name: (changed(PAPER, "audits", {name: {}}), CONFIG)),
}
"""Every text of a configuration that becomes part of a file name, and so of a shell text."""


def _study(key: str, value: object) -> dict:
    return changed(PAPER, f"experiments.study.curves.0.{key}", value)


@pytest.mark.parametrize("place", PLACES)
@injects(
    "names contain characters that a shell interprets",
    tried="in every text that becomes part of a file name",
    happens="refused in one line",
    do="choose another name",
)
def test_no_name_that_reaches_the_shell_means_anything_to_it(place: str, tmp_path: Path):
    """What `GUARANTEED` says. Would fail for a model without the pattern of a name."""
    key, made = PLACES[place]
    signs = string.punctuation.replace("_", "") + string.whitespace if place in ("key of a paper", "experiment") else ""
    for name in (*SHELL, *(f"a{sign}" for sign in signs)):
        line = fault(write_project(tmp_path, *made(name)))
        assert line.partition(": ")[2].startswith(key), line
        assert ": got " in line
        assert " must be " in line
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["config", "config.yaml", f"{KEY}.yaml", "papers"]


def test_names_are_checked_whatever_was_found_before(tmp_path: Path):
    """Would fail where a paper that an earlier planning found to have no fault is taken without a look at its names."""
    root = write_project(tmp_path, changed(PAPER, "experiments", {"a;touch x": STUDY}))
    with pytest.raises(ConfigError, match=re.escape("experiments: got the name 'a;touch x'; must be lower-case")):
        load_project(root, valid={KEY})


def test_texts_for_people_may_hold_anything(tmp_path: Path):
    """They reach no shell: titles, captions and notes with its signs are taken as they are."""
    paper = changed(changed(PAPER, "title", "$(touch x); `y`"), "figures.regret.caption", "a | b > 'c' \"d\"")
    assert not fault(write_project(tmp_path, paper))


def test_collect_takes_the_names_that_the_models_allow():
    """Its pattern is made of theirs, which it does not read."""
    key, name = (get_args(each)[1].pattern.strip("^$") for each in (PaperKey, Name))
    assert key == KEY_PATTERN
    assert f"{key}(/{name})?" == NAMED
