"""Stage pilot: tables of a pilot in, chances that its claims are decided out."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import DamagedFile
from dpbandits.claims.chances import Chances
from dpbandits.config.models.pilots import PilotFile
from dpbandits.config.validation import validate
from dpbandits.planning.allocation import SIZES
from dpbandits.stages import pilot as stage
from dpbandits.stages.pilot import lines_of, pilot, played_rows, rounded

from .sections import claims_of, rules_of
from .test_judge_stage import BASE, CENTRAL, CLAIM, CLAIMS, CLOSE, COINCIDES, CURVES, LOCAL, columns

T_TEST = CLOSE | {"at": {"eps": [0.1], "T": [100, 400]}}


def ran(folder, claims=CLAIMS, curves=CURVES, quick=None, table=None):
    path, out = folder / "small.parquet", folder / "forecasts.json"
    write_table(path, table or columns(), {})
    pilot(
        "toy2000",
        5,
        claims_of(claims),
        rules_of(()),
        {"small": curves},
        {"small": quick or curves},
        COINCIDES,
        {"small": path},
        out,
    )
    return json.loads(out.read_text(encoding="utf-8")), out


def test_a_row_for_every_case_of_every_statistical_claim_and_no_other(tmp_path):
    record, out = ran(tmp_path)
    validate(record, PilotFile, "record")
    assert list(record) == ["paper", "root_seed", "sizes", "experiments", "shown", "claims"]
    assert record | {"shown": [], "claims": []} == {
        "paper": "toy2000",
        "root_seed": 5,
        "sizes": list(SIZES),
        "experiments": {"small": {"seeds": 90}},
        "shown": [],
        "claims": [],
    }
    cases = [(row["claim"], row["variant"], row["calibration"]) for row in record["claims"]]
    assert cases == [("C1", "", "printed"), ("C1", "", "certified"), ("C2", "", "printed"), ("C3", "", "printed")]
    assert out.read_text(encoding="utf-8").endswith("}\n]}\n")


def test_what_the_runs_show_of_every_algorithm(tmp_path):
    """90 seeds each: the baseline and its variant, two budgets of the others. A curve without runs shows nothing."""
    shown = ran(tmp_path)[0]["shown"]
    assert [(row["algorithm"], row["calibration"], row["runs"]) for row in shown] == [
        (BASE, "printed", 180),
        (CENTRAL, "certified", 180),
        (CENTRAL, "printed", 180),
        (LOCAL, "printed", 180),
    ]
    assert {(row["family"], *row["constants"], row["linear"]) for row in shown} == {("linear", None)}


def test_what_is_shown_has_the_constants_and_the_largest_linear_run(tmp_path):
    """Nine of 90 runs have a regret of 20000 or a little more in 100 rounds; the largest is 20080."""
    table, curves = columns(), [replace(curve, parameters={"width": 0.5, "core": 3.0}) for curve in CURVES]
    large = (table["algorithm"] == LOCAL) & (table["eps"] == 0.1) & (table["seed"] < 9)
    table["regret"][large] = 20000.0 + 10.0 * table["seed"][large]
    (row,) = (row for row in ran(tmp_path, curves=curves, table=table)[0]["shown"] if row["algorithm"] == LOCAL)
    assert row == {
        "algorithm": LOCAL,
        "calibration": "printed",
        "family": "linear",
        "constants": {"core": 3.0, "width": 0.5},
        "runs": 180,
        "linear": 200.8,
    }


def test_every_row_of_a_list_is_a_line_of_the_record(tmp_path):
    """So that a change of a committed record can be read; the first line has all that is no list of rows."""
    record, out = ran(tmp_path)
    first, *lines = out.read_text(encoding="utf-8").splitlines()
    middle = lines.index('], "claims": [')
    assert json.loads(f"{first}]}}") == {**{name: record[name] for name in list(record)[:4]}, "shown": []}
    assert lines[-1] == "]}"
    for name, rows in (("shown", lines[:middle]), ("claims", lines[middle + 1 : -1])):
        assert [json.loads(line.removesuffix(",")) for line in rows] == record[name]
        assert [line.endswith(",") for line in rows] == [True] * (len(rows) - 1) + [False]


@pytest.mark.parametrize(("shown", "claims"), [([], []), ([{"a": 1}], []), ([], [{"b": "é"}, {"c": None}])])
def test_a_record_without_rows_is_json_too(shown, claims):
    record = {"paper": "toy2000", "shown": shown, "claims": claims}
    assert json.loads(lines_of(record)) == record


def test_a_record_has_no_number_that_json_lacks():
    with pytest.raises(ValueError, match="not JSON compliant"):
        lines_of({"paper": "toy2000", "shown": [{"linear": float("inf")}], "claims": []})


@pytest.mark.parametrize(
    ("subject", "severity", "calibration", "group"),
    [
        ("paper", "headline", "printed", "main"),
        ("paper", "detail", "printed", "own"),
        ("paper", "headline", "certified", "main"),
        ("variant_of_ours", "headline", "printed", "other"),
        ("released_code", "detail", "printed", "other"),
    ],
)
def test_the_group_of_a_claim(tmp_path, subject, severity, calibration, group):
    claim = CLAIM | {"subject": subject, "severity": severity, "calibrations": [calibration], "tests": [CLOSE]}
    (row,) = ran(tmp_path, {"C1": claim})[0]["claims"]
    assert row["group"] == group


def test_numbers_have_six_digits_and_what_is_not_finite_is_null(tmp_path, monkeypatch):
    found = Chances("decisive", 1 / 3, float("nan"), (-float("inf"), 200 / 3), (1e-7 / 3,) * len(SIZES))
    monkeypatch.setattr(stage, "chances", lambda *_: found)
    (row, *_) = ran(tmp_path)[0]["claims"]
    assert (row["effect"], row["spread"], row["interval"]) == (0.333333, None, [None, 66.6667])
    assert row["chances"]["full"] == [3.33333e-8] * len(SIZES)
    assert rounded(0.0) == 0.0


def with_horizons(*horizons):
    """Curves and table of a baseline and a private algorithm, at eps = 0.1, at each of some horizons."""
    curves = [
        replace(CURVES[0], points=tuple({"T": t} for t in horizons), replicates=1),
        replace(CURVES[1], points=tuple({"T": t, "eps": 0.1} for t in horizons)),
    ]
    parts = []
    for k, horizon in enumerate(horizons):
        part = columns([(BASE, "printed", "", np.nan, 100.0), (CENTRAL, "printed", "", 0.1, 105.0 + k)])
        parts.append(part | {"T": np.full(len(part["seed"]), horizon)})
    return curves, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def test_quick_has_a_chance_only_by_cells_that_it_plays(tmp_path):
    curves, table = with_horizons(100.0, 400.0)
    shorter, _ = with_horizons(100.0, 200.0)
    kept = played_rows(table, curves, shorter)
    assert set(table["T"][kept]) == {100.0}
    assert set(table["T"][~kept]) == {400.0}
    both = CLAIM | {"calibrations": ["printed"], "tests": [T_TEST]}
    short = CLAIM | {"calibrations": ["printed"], "tests": [T_TEST | {"at": {"eps": [0.1], "T": [100]}}]}
    record, _ = ran(tmp_path, {"C1": both, "C2": short}, curves, shorter, table)
    cut, whole = (row["chances"] for row in record["claims"])
    assert max(cut["quick"]) == 0.0 < max(cut["full"])
    assert all(quick <= full for quick, full in zip(whole["quick"], whole["full"], strict=True)), "it shows fewer runs"
    assert max(whole["quick"]) == max(whole["full"])
    same, _ = ran(tmp_path, {"C1": both, "C2": short}, curves, curves, table)
    assert all(row["chances"]["quick"] == row["chances"]["full"] for row in same["claims"])


def test_quick_has_no_chance_where_it_plays_a_setting_with_another_horizon(tmp_path):
    """The settings have no horizon of their own, so that none of them looks cut."""
    shorter = [replace(curve, horizon=50) for curve in CURVES]
    record, _ = ran(tmp_path, quick=shorter)
    assert {max(row["chances"]["quick"]) for row in record["claims"]} == {0.0}
    assert all(max(row["chances"]["full"]) > 0.0 for row in record["claims"])
    assert not played_rows(columns(), CURVES, shorter).any()


def test_a_damaged_table_is_named(tmp_path):
    write_table(tmp_path / "small.parquet", columns(), {})
    (tmp_path / "small.parquet").write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match=r"small\.parquet"):
        pilot(
            "toy2000",
            5,
            claims_of(CLAIMS),
            rules_of(()),
            {"small": CURVES},
            {"small": CURVES},
            COINCIDES,
            {"small": tmp_path / "small.parquet"},
            tmp_path / "out.json",
        )


def test_a_table_of_another_grid_is_named(tmp_path):
    table = columns()
    del table["eps"]
    with pytest.raises(DamagedFile, match=r"small\.parquet: has no column eps, so it belongs to another experiment"):
        ran(tmp_path, table=table)
