"""Hostile configurations and arguments for every command: no traceback, no hang, no change outside.

Each case runs in its own process. The same cases run each time. A failing case is printed in full, so that it can be
repeated.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest

from dpbandits.cli.project import PICTURES
from tests.faults.table import injects
from tests.unit.small import PAPER

from .fuzz_server import MEMORY, Answer, Server
from .hostile import COMMANDS, READING, any_call, configuration
from .sandbox import Sandbox

SHORT, LONG = 100, 1000
"""Number of cases of a test: for every commit, and in a slow test."""
EXIT_CODES = (0, 1, 2)
MOST_LINES = 30
"""On standard error, for a refused command."""
SHOWN = 1000
"""Characters in a line with unprintable characters."""
PLACES = (
    *("--out", "--table", "--plot", "--receipts", "--ipynb", "--html", "--figures"),
    *("--curves", "--noise", "--tables", "--audits", "--claims", "--cells"),
)
"""Options that name what a command writes, or what a stage reads and quarantines if it is damaged."""
WRITTEN = {
    "site": ("results/site",),
    "allocate": ("../project/config/allocations", "../project/config/pilots"),
    "report": ("../project/figures", *(f"../project/results/{scale}/figures" for scale in ("pilot", "smoke", "quick"))),
    "figure": tuple(
        f"{name}-{calibration}.{kind}"
        for name in PAPER["figures"]
        for calibration in ("printed", "certified", "tuned")
        for kind in PICTURES
    ),
}
"""What commands write without being told where."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Sandbox]]:
    folder = tmp_path_factory.mktemp("fuzz")
    sandbox = Sandbox(folder)
    with Server(sandbox.here, sandbox.environment(folder / "matplotlib")) as server:
        sandbox.fill(server)
        yield server, sandbox


def faults(answer: Answer) -> Iterator[str]:
    """What is wrong with how a case ended."""
    if answer.hung:
        yield f"hangs: ended after {answer.seconds:.0f} s"
    if answer.memory > MEMORY:
        yield f"takes {answer.memory >> 20} MB"
    if answer.code not in EXIT_CODES:
        yield f"ends with {answer.code}"
    if "Traceback" in answer.err:
        yield "ends in a traceback"
    lines = answer.err.removesuffix("\n").split("\n")
    for text in (*lines, *answer.out.split("\n")):
        if not text.isprintable():
            yield f"prints {text[:SHOWN]!r}"
    if answer.code == 2 and (len(lines) > MOST_LINES or not answer.err):
        yield f"says {len(lines)} lines"


def targets(call: Sequence[str], command: str) -> list[str]:
    """Paths to which a call may write."""
    found = [after for word, after in pairwise(call) if word in PLACES]
    found += [word.partition("=")[2] for word in call if word.partition("=")[0] in PLACES]
    return [*found, *WRITTEN.get(command, ())]


def judge(sandbox: Sandbox, answer: Answer, case: Any, places: Sequence[str]) -> None:
    """Fail with the case if it ended wrongly or changed anything outside some paths; then restore everything."""
    now = sandbox.now()
    changes = sandbox.changes(now)
    found = [*faults(answer), *(f"changes {name}" for name in sandbox.beyond(changes, places))]
    if changes:
        sandbox.restore()
    if found:
        said = f"exit code {answer.code}\n{answer.out[-1000:]!r}\n{answer.err[-6000:]}"
        raise AssertionError(f"{'; '.join(found)}\nthe case: {json.dumps(case)}\n{said}")


def try_configurations(served: tuple[Server, Sandbox], number: int, cases: int) -> Counter[int]:
    """Exit codes of commands that read faulty configurations."""
    server, sandbox = served
    rng = random.Random(number)  # noqa: S311 - the same cases each time
    codes: Counter[int] = Counter()
    for _ in range(cases):
        (name, text), call = configuration(rng), rng.choice(READING)
        path = sandbox.project / name
        whole = path.read_bytes()
        path.write_bytes(text)
        answer = server.run(["--project", "../project", *call], sandbox.project)
        kept = path.read_bytes() if path.is_file() else b""
        path.write_bytes(whole)
        case = [name, repr(text), list(call)]
        judge(sandbox, answer, case, WRITTEN.get(call[0], ()))
        assert kept == text, f"changes {name}: {case}"
        codes[answer.code] += 1
    return codes


def try_calls(served: tuple[Server, Sandbox], number: int, cases: int) -> Counter[tuple[str, int]]:
    """Commands with any arguments, and their exit codes."""
    server, sandbox = served
    rng = random.Random(number)  # noqa: S311 - the same cases each time
    codes: Counter[tuple[str, int]] = Counter()
    for _ in range(cases):
        command, call = any_call(rng, sandbox.names)
        answer = server.run(call)
        judge(sandbox, answer, call, targets(call, command))
        codes[command, answer.code] += 1
    return codes


def test_hostile_configurations_are_read_or_refused(served: tuple[Server, Sandbox], say: Callable[[str], None]) -> None:
    codes = try_configurations(served, 1, SHORT)
    say(f"hostile input: {codes.total():5d} configurations, by exit code {dict(sorted(codes.items()))}")
    assert codes.total() >= SHORT


def test_hostile_calls_are_done_or_refused(served: tuple[Server, Sandbox], say: Callable[[str], None]) -> None:
    codes = try_calls(served, 1, SHORT)
    say(f"hostile input: {codes.total():5d} calls of {len({name for name, _ in codes})} commands")
    assert codes.total() >= SHORT


@pytest.mark.slow
def test_many_hostile_configurations_are_read_or_refused(
    served: tuple[Server, Sandbox], say: Callable[[str], None]
) -> None:
    codes = try_configurations(served, 2, LONG)
    say(f"hostile input: {codes.total():5d} configurations, by exit code {dict(sorted(codes.items()))}")
    assert codes.total() >= LONG
    assert {0, 2} <= set(codes)


@injects(
    "hostile configuration or hostile arguments",
    tried="more than 2,000 cases: wrong types, control characters, huge numbers, devices, files that are cut",
    happens="one line, exit code 2; no traceback, no hang, no file elsewhere",
    do="correct what the line names",
)
@pytest.mark.slow
def test_many_hostile_calls_are_done_or_refused(served: tuple[Server, Sandbox], say: Callable[[str], None]) -> None:
    """Every command is called, is refused, and mostly succeeds as well."""
    codes = try_calls(served, 2, LONG)
    done = {name for name, code in codes if code == 0}
    say(f"hostile input: {codes.total():5d} calls, {len(done)} of {len(COMMANDS)} commands done")
    assert codes.total() >= LONG
    assert {name for name, code in codes if code == 2} == set(COMMANDS)
    assert len(done) >= len(COMMANDS) / 2
