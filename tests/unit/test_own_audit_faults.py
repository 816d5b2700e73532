"""Faults of who audits a mechanism of their own: exit code 2, one line that names the option and what is allowed."""

import math
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dpbandits.audits.custom import apart, own
from dpbandits.audits.custom.own import audit_own
from dpbandits.base.own_code import MOST_NAMES, Fault, importable, named
from tests.faults.table import injects

from .test_own_audit import call

SOURCE = """
import math
import numpy as np
NOT_CALLABLE = 3
PAIR = ([0.0], [1.0])
TRIPLE = (1, 2, 3)
TEXT = "ab"
def draw(rng, data, n): return data[0] + rng.laplace(size=n)
def few(rng, data, n): return rng.normal(size=5)
def scalar(rng, data, n): return 1.0
def cube(rng, data, n): return rng.normal(size=(n, 2, 2))
def empty(rng, data, n): return np.empty((n, 0))
def nan(rng, data, n): return np.where(np.arange(n) == 7, np.nan, rng.normal(size=n))
def infinite(rng, data, n): return np.full((n, 2), -np.inf if data[0] else 0.0)
def objects(rng, data, n): return np.full(n, None)
def words(rng, data, n): return ["a"] * n
def complex_(rng, data, n): return rng.normal(size=n) * 1j
def ragged(rng, data, n): return [[1.0], [1.0, 2.0]] * (n // 2)
def whole(rng, data, n): return np.full(n, 2**60)
def two_or_three(rng, data, n): return rng.normal(size=(n, 2 + int(data[0])))
def fails(rng, data, n): raise ValueError('no\\n luck')
def leaves(rng, data, n): raise SystemExit(7)
def nothing(): return 1
def copied(rng, data, n): return np.full((n, 2), data[0] + rng.laplace())
def copied_on_second(rng, data, n): return np.full(n, rng.laplace()) if data[0] else rng.laplace(size=n)
def constant(rng, data, n): return np.full(n, 3.0)
def interrupted(rng, data, n): raise KeyboardInterrupt
def endless(rng, data, n):
    while True:
        try: np.sort(rng.normal(size=10))
        except Exception: pass
def quits(rng, data, n): import os; os._exit(0)
def deaf(rng, data, n):
    import signal
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True: pass
def copied_column(rng, data, n): return np.column_stack([rng.laplace(size=n), np.full(n, data[0] + rng.laplace())])
def others(rng, data, n): return data[0] + np.random.default_rng().laplace(size=n)
def mixed(rng, data, n): return rng.laplace(size=n) + np.random.laplace()
CALLS = []
def kept(rng, data, n): CALLS.append(n); return rng.laplace(size=n) + len(CALLS)
def same(rng, data, n): return data[0] + np.random.default_rng(0).normal(size=n)
"""
NAME = "module:name or file.py:name"
LITERAL = f"a Python literal or JSON such as '[0.0]', or {NAME}"
VIEWS = "an array (n,) or (n, k) of finite numbers"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A module in the current folder, of which nothing is left behind."""
    before = set(sys.modules)
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("import math\n\nmath.nothing\n")
    (tmp_path / "unfinished.py").write_text("def draw(:\n")
    (tmp_path / "lacking.py").write_text("import not_there_at_all\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit('bye')\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def refusal(*arguments):
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("dpbandits: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("dpbandits: ").rstrip("\n")


def audited(mechanism="mine:draw", neighbors=("mine:PAIR",), eps="1", trials="1000", **others):
    rest = [part for name, value in others.items() for part in (f"--{name}", value)]
    return refusal("--mechanism", mechanism, "--neighbors", *neighbors, "--eps", eps, "--trials", trials, *rest)


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        ("mine", "got 'mine'; must be module:name or file.py:name"),
        ("mine:", "got 'mine:'; must be module:name or file.py:name"),
        (":draw", "got ':draw'; must be module:name or file.py:name"),
        ("mine:a b", "got 'mine:a b'; must be module:name or file.py:name"),
        ("../mine:draw", "got '../mine:draw'; must be module:name or file.py:name"),
        (".mine:draw", "got '.mine:draw'; must be module:name or file.py:name"),
        (
            "nowhere:draw",
            "got 'nowhere:draw'; found no module 'nowhere' in the current folder or the installed packages. "
            "Correct the name or add the module.",
        ),
        ("mine.deeper:draw", "got 'mine.deeper:draw'; found no module 'mine.deeper' in the current folder or "),
        (
            "nowhere.py:draw",
            "got 'nowhere.py:draw'; the file 'nowhere.py' does not exist. Correct the path or add the file.",
        ),
        ("mine:NOT_CALLABLE", f"got a value of type int; must be a function draw(rng, data, n) that returns {VIEWS}"),
        (
            "broken:draw",
            "got 'broken:draw'; its import failed with AttributeError: module 'math' has no attribute 'nothing'",
        ),
        (
            "broken.py:draw",
            "got 'broken.py:draw'; its import failed with AttributeError: module 'math' has no attribute",
        ),
        (
            "unfinished:draw",
            "got 'unfinished:draw'; its import failed with SyntaxError: invalid syntax (unfinished.py, line 1)",
        ),
        (
            "lacking:draw",
            "got 'lacking:draw'; its import failed with ModuleNotFoundError: No module named 'not_there_at_all'",
        ),
        (
            "leaving:draw",
            "got 'leaving:draw'; its import failed with SystemExit: bye (leaving.py, line 1). Correct the ",
        ),
    ],
)
def test_mechanisms_that_cannot_be_had(mine, mechanism, says):
    assert audited(mechanism).startswith(f"--mechanism: {says}")


def test_a_name_that_is_not_there_is_told_those_that_are(mine):
    for module in ("mine", "mine.py"):
        said = audited(f"{module}:drow")
        assert said.startswith(f"--mechanism: got '{module}:drow'; ")
        assert "mine.py does not define 'drow'. Use one of: NOT_CALLABLE, PAIR, TRIPLE, TEXT, draw, few, " in said
        assert said.endswith(", ...")
        assert said.count(",") == MOST_NAMES


def test_the_line_of_a_failing_import_is_named(mine):
    assert audited("broken:draw").endswith("(broken.py, line 3). Correct the module.")
    with pytest.raises(Fault, match="line 3"), importable(mine):
        named("draw", "broken:draw")
    assert str(mine) not in sys.path


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("few", "returned shape (5,) on the first input for n = 1000; must be (1000,) or (1000, k)"),
        ("scalar", "returned shape () on the first input for n = 1000; must be (1000,) or (1000, k)"),
        ("cube", "returned shape (1000, 2, 2) on the first input for n = 1000; must be (1000,) or (1000, k)"),
        ("empty", "returned shape (1000, 0) on the first input for n = 1000; must be (1000,) or (1000, k)"),
        ("nan", "returned nan on the first input; must be a number from -1e+100 to 1e+100"),
        ("infinite", "returned -inf on the second input; must be a number from -1e+100 to 1e+100"),
        ("objects", "returned dtype object on the first input; must be bool, integer or float"),
        ("words", "returned dtype <U1 on the first input; must be bool, integer or float"),
        ("complex_", "returned dtype complex128 on the first input; must be bool, integer or float"),
        ("ragged", "failed on the first input with ValueError: setting an array element with a sequence. "),
        (
            "whole",
            "returned whole numbers beyond 2**53 on the first input; must be smaller. Split large ones into columns.",
        ),
        ("two_or_three", "returned width 3 on the second input, after width 2; must always be the same width"),
        (
            "fails",
            f"failed on the first input with ValueError: no luck (mine.py, line 21); must return {VIEWS}",
        ),
        ("leaves", f"failed on the first input with SystemExit: 7 (mine.py, line 22); must return {VIEWS}"),
        (
            "nothing",
            "failed on the first input with TypeError: nothing() takes 0 positional arguments but 3 were given",
        ),
        (
            "same",
            "returned the same numbers for two generators; must depend on rng. Draw all randomness from rng.",
        ),
    ],
)
def test_samplers_that_return_something_else(mine, function, says):
    assert audited(f"mine:{function}").startswith(f"--mechanism: {says}")


@pytest.mark.parametrize(
    ("neighbors", "says"),
    [
        (
            ["[0.0]"],
            f"got '[0.0]' alone; must be {NAME} of a pair, or two inputs, each {LITERAL}",
        ),
        (["[0.0]", "[1.0"], f"got '[1.0'; must be {LITERAL}"),
        (["open('x')", "1"], f"got \"open('x')\"; must be {LITERAL}"),
        (["1 + len([])", "1"], f"got '1 + len([])'; must be {LITERAL}"),
        (["[NaN]", "1"], f"got '[NaN]'; must be {LITERAL}"),
        (["1", "(" * 5000], f"got '{56 * '('}...; must be {LITERAL}"),
        (["{[]: 1}", "1"], f"got '{{[]: 1}}'; must be {LITERAL}"),
        (["mine:TRIPLE"], "got 'mine:TRIPLE', which has 3 elements; must be a pair of inputs, (first, second)"),
        (["mine:TEXT"], "got 'mine:TEXT', which has type str; must be a pair of inputs, (first, second)"),
        (["mine:draw"], "got 'mine:draw', which has type function; must be a pair of inputs, (first, second)"),
        (["mine:NONE"], "got 'mine:NONE'; "),
        (["mine:PAIR", "nowhere:X"], "got 'nowhere:X'; found no module 'nowhere' "),
        (["1", "2", "--neighbors", "3"], "got 3 values; must be module:name or file.py:name of a pair"),
        (["[true]", "[1]"], "got two equal inputs; must be two that differ in one user's data"),
    ],
)
def test_neighbors_that_cannot_be_had(mine, neighbors, says):
    assert audited(neighbors=neighbors).startswith(f"--neighbors: {says}")


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        *[("eps", value, f"got {said}; must be a number above 0") for value, said in
          (("0", "0.0"), ("-1", "-1.0"), ("nan", "nan"), ("inf", "inf"))],
        *[("delta", value, f"got {said}; must be a number from 0 to below 1") for value, said in
          (("-0.1", "-0.1"), ("1", "1.0"), ("nan", "nan"))],
        ("eps", "one", "got 'one'; must be a number"),
        ("delta", "", "got ''; must be a number"),
        ("trials", "999", "got 999; must be a whole number from 1000 to 10000000"),
        ("trials", "1e8", "got 100000000; must be a whole number from 1000 to 10000000"),
        ("trials", "1000.5", "got '1000.5'; must be a whole number"),
        ("trials", "inf", "got 'inf'; must be a whole number"),
        ("seed", "-1", "got -1; must be a whole number, at least 0"),
        ("seed", "x", "got 'x'; must be a whole number"),
        *[("timeout", value, f"got {said}; must be a number of seconds above 0, at most 86400") for value, said in
          (("0", "0.0"), ("nan", "nan"), ("1e6", "1000000.0"))],
        ("timeout", "soon", "got 'soon'; must be a number"),
    ],
)  # fmt: skip
def test_numbers_out_of_range(mine, option, value, says):
    assert audited(**{option: value}) == f"--{option}: {says}"


def test_what_is_missing_and_what_stands_alone(mine):
    assert refusal("--mechanism", "mine:draw", "--eps", "1") == (
        "--neighbors: required option is missing; a sampler needs it. Add two neighboring inputs."
    )
    assert refusal("--mechanism", "mine:draw", "--neighbors", "mine:PAIR") == (
        "--eps: required option is missing; --mechanism needs it. Add the claimed epsilon."
    )
    for option in ("--eps", "--delta", "--trials", "--seed", "--timeout", "--neighbors"):
        assert (
            refusal(option, "1") == f"{option}: needs --mechanism, which is missing. Add --mechanism MODULE:FUNCTION."
        )


def test_views_that_memory_cannot_hold(monkeypatch):
    monkeypatch.setattr(own, "MOST_NUMBERS", 8000)
    says = "trials: got 5000; must be at most 4000 for views of width 2"
    with pytest.raises(Fault, match=says):
        audit_own(lambda rng, data, n: rng.normal(size=(n, 2)), 0, 1, 1.0, trials=5000)


def test_a_sampler_that_cannot_hold_its_width():
    with pytest.raises(Fault, match="returned width 1 on the first input, after width 2"):
        audit_own(lambda rng, data, n: rng.normal(size=(n, 1 + (n == 1000))), 0, 1, 1.0, trials=2000)


def test_repeats_that_are_chance_are_no_fault():
    """A rare event of which two probes show none, and a constant."""
    assert audit_own(lambda rng, data, n: rng.random(n) < 1e-9, 0, 1, 1.0, trials=1000).lower == 0.0


def test_arrays_are_compared_as_wholes():
    def draw(rng, data, n):
        return rng.normal(size=n) + data.sum()

    pairs = [(np.zeros(0), np.ones(1)), (np.zeros(1), np.zeros(2)), (np.zeros(2), np.array([0.0, 1.0]))]
    for pair in pairs:
        assert audit_own(draw, *pair, 3.0, trials=1000).verdict in ("consistent", "no power")
    with pytest.raises(Fault, match="second: got two equal inputs"):
        audit_own(draw, np.zeros(2), np.zeros(2), 1.0)


@pytest.mark.parametrize(
    ("argument", "value"), [("trials", 1000.5), ("trials", math.inf), ("seed", 0.5), ("seed", math.nan)]
)
def test_the_function_names_its_arguments(argument, value):
    with pytest.raises(Fault, match=rf"^{argument}: got {value}; must be a whole number"):
        audit_own(lambda rng, data, n: rng.normal(size=n), 0, 1, 1.0, **{argument: value})


@pytest.mark.parametrize(("mechanism", "where"), [("copied", "first"), ("copied_on_second", "second")])
@injects(
    "your mechanism returns copies of one draw",
    tried="one draw for all runs, or for one column",
    happens="one line; no verdict",
    do="draw every run independently",
)
def test_copies_of_one_draw_are_refused(mine, mechanism, where):
    says = f"returned 1000 copies of one draw on the {where} input; must be independent runs"
    assert audited(f"mine:{mechanism}") == f"--mechanism: {says}. Draw new random numbers for each run."


def test_copies_in_one_column_are_refused(mine):
    says = "returned 1000 copies of one draw in column 2 on the first input; must be independent runs"
    assert audited("mine:copied_column") == f"--mechanism: {says}. Draw new random numbers for each run."


@pytest.mark.parametrize("mechanism", ["others", "mixed", "kept"])
@injects(
    "your mechanism takes randomness from elsewhere",
    tried="another generator, the global one, a counter",
    happens="one line; no verdict",
    do="take all randomness from `rng`",
)
def test_randomness_that_is_not_of_the_stream_is_refused(mine, mechanism):
    """Another generator, the global one, or something that is kept between calls."""
    says = "returned other numbers on the first input for equal generators; must take all randomness from rng"
    assert audited(f"mine:{mechanism}").startswith(f"--mechanism: {says}. ")


@injects(
    "your mechanism ends its process, or never returns",
    tried="`os._exit`; an endless loop that no signal stops",
    happens="it runs in a process of its own, which is killed; one line",
    do="return an array in time",
)
def test_a_sampler_that_ends_its_process_is_named(mine):
    """It would else end the command with exit code 0, without a word."""
    assert audited("mine:quits") == f"--mechanism: ended its process on the first input; must return {VIEWS}"


def test_a_sampler_that_no_signal_stops_is_killed(mine, monkeypatch):
    """As code in C that does not return to Python."""
    monkeypatch.setattr(apart, "GRACE", 0.3)
    says = "does not return on the first input and ignores the time limit; must return in time"
    assert audited("mine:deaf", timeout="0.2") == f"--mechanism: {says}"


def test_a_constant_is_not_taken_for_copies_of_a_draw(mine):
    found = call("--mechanism", "mine:constant", "--neighbors", "mine:PAIR", "--eps", "1", "--trials", "1000")
    assert found.exit_code == 0


def test_an_interrupt_exits_with_the_code_of_shells_and_not_with_that_of_a_violation(mine):
    found = call("--mechanism", "mine:interrupted", "--neighbors", "mine:PAIR", "--eps", "1", "--trials", "1000")
    assert (found.exit_code, found.stdout) == (130, "")
    assert found.stderr == "dpbandits: interrupted; there is no verdict. Run the command again.\n"


def test_a_sampler_that_does_not_return_in_time_is_stopped_and_the_remedy_named(mine):
    """Also where it catches all exceptions."""
    assert audited("mine:endless", timeout="0.2") == (
        "--mechanism: did not return 1,000 runs on the first input within 0.2 s; must return in time. "
        "Draw all runs at once as arrays, or raise --timeout."
    )


def test_the_handler_and_the_timer_of_the_process_are_as_before():
    def endless(rng, data, n):
        while True:
            rng.normal()

    handler, (seconds, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(Fault, match="did not return 1,000 runs"):
        audit_own(endless, 0, 1, 1.0, timeout=0.2)
    assert signal.getsignal(signal.SIGALRM) == handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(seconds, abs=60.0)


def test_outside_of_the_main_thread_there_is_no_time_limit():
    def draw(rng, data, n):
        return rng.normal(size=n)

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(audit_own, draw, 0, 1, 1.0, trials=1000, timeout=1e-9).result()
    assert found.verdict == "consistent"
