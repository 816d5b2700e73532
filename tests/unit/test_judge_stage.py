"""Stage judge: tables in, claim records out."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import DamagedFile, write_json
from dpbandits.claims.closed_forms.hanna2022 import functions as hanna2022
from dpbandits.claims.samples import Runs
from dpbandits.config.curves import Curve
from dpbandits.config.sections import cases, common_seeds, judged_outputs
from dpbandits.stages.judge import judge, judge_closed_forms
from dpbandits.stages.runs import filled

from .sections import WORDS, claim_of, claims_of, measurements_of, rules_of

BASE, CENTRAL, LOCAL = "phased_elimination", "phased_elimination_central", "phased_elimination_local"
OTHER = "lazy_baseline"  # another one whose printed runs stand for its certified ones
COINCIDES = {
    BASE: {"printed": "printed", "certified": "printed"},
    OTHER: {"printed": "printed", "certified": "printed"},
    CENTRAL: {"printed": "printed", "certified": "certified"},
    LOCAL: {"printed": "printed"},
}
BUDGETS = (0.1, 1.0)
SEEDS = 90
ROWS = [  # algorithm, calibration, variant, eps, mean regret
    (BASE, "printed", "", np.nan, 100.0),
    (BASE, "printed", "wide", np.nan, 900.0),
    *((CENTRAL, "printed", "", eps, 110.0 + k) for k, eps in enumerate(BUDGETS)),
    *((CENTRAL, "certified", "", eps, 130.0 + k) for k, eps in enumerate(BUDGETS)),
    *((LOCAL, "printed", "", eps, 300.0 - 100 * k) for k, eps in enumerate(BUDGETS)),
]
CLAIM = WORDS | {"where": "Figure 9", "kind": "statistical"}
CLAIM |= {"experiment": "small", "combine": "all"}
CLOSE = {"predicate": "ratio_between", "curves": [CENTRAL], "against": BASE, "at": {"eps": [0.1, 1]}}
CLOSE |= {"reading": "close", "bounds": [None, 1.2]}
ORDER = {"predicate": "ordered", "curves": [CENTRAL, LOCAL], "at": {"eps": [1]}, "reading": "in order"}
CLAIMS = {
    "C1": CLAIM | {"calibrations": ["printed", "certified"], "tests": [CLOSE]},
    "C2": CLAIM | {"calibrations": ["printed"], "tests": [ORDER, CLOSE], "note": "A note."},
    "C3": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE | {"bounds": [None, 1.101]}]},
}
FIGURES = {"other": ["C9"], "one": ["C1", "C3"], "two": ["C1"]}
FIELDS = {  # the contract, and what explains a record
    *(
        "id",
        "paper",
        "where",
        "statement",
        "kind",
        "calibration",
        "variant",
        "scale",
        "verdict",
        "estimate",
        "interval",
    ),
    *("source", "class", "threshold_from", "threshold_reason", "subject", "could_fail", "by_our_threshold"),
    *(
        "joint",
        "flips_at",
        "resolution",
        "turning_size",
        "level",
        "comparisons",
        "n",
        "margin",
        "needs",
        "evidence",
        "method",
    ),
    *("severity", "note", "decisive", "readings", "details", "typical_run", "unplayed", "unresolved"),
}


def columns(rows=ROWS):
    """The table of runs, with a noise of +-3 around each mean and +-30 shared by all curves of an instance."""
    instance = np.random.default_rng(1).normal(0, 30, SEEDS)
    names = np.repeat([row[:3] for row in rows], SEEDS, axis=0).astype(object)
    regret = [row[4] + instance + np.random.default_rng((2, k)).normal(0, 3, SEEDS) for k, row in enumerate(rows)]
    return {
        "algorithm": names[:, 0],
        "calibration": names[:, 1],
        "variant": names[:, 2],
        "eps": np.repeat([row[3] for row in rows], SEEDS),
        "seed": np.tile(np.arange(SEEDS, dtype=np.int32), len(rows)),
        "regret": np.concatenate(regret),
    }


def curve(algorithm, points, replicates=1, calibration="printed", variant="", milliseconds=0.0, **parameters):
    return Curve(
        paper="toy2000",
        experiment="small",
        algorithm=algorithm,
        calibration=calibration,
        variant=variant,
        environment={"family": "linear", "arms": 2, "dimension": 1},
        horizon=100,
        checkpoints_per_decade=1,
        parameters=parameters,
        points=points,
        replicates=replicates,
        seeds=SEEDS,
        chunk=15,
        milliseconds=milliseconds,
    )


TWO = tuple({"eps": eps} for eps in BUDGETS)
CURVES = [  # only the first two cost anything
    curve(BASE, ({},), 10, milliseconds=2.0),
    curve(CENTRAL, TWO, milliseconds=2.0),
    curve(BASE, ({},), variant="wide"),
    curve(CENTRAL, TWO, calibration="certified"),
    curve(LOCAL, TWO),
    curve(OTHER, ({},)),
]


def audited(folder, records=()):
    """A file of audit records."""
    write_json(folder / "audit.json", {"records": list(records)})
    return folder / "audit.json"


def written(folder, claims=CLAIMS, table=None, scale="quick", measurements=None, gates=(), curves=CURVES, pilot=()):
    """Judge through files; what was written, and its bytes."""
    path, out = folder / "small.parquet", folder / "claims.json"
    write_table(path, table or columns(), {})
    found = judge(
        "toy2000",
        scale,
        claims_of(claims),
        measurements_of(measurements or {}),
        rules_of(gates),
        FIGURES,
        {"small": curves},
        COINCIDES,
        {"small": path},
        audited(folder),
        out,
        pilot,
    )
    record = json.loads(out.read_text())
    assert list(record) == ["measurements", "paper", "records", "scale", "sha256"]
    assert (record["paper"], record["scale"], record["records"]) == ("toy2000", scale, found)
    return record, out.read_bytes()


def records(folder, *arguments, **named):
    """The records by claim and calibration, and the bytes that were written."""
    record, text = written(folder, *arguments, **named)
    return {(r["id"].partition("/")[2], r["calibration"]): r for r in record["records"]}, text


def test_records_have_all_fields_of_the_contract(tmp_path):
    found, _ = records(tmp_path)
    assert list(found) == [("C1", "printed"), ("C1", "certified"), ("C2", "printed"), ("C3", "printed")]
    assert all(set(record) == FIELDS for record in found.values())
    first = found["C1", "printed"]
    expected = {
        "id": "toy2000/C1",
        "paper": "toy2000",
        "where": "Figure 9",
        "statement": "It does.",
        "source": "stated",
        "class": "order",
        "threshold_from": "ours",
        "subject": "paper",
        "kind": "statistical",
        "severity": "detail",
        "calibration": "printed",
        "variant": "",
        "scale": "quick",
        "note": "",
        "verdict": "holds",
        "level": 0.95,
        "comparisons": 2,
        "n": SEEDS,
        "decisive": f"{CENTRAL} / {BASE} at eps = 1",
        "evidence": {"table": "tables/toy2000/small.parquet", "figure": "one"},
        "needs": {"what": "none", "seeds": None, "cost": None},
    }
    assert {name: first[name] for name in expected} == expected
    assert first["interval"][0] < first["estimate"] < first["interval"][1] < 1.2
    assert (found["C2", "printed"]["note"], found["C2", "printed"]["evidence"]["figure"]) == ("A note.", "")


def test_verdicts_and_what_they_need(tmp_path):
    """1.11 and 1.31 against at most 1.2; 111 against 200; 1.11 against at most 1.101, of 90 seeds in chunks of 15.

    A printed seed costs 10 runs of the baseline and 2 of the other curve, of 2 ms each.
    """
    found, _ = records(tmp_path)
    assert {key: record["verdict"] for key, record in found.items()} == {
        ("C1", "printed"): "holds",
        ("C1", "certified"): "fails",
        ("C2", "printed"): "holds",
        ("C3", "printed"): "unclear",
    }
    needs = found["C3", "printed"]["needs"]
    assert needs["what"] == "seeds"
    assert needs["seeds"] > SEEDS
    assert needs["seeds"] % 15 == 0
    assert needs["cost"] == pytest.approx((needs["seeds"] - SEEDS) * 0.024, abs=0.05)


# Curves that differ in their seeds


def first(table, seeds_of):
    """A table with the first seeds of some curves alone, by algorithm, calibration and variant; of others with all."""
    most = [seeds_of.get(key, SEEDS) for key in zip(*(table[n] for n in NAMES), strict=True)]
    return {name: values[table["seed"] < most] for name, values in table.items()}


NAMES = ("algorithm", "calibration", "variant")
FEWER = {(CENTRAL, "printed", ""): 45, (CENTRAL, "certified", ""): 75, (LOCAL, "printed", ""): 30}
"""Curves with fewer seeds than the baseline, which has 90."""
UNEQUAL = [replace(c, seeds=FEWER.get((c.algorithm, c.calibration, c.variant), SEEDS)) for c in CURVES]


def means(table, seeds):
    """The mean regret of every row of `ROWS` over the first seeds."""
    return {row[:4]: table["regret"][k * SEEDS : k * SEEDS + seeds].mean() for k, row in enumerate(ROWS)}


def test_a_claim_is_judged_on_the_first_seeds_that_all_its_curves_have(tmp_path):
    """45 where it compares the printed runs with the baseline, 75 where the certified ones, 30 where it asks for both.

    Later instances are harder, so that a ratio of means over other seeds is another number.
    """
    whole = columns()
    whole["regret"] = whole["regret"] + 2.0 * whole["seed"]
    at_one = CLOSE | {"at": {"eps": [1]}}
    claims = {
        "C1": CLAIM | {"calibrations": ["printed", "certified"], "tests": [at_one]},
        "C2": CLAIM | {"calibrations": ["printed"], "tests": [ORDER, at_one]},
        "C3": CLAIM | {"calibrations": ["certified"], "tests": [at_one | {"against": f"{CENTRAL}@printed"}]},
    }
    found, _ = records(tmp_path, claims, first(whole, FEWER), curves=UNEQUAL)
    seeds = {("C1", "printed"): 45, ("C1", "certified"): 75, ("C2", "printed"): 30, ("C3", "certified"): 45}
    assert {key: record["n"] for key, record in found.items()} == seeds
    base = (BASE, "printed", "", ROWS[0][3])
    for calibration, n in (("printed", 45), ("certified", 75)):
        record, mean = found["C1", calibration], means(whole, n)
        assert record["estimate"] == pytest.approx(mean[CENTRAL, calibration, "", 1.0] / mean[base], rel=1e-12)
        unequal = mean[CENTRAL, calibration, "", 1.0] / means(whole, SEEDS)[base]
        assert record["estimate"] - unequal > 0.08
    mean = means(whole, 30)
    ratio = next(row for row in found["C2", "printed"]["details"] if row["reading"] == "close")
    assert ratio["estimate"] == pytest.approx(mean[CENTRAL, "printed", "", 1.0] / mean[base], rel=1e-12)
    mean = means(whole, 45)
    wanted = mean[CENTRAL, "certified", "", 1.0] / mean[CENTRAL, "printed", "", 1.0]
    assert found["C3", "certified"]["estimate"] == pytest.approx(wanted, rel=1e-12)


def test_seeds_that_a_claim_has_in_common_are_those_of_a_table_that_has_no_others(tmp_path):
    """All that its record says of its comparisons, but for what the other runs of a curve say about its tail."""
    claim = {"C1": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE]}}
    whole = columns()
    (found,) = records(tmp_path, claim, first(whole, FEWER), curves=UNEQUAL)[0].values()
    cut = {name: values[whole["seed"] < 45] for name, values in whole.items()}
    (alone,) = records(tmp_path, claim, cut, curves=[replace(c, seeds=45) for c in CURVES])[0].values()
    assert [row["estimate"] for row in found["details"]] == [row["estimate"] for row in alone["details"]]
    assert (found["n"], found["verdict"]) == (alone["n"], alone["verdict"]) == (45, "holds")
    assert found["interval"] == pytest.approx(alone["interval"], abs=0.002)


def test_a_measurement_has_the_seeds_that_all_its_curves_have(tmp_path):
    whole = columns()
    record, _ = written(tmp_path, {}, first(whole, FEWER), measurements=MEASUREMENTS, curves=UNEQUAL)
    assert [each["n"] for each in record["measurements"]] == [45, 75]
    for each, calibration, n in zip(record["measurements"], ("printed", "certified"), (45, 75), strict=True):
        mean = means(whole, n)
        wanted = mean[CENTRAL, calibration, "", 1.0] / mean[BASE, "printed", "", ROWS[0][3]]
        assert each["details"][-1]["estimate"] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("test", "calibration", "seeds"),
    [
        (CLOSE, "printed", 45),
        (CLOSE, "certified", 75),
        (ORDER, "printed", 30),
        (CLOSE | {"curves": [f"{BASE}:wide"]}, "certified", 90),
        (CLOSE | {"against": f"{CENTRAL}@printed"}, "certified", 45),
        (CLOSE | {"curves": ["no_such_algorithm"], "against": "another"}, "printed", None),
    ],
)
def test_the_seeds_of_tests_are_the_fewest_of_the_curves_that_they_compare(test, calibration, seeds):
    """Every curve counts that a test names in any of its parts, by the calibration that stands for this one."""
    tests = claim_of(CLAIM | {"tests": [test]}).tests
    assert common_seeds(tests, calibration, UNEQUAL, COINCIDES) == seeds


def test_more_seeds_cost_what_the_curves_of_the_calibration_lack(tmp_path):
    """Of the printed curves the baseline has 90 seeds and the other 45; a wide variant is played as well.

    A seed of the baseline costs 20 ms, one of the other curve 4 ms, one of the variant 7 ms. A seed of the certified
    curve, which more printed seeds leave alone, costs 2 s, and one of the local curve, which has enough seeds, 1 s.
    """
    costs = {
        (BASE, "printed", ""): 2.0,
        (CENTRAL, "printed", ""): 2.0,
        (BASE, "printed", "wide"): 7.0,
        (CENTRAL, "certified", ""): 1000.0,
        (LOCAL, "printed", ""): 500.0,
    }
    seeds = {**FEWER, (LOCAL, "printed", ""): 10**6}
    curves = [
        replace(c, milliseconds=costs.get(name, 0.0), seeds=seeds.get(name, SEEDS))
        for c in CURVES
        for name in [(c.algorithm, c.calibration, c.variant)]
    ]
    claim = {"C3": CLAIMS["C3"]}
    (record,) = records(tmp_path, claim, first(columns(), FEWER), curves=curves)[0].values()
    needs = record["needs"]
    assert (record["verdict"], record["n"], needs["what"]) == ("unclear", 45, "seeds")
    assert needs["seeds"] % 15 == 0
    assert needs["seeds"] > SEEDS
    wanted = (needs["seeds"] - 90) * (0.020 + 0.007) + (needs["seeds"] - 45) * 0.004
    assert needs["cost"] == pytest.approx(wanted, abs=0.05)


# Runs of a pilot


def shown_row(algorithm, runs, linear, calibration="printed"):
    """What a pilot shows of an algorithm."""
    return {
        "algorithm": algorithm,
        "calibration": calibration,
        "family": "linear",
        "constants": {},
        "runs": runs,
        "linear": linear,
    }


def test_runs_of_a_pilot_count_beside_those_of_the_tables(tmp_path):
    """The central curve has 180 runs here, of two budgets, and 820 in the pilot; the baseline has 180, and 60."""
    claim = {"C1": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE]}}
    for pilot, runs in (
        ([], 180),
        ([shown_row(CENTRAL, 820, None)], 180),
        ([shown_row(CENTRAL, 820, None), shown_row(BASE, 60, None)], 240),
        ([shown_row(CENTRAL, 20, None), shown_row(BASE, 820, None)], 200),
        ([shown_row(name, 820, None, "certified") for name in (CENTRAL, BASE)], 180),
    ):
        (record,) = records(tmp_path, claim, pilot=pilot)[0].values()
        assert record["resolution"] == pytest.approx(3 / runs)


def test_runs_of_a_pilot_decide_what_too_few_fresh_ones_leave_open(tmp_path):
    """12 seeds, 24 runs of each algorithm: a rare kind of run might be in none of them. The pilot has 200 more."""
    claim = {"C1": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE]}}
    table, curves = columns(), [replace(c, seeds=12, chunk=12) for c in CURVES]
    few = {name: values[table["seed"] < 12] for name, values in table.items()}
    pilot = [shown_row(name, 200, None) for name in (CENTRAL, BASE)]
    found = [records(tmp_path, claim, few, curves=curves, pilot=each)[0]["C1", "printed"] for each in ([], pilot)]
    assert [each["verdict"] for each in found] == ["unclear", "holds"]
    assert [each["needs"]["what"] for each in found] == ["runs", "none"]
    assert found[0]["interval"] == found[1]["interval"]


def test_linear_runs_of_a_pilot_leave_a_claim_open(tmp_path):
    """In the pilot a central run of 100 rounds has a regret of 20000 now and then, where here all have about 110."""
    claim = {"C1": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE]}}
    for linear, verdict in ((None, "holds"), (200.0, "unclear")):
        pilot = [shown_row(CENTRAL, 820, linear)]
        assert records(tmp_path, claim, pilot=pilot)[0]["C1", "printed"]["verdict"] == verdict


def test_same_input_gives_same_bytes_whatever_the_order_of_rows(tmp_path):
    _, first = records(tmp_path)
    _, second = records(tmp_path)
    table = columns()
    order = np.random.default_rng(3).permutation(len(table["seed"]))
    _, shuffled = records(tmp_path, table={name: values[order] for name, values in table.items()})
    assert first == second == shuffled


def test_a_record_depends_on_claim_and_calibration_alone(tmp_path):
    """Not on the other claims, their order, the scale, or other curves of the table."""
    alone = {
        key: records(tmp_path, {key[0]: CLAIMS[key[0]]})[0][key] for key in (("C1", "certified"), ("C2", "printed"))
    }
    reverse, _ = records(tmp_path, dict(reversed(CLAIMS.items())), columns([*ROWS, (LOCAL, "certified", "", 0.1, 5.0)]))
    assert {key: reverse[key] for key in alone} == alone
    full, _ = records(tmp_path, scale="full")
    assert {key: full[key] | {"scale": "quick"} for key in alone} == alone


def test_claims_that_say_the_same_have_the_same_intervals(tmp_path):
    """Two claims, and two calibrations of which one stands for the other."""
    test = CLOSE | {"curves": [OTHER], "at": {"eps": [1]}}
    same = CLAIM | {"calibrations": ["printed", "certified"], "tests": [test]}
    found, _ = records(tmp_path, {"C1": same, "C2": same}, columns([*ROWS, (OTHER, "printed", "", np.nan, 102.0)]))
    assert len(found) == 4
    assert len({(r["estimate"], *r["interval"], *r["joint"], r["resolution"]) for r in found.values()}) == 1


def test_all_runs_of_a_curve_count_for_what_would_have_been_seen(tmp_path):
    """The central and the local curve have 180 runs at two budgets, and so has the baseline with its variant."""
    over = CLOSE | {"against": f"{CENTRAL}@certified", "at": {"eps": [1]}}
    claims = {
        f"C{k}": CLAIM | {"calibrations": ["printed"], "tests": [test]}
        for k, test in enumerate((CLOSE, over, ORDER), 1)
    }
    found, _ = records(tmp_path, claims)
    assert [record["resolution"] for record in found.values()] == [1.5 / SEEDS] * 3


# Which rows a comparison is about


def test_runs_are_ordered_by_seed_without_those_of_variants():
    table = columns()
    reverse = {name: values[::-1] for name, values in table.items()}
    for runs in (table, reverse):
        found = Runs(runs, CURVES, "printed", COINCIDES)(CENTRAL, {"eps": 1.0})
        np.testing.assert_array_equal(found, table["regret"][3 * SEEDS : 4 * SEEDS])


def test_a_variant_goes_by_its_own_name():
    table = columns()
    sample = Runs(table, CURVES, "printed", COINCIDES)
    np.testing.assert_array_equal(sample(BASE, {}), table["regret"][:SEEDS])
    np.testing.assert_array_equal(sample(f"{BASE}:wide", {}), table["regret"][SEEDS : 2 * SEEDS])


def test_another_column_is_that_of_the_same_rows():
    table = columns()
    table["misses"] = np.arange(len(table["seed"]))
    found = Runs(table, CURVES, "certified", COINCIDES)(CENTRAL, {"eps": 1.0}, "misses")
    assert found.tolist() == list(range(5 * SEEDS, 6 * SEEDS))


def test_an_output_is_nan_where_no_curve_has_it_and_a_fault_where_it_was_not_read():
    table = filled(columns(), {"misses", "regret"})
    sample = Runs(table, CURVES, "certified", COINCIDES)
    assert np.isnan(sample(CENTRAL, {"eps": 1.0}, "misses")).tolist() == [True] * SEEDS
    np.testing.assert_array_equal(sample(CENTRAL, {"eps": 1.0}), table["regret"][5 * SEEDS : 6 * SEEDS])
    with pytest.raises(KeyError, match="late_regret"):
        sample(CENTRAL, {"eps": 1.0}, "late_regret")


def test_a_calibration_that_coincides_stands_for_the_other():
    """The baseline has no noise: its printed runs stand for certified ones, at every budget."""
    table = columns()
    certified = Runs(table, CURVES, "certified", COINCIDES)
    for eps in BUDGETS:
        np.testing.assert_array_equal(certified(BASE, {"eps": eps}), table["regret"][:SEEDS])
    np.testing.assert_array_equal(certified(CENTRAL, {"eps": 0.1}), table["regret"][4 * SEEDS : 5 * SEEDS])
    with pytest.raises(KeyError, match="certified"):
        certified(LOCAL, {"eps": 1.0})


def test_a_curve_that_names_a_calibration_has_its_runs_whatever_is_judged():
    table = columns()
    wanted = {f"{CENTRAL}@printed": 3, CENTRAL: 5, f"{CENTRAL}@certified": 5, f"{BASE}@certified": 0, f"{BASE}:wide": 1}
    wanted[f"{BASE}:wide@printed"] = 1
    sample = Runs(table, CURVES, "certified", COINCIDES)
    for name, k in wanted.items():
        np.testing.assert_array_equal(sample(name, {"eps": 1.0}), table["regret"][k * SEEDS : (k + 1) * SEEDS])
    printed = Runs(table, CURVES, "printed", COINCIDES)
    np.testing.assert_array_equal(printed(f"{CENTRAL}@certified", {"eps": 1.0}), sample(CENTRAL, {"eps": 1.0}))


def test_a_calibration_is_compared_with_another(tmp_path):
    """131 of the certified runs over 111 of the printed ones."""
    test = CLOSE | {"against": f"{CENTRAL}@printed", "at": {"eps": [1]}}
    found, _ = records(tmp_path, {"C1": CLAIM | {"calibrations": ["certified"], "tests": [test]}})
    record = found["C1", "certified"]
    assert record["decisive"] == f"{CENTRAL} / {CENTRAL}@printed at eps = 1"
    assert record["estimate"] == pytest.approx(131 / 111, rel=0.01)


def grid_table(rows):
    """One row a point and seed; the regret is 10 times the number of the row's point, plus the seed."""
    seeds = np.arange(3)
    parts = [
        {"algorithm": a, "calibration": c, "variant": v, **dict.fromkeys(("T", "eps", "arms", "width"), np.nan)} | point
        for a, c, v, point in rows
    ]
    table = {name: np.repeat(np.array([part[name] for part in parts], dtype=object), 3) for name in parts[0]}
    for name in ("T", "eps", "arms", "width"):
        table[name] = table[name].astype(float)
    regret = np.concatenate([10.0 * k + seeds for k in range(len(parts))])
    return table | {"seed": np.tile(seeds, len(parts)), "regret": regret}


POINTS = [
    {"T": 100.0, "eps": 1.0, "arms": 2.0, "width": 1.0},
    {"T": 50.0, "eps": 1.0, "arms": 2.0, "width": 1.0},
    {"T": 100.0, "eps": 1.0, "arms": 8.0, "width": 1.0},
    {"T": 100.0, "eps": 1.0, "arms": 2.0, "width": 0.5},
]
PLAIN_POINTS = [{"T": 100.0, "arms": 2.0}, {"T": 50.0, "arms": 2.0}, {"T": 100.0, "arms": 8.0}]
FILLED = [curve(CENTRAL, tuple(POINTS), width=1.0), curve(BASE, tuple(PLAIN_POINTS))]
FILLED_TABLE = grid_table(
    [*((CENTRAL, "printed", "", point) for point in POINTS), *((BASE, "printed", "", point) for point in PLAIN_POINTS)]
)


@pytest.mark.parametrize(
    ("setting", "central", "base"),
    [
        ({"eps": 1.0}, 0, 40),
        ({"eps": 1.0, "T": 100.0, "arms": 2.0}, 0, 40),
        ({"eps": 1.0, "T": 50.0}, 10, 50),
        ({"eps": 1.0, "arms": 8.0}, 20, 60),
        ({"eps": 1.0, "width": 0.5}, 30, 40),
        ({"eps": 1.0, "width": 1.0}, 0, 40),
    ],
)
def test_a_grid_value_that_is_not_given_is_the_default_of_the_curve(setting, central, base):
    """Horizon 100, two arms, width 1; the baseline here knows neither budget nor width, and has any."""
    sample = Runs(FILLED_TABLE, FILLED, "printed", COINCIDES)
    assert sample(CENTRAL, setting).tolist() == [central, central + 1, central + 2]
    assert sample(BASE, setting).tolist() == [base, base + 1, base + 2]


def test_the_default_is_that_of_the_calibration():
    """Tuned runs have half the width where a setting does not say."""
    tuned = [{**point, "width": point["width"] / 2} for point in POINTS[:1]] + [{**POINTS[0], "width": 1.0}]
    runs = grid_table([*((CENTRAL, "printed", "", p) for p in POINTS), *((CENTRAL, "tuned", "", p) for p in tuned)])
    every = [FILLED[0], curve(CENTRAL, tuple(tuned), calibration="tuned", width=0.5)]
    coincides = {CENTRAL: {"printed": "printed", "tuned": "tuned"}}
    assert Runs(runs, every, "tuned", coincides)(CENTRAL, {"eps": 1.0}).tolist() == [40, 41, 42]
    assert Runs(runs, every, "tuned", coincides)(CENTRAL, {"eps": 1.0, "width": 1.0}).tolist() == [50, 51, 52]
    assert Runs(runs, every, "printed", coincides)(CENTRAL, {"eps": 1.0}).tolist() == [0, 1, 2]


# Variants of claims, and tests of some calibrations only


VARIED = {
    "C1": CLAIM
    | {
        "calibrations": ["printed", "certified"],
        "tests": [CLOSE],
        "note": "The claim.",
        "variants": {
            "strict": {"note": "Stricter.", "subject": "paper", "tests": [CLOSE | {"bounds": [None, 1.05]}]},
            "half": {"note": "One calibration.", "subject": "paper", "calibrations": ["printed"]},
        },
    },
    "C2": CLAIM | {"calibrations": ["printed"], "tests": [ORDER]},
}


def test_cases_are_claims_with_their_variants_by_calibration():
    found = list(cases(claims_of(VARIED)))
    assert [case[:3] for case in found] == [
        ("C1", "", "printed"),
        ("C1", "", "certified"),
        ("C1", "strict", "printed"),
        ("C1", "strict", "certified"),
        ("C1", "half", "printed"),
        ("C2", "", "printed"),
    ]
    bounds = {case[:3]: case[3].tests[0].allowed for case in found}
    assert bounds["C1", "", "certified"] == bounds["C1", "half", "printed"] == (None, 1.2)
    assert bounds["C1", "strict", "certified"] == (None, 1.05)
    assert {case[3].statement for case in found} == {"It does."}


def test_a_variant_is_a_record_of_its_own(tmp_path):
    """1.10 against 1.2, and against 1.05."""
    record, _ = written(tmp_path, VARIED)
    found = {(r["id"], r["variant"], r["calibration"]): r for r in record["records"]}
    assert len(found) == len(record["records"]) == 6
    verdicts = {key: r["verdict"] for key, r in found.items() if r["id"] == "toy2000/C1"}
    assert verdicts == {
        ("toy2000/C1", "", "printed"): "holds",
        ("toy2000/C1", "", "certified"): "fails",
        ("toy2000/C1", "strict", "printed"): "fails",
        ("toy2000/C1", "strict", "certified"): "fails",
        ("toy2000/C1", "half", "printed"): "holds",
    }
    notes = [found["toy2000/C1", variant, "printed"]["note"] for variant in ("", "strict", "half")]
    assert notes == ["The claim.", "Stricter.", "One calibration."]
    same = [found["toy2000/C1", variant, "printed"] for variant in ("", "half")]
    assert len({(each["estimate"], *each["interval"], *each["joint"]) for each in same}) == 1
    alone, _ = written(tmp_path, {"C1": {name: value for name, value in VARIED["C1"].items() if name != "variants"}})
    assert alone["records"] == record["records"][:2]


def test_a_test_may_speak_about_some_calibrations_only(tmp_path):
    """1.10 for the printed constants against 1.2; 1.30 for the certified ones against 1.4."""
    tests = [CLOSE | {"calibrations": ["printed"]}, CLOSE | {"calibrations": ["certified"], "bounds": [None, 1.4]}]
    section = CLAIM | {
        "calibrations": ["printed", "certified"],
        "tests": [*tests, ORDER | {"calibrations": ["printed"]}],
    }
    first, second, third = claim_of(section).tests
    assert claim_of(section).tests_of("certified") == [second]
    assert claim_of(section).tests_of("printed") == [first, third]
    found, _ = records(tmp_path, {"C1": section})
    assert {key[1]: (r["verdict"], r["comparisons"]) for key, r in found.items()} == {
        "printed": ("holds", 3),
        "certified": ("holds", 2),
    }


# Counts


NEVER = {"predicate": "never", "curves": [CENTRAL], "at": {"eps": [0.1, 1]}, "reading": "never"}
NEVER |= {"column": "misses", "above": 0, "rate": 0.01}


def many(events):
    """A table of 600 seeds at two budgets, so many of whose 1200 runs miss."""
    seeds = 600
    names = np.repeat([CENTRAL], 2 * seeds).astype(object)
    misses = np.zeros(2 * seeds)
    misses[np.linspace(0, 2 * seeds - 1, events, dtype=int)] = 2.0
    return {
        "algorithm": names,
        "calibration": np.full(2 * seeds, "printed", dtype=object),
        "variant": np.full(2 * seeds, "", dtype=object),
        "eps": np.repeat(BUDGETS, seeds),
        "seed": np.tile(np.arange(seeds), 2),
        "regret": np.ones(2 * seeds),
        "misses": misses,
    }


@pytest.mark.parametrize(
    ("events", "verdict", "low", "high"),
    [
        (0, "holds", 0.0, 0.003069346),
        (12, "unclear", 0.005177520, 0.017402773),
        (24, "fails", 0.012855379, 0.029613001),
    ],
)
def test_rare_events_are_counted_over_all_settings(tmp_path, events, verdict, low, high):
    """Of 1200 runs against a rate of 1 %; Clopper and Pearson's bounds from scipy.stats.binomtest."""
    claim = CLAIM | {"calibrations": ["printed"], "tests": [NEVER]}
    curves = [replace(c, seeds=600) for c in CURVES]
    (record,) = records(tmp_path, {"C1": claim}, many(events), curves=curves)[0].values()
    assert (record["verdict"], record["comparisons"], record["n"]) == (verdict, 1, 600)
    assert record["estimate"] == events / 1200
    assert record["interval"] == pytest.approx([low, high], rel=1e-6, abs=1e-9)
    assert record["needs"] == {"what": "none", "seeds": None, "cost": None}
    assert set(record) == FIELDS


def test_too_few_runs_without_the_event_say_how_many_seeds_are_missing(tmp_path):
    """60 runs of 30 seeds; 0.99**368 is just below 2.5 %, so that 184 seeds do it, in whole chunks of 15."""
    table = columns() | {"misses": np.zeros(len(ROWS) * SEEDS)}
    claim = CLAIM | {"calibrations": ["printed"], "tests": [NEVER]}
    (record,) = records(tmp_path, {"C1": claim}, table)[0].values()
    assert record["verdict"] == "unclear"
    assert (record["needs"]["what"], record["needs"]["seeds"]) == ("seeds", 195)
    assert record["needs"]["cost"] == pytest.approx((195 - SEEDS) * 0.024, abs=0.05)


# Closed forms


FORM = {"reading": "level", "function": "epsilon_over_eps", "arguments": {"eps": [0.1, 1]}, "bounds": [None, 1]}
EXACT = CLAIM | {"kind": "analytic", "calibrations": ["printed", "certified"], "tests": [FORM]}
EXACT = {name: value for name, value in EXACT.items() if name != "experiment"}


@pytest.fixture(autouse=True)
def closed_form(monkeypatch):
    """A closed form beside those of a paper: printed noise is half of what is needed."""

    def epsilon_over_eps(calibration, eps):
        return [(f"eps = {each:g}", (2.0 if calibration == "printed" else 1.0) * each / each) for each in eps]

    monkeypatch.setattr(hanna2022, "epsilon_over_eps", epsilon_over_eps, raising=False)


def test_a_closed_form_gets_the_calibration_where_it_takes_one():
    printed = judge_closed_forms("hanna2022", claim_of(EXACT), "printed", [], {})
    certified = judge_closed_forms("hanna2022", claim_of(EXACT), "certified", [], {})
    assert (printed["verdict"], printed["estimate"]) == ("fails", 2.0)
    assert (certified["verdict"], certified["estimate"]) == ("holds", 1.0)
    for found in (printed, certified):
        assert (found["comparisons"], found["n"], found["level"]) == (2, None, None)
        assert found["needs"] == {"what": "none", "seeds": None, "cost": None}


def test_a_closed_form_without_a_calibration_does_not_get_one():
    test = {"reading": "q", "function": "growth_factor", "arguments": {"horizon": [1000]}, "bounds": [2.718, 7.39]}
    claim = claim_of(EXACT | {"tests": [test]})
    found = [judge_closed_forms("hanna2022", claim, each, [], {}) for each in ("printed", "certified")]
    assert found[0] == found[1]
    assert found[0]["estimate"] == pytest.approx(np.exp(np.log(2000) / np.log(1000)))
    assert found[0]["verdict"] == "holds"


@pytest.mark.parametrize(
    ("value", "verdict"), [((0.2, 0.9), "holds"), ((1.1, 1.5), "fails"), ((0.9, 1.1), "unclear"), ((1.0, 1.0), "holds")]
)
def test_bounds_on_a_number_are_an_interval(monkeypatch, value, verdict):
    monkeypatch.setattr(hanna2022, "epsilon_over_eps", lambda calibration, eps: [("level", value)])
    found = judge_closed_forms("hanna2022", claim_of(EXACT), "printed", [], {})
    assert (found["verdict"], found["interval"]) == (verdict, list(value))


def test_a_record_of_closed_forms_names_them(tmp_path):
    path, out = tmp_path / "small.parquet", tmp_path / "claims.json"
    write_table(path, columns(), {})
    other = {"reading": "q", "function": "growth_factor", "arguments": {"horizon": [1000]}, "bounds": [2, 8]}
    claims = {"C1": EXACT | {"tests": [FORM, other, FORM | {"calibrations": ["printed"]}]}}
    found = judge(
        "hanna2022",
        "quick",
        claims_of(claims),
        {},
        rules_of(),
        FIGURES,
        {"small": CURVES},
        COINCIDES,
        {"small": path},
        audited(tmp_path),
        out,
    )
    assert [(r["calibration"], r["verdict"], r["comparisons"]) for r in found] == [
        ("printed", "fails", 5),
        ("certified", "holds", 3),
    ]
    place = "dpbandits.claims.closed_forms.hanna2022.functions"
    assert {r["evidence"]["table"] for r in found} == {f"{place}.epsilon_over_eps, {place}.growth_factor"}
    assert all(set(record) == FIELDS for record in found)


def test_arguments_that_give_no_number_are_named(tmp_path):
    path, out = tmp_path / "small.parquet", tmp_path / "claims.json"
    write_table(path, columns(), {})
    claims = {"C7": EXACT | {"tests": [FORM | {"arguments": {"eps": [0]}}]}}
    with pytest.raises(DamagedFile, match=r"^hanna2022/C7/printed: cannot be judged: "):
        judge(
            "hanna2022",
            "quick",
            claims_of(claims),
            {},
            rules_of(),
            {},
            {"small": CURVES},
            COINCIDES,
            {"small": path},
            audited(tmp_path),
            out,
        )
    assert not out.exists()


# Measurements


QUANTITY = {name: value for name, value in CLOSE.items() if name != "bounds"}
MEASUREMENTS = {
    "ratio": {
        "says": "Ratios.",
        "experiment": "small",
        "calibrations": ["printed", "certified"],
        "tests": [QUANTITY, QUANTITY | {"reading": "at 1", "at": {"eps": [1]}}],
    }
}


def test_measurements_are_estimates_without_a_verdict(tmp_path):
    """Means 110 and 111 over 100 with the printed constants, 130 and 131 with certified ones."""
    record, _ = written(tmp_path, {}, measurements=MEASUREMENTS)
    assert record["records"] == []
    printed, certified = record["measurements"]
    assert set(printed) == {"name", "says", "calibration", "n", "level", "details", "unplayed", "unresolved"}
    assert (printed["name"], printed["says"], printed["calibration"]) == ("ratio", "Ratios.", "printed")
    assert (printed["n"], printed["level"]) == (SEEDS, 0.95)
    assert [row["reading"] for row in printed["details"]] == ["close", "close", "at 1"]
    assert all(set(row) == {"reading", "label", "curve", "estimate", "interval"} for row in printed["details"])
    table = columns()
    means = {row[:4]: table["regret"][k * SEEDS : (k + 1) * SEEDS].mean() for k, row in enumerate(ROWS)}
    for found, calibration in ((printed, "printed"), (certified, "certified")):
        wanted = [means[CENTRAL, calibration, "", eps] / table["regret"][:SEEDS].mean() for eps in (*BUDGETS, 1.0)]
        assert [row["estimate"] for row in found["details"]] == pytest.approx(wanted, rel=1e-12)
        assert all(row["interval"][0] < row["estimate"] < row["interval"][1] for row in found["details"])


def test_a_sample_knows_the_horizon_of_its_curve():
    """Of the setting, else of the curve; one value a run."""
    sample = Runs(columns(), CURVES, "printed", COINCIDES)
    assert sample(CENTRAL, {"eps": BUDGETS[0]}, "T").tolist() == [100.0] * SEEDS
    assert sample(CENTRAL, {"eps": BUDGETS[0], "T": 50.0}, "T").tolist() == [50.0] * SEEDS


def test_every_comparison_of_a_measurement_has_an_interval_of_its_own(tmp_path):
    """A comparison has the same interval in a test of one as in a test of two."""
    record, _ = written(tmp_path, {}, measurements=MEASUREMENTS)
    _, among, alone = record["measurements"][0]["details"]
    assert among | {"reading": "at 1"} == alone


def test_a_measurement_has_the_intervals_of_a_claim(tmp_path):
    """All runs of the curves count in both."""
    record, _ = written(tmp_path, CLAIMS, measurements=MEASUREMENTS)
    claimed, found = record["records"][0]["details"], record["measurements"][0]["details"]
    assert [row["interval"] for row in claimed] == [row["interval"] for row in found[:2]]


def test_a_test_of_a_measurement_may_speak_about_some_calibrations_only(tmp_path):
    """The local algorithm has no certified runs here."""
    local = QUANTITY | {"curves": [LOCAL], "calibrations": ["printed"]}
    section = MEASUREMENTS["ratio"] | {"tests": [QUANTITY, local]}
    record, _ = written(tmp_path, {}, measurements={"ratio": section})
    assert [len(each["details"]) for each in record["measurements"]] == [4, 2]


def test_measurements_do_not_depend_on_claims_and_claims_not_on_them(tmp_path):
    both, _ = written(tmp_path, CLAIMS, measurements=MEASUREMENTS)
    assert both["records"] == written(tmp_path)[0]["records"]
    assert both["measurements"] == written(tmp_path, {}, measurements=MEASUREMENTS)[0]["measurements"]


def test_data_that_cannot_be_compared_are_named(tmp_path):
    """One seed alone has no interval."""
    table = columns()
    one = {name: values[table["seed"] == 0] for name, values in table.items()}
    with pytest.raises(DamagedFile, match=r"^toy2000/C1/printed: cannot be judged: "):
        written(tmp_path, CLAIMS, one)
    with pytest.raises(DamagedFile, match=r"^toy2000/ratio/printed: cannot be judged: "):
        written(tmp_path, {}, one, measurements=MEASUREMENTS)
    varied = {"C1": claim_of(VARIED["C1"]).model_copy(update={"calibrations": ()})}
    with pytest.raises(DamagedFile, match=r"^toy2000/C1/half/printed: cannot be judged: "):
        written(tmp_path, varied, one)


def test_which_outputs_are_judged():
    """Those of tests, of what they compare with, of gates, and of the changes that variants make."""
    test = {"curves": ["ucb1"], "against": "dp_ucb", "predicate": "ratio_between", "at": {"eps": [1]}}
    test |= {"reading": "r", "bounds": [None, 1]}
    counted = {"note": "Counted.", "subject": "paper", "tests": [test | {"column": "misses"}]}
    claims = {
        "C1": CLAIM | {"experiment": "one", "tests": [test | {"against_column": "exact"}], "gated": False},
        "C2": CLAIM
        | {
            "experiment": "two",
            "tests": [test],
            "variants": {"counted": counted, "free": {"note": "Free.", "subject": "paper", "gated": False}},
        },
        "C3": EXACT,
    }
    steps = {"reading": "r", "predicate": "mean_of", "curves": ["ucb1"], "column": "steps", "at": {"eps": [1]}}
    measurements = measurements_of({"levels": {"experiment": "three", "tests": [steps], "gated": False}})
    rules = rules_of([{"column": "late_regret", "over": "regret", "at_most": 1}])
    assert judged_outputs(claims_of(claims), measurements, rules) == {
        "one": {"regret", "exact"},
        "two": {"regret", "late_regret", "misses"},
        "three": {"steps"},
    }
