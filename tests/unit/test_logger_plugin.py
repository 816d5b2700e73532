"""The plugin by which Snakemake shows a run: a line a job in a log, errors as they are, nothing else."""

import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from dpbandits.planning.running import RUN, Run
from snakemake_logger_plugin_dpbandits import LogHandler, title

SECONDS = {"simulate_hu2021_0": 30.0, "judge": 10.0}


@pytest.fixture(autouse=True)
def run(monkeypatch):
    fresh = Run(seconds=lambda: SECONDS)
    for name in ("seconds", "idle", "ends"):
        monkeypatch.setattr(RUN, name, getattr(fresh, name))


@pytest.fixture
def handler():
    made = LogHandler(SimpleNamespace(dryrun=False, nocolor=True), None)
    yield made
    made.close()


def tell(handler, message=None, severity=logging.INFO, **what):
    handler.emit(logging.makeLogRecord({"msg": message, "levelno": severity, **what}))


def began(handler, job, rule, benchmark=None):
    tell(handler, event=LogEvent.JOB_INFO, jobid=job, rule_name=rule, benchmark=benchmark)


def test_snakemake_finds_it():
    assert LoggerPluginRegistry().get_plugin("dpbandits").log_handler is LogHandler


def test_a_log_has_a_line_a_job_and_none_of_what_snakemake_says_besides(handler, capsys):
    tell(handler, "Building DAG of jobs...")
    tell(handler, "Provided cores: 2", event=LogEvent.RESOURCES_INFO, cores=2)
    rules = {"simulate_hu2021_0": 1, "judge": 1, "all": 1, "total": 3}
    tell(handler, "Job stats: ..", event=LogEvent.RUN_INFO, stats=rules)
    began(handler, 1, "simulate_hu2021_0", "results/quick/benchmarks/simulate/hu2021/0.tsv")
    tell(handler, event=LogEvent.SHELLCMD, shellcmd="python -m dpbandits simulate")
    tell(handler, "Finished jobid: 1", event=LogEvent.JOB_FINISHED, job_id=1)
    began(handler, 2, "judge", "results/quick/benchmarks/judge/hu2021.tsv")
    tell(handler, "Finished jobid: 2", event=LogEvent.JOB_FINISHED, job_id=2)
    began(handler, 3, "all")
    tell(handler, "Finished jobid: 3", event=LogEvent.JOB_FINISHED, job_id=3)
    out, error = capsys.readouterr()
    assert out == ""
    assert error.splitlines() == [
        "dpbandits: 2 jobs, about 20 s on 2 cores",
        "1 of 2 jobs,  75 %  simulate/hu2021/0 (0 s)",
        "2 of 2 jobs, 100 %  judge/hu2021 (0 s)",
    ]


def test_failures_and_errors_are_shown(handler, capsys):
    tell(handler, event=LogEvent.RUN_INFO, stats={"judge": 2, "total": 2})
    began(handler, 1, "judge", "results/quick/benchmarks/judge/hu2021.tsv")
    tell(handler, "Error in rule judge: ..", logging.ERROR, event=LogEvent.JOB_ERROR, jobid=1)
    tell(handler, "Exiting because a job execution failed. Look below for error messages", logging.ERROR)
    tell(handler, "WorkflowError: .snakemake/run.lock: another run holds the lock", logging.ERROR)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "failed: judge/hu2021",
        "WorkflowError: .snakemake/run.lock: another run holds the lock",
    ]


def test_a_run_with_nothing_to_do_shows_what_there_is(handler, monkeypatch, capsys):
    monkeypatch.setattr(RUN, "idle", lambda: print("what there is"))
    tell(handler, "Nothing to be done (all requested files are present and up to date).")
    assert capsys.readouterr() == ("what there is\n", "")


def test_a_dry_run_prints_a_table_of_stages_once_and_errors(capsys):
    handler = LogHandler(SimpleNamespace(dryrun=True, nocolor=True), None)
    rules = {"simulate_hu2021_0": 2, "judge": 1, "all": 1, "total": 4}
    for _ in range(2):  # as Snakemake does, before and after the jobs
        tell(handler, "Job stats: ..", event=LogEvent.RUN_INFO, stats=rules)
        began(handler, 1, "judge")
    tell(handler, "This was a dry-run (flag -n).")
    tell(handler, "MissingInputException", severity=logging.ERROR)
    out, error = capsys.readouterr()
    assert out.splitlines() == [
        "          jobs    CPU time",
        "simulate     2       1 min",
        "judge        1        10 s",
        "all          3  1 min 10 s",
    ]
    assert error == "MissingInputException\n"


def test_a_dry_run_that_has_nothing_to_do_says_so(capsys, monkeypatch):
    monkeypatch.setattr(RUN, "idle", lambda: pytest.fail("which is for runs"))
    handler = LogHandler(SimpleNamespace(dryrun=True, nocolor=True), None)
    tell(handler, "Nothing to be done (all requested files are present and up to date).")
    assert capsys.readouterr().out == "Nothing to do: all is there, and up to date.\n"


def test_on_a_terminal_one_line_is_kept_up_to_date_and_removed_at_the_end(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    handler = LogHandler(SimpleNamespace(dryrun=False, nocolor=False), None)
    tell(handler, event=LogEvent.RUN_INFO, stats={"judge": 2, "total": 2})
    began(handler, 1, "judge", "results/quick/benchmarks/judge/hu2021.tsv")
    handler.live.refresh()
    tell(handler, event=LogEvent.JOB_FINISHED, job_id=1)
    RUN.end()
    error = capsys.readouterr().err
    assert "judge  0 of 2 jobs  0 %  about 20 s left  hu2021" in error
    assert "1 of 2 jobs,  50 %" not in error, "that is a line of a log"
    assert handler.live is None
    assert error.rstrip("\n").endswith("\x1b[2K"), "the line is erased"


def test_titles():
    assert title(SimpleNamespace(benchmark="results/quick/benchmarks/audit/0.tsv", rule_name="audit_0")) == "audit/0"
    assert title(SimpleNamespace(benchmark=None, rule_name="all")) == "all"
