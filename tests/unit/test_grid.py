"""From sections to curves: cross checks, points, and what name, identity and streams of a curve depend on."""

import re
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
import yaml

from dpbandits.base.combinations import combinations
from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.config.curves import Curve, chunk_name
from dpbandits.config.entries import TABLE
from dpbandits.config.faults.check import check, faults
from dpbandits.config.faults.functions import closed_forms, drawings
from dpbandits.config.grid import (
    FIXED_RANGES,
    GRID_RANGES,
    assumptions,
    curves,
    other_horizon,
    parameters_of,
    points,
)
from dpbandits.config.loading import load_project
from dpbandits.config.models.experiments import CurveEntry, Experiment
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import unknown
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.planning import dependencies, single
from tests.shipped import PAPERS

from .small import (
    ARMS,
    ASSUMED,
    CENTRAL,
    CLAIM,
    CONFIG,
    CONSTANTS,
    DELETE,
    FILE,
    KEY,
    LOCAL,
    PAPER,
    PLAIN,
    READING,
    ROOT,
    SHUFFLED,
    WIDE,
    changed,
    curve,
    fault,
    faults_of,
    load,
    said,
    write_project,
)

S, C, F, T = "experiments.study.", "experiments.study.curves.1.", "figures.regret.", "claims.C1.tests."
X, G, M, B, V = (
    "experiments.scaling.",
    "figures.growth.",
    "measurements.slope.",
    "tables.table1.",
    "claims.C2.variants.grows.",
)
L = "figures.slopes."
DRAWN = {key: PAPER["figures"]["slopes"][key] for key in ("shows", "calibrations", "caption", "claims")}
ONE = {"T": [1000], "arms": [4], "eps": [1]}
KNOWN = f"{PLAIN}, {CENTRAL}, {LOCAL}"
SCALED = f"{PLAIN}, {CENTRAL}, {WIDE}"
NAMES = "width, extra_batches, tolerance, whole_maximum, reward_sd"
ALL = "printed, tuned, certified"
NOT_CERTIFIED = "got 'certified'; must be one of: printed, tuned"
NO_SLOPE = f"the regret of `{PLAIN}` does not depend on what the test varies. Leave the curve out."
ADD = "is not run at this calibration. Leave it out, or add it to the curve."
NOT_RUN = f"`{CENTRAL}` {ADD}"
ITSELF = "is compared with itself; `curves`, `against` and `baseline` must differ"
RANGE = "must be [low, high] with low < high; one of them may be null"

# Path in the paper's YAML, the value that stands there instead, and the whole fault.
ALONG_EPS = {"along": "eps", "values": [[0.5, 1], [1, 1.5], [10, 2]]}
FAULTS = [
    ("constants.height", 1, "constants.height: unknown constant `height`. See: dpbandits list constants"),
    ("constants.width", 0, "constants.width: got 0; must be > 0"),
    ("constants.delta", 1, "constants.delta: got 1; must be > 0 and < 1"),
    ("constants.core_factor.value", -2, "constants.core_factor.value: got -2; must be > 0"),
    (
        "calibrations.tuned.height",
        1,
        "calibrations.tuned.height: unknown constant `height`. See: dpbandits list constants",
    ),
    (
        "calibrations.tuned.extra_batches",
        1.5,
        "calibrations.tuned.extra_batches: got 1.5; must be a whole number >= 0 and <= 5",
    ),
    (f"{C}varying", {"late": ALONG_EPS}, f"{S}curves[1].varying.late: unknown constant `late`. ..."),
    (
        f"{C}varying",
        {"width": {**ALONG_EPS, "along": "arms"}},
        f"{S}curves[1].varying.width.along: unknown grid value `arms`. Use `eps`",
    ),
    (
        f"{C}varying",
        {"width": {**ALONG_EPS, "values": [[0.5, 1], [10, 2]]}},
        f"{S}curves[1].varying.width.values: no value for eps = 1, which `grid` has. Add one.",
    ),
    (
        f"{C}varying",
        {"width": {**ALONG_EPS, "values": [[0.5, 1], [1, -1], [10, 2]]}},
        f"{S}curves[1].varying.width.values: got -1; must be ...",
    ),
    (
        f"{S}environments",
        {"tuned": {"arms": 5}},
        f"{S}environments: got 'tuned'; must be one of: printed, certified",
    ),
    (
        f"{S}environments",
        {"certified": {"arms": 5}},
        f"{S}environments: `certified` and `printed` must have the same environment, because `{PLAIN}` uses its ...",
    ),
    (f"{S}size.quick.seeds", 9, f"{S}size.quick.seeds: got 9; must be a multiple of `chunk` (2). Use 8 or 10."),
    (f"{S}size.full.chunk", 40, f"{S}size.full.seeds: got 20; must be a multiple of `chunk` (40). Use 40."),
    (f"{C}algorithm", "magic", f"{S}curves[1].algorithm: unknown algorithm `magic`. See: dpbandits list algorithms"),
    (f"{C}calibrations", ["released"], f"{S}curves[1].calibrations: got 'released'; must be one of: {ALL}"),
    (f"{S}curves.0.calibrations", ["certified"], f"{S}curves[0].calibrations: {NOT_CERTIFIED}"),
    (
        f"{C}parameters.height",
        1,
        f"{S}curves[1].parameters.height: unknown constant `height`. Use one of: {NAMES}, core_factor",
    ),
    (
        f"{C}parameters.delta",
        0.1,
        f"{S}curves[1].parameters.delta: unknown constant `delta`. Use one of: {NAMES}, core_factor",
    ),
    (f"{C}parameters.width", 0, f"{S}curves[1].parameters.width: got 0; must be > 0"),
    (
        f"{C}parameters.whole_maximum",
        0.5,
        f"{S}curves[1].parameters.whole_maximum: got 0.5; must be true or false",
    ),
    (
        "constants.tolerance",
        DELETE,
        f"{S}curves[0].parameters.tolerance: required key is missing. Add it here or to `constants`.",
    ),
    (
        f"{S}curves.2.algorithm",
        PLAIN,
        f"{S}curves[2]: `{PLAIN}` is listed twice at calibration `printed`. Give one entry a `variant`.",
    ),
    (
        f"{X}curves.2.variant",
        DELETE,
        f"{X}curves[2]: `{CENTRAL}` is listed twice at calibration `printed`. Give one entry a `variant`.",
    ),
    (f"{S}grid", {"T": [100]}, f"{S}grid.eps: required key is missing; `{CENTRAL}` needs it. Add it."),
    (f"{X}grid.1.eps", DELETE, f"{X}grid[1].eps: required key is missing; `{CENTRAL}` needs it. Add it."),
    (
        f"{X}grid.1",
        {"epsilon": [1]},
        f"{X}grid[1].epsilon: unknown grid value `epsilon`. Did you mean `eps`? Use one of: ...",
    ),
    ("constants.penalty", 0, "constants.penalty: no algorithm of this paper has this constant. Delete it."),
    (
        "calibrations.tuned",
        {"gamma": 0.1},
        "calibrations.tuned.gamma: no algorithm of this paper has this constant. ...",
    ),
    (
        f"{S}grid.rounds",
        [1],
        f"{S}grid.rounds: unknown grid value `rounds`. Use one of: eps, T, arms, dimension, {NAMES}, core_factor",
    ),
    (
        f"{S}grid.delta",
        [0.1],
        f"{S}grid.delta: unknown grid value `delta`. Use one of: eps, T, arms, dimension, {NAMES}, core_factor",
    ),
    (f"{S}grid.eps.0", 0, f"{S}grid.eps: got 0; must be >= 1e-06 and <= 1e+06"),
    (f"{S}grid.eps.0", 1e7, f"{S}grid.eps: got 10000000; must be >= 1e-06 and <= 1e+06"),
    (f"{X}grid.0.T.0", 7, f"{X}grid[0].T: got 7; must be a whole number >= 8 and <= 1e+12"),
    (f"{X}grid.0.T.0", 10.5, f"{X}grid[0].T: got 10.5; must be a whole number >= 8 and <= 1e+12"),
    (f"{X}grid.1.arms", [1], f"{X}grid[1].arms: got 1; must be a whole number >= 2 and <= 100000"),
    (f"{X}grid.1.dimension", [101], f"{X}grid[1].dimension: got 101; must be a whole number >= 1 and <= 100"),
    (f"{X}grid.2.core_factor", [0], f"{X}grid[2].core_factor: got 0; must be > 0"),
    (f"{F}claims", ["C9"], f"{F}claims: unknown claim `C9`. Use one of: C1, C2, ..."),
    (f"{F}experiment", "other", f"{F}experiment: unknown experiment `other`. Use one of: study, scaling"),
    (f"{F}curves.0", "magic", f"{F}curves: unknown curve `magic`. Use one of: {KNOWN}"),
    (f"{F}curves.0", WIDE, f"{F}curves: unknown curve `{WIDE}`. Did you mean `{CENTRAL}`? Use one of: {KNOWN}"),
    (f"{F}calibrations.1", "tuned", f"{F}calibrations: got 'tuned'; must be one of: printed, certified"),
    (f"{F}curves", [PLAIN], f"{F}calibrations: got 'certified'; must be `printed`"),
    (f"{F}at", {"T": [1000]}, f"{F}at.T: unknown grid value `T`. Use `eps`"),
    (f"{F}at", {"eps": [1, 3]}, f"{F}at.eps: got 3; must be one of: 0.5, 1, 10"),
    (f"{G}at.arms", [5], f"{G}at.arms: got 5; must be one of: 4, 8"),
    (f"{G}panels", "dimension", f"{G}panels: unknown grid value `dimension`. Use one of: T, eps, arms, core_factor"),
    (f"{G}along", "dimension", f"{G}along: unknown grid value `dimension`. Use one of: T, eps, arms, core_factor"),
    (f"{L}measurement", "other", f"{L}measurement: unknown measurement `other`. Use `slope`"),
    (f"{L}calibrations", ["certified"], f"{L}calibrations: got 'certified'; must be one of: printed, tuned"),
    (
        "figures.slopes",
        {**DRAWN, "drawing": "widths", "arguments": {}},
        f"{L}drawing: unknown function `widths`; there are none to choose from",
    ),
    (f"{M}experiment", "other", f"{M}experiment: unknown experiment `other`. Use one of: study, scaling"),
    (f"{M}tests.0.curves.0", "magic", f"{M}tests[0].curves: unknown curve `magic`. Use one of: {SCALED}"),
    (f"{M}tests.0.curves", [WIDE], f"{M}calibrations: got 'tuned'; `{WIDE}` {ADD}"),
    (f"{M}tests.0.at.arms", [5], f"{M}tests[0].at.arms: got 5; must be one of: 4, 8"),
    (
        f"{M}tests.0.calibrations",
        ["tuned"],
        f"{M}calibrations: got 'printed'; no test has this calibration. Delete it or add a test.",
    ),
    (f"{B}rows.0", ["x"], f"{B}rows[0]: got 1 entry; must have 2, one for each column"),
    (f"{B}verdicts", ["C1"], f"{B}verdicts: got 1 entry; must have 2, one for each row"),
    (f"{B}verdicts", ["C1", "C9"], f"{B}verdicts: unknown claim `C9`. Use one of: C1..."),
    (f"{B}measured.0.measurement", "other", f"{B}measured[0].measurement: unknown measurement `other`. Use `slope`"),
    (f"{B}measured.0.curves", [None], f"{B}measured[0].curves: got 1 entry; must have 2, one for each row"),
    (
        f"{B}measured.0.calibration",
        "certified",
        f"{B}measured[0].calibration: got 'certified'; must be one of: printed, tuned",
    ),
    (
        f"{B}measured.0.curves.1",
        LOCAL,
        f"{B}measured[0].curves: unknown curve `{LOCAL}`. Did you mean `{PLAIN}`? Use one of: {PLAIN}, {CENTRAL}",
    ),
    ("claims.C1.experiment", "other", "claims.C1.experiment: unknown experiment `other`. Use one of: study, scaling"),
    ("claims.C1.calibrations", ["tuned"], f"claims.C1.calibrations: got 'tuned'; {NOT_RUN}"),
    ("claims.C1.calibrations", ["released"], f"claims.C1.calibrations: got 'released'; {NOT_RUN}"),
    (f"{T}0.calibrations", ["tuned"], f"claims.C1.calibrations: got 'tuned'; {NOT_RUN}"),
    (f"{T}0.curves.0", "magic", f"claims.C1.tests[0].curves: unknown curve `magic`. Use one of: {KNOWN}"),
    (f"{T}0.against", "magic", f"claims.C1.tests[0].against: unknown curve `magic`. Use one of: {KNOWN}"),
    (f"{T}2.baseline", "magic", f"claims.C1.tests[2].baseline: unknown curve `magic`. Use one of: {KNOWN}"),
    (f"{T}0.curves", [PLAIN], f"claims.C1.tests[0]: `{PLAIN}` {ITSELF}"),
    (f"{T}2.baseline", LOCAL, f"claims.C1.tests[2]: `{LOCAL}` {ITSELF}"),
    (f"{T}3.curves", [PLAIN], f"claims.C1.tests[3].curves: {NO_SLOPE}"),
    (f"{T}0.against", "magic@printed", f"claims.C1.tests[0].against: unknown curve `magic`. Use one of: {KNOWN}"),
    (
        f"{T}0.against",
        f"{CENTRAL}@tuned",
        f"claims.C1.tests[0].against: unknown curve `{CENTRAL}@tuned`. Did you mean `{CENTRAL}@printed`? "
        f"Use one of: {CENTRAL}@printed, "
        f"{CENTRAL}@certified",
    ),
    (f"{T}0.against", f"{CENTRAL}@printed", f"claims.C1.tests[0]: `{CENTRAL}@printed` {ITSELF}"),
    (f"{T}1.curves", [LOCAL, f"{LOCAL}@printed"], f"claims.C1.tests[1]: `{LOCAL}@printed` {ITSELF}"),
    (f"{T}1.curves", [PLAIN, f"{PLAIN}@certified"], f"claims.C1.tests[1]: `{PLAIN}@certified` {ITSELF}"),
    (
        f"{F}curves.0",
        f"{CENTRAL}@printed",
        f"{F}curves: unknown curve `{CENTRAL}@printed`. Did you mean `{CENTRAL}`? Use one of: {KNOWN}",
    ),
    (
        f"{M}tests.0.curves",
        [PLAIN, f"{CENTRAL}@printed"],
        f"{L}measurement: `slope` cannot be drawn; it compares with `{CENTRAL}@printed`, and a figure shows one "
        "calibration only. Draw another one.",
    ),
    (f"{T}0.at.eps", [3], "claims.C1.tests[0].at.eps: got 3; must be one of: 0.5, 1, 10"),
    (f"{T}0.at.T", [100], "claims.C1.tests[0].at.T: unknown grid value `T`. Use `eps`"),
    (
        "claims.C2.tests.0.at",
        {"arms": [8]},
        "claims.C2.tests[0].at.eps: required key is missing. Add values among: 1, 2.",
    ),
    (
        "claims.C2.tests.0.at.arms",
        [4, 5],
        "claims.C2.tests[0].at.arms: got 5; must be one of: 4, 8",
    ),
    (
        "claims.C2.tests.0.at.eps",
        [2],
        "claims.C2.tests[0].at: got T = 1000, eps = 2, arms = 4, core_factor = 1.5; "
        "the grid of the experiment has no such point. Choose one of it, or add this one.",
    ),
    (
        "claims.C2.tests",
        [
            *PAPER["claims"]["C2"]["tests"],
            {"reading": "r", "predicate": "ordered", "curves": [PLAIN, CENTRAL], "at": ONE},
        ],
        "claims.C2.tests: the predicate `never` cannot be combined with others. Give it its own claim.",
    ),
    (f"{T}3.at.eps", [1], "claims.C1.tests[3].at: got one setting; ..."),
    (f"{V}tests.0.at", ONE, f"{V}tests[0].at: got one setting; ..."),
    (
        f"{V}tests.0.at",
        {"eps": [1], "arms": [4, 8]},
        f"{V}tests[0].at.T: missing or constant; `slope_between` needs at least 2 values of `T`",
    ),
    (
        f"{V}tests.1.at",
        [{"eps": [1], "T": [1000], "arms": [4, 8]}],
        f"{V}tests[1].at.T: missing or constant; `flat` needs at least 2 values of `T`",
    ),
    (f"{T}0.bounds", [None, None], f"claims.C1.tests[0].bounds: got [null, null]; {RANGE}"),
    (f"{T}0.bounds", [2, 1], f"claims.C1.tests[0].bounds: got [2, 1]; {RANGE}"),
    (f"{T}0.bounds", [1, 1], f"claims.C1.tests[0].bounds: got [1, 1]; {RANGE}"),
    (f"{T}0.tolerated", [2, 1], f"claims.C1.tests[0].tolerated: got [2, 1]; {RANGE}"),
    (
        f"{V}experiment",
        "study",
        f"{V}tests[0].curves: unknown curve `{WIDE}`. Did you mean `{CENTRAL}`? Use one of: {KNOWN}",
    ),
    (f"{V}experiment", "other", f"{V}experiment: unknown experiment `other`. Use one of: study, scaling"),
    (f"{V}calibrations", ["tuned"], f"{V}calibrations: got 'tuned'; `{WIDE}` {ADD}"),
    (f"{V}tests.0.curves", ["magic"], f"{V}tests[0].curves: unknown curve `magic`. Use one of: {SCALED}"),
    (f"{V}tests.0.calibrations", ["tuned"], f"{V}calibrations: got 'tuned'; `{WIDE}` {ADD}"),
]


ROUNDS = {**PAPER["figures"]["growth"], "drawing": "regret_against_round"}
FAULTS += [
    (
        "figures.growth",
        {**ROUNDS, "at": {"arms": [4]}},
        f"{G}at: a panel shows one point of `{PLAIN}`, but several are left. Give one value of T.",
    ),
    (
        "figures.growth",
        {**ROUNDS, "panels": "dimension"},
        f"{G}panels: unknown grid value `dimension`. Use one of: T, eps, arms, core_factor",
    ),
    (
        "figures.growth",
        {**ROUNDS, "curves": [PLAIN], "at": {"arms": [4], "T": [100]}},
        f"{G}panels: got 'eps'; no curve of the figure has a value of `eps`",
    ),
]
RATIO = {
    "reading": "r",
    "predicate": "ratio_between",
    "curves": [CENTRAL],
    "at": {"eps": [0.5, 1]},
    "bounds": [None, 2],
}
LEAST = {"reading": "r", "predicate": "argmin_between", "curves": [CENTRAL], "along": "eps", "bounds": [0.1, None]}
EXCESS = {"reading": "r", "predicate": "falling_excess", "curves": [CENTRAL], "baseline": PLAIN}
LOG = {"reading": "r", "predicate": "slope_between", "curves": [CENTRAL], "along": "eps", "scale": "log"}
LOG |= {"bounds": [0, None]}
OUTPUTS = "regret, active, core, gamma, noise_scale, misses, largest_core, fallbacks, bound, over_bound"
SLOPES = {"reading": "r", "predicate": "slope_order", "curves": [CENTRAL, LOCAL], "along": "eps"}
AFFINE = {"reading": "r", "predicate": "affine_between", "curves": [CENTRAL], "along": "eps", "of": "inverse"}
AFFINE |= {"baseline": PLAIN, "fit": 0.9, "bounds": [0, 4]}
FORMS = {"reading": "r", "predicate": "form_ratio", "curves": [CENTRAL], "along": "eps", "across": "arms"}
FORMS |= {"bounds": [None, 0.5]}
SHARE = {"reading": "r", "predicate": "share", "curves": [CENTRAL], "column": "misses", "above": 0}
SHARE |= {"bounds": [None, 0.1], "at": {"eps": [1]}}
MEASURED = {"reading": "r", "curves": [PLAIN, CENTRAL], "column": "bound", "at": ONE}
SQUARE = [{"T": [1000], "eps": [1, 2], "arms": [8]}, {"T": [1000], "eps": [1], "arms": [4]}]
ALONE = "got one setting; ..."
FAULTS += [
    (
        f"{T}0",
        {**RATIO, "against": LOCAL, "reference": {"eps": 3}},
        "claims.C1.tests[0].reference.eps: got 3; must be one of: 0.5, 1, 10",
    ),
    (f"{T}0", {**RATIO, "reference": {"T": 9}}, "claims.C1.tests[0].reference.T: unknown grid value `T`. Use `eps`"),
    (
        f"{T}0",
        {**RATIO, "reference": {"eps": 3}},
        "claims.C1.tests[0].reference.eps: got 3; must be one of: 0.5, 1, 10",
    ),
    (
        f"{T}0",
        {**RATIO, "reference": {"eps": 1}},
        f"claims.C1.tests[0].reference: eps = 1 is compared with itself; `at` must give other points of `{CENTRAL}`",
    ),
    (
        "claims.C2.tests.0",
        {**RATIO, "at": ONE, "reference": {"arms": 8, "T": 100}},
        "claims.C2.tests[0].reference: got T = 100, eps = 1, arms = 8, core_factor = 1.5; "
        "the grid of the experiment has no such point. Choose one of it, or add this one.",
    ),
    (
        f"{T}3",
        {**LEAST, "at": {"eps": [0.5, 1]}},
        "claims.C1.tests[3].at.eps: got [0.5, 1]; must have powers of T = 1000 (scale `smoke`) both inside and "
        "outside of `bounds`",
    ),
    (f"{T}0.column", "late", f"claims.C1.tests[0].column: unknown output `late`. Use one of: {OUTPUTS}"),
    (
        f"{T}0.against_column",
        "late",
        f"claims.C1.tests[0].against_column: unknown output `late`. Use one of: {OUTPUTS}",
    ),
    (
        f"{T}0",
        {**RATIO, "reference": {"eps": 10}, "against_column": "bound"},
        "claims.C1.tests[0].against_column: needs `against`. Add `against` or delete this key.",
    ),
    (f"{T}0", {**RATIO, "against": CENTRAL, "column": "bound"}, f"claims.C1.tests[0]: `{CENTRAL}` {ITSELF}"),
    (
        f"{T}3",
        {**LOG, "at": {"eps": [1, 10]}},
        "claims.C1.tests[3].at.eps: got 1; must be > 1, because `slope_between` takes its logarithm twice",
    ),
    (f"{M}tests.0.column", "late", f"{M}tests[0].column: unknown output `late`. Use one of: {OUTPUTS}"),
    ("gates.0.column", "late", f"gates[0].column: unknown output `late`. Use one of: {OUTPUTS}"),
    ("gates.0.over", "late", f"gates[0].over: unknown output `late`. Use one of: {OUTPUTS}"),
    (f"{T}3", {**LEAST, "at": {"eps": [10]}}, f"claims.C1.tests[3].at: {ALONE}"),
    (f"{T}3", {**EXCESS, "at": {"eps": [10]}}, f"claims.C1.tests[3].at: {ALONE}"),
    (
        f"{T}3",
        {**EXCESS, "curves": [PLAIN], "baseline": CENTRAL, "at": {"eps": [1, 10]}},
        f"claims.C1.tests[3].curves: {NO_SLOPE}",
    ),
    (
        f"{T}3",
        {**AFFINE, "at": {"eps": [1, 10]}},
        "claims.C1.tests[3].at: got 2 settings; `affine_between` needs at least 3",
    ),
    (
        f"{T}3",
        {**AFFINE, "curves": [PLAIN], "baseline": CENTRAL, "at": {"eps": [0.5, 1, 10]}},
        f"claims.C1.tests[3].curves: {NO_SLOPE}",
    ),
    (
        f"{V}tests.0",
        {**FORMS, "at": SQUARE},
        f"{V}tests[0].at: got 3 settings; `form_ratio` needs at least 4",
    ),
    (
        f"{V}tests.0",
        {**FORMS, "along": "arms", "at": [{"T": [100, 1000], "eps": [1]}, {"eps": [1, 2], "arms": [8]}]},
        f"{V}tests[0].at.arms: missing or constant; `form_ratio` needs at least 2 values of `arms`",
    ),
    (
        f"{V}tests.0",
        {**FORMS, "across": "eps", "at": [{"T": [100, 1000], "eps": [1]}, {"eps": [1, 2], "arms": [8], "T": [1000]}]},
        f"{V}tests[0].across: got 'eps'; must be another grid value than `along`",
    ),
    (
        f"{T}3",
        {**SHARE, "column": "late"},
        f"claims.C1.tests[3].column: unknown output `late`. Use one of: {OUTPUTS}",
    ),
    (f"{T}3", {**SLOPES, "at": {"eps": [10]}}, f"claims.C1.tests[3].at: {ALONE}"),
    (
        f"{T}3",
        {**SLOPES, "curves": [CENTRAL], "at": {"eps": [1, 10]}},
        f"claims.C1.tests[3].curves: got ['{CENTRAL}']; must have at least two entries, or one and `across`",
    ),
    (
        f"{T}3",
        {**SLOPES, "worst": "eps", "at": {"eps": [1, 10]}},
        "claims.C1.tests[3].worst: got 'eps'; must be a grid value that varies in `at` and is not `along`",
    ),
    (
        f"{T}3",
        {**SLOPES, "curves": [PLAIN, LOCAL], "at": {"eps": [1, 10]}},
        f"claims.C1.tests[3].curves: {NO_SLOPE}",
    ),
]


@pytest.mark.parametrize(("path", "value", "says"), FAULTS)
def test_what_refers_to_nothing_or_collides_is_a_fault(tmp_path: Path, path, value, says):
    root = write_project(tmp_path, changed(PAPER, path, value))
    assert said(root, f"{FILE}: {says}"), faults_of(root)


RIGHT = [
    (f"{C}varying", {"width": ALONG_EPS}),
    (f"{S}environments", {"printed": {"arms": 5}, "certified": {"arms": 5}}),
    (f"{X}environments", {"tuned": {"family": "linear", "dimension": 3}}),
    ("constants.width", 0.5),
    ("calibrations", DELETE),
    ("calibrations.tuned", {}),
    ("calibrations.certified", {"width": 2, "core_factor": ASSUMED}),
    (f"{C}parameters", {}),
    (f"{C}parameters.whole_maximum", True),
    (f"{S}grid.eps", [1e-6, 0.5, 1, 10, 1e6]),
    (f"{S}grid.T", [1000]),
    (f"{X}grid.0.T", [8, 100, 1000, 1e12]),
    (f"{X}grid.1.dimension", [1, 100]),
    (f"{X}grid.1.whole_maximum", [False, True]),
    (f"{F}at", {"eps": [0.5, 10]}),
    (f"{G}at", DELETE),
    (f"{G}at.arms", [4, 8]),
    (f"{G}at.core_factor", [1.5]),
    (f"{G}panels", "arms"),
    (f"{L}calibrations", ["tuned", "printed"]),
    ("figures.growth.calibrations", ["printed", "tuned"]),
    (f"{M}calibrations", ["certified", "tuned"]),
    (f"{M}tests.0.at.core_factor", [1.5]),
    ("claims.C2.calibrations", ["certified"]),
    ("claims.C2.tests.0.at.arms", [4, 8]),
    ("claims.C2.tests.0.at", [{"eps": [2], "arms": [8]}, {"eps": [1], "core_factor": [3]}]),
    (f"{T}0.at", [{"eps": [10]}, {"eps": [0.5]}]),
    (f"{T}0.bounds", [1, None]),
    (f"{T}0.against", f"{PLAIN}@printed"),
    (f"{T}0.against", f"{PLAIN}@certified"),
    (f"{T}0.against", f"{CENTRAL}@certified"),
    (f"{T}1.curves", [CENTRAL, f"{CENTRAL}@certified"]),
    (f"{V}tests.0.baseline", f"{PLAIN}@tuned"),
    (f"{T}0.tolerated", [None, 3]),
    (f"{V}calibrations", DELETE),
]


RIGHT += [
    ("figures.growth", {**ROUNDS, "at": {"arms": [8]}}),
    ("figures.growth", {**ROUNDS, "at": {"arms": [4], "T": [1000], "core_factor": [1.5]}}),
    ("figures.growth", {**ROUNDS, "panels": "T", "at": {"arms": [4], "core_factor": [1.5]}}),
    ("figures.regret", {**PAPER["figures"]["regret"], "drawing": "regret_against_round", "panels": "eps"}),
    (f"{T}0", {**RATIO, "reference": {"eps": 10}}),
    (f"{T}0.equivalent", 0.03),
    (f"{T}1.equivalent", 0.03),
    ("claims.C2.tests.0", {**RATIO, "at": {"eps": [1], "T": [100]}, "reference": {"T": 1000}}),
    ("gates", DELETE),
    ("gates.0.over", DELETE),
    ("claims.C1.gated", False),
    ("claims.C1.gated", True),
    (f"{V}gated", False),
    (f"{M}gated", False),
    (f"{T}0", {**RATIO, "against": CENTRAL, "against_column": "bound"}),
    (f"{T}0", {**RATIO, "against": CENTRAL, "column": "bound", "against_column": "regret"}),
    (f"{T}0", {**RATIO, "against": PLAIN, "column": "bound"}),
    (f"{V}tests.0.column", "bound"),
    (f"{V}tests.0.scale", "log"),
    (f"{M}tests.0.scale", "log"),
    (f"{M}tests.0.column", "bound"),
    (f"{T}3", {**LEAST, "at": {"eps": [0.5, 1, 10]}}),
    (f"{T}3", {**EXCESS, "at": {"eps": [1, 10]}}),
    (f"{T}3", {**AFFINE, "at": {"eps": [0.5, 1, 10]}}),
    (f"{T}3", SHARE),
    (
        f"{V}tests.0",
        {**FORMS, "across": "T", "at": [{"T": [100, 1000], "eps": [1]}, {"eps": [1, 2], "arms": [8], "T": [1000]}]},
    ),
    (f"{M}tests.0", {**MEASURED, "predicate": "mean_of"}),
    (f"{M}tests.0", {**MEASURED, "predicate": "dispersion"}),
    (f"{T}3", {**EXCESS, "at": {"eps": [1, 10]}, "bounds": [None, -1], "tolerated": [None, 0]}),
    (f"{T}3", {**SLOPES, "at": {"eps": [1, 10]}}),
    (f"{T}3", {**SLOPES, "at": {"eps": [1, 10]}, "bounds": [None, 0.08], "tolerated": [None, 0.1]}),
]


@pytest.mark.parametrize(("path", "value"), RIGHT)
def test_what_is_in_order_is_no_fault(tmp_path: Path, path, value):
    record = changed(PAPER, path, value)
    if path == f"{V}calibrations":  # the variant then has those of its claim
        record = changed(record, f"{V}tests.0.curves", [CENTRAL])
    if path == "calibrations.tuned":
        assert "width" not in record["calibrations"]["tuned"]
    assert fault(write_project(tmp_path, record)) == ""


CLOSED = {
    **{key: value for key, value in CLAIM.items() if key != "experiment"},
    "kind": "analytic",
    "tests": [
        {
            "reading": "epsilon",
            "function": "local_epsilon_over_eps",
            "arguments": {"horizon": 1000, "delta": 1e-6, "eps": [1, 2]},
            "bounds": [None, 1],
        }
    ],
}
DRAWING = {**DRAWN, "drawing": "amplification", "arguments": {"horizon": 1000, "delta": 1e-6, "eps": [1]}}
ARGUMENTS = "claims.C3.tests[0].arguments"


def closed(root: Path, path: str, value: object) -> str:
    """The fault of a paper with closed forms and a figure of them, one value changed."""
    record = changed(changed(PAPER, "claims.C3", CLOSED), "figures.epsilons", DRAWING)
    write_project(root, changed(record, path, value), {**CONFIG, "papers": ["hanna2022"]}, "hanna2022")
    return fault(root).removeprefix("config/papers/hanna2022.yaml: ")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "tests.0.function",
            "epsilon",
            "claims.C3.tests[0].function: unknown function `epsilon`. Use one of: local_epsilon_over_eps, ...",
        ),
        ("tests.0.arguments.horizon", DELETE, f"{ARGUMENTS}.horizon: required key is missing. Add it."),
        (
            "tests.0.arguments.rounds",
            9,
            f"{ARGUMENTS}.rounds: unknown argument `rounds`. Use one of: horizon, delta, eps",
        ),
        (
            "tests.0.arguments.calibration",
            1,
            f"{ARGUMENTS}.calibration: unknown argument `calibration`. Use one of: horizon, delta, eps",
        ),
        ("tests.0.arguments.eps", 1, f"{ARGUMENTS}.eps: got 1; must be a list of numbers"),
        ("tests.0.arguments.delta", [0.1], f"{ARGUMENTS}.delta: got [0.1]; must be a number"),
        ("tests.0.arguments.horizon", 10.5, f"{ARGUMENTS}.horizon: got 10.5; must be a whole number"),
        (
            "tests.0.arguments.horizon",
            0,
            f"{ARGUMENTS}.horizon: got 0; must be a whole number >= 1 and <= 1e+12",
        ),
        ("tests.0.arguments.delta", 1, f"{ARGUMENTS}.delta: got 1; must be > 0 and < 1"),
        ("tests.0.arguments.horizon", [10], f"{ARGUMENTS}.horizon: got [10]; must be a whole number"),
        ("tests.0.bounds", [2, 1], f"claims.C3.tests[0].bounds: got [2, 1]; {RANGE}"),
        ("tests.0.bounds", [1, 1], ""),
        (
            "tests.0.calibrations",
            ["tuned"],
            "claims.C3.calibrations: got 'printed'; no test has this calibration. Delete it or add a test.",
        ),
        ("calibrations", ["printed", "tuned", "certified"], ""),
        (
            "variants",
            {
                "other": {
                    "note": "n",
                    "subject": "paper",
                    "tests": [changed(CLOSED["tests"][0], "arguments.delta", DELETE)],
                }
            },
            "claims.C3.variants.other.tests[0].arguments.delta: required key is missing. Add it.",
        ),
        ("variants", {"other": {"note": "n", "subject": "paper", "calibrations": ["certified"]}}, ""),
    ],
)
def test_closed_forms_get_the_arguments_that_they_take(tmp_path: Path, path, value, says):
    line = closed(tmp_path, f"claims.C3.{path}", value)
    assert line == says if not says.endswith("...") else line.startswith(says[:-3])


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("drawing", "widths", "figures.epsilons.arguments.arms: required key is missing. Add it."),
        ("arguments.eps", 1, "figures.epsilons.arguments.eps: got 1; must be a list of numbers"),
        (
            "arguments.arms",
            3,
            "figures.epsilons.arguments.arms: unknown argument `arms`. Use one of: horizon, delta, eps",
        ),
        (
            "arguments.title",
            3,
            "figures.epsilons.arguments.title: unknown argument `title`. Use one of: horizon, delta, eps",
        ),
        ("arguments.horizon", 1e6, ""),
    ],
)
def test_drawings_of_closed_forms_get_the_arguments_that_they_take(tmp_path: Path, path, value, says):
    assert closed(tmp_path, f"figures.epsilons.{path}", value) == says


@pytest.mark.parametrize("path", ["claims.C1", "claims.C2.variants.grows", "measurements.slope"])
def test_where_there_are_no_gates_nothing_goes_without_them(tmp_path: Path, path):
    record = changed(changed(PAPER, "gates", DELETE), f"{path}.gated", False)
    says = f"{path}.gated: got false; the paper has no `gates`. Delete this key."
    assert fault(write_project(tmp_path, record)) == f"{FILE}: {says}"


def test_a_slope_along_a_value_of_zero_is_a_fault(tmp_path: Path):
    """Its logarithm is wanted."""
    record = changed(PAPER, f"{X}grid", [{"eps": [1], "reward_sd": [None, 0.5]}])
    for path in ("claims.C2", "figures.growth"):
        record = changed(record, path, DELETE)
    record = changed(changed(record, f"{L}claims", []), f"{M}tests.0.at", {"reward_sd": [None, 0.5], "eps": [1]})
    says = f"{M}tests[0].at.reward_sd: got 0; must be > 0, because `slope_between` takes its logarithm"
    assert fault(write_project(tmp_path, changed(record, f"{M}tests.0.along", "reward_sd"))) == f"{FILE}: {says}"


def test_a_variant_is_another_curve(tmp_path: Path):
    """It goes by `algorithm:variant`, the algorithm alone is the curve without one."""
    record = changed(PAPER, f"{S}curves.2.variant", "wide")
    says = f"claims.C1.tests[1].curves: unknown curve `{LOCAL}`. Did you mean `{LOCAL}:wide`? Use one of: ..."
    assert said(write_project(tmp_path, record), f"{FILE}: {says}")


def test_all_faults_come_in_the_order_of_the_file(tmp_path: Path):
    record = changed(changed(PAPER, f"{S}size.smoke.seeds", 3), f"{T}0.at.eps", [3, 4])
    record = changed(record, f"{B}rows.1", ["x"])
    paper = load_project(write_project(tmp_path, record)).papers[KEY]
    keys = dict.fromkeys(line.partition(":")[0] for line in faults(paper))
    assert list(keys) == [f"{S}size.smoke.seeds", f"{B}rows[1]", "claims.C1.tests[0].at.eps"]


def test_what_follows_from_a_misspelled_algorithm_is_not_said(tmp_path: Path):
    """Figures, tests and tables that name the curves of its experiment have no faults of their own."""
    record = changed(PAPER, f"{C}algorithm", "phased_elimination_centrla")
    paper = load_project(write_project(tmp_path, record)).papers[KEY]
    (line,) = faults(paper)
    assert line.startswith(f"{C.replace('.1.', '[1].')}algorithm: unknown algorithm `phased_elimination_centrla`.")


# Points


DEFAULTS = {"width": 1.0, "core_factor": 1.5, "arms": 4.0, "dimension": 2.0, "T": 1000.0}


def test_an_algorithm_has_the_points_that_it_distinguishes_each_once():
    study = combinations({"eps": [0.5, 1, 10]})
    assert points(study, PLAIN, DEFAULTS) == ({},)
    assert points(study, CENTRAL, DEFAULTS) == ({"eps": 0.5}, {"eps": 1.0}, {"eps": 10.0})
    both = combinations({"eps": [2, 1], "arms": [3, 4]})
    assert points(both, CENTRAL, DEFAULTS) == tuple(
        {"eps": eps, "arms": arms} for eps in (2.0, 1.0) for arms in (3.0, 4.0)
    )
    assert points(both, PLAIN, DEFAULTS) == ({"arms": 3.0}, {"arms": 4.0})


def test_blocks_of_a_grid_follow_each_other_filled_with_defaults():
    """The third block repeats a point of the first; the non-private algorithm knows neither budget nor core_factor."""
    blocks = combinations(
        [
            {"T": [100, 1000], "eps": [1]},
            {"eps": [1], "arms": [8]},
            {"eps": [1], "T": [1000], "arms": [4]},
            {"eps": [1], "core_factor": [3, 1.5]},
        ]
    )
    assert points(blocks, CENTRAL, DEFAULTS) == (
        {"T": 100.0, "eps": 1.0, "arms": 4.0, "core_factor": 1.5},
        {"T": 1000.0, "eps": 1.0, "arms": 4.0, "core_factor": 1.5},
        {"T": 1000.0, "eps": 1.0, "arms": 8.0, "core_factor": 1.5},
        {"T": 1000.0, "eps": 1.0, "arms": 4.0, "core_factor": 3.0},
    )
    without = {name: value for name, value in DEFAULTS.items() if name != "core_factor"}
    assert points(blocks, PLAIN, without) == (
        {"T": 100.0, "arms": 4.0},
        {"T": 1000.0, "arms": 4.0},
        {"T": 1000.0, "arms": 8.0},
    )


def test_a_point_replaces_horizon_environment_and_constants():
    point = {"T": 100.0, "arms": 8.0, "eps": 1.0, "width": 0.25}
    c = curve(CENTRAL, points=(point, {"eps": 2.0}))
    assert (c.horizon_at(point), c.horizon_at({"eps": 2.0})) == (100, 1000)
    assert type(c.horizon_at(point)) is int
    assert c.environment_at(point) == {"family": "linear", "arms": 8, "dimension": 2}
    assert type(c.environment_at(point)["arms"]) is int
    assert c.environment_at({"eps": 2.0}) == c.environment
    assert c.rounds_at(point).tolist() == [1, 10, 100]
    assert c.rounds_at({"eps": 2.0}).tolist() == [1, 10, 100, 1000]
    assert c.constants_at(point) == {**CONSTANTS[CENTRAL], "width": 0.25, "eps": 1.0}
    assert list(c.settings()) == [
        {**CONSTANTS[CENTRAL], "width": 0.25, "eps": 1.0, "T": 100.0, "arms": 8.0, "dimension": 2.0},
        {**CONSTANTS[CENTRAL], "eps": 2.0, "T": 1000.0, "arms": 4.0, "dimension": 2.0},
    ]
    assert all(type(value) is float for setting in c.settings() for value in setting.values())


def test_the_default_of_a_grid_value_is_that_of_the_curve():
    found = {name: curve(PLAIN).default(name) for name in ("T", "arms", "dimension", "width", "eps", "core_factor")}
    assert found == {"T": 1000.0, "arms": 4.0, "dimension": 2.0, "width": 1.0, "eps": None, "core_factor": None}


# Constants


def test_constants_are_laid_over_each_other(tmp_path: Path):
    """The paper's, in their place those of the calibration, in their place those of the curve; what it has, no more."""
    record = changed(PAPER, "calibrations.tuned.core_factor", 7)
    record = changed(record, f"{X}curves.1.parameters", {"width": {**ASSUMED, "value": 0.125}})
    paper = load(write_project(tmp_path, record)).papers[KEY]
    plain, central, _ = paper.experiments["scaling"].entries
    found = {
        name: parameters_of(paper, entry, name) for entry in (plain,) for name in ("printed", "tuned", "certified")
    }
    assert found == {"printed": READING, "tuned": {**READING, "width": 0.5}, "certified": READING}
    assert parameters_of(paper, central, "printed") == {**READING, "width": 0.125, "core_factor": 1.5}
    assert parameters_of(paper, central, "tuned") == {**READING, "width": 0.125, "core_factor": 7.0}
    entry = CurveEntry(algorithm=SHUFFLED, calibrations=("printed",), milliseconds=1.0)
    assert parameters_of(paper, entry, "tuned") == {**READING, "width": 0.5}


def test_a_calibration_moves_the_defaults_of_the_grid(tmp_path: Path):
    """Where the grid varies the width, points that do not say have the calibration's."""
    record = changed(PAPER, f"{X}grid", [{"eps": [1]}, {"eps": [1], "width": [3]}])
    for path in ("claims.C2", "figures.growth", "figures.slopes", "measurements", "tables"):
        record = changed(record, path, DELETE)
    project = load(write_project(tmp_path, record))
    found = {
        (c.algorithm, c.calibration, c.variant): [point["width"] for point in c.points]
        for c in curves(project, project.papers[KEY], "scaling")
    }
    assert found == {
        (PLAIN, "printed", ""): [1.0, 3.0],
        (PLAIN, "tuned", ""): [0.5, 3.0],
        (CENTRAL, "printed", ""): [1.0, 3.0],
        (CENTRAL, "tuned", ""): [0.5, 3.0],
        (CENTRAL, "certified", ""): [1.0, 3.0],
        (CENTRAL, "printed", "wide"): [2.0, 3.0],
    }


# Curves


def test_curves_come_in_the_order_of_the_file_with_the_size_of_the_scale(tmp_path: Path):
    project = load(write_project(tmp_path))
    for scale, seeds, chunk in (("smoke", 4, 2), ("quick", 8, 2), ("full", 20, 10)):
        every = curves(replace(project, scale=scale), project.papers["one2020"], "study")
        assert [(c.algorithm, c.calibration) for c in every] == [
            (PLAIN, "printed"),
            (CENTRAL, "printed"),
            (CENTRAL, "certified"),
            (LOCAL, "printed"),
        ]
        assert {(c.seeds, c.chunk) for c in every} == {(seeds, chunk)}
        assert [c.replicates for c in every] == [1, 2, 2, 1]
        assert every[1].parameters == {**CONSTANTS[CENTRAL], "core_factor": 2.5}


def test_a_calibration_may_have_an_environment_of_its_own(tmp_path: Path):
    """Its curves, points and defaults have it, the others do not; a family of its own goes with the arguments."""
    record = changed(PAPER, f"{X}environments", {"tuned": {"arms": 6}})
    for path in ("claims.C2", "figures.growth", "figures.slopes", "measurements", "tables"):
        record = changed(record, path, DELETE)
    project = load(write_project(tmp_path, record))
    every = curves(project, project.papers[KEY], "scaling")
    plain = load(write_project(tmp_path / "b"))
    before = curves(plain, plain.papers[KEY], "scaling")
    for own, other in zip(every, before, strict=True):
        arms = 6 if own.calibration == "tuned" else 4
        assert own.environment == {"family": "linear", "arms": arms, "dimension": 2}
        assert own.points[0]["arms"] == arms
        assert own.default("arms") == arms
        assert (own.folder == other.folder) == (arms == 4)
    section = Experiment.model_validate(
        {**PAPER["experiments"]["study"], "environments": {"released": {"family": "x"}}}
    )
    assert section.environment_of("released") == {**section.environment, "family": "x"}
    assert section.environment_of("printed") == section.environment


def test_of_many_allowed_names_those_are_shown_that_are_most_like_the_wrong_one():
    (line,) = unknown("here", ["b99"], [f"a{k}" for k in range(15)] + [f"b{k}" for k in range(15)])
    assert line.startswith("here: got 'b99'; must be one of: ")
    shown = line.removesuffix(", and 10 more. Did you mean `b9`?").partition("one of: ")[2].split(", ")
    assert len(set(shown)) == 20
    assert {f"b{k}" for k in range(15)} <= set(shown)
    assert list(unknown("here", ["x"], {"y": 1, "z": 2})) == ["here: got 'x'; must be one of: y, z"]
    assert list(unknown("here", ["x"], [])) == ["here: got 'x'; nothing is allowed here"]
    assert not list(unknown("here", ["x"], ["x"]))


@pytest.mark.parametrize(
    ("wrong", "names", "meant"),
    [
        ("ucb_dp", ["dp_ucb", "ucb1"], "dp_ucb"),
        ("figure_2", ["figure1", "figure2"], "figure2"),
        ("late", ["active", "regret"], ""),
    ],
)
def test_a_name_that_is_close_is_suggested(wrong, names, meant):
    """Words in another order and a slip of the hand are close; a name that shares some letters is not."""
    (line,) = unknown("here.experiment", [wrong], names)
    suggested = f" Did you mean `{meant}`?" if meant else ""
    assert line == f"here.experiment: unknown experiment `{wrong}`.{suggested} Use one of: {', '.join(names)}"


def with_bounds(*bounds):
    """A paper of arms with means whose experiment has these bounds."""
    record = yaml.safe_load(ARMS)
    record["experiments"]["study"]["bounds"] = list(bounds)
    return record


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        ({"bound": "ucb1"}, "bounds[1].bound: unknown bound `ucb1`. Use one of: contextual_rate, regret_lower_bound, "),
        (
            {"bound": "regret_rate", "weights": {"root": 1}},
            "bounds[1].weights.root: unknown weight `root`. Use one of: root_",
        ),
        (
            {"bound": "regret_rate", "weights": {"root_arms": -1}},
            "bounds[1].weights.root_arms: got -1; must be ",
        ),
        (
            {"bound": "regret_lower_bound"},
            "bounds[1]: `regret_lower_bound` is listed twice at calibration `printed`. Give one entry a `variant`.",
        ),
        ({"bound": "contextual_rate"}, "bounds[1].bound: `contextual_rate` cannot be used with"),
        ({"weights": {}}, "bounds[1].bound: required key is missing. Add it."),
    ],
)
def test_faults_of_bounds_name_their_place(tmp_path, bound, says):
    line = fault(write_project(tmp_path, with_bounds({"bound": "regret_lower_bound"}, bound)))
    assert line.startswith(f"config/papers/one2020.yaml: experiments.study.{says}")


def test_a_bound_is_no_algorithm_of_a_curve(tmp_path):
    record = yaml.safe_load(ARMS)
    record["experiments"]["study"]["curves"][0]["algorithm"] = "regret_rate"
    assert "curves[0].algorithm: unknown algorithm `regret_rate`. See: dpbandits list algorithms" in fault(
        write_project(tmp_path, record)
    )


def test_bounds_are_curves_without_chunks_whose_other_weights_are_zero(tmp_path):
    project = load(write_project(tmp_path, with_bounds({"bound": "regret_rate", "weights": {"root_arms": 2}})))
    *algorithms, bound = curves(project, project.papers["one2020"], "study")
    assert bound.bound
    assert list(bound.chunks()) == []
    assert {name for name, weight in bound.parameters.items() if weight} == {"root_arms"}
    assert len(bound.parameters) == 7
    assert not any(each.bound for each in algorithms)


@pytest.mark.parametrize("name", FAMILIES)
def test_families_have_the_arguments_of_their_draw(name):
    draw = ENVIRONMENTS.module(name).draw
    assert list(signature(draw).parameters) == ["rng", *FAMILIES[name].arguments]
    assert set(FAMILIES[name].words) <= set(FAMILIES[name].arguments)
    assert set(FAMILIES[name].arguments) <= {*GRID_RANGES, *FIXED_RANGES, *FAMILIES[name].words, "means"}


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        (
            {"family": "bernoulli_spread", "arms": 5},
            "experiments.study.environment.best: required key is missing; `bernoulli_spread` ...",
        ),
        (
            {"family": "linear", "arms": 5, "dimension": 2, "gap": 0.1},
            "experiments.study.environment.gap: unknown key. Use one of: arms, dimension",
        ),
        (
            {"family": "bernoulli_one_gap", "arms": 5, "gap": 0.1, "middle": 0.5, "octave": 0},
            "experiments.study.curves[0].algorithm: `phased_elimination` cannot be used with",
        ),
    ],
)
def test_environments_have_the_arguments_of_their_family_and_algorithms_that_play_it(tmp_path, environment, says):
    line = fault(write_project(tmp_path, changed(PAPER, f"{S}environment", environment)))
    assert line.startswith(f"{FILE}: {says[:-3]}")


def test_an_instance_whose_means_leave_the_unit_interval_is_a_fault(tmp_path):
    record = yaml.safe_load(ARMS)
    assert not fault(write_project(tmp_path / "a", record))
    record["experiments"]["study"]["grid"]["gap"] = [0.1, 0.9]
    assert fault(write_project(tmp_path / "b", record)) == (
        f"{FILE}: experiments.study.environment: got arms = 5, best = 0.75, gap = 0.9, spread = 0; means "
        "from 0.75 down to -0.15 do not lie in [0, 1]"
    )


def test_stages_that_draw_no_instance_check_all_but_instances(tmp_path):
    """Names still; the kernels of an environment are not asked for."""
    record = yaml.safe_load(ARMS)
    record["experiments"]["study"]["grid"]["gap"] = [0.1, 0.2, 0.9]
    impossible = load_project(write_project(tmp_path / "a", record))
    check(impossible, instances=False)
    with pytest.raises(ConfigError, match="do not lie"):
        check(impossible)
    record["experiments"]["study"]["curves"][0]["algorithm"] = "nothing"
    with pytest.raises(ConfigError, match="nothing"):
        check(load_project(write_project(tmp_path / "b", record)), instances=False)


def test_a_constant_may_vary_along_the_grid(tmp_path):
    """The algorithm is told, and the streams and the id know; a value set by hand replaces them all."""
    plain = load(write_project(tmp_path / "a"))
    project = load(write_project(tmp_path / "b", changed(PAPER, f"{C}varying", {"width": ALONG_EPS})))
    one, other = (curves(each, each.papers["one2020"], "study")[1] for each in (project, plain))
    assert one.algorithm == CENTRAL
    assert [(s["eps"], s["width"]) for s in one.settings()] == [(0.5, 1.0), (1.0, 1.5), (10.0, 2.0)]
    assert one.points == other.points
    assert one.folder != other.folder
    assert one.stream_name(one.points[1]) != other.stream_name(one.points[1])
    assert {s["width"] for s in single.changed(one, "width=1.25").settings()} == {1.25}
    with pytest.raises(ConfigError, match=r"width: has no value for eps = 3; it has for 0.5, 1, 10, and --set width"):
        list(single.changed(one, "eps=3").settings())


def test_the_id_does_not_change_with_names_sizes_and_costs(tmp_path: Path):
    project = load(write_project(tmp_path / "a"))
    other = changed(PAPER, f"{S}title", "Another title")
    other = changed(other, f"{C}parameters.core_factor.note", "Another note.")
    other = changed(changed(other, f"{C}milliseconds", 77), f"{S}size.smoke.seeds", 40)
    study = other["experiments"]["study"]
    other = changed(changed(other, "experiments.renamed", study), "experiments.study", DELETE)
    for path in ("figures.regret.experiment", "claims.C1.experiment"):
        other = changed(other, path, "renamed")
    again = load(write_project(tmp_path / "b", other))
    before = curves(project, project.papers["one2020"], "study")
    after = curves(again, again.papers["one2020"], "renamed")
    assert [c.folder for c in before] == [c.folder for c in after]
    same_chunks = curves(replace(project, scale="quick"), project.papers["one2020"], "study")
    assert [c.folder for c in before] == [c.folder for c in same_chunks]
    assert curve().identity() == curve(variant="x").identity()
    assert curve().identity() == curve(seeds=12, milliseconds=3.0, paper="two2021", experiment="x").identity()


CHANGES = {
    "environment": {"family": "linear", "arms": 5, "dimension": 2},
    "horizon": 1001,
    "checkpoints_per_decade": 2,
    "algorithm": LOCAL,
    "calibration": "certified",
    "parameters": {"width": 1.0, "core_factor": 1.6},
    "points": ({"eps": 1.0}, {"eps": 10.0}, {"eps": 20.0}),
    "replicates": 2,
    "chunk": 3,
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_id_changes_with_all_that_determines_the_runs(what: str):
    def last(c: Curve) -> str:
        return c.folder[-8:]

    standard = curve(CENTRAL)
    assert last(replace(standard, **{what: CHANGES[what]})) != last(standard)
    assert set(CHANGES) == set(standard.identity())


def test_even_checkpoints_are_part_of_the_id_where_there_are_some(tmp_path: Path):
    """They change no stream and no noise; without them nothing of the identity changes."""
    plain, even = curve(CENTRAL, "certified"), curve(CENTRAL, "certified", checkpoints_even=4)
    assert "checkpoints_even" not in plain.identity()
    assert even.identity() == {**plain.identity(), "checkpoints_even": 4}
    assert even.folder != plain.folder
    assert (even.noise_name, even.stream_name({})) == (plain.noise_name, plain.stream_name({}))
    assert even.rounds_at({}).tolist() == [1, 10, 100, 250, 500, 750, 1000]
    assert even.rounds_at({"T": 100.0}).tolist() == [1, 10, 25, 50, 75, 100]
    project = load(write_project(tmp_path, changed(PAPER, f"{S}checkpoints_even", 7)))
    assert {c.checkpoints_even for c in curves(project, project.papers[KEY], "study")} == {7}
    assert {c.checkpoints_even for c in curves(project, project.papers[KEY], "scaling")} == {0}


def test_the_folder_is_named_by_algorithm_calibration_variant_and_id():
    plain, variant = curve(CENTRAL), curve(CENTRAL, variant="wide")
    assert re.fullmatch(f"{CENTRAL}-printed-[0-9a-f]{{8}}", plain.folder)
    assert variant.folder == f"{CENTRAL}-printed-wide-{plain.folder[-8:]}"


@pytest.mark.parametrize(("seeds", "chunk"), [(6, 6), (6, 1), (20_000, 4000), (9, 3)])
def test_the_chunks_cover_the_seeds_exactly(seeds: int, chunk: int):
    covered = [seed for first, last in curve(seeds=seeds, chunk=chunk).chunks() for seed in range(first, last + 1)]
    assert covered == list(range(seeds))
    assert chunk_name(0, 19) == "seeds_0000-0019.parquet"


@pytest.mark.parametrize("what", CHANGES)
def test_noise_is_shared_where_nothing_that_it_answers_differs(what: str):
    """Not the environment either: how much noise a guarantee needs does not depend on the instance."""
    shared = what in ("environment", "checkpoints_per_decade", "replicates", "chunk")
    standard = curve(CENTRAL, "certified")
    changes = CHANGES | {"calibration": "printed"}
    assert (replace(standard, **{what: changes[what]}).noise_name == standard.noise_name) == shared
    assert curve(CENTRAL, "certified", seeds=60, experiment="x").noise_name == standard.noise_name
    assert re.fullmatch(rf"{CENTRAL}-[0-9a-f]{{8}}\.json", standard.noise_name)


def test_noise_that_depends_on_the_environment_is_not_shared_across_it():
    """Of the arguments only those that the algorithm names; one in the grid stands in the points already."""
    standard = curve(CENTRAL, "certified", noise_asks=("dimension",))
    assert standard.noise_name != curve(CENTRAL, "certified").noise_name
    assert standard.identity() == curve(CENTRAL, "certified").identity()
    for argument, shared in (("arms", True), ("dimension", False)):
        other = replace(standard, environment={**standard.environment, argument: 9})
        assert (other.noise_name == standard.noise_name) == shared


def test_streams_depend_on_the_point_and_not_on_what_stands_around_it():
    standard, point = curve(CENTRAL), {"eps": 1.0}
    name = standard.stream_name(point)
    around = {"points": ({"eps": 3.0},), "checkpoints_per_decade": 4, "experiment": "x", "paper": "two2021"}
    for what, value in (*around.items(), ("seeds", 12), ("chunk", 2), ("replicates", 3), ("variant", "wide")):
        assert replace(standard, **{what: value}).stream_name(point) == name
    for what in ("environment", "horizon", "algorithm", "calibration", "parameters"):
        assert replace(standard, **{what: CHANGES[what]}).stream_name(point) != name
    others = [{"eps": 2.0}, *({"eps": 1.0, name: value} for name, value in (("width", 2), ("T", 100), ("arms", 8)))]
    assert len({name, *(standard.stream_name(other) for other in others)}) == 5


def test_streams_do_not_depend_on_where_a_value_is_written():
    """A point that gives the curve's own horizon, arms or constants has the streams of one that does not."""
    standard = curve(CENTRAL)
    name, instance = standard.stream_name({"eps": 1.0}), standard.instance_name({"eps": 1.0})
    for more in ({"T": 1000.0}, {"arms": 4.0, "dimension": 2.0}, {"width": 1.0, "core_factor": 1.5}):
        assert standard.stream_name({"eps": 1.0, **more}) == name
        assert standard.instance_name({"eps": 1.0, **more}) == instance
    moved = replace(
        standard, horizon=10, environment=CHANGES["environment"], parameters={**READING, "core_factor": 9.0}
    )
    assert moved.stream_name({"eps": 1.0, "T": 1000.0, "arms": 4.0, "core_factor": 1.5}) == name


def test_instances_are_shared_by_all_curves_on_one_environment():
    name = curve(PLAIN).instance_name({})
    for point in ({"eps": 1.0}, {"eps": 2.0, "T": 10.0, "width": 0.5}):
        assert curve(CENTRAL).instance_name(point) == curve(PLAIN, horizon=10).instance_name(point) == name
    assert curve(environment=CHANGES["environment"]).instance_name({}) != name
    assert curve(PLAIN).instance_name({"arms": 5.0}) == curve(environment=CHANGES["environment"]).instance_name({})


def test_assumptions_are_the_listed_ones_and_every_assumed_constant_once(tmp_path: Path):
    record = changed(PAPER, f"{S}curves.2.parameters", {"width": ASSUMED})
    paper = load(write_project(tmp_path, record)).papers["one2020"]
    items = [entry["item"] for entry in assumptions(paper)]
    assert items == [
        "reward distribution",
        "core_factor",
        "width (tuned)",
        f"core_factor of {TABLE[CENTRAL].label} in study",
        f"width of {TABLE[LOCAL].label} in study",
    ]
    assert all({"item", "value", "note"} <= set(entry) for entry in assumptions(paper))


def test_closed_forms_are_the_public_functions_with_their_arguments():
    for key in PAPERS:
        module = import_module(f"dpbandits.claims.closed_forms.{key}.functions") if closed_forms(key) else None
        for name, arguments in closed_forms(key).items():
            assert list(signature(getattr(module, name)).parameters) == list(arguments)
    assert not any(name.startswith("_") for key in PAPERS for name in closed_forms(key))
    assert closed_forms("hanna2022")["linkage"] == {"clients": "list[float]", "actions_permuted": "float"}
    assert closed_forms("none1999") == drawings("none1999") == {}


def test_a_paper_without_closed_forms_needs_no_module_of_them():
    paper = load(ROOT).papers["hanna2022"]
    assert dependencies.judge(paper) == ("dpbandits.stages.judge", "dpbandits.claims.closed_forms.hanna2022.functions")
    audited = {name: section for name, section in paper.claims.items() if section.kind == "audit"}
    other = replace(paper, key="none1999", claims=audited)
    assert audited
    assert dependencies.judge(other) == ("dpbandits.stages.judge",)
    assert dependencies.digest(dependencies.judge(other))


def test_every_name_of_a_grid_has_a_range():
    known = {name for family in FAMILIES.values() for name in family.arguments if name not in family.words}
    known -= {"means"}
    assert {"T", *known} == {*GRID_RANGES, *FIXED_RANGES} - {"eps"}
    assert {name for algorithm in TABLE.values() for name in algorithm.grid} <= set(GRID_RANGES)


def test_a_scale_may_have_a_horizon_of_its_own(tmp_path):
    record = changed(PAPER, f"{S}size.quick.horizon", 100)
    root = write_project(tmp_path, changed(record, f"{X}size.quick", {"seeds": 4, "chunk": 2, "horizon": 500}))
    by_scale = {scale: load_project(root, {"scale": scale}) for scale in ("quick", "full")}
    quick, full = (curves(project, project.papers[KEY], "study") for project in by_scale.values())
    assert {c.horizon for c in quick} == {100}
    assert {c.horizon for c in full} == {1000}
    assert {c.folder for c in quick}.isdisjoint(c.folder for c in full)
    project = by_scale["quick"]
    horizons = {c.horizon_at(p) for c in curves(project, project.papers[KEY], "scaling") for p in c.points}
    assert horizons == {100, 500, 1000}, "the grid's own stay, the others follow the scale"
    says = "at the scale quick T = 100 instead of 1000"
    assert other_horizon(project.papers[KEY], "regret", "quick") == says
    assert other_horizon(project.papers[KEY], "regret", "full") == ""


def test_a_scale_may_have_shorter_runs(tmp_path):
    """A longer horizon is replaced by the one that is played, in names as well."""
    record = changed(PAPER, f"{X}size.smoke", {"seeds": 4, "chunk": 2, "longest": 200})
    root = write_project(tmp_path, changed(record, f"{S}size.smoke", {"seeds": 4, "chunk": 2, "longest": 5000}))
    smoke, full = (load_project(root, {"scale": scale}) for scale in ("smoke", "full"))
    short, long = (curves(project, project.papers[KEY], "scaling") for project in (smoke, full))
    assert {c.horizon_at(p) for c in short for p in c.points} == {100, 200}
    assert {c.horizon_at(p) for c in long for p in c.points} == {100, 1000}
    assert {s["T"] for c in short for s in c.settings()} == {100.0, 200.0}
    assert {p["T"] for c in short for p in c.points if "T" in p} == {100.0, 200.0}
    assert all(len(c.points) == len({tuple(p.items()) for p in c.points}) for c in short), "each once"
    assert {c.folder for c in short}.isdisjoint(c.folder for c in long)
    assert {c.horizon_at(p) for c in curves(smoke, smoke.papers[KEY], "study") for p in c.points} == {1000}
    assert other_horizon(smoke.papers[KEY], "regret", "smoke") == "at the scale smoke no run is longer than T = 5000"


def test_a_grid_value_has_no_name_of_an_output(tmp_path, monkeypatch):
    """Tables have a column for both."""
    monkeypatch.setitem(GRID_RANGES, "active", GRID_RANGES["arms"])
    record = changed(PAPER, f"{S}grid", {"eps": [0.5, 1, 10], "active": [1, 2]})
    said = "experiments.study.grid.active: `active` is an output of an algorithm and cannot be a grid value"
    with pytest.raises(ConfigError, match=said):
        load(write_project(tmp_path, record))
