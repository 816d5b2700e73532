"""The command: what it prints, one line and exit code 2 for every fault of the user, and what it does not import."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dpbandits.algorithms.table import TABLE
from dpbandits.cli import main
from dpbandits.experiments.curves import chunk_name
from dpbandits.experiments.grid import curves
from dpbandits.stages.calibrate import calibrate
from dpbandits.statistics import mean, standard_error, t_interval
from dpbandits.storage import read_table, write_json

from .small import CENTRAL, CONFIG, FILE, KEY, LOCAL, PAPER, PLAIN, changed, load, write_project

STUDY = f"{KEY}/study"
KNOWN = f"{PLAIN}, {CENTRAL}, {LOCAL}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path)


def call(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--project", str(root), *arguments])


def refusal(root: Path, *arguments: str) -> str:
    """The one line on standard error."""
    result = call(root, *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("dpbandits: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("dpbandits: ").rstrip("\n")


def test_run_prints_mean_standard_error_and_interval(root: Path):
    out = root / "deep/runs.parquet"
    result = call(root, "run", STUDY, "--algorithm", PLAIN, "--set", "T=1e2", "--seeds", "4", "--out", str(out))
    assert result.exit_code == 0, result.output
    columns, provenance = read_table(out)
    final = columns["regret"][columns["t"] == 100]
    statistic = mean(final)
    interval = t_interval(statistic)
    assert len(final) == 4
    assert (provenance["root_seed"], provenance["curve"]["horizon"]) == (CONFIG["root_seed"], 100)
    head, row = result.stdout.splitlines()
    assert head == "Phased elimination (no privacy), printed: regret after 100 rounds, 4 seeds"
    assert f"mean {statistic.estimate:.6g}  standard error {standard_error(statistic):.3g}" in row
    assert f"[{interval.low:.6g}, {interval.high:.6g}]" in row


def test_run_prints_json_with_one_row_per_point(root: Path):
    result = call(root, "run", STUDY, "--algorithm", CENTRAL, "--calibration", "certified", "--seeds", "3", "--json")
    record = json.loads(result.stdout)
    assert [point["setting"] for point in record["points"]] == [{"eps": eps} for eps in (0.5, 1.0, 10.0)]
    assert all(low < mean < high for mean, (low, high) in ((p["mean"], p["interval"]) for p in record["points"]))
    assert (record["curve"]["calibration"], record["seeds"]) == ("certified", 3)
    again = call(root, "run", STUDY, "--algorithm", CENTRAL, "--calibration", "certified", "--seeds", "3", "--json")
    assert again.stdout == result.stdout


def test_settings_replace_grid_and_parameters(root: Path):
    changes = ("--set", "eps=0.1", "--set", "width=0.5", "--set", "T=64")
    result = call(root, "run", STUDY, "--algorithm", LOCAL, *changes, "--seeds", "2", "--json")
    curve = json.loads(result.stdout)["curve"]
    assert (curve["horizon"], curve["parameters"], curve["points"]) == (64, {"width": 0.5}, [{"eps": 0.1}])


def test_a_calibration_takes_the_constants_that_its_own_curve_has(root: Path):
    own = {"algorithm": LOCAL, "calibrations": ["certified"], "parameters": {"width": 0.25}, "milliseconds": 1}
    section = "experiments.study.curves"
    write_project(root, changed(PAPER, section, [*PAPER["experiments"]["study"]["curves"], own]))
    arguments = ("--algorithm", LOCAL, "--set", "T=16", "--set", "eps=1", "--seeds", "2", "--json")
    for calibration, width in (("printed", 1.0), ("certified", 0.25)):
        result = call(root, "run", STUDY, *arguments, "--calibration", calibration)
        assert json.loads(result.stdout)["curve"]["parameters"] == {"width": width}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--algorithm", "magic"), f"--algorithm: 'magic' is not allowed; allowed: {KNOWN}"),
        (("--calibration", "best"), "--calibration: 'best' is not allowed; allowed: printed, certified"),
        (("--variant", "x"), "--variant: 'x' is not allowed; allowed: ''"),
        (("--set", "K=2"), "--set: 'K' is not allowed; allowed: T, eps, width, core_factor"),
        (("--set", "nonsense"), "--set: 'nonsense' is not allowed; allowed: T, eps, width, core_factor"),
        (("--set", "eps"), "--set eps: '' is not allowed; a number is"),
        (("--set", "eps=x"), "--set eps: 'x' is not allowed; a number is"),
        (("--set", "eps=0"), "--set eps: '0' is not allowed; must be >= 1e-6 and <= 1e6"),
        (("--set", "eps=1e-320"), "--set eps: '1e-320' is not allowed; must be >= 1e-6 and <= 1e6"),
        (("--set", "eps=inf"), "--set eps: 'inf' is not allowed; must be >= 1e-6 and <= 1e6"),
        (("--set", "eps=nan"), "--set eps: 'nan' is not allowed; must be >= 1e-6 and <= 1e6"),
        (("--set", "width=-1"), "--set width: '-1' is not allowed; must be > 0"),
        (("--set", "width=inf"), "--set width: 'inf' is not allowed; must be > 0"),
        (("--set", "T=10.5"), "--set T: '10.5' is not allowed; a whole number from 8 to 1e12 is"),
        (("--set", "T=7"), "--set T: '7' is not allowed; a whole number from 8 to 1e12 is"),
        (("--set", "T=nan"), "--set T: 'nan' is not allowed; a whole number from 8 to 1e12 is"),
        (("--set", "T=inf"), "--set T: 'inf' is not allowed; a whole number from 8 to 1e12 is"),
    ],
)
def test_run_refuses_what_is_not_allowed(root: Path, arguments, says):
    algorithm = () if "--algorithm" in arguments else ("--algorithm", CENTRAL)
    assert refusal(root, "run", STUDY, *algorithm, *arguments) == says


def test_run_says_where_it_cannot_write(root: Path):
    (root / "file").write_text("", encoding="utf-8")
    quick = ("--algorithm", PLAIN, "--set", "T=8", "--seeds", "2")
    assert refusal(root, "run", STUDY, *quick, "--out", f"{root}/file/x.parquet") == f"{root}/file: File exists"


def test_unknown_names_are_refused_with_the_known_ones(root: Path):
    unknown = f"'{KEY}/x' is not allowed; allowed:"
    assert refusal(root, "run", f"{KEY}/x", "--algorithm", PLAIN) == f"experiment: {unknown} {STUDY}"
    assert refusal(root, "explain", f"{KEY}/x") == f"claim: {unknown} {KEY}/C1"
    assert refusal(root, "claims", "x") == f"paper: 'x' is not allowed; allowed: {KEY}"
    usage = call(root, "list", "figures")
    assert usage.exit_code == 2
    assert "'papers', 'experiments', 'algorithms', 'claims'" in usage.stderr


@pytest.mark.parametrize(
    ("what", "keys", "names"),
    [
        ("papers", ["paper", "title", "reference"], [KEY]),
        ("experiments", ["experiment", "title"], [STUDY]),
        ("algorithms", ["algorithm", "calibrations", "reference", "guarantee"], list(TABLE)),
        ("claims", ["claim", "calibrations", "says"], [f"{KEY}/C1"]),
    ],
)
def test_list_names_everything(root: Path, what, keys, names):
    rows = json.loads(call(root, "list", what, "--json").stdout)
    assert [row[keys[0]] for row in rows] == names
    assert all(list(row) == keys for row in rows)
    lines = call(root, "list", what).stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == names


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("claims",), f"results/smoke/claims/{KEY}.json: not there yet; run `make` or `snakemake` first"),
        (("claims", KEY, "--json"), f"results/smoke/claims/{KEY}.json: not there yet; run `make` or `snakemake` first"),
        (("explain", f"{KEY}/C1"), f"results/smoke/claims/{KEY}.json: not there yet; run `make` or `snakemake` first"),
        (("digest",), "results/smoke: holds no tables yet; run `make` or `snakemake` first"),
    ],
)
def test_before_the_first_run_one_line_says_so(root: Path, arguments, says):
    assert refusal(root, *arguments) == says
    assert refusal(root, "--scale", "full", *arguments) == says.replace("smoke", "full")


def test_records_that_are_damaged_or_older_than_the_claim_are_named(root: Path):
    path = root / f"results/smoke/claims/{KEY}.json"
    write_json(path, {"records": []})
    assert refusal(root, "explain", f"{KEY}/C1") == f"{KEY}/C1: not judged yet; run `make` or `snakemake` first"
    path.write_text('{"records": [', encoding="utf-8")
    assert refusal(root, "claims") == f"{path}: is not JSON; delete it and run again"


@pytest.mark.parametrize("arguments", [("list",), ("run", STUDY, "--algorithm", PLAIN), ("claims",), ("digest",)])
def test_a_bad_configuration_is_one_line(root: Path, arguments):
    write_project(root, changed(PAPER, "experiments.study.horizon", "many"))
    line = f"{FILE}: experiments.study.horizon: 'many' is not allowed; allowed: a whole number"
    assert refusal(root, *arguments) == line


def test_outside_a_project_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["list"])
    says = "config/config.yaml: not found here or above; name its folder with --project DIR"
    assert (result.exit_code, result.stderr) == (2, f"dpbandits: {says}\n")
    assert refusal(tmp_path, "list") == f"--project {tmp_path}: has no config/config.yaml"
    below = write_project(tmp_path) / "a/b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert CliRunner().invoke(main, ["list"]).stdout == f"{STUDY}  A study\n"


def test_simulate_runs_the_chunks_of_a_curve_and_nothing_else(root: Path):
    project = load(root)
    certified = curves(project, project.papers[KEY], "study")[2]
    noise, out = root / certified.noise_name, root / chunk_name(2, 3)
    calibrate(certified, noise)
    arguments = ("simulate", STUDY, "--curve", certified.folder, "--out", str(out))
    allowed = "allowed: 0000-0001 and further chunks of 2"
    for seeds in ("0-x", "0", "1-2", "0-3", "3-2", "-1-0", "0-99999999999999999999"):
        assert refusal(root, *arguments, f"--seeds={seeds}") == f"--seeds: {seeds!r} is not allowed; {allowed}"
    missing = "--noise: is missing; certified curves need what `calibrate` wrote"
    assert refusal(root, *arguments, "--seeds", "0002-0003") == missing
    assert not out.exists()
    result = call(root, *arguments, "--seeds", "0002-0003", "--noise", str(noise))
    assert result.exit_code == 0, result.output
    assert np.unique(read_table(out)[0]["seed"]).tolist() == [2, 3]
    assert refusal(root, *arguments, "--seeds", "0-1", "--noise", "no.json") == (
        "no.json: cannot be read (No such file or directory)"
    )
    assert refusal(root, "simulate", STUDY, "--curve", "x", "--seeds", "0-1", "--out", "x").startswith(
        f"{STUDY}: 'x' is not allowed; allowed: {PLAIN}-printed-"
    )


def python(*lines: str) -> list[str]:
    """Modules that a fresh interpreter has loaded after some lines."""
    code = "\n".join((*lines, "import sys; print(*sorted(sys.modules), file=sys.stderr)"))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stderr.splitlines()[-1].split()


def test_the_command_loads_nothing_heavy(root: Path):
    heavy = {"numba", "pandas", "scipy", "matplotlib", "papermill", "rich", "dp_accounting"}
    assert heavy.isdisjoint(python("import dpbandits.cli"))
    listing = f"main(['--project', {str(root)!r}, 'list', 'claims'], standalone_mode=False)"
    assert heavy.isdisjoint(python("from dpbandits.cli import main", listing))


def test_a_simulation_loads_neither_pandas_nor_statistics_nor_drawing(root: Path):
    project, out = load(root), root / "chunk.parquet"
    folder = curves(project, project.papers[KEY], "study")[0].folder
    arguments = ["--project", str(root), "simulate", STUDY, "--curve", folder, "--seeds", "0-1", "--out", str(out)]
    found = python("from dpbandits.cli import main", f"main({arguments!r}, standalone_mode=False)")
    assert "numba" in found
    assert {"pandas", "scipy.stats", "matplotlib", "dp_accounting"}.isdisjoint(found)
    assert set(read_table(out)[0]["seed"]) == {0, 1}


def test_a_reader_that_goes_away_is_no_fault(root: Path):
    command = [sys.executable, "-c", "from dpbandits.cli import main; main()", "--project", str(root), "list", "papers"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() != 0
