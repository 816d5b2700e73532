"""Stage judge: tables in, claim records out."""

import json

import numpy as np
import pytest

from dpbandits.experiments.curves import Curve
from dpbandits.stages.judge import judge, sampler
from dpbandits.storage import write_table

BASE, CENTRAL, LOCAL = "phased_elimination", "phased_elimination_central", "phased_elimination_local"
OTHER = "lazy_baseline"  # another one whose printed runs stand for its certified ones
COINCIDES = {
    BASE: {"printed": "printed", "certified": "printed"},
    OTHER: {"printed": "printed", "certified": "printed"},
    CENTRAL: {"printed": "printed", "certified": "certified"},
    LOCAL: {"printed": "printed"},
}
BUDGETS = (0.1, 1.0)
SEEDS = 30
ROWS = [  # algorithm, calibration, variant, eps, mean regret
    (BASE, "printed", "", np.nan, 100.0),
    (BASE, "printed", "wide", np.nan, 900.0),
    *((CENTRAL, "printed", "", eps, 110.0 + k) for k, eps in enumerate(BUDGETS)),
    *((CENTRAL, "certified", "", eps, 130.0 + k) for k, eps in enumerate(BUDGETS)),
    *((LOCAL, "printed", "", eps, 300.0 - 100 * k) for k, eps in enumerate(BUDGETS)),
]
CLAIM = {"where": "Figure 9", "says": "It does.", "kind": "statistical", "severity": "detail", "strength": "stated"}
CLAIM |= {"experiment": "small", "combine": "all"}
CLOSE = {"predicate": "ratio_between", "curves": [CENTRAL], "against": BASE, "at": {"eps": [0.1, 1]}}
CLOSE |= {"reading": "close", "bounds": [None, 1.2]}
ORDER = {"predicate": "ordered", "curves": [CENTRAL, LOCAL], "at": {"eps": [1]}, "reading": "in order"}
CLAIMS = {
    "C1": CLAIM | {"calibrations": ["printed", "certified"], "tests": [CLOSE]},
    "C2": CLAIM | {"calibrations": ["printed"], "tests": [ORDER, CLOSE], "note": "A note."},
    "C3": CLAIM | {"calibrations": ["printed"], "tests": [CLOSE | {"bounds": [None, 1.101]}]},
}
FIGURES = {"other": {"claims": ["C9"]}, "one": {"claims": ["C1", "C3"]}, "two": {"claims": ["C1"]}}
FIELDS = {  # the contract, and what explains a record
    *("id", "paper", "where", "says", "kind", "calibration", "variant", "scale", "verdict", "estimate", "interval"),
    *("level", "comparisons", "n", "margin", "needs", "evidence"),
    *("severity", "strength", "note", "decisive", "readings", "details"),
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


def curve(algorithm, points, replicates):
    return Curve(
        paper="toy2000",
        experiment="small",
        algorithm=algorithm,
        calibration="printed",
        variant="",
        environment={"family": "linear", "arms": 2, "dimension": 1},
        horizon=100,
        checkpoints_per_decade=1,
        parameters={},
        points=points,
        replicates=replicates,
        seeds=SEEDS,
        chunk=15,
        milliseconds=2.0,
    )


CURVES = {"small": [curve(BASE, ({},), 10), curve(CENTRAL, ({"eps": 0.1}, {"eps": 1.0}), 1)]}


def records(folder, claims=CLAIMS, table=None, root_seed=7, scale="quick"):
    """Judge through files; the records by claim and calibration, and the bytes that were written."""
    path, out = folder / "small.parquet", folder / "claims.json"
    write_table(path, table or columns(), {})
    found = judge("toy2000", scale, root_seed, claims, FIGURES, CURVES, COINCIDES, {"small": path}, out)
    written = json.loads(out.read_text())
    assert written == {"paper": "toy2000", "scale": scale, "records": found}
    return {(r["id"].partition("/")[2], r["calibration"]): r for r in found}, out.read_bytes()


def test_records_have_all_fields_of_the_contract(tmp_path):
    found, _ = records(tmp_path)
    assert list(found) == [("C1", "printed"), ("C1", "certified"), ("C2", "printed"), ("C3", "printed")]
    assert all(set(record) == FIELDS for record in found.values())
    first = found["C1", "printed"]
    expected = {
        "id": "toy2000/C1",
        "paper": "toy2000",
        "where": "Figure 9",
        "says": "It does.",
        "kind": "statistical",
        "severity": "detail",
        "strength": "stated",
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
    """1.11 and 1.31 against at most 1.2; 111 against 200; 1.11 against at most 1.101, of 30 seeds in chunks of 15.

    A seed costs 10 runs of the baseline and 2 of the other curve, of 2 ms each.
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


def test_same_input_gives_same_bytes_whatever_the_order_of_rows(tmp_path):
    _, first = records(tmp_path)
    _, second = records(tmp_path)
    table = columns()
    order = np.random.default_rng(3).permutation(len(table["seed"]))
    _, shuffled = records(tmp_path, table={name: values[order] for name, values in table.items()})
    assert first == second == shuffled


def test_resamples_depend_on_claim_and_calibration_alone(tmp_path):
    """Not on the other claims, their order, the scale, or other curves of the table; but on the root seed."""
    alone = {
        key: records(tmp_path, {key[0]: CLAIMS[key[0]]})[0][key] for key in (("C1", "certified"), ("C2", "printed"))
    }
    reverse, _ = records(tmp_path, dict(reversed(CLAIMS.items())), columns([*ROWS, (LOCAL, "certified", "", 0.1, 5.0)]))
    assert {key: reverse[key] for key in alone} == alone
    full, _ = records(tmp_path, scale="full")
    assert {key: full[key] | {"scale": "quick"} for key in alone} == alone
    other, _ = records(tmp_path, root_seed=8)
    assert all(other[key]["interval"] != alone[key]["interval"] for key in alone)


def test_every_claim_and_calibration_has_resamples_of_its_own(tmp_path):
    """Two claims that say the same, and two calibrations of which one stands for the other."""
    test = CLOSE | {"curves": [OTHER], "at": {"eps": [1]}}
    same = CLAIM | {"calibrations": ["printed", "certified"], "tests": [test]}
    found, _ = records(tmp_path, {"C1": same, "C2": same}, columns([*ROWS, (OTHER, "printed", "", np.nan, 102.0)]))
    assert len({record["estimate"] for record in found.values()}) == 1
    assert len({tuple(record["interval"]) for record in found.values()}) == 4


# Which rows a comparison is about


def test_sampler_orders_by_seed_and_leaves_variants_out():
    table = columns()
    reverse = {name: values[::-1] for name, values in table.items()}
    for runs in (table, reverse):
        found = sampler(runs, "printed", COINCIDES)(CENTRAL, {"eps": 1.0})
        np.testing.assert_array_equal(found, table["regret"][3 * SEEDS : 4 * SEEDS])


def test_a_calibration_that_coincides_stands_for_the_other():
    """The baseline has no noise: its printed runs stand for certified ones, at every budget."""
    table = columns()
    certified = sampler(table, "certified", COINCIDES)
    for eps in BUDGETS:
        np.testing.assert_array_equal(certified(BASE, {"eps": eps}), table["regret"][:SEEDS])
    np.testing.assert_array_equal(certified(CENTRAL, {"eps": 0.1}), table["regret"][4 * SEEDS : 5 * SEEDS])
    with pytest.raises(KeyError, match="certified"):
        certified(LOCAL, {"eps": 1.0})
