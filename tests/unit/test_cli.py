"""The command: what it prints, one line and exit code 2 for every fault of the user, and what it does not import."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.parquet import read_table
from dpbandits.base.storage import write_json, write_record
from dpbandits.claims.pools import family_of
from dpbandits.cli.main import main
from dpbandits.config.allocations import pilot_of
from dpbandits.config.curves import Curve
from dpbandits.config.faults import check
from dpbandits.config.grid import curves
from dpbandits.config.loading import Project
from dpbandits.numerics.statistics import mean, t_interval
from dpbandits.planning.allocation import SIZES
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.bundles import chunks_of

from .small import BARE, CENTRAL, CONFIG, FILE, KEY, LOCAL, PAPER, PLAIN, READING, changed, load, write_project

WHOLE = "a whole number"
STUDY, SCALING = f"{KEY}/study", f"{KEY}/scaling"
PARAMETERS = "width, extra_batches, tolerance, whole_maximum, reward_sd, core_factor"
KNOWN = f"{PLAIN}, {CENTRAL}, {LOCAL}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path)


def call(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--project", str(root), *arguments])


def refusal(root: Path, *arguments: str) -> str:
    """The one line on standard error, beside those that tell of kernels being compiled."""
    result = call(root, *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = [each for each in result.stderr.splitlines() if not each.startswith("compiled or loaded ")]
    assert line.startswith("dpbandits: ")
    return line.removeprefix("dpbandits: ")


def test_run_prints_the_mean_with_half_of_its_interval(root: Path):
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
    said = "regret after 100 rounds, mean ± half of its 95 % interval, 4 seeds"
    assert head == f"Phased elimination (no privacy), printed: {said}"
    value, half = map(float, row.split(" ± "))
    assert value == pytest.approx(interval.estimate, abs=half / 20)
    assert half == pytest.approx(interval.high - interval.estimate, rel=0.05)


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
    assert (curve["horizon"], curve["points"]) == (64, [{"eps": 0.1}])
    assert curve["parameters"] == {**READING, "width": 0.5}


def test_settings_replace_what_the_grid_varies(root: Path):
    """At a single horizon the points that only it told apart are one; core_factor is in the grid of this experiment."""
    changes = ("--set", "T=64", "--set", "eps=3", "--set", "core_factor=2")
    result = call(root, "run", SCALING, "--algorithm", CENTRAL, *changes, "--seeds", "2", "--json")
    record = json.loads(result.stdout)
    wanted = [{"T": 64.0, "eps": 3.0, "arms": arms, "core_factor": 2.0} for arms in (4.0, 8.0)]
    assert record["curve"]["points"] == [point["setting"] for point in record["points"]] == wanted


def test_settings_replace_the_environment(root: Path):
    """Where the grid does not vary it, and where it does: one point is left of those that only it told apart."""
    arguments = ("--algorithm", PLAIN, "--set", "T=16", "--seeds", "2", "--json", "--set", "arms=6")
    study = json.loads(call(root, "run", STUDY, *arguments, "--set", "dimension=3").stdout)["curve"]
    assert study["environment"] == {"family": "linear", "arms": 6, "dimension": 3}
    assert study["points"] == [{}]
    scaling = json.loads(call(root, "run", SCALING, *arguments).stdout)["curve"]
    assert scaling["points"] == [{"T": 16.0, "arms": 6.0}]


def test_a_curve_of_several_horizons_is_shown_with_them(root: Path):
    result = call(root, "run", SCALING, "--algorithm", PLAIN, "--seeds", "3")
    head, *rows = result.stdout.splitlines()
    assert head.startswith("Phased elimination (no privacy), printed: regret after T rounds, mean ± half")
    assert [" ".join(row.split()[:6]) for row in rows] == [
        "T = 100, arms = 4",
        "T = 1000, arms = 4",
        "T = 1000, arms = 8",
    ]
    means = [float(row.split()[6]) for row in rows]
    assert means[0] < means[1]


def test_a_variant_is_run_by_its_name(root: Path):
    arguments = ("run", SCALING, "--algorithm", CENTRAL, "--set", "T=16", "--seeds", "2", "--json")
    wide = json.loads(call(root, *arguments, "--variant", "wide").stdout)["curve"]
    usual = json.loads(call(root, *arguments).stdout)["curve"]
    assert (wide["parameters"]["width"], usual["parameters"]["width"]) == (2.0, 1.0)
    says = "--variant: got 'x'; must be one of: '', 'wide'"
    assert refusal(root, "run", SCALING, "--algorithm", CENTRAL, "--variant", "x") == says


def test_a_calibration_takes_the_constants_that_its_own_curve_has(root: Path):
    own = {"algorithm": LOCAL, "calibrations": ["certified"], "parameters": {"width": 0.25}, "milliseconds": 1}
    section = "experiments.study.curves"
    write_project(root, changed(PAPER, section, [*PAPER["experiments"]["study"]["curves"], own]))
    arguments = ("--algorithm", LOCAL, "--set", "T=16", "--set", "eps=1", "--seeds", "2", "--json")
    for calibration, width in (("printed", 1.0), ("certified", 0.25)):
        result = call(root, "run", STUDY, *arguments, "--calibration", calibration)
        assert json.loads(result.stdout)["curve"]["parameters"] == {**READING, "width": width}


def test_a_calibration_that_the_experiment_does_not_run_has_its_constants_all_the_same(root: Path):
    """The study runs the local algorithm as printed only; half the width is what `tuned` means in this paper."""
    arguments = ("--algorithm", LOCAL, "--set", "T=16", "--set", "eps=1", "--seeds", "2", "--json")
    record = json.loads(call(root, "run", STUDY, *arguments, "--calibration", "tuned").stdout)["curve"]
    assert (record["calibration"], record["parameters"]) == ("tuned", {**READING, "width": 0.5})


def test_a_calibration_that_coincides_with_another_says_so(root: Path):
    result = call(root, "run", STUDY, "--algorithm", PLAIN, "--calibration", "certified", "--seeds", "2")
    assert result.stdout.startswith("Phased elimination (no privacy), certified (= printed): regret after 1000 rounds")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--algorithm", "magic"), f"--algorithm: unknown algorithm `magic`. Use one of: {KNOWN}"),
        (("--calibration", "best"), "--calibration: got 'best'; must be one of: printed, tuned, certified"),
        (("--variant", "x"), "--variant: got 'x'; must be one of: ''"),
        (("--set", "K=2"), f"--set: unknown name `K`. Use one of: T, arms, dimension, eps, {PARAMETERS}"),
        (("--set", "nonsense"), f"--set: unknown name `nonsense`. Use one of: T, arms, dimension, eps, {PARAMETERS}"),
        (("--set", "arms=1"), f"--set arms: got '1'; must be {WHOLE} >= 2 and <= 100000"),
        (("--set", "extra_batches=6"), f"--set extra_batches: got '6'; must be {WHOLE} >= 0 and <= 5"),
        (("--set", "whole_maximum=0.5"), "--set whole_maximum: got '0.5'; must be true or false"),
        (("--set", "eps"), "--set eps: got ''; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=x"), "--set eps: got 'x'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=0"), "--set eps: got '0'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=1e-320"), "--set eps: got '1e-320'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=inf"), "--set eps: got 'inf'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=nan"), "--set eps: got 'nan'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "width=-1"), "--set width: got '-1'; must be > 0"),
        (("--set", "width=inf"), "--set width: got 'inf'; must be > 0"),
        (("--set", "T=10.5"), "--set T: got '10.5'; must be a whole number >= 8 and <= 1e+12"),
        (("--set", "T=7"), "--set T: got '7'; must be a whole number >= 8 and <= 1e+12"),
        (("--set", "T=nan"), "--set T: got 'nan'; must be a whole number >= 8 and <= 1e+12"),
        (("--set", "T=inf"), "--set T: got 'inf'; must be a whole number >= 8 and <= 1e+12"),
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
    said = refusal(root, "run", f"{KEY}/stuy", "--algorithm", PLAIN)
    meant = f"Did you mean `{STUDY}`? Use one of: {STUDY}, {SCALING}"
    assert said == f"experiment: unknown experiment `{KEY}/stuy`. {meant}"
    said = refusal(root, "explain", "x")
    assert said == f"claim or audit: unknown claim or audit `x`. Use one of: {KEY}/C1, {KEY}/C2, {KEY}/C2/grows"
    assert refusal(root, "claims", "x") == f"paper: unknown paper `x`. Use `{KEY}`"
    usage = call(root, "list", "figures")
    assert usage.exit_code == 2
    assert "must be one of: papers, experiments, algorithms, bounds, constants, claims" in usage.stderr
    for arguments, meant in (
        (("list", "algoritms"), "algorithms"),
        (("--scale", "fll", "claims"), "full"),
        (("claims", "--verdict", "fail"), "fails"),
        (("clams",), "claims"),
        (("explain", f"{KEY}/C2", "--verbos"), "--verbose"),
    ):
        assert f"Did you mean {meant}?" in re.sub("[`']", "", call(root, *arguments).stderr)
    said = refusal(root, "run", STUDY, "--algorithm", "centrl")
    assert said.startswith("--algorithm: unknown algorithm `centrl`. Did you mean `central`? Use"), "as figures call it"
    assert "Did you mean `eps`?" in refusal(root, "run", STUDY, "--algorithm", "central", "--set", "epz=1")


@pytest.mark.parametrize(
    ("what", "keys", "names"),
    [
        ("papers", ["paper", "title", "reference"], [KEY]),
        ("experiments", ["experiment", "title"], [STUDY, SCALING]),
        ("algorithms", ["algorithm", "calibrations", "reference", "trust_model", "guarantee"], list(TABLE)),
        ("claims", ["claim", "calibrations", "statement"], [f"{KEY}/C1", f"{KEY}/C2"]),
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
        (("claims",), f"results/smoke/claims/{KEY}.json: does not exist yet. Run `make smoke` first."),
        (
            ("claims", KEY, "--json"),
            f"results/smoke/claims/{KEY}.json: does not exist yet. Run `make smoke` first.",
        ),
        (
            ("explain", f"{KEY}/C1"),
            f"results/smoke/claims/{KEY}.json: does not exist yet. Run `make smoke` first.",
        ),
        (("digest",), "results/smoke: contains no tables yet. Run `make smoke` first."),
    ],
)
def test_before_the_first_run_one_line_says_so(root: Path, arguments, says):
    assert refusal(root, *arguments) == says
    assert refusal(root, "--scale", "full", *arguments) == says.replace("smoke", "full")


def test_the_digest_reads_no_pipe_and_no_huge_file(root: Path):
    tables = root / "results/smoke/tables"
    tables.mkdir(parents=True)
    pipe = tables / "one.parquet"
    os.mkfifo(pipe)
    assert refusal(root, "digest").endswith("one.parquet: is not a regular file. Put a regular file in its place.")
    pipe.unlink()
    with pipe.open("wb") as stream:
        stream.truncate(20 << 30)
    assert "has 20480 MB; must have at most 4096" in refusal(root, "digest")


def test_papers_can_be_named_for_one_command(root: Path):
    write_project(root, key="two2021")
    assert [row["paper"] for row in json.loads(call(root, "list", "papers", "--json").stdout)] == [KEY]
    chosen = call(root, "--papers", "two2021", "list", "papers", "--json")
    assert [row["paper"] for row in json.loads(chosen.stdout)] == ["two2021"]
    wrong = f"papers: unknown paper `too2021`. Did you mean `two2021`? Use one of: {KEY}, two2021"
    assert refusal(root, "--papers", "too2021", "list", "papers") == wrong


def test_verdicts_of_papers_that_were_run_are_shown_and_the_others_named(root: Path):
    write_project(root, key="two2021")
    write_json(root / "results/smoke/claims/two2021.json", {"records": []})
    said = call(root, "--papers", f"two2021,{KEY}", "claims").stdout
    assert said.splitlines() == [
        "No such claims at the scale smoke.",
        f"Not run yet: {KEY}. `make smoke PAPER=KEY` runs one",
    ]
    assert "Not run yet" not in call(root, "--papers", "two2021", "claims").stdout


def test_a_full_run_of_papers_without_claims_ends_with_a_summary(tmp_path: Path):
    write_project(tmp_path, BARE)
    for kind in ("claims", "audit"):
        write_json(tmp_path / f"results/full/{kind}/{KEY}.json", {"records": [], "measurements": []})
    result = call(tmp_path, "--scale", "full", "summary")
    assert result.exit_code == 0, result.output
    assert "claims" in result.stdout
    assert "explain" not in result.stdout


def test_a_paper_without_audits_says_so(root: Path):
    write_json(root / f"results/smoke/audit/{KEY}.json", {"records": []})
    assert call(root, "audit").stdout == "No audits at the scale smoke: the YAML of the paper has none.\n"


def test_records_that_are_damaged_or_older_than_the_claim_are_named(root: Path):
    path = root / f"results/smoke/claims/{KEY}.json"
    write_json(path, {"records": []})
    assert refusal(root, "explain", f"{KEY}/C1") == f"{KEY}/C1: not judged yet. Run `make smoke` first."
    path.write_text('{"records": [', encoding="utf-8")
    assert refusal(root, "claims") == f"{path}: is not JSON; delete it and run again"


@pytest.mark.parametrize("arguments", [("list",), ("run", STUDY, "--algorithm", PLAIN), ("claims",), ("digest",)])
def test_a_bad_configuration_is_one_line(root: Path, arguments):
    write_project(root, changed(PAPER, "experiments.study.horizon", "many"))
    line = f"{FILE}: experiments.study.horizon: got 'many'; must be a whole number"
    assert re.sub(r"yaml:[0-9]+:", "yaml:", refusal(root, *arguments)) == line


@pytest.mark.parametrize("what", ["algorithms", "bounds", "constants"])
def test_what_faults_refer_to_is_listed_whatever_the_configuration_says(root: Path, what: str):
    """Would fail where `dpbandits list algorithms`, to which a fault sends the reader, gave that fault again."""
    write_project(root, changed(PAPER, "experiments.study.curves.1.algorithm", "phased_eliminaton"))
    line = "unknown algorithm `phased_eliminaton`. Did you mean `phased_elimination`? See: dpbandits list algorithms"
    assert f"experiments.study.curves[1].algorithm: {line}\n" in call(root, "list", "papers").stderr
    listed = call(root, "list", what)
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert listed.stdout.splitlines()


def test_outside_a_project_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["list"])
    says = "config/config.yaml: not found in this folder or above it. Use --project DIR to name its folder."
    assert (result.exit_code, result.stderr) == (2, f"dpbandits: {says}\n")
    assert (
        refusal(tmp_path, "list")
        == f"--project {tmp_path}: does not contain config/config.yaml. Name the folder of a project."
    )
    below = write_project(tmp_path) / "a/b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert CliRunner().invoke(main, ["list"]).stdout == f"{STUDY}  A study\n{SCALING}  Horizons\n"


@pytest.mark.parametrize(
    ("command", "drawn"),
    [("list", False), ("claims", False), (f"explain {KEY}/C1", False), ("digest", False), ("run", True)],
)
def test_commands_that_show_results_draw_no_instance(root: Path, monkeypatch, command, drawn):
    """A family may fit its data, which takes a minute where kernels are not compiled."""
    asked = []
    monkeypatch.setattr(check, "instance_faults", lambda *_: asked.append(1) or [])
    call(root, *(command.split() if command != "run" else ["run", STUDY, "--algorithm", PLAIN, "--seeds", "2"]))
    assert bool(asked) == drawn


def stages(root: Path, experiment: str = "study") -> tuple[list[str], list[str], tuple[str, ...]]:
    """Names of the noise and of the chunks of an experiment, and the folders as options."""
    project = load(root)
    every = curves(project, project.papers[KEY], experiment)
    noise = list(dict.fromkeys(c.noise_name for c in every if c.calibration == "certified"))
    return (
        noise,
        [chunk.name for chunk in chunks_of(every)],
        (
            *("--noise", f"{root}/noise", "--out", f"{root}/curves"),
            *("--receipts", f"{root}/runs"),
        ),
    )


def test_calibrate_computes_the_noise_that_is_named_once(root: Path):
    (name,), _, _ = stages(root)
    others = stages(root, "scaling")[0]
    arguments = ("calibrate", KEY, name, *others, "--out", f"{root}/noise")
    first, second = call(root, *arguments), call(root, *arguments)
    assert first.exit_code == second.exit_code == 0, first.output
    assert first.stdout.splitlines() == [f"{each}: computed" for each in (name, *others)]
    assert second.stdout.splitlines() == [f"{each}: up to date" for each in (name, *others)]
    assert sorted(path.name for path in (root / "noise").iterdir()) == sorted([name, *others])
    record = json.loads((root / "noise" / name).read_text(encoding="utf-8"))
    assert [(entry["eps"], entry["noise"]) for entry in record["entries"]] == [(0.5, 4.0), (1.0, 2.0), (10.0, 0.2)]
    line = refusal(root, "calibrate", KEY, "x.json", "--out", f"{root}/noise")
    assert line.startswith(f"{KEY}: unknown curve `x.json`. Use one of: {PLAIN}-")


def test_simulate_runs_the_chunks_that_are_named_and_nothing_else(root: Path):
    noise, names, folders = stages(root)
    chosen = [name for name in names if "-certified-" in name][1:] + names[:1]
    missing = f"{root}/noise/{noise[0]}: cannot be read (No such file or directory); run again"
    assert refusal(root, "simulate", KEY, chosen[0], *folders) == missing
    call(root, "calibrate", KEY, *noise, "--out", f"{root}/noise")
    result = call(root, "simulate", KEY, *chosen, *folders)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [f"{name}: simulated" for name in chosen]
    files = sorted(path.relative_to(root / "curves").as_posix() for path in (root / "curves").rglob("*.parquet"))
    assert files == sorted(f"{name[:-9]}seeds_{name[-9:]}.parquet" for name in chosen)
    found = {name: read_table(root / "curves" / f"{name[:-9]}seeds_{name[-9:]}.parquet")[0] for name in chosen}
    assert [np.unique(columns["seed"]).tolist() for columns in found.values()] == [[2, 3], [0, 1]]
    kept = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (root / "runs").iterdir()}
    listed = {file: (root / f"curves/{file}.sha256").read_text(encoding="utf-8").split()[0] for file in files}
    assert [(name.partition("-")[0], receipt) for name, receipt in kept.items()] == [("study", listed)]
    again = call(root, "simulate", KEY, *reversed(chosen), *folders)
    assert again.stdout.splitlines() == [f"{name}: up to date" for name in reversed(chosen)]


def test_only_the_stale_chunk_of_a_job_is_simulated_again(root: Path):
    _, names, folders = stages(root)
    names = [name for name in names if PLAIN + "-printed-" in name]
    call(root, "simulate", KEY, *names, *folders)
    file = root / "curves" / f"{names[0][:-9]}seeds_{names[0][-9:]}.parquet"
    file.write_bytes(b"")
    result = call(root, "simulate", KEY, *names, *folders)
    assert result.stdout.splitlines() == [f"{names[0]}: simulated", f"{names[1]}: up to date"]
    write_project(root, config={**CONFIG, "root_seed": 8})
    result = call(root, "simulate", KEY, *names, *folders)
    assert result.stdout.splitlines() == [f"{name}: simulated" for name in names]
    assert read_table(file)[1]["root_seed"] == 8


def test_chunks_beyond_the_scale_and_further_ones_are_known_others_not(root: Path):
    _, names, folders = stages(root)
    place = names[0].rpartition("/")[0]
    folder = place.partition("/")[2]
    allowed = "must be 0000-0001 and further chunks of 2"
    for seeds in ("0-x", "0", "1-2", "0-3", "3-2", "-1-0", "0-99999999999999999999", ""):
        line = refusal(root, "simulate", KEY, names[0], f"{place}/{seeds}", *folders)
        assert line == f"{folder}: got {seeds!r}; {allowed}"
    line = refusal(root, "simulate", KEY, "study/x/0000-0001", *folders)
    assert line.startswith(f"{KEY}: unknown curve `study/x`. Use one of: study/{PLAIN}-printed-")
    assert refusal(root, "simulate", "two2021", names[0], *folders) == f"paper: unknown paper `two2021`. Use `{KEY}`"
    assert not (root / "curves").exists()
    assert call(root, "simulate", KEY, f"{place}/0098-0099", *folders).stdout == f"{place}/0098-0099: simulated\n"
    long = [chunk.name for chunk in chunks_of(curves(load_scale(root, "full"), load(root).papers[KEY], "study"))]
    assert call(root, "simulate", KEY, long[0], *folders).stdout == f"{long[0]}: simulated\n"  # of ten seeds


def load_scale(root: Path, scale: str) -> Project:
    return replace(load(root), scale=scale)


def test_aggregate_and_judge_follow_from_the_chunks_of_all_experiments(root: Path):
    write_project(root, changed(PAPER, "experiments.study.horizon", 100_000))  # the curves differ by then
    for experiment in ("study", "scaling"):
        noise, names, folders = stages(root, experiment)
        call(root, "calibrate", KEY, *noise, "--out", f"{root}/noise")
        assert call(root, "simulate", KEY, *names, *folders).exit_code == 0
    tables = ("--curves", f"{root}/curves", "--noise", f"{root}/noise", "--out", f"{root}/tables")
    assert (
        refusal(root, "aggregate", KEY, "x", *tables)
        == "experiment: unknown experiment `x`. Use one of: study, scaling"
    )
    result = call(root, "aggregate", KEY, "study", "scaling", *tables)
    assert result.exit_code == 0, result.output
    frame = pd.read_parquet(root / "tables/scaling.parquet")
    assert len(frame) == 4 * (3 + 3 + 5 + 5 + 5 + 5)
    assert set(frame["T"]) == {100.0, 1000.0}
    summary = pd.read_parquet(root / "tables/scaling.summary.parquet")
    assert (summary["t"] <= summary["T"]).all()
    write_record(root / "audit.json", {"paper": KEY, "records": []})
    places = ("--tables", f"{root}/tables", "--audits", f"{root}/audit.json", "--out", f"{root}/claims.json")
    judged = call(root, "judge", KEY, *places)
    assert judged.exit_code == 0, judged.output
    record = json.loads((root / "claims.json").read_text(encoding="utf-8"))
    assert [(r["id"], r["variant"], r["calibration"]) for r in record["records"]] == [
        (f"{KEY}/C1", "", "printed"),
        (f"{KEY}/C2", "", "printed"),
        (f"{KEY}/C2", "", "tuned"),
        (f"{KEY}/C2", "grows", "printed"),
    ]
    assert [(m["name"], m["calibration"]) for m in record["measurements"]] == [("slope", "printed"), ("slope", "tuned")]
    # A committed pilot counts beside the runs: here each algorithm of C1 has a thousand runs in it, or more.
    assert record["records"][0]["resolution"] > 3 / 1000
    pilot = root / pilot_of(KEY)
    pilot.parent.mkdir()
    pilot.write_text("{", encoding="utf-8")
    assert refusal(root, "judge", KEY, *places).startswith(f"{pilot_of(KEY)}: cannot be read as JSON. Restore it with ")
    pilot.write_text(json.dumps(piloted(curves(load(root), load(root).papers[KEY], "study"), 1000)), encoding="utf-8")
    assert call(root, "judge", KEY, *places).exit_code == 0
    beside = json.loads((root / "claims.json").read_text(encoding="utf-8"))["records"][0]
    assert 3 / 1100 < beside["resolution"] < 3 / 1000
    assert beside["details"] == record["records"][0]["details"]


def piloted(played: Sequence[Curve], runs: int) -> dict[str, Any]:
    """The record of a pilot that shows so many runs of every curve, none of them large."""
    names = dict.fromkeys(family_of(curve, curve.points[0]) for curve in played)
    shown = [
        {"algorithm": algorithm, "calibration": calibration, "family": family, "constants": dict(constants)}
        | {"runs": runs, "linear": None}
        for algorithm, calibration, family, constants in names
    ]
    record = {"paper": KEY, "root_seed": CONFIG["pilot_seed"], "sizes": list(SIZES), "claims": []}
    return record | {"experiments": {"study": {"seeds": 30}}, "shown": shown}


def test_a_chunk_that_is_missing_is_named(root: Path):
    chunk = chunks_of(curves(load(root), load(root).papers[KEY], "study"))[0]
    call(root, "calibrate", KEY, *stages(root)[0], "--out", f"{root}/noise")
    places = ("--curves", f"{root}/curves", "--noise", f"{root}/noise", "--out", f"{root}/tables")
    line = refusal(root, "aggregate", KEY, "study", *places)
    assert line.startswith(f"{root}/curves/{chunk.file}: cannot be read (No such file or directory); run again; ")
    assert line.count("cannot be read") == 8


def test_there_is_a_benchmark_for_every_job(root: Path):
    project = load(root)
    every = list(plan(replace(project, seconds_per_job=0.0)))
    assert every == [
        *(f"calibrate/{KEY}/{k}.tsv" for k in range(2)),
        *(f"simulate/{KEY}/{k}.tsv" for k in range(20)),
        *(f"aggregate/{KEY}/{k}.tsv" for k in range(2)),
        f"judge/{KEY}.tsv",
        *(f"draw/{KEY}/{k}.tsv" for k in range(len(project.papers[KEY].figures))),
        f"render/{KEY}.tsv",
        "collect/collect.tsv",
    ]


def python(*lines: str) -> list[str]:
    """Modules that a fresh interpreter has loaded after some lines."""
    code = "\n".join((*lines, "import sys; print(*sorted(sys.modules), file=sys.stderr)"))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stderr.splitlines()[-1].split()


def test_the_command_loads_nothing_heavy(root: Path):
    heavy = {"numba", "pandas", "scipy", "matplotlib", "seaborn", "papermill", "rich", "dp_accounting"}
    assert heavy.isdisjoint(python("import dpbandits.cli.main"))
    listing = f"main(['--project', {str(root)!r}, 'list', 'claims'], standalone_mode=False)"
    assert heavy.isdisjoint(python("from dpbandits.cli.main import main", listing))


def test_a_simulation_loads_neither_pandas_nor_statistics_nor_drawing(root: Path):
    _, names, folders = stages(root)
    arguments = ["--project", str(root), "simulate", KEY, *names[:2], *folders]
    found = python("from dpbandits.cli.main import main", f"main({arguments!r}, standalone_mode=False)")
    assert "numba" in found
    assert {"pandas", "scipy.stats", "matplotlib", "seaborn", "dp_accounting"}.isdisjoint(found)
    files = sorted((root / "curves").rglob("*.parquet"))
    assert [sorted(set(read_table(file)[0]["seed"])) for file in files] == [[0, 1], [2, 3]]


def test_a_reader_that_goes_away_is_no_fault(root: Path):
    command = [
        sys.executable,
        "-c",
        "from dpbandits.cli.main import main; main()",
        "--project",
        str(root),
        "list",
        "papers",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() != 0
