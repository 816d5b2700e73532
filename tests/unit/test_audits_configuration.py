"""Sections of audits: every fault is one line, and cells are what the section says."""

from dataclasses import replace
from itertools import combinations

import pytest

from dpbandits.base.streams import ROLES, generator
from dpbandits.config.loading import load_project
from dpbandits.config.models.claims import Audit
from dpbandits.planning.audits import cells, described, in_range, seconds_of, sections_of, trials_of
from dpbandits.planning.cells import Cell
from dpbandits.stages.audit import CHUNK, scores_of

from . import small
from .small import ASSUMED, CENTRAL, CLAIM, CONFIG, DELETE, LOCAL, changed, fault, faults_of, load, said, write_project

KEY = "hanna2022"  # whose releases the sample has
FILE = f"config/papers/{KEY}.yaml"
AUDIT = {
    "title": "sums",
    "says": "Sums.",
    "where": "Theorem 1",
    "release": "sums",
    "target": "mechanism",
    "domain": "rewards",
    "neighbors": "one reward",
    "inputs": "0 or 1",
    "view": "the sum",
    "proof": ["laplace", "batches"],
    "algorithms": [CENTRAL, LOCAL],
    "calibrations": ["printed", "tuned", "certified"],
    "constants": {"tolerance": 0.25, "extra_batches": 2, "T": 500},
    "grid": {
        "smoke": {"eps": [1]},
        "quick": {"eps": [1, 5], "extra_batches": [3]},
        "full": [{"eps": [1, 10]}, {"eps": [1], "delta": [0.1]}],
    },
    "trials": {"smoke": 2000, "quick": 2000, "full": 200000},
    "milliseconds": {"smoke": 10, "quick": 20, "full": 30},
}
SHUFFLED = {**AUDIT, "release": "shuffled", "algorithms": [small.SHUFFLED], "calibrations": ["printed"], "note": "Few."}
TEST = {"reading": "epsilon", "audit": "sums", "bounds": [None, 1]}
READS = {**{name: value for name, value in CLAIM.items() if name != "experiment"}, "kind": "audit", "tests": [TEST]}
PAPER = {
    **small.PAPER,
    "constants": {**small.PAPER["constants"], "delta": 1e-6},
    "audits": {"sums": AUDIT, "shuffled": SHUFFLED},
    "claims": {**small.PAPER["claims"], "C3": {**READS, "calibrations": ["printed", "certified"]}},
}


def written(root, paper=PAPER):
    return write_project(root, paper, {**CONFIG, "papers": [KEY]}, KEY)


def project_of(root, paper=PAPER, scale="quick"):
    return load_project(written(root, paper), {"scale": scale})


def cells_of(root, paper=PAPER, scale="quick", audit="sums"):
    project = project_of(root, paper, scale)
    return cells(project, project.papers[KEY], audit)


# Faults


S, T = "audits.sums.", "claims.C3.tests.0."
TEXT = "must be text that is not empty"
MISSING = (
    *("title", "says", "where", "release", "domain", "neighbors", "inputs", "view"),
    *("algorithms", "grid", "trials", "calibrations", "milliseconds"),
)
FAULTS = [
    ("audits", [AUDIT], "got [{'title': ..."),
    (f"{S}release", "summs", "unknown function `summs`. Did you mean `sums`? Use one of: sums, reports, ..."),
    (f"{S}release", "batch_sizes", "unknown function `batch_sizes`. Use one of: sums, reports, ..."),
    (f"{S}algorithms", ["magic"], "unknown algorithm `magic`. See: dpbandits list algorithms"),
    (f"{S}algorithms", [], "got []; must have at least one entry"),
    (f"{S}calibrations", ["released"], "got 'released'; must be one of: printed, tuned, certified"),
    (f"{S}calibrations", [], "got []; must have at least one entry"),
    (f"{S}target", "both", "got 'both'; must be one of: mechanism, actions, statement"),
    *[(f"{S}{name}", DELETE, "required key is missing. Add it.") for name in MISSING],
    (f"{S}target", DELETE, "required key is missing. Add one of: mechanism, actions, statement."),
    *[
        (f"{S}{name}", "", f"got ''; {TEXT}")
        for name in ("title", "says", "where", "domain", "neighbors", "inputs", "view")
    ],
    (f"{S}note", "", f"got ''; {TEXT}"),
    (f"{S}proof", [], "got []; must have at least one entry"),
    (f"{S}proof", ["laplac"], "unknown theorem `laplac`. Did you mean `laplace`? Use one of: ..."),
    (f"{S}proof", DELETE, "required key is missing. Add the theorems that prove the certified noise."),
    (f"{S}seeds", 3, "unknown key. Use one of: algorithms, calibrations, constants, delta, domain, ..."),
    (f"{S}delta", 1, "got 1; must be < 1"),
    (f"{S}delta", -0.1, "got -0.1; must be >= 0"),
    (f"{S}constants.T", "long", "got 'long'; must be a number"),
    (
        f"{S}constants.widht",
        1,
        "unknown constant `widht`. Did you mean `width`? See: dpbandits list constants",
    ),
    (f"{S}grid.smoke.layer", [1], "unknown grid value `layer`. Use one of: ..."),
    (f"{S}theorem", {}, "got {}; must have at least one entry"),
    (f"{S}grid.smoke", DELETE, "required key is missing. Add it."),
    (f"{S}grid.smoke.eps", [], "got []; must have at least one entry"),
    (f"{S}grid.smoke.eps.0", -1, "got -1; must be >= 0"),
    (f"{S}trials.quick", 399, "got 399; must be >= 400"),
    (f"{S}trials.quick", 1000001, "got 1000001; must be <= 1000000"),
    (f"{S}trials.quick", 2000.5, "got 2000.5; must be a whole number"),
    (f"{S}trials.full", DELETE, "required key is missing. Add it."),
    (f"{S}milliseconds.full", 0, "got 0; must be > 0"),
    (f"{T}audit", "trees", "unknown audit `trees`. Use one of: sums, shuffled"),
    (f"{T}audit", DELETE, "required key is missing. Add it."),
    (
        f"{T}algorithms",
        ["phased_elimination"],
        "unknown algorithm `phased_elimination`. Did you mean `phased_elimination_local`? Use ...",
    ),
    (f"{T}within", {}, "got {}; must have at least one entry"),
    (f"{T}bounds", [None, None], "got [null, null]; must be [low, high] with low < high; one of them may be null"),
    (f"{T}bounds", [2, 1], "got [2, 1]; must be [low, high] with low < high; one of them may be null"),
    (f"{T}at", {"eps": [1]}, "unknown key. Use one of: algorithms, audit, bounds, calibrations, reading, within"),
]
ELSEWHERE = [
    (f"{S}theorem", {"eps": [2, 1]}, f"{S}theorem.eps: got [2, 1]; must be [low, high] with low < high; ..."),
    (f"{S}theorem", {"delta": [None, 0.1]}, f"{S}theorem.delta: every point of `grid` must have `delta`. ..."),
    (f"{S}grid.quick", {"T": [100]}, f"{S}grid.quick.eps: required key is missing. Add values > 0."),
    (f"{S}grid.quick", {"eps": [1], "T": [0]}, f"{S}grid.quick.T: got 0; must be a whole number ..."),
    (f"{S}grid.quick.eps", [1, 0], f"{S}grid.quick.eps: got 0; must be > 0"),
    (f"{S}grid.full", [{"eps": [1]}, {"T": [100]}], f"{S}grid.full.eps: required key is missing. Add values > 0."),
    (f"{S}grid.full.1.delta", [0.1, 1], f"{S}grid.full.delta: got 1; must be >= 0 and < 1"),
    (f"{S}algorithms", ["anytime_lazy_ucb"], f"{S}calibrations: got 'tuned'; must be `printed`"),
    (f"{T}within", {"eps": [2, None]}, "claims.C3.tests[0].within.eps: got [2, null]; no grid point of the audit ..."),
    (f"{T}within", {"arms": [2, 9]}, "claims.C3.tests[0].within.arms: got [2, 9]; no grid point of the audit ..."),
    (f"{S}theorem", {"eps": [2, None]}, "audits.sums.theorem.eps: got [2, null]; no grid point of the audit ..."),
    ("claims.C3.breaks", {"print": "A step."}, "claims.C3.breaks: got the name 'print'; must be one of: ..."),
    ("claims.C3.breaks", {"printed": ""}, f"claims.C3.breaks.printed: got ''; {TEXT}"),
    (f"{T}audit", "shuffled", "claims.C3.tests[0].audit: the audit `shuffled` is not run at ..."),
    ("audits", DELETE, "claims.C3.tests[0].audit: unknown audit `sums`; there are none to choose from"),
    ("claims.C3.experiment", "study", "claims.C3.experiment: got 'study'; this kind does not use this key. Delete it."),
    ("claims.C3.kind", "analytic", "claims.C3.tests[0].audit: unknown key. Use one of: arguments, bounds, ..."),
]  # fmt: skip


def line_of(path):
    """`claims.C3.tests[0].audit` for `claims.C3.tests.0.audit`."""
    key = ""
    for part in path.split("."):
        key += f"[{part}]" if part.isdigit() else f".{part}" if key else part
    return key


def check(root, says):
    """Whether a line says so; a text that ends in three points is the beginning of it."""
    assert said(root, f"{FILE}: {says}"), faults_of(root)


@pytest.mark.parametrize(
    ("path", "value", "says"), FAULTS, ids=lambda each: "deleted" if each is DELETE else str(each)[:40]
)
def test_every_fault_is_one_line(tmp_path, path, value, says):
    check(written(tmp_path, changed(PAPER, path, value)), f"{line_of(path)}: {says}")


@pytest.mark.parametrize(
    ("path", "value", "says"), ELSEWHERE, ids=lambda each: "deleted" if each is DELETE else str(each)[:40]
)
def test_a_fault_that_shows_at_another_key(tmp_path, path, value, says):
    check(written(tmp_path, changed(PAPER, path, value)), says)


def test_the_sample_has_no_fault(tmp_path):
    project = load(written(tmp_path))
    assert sections_of(project) == [(KEY, "sums"), (KEY, "shuffled")]
    ranged = changed(PAPER, f"{T}within", {"eps": [None, 1]})
    assert fault(written(tmp_path, changed(ranged, f"{T}algorithms", [CENTRAL]))) == ""


@pytest.mark.parametrize("name", ["Sums", "a/b", "1", "sums\n"])
def test_a_name_that_could_not_be_part_of_a_file_name_is_refused(tmp_path, name):
    says = f"audits: got the name {name!r}; must be lower-case letters, digits and underscores that start with a letter"
    check(written(tmp_path, changed(PAPER, "audits", {name: AUDIT, "sums": AUDIT})), says)


# Cells


def test_cells_come_algorithm_by_algorithm_and_calibration_by_calibration(tmp_path):
    found = cells_of(tmp_path)
    assert [(each.algorithm, each.calibration, each.eps) for each in found] == [
        (algorithm, calibration, eps)
        for algorithm in (CENTRAL, LOCAL)
        for calibration in ("printed", "tuned", "certified")
        for eps in (1, 5)
    ]
    assert {(each.audit, each.release, each.target) for each in found} == {(f"{KEY}/sums", "sums", "mechanism")}
    assert [each.point for each in found[:2]] == [{"eps": 1, "extra_batches": 3}, {"eps": 5, "extra_batches": 3}]
    assert [each.eps for each in cells_of(tmp_path, scale="smoke")] == [1] * 6
    assert [each.point for each in cells_of(tmp_path, scale="full")[:3]] == [
        *({"eps": 1}, {"eps": 10}, {"eps": 1, "delta": 0.1}),
    ]


def test_the_point_overrules_the_section_and_this_the_calibration_and_this_the_paper(tmp_path):
    paper = changed(PAPER, "calibrations.tuned", {"width": {**ASSUMED, "value": 0.5}, "tolerance": 0.75})
    printed, tuned = (cells_of(tmp_path, paper)[place].setting for place in (0, 2))
    assert printed["width"] == 1.0  # of the paper
    assert printed["core_factor"] == 1.5  # its value alone
    assert tuned["width"] == 0.5  # of the calibration
    assert tuned["tolerance"] == printed["tolerance"] == 0.25  # of the section
    assert tuned["extra_batches"] == printed["extra_batches"] == 3  # of the point
    assert cells_of(tmp_path, paper, "smoke")[0].setting["extra_batches"] == 2
    assert tuned == {
        **{"width": 0.5, "extra_batches": 3, "tolerance": 0.25, "whole_maximum": 0.0, "reward_sd": 0.0},
        **{"core_factor": 1.5, "delta": 1e-6, "T": 500, "eps": 1},
    }


def test_claimed_is_the_delta_of_the_section_or_that_of_the_setting_or_none(tmp_path):
    assert [cell.delta for cell in cells_of(tmp_path, scale="full")[:3]] == [1e-6, 1e-6, 0.1]  # paper, paper, point
    own = cells_of(tmp_path, changed(PAPER, f"{S}constants.delta", 0.01), "full")
    assert [cell.delta for cell in own[:3]] == [0.01, 0.01, 0.1]
    for claimed in (0, 0.2):
        found = cells_of(tmp_path, changed(PAPER, f"{S}delta", claimed), "full")
        assert {cell.delta for cell in found} == {float(claimed)}
        assert [cell.setting["delta"] for cell in found[:3]] == [1e-6, 1e-6, 0.1]  # what the noise is for stays
    without = changed(changed(PAPER, "constants.delta", DELETE), "claims", {"C3": PAPER["claims"]["C3"]})
    assert {cell.delta for cell in cells_of(tmp_path, without)} == {0.0}


@pytest.mark.parametrize(
    ("given", "eps", "trials"),
    [
        (2000, 0.1, 2000),
        (2000, 4.6, 2000),  # 20 e^4.6 = 1989.7
        (2000, 4.61, 2009),  # 2009.68
        (2000, 5.0, 2968),  # 2968.26
        (20_000, 10.0, 440_529),  # 440529.3
        (500_000, 10.0, 500_000),
        (2000, 10.8, 980_416),  # 980416.0
        (2000, 10.82, 1_000_000),  # 1000221
        (2000, 1e9, 1_000_000),
    ],
)
def test_trials_are_so_many_that_the_claimed_epsilon_could_be_seen(given, eps, trials):
    assert trials_of(given, eps) == trials


def test_cells_have_the_trials_and_the_cost_of_their_scale(tmp_path):
    assert [cell.trials for cell in cells_of(tmp_path)[:2]] == [2000, 2968]
    assert [cell.trials for cell in cells_of(tmp_path, scale="full")[:2]] == [200_000, 440_529]
    assert [cells_of(tmp_path, scale=scale)[0].seconds for scale in ("smoke", "quick", "full")] == [0.01, 0.02, 0.03]
    project = project_of(tmp_path)
    assert seconds_of(project, (KEY, "sums")) == pytest.approx(12 * 0.02)
    assert seconds_of(replace(project, scale="full"), (KEY, "shuffled")) == pytest.approx(3 * 0.03)


def test_words_of_a_section(tmp_path):
    words = {name: AUDIT[name] for name in ("title", "says", "where", "domain", "neighbors", "inputs", "view")}
    paper = project_of(tmp_path).papers[KEY]
    found = described(paper, "sums")
    assert found | {"proof": []} == {**words, "note": "", "proof": []}
    assert [each["theorem"] for each in found["proof"]] == ["laplace", "batches"]
    assert all(each["source"] for each in found["proof"])
    assert described(paper, "shuffled")["note"] == "Few."


# Identity and streams


CELL = Cell(
    audit=f"{KEY}/sums",
    release="sums",
    target="mechanism",
    algorithm=CENTRAL,
    calibration="printed",
    setting={"eps": 1.0, "T": 500.0},
    point={"eps": 1.0},
    eps=1.0,
    delta=0.0,
    trials=2000,
    seconds=0.1,
)
OTHERS = [
    {"release": "reports"},
    {"target": "actions"},
    {"algorithm": LOCAL},
    {"calibration": "certified"},
    {"setting": {"eps": 1.0, "T": 501.0}},
    {"setting": {"eps": 1.0, "T": 500.0, "arms": 2.0}},
    {"eps": 2.0},
    {"delta": 1e-6},
    {"trials": 2001},
]


def test_all_that_determines_a_record_is_in_its_identity():
    names = [CELL.id, *(replace(CELL, **change).id for change in OTHERS)]
    assert len(set(names)) == len(names)
    assert all(len(name) == 8 and int(name, 16) >= 0 for name in names)


@pytest.mark.parametrize("change", [{"audit": "hu2021/other"}, {"seconds": 9.0}, {"point": {"T": 500.0}}])
def test_names_costs_and_places_are_not(change):
    assert replace(CELL, **change).id == CELL.id


def test_words_costs_and_other_scales_leave_the_cells(tmp_path):
    before = [cell.id for cell in cells_of(tmp_path)]
    for path, value in (
        *((f"{S}{name}", "Other words.") for name in ("says", "where", "domain", "neighbors", "view", "note")),
        (f"{S}milliseconds.quick", 99),
        (f"{S}trials.full", 3000),
        (f"{S}grid.full", {"eps": [7]}),
        (f"{S}constants.extra_batches", 9),  # the point has its own
    ):
        assert [cell.id for cell in cells_of(tmp_path, changed(PAPER, path, value))] == before, path
    for path, value in (
        (f"{S}trials.quick", 3000),
        (f"{S}constants.T", 501),
        (f"{S}delta", 0.5),
        ("constants.width", 2),
    ):
        assert before[0] not in {cell.id for cell in cells_of(tmp_path, changed(PAPER, path, value))}, path


def test_streams_of_audits_are_no_others():
    """Whatever the name and the indices: the role is a part of the key."""
    draws = {role: generator(7, role, CELL.id, 0, 0, 0).random(8).tolist() for role in ROLES}
    assert "audit" in draws
    for one, other in combinations(draws, 2):
        assert not set(draws[one]) & set(draws[other])


def test_every_side_attempt_and_chunk_has_its_stream():
    class Uniform:
        def draw(self, rng, side, trials):
            return rng.random((trials, 1))

        def scores(self, views):
            return views[:, 0]

    cell = replace(CELL, trials=CHUNK + 3)
    found = {(side, attempt): scores_of(Uniform(), cell, 7, side, attempt) for side in (0, 1) for attempt in (0, 1, 2)}
    assert all(scores.shape == (CHUNK + 3,) for scores in found.values())
    assert len({float(scores[start]) for scores in found.values() for start in (0, CHUNK)}) == 12
    assert found[1, 2][0] == generator(7, "audit", cell.id, 1, 2, 0).random()
    assert found[1, 2][CHUNK] == generator(7, "audit", cell.id, 1, 2, 1).random()


@pytest.mark.parametrize(
    ("theorem", "expected"),
    [
        ({}, [None, None]),
        ({"theorem": {"eps": [None, 1]}}, [True, False]),
        ({"theorem": {"eps": [2, None]}}, [False, True]),
        ({"theorem": {"eps": [1, 5]}}, [True, True]),
    ],
)
def test_a_setting_lies_in_the_range_of_the_theorem_or_not(theorem, expected):
    section = Audit.model_validate({**AUDIT, **theorem})
    assert [in_range(section, {"eps": eps}) for eps in (1.0, 5.0)] == expected
