"""docs/tutorial/own_algorithm.md: its code and commands run, and its study is judged in a copy of the project."""

import re
import shlex
from contextlib import redirect_stdout
from io import StringIO

import pytest
from matplotlib.figure import Figure

from dpbandits.base import registry
from dpbandits.config.faults.check import load_and_check
from tests.shipped import ROOT

from .small import CONFIG, write_project
from .test_cli import call

PAGE = (ROOT / "docs/tutorial/own_algorithm.md").read_text(encoding="utf-8")
RULE, *BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
STUDY, AUDITS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)
COMMANDS = [
    line
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)
    for line in block.replace("\\\n", "").splitlines()
]
RUN, AUDIT, MAKE, CLAIMS = (line.removeprefix("$ ") for line in COMMANDS)
NAME = "tutorial2026"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the class of the page."""
    monkeypatch.setattr(registry, "DECLARED", {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bandit.py").write_text(RULE, encoding="utf-8")
    return tmp_path


def test_the_class_is_short():
    own = RULE.partition("    @staticmethod")[0].splitlines()
    code = [line for line in own if line.strip() and "trust_model" not in line and "neighbors" not in line]
    assert len(code) <= 15


def test_the_examples_run_in_order(folder, monkeypatch):
    saved = []
    monkeypatch.setattr(Figure, "savefig", lambda _, path, **options: saved.append(path))
    names: dict = {"__name__": "page"}
    monkeypatch.chdir(ROOT)
    code = "\n".join(BLOCKS).replace('"my_bandit.py:', f'"{folder}/my_bandit.py:')
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, "docs/tutorial/own_algorithm.md", "exec"), names)  # noqa: S102 - the page is ours
    assert saved == ["grid.pdf"]
    assert "grid.pdf" not in RUN, "the command refuses to overwrite a file that it did not write"
    (table,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)
    assert table in re.sub(r" +$", "", printed.getvalue(), flags=re.M)
    counts = names["compared"].groupby("algorithm").size().to_dict()
    assert counts == dict.fromkeys(("PrivateGreedy", "anytime_lazy_ucb", "dp_imed", "adap_ucb", "dp_se"), 60)


def test_the_commands_play_and_audit_the_class(folder):
    played = call(ROOT, *shlex.split(RUN.removeprefix("dpbandits ").replace("--seeds 20", "--seeds 3")))
    assert played.exit_code == 0, played.output
    assert played.stdout.count("regret after 2000 rounds") == 5
    assert (folder / "compared.pdf").read_bytes().startswith(b"%PDF")
    told = shlex.split(AUDIT.removeprefix("dpbandits "))
    whole = call(ROOT, *told)
    assert whole.exit_code == 0
    (folder / "my_bandit.py").write_text(RULE.replace("scale=1 / eps", "scale=0.5 / eps"), encoding="utf-8")
    halved = call(ROOT, *told)
    assert halved.exit_code == 1
    assert halved.stdout.startswith("VIOLATED")
    for bound, answer in zip(re.findall(r"ε ≥ (\d+\.\d+)", PAGE), (whole, halved), strict=True):
        assert f"ε is at least {bound} " in answer.stdout


@pytest.mark.parametrize("study", [STUDY, STUDY + AUDITS])
def test_the_study_has_no_fault(folder, study):
    project = load_and_check(write_project(folder, study, {**CONFIG, "papers": [NAME]}, NAME))
    (claim,) = project.papers[NAME].claims.values()
    assert claim.statement == "Private epsilon-greedy has less regret than DP-SE."


def test_the_page_is_linked():
    assert "(docs/tutorial/own_algorithm.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert [f"make PAPER={NAME}", f"dpbandits claims {NAME}"] == [MAKE, CLAIMS]
