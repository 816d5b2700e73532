"""Snakemake's SLURM executor still shows each behavior that we work around; untested versions are left alone."""

import asyncio
import inspect
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.jobs import GroupJob

from dpbandits.planning import snakemake_workarounds

plugin = pytest.importorskip("snakemake_executor_plugin_slurm", reason="make setup-slurm installs it")
GO = "The plugin no longer does what is worked around: delete from planning/snakemake_workarounds.py "
REFUSED = (
    "SLURM sbatch failed. The error message was 'no such\n partition'.\n    sbatch call:\n        sbatch --parsable"
)
SETTINGS = SimpleNamespace(
    no_requeue=True,
    requeue=False,
    init_seconds_before_status_checks=40,
    status_attempts=1,
    status_command="squeue",
    keep_successful_logs=False,
)


@pytest.fixture(params=[("9.9.9", "2.9.9"), ("10.0.1", "2.8.0"), ("9.27.1", "3.0.0")])
def tried(request, monkeypatch) -> bool:
    """Whether the versions of Snakemake and of the plugin were tested."""
    versions = dict(zip(("snakemake", "snakemake-executor-plugin-slurm"), request.param, strict=True))
    monkeypatch.setattr(snakemake_workarounds, "version", versions.__getitem__)
    return request.param == ("9.9.9", "2.9.9")


@asynccontextmanager
async def no_limit() -> Any:
    yield


def executor(states: list[dict[str, str]], monkeypatch) -> tuple[Any, list[str]]:
    """An executor that gets these states, query by query, and the jobs that it reports as failed."""
    found, failed = plugin.Executor.__new__(plugin.Executor), []
    told = iter(states)

    async def query(*_: Any) -> tuple[dict[str, str], float]:
        return next(told), 0.0

    monkeypatch.setattr(plugin, "query_job_status", query)
    found.workflow = SimpleNamespace(executor_settings=SETTINGS)
    found.logger = SimpleNamespace(debug=str, info=str, warning=str)
    found.run_uuid, found.status_rate_limiter, found._preemption_warning = "a", no_limit(), False
    found._status_query_calls, found._status_query_total_seconds, found._status_query_max_seconds = 0, 0.0, 0.0
    found._status_query_min_seconds, found._status_query_cycle_rows = None, []
    found._next_seconds_between_status_checks = 40
    found.report_job_error = lambda job, **_: failed.append(job.external_jobid)
    return found, failed


def waited_for(found: Any) -> list[str]:
    """Jobs that the executor keeps waiting for."""
    job = SimpleNamespace(external_jobid="7", aux={})

    async def once() -> list[str]:
        found.status_rate_limiter = no_limit()
        return [each.external_jobid async for each in found.check_active_jobs([job])]

    return asyncio.run(once())


def test_a_preempted_job_is_waited_for_without_end_and_with_us_has_failed(monkeypatch):
    states = [{"7": "PREEMPTED"}, {"7": "PREEMPTED"}]
    found, failed = executor(states, monkeypatch)
    assert [waited_for(found), waited_for(found), failed] == [["7"], ["7"], []], GO + "retry_preempted"
    found, failed = executor(states, monkeypatch)
    snakemake_workarounds.retry_preempted(found.workflow)
    assert waited_for(found) == []
    assert failed == ["7"]


def test_slurm_may_resume_a_job_that_it_may_requeue(monkeypatch):
    found, failed = executor([{"7": "PREEMPTED"}], monkeypatch)
    found.workflow = SimpleNamespace(executor_settings=SimpleNamespace(**{**vars(SETTINGS), "no_requeue": False}))
    snakemake_workarounds.retry_preempted(found.workflow)
    assert waited_for(found) == ["7"]
    assert failed == []


def test_other_versions_are_asked_as_they_are(tried, monkeypatch):
    found, _ = executor([], monkeypatch)
    before = plugin.query_job_status
    snakemake_workarounds.retry_preempted(found.workflow)
    assert (plugin.query_job_status is not before) == tried


@pytest.mark.parametrize("cores", [1, None])
def test_a_node_starts_snakemake_once_where_the_cores_of_a_job_are_given(tried, cores, monkeypatch):
    """Without a number, it would run as many jobs of a group at once as the node has cores."""
    before = plugin.Executor.additional_general_args
    assert "--executor slurm-jobstep" in inspect.getsource(before), GO + "start_once_on_a_node"
    monkeypatch.setattr(plugin.Executor, "additional_general_args", before)
    snakemake_workarounds.start_once_on_a_node(SimpleNamespace(resource_settings=SimpleNamespace(cores=cores)))
    found = plugin.Executor.additional_general_args
    assert (found is not before) == (tried and cores is not None)
    if found is not before:
        assert found(None) == ""


@pytest.fixture
def reasons(monkeypatch) -> list[str]:
    """The stored reasons, and a group of jobs that records what Snakemake would have shown of its failure."""
    found: list[str] = []
    monkeypatch.setattr(snakemake_workarounds, "REASONS", found)
    monkeypatch.setattr(GroupJob, "log_error", lambda group, msg=None, **options: group.shown.append((msg, options)))
    return found


def test_snakemake_drops_the_reason_of_a_group(reasons, monkeypatch):
    monkeypatch.undo()
    assert inspect.getsource(GroupJob.log_error).count("msg") == 1, GO + "show_reasons"


def test_the_reason_of_a_group_is_kept_once_without_the_call(tried, reasons):
    group = SimpleNamespace(shown=[])
    snakemake_workarounds.show_reasons()
    for message in (REFUSED, REFUSED, None, "SLURM-job '7' failed. For further error details see the log"):
        GroupJob.log_error(group, message, aux_logs=["7.log"])
    assert [options for _, options in group.shown] == [{"aux_logs": ["7.log"]}] * 4
    words = ["SLURM sbatch failed. The error message was 'no such partition'.", "SLURM-job '7' failed."]
    assert reasons == (words if snakemake_workarounds.known() else [])
