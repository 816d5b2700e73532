"""Snakemake still shows each behavior that we work around, and untested versions are left alone."""

import errno
import inspect
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.api import Workflow
from snakemake.dag import DAG
from snakemake.exceptions import ChildIOException
from snakemake.io import _IOFile
from snakemake.jobs import GroupJob, Job
from snakemake.output_index import OutputIndex
from snakemake.persistence import ParamsChange, PersistenceBase
from snakemake.persistence.file import FilePersistence
from snakemake.scheduling.job_scheduler import JobScheduler

from dpbandits.base.snakemake_files import RUN_LOCK
from dpbandits.planning import snakemake_workarounds
from tests import patience

JOBS = 4
WORKFLOW = """
rule all:
    input: expand("done/{n}", n=range(4))
rule one:
    output: "done/{n}"
    shell: "sleep 1.2; touch {output}"
"""
ENDLESS = """
rule all:
    output: "done"
    shell: "touch begun; sleep 600"
"""
FAILING = """
from dpbandits.planning import snakemake_workarounds
if config["remembers"]:
    snakemake_workarounds.remember_failures()
VERSION = config["version"]
rule claims:
    input: "table"
    output: "claims"
    shell: "cp {input} {output}"
rule table:
    input: "runs"
    output: "table"
    shell: "grep -v table {input} > {output}"
rule runs:
    output: update("runs")
    params: version=VERSION
    shell: "test {params.version} != runs && echo {params.version} > {output}"
"""
GO = "Snakemake no longer does what is worked around: delete planning/snakemake_workarounds.py, "


def workflow_of(failed: tuple[SimpleNamespace, ...] = (), main: bool = True) -> tuple[SimpleNamespace, list[object]]:
    started: list[object] = []
    scheduler = SimpleNamespace(job_rate_limiter="limit", failed=failed)
    persistence = SimpleNamespace(started=started.append)
    found = SimpleNamespace(local_exec=True, is_main_process=main, scheduler=scheduler, persistence=persistence)
    return found, started


@pytest.fixture(params=["9.99.0", "10.0.1"])
def folder(request, monkeypatch, tmp_path) -> Iterator[Path]:
    """An empty working folder, with a tested and an untested Snakemake version."""
    monkeypatch.setattr(snakemake_workarounds, "version", lambda _: request.param)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_parameters_are_compared_without_pandas(folder, monkeypatch):
    """As in Snakemake where pandas is not installed."""
    before = PersistenceBase._serialize_param
    monkeypatch.setattr(PersistenceBase, "_serialize_param", before)
    snakemake_workarounds.compare_plainly()
    changed = PersistenceBase._serialize_param is not before
    assert changed == snakemake_workarounds.known()
    if changed:
        compare = SimpleNamespace(_serialize_param_builtin=repr)
        assert PersistenceBase._serialize_param.fget(compare) is repr


def test_records_of_outputs_are_kept_while_a_job_is_looked_at(folder, monkeypatch):
    """Would catch: a cache in Snakemake that itself holds the records of all outputs of a job."""
    before = FilePersistence._read_record_cached
    assert before.cache_parameters()["maxsize"] == 128, GO + "remember_records"
    monkeypatch.setattr(FilePersistence, "_read_record_cached", before)
    snakemake_workarounds.remember_records()
    if snakemake_workarounds.known():
        read = []
        monkeypatch.setattr(FilePersistence, "_io_read", lambda self, folder, name: read.append(name))
        records = FilePersistence.__new__(FilePersistence)
        records._metadata_path = "records"
        for _ in range(5):
            assert [records._read_record(f"{k}.svg") for k in range(300)] == [None] * 300
        assert len(read) == 300
    else:
        assert FilePersistence._read_record_cached is before


class Hashed(SimpleNamespace):
    """Values that are equal only to themselves, as rules are."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def rule_of(*outputs: str) -> SimpleNamespace:
    """A rule with these outputs, which counts how often Snakemake compares it with a file."""
    files = [_IOFile(output, rule=None) for output in outputs]
    asked: list[str] = []

    def is_producer(target: str) -> bool:
        asked.append(target)
        return any(file.match(target) for file in files)

    return Hashed(products=lambda: iter(files), is_producer=is_producer, asked=asked)


@pytest.mark.parametrize(
    ("target", "makers"),
    [
        ("a/b.json", ["plain"]),
        ("a/bxjson", []),
        ("a/b.json.tmp", []),
        ("c/7.json", ["pattern"]),
        ("c/8.json", ["plain", "pattern"]),
        ("c/7.txt", []),
        ("logs/7.log", ["pattern"]),
        ("d", ["pattern"]),
    ],
)
def test_the_rule_of_an_output_without_wildcards_is_found_by_name(monkeypatch, target, makers):
    """The rules are those that Snakemake finds, which compares the file with all outputs of a rule."""
    rules = {
        "plain": rule_of("a/b.json", "a/c.json", "c/8.json", "a/b"),
        "pattern": rule_of("c/{n}.json", "logs/{n}.log", "d"),
    }
    expected = {rules[name] for name in makers}
    monkeypatch.setattr(OutputIndex, "__init__", OutputIndex.__init__)
    monkeypatch.setattr(OutputIndex, "match_producers", OutputIndex.match_producers)
    assert OutputIndex(rules.values()).match_producers(target) == expected
    assert rules["plain"].asked or "plain" not in makers, GO + "find_outputs_by_name"
    rules["plain"].asked.clear()
    for _ in range(2):
        snakemake_workarounds.find_outputs_by_name()
        assert OutputIndex(rules.values()).match_producers(target) == expected
    assert bool(rules["plain"].asked) == ("plain" in makers and not snakemake_workarounds.known())


@pytest.mark.parametrize(
    ("outputs", "inside"),
    [
        ({"one": ["report", "figures/a.svg"], "two": ["report.css", "figures/b.svg"]}, None),
        ({"one": ["report", "report/index.html"], "two": ["other/report"]}, None),
        ({"one": ["report"], "two": ["a.json", "report/pages/index.html"]}, ("report", "report/pages/index.html")),
        ({"one": ["out/report/index.html"], "two": ["out/b", "out/../out"]}, ("out", "out/report/index.html")),
    ],
)
def test_an_output_inside_the_folder_of_another_job_is_found(monkeypatch, outputs, inside):
    dag = SimpleNamespace(jobs=[Hashed(output=files, name=name) for name, files in outputs.items()])
    before = DAG.check_directory_outputs
    assert "commonpath" in inspect.getsource(before), GO + "look_into_folders_once"
    monkeypatch.setattr(DAG, "check_directory_outputs", before)
    snakemake_workarounds.look_into_folders_once()
    assert (DAG.check_directory_outputs is before) != snakemake_workarounds.known()
    for check in (DAG.check_directory_outputs, before):
        if inside is None:
            check(dag)
        elif check is not before or ".." not in str(outputs):  # Snakemake takes `a/../a` for another folder than `a`
            with pytest.raises(ChildIOException) as found:
                check(dag)
            assert all(os.path.abspath(name) in str(found.value) for name in inside)


@pytest.mark.parametrize(
    ("dry", "loggers", "silent"), [(True, ("dpbandits",), True), (True, (), False), (False, ("dpbandits",), False)]
)
def test_jobs_of_a_dry_run_are_described_where_a_logger_shows_them(monkeypatch, dry, loggers, silent):
    before = Job.log_info, GroupJob.log_info
    assert all(map(inspect.isfunction, before)), GO + "plan_silently"
    for kind, function in zip((Job, GroupJob), before, strict=True):
        monkeypatch.setattr(kind, "log_info", function)
    settings = SimpleNamespace(dryrun=dry, log_handler_settings=dict.fromkeys(loggers))
    snakemake_workarounds.plan_silently(SimpleNamespace(output_settings=settings))
    changed = (Job.log_info, GroupJob.log_info) != before
    assert changed == (silent and snakemake_workarounds.known())


def test_parameters_that_did_not_change_are_not_listed(monkeypatch):
    same, other = ParamsChange(files={"a"}), ParamsChange(only_new={"1"}, files={"b"})
    assert (bool(same), list(same)) == (False, ["a"]), GO + "list_true_changes"
    monkeypatch.setattr(ParamsChange, "__iter__", ParamsChange.__iter__)
    snakemake_workarounds.list_true_changes()
    assert list(same) == ([] if snakemake_workarounds.known() else ["a"])
    assert list(other) == ["b"]


def test_snakemake_still_has_the_parts():
    scheduler = inspect.getsource(JobScheduler)
    assert "job_rate_limiter" in scheduler, GO + "remove_start_limit"
    assert "self.failed = " in scheduler, "failed_logs uses it"
    for part in (Job.postprocess, PersistenceBase.finished):
        assert inspect.iscoroutinefunction(part), "remember_failures wraps it"
    assert "import pandas" in inspect.getsource(PersistenceBase._serialize_param_pandas), GO + "compare_plainly"
    assert callable(PersistenceBase._serialize_param_builtin), "compare_plainly uses it"
    assert isinstance(inspect.getattr_static(Workflow, "is_main_process", None), property), "plans uses it"
    assert isinstance(inspect.getattr_static(Workflow, "current_basedir", None), property), "common.smk uses it"


def test_snakemake_still_looks_at_ready_jobs_between_their_ends(tmp_path):
    """Unmodified, it checks more often than jobs end; tests/workflow/test_plan.py shows that this workflow does not."""
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    done = patience.run(["snakemake", "--cores", "1", "--verbose"], cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert len(re.findall(r"^Finished jobid: ", said, re.M)) == JOBS + 1
    assert len(re.findall(r"^Ready jobs: ", said, re.M)) > JOBS + 1, GO + "remove_start_limit"


def test_snakemakes_lock_still_outlives_a_killed_run(tmp_path):
    (tmp_path / "Snakefile").write_text(ENDLESS, encoding="utf-8")
    command = ["snakemake", "--cores", "1"]
    first = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        patience.wait((tmp_path / "begun").exists, "a job", tmp_path)
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    second = patience.run(command, cwd=tmp_path)
    assert second.returncode != 0
    assert "LockException" in second.stdout + second.stderr, GO + "take_run_lock; and `nolock` in profiles"


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("failing", ["runs", "table"])
def test_a_failed_job_is_run_again_and_without_us_would_be_forgotten(tmp_path, failing, grouped):
    """The claims are stale, and only the records of the failed job show it."""
    text = FAILING.replace("    output", '    group: "all"\n    output') if grouped else FAILING
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")

    def run(version, remembers, *options):
        settings = ("--config", f"version={version}", f"remembers={remembers}")
        command = ["snakemake", "claims", "--cores", "1", "--rerun-incomplete", *options, *settings]
        done = patience.run(command, cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    for remembers in (0, 1):
        assert run("first", remembers)[0] == 0
        assert run(failing, remembers)[0] == 1
        assert ("Nothing to be done" in run(failing, remembers, "--dry-run")[1]) == (not remembers), GO
        assert run("last", remembers, *(() if remembers else ("--forceall",)))[0] == 0
        assert (tmp_path / "claims").read_text(encoding="utf-8") == "last\n"


def test_outputs_without_notes_are_made_again_and_without_us_would_be_trusted(tmp_path):
    text = """
if config["distrusts"]:
    from dpbandits.planning import snakemake_workarounds
    snakemake_workarounds.distrust_unknown_outputs()
rule one:
    output: "one"
    params: version=config["version"]
    shell: "echo {params.version} > {output}"
"""
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")

    def run(version, distrusts):
        command = ["snakemake", "--cores", "1", "--config", f"version={version}", f"distrusts={distrusts}"]
        done = patience.run(command, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return (tmp_path / "one").read_text(encoding="utf-8").strip()

    assert run("first", 1) == "first"
    shutil.rmtree(tmp_path / ".snakemake")
    assert run("second", 0) == "first", GO + "distrust_unknown_outputs"
    assert run("second", 1) == "second"


def test_marks_of_unfinished_outputs_are_read_whatever_else_lies_there(folder):
    place = f"{'folder/' * 40}made.json"
    (folder / "Snakefile").write_text(f'rule:\n    output: "{place}"\n    shell: "exit 1"\n', encoding="utf-8")
    persistence = FilePersistence.__new__(FilePersistence)
    persistence._max_len, persistence._incomplete_cache = 255, None
    persistence._incomplete_path = str(folder / ".snakemake/incomplete")
    Path(persistence._incomplete_path).mkdir(parents=True)
    persistence._mark_incomplete(place, None)
    (folder / ".snakemake/incomplete/.nfs000001").write_text("", encoding="utf-8")
    assert snakemake_workarounds.marked_unfinished() == ({place} if snakemake_workarounds.known() else set())


def test_they_do_what_they_say_on_this_version():
    job = SimpleNamespace(log=["a.log", "b.log"], output=[])
    found, started = workflow_of((job,))
    snakemake_workarounds.remove_start_limit(found)
    assert found.scheduler.job_rate_limiter is None
    assert snakemake_workarounds.failed_logs(found) == ["a.log", "b.log"]
    assert snakemake_workarounds.plans(found)
    assert not snakemake_workarounds.plans(workflow_of(main=False)[0])


def test_another_version_is_left_alone(monkeypatch):
    """No private part is used: none of them exists."""
    monkeypatch.setattr(snakemake_workarounds, "version", lambda _: "10.0.1")
    none = SimpleNamespace()
    snakemake_workarounds.remove_start_limit(none)
    assert snakemake_workarounds.failed_logs(none) == []
    assert snakemake_workarounds.plans(none)


def test_the_lock_of_a_run_is_taken_with_every_version(folder):
    busy = pytest.raises(snakemake_workarounds.Busy, match="another run holds the lock")
    with snakemake_workarounds.take_run_lock(), busy:
        snakemake_workarounds.take_run_lock()
    snakemake_workarounds.take_run_lock().close()


def test_a_disk_without_locks_is_named_with_the_remedy(folder, monkeypatch):
    def unlocked(lock, how):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(snakemake_workarounds.fcntl, "flock", unlocked)
    with pytest.raises(OSError, match=r"cannot be locked \(Function not implemented\)\. Ask your") as fault:
        snakemake_workarounds.take_run_lock()
    assert fault.value.filename == str(RUN_LOCK)


def test_what_a_run_wrote_is_told_from_older_files_with_every_version(folder):
    page = folder / "index.html"
    with snakemake_workarounds.take_run_lock():
        start = (folder / RUN_LOCK).stat().st_mtime
        assert not snakemake_workarounds.begun(page)
        page.touch()
        assert snakemake_workarounds.begun(page)
        os.utime(page, (start - 10, start - 10))
        assert not snakemake_workarounds.begun(page)


def test_names_of_rules_are_forgotten_and_rules_run_without_them(tmp_path):
    (tmp_path / "Snakefile").write_text(
        """\
from dpbandits.planning import snakemake_workarounds
rule one:
    output: "done"
    shell: "touch {output}"
rule two:
    output: "more"
    run: open(output[0], "w").close()
kept = [name for name in ("__one", "__two") if name in globals()]
snakemake_workarounds.forget_rule_names(workflow)
left = [name for name in ("__one", "__two") if name in globals()]
print("names", *kept, "left", *left)
""",
        encoding="utf-8",
    )
    done = patience.run(["snakemake", "done", "more", "--cores", "1"], cwd=tmp_path)
    assert done.returncode == 0
    assert "names __one __two left\n" in done.stdout + done.stderr, GO + "`forget_rule_names`"
    assert (tmp_path / "done").exists()
    assert (tmp_path / "more").exists()
