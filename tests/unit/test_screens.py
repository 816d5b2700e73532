"""What commands show of the committed results, letter by letter, at 80 and 120 columns.

`python -m tests.unit.test_screens --write` writes the screens again.
"""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from dpbandits.base import jit
from dpbandits.cli.main import main
from dpbandits.text import claim_lines, explanation
from dpbandits.text.text import case
from tests.shipped import COMMITTED

from .small import ROOT

SCREENS = Path(__file__).parent / "screens"
WIDTHS = (80, 120)
MOST = {"summary": 24, "explain": 39}
"""Lines of a screen."""
COMMANDS = {
    "summary": ("summary",),
    "claims": ("claims", "hanna2022"),
    "claims-failed": ("claims", "--failed"),
    "claims-headline": ("claims", "chen2020", "--headline", "--verdict", "unclear"),
    "explain": ("explain", "hanna2022/C3"),
    "explain-variants": ("explain", "hanna2022/C16"),
    "explain-one-variant": ("explain", "hanna2022/C16/narrow"),
    "explain-audit-claim": ("explain", "hanna2022/C20"),
    "explain-closed-form": ("explain", "han2021/C16"),
    "explain-unclear": ("explain", "chowdhury2022/C6"),
}
CODES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project that has the committed results where a full run leaves them."""
    return set_up(tmp_path_factory.mktemp("project"))


def set_up(root):
    (root / "config").symlink_to(ROOT / "config")
    for kind, name in (("claims", "claims.json"), ("audit", "audit.json")):
        (root / "results/full" / kind).mkdir(parents=True)
        for key in COMMITTED:
            shutil.copy(ROOT / f"figures/{key}/data/{name}", root / f"results/full/{kind}/{key}.json")
    return root


def screen(root, command, width, monkeypatch, **terminal):
    """What a command prints on a terminal of some width."""

    def console():
        return Console(width=width, highlight=False, force_terminal=bool(terminal), **terminal)

    monkeypatch.setattr(claim_lines, "console_of", console)
    jit.stay_plain()
    done = CliRunner().invoke(main, ["--project", str(root), "--scale", "full", *command])
    assert done.exit_code == 0, done.output
    return done.output


def within(lines, width):
    """Whether all lines fit, but for one that names algorithms to a shell, which cannot be broken."""
    return all(len(line) <= width or line.rstrip(" \\").count(" ") == len(line) - len(line.lstrip()) for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_screens(project, name, width, monkeypatch):
    found = screen(project, COMMANDS[name], width, monkeypatch)
    lines = found.splitlines()
    assert within(lines, width)
    assert len(lines) <= MOST.get(name.partition("-")[0], 1000)
    assert found == (SCREENS / f"{name}-{width}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["summary", "claims", "explain"])
def test_color_adds_nothing_that_is_not_said(project, name, monkeypatch):
    plain = screen(project, COMMANDS[name], 80, monkeypatch)
    monkeypatch.delenv("NO_COLOR", raising=False)
    colored = screen(project, COMMANDS[name], 80, monkeypatch, color_system="standard")
    assert "\x1b[32m" in colored, "green is what holds"
    assert CODES.sub("", colored) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    without = screen(project, COMMANDS[name], 80, monkeypatch, color_system="standard")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", without)
    assert CODES.sub("", without) == plain


@pytest.mark.parametrize("key", COMMITTED)
def test_every_claim_is_explained_on_one_screen(project, key):
    records = json.loads((project / f"results/full/claims/{key}.json").read_text(encoding="utf-8"))["records"]
    for claim in dict.fromkeys(record["id"] for record in records):
        own = [record for record in records if record["id"] == claim]
        lines = [line.plain for line in explanation.lines(own, "results/full/report/a_page.html", 80)]
        assert len(lines) <= MOST["explain"], claim
        assert within(lines, 80), claim
        for record in own:
            assert any(line.startswith(f"{case(record)}: ") for line in lines), claim


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        SCREENS.mkdir(exist_ok=True)
        place = set_up(Path(folder))
        for each, words in COMMANDS.items():
            for columns in WIDTHS:
                text = screen(place, words, columns, patch)
                (SCREENS / f"{each}-{columns}.txt").write_text(text, encoding="utf-8")
