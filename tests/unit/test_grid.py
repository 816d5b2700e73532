"""From sections to curves: cross checks, points, and what name, identity and streams of a curve depend on."""

import re
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from dpbandits.algorithms.table import TABLE
from dpbandits.experiments.config import load_project
from dpbandits.experiments.curves import Curve, chunk_name
from dpbandits.experiments.grid import assumptions, closed_forms, curves, faults, points

from .small import ASSUMED, CENTRAL, FILE, LOCAL, PAPER, PLAIN, ROOT, changed, curve, fault, load, write_project

S, C, F, T = "experiments.study.", "experiments.study.curves.1.", "figures.regret.", "claims.C1.tests."
KNOWN = f"{PLAIN}, {CENTRAL}, {LOCAL}"
ONLY_PRINTED = "'certified' is not allowed; allowed: printed"
NOT_TUNED = "'tuned' is not allowed; allowed: printed, certified"
NOT_RUN = f"{CENTRAL} does not run with it"
ITSELF = "is compared with itself; curves, against and baseline must differ"
RANGE = "is not allowed; [low, high] with low < high, one may be null"

# Path in the paper's YAML, the value that stands there instead, and the whole fault.
FAULTS = [
    (f"{S}size.quick.seeds", 9, f"{S}size.quick.seeds: 9 is not allowed; a multiple of chunk (2) is"),
    (f"{S}size.full.chunk", 40, f"{S}size.full.seeds: 20 is not allowed; a multiple of chunk (40) is"),
    (f"{C}algorithm", "magic", f"{S}curves[1].algorithm: 'magic' is not allowed; allowed: {', '.join(TABLE)}"),
    (f"{C}calibrations", ["tuned"], f"{S}curves[1].calibrations: {NOT_TUNED}"),
    (f"{S}curves.0.calibrations", ["certified"], f"{S}curves[0].calibrations: {ONLY_PRINTED}"),
    (f"{C}parameters.height", 1, f"{S}curves[1].parameters: 'height' is not allowed; allowed: width, core_factor"),
    (f"{C}parameters", {"width": 1}, f"{S}curves[1].parameters.core_factor: is missing"),
    (f"{C}parameters.width", 0, f"{S}curves[1].parameters.width: 0.0 is not allowed; must be > 0"),
    (f"{S}curves.2.algorithm", PLAIN, f"{S}curves[2]: {PLAIN}, printed stands twice; give one of them a variant"),
    (f"{F}experiment", "other", f"{F}experiment: 'other' is not allowed; allowed: study"),
    (f"{F}claims", ["C9"], f"{F}claims: 'C9' is not allowed; allowed: C1"),
    (f"{F}curves.0", "magic", f"{F}curves: 'magic' is not allowed; allowed: {KNOWN}"),
    (f"{F}calibrations.1", "tuned", f"{F}calibrations: {NOT_TUNED}"),
    (f"{F}curves", [PLAIN], f"{F}calibrations: {ONLY_PRINTED}"),
    ("claims.C1.experiment", "other", "claims.C1.experiment: 'other' is not allowed; allowed: study"),
    ("claims.C1.calibrations", ["tuned"], f"claims.C1.calibrations: tuned is not allowed; {NOT_RUN}"),
    (f"{T}0.curves.0", "magic", f"claims.C1.tests[0].curves: 'magic' is not allowed; allowed: {KNOWN}"),
    (f"{T}0.against", "magic", f"claims.C1.tests[0].against: 'magic' is not allowed; allowed: {KNOWN}"),
    (f"{T}2.baseline", "magic", f"claims.C1.tests[2].baseline: 'magic' is not allowed; allowed: {KNOWN}"),
    (f"{T}0.curves", [PLAIN], f"claims.C1.tests[0]: {PLAIN} {ITSELF}"),
    (f"{T}2.baseline", LOCAL, f"claims.C1.tests[2]: {LOCAL} {ITSELF}"),
    (f"{T}3.curves", [PLAIN], f"claims.C1.tests[3].curves: '{PLAIN}' is not allowed; allowed: {CENTRAL}, {LOCAL}"),
    (f"{T}0.at.eps", [3], "claims.C1.tests[0].at.eps: 3 is not allowed; allowed: 0.5, 1, 10"),
    (f"{T}0.bounds", [None, None], f"claims.C1.tests[0].bounds: [None, None] {RANGE}"),
    (f"{T}0.bounds", [2, 1], f"claims.C1.tests[0].bounds: [2, 1] {RANGE}"),
]


@pytest.mark.parametrize(("path", "value", "says"), FAULTS)
def test_what_refers_to_nothing_or_collides_is_a_fault(tmp_path: Path, path, value, says):
    assert fault(write_project(tmp_path, changed(PAPER, path, value))) == f"{FILE}: {says}"


def test_a_parameter_with_an_upper_limit_names_both(tmp_path: Path):
    shuffled = {"algorithm": "phased_elimination_shuffled", "calibrations": ["printed"], "milliseconds": 1}
    record = changed(PAPER, f"{S}curves.2", shuffled | {"parameters": {"width": 1, "delta": 1}})
    says = f"{S}curves[2].parameters.delta: 1.0 is not allowed; must be > 0 and < 1"
    assert fault(write_project(tmp_path, record)) == f"{FILE}: {says}"


def test_a_variant_is_no_curve_of_a_claim(tmp_path: Path):
    record = changed(PAPER, f"{S}curves.2.variant", "wide")
    says = f"claims.C1.tests[1].curves: '{LOCAL}' is not allowed; allowed: {PLAIN}, {CENTRAL}"
    assert fault(write_project(tmp_path, record)) == f"{FILE}: {says}"


def test_all_faults_come_in_the_order_of_the_file(tmp_path: Path):
    record = changed(changed(PAPER, f"{S}size.smoke.seeds", 3), f"{T}0.at.eps", [3, 4])
    paper = load_project(write_project(tmp_path, record)).papers["one2020"]
    keys = [line.partition(":")[0] for line in faults(paper)]
    assert keys == [f"{S}size.smoke.seeds", *["claims.C1.tests[0].at.eps"] * 2]


def test_an_algorithm_without_a_grid_has_a_single_point():
    grid = {"eps": [0.5, 1, 10]}
    assert points(grid, TABLE[PLAIN]) == ({},)
    assert points(grid, TABLE[CENTRAL]) == ({"eps": 0.5}, {"eps": 1.0}, {"eps": 10.0})
    assert points({"eps": [2, 1], "K": [3, 4]}, replace(TABLE[CENTRAL], grid=("eps", "K"))) == tuple(
        {"eps": eps, "K": arms} for eps in (2.0, 1.0) for arms in (3.0, 4.0)
    )


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
        assert every[1].parameters == {"width": 1.0, "core_factor": 1.5}


def test_the_id_does_not_change_with_names_sizes_and_costs(tmp_path: Path):
    project = load(write_project(tmp_path / "a"))
    other = changed(PAPER, f"{S}title", "Another title")
    other = changed(other, f"{C}parameters.core_factor.note", "Another note.")
    other = changed(changed(other, f"{C}milliseconds", 77), f"{S}size.smoke.seeds", 40)
    study = other["experiments"].pop("study")
    other = changed(other, "experiments", {"renamed": study})
    for path in ("figures.regret.experiment", "claims.C1.experiment"):
        other = changed(other, path, "renamed")
    again = load(write_project(tmp_path / "b", other))
    before = curves(project, project.papers["one2020"], "study")
    after = curves(again, again.papers["one2020"], "renamed")
    assert [c.folder for c in before] == [c.folder for c in after]
    same_chunks = curves(replace(project, scale="quick"), project.papers["one2020"], "study")
    assert [c.folder for c in before] == [c.folder for c in same_chunks]
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
    standard, shared = curve(CENTRAL, "certified"), what in ("checkpoints_per_decade", "replicates", "chunk")
    changes = CHANGES | {"calibration": "printed"}
    assert (replace(standard, **{what: changes[what]}).noise_name == standard.noise_name) == shared
    assert curve(CENTRAL, "certified", seeds=60, experiment="x").noise_name == standard.noise_name
    assert re.fullmatch(rf"{CENTRAL}-[0-9a-f]{{8}}\.json", standard.noise_name)


def test_streams_depend_on_the_point_and_not_on_what_stands_around_it():
    standard = curve(CENTRAL)
    setting = next(standard.settings())
    name = standard.stream_name(setting)
    around = {"points": ({"eps": 3.0},), "checkpoints_per_decade": 4, "experiment": "x", "paper": "two2021"}
    for what, value in (*around.items(), ("seeds", 12), ("chunk", 2), ("replicates", 3), ("variant", "wide")):
        assert replace(standard, **{what: value}).stream_name(setting) == name
    for what in ("environment", "horizon", "algorithm", "calibration"):
        assert replace(standard, **{what: CHANGES[what]}).stream_name(setting) != name
    assert standard.stream_name({**setting, "eps": 2.0}) != name
    assert standard.stream_name({**setting, "width": 2.0}) != name


def test_instances_are_shared_by_all_curves_on_one_environment():
    assert curve(CENTRAL).instance_name() == curve(PLAIN, horizon=10).instance_name()
    assert curve(environment=CHANGES["environment"]).instance_name() != curve().instance_name()


def test_assumptions_are_the_listed_ones_and_every_assumed_constant_once(tmp_path: Path):
    record = changed(PAPER, f"{S}curves.2.parameters.width", ASSUMED)
    paper = load(write_project(tmp_path, record)).papers["one2020"]
    items = [entry["item"] for entry in assumptions(paper)]
    assert items == [
        "reward law",
        f"core_factor of {TABLE[CENTRAL].label} in study",
        f"width of {TABLE[LOCAL].label} in study",
    ]
    assert all({"item", "value", "note"} <= set(entry) for entry in assumptions(paper))


def test_closed_forms_are_the_public_functions_with_their_arguments():
    for key in load(ROOT).papers:
        module = import_module(f"dpbandits.claims.analytic.{key}") if closed_forms(key) else None
        for name, arguments in closed_forms(key).items():
            assert list(signature(getattr(module, name)).parameters) == arguments
    assert "_last_batch" not in closed_forms("hanna2022")
    assert closed_forms("none1999") == {}
