"""Terminals that lack letters, and numbers of cores and threads that make no sense: a line each, no traceback."""

import io
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dpbandits.base import threads
from dpbandits.cli.main import main
from dpbandits.text import plain_letters
from tests.shipped import ROOT

COMMANDS = [
    ["--scale", "full", "claims", "hanna2022"],
    ["--scale", "full", "explain", "hanna2022/C18"],
    ["--scale", "full", "audit", "chen2020"],
    ["list", "claims"],
]


def call(*command: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}
    environment = {**alone, "PYTHONPATH": str(ROOT / "src"), **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[-2])
def test_a_terminal_without_some_letters_shows_others(command, encoding):
    found = call(sys.executable, "-m", "dpbandits", *command, PYTHONIOENCODING=encoding)
    assert (found.returncode, found.stderr) == (0, b"")
    assert len(found.stdout.decode(encoding)) > 500


def test_letters_that_are_missing_become_like_ones_and_all_others_question_marks(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    plain_letters.accept_all_text()
    print("✓ ε ≤ 1 … ±2 漢", end="", flush=True)
    assert out.buffer.getvalue() == b"+ e < 1 . +2 ?"


def test_utf_8_stays_as_strict_as_it_was(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    plain_letters.accept_all_text()
    assert out.errors == "strict"


def test_every_letter_of_the_package_and_of_the_papers_has_a_like_one():
    places = [
        *(path for path in (ROOT / "src").rglob("*.py") if path.name != "plain_letters.py"),
        *(ROOT / "workflow").rglob("*.smk"),
        *(ROOT / "config/papers").glob("*.yaml"),
    ]
    letters = {letter for path in places for letter in path.read_text(encoding="utf-8") if ord(letter) > 127}
    assert letters - set(plain_letters.LIKE) <= set("∅▲̂"), "of pages alone"


@pytest.mark.parametrize("cores", ["0", "-1", "two", ""])
def test_make_wants_a_number_of_cores(cores):
    found = call("make", "-n", f"CORES={cores}", "run")
    assert found.returncode == 2
    assert f"CORES={cores}: must be a whole number >= 1".encode() in found.stderr


def test_snakemake_does_not_wait_for_ever_without_cores():
    found = call(sys.executable, "-m", "snakemake", "--cores", "0", "--config", "scale=smoke")
    assert found.returncode == 1
    assert b"--cores 0: must be a whole number >= 1" in found.stderr


@pytest.mark.parametrize("number", ["0", "-2", "many", "", "²"])
def test_threads_of_numba_are_a_number(number, monkeypatch):
    monkeypatch.setenv(threads.NUMBA, number)
    assert threads.numba_fault() == (
        f"NUMBA_NUM_THREADS={number}: must be a whole number >= 1. Leave it out for one thread."
    )
    monkeypatch.setenv(threads.NUMBA, "2")
    assert not threads.numba_fault()


def test_a_fault_in_the_threads_of_numba_is_one_line():
    found = call(sys.executable, "-m", "dpbandits", "list", "papers", NUMBA_NUM_THREADS="0")
    assert (found.returncode, found.stderr.count(b"\n")) == (2, 1)
    assert found.stderr.startswith(b"dpbandits: NUMBA_NUM_THREADS=0: ")


@pytest.mark.parametrize("option", ["--out", "--plot", "--table"])
def test_a_file_has_a_name(option):
    found = CliRunner().invoke(main, ["--project", str(ROOT), "run", "hanna2022/figure2", option, ""])
    assert found.exit_code == 2
    assert f"Invalid value for '{option}': must name a file" in found.stderr
