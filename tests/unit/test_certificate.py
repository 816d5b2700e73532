"""The certificate of a small made-up scale, and what `verify` says when something is not as certified."""

import csv
import getpass
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import CHECKSUMS, DamagedFile, checksum_file, write_checksum, write_json
from dpbandits.certificate import contents, manifest
from dpbandits.certificate.citation import citation
from dpbandits.certificate.comparison import apart, column_changes
from dpbandits.cli.main import main
from dpbandits.config.loading import load_project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.stages import verify as verify_stage
from tests.faults.table import injects

from .modes import unusual
from .small import CONFIG, FILE, KEY, ROOT, write_project

CLAIMS, AUDIT = f"claims/{KEY}.json", f"audit/{KEY}.json"
TABLE = f"tables/{KEY}/study.parquet"
RECORD = ".dpbandits-certificate"
SCALE = CONFIG["scale"]
RESULTS = f"results/{SCALE}"


def claim(number: int, verdict: str = "holds", estimate: float = 1.5) -> dict:
    return {
        "id": f"{KEY}/C{number}",
        "calibration": "printed",
        "variant": "",
        "verdict": verdict,
        "estimate": estimate,
        "interval": [1.0, None],
    }


def cell(identifier: str, epsilons: tuple[float, float | None] = (1.0, 1.0)) -> dict:
    return {
        "audit": f"{KEY}/sums",
        "algorithm": "phased_elimination_central",
        "calibration": "printed",
        "point": {"eps": 0.5},
        "id": identifier,
        "verdict": "consistent",
        "epsilons": list(epsilons),
        "lower": 0.9,
    }


RUNS = {"algorithm": np.array(["a", "a", "b"], dtype=object), "seed": np.arange(3), "regret": np.array([1.0, 2.0, 4.0])}


def write_results(root: Path) -> Path:
    """A project whose results are made up, but in all places where a run puts them; the folder of the results."""
    for name in (*contents.FIXED, *contents.LEGAL, "workflow/Snakefile", "workflow/rules/report.smk"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    write_project(root)
    (root / "notebooks").mkdir()
    (root / f"notebooks/{KEY}.ipynb").write_text("{}")
    project = load_project(root)
    folder = root / RESULTS
    for name in contents.results(project):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".parquet"):
            write_table(path, RUNS, {"name": name})
        else:
            path.write_text(f"made up: {name}\n")
    for claims in (CLAIMS, f"figures/{KEY}/data/claims.json"):
        write_json(folder / claims, {"records": [claim(1), claim(2)], "measurements": []})
    for audit in (AUDIT, f"figures/{KEY}/data/audit.json"):
        write_json(folder / audit, {"records": [cell("aa"), cell("bb")]})
    for page in ("index.html", "run.html", "static/site.css"):
        (folder / "report" / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / "report" / page).write_text("a page")
    for name in contents.beside_figures(project.papers.values()):
        write_checksum(folder / "figures" / name)
    (folder / "audit/cells").mkdir()
    (folder / "audit/cells/one.json").write_text("{}")
    for name, wall, cpu in (("judge", "2.5", "1.25"), ("simulate", "4", "NA")):
        path = folder / f"benchmarks/{name}/{KEY}{'/0' * (name == 'simulate')}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\tmax_pss\tcpu_time\n{wall}\t0\tNA\t{cpu}\n")
    return folder


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def certify(root: Path, out: Path) -> Path:
    result = call("--project", root, "certificate", "--out", out)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Results with their certificate, which no test changes."""
    root = tmp_path_factory.mktemp("made") / "project"
    folder = write_results(root)
    certify(root, folder / "certificate")
    return folder


@pytest.fixture
def folder(made, tmp_path) -> Path:
    """The same elsewhere, to be changed at will."""
    return Path(shutil.copytree(made, tmp_path / "elsewhere"))


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# What it holds


def test_two_certificates_of_the_same_results_are_the_same_bytes(made, tmp_path):
    again = files(certify(made.parents[1], tmp_path / "again"))
    assert again == files(made / "certificate")


def test_another_folder_changes_no_byte(made, tmp_path):
    write_results(tmp_path / "a folder with blanks")
    again = files(certify(tmp_path / "a folder with blanks", tmp_path / "again"))
    assert again == files(made / "certificate")


def test_a_certificate_replaces_an_older_one_whole(made, tmp_path):
    shutil.copytree(made / "certificate", tmp_path / "out")
    (tmp_path / "out/README.md").write_text("of an older one")
    with (tmp_path / "out" / RECORD).open("a") as record:
        record.write("left.txt\n")
    (tmp_path / "out/left.txt").write_text("of an older one")
    assert files(certify(made.parents[1], tmp_path / "out")) == files(made / "certificate")


def test_a_certificate_replaces_nothing_of_others(made, tmp_path):
    """Neither what lies beside it under a similar name, nor a folder that is not its own, nor what was added to it."""
    (tmp_path / ".vim.d").mkdir()
    (tmp_path / ".vim.d/plugin").touch()
    certify(made.parents[1], tmp_path / "vim")
    assert (tmp_path / ".vim.d/plugin").exists()
    for folder in ("mydir", "vim"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "notes.txt").touch()
        before = files(tmp_path)
        result = call("--project", made.parents[1], "certificate", "--out", tmp_path / folder)
        assert result.exit_code == 2
        assert result.stderr == (
            f"dpbandits: {tmp_path / folder}: holds notes.txt, which `dpbandits certificate` did not write. "
            "Choose another name.\n"
        )
        assert files(tmp_path) == before


def test_the_checksums_of_data_beside_figures_become_one_file(made):
    figures = made / "figures"
    lines = (figures / CHECKSUMS).read_text().splitlines()
    tables = [f"{name}{kind}.parquet" for name in ("scaling", "study") for kind in ("", ".summary")]
    data = [f"{KEY}/data/{name}" for name in ("audit.json", "claims.json", *tables)]
    assert lines == [f"{sha256(figures / name)}  {name}" for name in data]
    assert [path for path in figures.rglob("*") if path.suffix == ".sha256"] == []
    assert not [name for name in files(made / "certificate") if name.endswith(CHECKSUMS)]


@injects(
    "the checksums of the data beside the figures are lost",
    tried="figures/sha256sums.txt deleted",
    happens="the certificate is written again, and the checksums with it",
    do="run again",
)
def test_lost_checksums_of_data_beside_figures_are_written_again(made, tmp_path):
    root = Path(shutil.copytree(made.parents[1], tmp_path / "project"))
    checksums = root / RESULTS / "figures" / CHECKSUMS
    before = checksums.read_bytes()
    checksums.unlink()
    certify(root, tmp_path / "again")
    assert checksums.read_bytes() == before
    assert files(tmp_path / "again") == files(made / "certificate")


@injects(
    "the data beside the figures are damaged",
    tried="bytes of a table changed before the certificate is written",
    happens="they are quarantined, and no certificate is written",
    do="run again",
)
def test_damaged_data_beside_figures_are_not_certified(made, tmp_path):
    root = Path(shutil.copytree(made.parents[1], tmp_path / "project"))
    folder = root / RESULTS
    before = (folder / "figures" / CHECKSUMS).read_bytes()
    table = folder / "figures" / KEY / "data/study.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    result = call("--project", root, "certificate", "--out", tmp_path / "again")
    assert result.exit_code == 2
    assert f"{table}: does not match its checksum; quarantined as .damaged; run again" in result.stderr
    assert not table.exists()
    assert not (tmp_path / "again").exists()
    assert (folder / "figures" / CHECKSUMS).read_bytes() == before


def test_the_copies_are_the_files(made):
    certificate = made / "certificate"
    for name in (CLAIMS, AUDIT, "audit/all.csv", f"figures/{KEY}/data/study.parquet"):
        assert (certificate / name).read_bytes() == (made / name).read_bytes()
    for name in ("Snakefile", "workflow/rules/report.smk", FILE, f"notebooks/{KEY}.ipynb", "LICENSE"):
        assert (certificate / name).read_bytes() == (made.parents[1] / name).read_bytes()
    package = [path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in package:
        assert (certificate / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    assert len(package) > 500
    pictures = {path.suffix for path in (certificate / f"figures/{KEY}").iterdir() if path.is_file()}
    assert pictures == {".svg"}


def test_the_manifest_lists_what_is_the_same_in_every_run(made):
    listed = manifest.parse((made / "certificate/manifest-sha256.txt").read_text(), "manifest")
    assert list(listed) == sorted(listed)
    assert {f"{RESULTS}/{name}" for name in contents.results(load_project(made.parents[1]))} < set(listed)
    assert {
        f"{RESULTS}/{name}" for name in ("report/index.html", "report/static/site.css", "figures/claims.svg")
    } <= set(listed)
    assert not [name for name in listed if name.endswith((".sha256", "report/run.html")) or "cells" in name]


def test_sha256sum_accepts_the_manifest(made):
    checked = [
        shutil.which("sha256sum"),
        "--check",
        "--quiet",
        "--strict",
        f"{RESULTS}/certificate/manifest-sha256.txt",
    ]
    assert subprocess.run(checked, cwd=made.parents[1], check=False).returncode == 0


def test_codecheck_has_what_the_specification_requires(made):
    path = made / "certificate/codecheck.yml"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("%YAML 1.1\n---\n")
    record = yaml.safe_load(text)
    assert {"version", "paper", "manifest", "codechecker", "report"} <= set(record)
    assert record["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert [author["name"] for author in record["paper"]["authors"]] == ["The dpbandits authors"]
    assert record["codechecker"] == [{"name": ""}]
    assert record["report"] == ""
    assert not {"check_time", "certificate"} & set(record), "these are the codechecker's"
    comments = {entry["file"]: entry["comment"] for entry in record["manifest"]}
    shows = load_project(made.parents[1]).papers[KEY].figures
    for name, figure in shows.items():
        for calibration in figure.calibrations:
            assert comments[f"figures/{KEY}/{name}-{calibration}.svg"] == f"{KEY}: {figure.shows} ({calibration})"
    assert {CLAIMS, AUDIT, "audit/all.csv", "figures/claims.svg"} <= set(comments)
    for entry in record["manifest"]:
        assert sha256(path.parent / entry["file"]) == entry["sha256"]
    (paper,) = record["dpbandits_papers"]
    assert paper == {"title": "A paper", "authors": [{"name": "A. Author"}], "reference": "nowhere"}


def test_the_metadata_describe_every_file(made):
    certificate = made / "certificate"
    record = json.loads((certificate / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    entities = {entity["@id"]: entity for entity in record["@graph"]}
    assert len(entities) == len(record["@graph"])
    described = {name for name, entity in entities.items() if "File" in entity["@type"]}
    assert described | {"ro-crate-metadata.json", RECORD} == set(files(certificate))
    for name in described - {"machine.json", "times.csv"}:
        assert entities[name]["sha256"] == sha256(certificate / name)
        assert entities[name]["contentSize"] == str((certificate / name).stat().st_size)
    for name in ("machine.json", "times.csv"):
        assert not {"sha256", "contentSize"} & set(entities[name]), "they vary"
    root, run = entities["./"], entities["#run"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert root["datePublished"] == str(cited["date-released"])
    assert {"@id": "https://w3id.org/ro/wfrun/workflow/0.5"} in root["conformsTo"]
    assert {part["@id"] for part in root["hasPart"]} == described
    assert root["mainEntity"] == run["instrument"] == {"@id": "Snakefile"}
    assert {"@id": CLAIMS} in run["result"]
    assert {"@id": FILE} in run["object"]
    assert "endTime" not in run
    assert "agent" not in run
    assert entities["#value-root_seed"]["value"] == CONFIG["root_seed"]
    assert entities["https://w3id.org/workflowhub/workflow-ro-crate#snakemake"]["version"]


def test_the_environment_names_python_packages_and_sources(made):
    record = json.loads((made / "certificate/environment.json").read_text())
    assert record["python"] == f"CPython {platform.python_version()}"
    assert record["packages"]["numpy"] == np.__version__
    assert list(record["packages"]) == sorted(record["packages"])
    assert (record["scale"], record["root_seed"]) == (SCALE, CONFIG["root_seed"])
    assert record["lock"] == sha256(ROOT / "requirements.lock")
    assert len(record["source"]) == 64
    assert record["repository"] is None, "the folder is no repository"


def test_the_repository_tells_commit_and_other_files_but_figures(tmp_path):
    from dpbandits.stages.provenance import repository

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
        done = subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    assert repository(tmp_path) is None, "nothing is committed"
    (tmp_path / "figures").mkdir()
    for name in ("one.txt", "figures/two.txt"):
        (tmp_path / name).write_text("1")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    commit = git("rev-parse", "HEAD")
    assert repository(tmp_path) == {"commit": commit, "dirty": False}
    (tmp_path / "figures/two.txt").write_text("2")
    assert repository(tmp_path) == {"commit": commit, "dirty": False}
    (tmp_path / "one.txt").write_text("2")
    assert repository(tmp_path) == {"commit": commit, "dirty": True}
    assert repository(tmp_path / "figures") is None, "inside of a repository is not one"


def test_the_repository_is_that_of_the_folder_whatever_the_variables_of_git_name(tmp_path, monkeypatch):
    """As in a hook, where git sets them. Results that are links make no difference to what is committed."""
    from dpbandits.stages.provenance import repository

    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "core.excludesFile=")
    for name in ("one", "other"):
        folder = tmp_path / name
        shutil.copytree(ROOT, folder, ignore=lambda place, names: [each for each in names if each != ".gitignore"])
        (folder / "file.txt").write_text(name)
        for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", name)):
            subprocess.run(["git", "-C", folder, *who, *command], check=True)
    found = repository(tmp_path / "one")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert repository(tmp_path / "one") == found
    assert found is not None
    assert not found["dirty"]
    for name in ("results", "logs", ".snakemake", ".cache", ".venv"):
        (tmp_path / "one" / name).symlink_to(tmp_path)
    assert repository(tmp_path / "one") == found


def test_times_are_summed_by_rule_and_paper(made):
    rows = list(csv.DictReader((made / "certificate/times.csv").read_text().splitlines()))
    found = {
        (row["rule"], row["paper"]): [row[name] for name in ("jobs", "wall_seconds", "cpu_seconds")] for row in rows
    }
    assert found == {("simulate", KEY): ["1", "4.0", "0.0"], ("judge", KEY): ["1", "2.5", "1.25"]}


def test_nothing_names_machine_user_or_folder(made):
    folders = {str(made.parents[1]), str(ROOT), f"{Path.home()}/"}
    words = {platform.node(), getpass.getuser()} - {"root"}  # which is a word of ours as well
    for name, data in files(made / "certificate").items():
        text = data.decode(errors="replace")
        assert not [folder for folder in folders if folder in text], name
        if not (made.parents[1] / name).exists():  # no copy
            assert not [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)], name


def test_files_have_the_usual_permissions(made):
    assert unusual(made / "certificate") == {}


def test_a_missing_result_is_named(tmp_path):
    folder = write_results(tmp_path)
    (folder / TABLE).unlink()
    result = call("--project", tmp_path, "certificate", "--out", folder / "certificate")
    assert result.exit_code == 2
    assert result.stderr == f"dpbandits: {folder / TABLE}: No such file or directory\n"
    assert not (folder / "certificate").exists()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"date-released": None}, "date-released: missing or not a string. Add one."),
        ({"date-released": "yesterday"}, "date-released: got 'yesterday'; must be YYYY-MM-DD"),
        ({"authors": []}, "authors: missing or not a list. Add at least one author."),
        (
            {"authors": [{"affiliation": "somewhere"}]},
            "authors[0]: name is missing. Add `name`, or `given-names` and `family-names`.",
        ),
    ],
)
def test_a_fault_of_the_citation_is_one_line(change, line):
    record = yaml.safe_load((ROOT / "CITATION.cff").read_text()) | {"date-released": "2026-11-22"}
    assert citation(record).authors[0].name == "The dpbandits authors"
    with pytest.raises(ConfigError) as fault:
        citation({**record, **change})
    assert str(fault.value) == f"CITATION.cff: {line}"


def test_a_person_of_the_citation_has_name_and_orcid():
    record = yaml.safe_load((ROOT / "CITATION.cff").read_text()) | {"date-released": "2026-11-22"}
    person = {"given-names": "Josiah", "family-names": "Carberry", "orcid": "https://orcid.org/0000-0002-1825-0097"}
    (author,) = citation({**record, "authors": [person]}).authors
    assert (author.name, author.person, author.orcid) == ("Josiah Carberry", True, "0000-0002-1825-0097")


# Held against results


def outcome(folder: Path, *arguments: str | Path) -> tuple[int, dict]:
    result = call("verify", folder, "--json", *arguments)
    return result.exit_code, json.loads(result.stdout)


def test_equal_results_are_one_line(made):
    result = call("verify", made)
    listed = manifest.parse((made / "certificate/manifest-sha256.txt").read_text(), "manifest")
    assert result.exit_code == 0
    first, *rest = result.stdout.splitlines()
    assert first == f"All {len(listed)} files of the scale {SCALE} match the certificate."
    identity = sha256(made / "certificate/ro-crate-metadata.json")
    assert rest[0] == f"Certificate: SHA-256 {identity} of ro-crate-metadata.json."
    assert " ".join(rest[1:]).startswith("Checksums detect accidents, not forgery: ")
    assert outcome(made)[1]["equal"] is True


@injects(
    "runs are lost after their results are finished",
    tried="chunks and checksums removed",
    happens="`dpbandits verify` lists them until the next run or plan; exit code 0 where results are as certified",
    do="nothing, or run what needs them",
)
def test_runs_and_checksums_that_are_lost_behind_results_are_named(folder):
    """They change no result that is there, so the exit code stays."""
    curves, receipts = folder.parent / "curves" / KEY, folder / "runs" / KEY
    names = [f"study/a-printed-0/seeds_{number}.parquet" for number in range(4)]
    for name in names:
        write_table(curves / name, RUNS, {})
    digests = {name: checksum_file(curves / name).read_text().split()[0] for name in names}
    write_json(receipts / "study-0.json", {**digests, names[3]: "0" * 64})
    (receipts / "study-1.json").write_text("{")
    (curves / names[0]).unlink()
    checksum_file(curves / names[1]).unlink()
    checksum_file(folder / TABLE).unlink()
    listed = folder / "figures" / CHECKSUMS
    lines = listed.read_text().splitlines(keepends=True)
    listed.write_text("".join(line for line in lines if "study.summary" not in line))
    code, found = outcome(folder)
    assert (code, found["equal"]) == (0, True)
    assert found["lost"] == [
        f"{listed}: lacks {KEY}/data/study.summary.parquet",
        f"{checksum_file(folder / TABLE)}: is missing",
        f"{curves / names[0]}: is missing",
        f"{checksum_file(curves / names[1])}: is missing",
        f"{curves / names[3]}: differs from the file that the results were computed from",
        f"{receipts / 'study-1.json'}: is not JSON; delete it and run again",
    ]
    said = call("verify", folder).stdout.splitlines()
    assert said[1] == "Missing or changed inputs of these results (a run that needs them recomputes them):"
    shutil.rmtree(curves.parent)
    assert len(outcome(folder)[1]["lost"]) == 2, "results without the folder of runs have none to lose"


def test_a_file_that_the_certificate_does_not_list_is_named(folder):
    (folder / "certificate/claims/extra.py").write_text("")
    code, found = outcome(folder)
    assert (code, found["equal"], found["unlisted"]) == (1, True, ["claims/extra.py"])
    assert "The certificate does not list its file claims/extra.py." in call("verify", folder).stdout.splitlines()


def test_what_varies_is_not_compared(folder):
    (folder / "report/run.html").write_text("it took longer")
    (folder / "audit/cells/one.json").write_text("a piece")
    (folder / "certificate/times.csv").write_text("other times")
    (folder / "certificate/machine.json").write_text("{}")
    assert call("verify", folder).exit_code == 0


def rewrite_table(folder: Path, regret: list[float]) -> None:
    write_table(folder / TABLE, {**RUNS, "regret": np.array(regret)}, {})


def rewrite_claims(folder: Path, *records: dict) -> None:
    write_json(folder / CLAIMS, {"records": list(records), "measurements": []})


def flip(folder: Path) -> None:
    """One bit in the midst of a table."""
    content = bytearray((folder / TABLE).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / TABLE).write_bytes(content)


CHANGES: dict[str, tuple[Callable[[Path], object], str, str, list[str]]] = {
    "a missing file": (lambda folder: (folder / TABLE).unlink(), TABLE, "missing", []),
    "an additional file": (
        lambda folder: (folder / f"tables/{KEY}/other.parquet").write_text(""),
        f"tables/{KEY}/other.parquet",
        "additional",
        [],
    ),
    "a number of a table": (
        lambda folder: rewrite_table(folder, [1.0, 2.0, 5.0]),
        TABLE,
        "differs",
        ["column regret: 1 of 3 rows differ, by at most 0.2 (relative)"],
    ),
    "rows of a table": (
        lambda folder: write_table(folder / TABLE, {name: values[:2] for name, values in RUNS.items()}, {}),
        TABLE,
        "differs",
        ["3 -> 2 rows"],
    ),
    "a verdict": (
        lambda folder: rewrite_claims(folder, claim(1, "fails"), claim(2)),
        CLAIMS,
        "differs",
        [f"{KEY}/C1 (printed): holds -> fails"],
    ),
    "an estimate": (
        lambda folder: rewrite_claims(folder, claim(1), claim(2, estimate=2.5)),
        CLAIMS,
        "differs",
        [f"{KEY}/C2 (printed): estimate 1.5 -> 2.5"],
    ),
    "the last digit of an estimate": (
        lambda folder: rewrite_claims(folder, claim(1), claim(2, estimate=1.5000000000000002)),
        CLAIMS,
        "differs",
        [f"{KEY}/C2 (printed): estimate 1.5 -> 1.5000000000000002"],
    ),
    "claims that come and go": (
        lambda folder: rewrite_claims(folder, claim(1), claim(3)),
        CLAIMS,
        "differs",
        [f"{KEY}/C2 (printed): is missing", f"{KEY}/C3 (printed): is new"],
    ),
    "a cell of an audit": (
        lambda folder: write_json(folder / AUDIT, {"records": [cell("aa"), cell("bb", (1.0, None))]}),
        AUDIT,
        "differs",
        [f"{KEY}/sums, printed, phased_elimination_central, eps = 0.5, bb: epsilon [1, 1] -> [1, ∞]"],
    ),
    "a record that cannot be read": (
        lambda folder: (folder / CLAIMS).write_text('{"records": [{}]}'),
        CLAIMS,
        "differs",
        ["it is damaged: it cannot be read"],
    ),
    "the first page": (
        lambda folder: (folder / "report/index.html").write_text("all claims hold"),
        "report/index.html",
        "differs",
        ["its bytes"],
    ),
    "any other file": (
        lambda folder: (folder / f"notebooks/{KEY}.html").write_text("another"),
        f"notebooks/{KEY}.html",
        "differs",
        ["its bytes"],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_difference_is_told_in_words(folder, name):
    make, file, what, changes = CHANGES[name]
    make(folder)
    code, record = outcome(folder)
    (found,) = record["differences"]
    assert code == 1
    assert (found["file"], found["is"], found["changes"]) == (f"{RESULTS}/{file}", what, changes)
    text = call("verify", folder)
    assert text.exit_code == 1
    for words in (what, *changes):
        assert "".join(words.split()) in "".join(text.stdout.split())


def test_a_flipped_bit_in_a_table_is_found(folder):
    flip(folder)
    code, record = outcome(folder)
    assert code == 1
    assert [each["file"] for each in record["differences"]] == [f"{RESULTS}/{TABLE}"]


def test_a_table_that_is_cut_is_said_to_be_damaged(folder):
    (folder / TABLE).write_bytes((folder / TABLE).read_bytes()[:-9])
    assert outcome(folder)[1]["differences"][0]["changes"] == ["it is damaged: it cannot be read"]


def test_verdicts_that_agree_although_bytes_differ_are_said_to(folder):
    rewrite_table(folder, [1.0, 2.0, 4.000000000000001])
    _, record = outcome(folder)
    assert record["verdicts"] == {"all": 2, "changed": 0}
    said = call("verify", folder).stdout
    assert "All 2 verdicts agree." in said
    assert "only last digits, as on another processor" in said
    rewrite_claims(folder, claim(1, "unclear"), claim(2))
    assert outcome(folder)[1]["verdicts"] == {"all": 2, "changed": 1}
    assert "1 of 2 verdicts differ." in call("verify", folder).stdout
    (folder / CLAIMS).unlink()
    assert outcome(folder)[1]["verdicts"] is None
    assert "cannot be compared" in call("verify", folder).stdout


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path)]
)
def test_what_is_no_regular_file_is_missing_and_is_not_read(folder, make):
    """Pipes and devices have no end."""
    (folder / CLAIMS).unlink()
    make(folder / CLAIMS)
    code, record = outcome(folder)
    assert code == 1
    assert [(each["file"], each["is"]) for each in record["differences"]] == [(f"{RESULTS}/{CLAIMS}", "missing")]
    assert record["verdicts"] is None
    (folder / "certificate/ro-crate-metadata.json").unlink()
    make(folder / "certificate/ro-crate-metadata.json")
    assert refusal(folder).startswith(f"{folder}/certificate/ro-crate-metadata.json: ")


def test_a_link_to_a_file_is_the_file(folder, tmp_path):
    (folder / CLAIMS).rename(tmp_path / "claims.json")
    (folder / CLAIMS).symlink_to(tmp_path / "claims.json")
    assert call("verify", folder).exit_code == 0


def test_a_file_whose_name_is_no_text_is_told(folder):
    (folder / f"tables/{KEY}/\udcff.parquet").write_text("")
    code, record = outcome(folder)
    assert code == 1
    assert [each["file"] for each in record["differences"]] == [f"{RESULTS}/tables/{KEY}/\udcff.parquet"]
    assert call("verify", folder).exit_code == 1


def test_many_changes_are_shortened(folder):
    rewrite_claims(folder, *(claim(number) for number in range(1, 40)))
    changes = outcome(folder)[1]["differences"][0]["changes"]
    assert len(changes) == 21
    assert changes[-1] == "and 17 more"


def test_another_environment_is_said_to_explain(made, folder):
    """The results have a certificate of their own, made elsewhere; they are held against that of others."""
    own = folder / "certificate"
    record = json.loads((own / "environment.json").read_text())
    record["packages"]["numpy"] = "1.0.0"
    (own / "environment.json").write_text(json.dumps(record))
    machine = json.loads((own / "machine.json").read_text())
    (own / "machine.json").write_text(json.dumps({**machine, "cpu": "mos6502", "cores": 1000}))
    assert outcome(folder, "--certificate", made / "certificate")[0] == 0
    rewrite_table(folder, [1.0, 2.0, 4.000000000000001])
    code, found = outcome(folder, "--certificate", made / "certificate")
    assert code == 1
    assert found["environment"] == [f"numpy: {np.__version__} -> 1.0.0", f"cpu: {machine['cpu']} -> mos6502"]
    said = call("verify", folder, "--certificate", made / "certificate").stdout
    assert f"numpy: {np.__version__} -> 1.0.0" in said


def test_the_same_environment_explains_nothing(folder):
    flip(folder)
    assert outcome(folder)[1]["environment"] == []


def test_another_scale_is_said_to_explain(made, folder, tmp_path):
    """From the certificate of the results; from the name of their folder where they have none."""
    record = json.loads((folder / "certificate/environment.json").read_text())
    (folder / "certificate/environment.json").write_text(json.dumps({**record, "scale": "full"}))
    flip(folder)
    assert outcome(folder, "--certificate", made / "certificate")[1]["environment"] == [f"scale: {SCALE} -> full"]
    shutil.rmtree(folder / "certificate")
    assert outcome(folder, "--certificate", made / "certificate")[1]["environment"] == []
    named = folder.rename(tmp_path / "full")
    assert outcome(named, "--certificate", made / "certificate")[1]["environment"] == [f"scale: {SCALE} -> full"]


def test_other_inputs_are_said_where_all_files_are_as_certified(made, tmp_path):
    root = Path(shutil.copytree(made.parents[1], tmp_path / "project"))
    (root / FILE).write_text("another")
    result = call("verify", root / RESULTS)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:3] == [
        "Changed since certification (certified -> here):",
        f"  {FILE}: differs",
    ]
    assert outcome(root / RESULTS)[1]["equal"] is True


def test_results_that_are_as_certified_stay_so_beside_a_damaged_certificate(made, tmp_path):
    root = Path(shutil.copytree(made.parents[1], tmp_path / "project"))
    (root / RESULTS / "certificate/environment.json").write_text("{")
    code, found = outcome(root / RESULTS, "--certificate", made / "certificate")
    assert (code, found["equal"]) == (0, True)
    assert "environment.json" in found["environment"][0]


def test_other_inputs_are_said_to_explain(made, tmp_path):
    """Of the project in which the results lie, or of the one that is named."""
    root = Path(shutil.copytree(made.parents[1], tmp_path / "project"))
    flip(root / RESULTS)
    assert outcome(root / RESULTS)[1]["environment"] == []
    (root / f"notebooks/{KEY}.ipynb").unlink()
    (root / FILE).write_text("another")
    (root / "config/README.md").write_text("other words")
    changes = [f"{FILE}: differs", f"notebooks/{KEY}.ipynb: is missing"]
    assert outcome(root / RESULTS)[1]["environment"] == changes
    asked = ("--project", made.parents[1], "verify", root / RESULTS, "--json")
    assert json.loads(call(*asked).stdout)["environment"] == []


# Certificates that are none


def refusal(folder: Path, *arguments: str | Path) -> str:
    result = call("verify", folder, *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("dpbandits: ").rstrip("\n")


def test_what_is_no_folder_is_refused(folder, tmp_path):
    assert refusal(tmp_path / "nowhere") == (
        f"{tmp_path}/nowhere: is not a folder. Name one with the results of a scale, such as results/quick."
    )
    shutil.rmtree(folder / "certificate")
    assert refusal(folder) == (
        f"{folder}/certificate: is not a folder; must be a certificate. Use --certificate DIR to name another one."
    )
    assert "cannot be read" in refusal(folder, "--certificate", tmp_path)


@pytest.mark.parametrize("name", [CLAIMS, "manifest-sha256.txt", "environment.json", "codecheck.yml", "Snakefile"])
def test_a_damaged_certificate_is_refused(folder, name):
    path = folder / "certificate" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    damaged = "the certificate is damaged. Restore it from a copy."
    assert refusal(folder) == f"{path}: does not match its checksum in ro-crate-metadata.json; {damaged}"
    path.unlink()
    assert refusal(folder) == f"{path}: is missing; {damaged}"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"@graph": [1]}', '{"@graph": []}', "[" * 100_000])
def test_damaged_metadata_are_refused(folder, text):
    path = folder / "certificate/ro-crate-metadata.json"
    path.write_text(text)
    assert refusal(folder).startswith(f"{path}: ")


def forge(folder: Path, name: str, text: str) -> None:
    """Change a file of a certificate, and its digest with it."""
    path = folder / "certificate" / name
    old = sha256(path)
    path.write_text(text)
    metadata = folder / "certificate/ro-crate-metadata.json"
    record = json.loads(metadata.read_text(encoding="utf-8"))
    for entity in record["@graph"]:
        if entity.get("sha256") == old:
            entity |= {"sha256": sha256(path), "contentSize": str(path.stat().st_size)}
    write_json(metadata, record)


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "results/../../x", "~/x", "results//x", "./x", "a/."]
)
def test_paths_that_lead_elsewhere_are_refused(folder, path):
    forge(folder, "manifest-sha256.txt", f"{'0' * 64}  {path}\n")
    line = f"{folder}/certificate/manifest-sha256.txt:1: got {path!r}; must be a path below the folder"
    assert refusal(folder) == line


def test_paths_of_the_metadata_that_lead_elsewhere_are_refused(folder):
    path = folder / "certificate/ro-crate-metadata.json"
    path.write_text(path.read_text().replace('"@id": "LICENSE"', '"@id": "%2E%2E/%2E%2E/etc/passwd"'))
    assert refusal(folder) == f"{path}: @graph: got '../../etc/passwd'; must be a path below the folder"


def test_records_cannot_command_the_terminal(folder):
    rewrite_claims(folder, claim(1), claim(2), {**claim(3), "id": "\x1b[2J[red]\x9b1m"})
    said = call("verify", folder).stdout
    assert r"\x1b[2J[red]\x9b1m (printed): is new" in " ".join(said.split())
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ": lists no file; must list at least one"),
        ("nonsense\n", ":1: got 'nonsense'; must be a digest, two spaces and a path"),
        (
            f"{'0' * 64}  results/smoke/tables/\x9b1m\n",
            f":1: got '{'0' * 56}...; must be a digest, two spaces and a path",
        ),
        (f"{'0' * 64} one_blank\n", f":1: got '{'0' * 56}...; must be a digest, two spaces and a path"),
        (f"{'g' * 64}  x\n", f":1: got '{'g' * 56}...; must be a digest, two spaces and a path"),
        (f"{'0' * 64}  results/full/tables/x\n", ": got 'results/full/tables/x'; must be a result of the scale smoke"),
    ],
)
def test_a_manifest_that_is_none_is_refused(folder, text, says):
    forge(folder, "manifest-sha256.txt", text)
    assert refusal(folder) == f"{folder}/certificate/manifest-sha256.txt{says}"


def test_a_path_that_stands_twice_is_refused():
    with pytest.raises(DamagedFile, match=r"^manifest:2: got 'x'; must occur once, not twice$"):
        manifest.parse(f"{'0' * 64}  x\n{'1' * 64}  x\n", "manifest")


def test_an_unknown_scale_is_refused(folder):
    forge(folder, "environment.json", '{"scale": "vast"}')
    assert refusal(folder).endswith("environment.json: scale: got 'vast'; must be one of: smoke, quick, full")


# Its parts


def test_places_of_results():
    for name in (CLAIMS, f"figures/{KEY}/x.svg", TABLE):
        for scale in ("quick", "full"):
            assert contents.name_of(contents.place(name, scale), scale) == name
    assert contents.place(f"figures/{KEY}/x.svg", "full") == f"figures/{KEY}/x.svg"
    assert contents.place(f"figures/{KEY}/x.svg", "quick") == f"results/quick/figures/{KEY}/x.svg"
    for place, scale in ((f"figures/{KEY}/x.svg", "quick"), ("results/full/figures/x", "full"), ("src/x.py", "quick")):
        assert contents.name_of(place, scale) is None


@pytest.mark.parametrize(
    ("old", "new", "many", "relative"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0, None),
        ([1.0, np.nan], [1.0, np.nan], 0, None),
        ([1.0, 2.0], [1.0, 4.0], 1, 0.5),
        ([-1.0, 0.0], [1.0, 0.0], 1, 2.0),
        ([1.0, np.nan], [1.0, 3.0], 1, np.inf),
        ([np.inf, 0.0], [np.inf, 0.0], 0, None),
        ([1, 2], [1, 3], 1, 1 / 3),
    ],
)
def test_how_far_columns_are_apart(old, new, many, relative):
    assert apart(np.array(old), np.array(new)) == (many, relative)


def test_a_huge_result_is_said_to_differ_and_is_not_read(folder, monkeypatch):
    """Would fail where a file is hashed before its size is known: 20 GB take a minute."""
    for name in (TABLE, CLAIMS):
        with open(folder / name, "r+b") as stream:
            stream.truncate(20 << 30)
    read = verify_stage.file_digest
    monkeypatch.setattr(verify_stage, "file_digest", lambda path: read(path) if path.stat().st_size < 1e9 else 1 / 0)
    said = " ".join(call("verify", folder).stdout.split())
    assert "it has 20480 MB; must have at most 4096" in said


def test_a_file_of_a_certificate_with_another_size_is_not_read(folder, monkeypatch):
    path = folder / "certificate/codecheck.yml"
    with open(path, "r+b") as stream:
        stream.truncate(3 << 30)
    read = verify_stage.file_digest
    monkeypatch.setattr(verify_stage, "file_digest", lambda path: read(path) if path.stat().st_size < 1e9 else 1 / 0)
    assert refusal(folder).startswith(f"{path}: does not match its checksum")


def test_columns_that_come_and_go():
    old, new = {"a": np.arange(2), "b": np.arange(2)}, {"a": np.arange(2), "c": np.arange(2)}
    assert column_changes(old, new) == (["column b: is missing", "column c: is new"], None)
    assert column_changes(old, new, whole=False) == (["column b: is missing"], None)
    assert column_changes(old, old) == (["the storage format, not the values"], None)
    words = {"a": np.array(["x", "y"], dtype=object)}
    assert column_changes(words, {"a": np.array(["x", "z"], dtype=object)}) == (["column a: 1 of 2 rows differ"], None)


def test_checksums_are_no_results(made):
    assert checksum_file(made / TABLE).is_file()
    assert not contents.compared(f"{TABLE}.sha256")


# By itself


def test_a_certificate_by_itself_is_checked_without_results(made, tmp_path):
    own = Path(shutil.copytree(made / "certificate", tmp_path / "certificate"))
    first, second, *_ = call("verify", own).stdout.splitlines()
    assert first == f"All files of this certificate of the scale {SCALE} are whole."
    assert second == f"Certificate: SHA-256 {sha256(own / 'ro-crate-metadata.json')} of ro-crate-metadata.json."
    compiled = "src/dpbandits/__pycache__/__main__.cpython-311.pyc"
    for name in (".venv/bin/python", "results/x.json", "logs/x", compiled):  # of a run in this folder
        (own / name).parent.mkdir(parents=True)
        (own / name).touch()
    assert outcome(own)[1]["unlisted"] == []
    (own / "CITATION.cff").write_text("")
    assert refusal(own).startswith(f"{own}/CITATION.cff: does not match its checksum")


def test_unknown_names_and_seeds_without_a_name_are_one_line(made):
    said = f"--recompute: unknown claim or audit `{KEY}/C99`. "
    assert refusal(made, "--recompute", f"{KEY}/C99").startswith(said)
    assert refusal(made, "--seeds", "3") == "--seeds: allowed with --recompute only. Leave it out."
    said = "--own-code: allowed with --judge or --recompute only. Leave it out."
    assert refusal(made, "--own-code") == said
    said = "--judge: not allowed with --recompute, which judges its own claim. Leave one of them out."
    assert refusal(made, "--recompute", f"{KEY}/C1", "--judge") == said


@pytest.mark.parametrize("name", ["figures/{}/data/study.parquet", "claims/{}.json", "config/papers/{}.yaml"])
def test_nothing_is_computed_again_from_a_damaged_certificate(folder, name):
    path = folder / "certificate" / name.format(KEY)
    path.write_bytes(path.read_bytes()[:-1])
    said = f"{path}: does not match its checksum in ro-crate-metadata.json"
    assert refusal(folder, "--recompute", f"{KEY}/C1").startswith(said)
