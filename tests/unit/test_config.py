"""The configuration: every kind of fault is one line that names file, key, value and what is allowed."""

import re
from pathlib import Path

import pytest

from dpbandits.environments.table import TABLE
from dpbandits.experiments.config import ConfigError, _validator, listed, load_project
from dpbandits.experiments.grid import every_curve

from .small import (
    CENTRAL,
    CLAIM,
    CONFIG,
    DELETE,
    FILE,
    KEY,
    LOCAL,
    PAPER,
    PLAIN,
    ROOT,
    SIZE,
    changed,
    fault,
    load,
    write_project,
)

NAME = "text that matches ^[a-z][a-z0-9_]*$"
S, C, F, T = "experiments.study.", "experiments.study.curves.1.", "figures.regret.", "claims.C1.tests."
FAMILIES = listed("cubic", TABLE)
ARGUMENTS = listed("colour", sorted({"family"}.union(*(family.arguments for family in TABLE.values()))))
REFERENCE = "text that matches ^[a-z][a-z0-9_]*(:[a-z][a-z0-9_]*)?(@(printed|released|tuned|certified))?$"
X, G, M, B, V = (
    "experiments.scaling.",
    "figures.growth.",
    "measurements.slope.",
    "tables.table1.",
    "claims.C2.variants.grows.",
)
KEYS = (
    "assumptions, audits, authors, calibrations, claims, constants, experiments, figures, gates, intervals, "
    "measurements, reference, tables, title"
)

# Path in the paper's YAML, the value that stands there instead, and what the fault says after the key; where this ends
# in three points, it goes on with what grows with the project.
FAULTS = [
    ("title", DELETE, "is missing"),
    ("title", "", "'' is not allowed; allowed: text that is not empty"),
    ("title", 3, "3 is not allowed; allowed: text"),
    ("authors", [], "[] is not allowed; allowed: at least 1 entry"),
    ("authors", "A. Author", "'A. Author' is not allowed; allowed: a list"),
    ("extra", 1, "unknown key; allowed: ..."),
    ("assumptions", None, "None is not allowed; allowed: a list"),
    ("assumptions.0.value", [1], "[1] is not allowed; allowed: text or a number"),
    ("assumptions.0.source", "guessed", "'guessed' is not allowed; allowed: assumed"),
    ("assumptions.0.why", 1, "unknown key; allowed: ..."),
    ("experiments", {}, "{} is not allowed; allowed: at least one entry"),
    ("experiments", [], "[] is not allowed; allowed: a mapping"),
    (f"{S}extra", 1, "unknown key; allowed: ..."),
    (f"{S}horizon", DELETE, "is missing"),
    (f"{S}horizon", 7, "7 is not allowed; must be >= 8"),
    (f"{S}horizon", 1e13, "10000000000000 is not allowed; must be <= 1000000000000"),
    (f"{S}horizon", 10.5, "10.5 is not allowed; allowed: a whole number"),
    (f"{S}horizon", True, "True is not allowed; allowed: a whole number"),
    (f"{S}horizon", "1_000", "'1_000' is not allowed; allowed: a whole number"),
    (f"{S}horizon", float("nan"), "nan is not allowed; a finite number is"),
    (f"{S}horizon", 10**400, "inf is not allowed; a finite number is"),
    (f"{S}environment", None, "None is not allowed; allowed: a mapping"),
    (f"{S}environment.family", "cubic", "'cubic' is not allowed; allowed: one of: ..."),
    (f"{S}environment.arms", 1, "1 is not allowed; must be >= 2"),
    (f"{S}environment.colour", 1, "unknown key; allowed: ..."),
    (f"{S}environments", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{S}environments", {"best": {"arms": 3}}, "the name 'best' is not allowed; allowed: one of: ..."),
    ("constants", DELETE, "is missing"),
    ("constants", [1], "[1] is not allowed; allowed: a mapping"),
    ("constants.width", "wide", "'wide' is not allowed; allowed: a number, or {value, source: assumed, note}"),
    ("constants.core_factor.value", [1], "[1] is not allowed; allowed: a number"),
    ("calibrations.tuned", 3, "3 is not allowed; allowed: a mapping"),
    ("calibrations.tuned.width.source", DELETE, "is missing"),
    (f"{S}checkpoints_per_decade", -1, "-1 is not allowed; must be >= 0"),
    (f"{S}checkpoints_even", 0, "0 is not allowed; must be >= 1"),
    (f"{S}checkpoints_even", 1.5, "1.5 is not allowed; allowed: a whole number"),
    (f"{S}grid", 3, "3 is not allowed; allowed: a mapping of lists, or a list of such mappings"),
    (f"{S}grid", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{S}grid", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{X}grid.0", [1], "[1] is not allowed; allowed: a mapping"),
    (f"{X}grid.1.arms", 8, "8 is not allowed; allowed: a list"),
    (f"{X}grid.1.arms.0", "eight", "'eight' is not allowed; allowed: a number"),
    (f"{X}grid.1.arms.0", -8, "-8 is not allowed; must be >= 0"),
    (f"{S}grid.eps", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{S}grid.eps", [2, 2.0], "[2, 2] is not allowed; allowed: entries that differ"),
    (f"{S}grid.eps.0", True, "True is not allowed; allowed: a number"),
    (f"{S}grid.eps.0", float("inf"), "inf is not allowed; a finite number is"),
    (f"{S}size.full", DELETE, "is missing"),
    (f"{S}size.tiny", SIZE, "unknown key; allowed: ..."),
    (f"{S}size.smoke.cores", 1, "unknown key; allowed: ..."),
    (f"{S}size.smoke.seeds", 1, "1 is not allowed; must be >= 2"),
    (f"{S}size.smoke.chunk", 0, "0 is not allowed; must be >= 1"),
    (f"{S}curves", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{C}seed", 1, "unknown key; allowed: ..."),
    (f"{C}algorithm", DELETE, "is missing"),
    (f"{C}algorithm", "Magic", f"'Magic' is not allowed; allowed: {NAME}"),
    (f"{C}calibrations", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{C}calibrations.0", "best", "'best' is not allowed; allowed: one of: ..."),
    (f"{C}variant", "../x", f"'../x' is not allowed; allowed: {NAME}"),
    (f"{C}variant", "x\n", f"'x\\n' is not allowed; allowed: {NAME}"),
    (f"{C}parameters.core_factor", True, "True is not allowed; allowed: a number, or {value, source: assumed, note}"),
    (f"{C}parameters.core_factor.source", "paper", "'paper' is not allowed; allowed: assumed"),
    (f"{C}parameters.core_factor.note", DELETE, "is missing"),
    (f"{C}parameters.core_factor.unit", 1, "unknown key; allowed: ..."),
    (f"{C}parameters.core_factor.value", "x", "'x' is not allowed; allowed: a number"),
    (f"{C}replicates", 1.5, "1.5 is not allowed; allowed: a whole number"),
    (f"{C}replicates", 1001, "1001 is not allowed; must be <= 1000"),
    (f"{C}milliseconds", 0, "0 is not allowed; must be > 0"),
    (f"{C}milliseconds", 10**300, "1e+300 is not allowed; must be <= 1000000000"),
    (f"{F}extra", 1, "unknown key; allowed: ..."),
    (f"{F}x", "eps", "unknown key; allowed: ..."),
    (f"{F}experiment", DELETE, "is missing"),
    (f"{F}panels", "eps", "'eps' is not allowed; this drawing takes none"),
    (f"{F}measurement", "slope", "'slope' is not allowed; this drawing takes none"),
    (f"{F}curves.0", "Central", f"'Central' is not allowed; allowed: {REFERENCE}"),
    (f"{T}0.against", f"{PLAIN}@best", f"'{PLAIN}@best' is not allowed; allowed: {REFERENCE}"),
    (f"{F}notes", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{F}notes", {"best": "n"}, "the name 'best' is not allowed; allowed: one of: ..."),
    (f"{G}panels", DELETE, "is missing"),
    (f"{G}panels", "A", "'A' is not allowed; allowed: text that matches ^(T|[a-z][a-z0-9_]*)$"),
    (f"{G}at.arms", [], "[] is not allowed; allowed: at least 1 entry"),
    ("figures.slopes.measurement", DELETE, "is missing"),
    ("figures.slopes.curves", [PLAIN], f"['{PLAIN}'] is not allowed; this drawing takes none"),
    ("gates", [], "[] is not allowed; allowed: at least 1 entry"),
    ("gates.0.column", DELETE, "is missing"),
    ("gates.0.column", "Late", f"'Late' is not allowed; allowed: {NAME}"),
    ("gates.0.at_most", "half", "'half' is not allowed; allowed: a number"),
    ("gates.0.at_most", -1, "-1 is not allowed; must be >= 0"),
    ("gates.0.note", DELETE, "is missing"),
    ("gates.0.below", 1, "unknown key; allowed: at_most, column, note, over"),
    (f"{M}gated", "no", "'no' is not allowed; allowed: true or false"),
    ("claims.C1.gated", 0, "0 is not allowed; allowed: true or false"),
    (f"{V}gated", None, "None is not allowed; allowed: true or false"),
    ("measurements", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{M}extra", 1, "unknown key; allowed: calibrations, experiment, gated, says, tests"),
    (f"{M}experiment", DELETE, "is missing"),
    (f"{M}tests.0.bounds", [0, 1], "unknown key; allowed: ..."),
    (
        f"{M}tests.0.predicate",
        "ordered",
        "'ordered' is not allowed; allowed: one of: ratio_between, ...",
    ),
    (f"{M}tests.0.over", "T", "'T' is not allowed; this predicate takes none"),
    (f"{M}tests.0.along", DELETE, "is missing"),
    (f"{B}columns", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{B}rows.0.0", 1, "1 is not allowed; allowed: text"),
    (f"{B}measured.0.curves.0", 3, "3 is not allowed; allowed: a curve, or null"),
    (f"{B}measured.0.curves.1", "A curve", f"'A curve' is not allowed; allowed: {REFERENCE}"),
    (f"{B}measured.0.calibration", "best", "'best' is not allowed; allowed: one of: ..."),
    ("claims.C2.variants", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{V}note", DELETE, "is missing"),
    (f"{V}kind", "exact", "unknown key; allowed: calibrations, combine, experiment, gated, note, tests"),
    (f"{V}tests", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{V}tests.0.along", DELETE, "is missing"),
    (f"{V}tests.0.along", "a b", "'a b' is not allowed; allowed: text that matches ^(T|[a-z][a-z0-9_]*)$"),
    (f"{V}tests.0.tolerated", [1], "[1] is not allowed; allowed: at least 2 entries"),
    (f"{V}tests.0.rate", 0.5, "0.5 is not allowed; this predicate takes none"),
    (f"{V}tests.1.over", "T^2", "'T^2' is not allowed; allowed: one of: T, sqrt_T_log_T"),
    (f"{V}tests.1.baseline", PLAIN, f"'{PLAIN}' is not allowed; this predicate takes none"),
    ("claims.C2.tests.0.column", DELETE, "is missing"),
    ("claims.C2.tests.0.above", "x", "'x' is not allowed; allowed: a number"),
    ("claims.C2.tests.0.rate", 1.5, "1.5 is not allowed; must be <= 1"),
    ("claims.C2.tests.0.bounds", [0, 1], "[0, 1] is not allowed; this predicate takes none"),
    ("claims.C2.tests.0.tolerated", [0, 1], "[0, 1] is not allowed; this predicate takes none"),
    ("claims.C2.tests.0.calibrations", [], "[] is not allowed; allowed: at least 1 entry"),
    ("claims.C1.combine", DELETE, "is missing"),
    (f"{F}drawing", "pie", "'pie' is not allowed; allowed: one of: ..."),
    (f"{F}curves", [PLAIN, PLAIN], f"{[PLAIN, PLAIN]} is not allowed; allowed: entries that differ"),
    (f"{F}claims.0", "1", "'1' is not allowed; allowed: text that matches ^C[1-9][0-9]*(/..."),
    ("claims.C1.kind", "guess", "'guess' is not allowed; allowed: one of: ..."),
    ("claims.C1.says", DELETE, "is missing"),
    ("claims.C1.kind", DELETE, "is missing"),
    ("claims.C1.tests", DELETE, "is missing"),
    ("claims.C1.function", "f", "unknown key; allowed: ..."),
    ("claims.C1.tests", [], "[] is not allowed; allowed: at least 1 entry"),
    (f"{T}0.extra", 1, "unknown key; allowed: ..."),
    (f"{T}0.predicate", DELETE, "is missing"),
    (f"{T}0.predicate", "bigger", "'bigger' is not allowed; allowed: one of: ..."),
    (f"{T}0.against", DELETE, "is missing"),
    (f"{T}0.baseline", PLAIN, f"'{PLAIN}' is not allowed; this predicate takes none"),
    (f"{T}0.along", "eps", "'eps' is not allowed; this predicate takes none"),
    (f"{T}0.at", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{T}0.at", 3, "3 is not allowed; allowed: a mapping of lists, or a list of such mappings"),
    (f"{T}0.at.eps", "1", "'1' is not allowed; allowed: a list"),
    (f"{T}0.bounds", [1], "[1] is not allowed; allowed: at least 2 entries"),
    (f"{T}0.bounds", [1, 2, 3], "[1, 2, 3] is not allowed; allowed: at most 2 entries"),
    (f"{T}0.bounds.0", "a", "'a' is not allowed; allowed: a number or null"),
    (f"{T}1.curves", [CENTRAL], f"['{CENTRAL}'] is not allowed; allowed: at least 2 entries"),
    (f"{T}1.bounds", [0, 1], "[0, 1] is not allowed; this predicate takes none"),
    (f"{T}1.against_column", "bound", "'bound' is not allowed; this predicate takes none"),
    (f"{T}1.column", "bound", "'bound' is not allowed; this predicate takes none"),
    (f"{T}3.scale", "log", "'log' is not allowed; this predicate takes none"),
    (f"{V}tests.0.scale", "linear", "'linear' is not allowed; allowed: log"),
    (f"{V}tests.0.against_column", "bound", "'bound' is not allowed; this predicate takes none"),
    (f"{M}tests.0.against_column", "bound", "'bound' is not allowed; this predicate takes none"),
    (f"{T}3.predicate", "mean_of", "'mean_of' is not allowed; allowed: one of: ..."),
    (f"{T}3.across", "eps", "'eps' is not allowed; this predicate takes none"),
    (f"{T}3.worst", "eps", "'eps' is not allowed; this predicate takes none"),
    (f"{T}3.statistic", "mode", "'mode' is not allowed; allowed: median"),
    (f"{M}tests.0.across", "eps", "unknown key; allowed: ..."),
    (f"{T}0.equivalent", 0, "0 is not allowed; must be > 0"),
    (f"{T}0.equivalent", 1, "1 is not allowed; must be < 1"),
    (f"{T}2.equivalent", 0.1, "0.1 is not allowed; this predicate takes none"),
    (f"{T}0.reference", {}, "{} is not allowed; allowed: at least one entry"),
    (f"{T}1.reference", {"eps": 1}, "{'eps': 1} is not allowed; this predicate takes none"),
    (f"{T}2.baseline", DELETE, "is missing"),
    (f"{T}3.bounds", DELETE, "is missing"),
]


FORM = {"reading": "form", "function": "f", "arguments": {"eps": 1}, "bounds": [0, 1]}
CLOSED = {key: value for key, value in CLAIM.items() if key != "experiment"} | {"kind": "analytic", "tests": [FORM]}


AFFINE = {"reading": "r", "predicate": "affine_between", "curves": [CENTRAL], "along": "eps", "of": "inverse"}
AFFINE |= {"baseline": PLAIN, "fit": 0.9, "bounds": [0, 4], "at": {"eps": [0.5, 1, 10]}}
FORMS = {"reading": "r", "predicate": "form_ratio", "curves": [CENTRAL], "along": "eps", "across": "arms"}
FORMS |= {"bounds": [None, 0.5], "at": {"eps": [0.5, 1], "arms": [4, 8]}}
SHARE = {"reading": "r", "predicate": "share", "curves": [CENTRAL], "column": "misses", "above": 0}
SHARE |= {"bounds": [None, 0.1], "at": {"eps": [1]}}
GROWTH = {"reading": "r", "predicate": "increments", "curves": [CENTRAL], "along": "eps", "bounds": [None, 2]}
GROWTH |= {"at": {"eps": [0.5, 1, 10]}}
MEASURED = {"reading": "r", "curves": [PLAIN], "at": {"eps": [1]}}


def key_of(path: str) -> str:
    return re.sub(r"\.([0-9]+)", r"[\1]", path)


@pytest.mark.parametrize(("path", "value", "says"), FAULTS)
def test_a_fault_of_a_paper_names_file_key_value_and_what_is_allowed(tmp_path: Path, path, value, says):
    line, wanted = fault(write_project(tmp_path, changed(PAPER, path, value))), f"{FILE}: {key_of(path)}: {says}"
    assert line.startswith(wanted.removesuffix("...")) if wanted.endswith("...") else line == wanted


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            f"{S}environments",
            {"printed": {"family": "cubic"}},
            f"{S}environments.printed.family: 'cubic' is not allowed; allowed: one of: {FAMILIES}",
        ),
        (
            f"{S}environments",
            {"printed": {"colour": 1}},
            f"{S}environments.printed.colour: unknown key; allowed: {ARGUMENTS}",
        ),
        (
            f"{S}environments",
            {"printed": {}},
            f"{S}environments.printed: {{}} is not allowed; allowed: at least one entry",
        ),
        ("claims.C1.kind", "exact", "claims.C1.experiment: 'study' is not allowed; this kind takes none"),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "arguments": {"eps": "x"}}]},
            "claims.C1.tests[0].arguments.eps: 'x' is not allowed; allowed: a number, or a list of numbers",
        ),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "arguments": {"eps": [1, "x"]}}]},
            "claims.C1.tests[0].arguments.eps[1]: 'x' is not allowed; allowed: a number",
        ),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "predicate": "ordered"}]},
            "claims.C1.tests[0].predicate: unknown key; allowed: arguments, bounds, calibrations, function, reading",
        ),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "experiment": "study"}}},
            "claims.C1.variants.other.experiment: 'study' is not allowed; this kind takes none",
        ),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "tests": [{**FORM, "bounds": 1}]}}},
            "claims.C1.variants.other.tests[0].bounds: 1 is not allowed; allowed: a list",
        ),
        (
            "claims.C1",
            CLOSED | {"experiment": "study"},
            "claims.C1.experiment: 'study' is not allowed; this kind takes none",
        ),
        ("claims.C1", CLOSED | {"gated": False}, "claims.C1.gated: False is not allowed; this kind takes none"),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "gated": False}}},
            "claims.C1.variants.other.gated: False is not allowed; this kind takes none",
        ),
        (f"{F}drawing", "regret_against_round", "figures.regret.panels: is missing"),
        (
            f"{T}0.reference",
            {"eps": [1]},
            "claims.C1.tests[0].reference.eps: [1] is not allowed; allowed: a number",
        ),
        (
            f"{T}3",
            {"reading": "r", "predicate": "falling_excess", "curves": [CENTRAL], "at": {"eps": [1, 10]}},
            "claims.C1.tests[3].baseline: is missing",
        ),
        (
            f"{T}3",
            {
                "reading": "r",
                "predicate": "argmin_between",
                "curves": [CENTRAL],
                "along": "eps",
                "at": {"eps": [1, 10]},
            },
            "claims.C1.tests[3].bounds: is missing",
        ),
        *(
            (f"{T}3", {**test, key: value}, f"claims.C1.tests[3].{key}: {says}")
            for test, key, value, says in (
                (AFFINE, "fit", 1, "1 is not allowed; must be < 1"),
                (AFFINE, "of", "square", "'square' is not allowed; allowed: inverse"),
                (AFFINE, "column", "bound", "'bound' is not allowed; this predicate takes none"),
                (AFFINE, "against", PLAIN, f"'{PLAIN}' is not allowed; this predicate takes none"),
                (FORMS, "fit", 0.5, "0.5 is not allowed; this predicate takes none"),
                (FORMS, "baseline", PLAIN, f"'{PLAIN}' is not allowed; this predicate takes none"),
                (SHARE, "rate", 0.5, "0.5 is not allowed; this predicate takes none"),
                (SHARE, "above", "x", "'x' is not allowed; allowed: a number"),
                (SHARE, "statistic", "median", "'median' is not allowed; this predicate takes none"),
                (GROWTH, "against", PLAIN, f"'{PLAIN}' is not allowed; this predicate takes none"),
            )
        ),
        *(
            (
                f"{T}3",
                {name: value for name, value in test.items() if name != key},
                f"claims.C1.tests[3].{key}: is missing",
            )
            for test, keys in (
                (AFFINE, ("along", "of", "baseline", "fit", "bounds")),
                (FORMS, ("along", "across", "bounds")),
                (SHARE, ("column", "above", "bounds")),
                (GROWTH, ("along", "bounds")),
            )
            for key in keys
        ),
        *(
            (f"{M}tests.0", {**MEASURED, "predicate": name}, f"{M}tests[0].column: is missing")
            for name in ("mean_of", "dispersion")
        ),
        (
            f"{M}tests.0",
            {**MEASURED, "predicate": "mean_of", "column": "bound", "above": 1},
            f"{M}tests[0].above: 1 is not allowed; this predicate takes none",
        ),
        ("claims.C1", CLOSED, "claims.C1.tests[0].function: 'f' is not allowed; allowed: none"),
    ],
)
def test_a_fault_that_shows_at_another_key(tmp_path: Path, path, value, says):
    assert fault(write_project(tmp_path, changed(PAPER, path, value))) == f"{FILE}: {says}"


@pytest.mark.parametrize(
    ("section", "name", "pattern"),
    [
        ("experiments", "Study", NAME),
        ("experiments", "../x", NAME),
        ("experiments", "study2\n", NAME),
        ("figures", "a/b", NAME),
        ("measurements", "Slope", NAME),
        ("tables", "1", NAME),
        ("constants", "Width", NAME),
        ("calibrations", "best", "one of: printed, released, tuned, certified"),
        ("claims", "C0", "text that matches ^C[1-9][0-9]*$"),
        ("claims", "C1\n", "text that matches ^C[1-9][0-9]*$"),
    ],
)
def test_a_name_that_could_not_be_part_of_a_file_name_is_refused(tmp_path: Path, section, name, pattern):
    record = changed(PAPER, section, {**PAPER[section], name: next(iter(PAPER[section].values()))})
    line = f"{FILE}: {section}: the name {name!r} is not allowed; allowed: {pattern}"
    assert fault(write_project(tmp_path, record)) == line


def test_an_unknown_key_of_any_letters_stays_on_one_line(tmp_path: Path):
    record = {**PAPER, "a\nb \x1b[31m": 1}
    assert fault(write_project(tmp_path, record)) == rf"{FILE}: 'a\nb \x1b[31m': unknown key; allowed: {KEYS}"
    assert len(fault(write_project(tmp_path, {**PAPER, "x" * 5000: 1}))) < 120 + len(KEYS)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("scale", "huge", "'huge' is not allowed; allowed: one of: smoke, quick, full"),
        ("scale", DELETE, "is missing"),
        ("papers", [], "[] is not allowed; allowed: at least 1 entry"),
        ("papers", [KEY, KEY], f"['{KEY}', '{KEY}'] is not allowed; allowed: entries that differ"),
        ("papers.0", "../one2020", "'../one2020' is not allowed; allowed: text that matches ^[a-z]+[0-9]{4}$"),
        ("papers.0", f"{KEY}\n", rf"'{KEY}\n' is not allowed; allowed: text that matches ^[a-z]+[0-9]{{4}}$"),
        ("root_seed", -1, "-1 is not allowed; must be >= 0"),
        ("root_seed", 2**64, "18446744073709551616 is not allowed; must be <= 18446744073709551615"),
        ("root_seed", "7", "'7' is not allowed; allowed: a whole number"),
        ("seed", 7, "unknown key; allowed: papers, root_seed, scale, seconds_per_job"),
        ("seconds_per_job", DELETE, "is missing"),
        ("seconds_per_job", -1, "-1 is not allowed; must be >= 0"),
        ("seconds_per_job", "20", "'20' is not allowed; allowed: a number"),
        ("seconds_per_job", 100_000, "100000 is not allowed; must be <= 86400"),
        ("seconds_per_job", float("nan"), "nan is not allowed; a finite number is"),
    ],
)
def test_a_fault_of_the_project_names_file_key_value_and_what_is_allowed(tmp_path: Path, path, value, says):
    assert fault(write_project(tmp_path, config=changed(CONFIG, path, value))) == (
        f"config/config.yaml: {key_of(path)}: {says}"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"^config/config\.yaml: cannot be read \(No such file or directory\)$"):
        load_project(tmp_path)
    root = write_project(tmp_path, config={**CONFIG, "papers": ["two2021"]})
    assert fault(root) == "config/papers/two2021.yaml: cannot be read (No such file or directory)"
    (root / "config/papers/two2021.yaml").mkdir()
    assert fault(root) == "config/papers/two2021.yaml: cannot be read (Is a directory)"


def test_a_number_written_with_an_exponent_gives_the_same_curves(tmp_path: Path):
    plain = load(write_project(tmp_path / "a", changed(PAPER, f"{S}horizon", 1000)))
    other = load(write_project(tmp_path / "b", changed(PAPER, f"{S}horizon", 1000.0)))
    found = [every_curve(project, project.papers[KEY]) for project in (plain, other)]
    assert found[0] == found[1]
    assert [curve.folder for curve in found[0]] == [curve.folder for curve in found[1]]


def test_overrides_replace_keys_and_are_checked_as_the_file_is(tmp_path: Path):
    root = write_project(tmp_path)
    assert load_project(root, {"scale": "full"}).scale == "full"
    with pytest.raises(ConfigError, match=r"^config/config\.yaml: scale: 'x' is not allowed"):
        load_project(root, {"scale": "x"})


def test_the_projects_own_configuration_is_valid():
    assert fault(ROOT) == ""
    assert load(ROOT).papers


def test_the_sample_of_these_tests_is_valid(tmp_path: Path):
    assert fault(write_project(tmp_path)) == ""
    assert LOCAL in str(PAPER)


@pytest.mark.parametrize("name", ["config", "paper"])
def test_the_schemas_use_only_what_the_messages_know(name: str):
    """A key refused by `false`, or an `if` that holds where its key is missing, would give a line that misleads."""

    def walk(schema: object) -> None:
        if isinstance(schema, dict):
            assert not any(value is False for key, value in schema.items() if key != "additionalProperties")
            assert "if" not in schema or "required" in schema["if"]
            assert "title" in schema or not {"oneOf", "anyOf"} & set(schema)
        for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
            walk(inner)

    walk(_validator(name).schema)


def test_only_one_paper_is_read_where_only_one_is_asked_for(tmp_path: Path):
    root = write_project(tmp_path, config={**CONFIG, "papers": [KEY, "two2021"]})
    assert list(load_project(root, only=KEY).papers) == [KEY]
    assert fault(root) == "config/papers/two2021.yaml: cannot be read (No such file or directory)"
    with pytest.raises(ConfigError, match=f"^paper: 'other' is not allowed; allowed: {KEY}, two2021$"):
        load_project(root, only="other")
