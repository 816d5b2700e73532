"""Works around what Snakemake 9 does to runs of this workflow, through parts of it that are not public.

Each function says what it avoids. `tests/workflow/test_snakemake_workarounds.py` fails when Snakemake no longer does it
or lacks this part: the function can then go.
"""

import fcntl
import sys
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from dpbandits.base.project_folder import JOBS_LOCK

RUN_LOCK = ".snakemake/run.lock"
TRIED = (9,)
"""Major versions of Snakemake whose inner parts these functions know; with others they change nothing."""


def known() -> bool:
    """Whether the installed Snakemake has a version that these functions know."""
    return int(version("snakemake").partition(".")[0]) in TRIED


def remove_start_limit(workflow: Any) -> None:
    """Let jobs on this machine start without a limit per second: cores are the limit.

    For the limit Snakemake checks the inputs of all ready jobs once a second, and once more for every job that ended.
    After an hour of a full run that takes half of a core.
    """
    if known() and workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def mark_unfinished(workflow: Any) -> None:
    """Mark the outputs of failed jobs as incomplete.

    Snakemake restores outputs marked `update` when a job fails, and would take the restored files for those of the job.
    """
    if known():
        for job in workflow.scheduler.failed:
            workflow.persistence.started(job)


def failed_logs(workflow: Any) -> list[str]:
    """Logs of failed jobs. Snakemake's `--show-failed-logs` shows whole logs, and none with `--quiet rules`."""
    return [str(log) for job in workflow.scheduler.failed for log in job.log] if known() else []


class Busy(RuntimeError):
    """Another run works in this folder."""


def take_run_lock() -> IO[str]:
    """Take the lock of a run in the working folder; keep the returned file open as long as the run lasts.

    Snakemake's own lock outlives a killed run and needs `--unlock`. This one ends with the process. A run also waits
    for jobs that an interrupted run left running.

    Raises
    ------
    Busy
        Another run holds the lock.
    """
    lock = open(RUN_LOCK, "w", encoding="utf-8")  # noqa: SIM115 - the caller keeps it open
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise Busy(f"{RUN_LOCK}: another run holds the lock of this folder. Wait for it, or stop it.") from None
    with open(JOBS_LOCK, "w", encoding="utf-8") as jobs:
        try:
            fcntl.flock(jobs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("dpbandits: waiting for jobs of an interrupted run to end", file=sys.stderr, flush=True)
            fcntl.flock(jobs, fcntl.LOCK_EX)
    return lock


def begun(page: Path) -> bool:
    """Whether a file was written after the present run took its lock."""
    return page.exists() and page.stat().st_mtime >= Path(RUN_LOCK).stat().st_mtime
