"""The code of docs/howto/python.md runs, and its text agrees with what comes out."""

import re
import shlex
from contextlib import redirect_stdout
from io import StringIO

from matplotlib.figure import Figure

from tests.shipped import ROOT

from .test_cli import call

PAGE = (ROOT / "docs/howto/python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
(COMMAND,) = re.findall(r"^```console\n\$ dpbandits (.*?)^```$", PAGE, re.M | re.S)


def test_the_examples_run_in_order(monkeypatch):
    monkeypatch.chdir(ROOT)
    saved = []
    monkeypatch.setattr(Figure, "savefig", lambda _, path: saved.append(path))
    names: dict = {"__name__": "page"}
    with redirect_stdout(StringIO()) as printed:
        for block in BLOCKS:
            exec(compile(block, "docs/howto/python.md", "exec"), names)  # noqa: S102 - the page is ours
    assert len(BLOCKS) + 1 == PAGE.count("```") / 2 == 13
    assert saved == ["figure2.pdf"]
    assert set(names["leader"]["algorithm"]) == {"FollowTheLeader"}
    assert names["grouped"]["regret"].ge(0).all()
    for name, rate in (("greedy", 0.08), ("routes", 0.7)):  # of regret a round; random choices have 0.16 and 1.2
        final = names[name].query("t == T")
        assert 0 < (final["regret"] / final["T"]).mean() < rate
    assert set(names["compared"]["algorithm"]) == {"anytime_lazy_ucb", "dp_imed", "adap_ucb", "dp_se"}
    assert names["compared"].groupby(["algorithm", "eps"]).size().tolist() == [20] * 8
    assert names["regret"].notna().all()
    assert "violated" in printed.getvalue()
    assert len(names["grid"].axes.flat[0].get_lines()) >= 4


def test_the_command_writes_a_table_and_a_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(ROOT, *shlex.split(COMMAND.replace("\\\n", "").replace("--seeds 20", "--seeds 3")))
    assert result.exit_code == 0, result.output
    heads = [line.split(", ")[0] for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert heads == ["Anytime-Lazy-UCB", "DP-SE"]
    assert (tmp_path / "compared.csv").read_text().count("\n") == 5
    assert (tmp_path / "compared.pdf").read_bytes().startswith(b"%PDF")


def test_the_readme_links_the_page():
    assert "(docs/howto/python.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
