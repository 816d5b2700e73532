"""Settings that were not played or not resolved are left out and listed; a claim that needs them is not tested."""

import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from dpbandits.api.results import load_results
from dpbandits.claims.gates import Left, failures, left_of, nothing, with_gaps
from dpbandits.config.sections import enough
from dpbandits.figures import drawings
from dpbandits.figures.captions import caption
from dpbandits.figures.results import Results
from dpbandits.report.costs import Costs
from dpbandits.report.overlays import Overlay
from dpbandits.report.sections import Section
from dpbandits.report.site import Run, Speed, pages
from dpbandits.text import terminal, text
from dpbandits.text.tables import table_rows

from .sections import claim_of, comparison_of, completed, figure_of, gate_of, rules_of, table_of
from .small import KEY, load, write_project
from .test_judge_stage import (
    BASE,
    CENTRAL,
    CLAIM,
    CLOSE,
    CURVES,
    FIELDS,
    LOCAL,
    MEASUREMENTS,
    NEVER,
    ORDER,
    QUANTITY,
    ROWS,
    SEEDS,
    columns,
    many,
    written,
)

BAD = {"column": "bad", "at_most": 0.5, "note": "Few bad rounds."}
LATE = {"column": "late", "over": "regret", "at_most": 0.35, "note": "Little regret late."}
GATES = [BAD, LATE]
RULES = rules_of(GATES)
AT = {"reading": "r", "predicate": "ordered", "curves": ["x", "y"], "at": {"eps": [0.25, 1]}}


def means(**rows):
    """A sample of three seeds around means by `curve_column`, or by setting: a list for eps 0.25, 1, 4."""

    def sample(curve, setting, column="regret"):
        if column == "seed":
            return np.arange(3)
        value = rows[f"{curve.replace('@', '_')}_{column}"]
        mean = value[(0.25, 1, 4).index(setting["eps"])] if isinstance(value, list) else value
        return mean + np.array([-1.0, 0.0, 1.0]) / 8

    return sample


# Cells


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"bad": 0.5, "late": 35, "regret": 100}, []),
        ({"bad": 0.25, "late": 41, "regret": 100}, ["late / regret = 0.41 > 0.35"]),
        ({"bad": 0.75, "late": 35, "regret": 100}, ["bad = 0.75 > 0.5"]),
        ({"bad": 0.75, "late": 100, "regret": 100}, ["bad = 0.75 > 0.5", "late / regret = 1 > 0.35"]),
        ({"bad": 0, "late": 0, "regret": 0}, []),
        ({"bad": 0, "late": 1, "regret": 0}, ["late / regret = inf > 0.35"]),
        ({"bad": 0, "late": 1, "regret": -8}, ["late / regret = inf > 0.35"]),
        ({"bad": 0, "late": -1, "regret": -8}, []),
        ({"bad": math.nan, "late": math.nan, "regret": 100}, []),
        ({"bad": math.nan, "late": 41, "regret": 100}, ["late / regret = 0.41 > 0.35"]),
    ],
)
def test_a_cell_is_resolved_where_every_gate_holds_for_its_means(rows, says):
    """On the bound it is; so is a curve without the columns."""
    sample = means(**{f"x_{name}": value for name, value in rows.items()})
    assert list(failures("x", {"eps": 0.25}, RULES.gates, sample)) == [f"x at eps = 0.25: {each}" for each in says]


def test_a_run_without_a_number_is_not_resolved():
    found = failures("x", {"eps": 1.0}, [gate_of(BAD)], lambda *_: np.array([0.1, math.nan]))
    assert list(found) == ["x at eps = 1: bad = nan > 0.5"]


def test_a_claim_may_do_without_gates():
    plain, asked, free = (claim_of(claim(CLOSE, **gated)) for gated in ({}, {"gated": True}, {"gated": False}))
    assert RULES.gates_of(plain) == RULES.gates_of(asked) == RULES.gates == tuple(map(gate_of, GATES))
    assert RULES.gates_of(free) == rules_of().gates_of(plain) == ()


# Settings


def test_a_setting_at_which_a_curve_is_not_resolved_is_left_out_and_listed_once():
    """Of the curves, the one that they are compared with, and the baseline; at the reference as well."""
    steady = {f"{curve}_{column}": 1.0 for curve in "xyb" for column in ("late", "regret")}
    gates = [gate_of(LATE | {"at_most": 2})]
    at = {"at": {"eps": [0.25, 1, 4], "T": [9]}}
    test = completed({"predicate": "share", "curves": ["x"], **at})
    whole = completed({"predicate": "excess_ratio_between", "curves": ["x"], "against": "y", "baseline": "b", **at})
    for name in "xyb":
        sample = means(**{**steady, f"{name}_late": [1.0, 3.0, 1.0]})
        found = left_of([whole, whole], gates, sample)
        left, same = found.tests
        assert left == same == whole.at_settings([{"eps": 0.25, "T": 9.0}, {"eps": 4.0, "T": 9.0}])
        assert left.settings == [{"eps": 0.25, "T": 9.0}, {"eps": 4.0, "T": 9.0}]
        assert found.unresolved == (f"{name} at eps = 1, T = 9: late / regret = 3 > 2",)
        assert left_of([test], gates, sample).unresolved == (found.unresolved if name == "x" else ())
    sample = means(**{**steady, "x_late": [1.0, 1.0, 3.0]})
    reference = {"predicate": "ratio_between", "curves": ["x"], "at": {"eps": [0.25, 1]}, "reference": {"eps": 4}}
    found = left_of([completed(reference)], gates, sample)
    assert (found.tests, found.unresolved) == ((None,), ("x at eps = 4: late / regret = 3 > 2",))
    other = completed({**reference, "against": "y"})
    assert left_of([other], gates, sample).tests == (other,)
    sample = means(**{**steady, "y_late": [3.0, 3.0, 1.0]})
    assert left_of([other], gates, sample).tests == (other,)


def test_a_curve_of_another_calibration_has_gates_too():
    sample = means(x_bad=0.1, x_printed_bad=[0.9, 0.1, 0.1])
    test = completed({"predicate": "ratio_between", "curves": ["x"], "against": "x@printed", "at": AT["at"]})
    found = left_of([test], [gate_of(BAD)], sample)
    assert [left.at for left in found.used] == [[{"eps": [1.0]}]]
    assert found.unresolved == ("x@printed at eps = 0.25: bad = 0.9 > 0.5",)


def test_a_test_whose_settings_are_all_resolved_stays_what_it_is():
    test = comparison_of(AT)
    found = left_of([test], [gate_of(BAD)], means(x_bad=0.1, y_bad=0.1))
    assert found == Left((test,))
    assert found.tests[0] is test


def played(*rounds):
    """A sample that has runs of these horizons alone."""
    return lambda curve, setting, column="regret": np.ones(3 if setting["T"] in rounds else 0)


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"predicate": "ordered", "curves": ["x", "y"]}, [9, 90]),
        ({"predicate": "ratio_between", "against": "y"}, [9, 90]),
        ({"predicate": "never"}, [9, 90]),
        ({"predicate": "share"}, [9, 90]),
        ({"predicate": "decreasing"}, None),
        ({"predicate": "slope_between", "along": "T"}, None),
        ({"predicate": "slope_between", "along": "eps"}, None),
        ({"predicate": "falling_supremum", "along": "T", "against": "y"}, None),
        ({"predicate": "ratio_between", "reference": {"T": 900}}, None),
    ],
)
def test_what_was_not_played_leaves_single_settings_and_no_comparison_between_them(more, left):
    test = completed({"curves": ["x"], "reading": "r", "at": {"T": [9, 90, 900], "eps": [1]}, **more})
    found = left_of([test], (), played(9, 90))
    assert [[setting["T"] for setting in each.settings] for each in found.used] == ([left] if left else [])
    assert found.incomplete == {"r"}
    assert found.unplayed == (900.0,)
    assert left_of([test], (), played(9, 90, 900)) == Left((test,))


def test_a_setting_that_was_not_played_has_no_gate():
    test = comparison_of({**AT, "at": {"eps": [0.25], "T": [9, 90]}})
    sample = means(x_bad=0.9, y_bad=0.1)
    found = left_of([test], [gate_of(BAD)], lambda c, s, n="regret": np.zeros(0) if s["T"] == 90 else sample(c, s, n))
    assert found.unplayed == (90.0,)
    assert found.unresolved == ("x at eps = 0.25, T = 9: bad = 0.9 > 0.5",)
    assert (found.used, found.incomplete, found.bare) == ([], {"r"}, {"r"})


EPS = [1.0, 2.0, 3.0, 4.0]
PLANE = [{"eps": eps, "gap": gap} for eps in EPS[:3] for gap in (0.1, 0.2)]


@pytest.mark.parametrize(
    ("predicate", "more", "before", "needs"),
    [
        ("ordered", {}, 4, 1),
        ("ratio_between", {}, 4, 1),
        ("excess_ratio_between", {}, 4, 1),
        ("share", {}, 4, 1),
        ("never", {}, 4, 1),
        ("mean_of", {}, 4, 1),
        ("dispersion", {}, 4, 1),
        ("falling_excess", {}, 4, 2),
        ("decreasing", {}, 4, 2),
        ("within_factor", {}, 4, 2),
        ("flat", {}, 4, 2),
        ("falling_supremum", {"along": "eps"}, 4, 2),
        ("slope_between", {"along": "eps"}, 4, 3),
        ("slope_between", {"along": "eps"}, 3, 3),
        ("slope_between", {"along": "eps"}, 2, 2),
        ("slope_order", {"along": "eps"}, 4, 3),
        ("affine_between", {"along": "eps"}, 4, 3),
        ("argmin_between", {"along": "eps"}, 4, 4),
    ],
)
def test_a_predicate_needs_so_many_settings(predicate, more, before, needs):
    test = completed({"predicate": predicate, "at": {"eps": EPS[:before]}, **more})
    found = [enough(test, [{"eps": eps} for eps in EPS[:number]]) for number in range(before + 1)]
    assert found == [number >= needs for number in range(before + 1)]


def test_a_slope_needs_values_and_not_repetitions_of_them():
    test = completed({"predicate": "slope_between", "along": "eps", "at": {"eps": EPS[:3], "gap": [0.1, 0.2]}})
    assert enough(test, [PLANE[0], PLANE[2], PLANE[4]])
    assert not enough(test, PLANE[:4])


@pytest.mark.parametrize(("left", "found"), [([0, 1, 2, 3], True), ([0, 1, 2], False), ([0, 2, 4], False), ([], False)])
def test_forms_need_a_plane(left, found):
    test = {"predicate": "form_ratio", "along": "eps", "across": "gap", "at": {"eps": EPS[:3], "gap": [0.1, 0.2]}}
    assert enough(completed(test), [PLANE[k] for k in left]) == found
    line = completed({**test, "at": {"eps": EPS, "gap": [0.1]}})
    assert not enough(line, [{"eps": eps, "gap": 0.1} for eps in EPS])


# Verdicts


def claim(*tests, **more):
    return CLAIM | {"calibrations": ["printed"], "tests": list(tests)} | more


def measured(folder, table, gates=GATES, **sections):
    """The measurements of these sections."""
    return written(folder, {}, table, measurements=sections, gates=gates)[0]["measurements"]


def with_late(table=None, **late):
    """The table of runs with the outputs of the gates: half of the regret is late in the cells named `central_1`.."""
    table = table or columns()
    number = len(table["seed"]) // SEEDS
    parts = np.zeros(number)
    for cell, part in late.items():
        parts[CELLS[cell]] = part
    outputs = {"late": np.repeat(parts, SEEDS) * table["regret"], "bad": np.full(len(table["seed"]), 0.25)}
    lacking = table["algorithm"] == BASE
    return table | {name: np.where(lacking, np.nan, values) for name, values in outputs.items()}


CELLS = {"central_01": 2, "central_1": 3, "certified_01": 4, "certified_1": 5, "local_01": 6, "local_1": 7}
assert [ROWS[k][0] for k in CELLS.values()] == [CENTRAL] * 4 + [LOCAL] * 2


def judged(folder, section, table, gates=GATES, seeds=SEEDS):
    curves = [replace(curve, seeds=seeds) for curve in CURVES]
    found, _ = written(folder, {"C1": section}, table, gates=gates, curves=curves)
    (record,) = found["records"]
    return record


def test_where_all_is_resolved_the_record_says_so_and_is_the_same_otherwise(tmp_path):
    found = judged(tmp_path, claim(CLOSE, ORDER), with_late())
    plain = judged(tmp_path, claim(CLOSE, ORDER), columns(), gates=())
    assert set(plain) == FIELDS
    assert found == plain


def test_without_gates_every_setting_that_was_played_counts(tmp_path):
    free = {name: each | {"gated": False} for name, each in MEASUREMENTS.items()}
    claims = {"C1": claim(CLOSE, gated=False)}
    found, _ = written(tmp_path, claims, with_late(central_01=0.5), measurements=free, gates=GATES)
    assert {frozenset(record) for record in found["records"]} == {frozenset(FIELDS)}
    left_out = [each[kind] for each in found["records"] + found["measurements"] for kind in ("unplayed", "unresolved")]
    assert not any(left_out)


def test_a_verdict_rests_on_what_is_resolved(tmp_path):
    """The ratio of 1.10 at eps = 0.1 is left out, that of 1.11 at eps = 1 stays; at most 1.105 is claimed."""
    test = CLOSE | {"bounds": [None, 1.2]}
    found = judged(tmp_path, claim(test), with_late(central_01=0.5))
    assert (found["verdict"], found["comparisons"]) == ("holds", 1)
    assert found["decisive"] == f"{CENTRAL} / {BASE} at eps = 1"
    assert found["unresolved"] == [f"{CENTRAL} at eps = 0.1: late / regret = 0.5 > 0.35"]
    assert found["needs"] == {"what": "none", "seeds": None, "cost": None}
    assert judged(tmp_path, claim(test, gated=False), with_late(central_01=0.5))["comparisons"] == 2


def test_a_claim_of_which_nothing_is_left_needs_longer_runs(tmp_path):
    """Ten times as long for all 30 seeds, each of 24 ms: 7.2 s."""
    found = judged(tmp_path, claim(CLOSE), with_late(central_01=0.5, central_1=0.4))
    assert set(found) == FIELDS
    assert (found["verdict"], found["comparisons"], found["n"], found["details"]) == ("not_tested", 0, SEEDS, [])
    assert (found["estimate"], found["interval"], found["decisive"]) == (None, [None, None], "")
    assert found["readings"] == [{"reading": "close", "verdict": "not_tested"}]
    assert found["needs"] == {"what": "horizon", "seeds": None, "cost": 21.6}
    assert len(found["unresolved"]) == 2


@pytest.mark.parametrize(
    ("tests", "combine", "verdict", "readings", "what"),
    [
        ([CLOSE, ORDER], "all", "not_tested", ["holds", "not_tested"], "horizon"),
        ([CLOSE | {"bounds": [None, 1.05]}, ORDER], "all", "fails", ["fails", "not_tested"], "none"),
        ([CLOSE | {"bounds": [None, 1.05]}, ORDER], "readings", "not_tested", ["fails", "not_tested"], "horizon"),
        ([CLOSE | {"bounds": [None, 1.10]}, ORDER], "all", "not_tested", ["unclear", "not_tested"], "horizon"),
        ([CLOSE, ORDER | {"reading": "close"}], "all", "not_tested", ["not_tested"], "horizon"),
        ([ORDER | {"reading": "close"}, CLOSE | {"bounds": [None, 1.05]}], "all", "fails", ["fails"], "none"),
    ],
)
def test_a_test_without_settings_leaves_a_claim_untested_unless_another_fails(
    tmp_path, tests, combine, verdict, readings, what
):
    """The local algorithm is not resolved at the one setting at which it is compared."""
    found = judged(tmp_path, claim(*tests, combine=combine), with_late(local_1=0.5))
    assert (found["verdict"], found["needs"]["what"]) == (verdict, what)
    assert [each["verdict"] for each in found["readings"]] == readings
    assert found["unresolved"] == [f"{LOCAL} at eps = 1: late / regret = 0.5 > 0.35"]


def test_fewer_seeds_than_a_verdict_takes_are_not_what_is_missing():
    """Longer runs are, where there is nothing to compare."""
    test = comparison_of(AT)
    found = with_gaps(nothing(4), [test], Left((None,), (), ("cell",), frozenset(), frozenset({"r"})), "all")
    assert (found["n"], found["verdict"], found["needs"]) == (4, "not_tested", {"what": "horizon", "seeds": None})
    found = with_gaps(nothing(4), [test], Left((None,), (90.0,), (), frozenset({"r"})), "all")
    assert (found["n"], found["verdict"], found["needs"]) == (4, "not_tested", {"what": "unplayed", "seeds": None})


def test_what_compares_nothing_is_not_tested():
    """Such as increments over two horizons."""
    test = comparison_of(AT)
    assert with_gaps(nothing(200), [test], Left((test,), (), ()), "all")["verdict"] == "not_tested"


def test_a_variant_may_take_every_setting_as_it_is(tmp_path):
    section = claim(CLOSE, variants={"all": {"note": "All.", "subject": "paper", "gated": False}})
    found, _ = written(tmp_path, {"C1": section}, with_late(central_01=0.5, central_1=0.5), gates=GATES)
    assert [(r["variant"], r["comparisons"], len(r["unresolved"])) for r in found["records"]] == [
        ("", 0, 2),
        ("all", 2, 0),
    ]


def test_rare_events_are_counted_where_runs_are_long_enough(tmp_path):
    """600 runs at each of two budgets; at the second two thirds of the rounds are bad. Against a rate of 0.5 %.

    0.995**600 is 4.9 %, and 0.995**1200 is 0.2 %.
    """
    table = many(0) | {"bad": np.repeat([0.5, 2 / 3], 600)}
    section = claim(NEVER | {"rate": 0.005})
    found = judged(tmp_path, section, table, [BAD], 600)
    assert (found["verdict"], found["n"], found["needs"]["what"]) == ("unclear", 600, "seeds")
    assert found["unresolved"] == [f"{CENTRAL} at eps = 1: bad = 0.667 > 0.5"]
    found = judged(tmp_path, section, table | {"bad": np.full(1200, 0.6)}, [BAD], 600)
    assert (found["verdict"], found["comparisons"], found["needs"]["what"]) == ("not_tested", 0, "horizon")
    assert judged(tmp_path, section, table | {"bad": np.zeros(1200)}, [BAD], 600)["verdict"] == "holds"


def test_a_measurement_has_what_is_resolved_and_lists_the_rest(tmp_path):
    """Two tests: at both settings, and at the second alone; what is left stays what it is."""
    section = MEASUREMENTS["ratio"] | {"calibrations": ["printed"]}
    (plain,) = measured(tmp_path, columns(), (), ratio=section)
    for late, rows, cells in (({}, [0, 1, 2], 0), ({"central_01": 0.5}, [1, 2], 1), ({"central_1": 0.5}, [0], 1)):
        (found,) = measured(tmp_path, with_late(**late), ratio=section)
        assert found["details"] == [plain["details"][k] for k in rows]
        assert (found["n"], found["level"], len(found["unresolved"])) == (SEEDS, 0.95, cells)
    late = with_late(central_01=0.5, central_1=0.5)
    (found,) = measured(tmp_path, late, ratio=section)
    assert (found["n"], found["details"], len(found["unresolved"])) == (SEEDS, [], 2)


# In words


@pytest.fixture
def found(tmp_path):
    """A claim with nothing to compare, one with something, and measurements of both kinds."""
    test = CLOSE | {"at": {"eps": [0.1]}}
    section = MEASUREMENTS["ratio"] | {"calibrations": ["printed"]}
    return written(
        tmp_path,
        {"C1": claim(test), "C2": claim(CLOSE), "C3": claim(CLOSE, gated=False)},
        with_late(central_01=0.5),
        measurements={"part": section, "none": section | {"tests": [QUANTITY | {"at": {"eps": [0.1]}}]}},
        gates=GATES,
    )[0]


CELL = "central at eps = 0.1: late / regret = 0.5 > 0.35"
LONGER = "longer runs: with ten times the horizon 21.6 CPU seconds"


def test_what_is_not_resolved_in_words(found):
    bare, part, plain = found["records"]
    assert text.decided(bare) == text.NOTHING
    assert text.decided(part).startswith("central / non-private at eps = 1: 1.1")
    assert text.basis(bare) == f"0 comparisons over {SEEDS} seeds"
    assert text.left_out(bare) == text.left_out(part) == [f"{CELL}: not resolved"]
    assert text.left_out(plain) == []
    assert text.wants(bare) == LONGER
    assert [text.gate(each) for each in RULES.gates] == ["bad at most 0.5", "late / regret at most 0.35"]


def test_the_terminal_shows_what_is_not_resolved(found, monkeypatch):
    def shown(function, *arguments):
        console = Console(file=io.StringIO(), width=250)
        monkeypatch.setattr(terminal, "wide_console", lambda: console)
        function(*arguments)
        return console.file.getvalue()

    explained = [shown(terminal.print_explanation, record) for record in found["records"]]
    assert f"decisive  {text.NOTHING}" in explained[0]
    assert f"needs     {LONGER}" in explained[0]
    assert [each.count(f"left out  {CELL}") for each in explained] == [1, 1, 0]
    assert text.NOTHING in shown(terminal.print_claims, found["records"], "quick")


NO_RECORD = Speed(None, *[Overlay("0 0 1 1", "", ())] * 2)


def test_the_report_shows_what_is_not_resolved(found, tmp_path):
    paper = load(write_project(tmp_path / "project")).papers[KEY]
    paper = replace(paper, rules=RULES, figures={}, tables={})
    section = Section(paper, found["records"], found["measurements"], [], {}, [])
    every = pages([section], Run("quick", 1, Costs({}, [], [], 0.0, 0, 0.0)), NO_RECORD)
    shown = "".join(page for name, page in every.items() if name.startswith(KEY))
    assert shown.count(text.NOTHING) == 1
    assert shown.count(CELL.replace(">", "&gt;")) == 4, "of two claims and two measurements"
    assert f"{LONGER}." in shown
    assert "bad at most 0.5 (Few bad rounds.); late / regret at most 0.35 (Little regret late.)." in shown


def test_tables_of_the_paper_show_what_is_not_resolved(found):
    table = {"columns": ["algorithm"], "rows": [["x"], ["y"]]}
    for name, shown in (("part", "1.1"), ("none", "not resolved")):
        column = {"column": "ratio", "measurement": name, "calibration": "printed", "curves": [CENTRAL, None]}
        first, second = table_rows(table_of({**table, "measured": [column]}), found["measurements"], found["records"])
        assert first["ratio"].startswith(shown)
        assert second["ratio"] == ""


def test_figures_say_what_is_not_resolved(found, tmp_path):
    paper = load(write_project(tmp_path / "project")).papers[KEY]
    figure = {"shows": "x", "drawing": "estimates", "calibrations": ["printed"], "caption": "x", "claims": []}
    figures = {name: figure_of(figure | {"measurement": name}) for name in ("part", "none")}
    changed = replace(paper, figures=figures)
    results = Results(changed, "quick", tmp_path, found["records"], found["measurements"], [], tmp_path)
    for name, title in (("part", r"$\varepsilon$ = 1"), ("none", text.NOTHING)):
        drawn = drawings.draw(results, name, "printed")
        assert [axes.get_title(loc="left") for axes in drawn.axes] == [title]
        assert "1 left out: not run or not resolved." in caption(drawn)


def test_results_in_python_say_what_is_not_resolved(found, tmp_path):
    root = write_project(tmp_path)
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps(found | {"scale": "quick"}), encoding="utf-8")
    audits = tmp_path / "audits.json"
    audits.write_text('{"records": []}', encoding="utf-8")
    results = load_results(KEY, project=root, folders={"tables": tmp_path, "claims": claims, "audits": audits})
    assert [results.verdict(claim) for claim in ("C1", "C2")] == ["not tested", "holds"]
    assert [len(results.comparisons(claim)) for claim in ("C1", "C2")] == [0, 1]
    assert results.left_out("C1") == [f"{CELL}: not resolved"]
    assert [len(results.measurement(name)) for name in ("none", "part")] == [0, 2]
    assert results.verdicts("C1", "C2")["printed"].tolist() == ["not tested", "holds"]
