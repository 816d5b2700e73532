"""Every command that README and the documentation show is run here, is run by the test that it names, or says why not.

A block of commands is fenced as `console`, and its commands begin with `$ `. A comment before the block says otherwise:
`<!-- tested by: tests/... -->` or `<!-- not run: reason -->`. Lines of output are compared up to three dots.
"""

import re
import shlex
from dataclasses import dataclass

import pytest

from dpbandits.cli.main import main
from tests.shipped import ROOT

from .test_cli import call

PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if not {"_build", "notes", "papers"} & set(path.relative_to(ROOT).parts[:-1])
]
BLOCK = re.compile(
    r"(?:^ *<!-- (tested by|not run): (.+?) -->\n)?^( *)```(console|bash|shell|sh)\n(.*?)^ *```$", re.M | re.S
)
INDENTED = re.compile(r"^    (?:\$ )?(?:make|dpbandits|snakemake|python|pytest|git|pip)\b.*$", re.M)
INLINE = re.compile(r"`(make|dpbandits)((?: --scale \w+)?) ([a-z-]+)[^`]*`")


@dataclass(frozen=True)
class Block:
    """Commands with their output; `how` is `tested by`, `not run` or nothing."""

    page: str
    how: str
    why: str
    text: str

    @property
    def steps(self) -> list[tuple[str, list[str]]]:
        """Each command with the lines of its output."""
        found: list[tuple[str, list[str]]] = []
        for line in re.sub(r"\\\n\s*", "", self.text).splitlines():
            if line.strip().startswith("$ "):
                found.append((line.strip()[2:], []))
            elif found and line.strip():
                found[-1][1].append(line.strip())
        return found


def blocks(path):
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    return [Block(name, how, why, said) for how, why, _, _, said in BLOCK.findall(text)]


BLOCKS = [block for path in PAGES for block in blocks(path)]
ALONE = [block for block in BLOCKS if not block.how]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGET = r"^(?:[a-z-]+ )*{}(?: [a-z-]+)*:"
FOLDERS = {"README.md": 1, "docs/howto/audit_mechanism.md": 0}
"""Which block of Python of a page is the module that its commands name."""


def test_blocks_are_fenced():
    """But for the two of README that say what a line does."""
    found = {
        path.relative_to(ROOT).as_posix(): INDENTED.findall(
            re.sub(r"^ *```.*?^ *```$", "", path.read_text("utf-8"), flags=re.M | re.S)
        )
        for path in PAGES
    }
    assert {name: len(lines) for name, lines in found.items() if lines} == {"README.md": 2}
    assert all(block.steps for block in BLOCKS)


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.how == "tested by"], ids=lambda each: each.page)
def test_tests_that_are_named_exist(block):
    for place in block.why.split(", "):
        name, _, function = place.partition("::")
        assert (ROOT / name).is_file()
        assert f"def {function}" in (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("block", ALONE, ids=lambda each: f"{each.page}: {each.steps[0][0][:40]}")
def test_commands_work(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if block.page in FOLDERS:
        code = re.findall(r"^```python\n(.*?)^```$", (ROOT / block.page).read_text(encoding="utf-8"), re.M | re.S)
        (tmp_path / "my_module.py").write_text(code[FOLDERS[block.page]], encoding="utf-8")
    for line, output in block.steps:
        program, *arguments = shlex.split(line.partition("#")[0])
        if program == "dpbandits":
            told = [
                re.sub(r"^\d+$", "2", each) if before == "--seeds" else each
                for before, each in zip(["", *arguments], arguments, strict=False)
            ]
            found = call(ROOT, *told)
            assert found.exit_code in (0, 1), found.output
            assert not found.exit_code or "VIOLATED" in found.stdout, found.output
            assert output or "VIOLATED" not in found.stdout or block.page == "README.md"
            for said in output:
                assert said.partition(" ...")[0] in found.stdout
        elif program == ".":
            assert arguments == [".venv/bin/activate"]
        else:
            raise AssertionError(f"{block.page}: {line}: say which test runs it, or why none does")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_within_a_line_exist(path):
    for program, _, verb in INLINE.findall(path.read_text(encoding="utf-8")):
        if program == "make":
            assert re.search(TARGET.format(verb), MAKEFILE, re.M), verb
        else:
            assert verb in main.commands, verb


@pytest.mark.parametrize("block", BLOCKS, ids=lambda each: f"{each.page}: {each.steps[0][0][:40]}")
def test_targets_and_verbs_exist(block):
    """Of all blocks, also those that another test runs, or none."""
    for line, _ in block.steps:
        program, *arguments = shlex.split(line.partition("#")[0])
        if program == "make":
            for each in arguments:
                name, is_variable, _ = each.partition("=")
                assert re.search(rf"\$\({name}\)" if is_variable else TARGET.format(each), MAKEFILE, re.M), each
        elif program == "dpbandits":
            assert main.commands.keys() & set(arguments), line
