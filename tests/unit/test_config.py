"""The configuration: every kind of fault is one line that names file, key, value and what is allowed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dpbandits.config.entries import TABLE as ENTRIES
from dpbandits.config.faults.check import check, load_and_check
from dpbandits.config.faults.stand_ins import OPTIONAL, STAND_INS
from dpbandits.config.grid import every_curve
from dpbandits.config.json_schema import schemas
from dpbandits.config.loading import load_project
from dpbandits.config.plain_yaml import ConfigError, load_yaml
from dpbandits.config.wording import listed
from dpbandits.environments.registry import TABLE
from tests.shipped import PAPERS

from .small import (
    BARE,
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
    faults_of,
    load,
    said,
    write_project,
)

NAME = "lower-case letters, digits and underscores that start with a letter"
S, C, F, T = "experiments.study.", "experiments.study.curves.1.", "figures.regret.", "claims.C1.tests."
FAMILIES = listed("cubic", TABLE)
REFERENCE = "a curve, such as ucb1, ucb1:variant or ucb1@printed"
X, G, M, B, V = (
    "experiments.scaling.",
    "figures.growth.",
    "measurements.slope.",
    "tables.table1.",
    "claims.C2.variants.grows.",
)
KEYS = (
    "algorithms, assumptions, audits, authors, calibrations, claims, constants, cpu_budget, environments, "
    "experiments, figures, gates, measurements, reference, tables, theorems, title"
)

# Path in the paper's YAML, the value that stands there instead, and what the fault says after the key; where this ends
# in three points, it goes on with what grows with the project.
FAULTS = [
    ("title", DELETE, "required key is missing. Add it."),
    ("title", "", "got ''; must be text that is not empty"),
    ("title", 3, "got 3; must be text"),
    ("authors", [], "got []; must have at least one entry"),
    ("authors", "A. Author", "got 'A. Author'; must be a list"),
    ("extra", 1, "unknown key. ..."),
    ("assumptions", None, "got null; delete the key instead"),
    ("assumptions.0.value", [1], "got [1]; must be text or a number"),
    ("assumptions.0.source", "guessed", "got 'guessed'; must be `assumed`"),
    ("assumptions.0.why", 1, "unknown key. ..."),
    ("experiments", {}, "got {}; must have at least one entry"),
    ("experiments", [], "got []; must be a mapping"),
    (f"{S}extra", 1, "unknown key. ..."),
    (f"{S}horizon", DELETE, "required key is missing. Add it."),
    (f"{S}horizon", 7, "got 7; must be >= 8"),
    (f"{S}horizon", 1e13, "got 10000000000000; must be <= 1000000000000"),
    (f"{S}horizon", 10.5, "got 10.5; must be a whole number"),
    (f"{S}horizon", True, "got true; must be a whole number"),
    (f"{S}horizon", "1_000", "got '1_000'; must be a whole number"),
    (f"{S}horizon", float("nan"), "got nan; must be a finite number"),
    (f"{S}horizon", 10**400, "got inf; must be a finite number"),
    (f"{S}environment", None, "got null; must be a mapping"),
    (f"{S}environment.family", "cubic", "unknown environment `cubic`. Use one of: ..."),
    (f"{S}environment.arms", 1, "got 1; must be a whole number >= 2 and <= 100000"),
    (f"{S}environment.color", 1, "unknown key. ..."),
    (f"{S}environments", {}, "got {}; must have at least one entry"),
    (f"{S}environments", {"best": {"arms": 3}}, "got the name 'best'; must be one of: ..."),
    ("constants", [1], "got [1]; must be a mapping"),
    ("constants.width", "wide", "got 'wide'; must be > 0"),
    ("constants.core_factor.value", [1], "got [1]; must be a number"),
    ("calibrations.tuned", 3, "got 3; must be a mapping"),
    ("calibrations.tuned.width.source", DELETE, "required key is missing. Add it."),
    (f"{S}checkpoints_per_decade", -1, "got -1; must be >= 1"),
    (f"{S}checkpoints_even", 0, "got 0; must be >= 1"),
    (f"{S}checkpoints_even", 1.5, "got 1.5; must be a whole number"),
    (f"{S}grid", 3, "got 3; must be a mapping of lists, or a list of such mappings"),
    (f"{S}grid", {}, "got {}; must have at least one entry"),
    (f"{S}grid", [], "got []; must have at least one entry"),
    (f"{X}grid.0", [1], "got [1]; must be a mapping"),
    (f"{X}grid.1.arms", 8, "got 8; must be a list"),
    (f"{X}grid.1.arms.0", -8, "got -8; must be >= 0"),
    (f"{S}grid.eps", [], "got []; must have at least one entry"),
    (f"{S}grid.eps", [2, 2.0], "got [2, 2]; all entries must differ"),
    (f"{S}grid.eps.0", float("inf"), "got inf; must be a finite number"),
    (f"{S}size.full", DELETE, "required key is missing. Add it."),
    (f"{S}size.tiny", SIZE, "unknown key. ..."),
    (f"{S}size.smoke.cores", 1, "unknown key. ..."),
    (f"{S}size.smoke.seeds", 1, "got 1; must be >= 2"),
    (f"{S}size.smoke.chunk", 0, "got 0; must be >= 1"),
    (f"{S}curves", [], "got []; must have at least one entry"),
    (f"{C}seed", 1, "unknown key. ..."),
    (f"{C}algorithm", DELETE, "required key is missing. Add it."),
    (f"{C}algorithm", "Magic", f"got 'Magic'; must be {NAME}"),
    (f"{C}calibrations", [], "got []; must have at least one entry"),
    (f"{C}calibrations.0", "best", "got 'best'; must be one of: ..."),
    (f"{C}variant", "../x", f"got '../x'; must be {NAME}"),
    (f"{C}variant", "x\n", f"got 'x\\n'; must be {NAME}"),
    (f"{C}parameters.core_factor", True, "got true; must be > 0"),
    (f"{C}parameters.core_factor.source", "paper", "got 'paper'; must be `assumed`"),
    (f"{C}parameters.core_factor.note", DELETE, "required key is missing. Add it."),
    (f"{C}parameters.core_factor.unit", 1, "unknown key. ..."),
    (f"{C}replicates", 1.5, "got 1.5; must be a whole number"),
    (f"{C}replicates", 1001, "got 1001; must be <= 1000"),
    (f"{C}milliseconds", 0, "got 0; must be > 0"),
    (f"{C}milliseconds", 10**300, "got 1e+300; must be <= 1000000000"),
    (f"{F}extra", 1, "unknown key. ..."),
    (f"{F}x", "eps", "unknown key. ..."),
    (f"{F}experiment", DELETE, "required key is missing. Add it."),
    (f"{F}panels", "eps", "got 'eps'; this drawing does not use this key. Delete it."),
    (f"{F}measurement", "slope", "got 'slope'; this drawing does not use this key. Delete it."),
    (f"{F}curves.0", "Central", f"got 'Central'; must be {REFERENCE}"),
    (f"{T}0.against", f"{PLAIN}@best", f"got '{PLAIN}@best'; must be {REFERENCE}"),
    (f"{F}notes", {}, "got {}; must have at least one entry"),
    (f"{F}notes", {"best": "n"}, "got the name 'best'; must be one of: ..."),
    (f"{G}panels", DELETE, "required key is missing. Add it."),
    (f"{G}panels", "A", f"got 'A'; must be T, or {NAME}"),
    (f"{G}at.arms", [], "got []; must have at least one entry"),
    ("figures.slopes.measurement", DELETE, "required key is missing. Add it."),
    ("figures.slopes.curves", [PLAIN], f"got ['{PLAIN}']; this drawing does not use this key. Delete it."),
    ("gates", [], "got []; must have at least one entry"),
    ("gates.0.column", DELETE, "required key is missing. Add it."),
    ("gates.0.column", "Late", f"got 'Late'; must be {NAME}"),
    ("gates.0.at_most", "half", "got 'half'; must be a number"),
    ("gates.0.at_most", -1, "got -1; must be >= 0"),
    ("gates.0.note", DELETE, "required key is missing. Add it."),
    ("gates.0.below", 1, "unknown key. Use one of: at_most, column, note, over"),
    (f"{M}gated", "no", "got 'no'; must be true or false"),
    ("claims.C1.gated", 0, "got 0; must be true or false"),
    (f"{V}gated", None, "got null; delete the key instead"),
    ("measurements", {}, "got {}; must have at least one entry"),
    (f"{M}extra", 1, "unknown key. Use one of: calibrations, experiment, gated, says, tests"),
    (f"{M}experiment", DELETE, "required key is missing. Add it."),
    (f"{M}tests.0.bounds", [0, 1], "unknown key. ..."),
    (
        f"{M}tests.0.predicate",
        "ordered",
        "unknown predicate `ordered`. Use one of: ratio_between, ...",
    ),
    (f"{M}tests.0.over", "T", "got 'T'; this predicate does not use this key. Delete it."),
    (f"{M}tests.0.along", DELETE, "required key is missing. Add it."),
    (f"{B}columns", [], "got []; must have at least one entry"),
    (f"{B}rows.0.0", 1, "got 1; must be text"),
    (f"{B}measured.0.curves.0", 3, "got 3; must be text"),
    (f"{B}measured.0.curves.1", "A curve", f"got 'A curve'; must be {REFERENCE}"),
    (f"{B}measured.0.calibration", "best", "got 'best'; must be one of: ..."),
    ("claims.C2.variants", {}, "got {}; must have at least one entry"),
    (f"{V}note", DELETE, "required key is missing. Add it."),
    (f"{V}kind", "exact", "unknown key. Use one of: calibrations, class, combine, could_fail, experiment, gated, ..."),
    (f"{V}tests", [], "got []; must have at least one entry"),
    (f"{V}tests.0.along", DELETE, "required key is missing. Add it."),
    (
        f"{V}tests.0.along",
        "a b",
        f"got 'a b'; must be T, or {NAME}",
    ),
    (f"{V}tests.0.tolerated", [1], "got [1]; must have 2 entries"),
    (f"{V}tests.0.rate", 0.5, "got 0.5; this predicate does not use this key. Delete it."),
    (f"{V}tests.1.over", "T^2", "got 'T^2'; must be one of: T, sqrt_T_log_T"),
    (f"{V}tests.1.baseline", PLAIN, f"got '{PLAIN}'; this predicate does not use this key. Delete it."),
    ("claims.C2.tests.0.column", DELETE, "required key is missing. Add it."),
    ("claims.C2.tests.0.above", "x", "got 'x'; must be a number"),
    ("claims.C2.tests.0.rate", 1.5, "got 1.5; must be <= 1"),
    ("claims.C2.tests.0.bounds", [0, 1], "got [0, 1]; this predicate does not use this key. Delete it."),
    ("claims.C2.tests.0.tolerated", [0, 1], "got [0, 1]; this predicate does not use this key. Delete it."),
    ("claims.C2.tests.0.calibrations", [], "got []; must have at least one entry"),
    ("claims.C1.combine", DELETE, "required key is missing. Add one of: all, readings."),
    (f"{F}drawing", "pie", "unknown drawing `pie`. ..."),
    (f"{F}curves", [PLAIN, PLAIN], f"got {[PLAIN, PLAIN]}; all entries must differ"),
    (f"{F}claims.0", "1", "got '1'; must be a claim, such as C1 or C1/variant"),
    ("claims.C1.kind", "guess", "unknown kind `guess`. ..."),
    ("claims.C1.statement", DELETE, "required key is missing. Add it."),
    ("claims.C1.kind", DELETE, "required key is missing. Add one of: statistical, analytic, exact, audit."),
    ("claims.C1.tests", DELETE, "required key is missing. Add it."),
    ("claims.C1.function", "f", "unknown key. ..."),
    ("claims.C1.tests", [], "got []; must have at least one entry"),
    (f"{T}0.extra", 1, "unknown key. ..."),
    (f"{T}0.predicate", DELETE, "required key is missing. Add one of: ..."),
    (f"{T}0.predicate", "bigger", "unknown predicate `bigger`. ..."),
    (f"{T}0.against", DELETE, "required key is missing. Add `against` or `reference`."),
    (f"{T}0.baseline", PLAIN, f"got '{PLAIN}'; this predicate does not use this key. Delete it."),
    (f"{T}0.along", "eps", "got 'eps'; this predicate does not use this key. Delete it."),
    (f"{T}0.at", {}, "got {}; must have at least one entry"),
    (f"{T}0.at", 3, "got 3; must be a mapping of lists, or a list of such mappings"),
    (f"{T}0.at.eps", "1", "got '1'; must be a list"),
    (f"{T}0.bounds", [1], "got [1]; must have 2 entries"),
    (f"{T}0.bounds", [1, 2, 3], "got [1, 2, 3]; must have at most 2 entries"),
    (f"{T}0.bounds.0", "a", "got 'a'; must be a number"),
    (f"{T}1.curves", [CENTRAL], f"got ['{CENTRAL}']; must have at least 2 entries"),
    (f"{T}1.bounds", [0, 1], "got [0, 1]; this predicate does not use this key. Delete it."),
    (f"{T}1.against_column", "bound", "got 'bound'; this predicate does not use this key. Delete it."),
    (f"{T}1.column", "bound", "got 'bound'; this predicate does not use this key. Delete it."),
    (f"{T}3.scale", "log", "got 'log'; this predicate does not use this key. Delete it."),
    (f"{V}tests.0.scale", "linear", "got 'linear'; must be `log`"),
    (f"{V}tests.0.against_column", "bound", "got 'bound'; this predicate does not use this key. Delete it."),
    (f"{M}tests.0.against_column", "bound", "got 'bound'; this predicate does not use this key. Delete it."),
    (f"{T}3.predicate", "mean_of", "unknown predicate `mean_of`. ..."),
    (f"{T}3.across", "eps", "got 'eps'; this predicate does not use this key. Delete it."),
    (f"{T}3.worst", "eps", "got 'eps'; this predicate does not use this key. Delete it."),
    (f"{T}3.statistic", "mode", "got 'mode'; must be `median`"),
    (f"{M}tests.0.across", "eps", "unknown key. ..."),
    (f"{T}0.equivalent", 0, "got 0; must be > 0"),
    (f"{T}0.equivalent", 1, "got 1; must be < 1"),
    (f"{T}2.equivalent", 0.1, "got 0.1; this predicate does not use this key. Delete it."),
    (f"{T}0.reference", {}, "got {}; must have at least one entry"),
    (f"{T}1.reference", {"eps": 1}, "got {'eps': 1}; this predicate does not use this key. Delete it."),
    (f"{T}2.baseline", DELETE, "required key is missing. Add it."),
    (f"{T}3.bounds", DELETE, "required key is missing. Add it."),
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
    root = write_project(tmp_path, changed(PAPER, path, value))
    assert said(root, f"{FILE}: {key_of(path)}: {says}"), faults_of(root)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            f"{X}grid.1.arms.0",
            "eight",
            f"{X}grid[1].arms[0]: got 'eight'; must be a number",
        ),
        (f"{S}grid.eps.0", True, f"{S}grid.eps[0]: got true; must be a number"),
        (
            f"{S}environments",
            {"printed": {"family": "cubic"}},
            f"{S}environments.printed.family: unknown environment `cubic`. Use one of: {FAMILIES}",
        ),
        (
            f"{S}environments",
            {"printed": {"color": 1}},
            f"{S}environments.printed.color: unknown key. ...",
        ),
        (
            f"{S}environments",
            {"printed": {}},
            f"{S}environments.printed: got {{}}; must have at least one entry",
        ),
        ("claims.C1.kind", "exact", "claims.C1.experiment: got 'study'; this kind does not use this key. Delete it."),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "arguments": {"eps": "x"}}]},
            "claims.C1.tests[0].arguments.eps: got 'x'; must be a number, or a list of numbers",
        ),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "arguments": {"eps": [1, "x"]}}]},
            "claims.C1.tests[0].arguments.eps[1]: got 'x'; must be a number",
        ),
        (
            "claims.C1",
            CLOSED | {"tests": [{**FORM, "predicate": "ordered"}]},
            "claims.C1.tests[0].predicate: unknown key. Use one of: arguments, bounds, calibrations, function, reading",
        ),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "subject": "paper", "experiment": "study"}}},
            "claims.C1.variants.other.experiment: unknown key. Use one of: calibrations, class, combine, ...",
        ),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "subject": "paper", "tests": [{**FORM, "bounds": 1}]}}},
            "claims.C1.variants.other.tests[0].bounds: got 1; must be a list",
        ),
        (
            "claims.C1",
            CLOSED | {"experiment": "study"},
            "claims.C1.experiment: got 'study'; this kind does not use this key. Delete it.",
        ),
        (
            "claims.C1",
            CLOSED | {"gated": False},
            "claims.C1.gated: got false; this kind does not use this key. Delete it.",
        ),
        (
            "claims.C1",
            CLOSED | {"variants": {"other": {"note": "n", "subject": "paper", "gated": False}}},
            "claims.C1.variants.other.gated: unknown key. Use one of: calibrations, class, combine, ...",
        ),
        (f"{F}drawing", "regret_against_round", "figures.regret.panels: required key is missing. Add it."),
        (
            f"{T}0.reference",
            {"eps": [1]},
            "claims.C1.tests[0].reference.eps: got [1]; must be a number",
        ),
        (
            f"{T}3",
            {"reading": "r", "predicate": "falling_excess", "curves": [CENTRAL], "at": {"eps": [1, 10]}},
            "claims.C1.tests[3].baseline: required key is missing. Add it.",
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
            "claims.C1.tests[3].bounds: required key is missing. Add it.",
        ),
        *(
            (f"{T}3", {**test, key: value}, f"claims.C1.tests[3].{key}: {says}")
            for test, key, value, says in (
                (AFFINE, "fit", 1, "got 1; must be < 1"),
                (AFFINE, "of", "square", "got 'square'; must be `inverse`"),
                (AFFINE, "column", "bound", "got 'bound'; this predicate does not use this key. Delete it."),
                (AFFINE, "against", PLAIN, f"got '{PLAIN}'; this predicate does not use this key. Delete it."),
                (FORMS, "fit", 0.5, "got 0.5; this predicate does not use this key. Delete it."),
                (FORMS, "baseline", PLAIN, f"got '{PLAIN}'; this predicate does not use this key. Delete it."),
                (SHARE, "rate", 0.5, "got 0.5; this predicate does not use this key. Delete it."),
                (SHARE, "above", "x", "got 'x'; must be a number"),
                (SHARE, "statistic", "median", "got 'median'; this predicate does not use this key. Delete it."),
                (GROWTH, "against", PLAIN, f"got '{PLAIN}'; this predicate does not use this key. Delete it."),
            )
        ),
        *(
            (
                f"{T}3",
                {name: value for name, value in test.items() if name != key},
                f"claims.C1.tests[3].{key}: required key is missing. Add it.",
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
            (f"{M}tests.0", {**MEASURED, "predicate": name}, f"{M}tests[0].column: required key is missing. Add it.")
            for name in ("mean_of", "dispersion")
        ),
        (
            f"{M}tests.0",
            {**MEASURED, "predicate": "mean_of", "column": "bound", "above": 1},
            f"{M}tests[0].above: got 1; this predicate does not use this key. Delete it.",
        ),
        ("claims.C1", CLOSED, "claims.C1.tests[0].function: unknown function `f`; there are none to choose from"),
    ],
)
def test_a_fault_that_shows_at_another_key(tmp_path: Path, path, value, says):
    root = write_project(tmp_path, changed(PAPER, path, value))
    assert said(root, f"{FILE}: {says}"), faults_of(root)


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
        ("claims", "C0", "C and a number, such as C1"),
        ("claims", "C1\n", "C and a number, such as C1"),
    ],
)
def test_a_name_that_could_not_be_part_of_a_file_name_is_refused(tmp_path: Path, section, name, pattern):
    record = changed(PAPER, section, {**PAPER[section], name: next(iter(PAPER[section].values()))})
    line = f"{FILE}: {section}: got the name {name!r}; must be {pattern}"
    assert fault(write_project(tmp_path, record)) == line


def test_an_unknown_key_of_any_letters_stays_on_one_line(tmp_path: Path):
    record = {**PAPER, "a\nb \x1b[31m": 1}
    assert fault(write_project(tmp_path, record)) == rf"{FILE}: 'a\nb \x1b[31m': unknown key. Use one of: {KEYS}"
    assert len(fault(write_project(tmp_path, {**PAPER, "x" * 5000: 1}))) < 120 + len(KEYS)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("scale", "huge", "got 'huge'; must be one of: smoke, quick, full, pilot"),
        ("scale", DELETE, "required key is missing. Add one of: smoke, quick, full, pilot."),
        ("papers", [], "got []; must have at least one entry"),
        ("papers", [KEY, KEY], f"got ['{KEY}', '{KEY}']; all entries must differ"),
        ("papers.0", "../one2020", "got '../one2020'; must be first author and year, such as azize2022"),
        ("papers.0", f"{KEY}\n", rf"got '{KEY}\n'; must be first author and year, such as azize2022"),
        ("root_seed", -1, "got -1; must be >= 0"),
        ("root_seed", 2**64, "got 18446744073709551616; must be <= 18446744073709551615"),
        ("root_seed", "7", "got '7'; must be a whole number"),
        ("seed", 7, "unknown key. Use one of: papers, pilot_seed, root_seed, scale, seconds_per_job"),
        ("seconds_per_job", DELETE, "required key is missing. Add it."),
        ("seconds_per_job", -1, "got -1; must be >= 0"),
        ("seconds_per_job", "20", "got '20'; must be a number"),
        ("seconds_per_job", 100_000, "got 100000; must be <= 86400"),
        ("seconds_per_job", float("nan"), "got nan; must be a finite number"),
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


def of_three(root: Path, config: object = CONFIG) -> Path:
    """A project with three papers."""
    for key in ("two2021", "an2019", KEY):
        write_project(root, config=config, key=key)
    return root


@pytest.mark.parametrize("config", [changed(CONFIG, "papers", None), changed(CONFIG, "papers", DELETE)])
def test_without_a_list_every_file_is_a_paper_in_alphabetical_order(tmp_path: Path, config):
    root = of_three(tmp_path, config)
    (root / "config/papers/.two2021.yaml").write_text("what an editor leaves\n")
    assert list(load_project(root).papers) == ["an2019", KEY, "two2021"]


@pytest.mark.parametrize(
    ("asked", "keys"),
    [("two2021", ["two2021"]), ("two2021,an2019", ["two2021", "an2019"]), ([KEY, "an2019"], [KEY, "an2019"])],
)
def test_papers_that_are_asked_for_take_the_place_of_those_in_the_file(tmp_path: Path, asked, keys):
    assert list(load_project(of_three(tmp_path), {"papers": asked}).papers) == keys


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("too2021", f"papers: unknown paper `too2021`. Did you mean `two2021`? Use one of: an2019, {KEY}, two2021"),
        ("", f"papers: got ''; must be one of: an2019, {KEY}, two2021"),
        (
            "../two2021",
            f"papers: unknown paper `../two2021`. Did you mean `two2021`? Use one of: an2019, {KEY}, two2021",
        ),
        ([3], f"papers: got 3; must be one of: an2019, {KEY}, two2021"),
        ("two2021, two2021", "papers: got two2021, two2021; a paper is listed twice. List each paper once."),
    ],
)
def test_a_wrong_key_is_one_line_that_names_the_papers(tmp_path: Path, asked, says):
    with pytest.raises(ConfigError, match=f"^{re.escape(says)}$"):
        load_project(of_three(tmp_path), {"papers": asked})


@pytest.mark.parametrize("name", ["Two2021.yaml", "two.yaml", "two2021.yml", "two 2021.yaml", "two2021 (copy).yaml"])
def test_a_file_whose_name_is_no_key_is_one_line(tmp_path: Path, name: str):
    root = of_three(tmp_path, changed(CONFIG, "papers", None))
    (root / "config/papers" / name).write_text("title: x\n")
    allowed = "first author and year, such as hanna2022.yaml"
    assert fault(root) == f"config/papers: got the file name '{name}'; must be {allowed}. Rename the file."
    assert list(load_project(root, {"papers": KEY}).papers) == [KEY]


def test_a_project_without_papers_says_how_to_write_one(tmp_path: Path):
    root = write_project(tmp_path, config=changed(CONFIG, "papers", None))
    (root / f"config/papers/{KEY}.yaml").unlink()
    assert fault(root) == "config/papers: contains no paper. Add a file KEY.yaml; config/README.md explains its keys."


def test_a_number_written_with_an_exponent_gives_the_same_curves(tmp_path: Path):
    plain = load(write_project(tmp_path / "a", changed(PAPER, f"{S}horizon", 1000)))
    other = load(write_project(tmp_path / "b", changed(PAPER, f"{S}horizon", 1000.0)))
    found = [every_curve(project, project.papers[KEY]) for project in (plain, other)]
    assert found[0] == found[1]
    assert [curve.folder for curve in found[0]] == [curve.folder for curve in found[1]]


def test_overrides_replace_keys_and_are_checked_as_the_file_is(tmp_path: Path):
    root = write_project(tmp_path)
    assert load_project(root, {"scale": "full"}).scale == "full"
    with pytest.raises(ConfigError, match=r"^config/config\.yaml: scale: got 'x'; must be one of: smoke"):
        load_project(root, {"scale": "x"})


def test_the_projects_own_configuration_is_valid():
    assert fault(ROOT) == ""
    assert load(ROOT).papers


def test_a_paper_needs_no_more_than_experiments(tmp_path: Path):
    assert fault(write_project(tmp_path, BARE)) == ""
    paper = load_project(tmp_path).papers[KEY]
    for name in ("claims", "figures", "audits", "tables", "measurements", "constants", "assumptions"):
        assert not getattr(paper, name)
    assert not paper.rules.gates


def test_the_sample_of_these_tests_is_valid(tmp_path: Path):
    assert fault(write_project(tmp_path)) == ""
    assert LOCAL in str(PAPER)


def test_schemas_for_editors_are_those_of_the_models():
    """Would fail where a model was changed without `python -m dpbandits.config.json_schema`."""
    for name, text in schemas().items():
        assert (ROOT / "config/schemas" / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("file", ["config.yaml", *(f"papers/{key}.yaml" for key in PAPERS)])
def test_every_file_names_its_schema_and_fits_it(file: str):
    """An editor finds no fault where we find none, and the place of the schema is right."""
    path = ROOT / "config" / file
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    schema = path.parent / first.removeprefix("# yaml-language-server: $schema=")
    validator = Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    assert not list(validator.iter_errors(load_yaml(path, file)))


def test_a_schema_for_editors_refuses_null_and_unknown_families():
    validator = Draft202012Validator(json.loads(schemas()["paper.schema.json"]))
    assert validator.is_valid(PAPER)
    assert not validator.is_valid(changed(PAPER, f"{C}variant", None))
    assert not validator.is_valid(changed(PAPER, f"{S}environment.family", "cubic"))


def words_of(schema: object) -> Iterator[str]:
    """Keys and words of a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (str(word) for word in (*schema.get("enum", ()), schema.get("const", "")))
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from words_of(each)


def test_the_readme_explains_every_key_and_word_of_the_models_and_no_other():
    """Would fail where a key got another name, or a drawing or predicate was added, in the models alone."""
    text = (ROOT / "config/README.md").read_text(encoding="utf-8")
    known = {word for schema in schemas().values() for word in words_of(json.loads(schema))} - set(TABLE) - {"", "True"}
    assert not {word for word in known if not re.search(rf"\b{re.escape(word)}\b", text)}
    rows = [line.split("|")[1] for line in text.partition("## config.yaml")[2].splitlines() if line.startswith("| `")]
    explained = {word for row in rows for name in re.findall("`([^`]+)`", row) for word in re.findall("[a-z_]+", name)}
    free = {"low", "high", "true"}
    assert explained <= known | free
    gates = re.findall(r"\{column: ([a-z_]+)(?:, over: ([a-z_]+))?", text)
    assert gates
    assert {name for names in gates for name in names if name} <= {
        name for each in ENTRIES.values() for name in each.outputs
    }


def test_all_faults_of_a_file_come_at_once_with_their_lines(tmp_path: Path):
    record = changed(changed(changed(PAPER, f"{S}horizon", 7), "authors", []), f"{T}0.predicate", "equal")
    root = write_project(tmp_path, record)
    with pytest.raises(ConfigError) as caught:
        load_project(root)
    lines = (root / FILE).read_text(encoding="utf-8").splitlines()
    places = [fault.split(":")[1:3] for fault in caught.value.faults]
    assert [key.strip() for _, key in places] == [
        "authors",
        "experiments.study.horizon",
        "claims.C1.tests[0].predicate",
    ]
    for (line, _), says in zip(places, ("authors", "horizon", "predicate"), strict=True):
        assert says in lines[int(line) - 1]
    mended = changed(changed(PAPER, "claims.C1.experiment", "other"), f"{S}size.quick.seeds", 9)
    with pytest.raises(ConfigError) as caught:
        check(load_project(write_project(tmp_path, mended)))
    assert len(caught.value.faults) == 2


def several(record: object, *changes: tuple[str, object]) -> object:
    """A copy of a record with several changes."""
    for path, value in changes:
        record = changed(record, path, value)
    return record


EVERY_PHASE = (
    ("titel", "A paper", "unknown key. Did you mean `title`? ..."),
    ("constants.width", -1, "got -1; must be > 0"),
    ("constants.tolerance", [1], "got [1]; must be a number, ..."),
    ("constants.whole_maximumm", True, "unknown constant `whole_maximumm`. Did you mean `whole_maximum`? See: ..."),
    (f"{S}size.smoke", "ten", "got 'ten'; must be a mapping"),
    (f"{S}grid.eps.1", "one", "got 'one'; must be a number"),
    (f"{X}environment.arms", 1, "got 1; must be a whole number >= 2 and <= 100000"),
    (f"{X}curves.1.algorithm", "magic", "unknown algorithm `magic`. See: dpbandits list algorithms"),
    (f"{X}curves.2.parameters.width", 0, "got 0; must be > 0"),
    ("figures.slopes.measurement", "slop", "unknown measurement `slop`. Did you mean `slope`? Use `slope`"),
    ("tables.table1.measured.0.calibration", "released", "got 'released'; must be one of: printed, tuned"),
    (f"{T}0.predicate", "bigger", "unknown predicate `bigger`. ..."),
    ("claims.C2.experiment", "scalling", "unknown experiment `scalling`. Did you mean `scaling`? ..."),
)
"""One fault of every phase of the check, and some more of each, in the order of the file."""


def test_faults_of_every_phase_come_at_once_with_their_lines(tmp_path: Path):
    """Would fail where a wrong key hid wrong values, or these hid names that refer to nothing."""
    record = several(PAPER, *((path, value) for path, value, _ in EVERY_PHASE))
    root = write_project(tmp_path, record)
    with pytest.raises(ConfigError) as caught:
        load_and_check(root)
    lines = (root / FILE).read_text(encoding="utf-8").splitlines()
    found = {key: (int(line), says) for _, line, key, says in (each.split(":", 3) for each in caught.value.faults)}
    numbers = [number for number, _ in found.values()]
    assert numbers == sorted(numbers)
    assert set(found) == {f" {key_of(path)}" for path, *_ in EVERY_PHASE}
    assert len(found) == len(caught.value.faults)
    for path, value, says in EVERY_PHASE:
        number, sentence = found[f" {key_of(path)}"]
        assert sentence.strip().startswith(says.removesuffix("...")), sentence
        name = path.rpartition(".")[2]
        assert (str(value) if name.isdigit() else f"{name}:") in lines[number - 1]


WRONG_SHAPE = (
    (f"{S}title", 3, "got 3; must be text"),
    (f"{S}grid.epsilon", [1], "unknown grid value `epsilon`. Did you mean `eps`? ..."),
    (f"{S}curves.0.milliseconds", "slow", "got 'slow'; must be a number"),
    (f"{X}horizon", "long", "got 'long'; must be a whole number"),
    (f"{X}curves.1.algorithm", "magic", "unknown algorithm `magic`. See: dpbandits list algorithms"),
    (f"{X}curves.2.parameters.width", 0, "got 0; must be > 0"),
    ("figures.regret.captoin", "Regret", "unknown key. Did you mean `caption`? ..."),
    ("figures.regret.experiment", "studdy", "unknown experiment `studdy`. Did you mean `study`? ..."),
    ("measurements.slope.says", DELETE, "required key is missing. ..."),
    ("measurements.slope.experiment", "scalling", "unknown experiment `scalling`. Did you mean `scaling`? ..."),
    ("claims.C1.experiment", ["study"], "got ['study']; must be text"),
)
"""Faults of values and names in experiments, figures, measurements and claims that have the wrong shape elsewhere."""


def test_names_and_values_in_sections_of_wrong_shape_are_checked(tmp_path: Path):
    """Would fail where a section with a fault of shape is left out without a look at what else is in it."""
    record = several(PAPER, *((path, value) for path, value, _ in WRONG_SHAPE))
    found = dict(line.removeprefix(f"{FILE}: ").split(": ", 1) for line in faults_of(write_project(tmp_path, record)))
    wanted = {key_of(path): says for path, _, says in WRONG_SHAPE}
    assert set(found) == set(wanted)
    for key, says in wanted.items():
        assert found[key].startswith(says.removesuffix("...")), (key, found[key])


def test_sizes_and_names_of_curves_are_checked_where_an_experiment_is_left_out(tmp_path: Path):
    changes = ((f"{X}environment", "linear"), (f"{X}size.quick.seeds", 9), ("figures.growth.curves.0", "magic"))
    found = faults_of(
        write_project(tmp_path, several(PAPER, *changes, ("measurements.slope.tests.0.curves.0", "magic")))
    )
    assert [line.removeprefix(f"{FILE}: ").split(";")[0].partition(". Use")[0] for line in found] == [
        "experiments.scaling.environment: got 'linear'",
        "experiments.scaling.size.quick.seeds: got 9",
        "figures.growth.curves: unknown curve `magic`",
        "measurements.slope.tests[0].curves: unknown curve `magic`",
    ]


def test_two_faults_of_one_experiment_leave_the_others_in(tmp_path: Path):
    """Would fail where the second fault of an experiment that is gone already takes all experiments with it."""
    changes = (
        (f"{X}environment", 3),
        (f"{X}grid", 3),
        ("figures.regret.experiment", "studdy"),
        (f"{S}grid.rounds", [1]),
    )
    found = faults_of(write_project(tmp_path, several(PAPER, *changes)))
    assert [line.split(": ")[1] for line in found] == [
        *("experiments.study.grid.rounds", "experiments.scaling.environment", "experiments.scaling.grid"),
        "figures.regret.experiment",
    ]


def test_every_stand_in_is_a_key_of_the_models():
    assert {*STAND_INS, *OPTIONAL} <= {word for schema in schemas().values() for word in words_of(json.loads(schema))}


@pytest.mark.parametrize(
    "change",
    [
        *((path, DELETE) for path in ("experiments", f"{S}horizon", f"{X}grid", "measurements.slope.says")),
        *((path, 3) for path in ("constants", "experiments", "claims", "measurements", "gates", "calibrations")),
        *((f"claims.C{k}.statement", 3) for k in (1, 2)),
        *((f"experiments.{name}", {}) for name in ("study", "scaling", "Study")),
        ("measurements.slope.tests.0.predicate", "bigger"),
        ("claims.C2.variants.grows.note", DELETE),
        ("constants.width", [1]),
        ("constants.whole_maximum", 0.5),
        (f"{C}algorithm", "magic"),
        (f"{X}curves.1.calibrations", ["best"]),
        (f"{S}environment.family", "cubic"),
        ("claims.C2.tests", [3]),
    ],
)
def test_no_fault_that_follows_from_another_is_reported(tmp_path: Path, change):
    """Every other part of the sample is right: all faults are in the mapping that was changed."""
    path, found = change[0], faults_of(write_project(tmp_path, changed(PAPER, *change)))
    assert found
    assert all(line.startswith(f"{FILE}: {key_of(path).rpartition('.')[0] or path}") for line in found), found


@pytest.mark.parametrize(
    ("path", "other", "key"),
    [
        ("constants", "constant", "constant"),
        ("measurements", "measurement", "measurement"),
        ("claims", "claim", "claim"),
        ("gates", "gate", "gate"),
        (f"{S}curves", f"{S}curvs", "curves"),
    ],
)
def test_a_section_under_a_wrong_key_is_not_missed_elsewhere(tmp_path: Path, path, other, key):
    record = several(PAPER, (other, PAPER.get(path, [])), (path, DELETE))
    found = faults_of(write_project(tmp_path, record))
    assert found
    assert all(key in line for line in found)


def test_constants_that_may_be_meant_by_an_unknown_one_are_not_missed(tmp_path: Path):
    record = several(PAPER, ("constants.widht", 1), ("constants.width", DELETE))
    (line,) = faults_of(write_project(tmp_path, record))
    assert line.startswith(f"{FILE}: constants.widht: unknown constant `widht`. Did you mean `width`?")


def test_the_faults_of_all_papers_come_at_once(tmp_path: Path):
    root = write_project(tmp_path, changed(PAPER, "constants.width", -1), {**CONFIG, "papers": [KEY, "two2021"]})
    text = (root / FILE).read_text(encoding="utf-8").replace("title: A paper", "title: 3")
    (root / "config/papers/two2021.yaml").write_text(text, encoding="utf-8")
    assert [line.split(": ")[:2] for line in faults_of(root)] == [
        [FILE, "constants.width"],
        ["config/papers/two2021.yaml", "title"],
        ["config/papers/two2021.yaml", "constants.width"],
    ]


def test_only_one_paper_is_read_where_only_one_is_asked_for(tmp_path: Path):
    root = write_project(tmp_path, config={**CONFIG, "papers": [KEY, "two2021"]})
    assert list(load_project(root, only=KEY).papers) == [KEY]
    assert fault(root) == "config/papers/two2021.yaml: cannot be read (No such file or directory)"
    with pytest.raises(ConfigError, match=f"^paper: unknown paper `other`. Use one of: {KEY}, two2021$"):
        load_project(root, only="other")


def test_a_horizon_of_a_scale_that_replaces_none_is_refused(tmp_path):
    """Where one block of the grid has no T, the horizon of the scale is its own."""
    size = {"seeds": 2, "chunk": 2}
    study = BARE["experiments"]["study"] | {"size": {"smoke": size | {"horizon": 500}, "quick": size, "full": size}}
    said = "experiments.study.size.smoke.horizon: got 500; every setting of the grid has its own T. Use `longest`, or"
    assert faults_of(write_project(tmp_path / "one", BARE | {"experiments": {"study": study}}))[0].endswith(
        "delete it."
    )
    (line,) = faults_of(tmp_path / "one")
    assert line.partition(": ")[2].startswith(said)
    mixed = study | {"grid": [{"T": [100, 1000]}, {"arms": [4]}]}
    assert faults_of(write_project(tmp_path / "two", BARE | {"experiments": {"study": mixed}})) == []
