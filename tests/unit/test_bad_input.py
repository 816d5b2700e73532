"""Input that is wrong by construction is refused in one line through the real command, before any work is begun.

`test_config_mutations` changes the configuration at random and asks that it is refused or can be used; here every
change is wrong whatever else stands there, so that all must be refused, by a line that names file and key.
"""

import re
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, note, settings
from hypothesis import strategies as st

from dpbandits.cli.main import main
from dpbandits.config.plain_yaml import load_yaml
from tests.shipped import PAPERS

from .bad_input import ESCAPES, KINDS, Place, written
from .small import ARMS, CONFIG, FILE, KEY, PAPER, PLAIN, ROOT, write_project

PROJECT = "config/config.yaml"
EXAMPLES, OF_PAPER = 60, 12
FEWEST, FEWEST_OF_PAPER = 45, 8
"""Different mutations of the sample, kind by kind, and of each paper of the project, that are at least tried."""
LONGEST = 400
MEMORY = 2 << 30
"""Bytes that the tests may take beside what the process has: what is too large fails here, and not the machine."""


@pytest.fixture(scope="module", autouse=True)
def _bounded() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the projects lie, so that what leaves one of them is seen as well."""
    return tmp_path_factory.mktemp("bad") / "projects"


def refusal(root: Path, *arguments: str) -> list[str]:
    """The lines, one a fault, with which a command ends that begins no work."""
    around = root.parent
    before = sorted(around.rglob("*"))
    result = CliRunner().invoke(main, ["--project", str(root), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.removesuffix("\n").split("\n")
    for line in lines:
        assert line.startswith("dpbandits: ")
        assert line.isprintable(), line
        assert len(line) < LONGEST, line
    assert sorted(around.rglob("*")) == before
    return [line.removeprefix("dpbandits: ") for line in lines]


def places(kind: str, file: str, record: Any) -> list[tuple[str, Any, Any, Place]]:
    """Every place of a record where a kind of mutation can strike, with the way it does."""
    return [(file, record, strike, place) for find, strike in KINDS[kind] for place in find(record)]


def plain(text: str) -> str:
    """Without the numbers of blocks of a grid, which faults of its values leave out."""
    return re.sub(r"\b(grid|grid\.[a-z]+|at)\[[0-9]+\]", r"\1", text)


def try_one(root: Path, data: st.DataObject, where: list[tuple[str, Any, Any, Place]], key: str, paper: Any) -> str:
    """One mutation, refused by a line with its file and key; what it was."""
    file, record, strike, place = data.draw(st.sampled_from(where))
    value = data.draw(st.sampled_from(place.values))
    note(f"{file}: {written(place.path)}: {value!r:.200}")
    mutant = strike(record, place.path, value)
    config = {**CONFIG, "papers": [key]}
    write_project(root, *((paper, mutant) if file == PROJECT else (mutant, config)), key)
    lines = refusal(root, "list", "experiments")
    *faults, last = lines
    assert all(re.match(re.escape(file) + "(:[0-9]+)?: ", line) for line in faults), lines
    assert last.startswith(file) or re.fullmatch("and [0-9]+ more faults; fix these first", last), lines
    assert any(plain(written(place.key)) in plain(line) for line in lines), lines
    return f"{file} {written(place.path)} {value!r}"


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_input_is_refused_by_file_and_key(kind: str, folder: Path, say):
    where = [*places(kind, FILE, PAPER), *places(kind, FILE, yaml.safe_load(ARMS)), *places(kind, PROJECT, CONFIG)]
    tried: set[str] = set()

    @settings(max_examples=EXAMPLES)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        tried.add(try_one(folder / "sample", data, where, KEY, PAPER))

    run()
    say(f"bad input: {kind:20s} {len(tried):4d} in the sample, all refused")
    assert len(tried) >= FEWEST


@pytest.mark.slow
@pytest.mark.parametrize("key", PAPERS)
def test_wrong_input_in_a_paper_of_the_project_is_refused_by_file_and_key(key: str, folder: Path, say):
    file = f"config/papers/{key}.yaml"
    record = load_yaml(ROOT / file, file)
    where = {kind: found for kind in KINDS if (found := places(kind, file, record))}
    tried: Counter[str] = Counter()

    @settings(max_examples=OF_PAPER)
    @given(st.sampled_from(sorted(where)), st.data())
    def run(kind: str, data: st.DataObject) -> None:
        tried[try_one(folder / key, data, where[kind], key, record)] += 1

    run()
    say(f"bad input: {key:20s} {len(tried):4d} in this paper, all refused")
    assert len(tried) >= FEWEST_OF_PAPER


def test_enough_is_tried():
    assert len(KINDS) * FEWEST + len(PAPERS) * FEWEST_OF_PAPER >= 500


STUDY = ("run", f"{KEY}/study", "--algorithm", PLAIN)
BEYOND = st.sampled_from([*ESCAPES, f"../{KEY}", f"{KEY}/../x", f"{KEY}/", f"/{KEY}", f"{KEY}\n", KEY.upper()])
COMMANDS = {
    "paper": (("claims",), ("audit",)),
    "experiment": (("run", "--algorithm", PLAIN),),
    "claim or audit": (("explain",),),
    "audit": (("audit", "--out", "o"), ("collect", "--cells", "c", "--out", "o")),
    KEY: (("calibrate", KEY, "--out", "o"), ("simulate", KEY, "--noise", "n", "--out", "o", "--receipts", "r")),
    "--algorithm": ((*STUDY[:2], "--algorithm"),),
    "--calibration": ((*STUDY, "--calibration"),),
    "--set": ((*STUDY, "--set"),),
}
"""What a fault calls the argument -> commands that take it last."""


def test_wrong_names_on_the_command_line_are_refused_in_one_line(folder: Path, say):
    """Would fail where a stage made a file name of what it is told, as `collect` did, which reads no project."""
    root = write_project(folder / "named")
    tried: set[tuple[str, ...]] = set()

    @settings(max_examples=80)
    @given(st.sampled_from([(what, command) for what, every in COMMANDS.items() for command in every]), BEYOND)
    def run(case: tuple[str, tuple[str, ...]], name: str) -> None:
        what, command = case
        taken = ("--", name) if command[-1] not in ("--algorithm", "--calibration", "--set") else (name,)
        (line,) = refusal(root, *command, *taken)
        assert line.startswith(f"{what}: "), line
        tried.add((*command, name))

    run()
    say(f"bad input: names of commands     {len(tried):4d} at the sample, all refused")
    assert len(tried) >= 60


@pytest.mark.parametrize(
    "place", ["nothing\nhere", "no\x1b[2Jthing", "\u2028", "a" * 500, "config/config.yaml", "../.."]
)
def test_a_folder_without_a_project_is_refused_in_one_line(place: str, folder: Path):
    """Would fail for a name that breaks the line, is too long for the system, or is that of a file."""
    root = write_project(folder / "wrong")
    (line,) = refusal(root / place, "list")
    assert line.startswith("--project ")


DOUBLING = (
    ARMS.replace("bernoulli_spread, arms: 5, best: 0.75, gap: 0.125, spread: 0", "bernoulli_doubling_gaps, {}")
    .replace("gap: [0.1, 0.2]", "brackets: [2, 3]")
    .replace("along: gap", "along: brackets")
    .replace("{}", "brackets: 3, fewest: 2, growth: 2")
)


@pytest.mark.parametrize(
    ("paper", "given", "says"),
    [
        (ARMS, ("gap=0.9",), "got arms = 5, best = 0.75, gap = 0.9, spread = 0; means from 0.75 down to"),
        (
            DOUBLING,
            ("brackets=20", "growth=10", "fewest=1000"),
            "got brackets = 20, fewest = 1000, growth = 10; this needs ",
        ),
    ],
)
def test_settings_that_make_no_instance_are_refused_in_one_line(folder: Path, paper: str, given, says: str):
    """Would fail for numbers that are allowed one by one and together make no instance, or too large a one."""
    root = write_project(folder / "set", paper)
    changes = [part for each in given for part in ("--set", each)]
    (line,) = refusal(root, "run", f"{KEY}/study", "--algorithm", "anytime_lazy_ucb", *changes)
    assert line.startswith(f"{KEY}/study: {says}"), line


@pytest.mark.parametrize("extra", ["a\rb", "\x1b[2J", "\ufeff", "\u202ex", "[" * 2000])
def test_a_fault_of_usage_repeats_arguments_in_letters_that_can_be_printed(extra: str, folder: Path):
    """Would fail where click's own line, which has the arguments as they are, went to the terminal."""
    root = str(write_project(folder / "usage"))
    for call in (["digest", extra], [extra], ["new", "paper", "x", extra], ["list", f"--{extra}"]):
        result = CliRunner().invoke(main, ["--project", root, *call])
        assert result.exit_code == 2
        assert all(line.isprintable() and len(line) < LONGEST for line in result.stderr.splitlines()), result.stderr


@pytest.mark.parametrize("name", ["\u202ex.pdf", "x\x1b[2Jy.json", "x\ny.json"])
def test_a_file_that_is_not_there_is_named_in_letters_that_can_be_printed(name: str, folder: Path):
    root = write_project(folder / "named_files")
    (line,) = refusal(root, "collect", f"{KEY}/sums", "--cells", name, "--out", "o")
    assert repr(name.replace("\n", " "))[1:-1] in line
    assert line.endswith("cannot be read (No such file or directory); run again")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            ("judge", KEY, "--tables", "t", "--audits", "/dev/zero", "--out", "o"),
            "got '/dev/zero'; must be a regular file",
        ),
        (("report", "--out", "\udcff"), "got '\\udcff'; must be text in UTF-8. Choose another name."),
    ],
)
def test_places_that_cannot_be_read_or_named_are_refused_in_one_line(call: tuple[str, ...], says: str, folder: Path):
    """Would fail where a device that never ends was read until memory was full, or a name had no bytes in UTF-8."""
    result = CliRunner().invoke(main, ["--project", str(write_project(folder / "places")), *call])
    assert result.exit_code == 2
    assert says in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("command", ["certificate", "report"])
def test_the_pilot_has_no_certificate_and_no_report(command: str, folder: Path):
    """Would fail where a command looked for tables of experiments that the pilot does not play."""
    root = write_project(folder / "pilot")
    (line,) = refusal(root, "--scale", "pilot", command, "--out", "o")
    assert line == "--scale: got 'pilot'; the pilot judges no claims and runs no audits. Use smoke, quick or full."


@pytest.mark.parametrize("key", ["\x00", "\x00number", "\x00x"])
def test_a_key_that_begins_with_a_zero_byte_is_refused(key: str, folder: Path):
    """Would fail where such a key was taken for a tag of pydantic, which begin with this letter."""
    root = write_project(folder / "zero", config={**CONFIG, key: 1})
    (line,) = refusal(root, "list")
    assert "unknown key. Use one of: " in line
    root = write_project(folder / "zero", {**PAPER, "experiments": {key: PAPER["experiments"]["study"]}})
    assert any("experiments" in line for line in refusal(root, "list"))


def test_thousands_of_faults_are_found_at_once(folder: Path):
    """Would fail, after minutes, where the file was parsed again for the line of every fault."""
    many = ["x"] * 3000
    root = write_project(folder / "many", {**PAPER, "gates": many})
    begun = time.process_time()
    *_, last = refusal(root, "list")
    assert time.process_time() - begun < 10
    assert last == f"and {len(many) - 20} more faults; fix these first"
