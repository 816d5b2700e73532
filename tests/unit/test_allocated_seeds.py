"""Seeds that the allocation of a paper gives, and the scale of the pilot that leads to it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpbandits.config.allocations import MOST_CHUNKS
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.grid import curves, every_curve
from dpbandits.config.loading import load_project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning.bundles import aggregations, simulations

from .small import CENTRAL, CLAIM, CONFIG, DELETE, FILE, KEY, LOCAL, PAPER, PLAIN, changed, write_project

ALLOCATION = f"config/allocations/{KEY}.yaml"
SIZE = "experiments.study.size."
SIZED: Any = changed(
    changed(PAPER, f"{SIZE}full", {"seeds": "allocated", "chunk": 10, "pilot": 30}), f"{SIZE}quick.seeds", "allocated"
)
REVISED = f"{SIZE}full.revised"
REVISED_QUICK = f"{SIZE}quick.revised"
NUMBERS = {"quick": {"study": {"printed": 6, "certified": 8}}, "full": {"study": {"printed": 40, "certified": 60}}}
QUICK = {"quick": NUMBERS["quick"]}
RUN = f"Run `dpbandits allocate {KEY}`."


def project(root: Path, numbers: Any = NUMBERS, record: Any = SIZED, config: Any = CONFIG) -> Path:
    """A project whose experiment `study` has allocated seeds, of two calibrations."""
    write_project(root, record, config=config)
    if numbers is not None:
        (root / ALLOCATION).parent.mkdir(exist_ok=True)
        text = numbers if isinstance(numbers, str) else yaml.safe_dump(numbers, sort_keys=False)
        (root / ALLOCATION).write_text(text, encoding="utf-8")
    return root


def faults(root: Path, **given: Any) -> list[str]:
    try:
        load_and_check(root, given, instances=False)
    except ConfigError as error:
        return list(error.faults)
    return []


def seeds_of(root: Path, scale: str = "full", experiment: str = "study") -> dict[str, int]:
    """The number of seeds of every curve of an experiment, by the name that tests give it."""
    found = load_project(root, {"scale": scale})
    every = curves(found, found.papers[KEY], experiment)
    return {f"{c.algorithm}{c.variant and ':'}{c.variant}@{c.calibration}": c.seeds for c in every}


@pytest.mark.parametrize(
    ("scale", "printed", "certified"), [("smoke", 4, 4), ("quick", 6, 8), ("full", 40, 60), ("pilot", 30, 30)]
)
def test_a_curve_has_the_allocated_seeds_of_its_calibration(tmp_path: Path, scale, printed, certified):
    """All claims here are about printed constants, so that the baseline stands for no other."""
    load_and_check(project(tmp_path), {"scale": scale}, instances=False)
    assert seeds_of(tmp_path, scale) == {
        f"{PLAIN}@printed": printed,
        f"{CENTRAL}@printed": printed,
        f"{CENTRAL}@certified": certified,
        f"{LOCAL}@printed": printed,
    }
    assert set(seeds_of(tmp_path, "full", "scaling").values()) == {4}, "a number of the paper is that of all curves"


@pytest.mark.parametrize(
    ("scale", "printed", "certified"), [("smoke", 4, 4), ("quick", 6, 8), ("full", 40, 90), ("pilot", 30, 30)]
)
def test_a_revised_number_replaces_the_allocated_one_at_full_alone(tmp_path: Path, scale, printed, certified):
    load_and_check(project(tmp_path, record=changed(SIZED, REVISED, {"certified": 90})), {"scale": scale})
    found = seeds_of(tmp_path, scale)
    assert (found[f"{CENTRAL}@printed"], found[f"{CENTRAL}@certified"]) == (printed, certified)


def test_a_revised_number_replaces_the_allocated_one_at_quick_alone(tmp_path: Path):
    load_and_check(project(tmp_path, record=changed(SIZED, REVISED_QUICK, {"certified": 12})), {"scale": "quick"})
    assert seeds_of(tmp_path, "quick")[f"{CENTRAL}@certified"] == 12
    assert seeds_of(tmp_path, "quick")[f"{CENTRAL}@printed"] == 6
    assert seeds_of(tmp_path, "full")[f"{CENTRAL}@certified"] == 60


@pytest.mark.parametrize(("revised", "expected"), [(90, 90), (20, 40)])
def test_a_curve_that_stands_for_a_revised_calibration_has_the_larger_number(tmp_path: Path, revised, expected):
    """The allocated numbers are 40 and 60: a revised one counts even where it is less than those."""
    record = changed(SIZED, "claims.C3", {**CLAIM, **compared(PLAIN)})
    found = seeds_of(project(tmp_path, record=changed(record, REVISED, {"certified": revised})))
    assert (found[f"{PLAIN}@printed"], found[f"{CENTRAL}@certified"]) == (expected, revised)


def test_a_revised_number_replaces_a_fixed_one(tmp_path: Path):
    record = changed(SIZED, "experiments.scaling.size.full.revised", {"tuned": 8})
    load_and_check(project(tmp_path, record=record), {"scale": "full"})
    found = seeds_of(tmp_path, "full", "scaling")
    assert {seeds for name, seeds in found.items() if name.endswith("@tuned")} == {8}
    assert {seeds for name, seeds in found.items() if name.endswith("@certified")} == {4}


def compared(against: str, **more: Any) -> dict[str, Any]:
    """What a claim about certified constants has of its own: the central algorithm is compared with a curve."""
    test = {"reading": "r", "predicate": "ratio_between", "curves": [CENTRAL], "against": against}
    return {"calibrations": ["certified"], "tests": [{**test, "at": {"eps": [1]}, "bounds": [None, 2], **more}]}


ALONE = {"reading": "r", "predicate": "decreasing", "curves": [CENTRAL], "at": {"eps": [0.5, 1]}, "bounds": [None, 1]}
WORDS = {"note": "With certified constants.", "subject": "paper"}
MEASURED = {"says": "It.", "experiment": "study", **compared(PLAIN)}
MEASURED["tests"] = [{name: value for name, value in MEASURED["tests"][0].items() if name != "bounds"}]


@pytest.mark.parametrize(
    ("place", "section", "larger"),
    [
        ("claims.C3", {**CLAIM, **compared(PLAIN)}, {f"{PLAIN}@printed"}),
        ("claims.C3", {**CLAIM, **compared(f"{CENTRAL}@printed")}, {f"{CENTRAL}@printed"}),
        ("claims.C3", {**CLAIM, **compared(f"{LOCAL}@printed", baseline=PLAIN, predicate="excess_ratio_between")},
         {f"{LOCAL}@printed", f"{PLAIN}@printed"}),
        ("claims.C3", {**CLAIM, "calibrations": ["certified"], "tests": [ALONE]}, set()),
        ("claims.C1.variants", {"private": {**WORDS, **compared(PLAIN)}}, {f"{PLAIN}@printed"}),
        ("measurements.levels", MEASURED, {f"{PLAIN}@printed"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("printed", "certified"), [(40, 60), (60, 40)])
def test_a_curve_that_is_compared_at_another_calibration_has_the_larger_number(
    tmp_path: Path, place, section, larger, printed, certified
):
    """A baseline whose printed runs stand for certified ones, or a curve that a test names with its calibration."""
    numbers = {**NUMBERS, "full": {"study": {"printed": printed, "certified": certified}}}
    project(tmp_path, numbers, changed(SIZED, place, section))
    load_and_check(tmp_path, {"scale": "full"}, instances=False)
    own = {f"{name}@printed": printed for name in (PLAIN, CENTRAL, LOCAL)} | {f"{CENTRAL}@certified": certified}
    assert seeds_of(tmp_path) == own | dict.fromkeys(larger, 60)


def test_a_claim_about_another_experiment_changes_no_seeds_here(tmp_path: Path):
    project(tmp_path, record=changed(SIZED, "claims.C3", {**CLAIM, **compared(PLAIN), "experiment": "scaling"}))
    assert seeds_of(tmp_path)[f"{PLAIN}@printed"] == 40


@pytest.mark.parametrize("numbers", [(40, 60), (60, 40)])
def test_a_bound_has_the_largest_number_of_all_calibrations(tmp_path: Path, numbers):
    record = changed(SIZED, "experiments.study.bounds", [{"bound": "contextual_rate"}])
    full = {"study": dict(zip(("printed", "certified"), numbers, strict=True))}
    found = seeds_of(project(tmp_path, {**NUMBERS, "full": full}, record))
    assert (found["contextual_rate@printed"], found[f"{PLAIN}@printed"]) == (60, numbers[0])


def test_the_pilot_plays_what_full_plays_under_a_root_seed_of_its_own(tmp_path: Path):
    longest = changed(SIZED, f"{SIZE}full.longest", 500)
    full, pilot = (load_project(project(tmp_path, record=longest), {"scale": scale}) for scale in ("full", "pilot"))
    assert (full.root_seed, pilot.root_seed) == (CONFIG["root_seed"], CONFIG["pilot_seed"])
    paper = pilot.papers[KEY]
    assert curves(pilot, paper, "study") == tuple(replace(c, seeds=30) for c in curves(full, full.papers[KEY], "study"))
    assert paper.cpu_budget is not None
    assert paper.cpu_budget.at("pilot") == paper.cpu_budget.full


def test_an_experiment_without_a_pilot_is_not_played_there(tmp_path: Path):
    found = load_project(project(tmp_path), {"scale": "pilot"})
    paper = found.papers[KEY]
    assert paper.played("pilot") == ["study"]
    assert paper.played("full") == ["study", "scaling"]
    assert {curve.experiment for curve in every_curve(found, paper)} == {"study"}
    assert aggregations(found, paper) == [["study"]]
    assert {chunk.curve.experiment for job in simulations(found, paper) for chunk in job} == {"study"}


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        (
            None,
            f"{ALLOCATION}: does not exist, but `experiments.study.size.quick.seeds` of the paper is `allocated`. "
            f"{RUN}",
        ),
        (QUICK, f"{ALLOCATION}:1: full.study: required key is missing. {RUN}"),
        (
            {**QUICK, "full": {**NUMBERS["full"], "studdy": {"printed": 20}}},
            f"{ALLOCATION}:9: full.studdy: unknown experiment `studdy`. {RUN}",
        ),
        (
            {**NUMBERS, "quick": {**NUMBERS["quick"], "scaling": {"printed": 4}}},
            f"{ALLOCATION}:5: quick.scaling: `experiments.scaling.size.quick.seeds` of the paper is a number. {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {"printed": 40}}},
            f"{ALLOCATION}:6: full.study.certified: required key is missing. {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {**NUMBERS["full"]["study"], "tuned": 20}}},
            f"{ALLOCATION}:9: full.study.tuned: unknown calibration of the experiment `tuned`. {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {**NUMBERS["full"]["study"], "tunned": 20}}},
            f"{ALLOCATION}:6: full.study: got the name 'tunned'; "
            f"must be one of: printed, released, tuned, certified. {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {"printed": 40, "certified": 45}}},
            f"{ALLOCATION}:8: full.study.certified: got 45; must be a multiple of `chunk` (10). {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {"printed": 10 * MOST_CHUNKS + 10, "certified": 60}}},
            f"{ALLOCATION}:7: full.study.printed: got 100010; must be at most 100000 (10000 times `chunk`). {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {"printed": "many", "certified": 60}}},
            f"{ALLOCATION}:7: full.study.printed: got 'many'; must be a whole number. {RUN}",
        ),
        (
            {**QUICK, "full": {"study": {"printed": 40, "certified": 1}}},
            f"{ALLOCATION}:8: full.study.certified: got 1; must be >= 2. {RUN}",
        ),
        ({**QUICK, "full": {"study": 40}}, f"{ALLOCATION}:6: full.study: got 40; must be a mapping. {RUN}"),
        (
            {**QUICK, "full": {"study": {}}},
            f"{ALLOCATION}:6: full.study: got {{}}; must have at least one entry. {RUN}",
        ),
        ({**NUMBERS, "smoke": {"study": {"printed": 4}}}, f"{ALLOCATION}:9: smoke: unknown key. {RUN}"),
        ([1], f"{ALLOCATION}:1: (top): got [1]; must be a mapping. {RUN}"),
        ("", f"{ALLOCATION}:1: (top): got null; must be a mapping. {RUN}"),
        ("full: {study: 40\n", f"{ALLOCATION}:2: did not find expected ',' or '}}'. {RUN}"),
        ("full: *x", f"{ALLOCATION}:1: the alias *x is not allowed. {RUN}"),
    ],
)
def test_a_fault_of_an_allocation_is_one_line_and_the_pilot_runs_nevertheless(tmp_path: Path, numbers, says):
    root = project(tmp_path, numbers)
    assert faults(root) == [says]
    assert faults(root, scale="pilot") == []
    with pytest.raises(ConfigError) as caught:  # also where the pilot has found the paper valid before
        load_and_check(root, {}, known={KEY}, instances=False)
    assert caught.value.faults == (says,)


def test_every_fault_of_an_allocation_is_a_line_of_its_own(tmp_path: Path):
    numbers = {"quick": {"study": {"printed": 6, "tuned": 8}}, "full": {"study": {"printed": 45, "certified": 5}}}
    assert [fault.split(": ", 1)[1].removesuffix(f". {RUN}") for fault in faults(project(tmp_path, numbers))] == [
        "quick.study.certified: required key is missing",
        "quick.study.tuned: unknown calibration of the experiment `tuned`",
        "full.study.printed: got 45; must be a multiple of `chunk` (10)",
        "full.study.certified: got 5; must be a multiple of `chunk` (10)",
    ]


def test_a_calibration_without_an_allowed_number_has_the_smallest_size_until_then(tmp_path: Path):
    """As `dpbandits allocate` finds it, which needs no allocation: 30 seeds in the pilot, and chunks of 10."""
    numbers = {**QUICK, "full": {"study": {"printed": 45, "certified": 60}}}
    paper = load_project(project(tmp_path, numbers), {"scale": "pilot"}).papers[KEY]
    assert paper.allocated == {**QUICK, "full": {"study": {"printed": None, "certified": 60}}}
    assert paper.experiments["study"].size.full.seeds == {"printed": 10, "certified": 60}
    assert paper.experiments["study"].size.full.number == 60
    assert paper.experiments["study"].size.quick.seeds == {"printed": 6, "certified": 8}


def test_an_allocation_of_a_paper_without_allocated_seeds_is_one_line(tmp_path: Path):
    """`dpbandits allocate` refuses such a paper, so that it is no remedy."""
    says = f"{ALLOCATION}: no size of the paper has `seeds: allocated`. Delete this file."
    assert faults(project(tmp_path, record=PAPER)) == [says]


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "full.pilot",
            DELETE,
            "full.pilot: required key is missing. Add a number of seeds, because `size.quick.seeds` is `allocated`.",
        ),
        ("full.pilot", 25, "full.pilot: got 25; must be a multiple of `chunk` (10). Use 20 or 30."),
        ("full.pilot", 1, "full.pilot: got 1; must be >= 8, because fewer seeds give no verdict"),
        (
            "full",
            {"seeds": "allocated", "chunk": 7, "pilot": 7},
            "full.pilot: got 7; must be >= 8, because fewer seeds give no verdict",
        ),
        (
            "full",
            {"seeds": "allocated", "chunk": 7, "pilot": 9},
            "full.pilot: got 9; must be a multiple of `chunk` (7). Use 14.",
        ),
        ("full.pilot", "allocated", "full.pilot: got 'allocated'; must be a whole number"),
        ("full.revised", {}, "full.revised: got {}; must have at least one entry"),
        ("full.revised", {"tuned": 40}, "full.revised: got 'tuned'; must be one of: printed, certified"),
        (
            "full.revised",
            {"certified": 45},
            "full.revised.certified: got 45; must be a multiple of `chunk` (10). Use 40 or 50.",
        ),
        ("full.revised", {"certified": 1}, "full.revised.certified: got 1; must be >= 2"),
        ("quick.revised", {"tuned": 8}, "quick.revised: got 'tuned'; must be one of: printed, certified"),
        (
            "quick.revised",
            {"certified": 7},
            "quick.revised.certified: got 7; must be a multiple of `chunk` (2). Use 6 or 8.",
        ),
        ("smoke.revised", {"printed": 4}, "smoke.revised: unknown key. Use one of: chunk, horizon, longest, seeds"),
        ("quick.pilot", 4, "quick.pilot: unknown key. Use one of: chunk, horizon, longest, revised, seeds"),
        ("smoke.seeds", "allocated", "smoke.seeds: got 'allocated'; must be a whole number"),
        ("quick.seeds", "alocated", "quick.seeds: got 'alocated'; must be a whole number or `allocated`"),
        ("quick.seeds", 2.5, "quick.seeds: got 2.5; must be a whole number"),
        ("quick.seeds", 1, "quick.seeds: got 1; must be >= 2"),
    ],
)
def test_a_fault_of_a_size_is_one_line(tmp_path: Path, path, value, says):
    (fault,) = faults(project(tmp_path, record=changed(SIZED, f"{SIZE}{path}", value)))
    name, line, says_found = fault.split(":", 2)
    assert (name, says_found.strip()) == (FILE, f"{SIZE}{says}")
    assert int(line) > 1


def test_other_faults_of_a_file_do_not_hide_behind_a_wrong_size(tmp_path: Path):
    record = changed(changed(SIZED, f"{SIZE}smoke.seeds", 1), f"{SIZE}full.chunk", 0)
    record = changed(record, "claims.C1.experiment", "studio")
    keys = [fault.split(": ")[1] for fault in faults(project(tmp_path, record=record))]
    assert keys == [f"{SIZE}smoke.seeds", f"{SIZE}full.chunk", "claims.C1.experiment"]


def test_the_pilot_has_another_root_seed(tmp_path: Path):
    root = project(tmp_path, config={**CONFIG, "pilot_seed": CONFIG["root_seed"]})
    says = f"got {CONFIG['root_seed']}; must differ from `root_seed`. Use another number."
    assert [fault.split(": ", 1)[1] for fault in faults(root)] == [f"pilot_seed: {says}"]
