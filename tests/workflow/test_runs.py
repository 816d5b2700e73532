"""The pipeline as users run it: new, repeated, moved, killed, failed, extended, misconfigured."""

import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.api.results import load_results
from dpbandits.base.parquet import read_table
from dpbandits.base.snakemake_files import JOBS_LOCK
from dpbandits.base.storage import CHECKSUMS, checksum_file, remove, verify
from dpbandits.config.grid import curves
from dpbandits.config.sections import cases
from dpbandits.planning.bundles import chunks_of, simulations
from dpbandits.planning.receipts import receipts_of
from tests.faults.table import injects
from tests.shipped import ROOT

from .project import RUN, VERDICTS, Copy, bundled, change_size, copy, kill, reduce

CURVES = "results/curves/hanna2022"
TABLES = "results/smoke/tables/hanna2022"
STARTED = ("snakemake", VERDICTS, "--cores", "1", "--config", "scale=smoke")


def runs(project: Copy) -> dict[str, bytes]:
    """Bytes of every chunk, by experiment, curve and file."""
    return {name: data for name, data in project.contents().items() if name.startswith(CURVES)}


def test_everything_is_made(finished):
    smoke, paper = finished.root / "results/smoke", finished.paper()
    names = [f"{name}-{each}.svg" for name, figure in paper.figures.items() for each in figure.calibrations]
    report = smoke / "report"
    pages = ["index.html", "hanna2022.html", "notebooks/hanna2022.html", "static/site.css", "data/audit.csv"]
    files = [*(report / page for page in pages), smoke / "notebooks/hanna2022.html"]
    for path in files + [smoke / "figures/hanna2022" / name for name in names]:
        assert path.stat().st_size > 0
    copied = {path.name: path.read_bytes() for path in (report / "figures/hanna2022").iterdir()}
    numbers = {f"{figure}.csv" for figure in paper.figures}
    assert {*copied} == {*names, *numbers}
    found = load_results("hanna2022", scale="smoke", project=finished.root)
    for name in paper.figures:
        read = pd.read_csv(io.BytesIO(copied[f"{name}.csv"]), keep_default_na=False, na_values="nan")
        assert len(read) == len(found.figure_data(name)) > 0
    assert all(copied[name] == (smoke / "figures/hanna2022" / name).read_bytes() for name in names)
    data = smoke / "figures/hanna2022/data"
    manifest = smoke / "figures" / CHECKSUMS
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", CHECKSUMS], cwd=manifest.parent, check=True)
    listed = {line.split("  ")[1] for line in manifest.read_text(encoding="utf-8").splitlines()}
    assert listed == {f"hanna2022/data/{path.name}" for path in data.iterdir()}
    for name in paper.experiments:
        beside, _ = read_table(smoke / f"figures/hanna2022/data/{name}.parquet")
        whole, _ = read_table(finished.root / TABLES / f"{name}.parquet")
        for column, values in beside.items():
            np.testing.assert_array_equal(values, whole[column])
        assert len(beside["regret"]) == len(whole["regret"])
    made = json.loads((finished.root / VERDICTS).read_text(encoding="utf-8"))
    judged = [(record["id"], record["variant"], record["calibration"]) for record in made["records"]]
    assert judged == [(f"hanna2022/{claim}", variant, each) for claim, variant, each, _ in cases(paper.claims)]
    assert {name for name, _, _ in judged} == {f"hanna2022/{claim}" for claim in paper.claims}
    assert {each["name"] for each in made["measurements"]} == set(paper.measurements)


def test_nothing_refers_to_this_machine(finished):
    """Results contain no path, host or time; the report loads nothing from outside."""
    texts = [
        *(finished.root / "results/smoke/claims").iterdir(),
        *(finished.root / "results/smoke/notebooks").iterdir(),
    ]
    texts += [path for path in (finished.root / "results/smoke/report").rglob("*.*") if path.is_file()]
    texts += (finished.root / "results").rglob("*.parquet")
    for path in texts:
        content = path.read_bytes()
        assert str(finished.root).encode() not in content, path
    for page in (finished.root / "results/smoke").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = text.replace('href="https://arxiv.org/abs/', "")  # a link to a paper, which loads nothing
        for reference in ('src="http', "src='http", 'href="http', "@import", "import("):
            assert reference not in text, (page.name, reference)


def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in finished.snakemake(dry=True)


@pytest.mark.parametrize("kind", ["params", "input", "code"])
def test_nothing_has_changed_after_a_run(finished, kind):
    output = finished.call(*RUN, "--list-changes", kind)
    assert project_files(output) == [], output


@pytest.mark.slow
def test_the_size_of_jobs_changes_no_result(finished, apart):
    """One job for all chunks, or one job per chunk: the same bytes of runs, noise and tables, the same verdicts."""
    assert len(list((apart.root / "logs/simulate/smoke/hanna2022").iterdir())) > 20
    assert len(list((finished.root / "logs/simulate/smoke/hanna2022").iterdir())) == 1
    one, many = finished.contents(), apart.contents()
    shared = {name for name in many if name.startswith(("results/curves", "results/noise", TABLES))}
    assert {name.split("/")[3] for name in shared if name.startswith(CURVES)} == set(apart.paper().experiments)
    assert [name for name in shared if one[name] != many[name]] == []
    judged = {(r["id"], r["variant"], r["calibration"]): r for r in json.loads(one[VERDICTS])["records"]}
    records = json.loads(many[VERDICTS])["records"]
    assert len(records) > 20
    for record in records:
        other = judged[record["id"], record["variant"], record["calibration"]]
        # The resolution depends on the runs of all experiments, of which the reduced copy has fewer.
        apart_from = dict.fromkeys(("evidence", "resolution", "turning_size"))
        assert {**record, **apart_from} == {**other, **apart_from}
        assert (record["resolution"] or 0.0) >= (other["resolution"] or 0.0)


@pytest.mark.slow
def test_figures_are_the_same_bytes_when_drawn_again(finished, again):
    figures = "results/smoke/figures/hanna2022"
    shutil.rmtree(again.root / figures)
    again.snakemake()
    made, kept = (
        {path.relative_to(project.root): path.read_bytes() for path in (project.root / figures).rglob("*.*")}
        for project in (again, finished)
    )
    assert set(made) == set(kept)
    assert [name for name in kept if made[name] != kept[name]] == []


# Killed and failed


@injects(
    "a run is killed during a job",
    tried="SIGKILL after some of its pieces",
    happens="finished pieces stay",
    do="start it again; it does not recompute them",
)
def test_a_run_killed_in_the_midst_of_a_job_resumes(finished, tmp_path):
    """Twice: nothing that was written is recomputed, and jobs that had ended are not even started."""
    project = copy(tmp_path, source=False)
    reduce(project)
    bundled(project, 0.03)
    jobs = simulations(project.project(), project.paper())
    tables = [f"{TABLES}/{experiment}.parquet" for experiment in project.paper().experiments]

    def written() -> list[set[str]]:
        return [{chunk.name for chunk in job if (project.root / CURVES / chunk.file).exists()} for job in jobs]

    def torn() -> list[int]:
        return [n for n, (names, job) in enumerate(zip(written(), jobs, strict=True)) if 0 < len(names) < len(job)]

    for begun in (1, 2):
        process = project.start("snakemake", *tables, "--cores", "1", "--config", "scale=smoke")
        project.wait(lambda begun=begun: sum(len(names) > 1 for names in written()) >= begun and torn())
        kill(process)
    there = written()
    ended = [number for number, job in enumerate(jobs) if len(there[number]) == len(job)]
    left = torn()
    assert left
    before = runs(project)
    shutil.rmtree(project.root / "logs")
    project.snakemake(*tables)
    said = project.said("simulate")
    assert set(said) == {chunk.name for number, job in enumerate(jobs) for chunk in job if number not in ended}
    kept = set().union(*(there[number] for number in left))
    assert {name for name, what in said.items() if what == "up to date"} == kept
    assert {name: data for name, data in before.items() if "/." not in name}.items() <= runs(project).items()
    assert runs(project).items() <= runs(finished).items()
    assert [name for name in tables if (project.root / name).read_bytes() != (finished.root / name).read_bytes()] == []


def obstruct(path: Path) -> None:
    """Put a folder in place of a file, so that the file cannot be written by any user."""
    path.unlink(missing_ok=True)
    (path / "something").mkdir(parents=True)


def failing(project: Copy, victim: Path) -> None:
    """A run that ends because this file cannot be written, and reports it."""
    obstruct(victim)
    output = project.call(*STARTED, code=1)
    assert f"dpbandits: {victim.relative_to(project.root)}: exists and is not a regular file." in output


def environment(project: Copy) -> None:
    """What `make` takes for the environment of this copy: links to that of the tests."""
    for name in ("Makefile", "requirements-uv.lock", "tools"):
        (project.root / name).symlink_to(ROOT / name)
    folder, there = project.root / ".venv", Path(sys.prefix)
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "snakemake", "dpbandits"):
        (folder / "bin" / name).symlink_to(there / "bin" / name)
    for name in ("lib", "share"):
        (folder / name).symlink_to(there / name)
    shutil.copy(there / "pyvenv.cfg", folder)
    (folder / "folder").write_text(str(project.root), encoding="utf-8")
    for name in ("bin/uv", "ready"):
        (folder / name).touch()


@pytest.mark.parametrize("name", ["logs", "results/smoke/report"])
@injects(
    "a file exists where a folder is needed",
    tried="`logs` or the report as a file",
    happens="one line before any work; the file stays",
    do="move it away",
)
def test_a_file_in_the_place_of_a_folder_is_named_before_work(name, finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    (project.root / VERDICTS).unlink()
    remove(project.root / name)
    (project.root / name).write_text("mine", encoding="utf-8")
    output = project.call(*RUN, code=1)
    assert f"{name}: exists and is not a folder, which a run needs there. Move it away." in output
    assert (project.root / name).read_text(encoding="utf-8") == "mine"
    assert not (project.root / VERDICTS).exists()


@injects(
    "a file of yours is in the report or the certificate",
    tried="a file beside the pages, and results below the certificate",
    happens="one line before any work; the file stays",
    do="move it away",
)
@pytest.mark.parametrize("name", ["report/notes.txt", "certificate/results/full/claims.json"])
def test_a_file_of_the_user_in_a_folder_that_is_replaced_is_named_before_work(name, finished, tmp_path):
    """Snakemake deletes both folders before the jobs that write them."""
    project = copy(tmp_path, source=False, of=finished)
    (project.root / VERDICTS).unlink()
    mine = project.root / "results/smoke" / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine", encoding="utf-8")
    command, _, rest = name.partition("/")
    says = f"results/smoke/{command}: holds {rest}, which `dpbandits {command}` did not write. A run deletes this"
    assert says in project.call(*RUN, code=1)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert not (project.root / VERDICTS).exists()


@injects(
    "a job fails",
    tried="through `make`, with a damaged table",
    happens="the terminal shows the last lines of the job's log; all other results stay",
    do="follow the line; run `make` again",
)
def test_make_shows_why_a_job_failed_and_goes_on_afterwards(finished, tmp_path):
    """The terminal shows the last lines of the job's log, and no log of Snakemake's that hides them."""
    project = copy(tmp_path, source=False, of=finished)
    environment(project)
    victim = project.root / TABLES / "figure2.parquet"
    damage([victim])
    (project.root / VERDICTS).unlink()
    output = project.call("make", "smoke", code=2)
    said = output.partition("dpbandits: a job failed. Its log, logs/judge/smoke/hanna2022.log, ends:\n")[2]
    named = victim.relative_to(project.root)
    assert said.startswith(f"    dpbandits: {named}: does not match its checksum; quarantined as .damaged; run again\n")
    assert len(output.splitlines()) < 40
    project.call("make", "smoke")
    assert project.digest() == finished.digest()


@injects(
    "`PYTHONPATH` has another package named dpbandits, and make is called",
    tried="an empty package",
    happens="`make` uses the package in its own folder",
    do="nothing",
)
def test_make_uses_its_own_package_whatever_the_path_of_python_has(tmp_path):
    project = copy(tmp_path / "project", source=True)
    environment(project)
    other = tmp_path / "other/dpbandits/__init__.py"
    other.parent.mkdir(parents=True)
    other.touch()
    plan = project.call("env", f"PYTHONPATH={other.parents[1]}", "make", "plan", "SCALE=smoke")
    assert re.search(r"^all +\d+", plan, re.M)


@pytest.mark.slow
def test_a_failed_job_leaves_all_that_was_made(finished, tmp_path):
    """New seeds in a job whose last new chunk cannot be written: the others stay, like those of earlier runs."""
    project = copy(tmp_path, source=False, of=finished)
    reduce(project, ["sensitivity"])
    before = runs(project)
    change_size(project, "sensitivity", "smoke", seeds=4)
    own = curves(project.project(), project.paper(), "sensitivity")
    victim = project.root / CURVES / chunks_of(own)[-1].file
    failing(project, victim)
    assert before.items() < runs(project).items()
    shutil.rmtree(victim)
    project.snakemake(VERDICTS)
    said = project.said("simulate")
    assert {name for name, what in said.items() if what == "simulated"} == {f"sensitivity/{own[-1].folder}/0002-0003"}
    assert before.items() < runs(project).items()


@pytest.mark.slow
@injects(
    "a job fails after part of its work",
    tried="its last piece cannot be written",
    happens="its finished runs stay; its result counts as missing",
    do="remove the cause and run again",
)
def test_what_a_failed_job_leaves_is_not_taken_for_its_result(finished, tmp_path):
    """Another root seed, for which the job's last chunk cannot be written: the others are kept, it is recomputed."""
    project = copy(tmp_path, source=False, of=finished)
    reduce(project, ["sensitivity"])
    project.snakemake(VERDICTS)
    project.revise("root_seed", to=1, file="config/config.yaml")
    (job,) = simulations(project.project(), project.paper())
    *others, victim = (project.root / CURVES / chunk.file for chunk in job)
    failing(project, victim)
    assert {read_table(path)[1]["root_seed"] for path in others} == {1}
    shutil.rmtree(victim)
    assert project.planned(VERDICTS)["simulate"] == 1
    project.snakemake(VERDICTS)
    said = {chunk.name: "up to date" for chunk in job} | {job[-1].name: "simulated"}
    assert project.said("simulate") == said
    assert {read_table(path)[1]["root_seed"] for path in (*others, victim)} == {1}
    assert project.planned(VERDICTS) == {}


@injects(
    "two runs at once in a folder",
    tried="two runs started in one folder",
    happens="the second is refused in one line; a lock ends with its process",
    do="wait for the first",
)
def test_a_second_run_at_once_is_refused_in_one_line(tmp_path):
    project = copy(tmp_path, source=False)
    first = project.start(*STARTED)
    project.wait((project.root / JOBS_LOCK).exists)  # it is made under the lock of the run
    os.killpg(first.pid, signal.SIGSTOP)  # so that it does not end before the second run begins
    try:
        output = project.call(*STARTED, code=1)
    finally:
        kill(first)
    assert ".snakemake/run.lock: another run holds the lock of this folder. Wait for it, or stop it." in output


# Extended


def test_more_seeds_plan_only_new_chunks(pieces):
    change_size(pieces, "figure2", "smoke", seeds=4)
    own = [curve.folder for curve in curves(pieces.project(), pieces.paper(), "figure2")]
    jobs, files = pieces.plan(VERDICTS)
    assert jobs == {"simulate": len(own), "aggregate": 1, "judge": 1}
    new = (chunk for chunk in chunks_of(curves(pieces.project(), pieces.paper(), "figure2")) if chunk.first == 2)
    receipts = {f"results/smoke/runs/hanna2022/{name}" for chunk in new for name in receipts_of([chunk])}
    assert len(receipts) == len(own)
    assert {name for name in files if name.startswith("results/smoke/runs/")} == receipts


def test_more_seeds_in_a_shared_job_compute_only_new_chunks(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    before = runs(project)
    change_size(project, "figure2", "smoke", seeds=4)
    project.snakemake(VERDICTS)
    own = {f"figure2/{curve.folder}/0002-0003" for curve in curves(project.project(), project.paper(), "figure2")}
    said = project.said("simulate")
    assert {name for name, what in said.items() if what == "simulated"} == own
    after = runs(project)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2 * len(own)
    records = json.loads((project.root / VERDICTS).read_text(encoding="utf-8"))["records"]
    seeds = {record["id"]: record["n"] for record in records if record["kind"] == "statistical"}
    assert seeds["hanna2022/C1"] == 4
    assert seeds["hanna2022/C12"] == 2, "of another experiment"


def flip(content: bytes) -> bytes:
    """Flip one bit in the middle of a file."""
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    return bytes(changed)


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (flip, lambda content: content[: len(content) // 2], lambda _: b"")


def project_files(output: str) -> list[str]:
    """Files that Snakemake lists."""
    return [line for line in output.splitlines() if line.startswith(("results/", "figures/"))]


def damage(paths: Sequence[Path]) -> None:
    """Flip a bit of the first file, truncate the second, empty the third, and so on. As on bad disks, times stay."""
    for path, change in zip(paths, itertools.cycle(DAMAGES), strict=False):
        times = path.stat()
        path.write_bytes(change(path.read_bytes()))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@injects(
    "chunks of runs are damaged",
    tried="a bit flipped, cut, emptied, with times kept",
    happens="named and quarantined as `.damaged`",
    do="run again; they are recomputed",
)
def test_damaged_chunks_are_named_and_made_again(finished, tmp_path):
    """Would catch: a checksum that is not compared, a fault that ends the run before all are named."""
    project = copy(tmp_path, source=False, of=finished)
    before = runs(project)
    victims = sorted(project.root.glob(f"{CURVES}/figure2/phased_elimination_local-*/*.parquet"))
    assert len(victims) >= 3
    damage(victims)
    (project.root / TABLES / "figure2.parquet").unlink()
    (project.root / VERDICTS).unlink()
    output = project.call(*STARTED, code=1)
    for victim in victims:
        assert f"{victim.relative_to(project.root)}: does not match its checksum; quarantined as .damaged" in output
    project.snakemake(VERDICTS)
    said = project.said("simulate")
    places = {victim.parent.relative_to(project.root / CURVES).as_posix() for victim in victims}
    assert {name for name, what in said.items() if what == "simulated"} == {f"{place}/0000-0001" for place in places}
    assert len(said) == len(before) // 2
    assert before.items() < runs(project).items(), "the same bytes, beside the damaged files"
    assert project.digest() == finished.digest()


@injects(
    "files of runs are lost or overwritten",
    tried="a chunk, its checksum or its bytes",
    happens="`dpbandits verify` names them; present results stay",
    do="nothing; a run that needs them recomputes them",
)
def test_runs_that_are_lost_or_written_over_are_made_again_by_the_same_command(finished, tmp_path):
    """If something needs them: here a table is lost as well. Newer files may be of another scale, and stay."""
    project = copy(tmp_path, source=False, of=finished)
    before = runs(project)
    lost, changed, bare = sorted(project.root.glob(f"{CURVES}/figure2/phased_elimination_local-*/*.parquet"))[:3]
    lost.unlink()
    changed.write_bytes(b"not a table")
    bare.with_name(f"{bare.name}.sha256").unlink()
    assert project.planned(VERDICTS) == {}, "nothing needs them"
    (project.root / TABLES / "figure2.parquet").unlink()
    (project.root / VERDICTS).unlink()
    project.snakemake(VERDICTS)
    said = project.said("simulate")
    names = {f"figure2/{path.parent.name}/0000-0001" for path in (lost, changed, bare)}
    assert {name for name, what in said.items() if what == "simulated"} == names
    assert runs(project) == before
    assert project.digest() == finished.digest()
    assert project.planned(VERDICTS) == {}


@pytest.mark.slow
@injects(
    "tables are damaged",
    tried="a bit flipped, cut, emptied, with times kept",
    happens="named and quarantined as `.damaged`",
    do="run again",
)
def test_damaged_tables_are_named_and_made_again(finished, tmp_path):
    """Tables of runs before they are judged, and summaries before the notebook draws them."""
    project = copy(tmp_path, source=False, of=finished)
    for kind, made in (("", VERDICTS), (".summary", "results/smoke/notebooks/hanna2022.html")):
        victims = [project.root / TABLES / f"{name}{kind}.parquet" for name in ("figure2", "figure3b", "scaling")]
        damage(victims)
        (project.root / made).unlink()
        output = project.call("snakemake", made, *STARTED[2:], code=1)
        for victim in victims:
            named = re.escape(str(victim.relative_to(project.root)))
            assert re.search(
                rf"{named}: (does not match its checksum|is not a table); quarantined as \.damaged", output
            )
        project.snakemake(made)
        assert project.digest() == finished.digest()
        for victim in victims:
            verify(victim)


def exchange(first: Path, second: Path) -> None:
    """Swap two files together with their checksums; modification times stay."""
    for one, other in ((first, second), (checksum_file(first), checksum_file(second))):
        times, bytes_before = one.stat(), one.read_bytes()
        for path, data in ((one, other.read_bytes()), (other, bytes_before)):
            path.write_bytes(data)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@injects(
    "two tables are swapped",
    tried="two whole tables exchanged, with their checksums and times",
    happens="both named and quarantined: tables say which runs they hold",
    do="run again",
)
def test_tables_in_the_place_of_others_are_named_and_made_again(finished, tmp_path):
    """Whole tables with their checksums and times: what they say about their runs is compared."""
    project = copy(tmp_path, source=False, of=finished)
    tables = [project.root / TABLES / f"{name}.parquet" for name in ("figure2", "figure3b")]
    exchange(*tables)
    (project.root / VERDICTS).unlink()
    output = project.call(*STARTED, code=1)
    for table in tables:
        assert f"{table.relative_to(project.root)}: holds different curves, seeds or sources; quarantined" in output
    project.snakemake(VERDICTS)
    assert project.digest() == finished.digest()


RECORDS = {
    "noise": ("results/noise/hanna2022/*.json", f"{TABLES}/figure2.parquet"),
    "cells of an audit": ("results/smoke/audit/cells/hanna2022/*.json", "results/smoke/audit/hanna2022.json"),
    "audits": ("results/smoke/audit/hanna2022.json", VERDICTS),
    "verdicts": (VERDICTS, "results/smoke/notebooks/hanna2022.html"),
    "pictures": ("results/smoke/figures/hanna2022/*.svg", "results/smoke/report"),
}
"""Pattern of the records, and a file made from them."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.slow) for kind in RECORDS])
@injects(
    "noise, audits, verdicts or figures are damaged",
    tried="one digit changed, or cut, with times kept",
    happens="the file is named and quarantined",
    do="run again",
)
def test_damaged_records_are_named_and_made_again(kind, finished, tmp_path):
    """One digit changes, which still is valid JSON; a picture is truncated. Modification times stay."""
    project = copy(tmp_path, source=False, of=finished)
    where, made = RECORDS[kind]
    record = sorted(project.root.glob(where))[0]
    times, text = record.stat(), record.read_text(encoding="utf-8")
    figure = re.search("[1-9]", text[len(text) // 3 :])
    assert figure
    place = len(text) // 3 + figure.start()
    other = f"{text[:place]}{int(text[place]) % 9 + 1}{text[place + 1 :]}"
    record.write_text(text[: len(text) // 2] if kind == "pictures" else other, encoding="utf-8")
    os.utime(record, ns=(times.st_atime_ns, times.st_mtime_ns))
    remove(project.root / made)
    output = project.call("snakemake", made, *STARTED[2:], code=1)
    assert str(record.relative_to(project.root)) in output
    assert "; quarantined as .damaged; run again" in output
    project.snakemake(made)
    assert record.read_text(encoding="utf-8") == text
    assert project.digest() == finished.digest()


@pytest.mark.slow
def test_scales_that_agree_share_files(finished, tmp_path):
    """Of four seeds at `quick`, two are those of `smoke` and are not recomputed."""
    project = copy(tmp_path, source=False, of=finished)
    reduce(project, ["sensitivity"])
    before = runs(project)
    change_size(project, "sensitivity", "quick", seeds=4, chunk=2)
    table = "tables/hanna2022/sensitivity.parquet"
    project.call("snakemake", f"results/quick/{table}", "--cores", "2", "--config", "scale=quick")
    folders = [curve.folder for curve in curves(project.project(), project.paper(), "sensitivity")]
    assert project.said("simulate") == {
        **{f"sensitivity/{folder}/0000-0001": "up to date" for folder in folders},
        **{f"sensitivity/{folder}/0002-0003": "simulated" for folder in folders},
    }
    after = runs(project)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2 * len(folders), "a chunk and its checksum for each curve"
    smoke, quick = (read_table(project.root / "results" / scale / table)[0] for scale in ("smoke", "quick"))
    first = quick["seed"] < 2
    assert first.sum() == len(smoke["seed"]) == len(quick["seed"]) // 2
    for name, values in smoke.items():
        np.testing.assert_array_equal(quick[name][first], values)


# Another target


def test_another_target_ends_well_and_shows_no_verdicts(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    noise = next(project.root.glob("results/noise/hanna2022/*.json"))
    noise.unlink()
    output = project.snakemake(str(noise.relative_to(project.root)))
    assert noise.exists()
    assert "hanna2022, scale smoke" not in output
