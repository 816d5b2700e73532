"""Through Snakemake: bad input gives one line before any work, and the shell receives only plain words.

`tests/unit/test_bad_input.py` tries hundreds of faults through the command; this file has one of each family.
"""

import re
import shlex
import string
from pathlib import Path

import pytest

from tests.faults.table import injects
from tests.shipped import PAPERS

from .project import copy

YAML, CONFIG = "config/papers/hanna2022.yaml", "config/config.yaml"
SAFE = set(string.ascii_letters + string.digits + "-_./, ")  # a comma separates paper keys
HUGE = "[" + ", ".join(str(n) for n in range(1, 1001)) + "]"
FAULTS = [
    (YAML, "horizon: 1000000", "horizon: 0", "experiments.figure2.horizon: got 0; must be >= 8"),
    (
        YAML,
        "family: linear",
        "family: cubic",
        "experiments.figure2.environment.family: unknown environment `cubic`. Use one of: ",
    ),
    (YAML, "\n  figure2:", "\n  ../figure2:", "experiments: got the name '../figure2'; must be lower-case letters, "),
    (
        YAML,
        "grid:\n",
        f"grid:\n      T: {HUGE}\n      arms: {HUGE}\n",
        "experiments.figure2.grid: got 14000000 combinations; at most ",
    ),
    (CONFIG, "scale:", "scale: quick\nscale:", "the key 'scale' occurs twice. Delete one of the two."),
    (CONFIG, "papers:", "papers: [", "did not find expected node content"),
]
"""File, text to replace, its replacement, and the message after the file name."""


@pytest.mark.parametrize(("file", "old", "new", "says"), FAULTS)
@injects(
    "the configuration is wrong",
    tried="keys, values and files changed",
    happens="one line with file, key and what is allowed; exit code 2; no work starts",
    do="correct it",
)
def test_bad_configuration_is_one_line_before_any_work(tmp_path: Path, file, old, new, says):
    """Would fail if Snakemake's own reader came before ours, or a fault escaped as an exception."""
    project = copy(tmp_path, source=False)
    project.edit(file, old, new)
    output = project.call("snakemake", "--cores", "1", code=2)
    (line,) = (line for line in output.splitlines() if line.startswith("dpbandits: "))
    assert re.sub(r"yaml:[0-9]+:", "yaml:", line).startswith(f"dpbandits: {file}: {says}")
    assert re.match(f"dpbandits: {re.escape(file)}:[0-9]+: ", line)
    assert line.isprintable()
    assert len(line) < 400
    assert "Traceback" not in output
    assert not (project.root / "results").exists()


def test_only_the_scale_is_set_on_the_command_line(tmp_path: Path):
    project = copy(tmp_path, source=False)
    output = project.call("snakemake", "--cores", "1", "--config", "root_seed=7", code=2)
    assert "dpbandits: --config root_seed: only scale and papers can be set there; change config/config.yaml" in output
    output = project.call("snakemake", "--cores", "1", "--config", "scale=$(touch x)", code=2)
    assert "dpbandits: config/config.yaml: scale: got '$(touch x)'; must be one of: smoke, quick" in output
    assert not (project.root / "x").exists()


def test_the_shell_is_handed_plain_words(tmp_path: Path):
    """For all papers. Would fail for a rule that passes on a text of the configuration, such as a title."""
    project = copy(tmp_path, source=False, papers=PAPERS)
    said = project.snakemake("--printshellcmds", dry=True, cores=1)
    found = re.findall(r"^\s*Shell command: python -m (dpbandits .*)$", said, re.M)
    assert len(found) == len(re.findall(r"^\s*Shell command: (?!None$|$)", said, re.M)) > 20
    assert {command.split(" > ")[0].split()[1] for command in found} >= {"calibrate", "collect", "--scale"}
    for command in found:
        words, _, log = command.removesuffix(" 2>&1").partition(" > ")
        assert command.endswith(" 2>&1")
        assert set(words + log) <= SAFE, command
        assert shlex.split(words)[0] == "dpbandits"
        assert len(shlex.split(log)) == 1
