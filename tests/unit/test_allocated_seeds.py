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

from .small import CONFIG, DELETE, FILE, KEY, PAPER, changed, write_project

ALLOCATION = f"config/allocations/{KEY}.yaml"
SIZE = "experiments.study.size."
SIZED: Any = changed(
    changed(PAPER, f"{SIZE}full", {"seeds": "allocated", "chunk": 10, "pilot": 30}), f"{SIZE}quick.seeds", "allocated"
)
NUMBERS = {"quick": {"study": 6}, "full": {"study": 40}}
RUN = f"Run `dpbandits allocate {KEY}`."


def project(root: Path, numbers: Any = NUMBERS, record: Any = SIZED, config: Any = CONFIG) -> Path:
    """A project whose experiment `study` has allocated seeds."""
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


@pytest.mark.parametrize(("scale", "seeds"), [("smoke", 4), ("quick", 6), ("full", 40), ("pilot", 30)])
def test_a_scale_has_the_allocated_seeds(tmp_path: Path, scale, seeds):
    found = load_and_check(project(tmp_path), {"scale": scale}, instances=False)
    assert {curve.seeds for curve in curves(found, found.papers[KEY], "study")} == {seeds}


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
        ({"quick": {"study": 6}}, f"{ALLOCATION}:1: full.study: required key is missing. {RUN}"),
        (
            {**NUMBERS, "full": {"study": 40, "studdy": 20}},
            f"{ALLOCATION}:5: full.studdy: unknown experiment `studdy`. {RUN}",
        ),
        (
            {**NUMBERS, "quick": {"study": 6, "scaling": 4}},
            f"{ALLOCATION}:3: quick.scaling: `experiments.scaling.size.quick.seeds` of the paper is a number. {RUN}",
        ),
        (
            {**NUMBERS, "full": {"study": 45}},
            f"{ALLOCATION}:4: full.study: got 45; must be a multiple of `chunk` (10). {RUN}",
        ),
        (
            {**NUMBERS, "full": {"study": 10 * MOST_CHUNKS + 10}},
            f"{ALLOCATION}:4: full.study: got 100010; must be at most 100000 (10000 times `chunk`). {RUN}",
        ),
        (
            {**NUMBERS, "full": {"study": "many"}},
            f"{ALLOCATION}:4: full.study: got 'many'; must be a whole number. {RUN}",
        ),
        ({**NUMBERS, "full": {"study": 1}}, f"{ALLOCATION}:4: full.study: got 1; must be >= 2. {RUN}"),
        ({**NUMBERS, "smoke": {"study": 4}}, f"{ALLOCATION}:5: smoke: unknown key. {RUN}"),
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
        ("quick.pilot", 4, "quick.pilot: unknown key. Use one of: chunk, horizon, longest, seeds"),
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
