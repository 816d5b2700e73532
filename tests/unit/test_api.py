"""The Python API: runs of the pipeline bit for bit, tidy frames, faults of one line, results as the files have them."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import dpbandits
import dpbandits.api as dpb
from dpbandits.base.parquet import read_table
from dpbandits.cli.main import main
from dpbandits.config.grid import curves
from dpbandits.figures import drawings
from dpbandits.figures.results import read_results
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import simulate
from tests.shipped import PAPERS, ROOT, shipped

from .small import ARMS, CENTRAL, CONFIG, KEY, LOCAL, PAPER, PLAIN, changed, load, write_project

STUDY, SCALING = f"{KEY}/study", f"{KEY}/scaling"
MEANS = {"family": "bernoulli_means", "means": [0.4, 0.5, 0.6]}


@pytest.fixture
def root(tmp_path):
    return write_project(tmp_path)


def chunk(root, experiment, index, seeds, tmp_path):
    """The columns that the pipeline writes for the first seeds of a curve, and the curve."""
    project = load(root)
    curve = curves(project, project.papers[KEY], experiment)[index]
    noise = tmp_path / "noise.json"
    if curve.calibration == "certified":
        calibrate(curve, "", noise)
    simulate(curve, project.root_seed, 0, seeds - 1, noise, "", tmp_path / "chunk.parquet")
    return read_table(tmp_path / "chunk.parquet")[0], curve


@pytest.mark.parametrize(
    ("experiment", "index", "algorithm", "calibration"),
    [("study", 0, PLAIN, "printed"), ("study", 2, CENTRAL, "certified"), ("scaling", 2, CENTRAL, "printed")],
)
def test_runs_are_those_of_a_chunk_of_the_pipeline(root, tmp_path, experiment, index, algorithm, calibration):
    columns, curve = chunk(root, experiment, index, 3, tmp_path)
    assert (curve.algorithm, curve.calibration) == (algorithm, calibration)
    first = columns["replicate"] == 0
    found = dpb.play(algorithm, f"{KEY}/{experiment}", seeds=3, calibration=calibration, project=root)
    assert len(found) == first.sum()
    for name in ("seed", "t", *(name for name in columns if name not in ("point", "seed", "replicate", "t"))):
        assert found[name].to_numpy().tobytes() == columns[name][first].astype(found[name].dtype).tobytes(), name
    horizons = [curve.horizon_at(curve.points[p]) for p in columns["point"][first]]
    assert found["T"].tolist() == horizons


def test_runs_with_other_settings_are_those_of_the_command(root, tmp_path):
    out = tmp_path / "runs.parquet"
    chosen = ["--algorithm", LOCAL, "--set", "eps=0.3", "--set", "T=64", "--set", "width=0.5", "--set", "arms=6"]
    command = ["--project", root, "run", STUDY, *chosen, "--seeds", 3, "--out", out]
    result = CliRunner().invoke(main, [str(word) for word in command])
    assert result.exit_code == 0, result.output
    columns, _ = read_table(out)
    others = {"width": [2, 0.5], "arms": 6}
    found = dpb.play(LOCAL, STUDY, eps=[0.3, 7], T=[64, 32], seeds=3, settings=others, project=root)
    same = found.query("eps == 0.3 and T == 64 and width == 0.5 and arms == 6")
    assert len(found) == 2 * 2 * (len(same) + len(found.query("eps == 7 and T == 32 and width == 2")))
    assert same["regret"].tolist() == columns["regret"].tolist()
    assert same["t"].tolist() == columns["t"].tolist()


def test_an_environment_by_itself_is_that_of_an_experiment(tmp_path):
    root = write_project(tmp_path, ARMS)
    constants = {"exploration": 2, "privacy_bonus": 3.0}
    family = {"family": "bernoulli_spread", "arms": 5.0, "best": 0.75, "gap": np.float64(0.1), "spread": 0}
    options = {"eps": 1, "T": 1000, "seeds": 3, "checkpoints": 0, "project": root}
    alone = dpb.play("anytime_lazy_ucb", family, settings=constants, **options)
    study = dpb.play("anytime_lazy_ucb", f"{KEY}/study", settings={"gap": 0.1}, **options)
    assert alone["regret"].tolist() == study["regret"].tolist()
    assert list(study.columns[:7]) == ["algorithm", "calibration", "variant", "eps", "gap", "T", "seed"]
    other = dpb.play("anytime_lazy_ucb", family, settings=constants, **options | {"root_seed": CONFIG["root_seed"] + 1})
    assert other["regret"].tolist() != alone["regret"].tolist()


def test_processes_change_nothing(root):
    options = {"seeds": 5, "T": 50, "project": root}
    pd.testing.assert_frame_equal(
        dpb.play(CENTRAL, STUDY, n_jobs=2, **options), dpb.play(CENTRAL, STUDY, **options), check_exact=True
    )


def test_rows_are_tidy(root):
    found = dpb.play(CENTRAL, SCALING, eps=[1, 2], T=100, seeds=2, settings={"arms": 4, "core_factor": 3}, project=root)
    assert list(found.columns[:10]) == [
        *("algorithm", "calibration", "variant", "eps", "arms", "core_factor", "T", "seed", "t", "regret"),
    ]
    assert not found.duplicated(["eps", "seed", "t"]).any()
    assert set(found["eps"]) == {1.0, 2.0}
    assert set(found["T"]) == {100}
    assert found["regret"].dtype == float
    assert found.notna().all(axis=None)


def test_checkpoints_are_chosen_and_leave_the_runs_as_they_are(root):
    options = {"eps": 1, "seeds": 2, "project": root}
    listed = dpb.play(CENTRAL, STUDY, checkpoints=[7, 500, 10_000], **options)
    assert listed["t"].tolist() == [7, 500, 1000] * 2
    ends = dpb.play(CENTRAL, STUDY, checkpoints=0, **options)
    assert ends["t"].tolist() == [1000, 1000]
    assert ends["regret"].tolist() == listed.query("t == 1000")["regret"].tolist()
    assert len(dpb.play(CENTRAL, STUDY, checkpoints=2, **options)) == 2 * 7


def test_a_sweep_plays_all_on_the_same_instances(root):
    found = dpb.sweep(
        [PLAIN, (CENTRAL, "certified"), f"{CENTRAL}:wide", (LOCAL, {"settings": {"width": 2}})],
        SCALING,
        eps=[1, 2],
        T=100,
        seeds=2,
        checkpoints=0,
        project=root,
    )
    labels = ["algorithm", "calibration", "variant"]
    assert found.groupby(labels, sort=False)["eps"].count().tolist() == [0, 12, 12, 8]
    assert found["algorithm"].value_counts().to_dict() == {CENTRAL: 24, LOCAL: 8, PLAIN: 4}
    assert list(found.columns[:4]) == ["algorithm", "calibration", "variant", "arms"]
    alone = dpb.play(LOCAL, SCALING, eps=2, T=100, seeds=2, checkpoints=0, settings={"width": 2}, project=root)
    rows = found.query("algorithm == @LOCAL and eps == 2")
    assert rows["regret"].tolist() == alone["regret"].tolist()


WHOLE = "must be a whole number"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"algorithm": "phased_eliminatio"}, "algorithm: unknown algorithm `phased_eliminatio`. Did you mean "),
        ({"algorithm": 3}, "algorithm: got '3'; must be a name or a class"),
        ({"algorithm": "ucb1"}, "algorithm: `ucb1` cannot be used with `linear`. Use one of: "),
        ({"algorithm": "regret_lower_bound"}, "algorithm: `regret_lower_bound` is a bound and has no runs. Use an al"),
        ({"algorithm": f"{CENTRAL}:x"}, "variant: got 'x'; must be one of: ''"),
        ({"environment": "two2020/study"}, f"environment: unknown paper `two2020`. Did you mean `{KEY}`? Use `{KEY}`"),
        ({"environment": f"{KEY}/stud"}, f"environment: unknown experiment `{KEY}/stud`. Did you mean `{STUDY}`? Use "),
        ({"environment": 7}, 'environment: got 7; must be "paper/experiment" or a mapping such as '),
        ({"environment": {"arms": 3}}, "environment.family: required key is missing. Add it."),
        ({"environment": {"family": "lineal"}}, "environment.family: unknown environment `lineal`. Did you mean `line"),
        ({"environment": {"family": "linear", "arms": 4}}, "environment.dimension: required key is missing; `linear` "),
        ({"environment": {"family": "linear", "arms": 1, "dimension": 2}}, f"environment.arms: got 1; {WHOLE} >= 2 "),
        ({"environment": {"family": "bernoulli_means", "means": 1}}, "environment.means: got 1; must be a list of n"),
        (
            {"environment": MEANS | {"means": [0.1, 2]}},
            "environment.means: got [0.1, 2]; must be a list of at least tw",
        ),
        ({"environment": MEANS | {"means": [0.1, 0.1]}, "algorithm": "ucb1", "eps": None}, "bernoulli_means: got mea"),
        (
            {"environment": MEANS, "T": None, "algorithm": "ucb1"},
            "T: required for an environment without an experiment",
        ),
        ({"environment": MEANS, "algorithm": "adap_ucb"}, "settings: `adap_ucb` needs alpha. Add them, or use an"),
        (
            {"environment": MEANS, "algorithm": "adap_ucb", "eps": None},
            "eps: required; `adap_ucb` needs it. Add eps=1.",
        ),
        ({"eps": 0}, "eps: got 0; must be >= 1e-06 and <= 1e+06"),
        ({"eps": [1, "x"]}, "eps: got 'x'; must be >= 1e-06 and <= 1e+06"),
        ({"eps": []}, "eps: got []; must be a number or a list of numbers"),
        ({"T": 7}, f"T: got 7; {WHOLE} >= 8 and <= 1e+12"),
        ({"seeds": 0}, f"seeds: got 0; {WHOLE} >= 1 and <= 1e+06"),
        ({"seeds": 2.5}, f"seeds: got 2.5; {WHOLE} >= 1 and <= 1e+06"),
        ({"n_jobs": 0}, f"n_jobs: got 0; {WHOLE} >= 1 and <= 1024"),
        ({"root_seed": -1}, f"root_seed: got -1; {WHOLE} >= 0 and <= 1.84467e+19"),
        ({"calibration": ["printed", "tuned"]}, "calibration: got \"['printed', 'tuned']\"; must be a name"),
        ({"settings": [("width", 1)]}, "settings: got \"[('width', 1)]\"; must be a mapping of names to values"),
        ({"calibration": "best"}, "calibration: got 'best'; must be one of: printed, tuned, certified"),
        ({"settings": {"K": 2}}, "settings: unknown name `K`. Use one of: T, arms, dimension, eps, width, "),
        ({"settings": {"width": -1}}, "settings: width: got -1; must be > 0"),
        ({"settings": {"whole_maximum": 0.5}}, "settings: whole_maximum: got 0.5; must be true or false"),
        ({"checkpoints": -1}, f"checkpoints: got -1; {WHOLE} >= 0 and <= 100"),
        ({"checkpoints": []}, "checkpoints: got []; must be rounds, or a number of checkpoints per decade"),
        ({"checkpoints": [0]}, f"checkpoints: got 0; {WHOLE} >= 1 and <= 1e+12"),
        ({"scale": "huge"}, "scale: got 'huge'; must be one of: smoke, quick, full, pilot"),
        ({"project": "/nowhere"}, "project: /nowhere does not contain config/config.yaml. Name the folder of a proj"),
    ],
)
def test_a_fault_is_one_line_that_names_the_argument(root, changes, says):
    usual = {"algorithm": CENTRAL, "environment": STUDY, "eps": 1, "T": 16, "seeds": 2, "project": root}
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.play(**usual | changes)
    (line,) = str(fault.value).splitlines()
    assert line.startswith(says), line


def test_outside_a_project_experiments_are_not_found_and_families_play(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = r"^config/config\.yaml: not found in this folder or above it\. Use project=DIR to name the folder"
    with pytest.raises(dpb.ConfigError, match=line):
        dpb.play("ucb1", STUDY)
    with pytest.raises(dpb.ConfigError, match=line):
        dpb.load_results("hu2021")
    found = dpb.play("ucb1", MEANS, T=16, seeds=2, checkpoints=0)
    again = dpb.play("ucb1", MEANS, T=16, seeds=2, checkpoints=0, root_seed=0)
    assert found["regret"].tolist() == again["regret"].tolist()


def test_a_configuration_that_changes_is_read_again(root):
    before = dpb.play(PLAIN, STUDY, seeds=2, checkpoints=0, project=root)
    write_project(root, changed(PAPER, "experiments.study.horizon", 900))
    after = dpb.play(PLAIN, STUDY, seeds=2, checkpoints=0, project=root)
    assert (set(before["T"]), set(after["T"])) == ({1000}, {900})


def test_the_import_loads_neither_pandas_nor_numba():
    code = "import sys, dpbandits.api as d; dir(d); print(sorted({'pandas', 'numba', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"
    code = "import sys, dpbandits.stages.single; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


def test_the_package_has_the_names_of_the_api_and_loads_them_when_asked():
    code = "import sys, dpbandits as d; print([n for n in sys.modules if n.startswith('dpbandits')], 'play' in dir(d))"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "['dpbandits'] True\n"
    assert all(getattr(dpbandits, name) is getattr(dpb, name) for name in dir(dpb))
    assert dpbandits.algorithms.__name__ == "dpbandits.algorithms"
    with pytest.raises(AttributeError, match=r"'dpbandits' has no attribute 'x'"):
        _ = dpbandits.x


def test_the_names_are_listed_and_others_are_not_found():
    assert dir(dpb) == sorted(dpb.PLACES)
    assert all(callable(getattr(dpb, name)) for name in dir(dpb))
    with pytest.raises(AttributeError, match=r"'dpbandits\.api' has no attribute 'x'"):
        _ = dpb.x


@pytest.mark.parametrize("paper", PAPERS)
def test_results_are_those_of_the_files(paper):
    found = dpb.load_results(paper, project=ROOT)
    data = ROOT / f"figures/{paper}/data"
    records = json.loads((data / "claims.json").read_text(encoding="utf-8"))["records"]
    assert found.claims["id"].tolist() == [record["id"] for record in records]
    assert found.claims["verdict"].tolist() == [record["verdict"] for record in records]
    for row, record in zip(found.claims.itertuples(), records, strict=True):
        wanted = [record["estimate"], *(record["interval"] if record["details"] else (None, None))]
        assert [None if np.isnan(each) else each for each in (row.estimate, row.low, row.high)] == wanted
        if record["verdict"] == "holds" and record["comparisons"] == 1 and row.threshold_low == row.threshold_low:
            assert row.threshold_low <= row.low
    audits = json.loads((data / "audit.json").read_text(encoding="utf-8"))["records"]
    assert found.audits["lower"].tolist() == [record["lower"] for record in audits]
    assert (found.audits["actual_low"] <= found.audits["actual_high"]).all()
    stems = {path.name.removesuffix(".parquet") for path in data.glob("*.parquet")}
    assert {*found.tables, *(f"{name}.summary" for name in found.summaries)} == stems
    assert found.claims is found.claims
    assert len(repr(found)) < 100


def test_tables_are_frames_and_unknown_ones_are_one_line():
    found = dpb.load_results("hu2021", project=ROOT)
    table = found.tables["short"]
    columns, _ = read_table(ROOT / "figures/hu2021/data/short.parquet")
    assert list(table.columns) == list(columns)
    assert table["regret"].tolist() == columns["regret"].tolist()
    assert table is found.tables["short"]
    assert "t" in found.summaries["short"].columns
    assert found.tables.get("nothing") is None
    with pytest.raises(dpb.ConfigError, match=r"^experiment: unknown experiment `shor`\. Did you mean `short`\? Use"):
        found.tables["shor"]


def test_results_that_do_not_exist_name_the_command_that_makes_them(root):
    for scale, file in (("full", f"figures/{KEY}/data/claims.json"), ("smoke", f"results/smoke/claims/{KEY}.json")):
        with pytest.raises(dpb.ConfigError) as fault:
            dpb.load_results(KEY, scale, root)
        assert str(fault.value) == f"{file}: does not exist yet. Run `make {scale}` first."
    with pytest.raises(dpb.ConfigError, match=rf"^paper: unknown paper `x`\. Use `{KEY}`$"):
        dpb.load_results("x", project=root)
    with pytest.raises(dpb.ConfigError, match=r"^scale: got 'pilot'; must be one of: smoke, quick, full, last$"):
        dpb.load_results(KEY, "pilot", root)


@pytest.mark.parametrize(
    ("folders", "says"),
    [
        ({"tables": "."}, "folders: got 'tables'; must have the names tables, claims, audits"),
        (
            {"tables": ".", "claims": "no.json", "audits": "."},
            "folders: claims: no.json does not exist. "
            "Name an existing folder of tables, or an existing file of records.",
        ),
    ],
)
def test_other_places_of_results_must_be_there(folders, says):
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.load_results("hu2021", project=ROOT, folders=folders)
    assert str(fault.value) == says


def test_runs_of_a_calibration_have_the_algorithms_that_are_the_same_at_all():
    """The non-private baseline of Hanna et al. is played as printed alone; the central one has certified noise."""
    found = dpb.load_results("hanna2022", project=ROOT)
    runs = found.runs("figure2", "certified")
    assert {*zip(runs["curve"], runs["calibration"], strict=True)} >= {
        ("central", "certified"),
        ("non-private", "printed"),
    }
    assert ("central", "printed") not in {*zip(runs["curve"], runs["calibration"], strict=True)}
    own = found.tables["figure2"].query("algorithm == 'phased_elimination_central' and calibration == 'certified'")
    assert runs.loc[runs["curve"] == "central", "regret"].tolist() == own["regret"].tolist()
    means = found.means("figure2", "certified").query("curve == 'central' and t == t.max()")
    by_budget = runs[runs["curve"] == "central"].groupby("eps")["regret"].mean()
    np.testing.assert_allclose(means.set_index("eps")["mean"].sort_index(), by_budget, rtol=1e-7)


@pytest.mark.parametrize("paper", ["hu2021", "hanna2022"])
def test_the_numbers_of_a_figure_are_those_of_its_csv_file(paper):
    """As `figure_data` says: `.to_csv(file, index=False)`."""
    found = dpb.load_results(paper, project=ROOT)
    described = shipped("full").papers[paper]
    results = read_results(described, *(Path(found.folders[each]) for each in ("tables", "claims", "audits")), Path())
    for name in described.figures:
        rows = list(csv.reader(drawings.data_of(results, name).splitlines()))
        own = found.figure_data(name)
        assert rows[0] == list(own)
        assert len(rows) - 1 == len(own) > 0
        for column in own.select_dtypes("number"):
            cells = [float(row[rows[0].index(column)]) for row in rows[1:]]
            np.testing.assert_allclose(cells, own[column], rtol=1e-8)


def test_what_notebooks_ask_of_claims_is_what_the_records_say():
    found = dpb.load_results("hu2021", project=ROOT)
    claims = found.claims.set_index(["claim", "variant", "calibration"])
    words = {"holds": "holds", "fails": "fails", "unclear": "unclear", "not_tested": "not tested"}
    for claim, variant, calibration in claims.index:
        verdict = found.verdict(claim, calibration, variant)
        row = claims.loc[claim, variant, calibration]
        assert verdict == ("fails by our threshold" if row["by_our_threshold"] else words[row["verdict"]])
    table = found.verdicts("C15", "C1")
    assert table.index.tolist()[:2] == ["C15", "C15 (one constant)"]
    assert table.loc["C15 (one constant)", "certified"] == found.verdict("C15", "certified", "one_constant")
    assert len(found.verdicts()) == len(claims.groupby(["claim", "variant"]))
    compared = found.comparisons("C10")
    decisive = claims.loc["C10", "", "printed"]
    assert decisive[["estimate", "low", "high"]].tolist() in compared[["estimate", "low", "high"]].values.tolist()
    assert len(found.audit_table) == len(found.audits.groupby(["audit", "algorithm", "calibration"]))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda found: found.verdict("C99"), "claim: unknown claim `C99`. Did you mean `C9`? Use one of: C9, "),
        (lambda found: found.verdict("C1", variant="x"), "claim: unknown claim `C1/x`. "),
        (
            lambda found: found.verdict("C1", "certified"),
            "calibration: C1 is not judged as certified. Use one of: printed",
        ),
        (lambda found: found.verdicts("C1", "X"), "claim: unknown claim `X`. Use one of: C9, C8, "),
        (lambda found: found.runs("plateau", "best"), "calibration: got 'best'; must be one of: printed, certified"),
        (lambda found: found.measurement("beta", "tuned"), "calibration: got 'tuned'; must be `printed`"),
        (lambda found: found.measurement("bta"), "measurement: unknown measurement `bta`. Did you mean `beta`? "),
        (lambda found: found.printed_table("x"), "table: unknown table `x`. Use `bounds`"),
    ],
)
def test_names_that_results_do_not_have_are_one_line(ask, says):
    with pytest.raises(dpb.ConfigError) as fault:
        ask(dpb.load_results("hu2021", project=ROOT))
    assert str(fault.value).startswith(says)


def test_lists_have_all_that_is_registered():
    algorithms, environments = dpb.list_algorithms(), dpb.list_environments()
    assert "ucb1" in set(algorithms["algorithm"])
    assert "bernoulli_means" in set(environments["family"])
    played = algorithms.set_index("algorithm")["environments"].str.split(",")
    assert "linear" in played[CENTRAL]
    assert "bernoulli_means" not in played[CENTRAL]


def halved(rng, data, n):
    return data + rng.laplace(size=n) / 2


def late(rng, data, n):
    time.sleep(1)
    return data + rng.laplace(size=n)


def test_an_audit_that_takes_too_long_names_its_own_argument():
    with pytest.raises(dpb.ConfigError, match=r"or raise timeout\.$"):
        dpb.audit(late, (0.0, 1.0), eps=1, timeout=0.05)


def test_every_digit_of_a_root_seed_counts():
    options = {"environment": MEANS, "eps": None, "T": 50, "seeds": 2, "checkpoints": 0}
    seeds = (2**53, 2**53 + 1, 2**64 - 1)
    regrets = {tuple(dpb.play("ucb1", root_seed=seed, **options)["regret"]) for seed in seeds}
    assert len(regrets) == len(seeds)


@pytest.mark.parametrize("algorithms", [[("ucb1", "printed", 1)], [("ucb1", 1)]])
def test_what_a_sweep_does_not_take_is_one_line(algorithms):
    with pytest.raises(dpb.ConfigError, match=r"algorithms: got .*; must be a name or a class, or a pair of it and"):
        dpb.sweep(algorithms, MEANS, T=50, seeds=2)


def test_a_folder_of_the_environment_that_is_no_project_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("DPBANDITS_PROJECT", str(tmp_path))
    with pytest.raises(dpb.ConfigError, match=rf"^DPBANDITS_PROJECT: {tmp_path} does not contain config/config\.yaml"):
        dpb.play("ucb1", STUDY, T=50, seeds=2)


def test_an_audit_takes_functions_and_names_its_arguments():
    found = dpb.audit(halved, (0.0, 1.0), eps=1, trials=20_000)
    assert found.verdict == "violated"
    assert 1 < found.lower < 2
    for changes, says in (
        ({"eps": 0}, "eps: got 0; must be a number above 0"),
        ({"neighbors": (1.0, 1.0)}, "neighbors: got two equal inputs; must be two that differ in one user's data"),
        ({"neighbors": (1.0,)}, "neighbors: got 1 input; must be a pair, (first, second)"),
        ({"neighbors": 3}, "neighbors: got 1 input; must be a pair, (first, second)"),
        ({"eps": "1"}, "eps: got '1'; must be a number"),
        ({"trials": "1e5"}, "trials: got '1e5'; must be a number"),
        ({"mechanism": "nothing.py:draw"}, "mechanism: got 'nothing.py:draw'; the file 'nothing.py' does not exist."),
    ):
        with pytest.raises(dpb.ConfigError) as fault:
            dpb.audit(**{"mechanism": halved, "neighbors": (0.0, 1.0), "eps": 1} | changes)
        (line,) = str(fault.value).splitlines()
        assert line.startswith(says)
