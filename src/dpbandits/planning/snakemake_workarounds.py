"""Work around behavior of Snakemake 9 that harms runs of this workflow.

There are two kinds of function:

- Functions that use private parts of Snakemake check the installed version first. With an untested version they change
  nothing: `remove_start_limit`, `without_cores`, `remember_failures`, `failed_logs`, `plans`, `compare_plainly`,
  `list_true_changes`, `remember_records`, `distrust_unknown_outputs`, `marked_unfinished`, `show_reasons`,
  `retry_preempted`, `start_once_on_a_node`, `forget_rule_names`, `find_outputs_by_name`, `look_into_folders_once`,
  `plan_silently`.
- Functions that replace Snakemake's lock, `take_run_lock` and `begun`, use only files of this project. They work with
  every version and need no check. Without them, two runs could write the same files.

`tests/workflow/test_snakemake_workarounds.py` fails when Snakemake no longer shows the behavior that a function avoids,
or lacks the part that it uses. The function can then be deleted.

Three places outside this module depend on how Snakemake works, because lower layers cannot import it:

- `base/snakemake_files.py` names the files in `.snakemake` and the file that Snakemake adds to folders.
- `cli/project.py` (`project_of_stage`) holds the shared lock for which `take_run_lock` waits.
- `workflow/rules/common.smk` uses `workflow.current_basedir` before it can import this package.
"""

import fcntl
import os
import re
import sys
from base64 import urlsafe_b64decode
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from dpbandits.base.snakemake_files import FOLDER, JOBS_LOCK, RUN_LOCK

TRIED = (9,)
"""Major versions of Snakemake whose private parts were tested."""
RECORDS = 2**12
"""Number of output records to keep in memory: more than any job has, at a cost of a few megabytes."""
PLUGIN, TRIED_PLUGINS = "snakemake_executor_plugin_slurm", (2,)
"""The executor for SLURM, and its major versions whose private parts were tested."""
OWN_LOGGER = "dpbandits"
"""The logger plugin of this project."""
REASONS: list[str] = []
"""Reasons of the scheduler for failed submissions and jobs, each listed once."""
FAILED: ContextVar[bool] = ContextVar("failed", default=False)
"""Whether Snakemake is currently handling a failed job."""


def known() -> bool:
    """Whether the installed Snakemake version was tested."""
    return int(version("snakemake").partition(".")[0]) in TRIED


def remove_start_limit(workflow: Any) -> None:
    """Let local jobs start without a limit per second; the number of cores limits them.

    To apply its limit, Snakemake checks the inputs of all ready jobs once per second, and again for every job that
    ended. After an hour of a full run, this takes half a core.
    """
    if known() and workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def without_cores(workflow: Any) -> bool:
    """Whether a local run was given no cores. Snakemake would then wait forever."""
    return bool(known() and workflow.local_exec and workflow.resource_settings.cores == 0)


def compare_plainly() -> None:
    """Compare job parameters without pandas, which Snakemake imports in case a parameter is a table.

    Parameters of this workflow are plain values. The import would add 0.4 s to every plan.
    """
    if known():
        from snakemake.persistence import PersistenceBase

        PersistenceBase._serialize_param = property(lambda self: self._serialize_param_builtin)


def list_true_changes() -> None:
    """Let `--list-changes params` list only files whose parameters changed.

    Snakemake records a file of every job that it compares, and lists it even if nothing has changed.
    """
    if known():
        from snakemake.persistence import ParamsChange

        ParamsChange.__iter__ = lambda change: iter(change.files if change else ())


def remember_records() -> None:
    """Keep Snakemake's records of a job's outputs in memory while it checks that job.

    Snakemake reads each record about five times, in turn, and caches only 128. For jobs with more outputs, every access
    would read a file.
    """
    if known():
        from snakemake.persistence.file import FilePersistence as Records

        Records._read_record_cached = lru_cache(RECORDS)(Records._read_record_cached.__wrapped__)


def find_outputs_by_name() -> None:
    """Find the rule that makes a file by the file's name, if the rule's outputs have no wildcards.

    Snakemake compares every file with all outputs whose names begin alike, and then with all outputs of their rules.
    With thousands of outputs, this takes a tenth of a plan.
    """
    if known():
        from snakemake.output_index import OutputIndex

        if OutputIndex.__init__.__module__ != __name__:
            OutputIndex.__init__ = _with_names(OutputIndex.__init__)
            OutputIndex.match_producers = _by_name(OutputIndex.match_producers)


def _with_names(prepare: Any) -> Any:
    def index(outputs: Any, rules: Any) -> None:
        outputs.named, others = {}, []
        for rule in rules:
            files = [each.file for each in rule.products()]
            for file in files:
                if "{" not in file:
                    outputs.named.setdefault(file, set()).add(rule)
            if any("{" in file for file in files):
                others.append(rule)
        prepare(outputs, others)

    return index


def _by_name(match_producers: Any) -> Any:
    return lambda outputs, target: outputs.named.get(target, set()) | match_producers(outputs, target)


def look_into_folders_once() -> None:
    """Look for outputs inside the folder of another job without comparing paths pairwise, a twentieth of a plan."""
    if known():
        from snakemake.dag import DAG

        DAG.check_directory_outputs = _no_output_in_a_folder


def _no_output_in_a_folder(dag: Any) -> None:
    from snakemake.exceptions import ChildIOException

    makers = {os.path.abspath(file): job for job in dag.jobs for file in job.output}

    @cache
    def above(path: str) -> str | None:
        folder = os.path.dirname(path)
        return None if folder == path else folder if folder in makers else above(folder)

    for path, job in makers.items():
        folder = above(path)
        if folder is not None and makers[folder] is not job:
            raise ChildIOException(parent=(folder, makers[folder]), child=(path, job))


def plan_silently(workflow: Any) -> None:
    """Do not describe the jobs of a dry run whose only logger prints a table of jobs.

    Snakemake would list the files, resources and commands of every job, which takes a tenth of a plan.
    """
    shown = workflow.output_settings
    if known() and shown.dryrun and set(shown.log_handler_settings) == {OWN_LOGGER}:
        from snakemake.jobs import GroupJob, Job

        Job.log_info = GroupJob.log_info = lambda *_, **__: None


def remember_failures() -> None:
    """After a failed job, restore Snakemake's earlier records of its outputs and the marks that they are incomplete.

    Snakemake records the parameters and inputs of a failed job as if its outputs had been made with them, and removes
    the marks. It would then take restored older outputs, such as outputs marked `update`, for results of the new
    parameters, and results of a lost table for those of a new one.
    """
    if known():
        from snakemake.jobs import Job
        from snakemake.persistence import PersistenceBase

        if Job.postprocess.__module__ != __name__:
            Job.postprocess = _told_of_failure(Job.postprocess)
            PersistenceBase.finished = _unless_failed(PersistenceBase.finished)


def _told_of_failure(postprocess: Any) -> Any:
    async def after(job: Any, *args: Any, error: bool = False, **options: Any) -> None:
        token = FAILED.set(error)
        try:
            await postprocess(job, *args, error=error, **options)
        finally:
            FAILED.reset(token)

    return after


def _unless_failed(finished: Any) -> Any:
    async def note(persistence: Any, job: Any) -> None:
        if not FAILED.get():
            await finished(persistence, job)

    return note


def distrust_unknown_outputs() -> None:
    """Run every job whose outputs have no record, for example because `.snakemake` was removed or not copied.

    Snakemake trusts such outputs, and still does so if `--rerun-triggers` omits parameters. Jobs that simulate,
    calibrate or audit verify existing pieces and keep the valid ones; other jobs take seconds.
    """
    if known():
        from snakemake.persistence import PersistenceBase

        if PersistenceBase.params_changed.__module__ != __name__:
            PersistenceBase.params_changed = _or_unknown(PersistenceBase.params_changed, PersistenceBase.has_metadata)
            PersistenceBase.has_metadata = lambda _, __: True


def _or_unknown(params_changed: Any, has_metadata: Any) -> Any:
    def changed(persistence: Any, job: Any, file: Any = None) -> Any:
        from snakemake.persistence import ParamsChange

        if file is None and not has_metadata(persistence, job):
            return ParamsChange(only_new={"what made the outputs is not known"}, files=set(job.output))
        return params_changed(persistence, job, file)

    return changed


def show_reasons() -> None:
    """Show and store why a group of jobs failed.

    The executor passes on the scheduler's message. Snakemake shows it for single jobs but drops it for groups.
    """
    if known():
        from snakemake.jobs import GroupJob

        if GroupJob.log_error.__module__ != __name__:
            GroupJob.log_error = _with_reason(GroupJob.log_error)


def _with_reason(log_error: Any) -> Any:
    def show(group: Any, msg: str | None = None, **options: Any) -> None:
        from snakemake.logging import logger

        if msg:
            reason = " ".join(re.split("sbatch call:|For further error details", msg)[0].split())
            logger.error(f"dpbandits: {reason}")
            REASONS.extend([reason] if reason not in REASONS else [])
        log_error(group, msg, **options)

    return show


def forget_rule_names(workflow: Any) -> None:
    """Remove all rule names from the workflow's namespace.

    Snakemake copies the whole namespace several times for each job's command, so planning time would grow with the
    square of the number of rules.
    """
    if known():
        for rule in workflow.rules:
            workflow.globals.pop(f"__{rule.name}", None)


def slurm_plugin() -> Any:
    """The SLURM executor if this run has loaded it and its version was tested; else None."""
    plugin = sys.modules.get(PLUGIN)
    tried = plugin and known() and int(version(PLUGIN.replace("_", "-")).partition(".")[0]) in TRIED_PLUGINS
    return plugin if tried else None


def retry_preempted(workflow: Any) -> None:
    """Treat a preempted SLURM job that may not be requeued as canceled, so that Snakemake starts it again.

    The executor waits for SLURM to resume every preempted job. SLURM never resumes a job that it may not requeue, so
    the run would wait forever.
    """
    plugin = slurm_plugin()
    if plugin and plugin.query_job_status.__module__ != __name__:
        plugin.query_job_status = _preempted_as_cancelled(plugin.query_job_status, workflow)


def _preempted_as_cancelled(query: Any, workflow: Any) -> Any:
    async def states(*args: Any) -> tuple[Any, Any]:
        found, seconds = await query(*args)
        if found and workflow.executor_settings.no_requeue:  # known once the run has started
            found = {job: "CANCELLED" if state == "PREEMPTED" else state for job, state in found.items()}
        return found, seconds

    return states


def start_once_on_a_node(workflow: Any) -> None:
    """Let the Snakemake process that a submission starts on a node run the jobs of its group itself.

    The executor would start a SLURM step with its own Snakemake for every job of the group. Each start opens thousands
    of files on the shared disk. Steps exist to place the processes of a job on several nodes, but every job here is one
    process.
    """
    plugin = slurm_plugin()
    if plugin and workflow.resource_settings.cores:
        plugin.Executor.additional_general_args = lambda executor: ""


def marked_unfinished() -> set[str]:
    """Outputs that Snakemake has marked as incomplete, decoded from the names of the marker files."""
    folder, found = Path(FOLDER) / "incomplete", set()
    for path in folder.rglob("*") if known() else ():
        with suppress(ValueError):  # another file, such as one left by NFS
            mark = "".join(part.removeprefix("@") for part in path.relative_to(folder).parts)
            found |= {urlsafe_b64decode(mark).decode()} if path.is_file() else set()
    return found


def failed_logs(workflow: Any) -> list[str]:
    """Logs of failed jobs. Snakemake's `--show-failed-logs` shows whole logs, and none with `--quiet rules`."""
    return [str(log) for job in workflow.scheduler.failed for log in job.log] if known() else []


def plans(workflow: Any) -> bool:
    """Whether this process plans the run; False in a cluster job, for which Snakemake loads the workflow again.

    Snakemake has no public way to find out. With an untested version, every process counts as planning, and cluster
    jobs check the configuration once more.
    """
    return bool(workflow.is_main_process) if known() else True


class Busy(RuntimeError):
    """Another run is active in this folder."""


def take_run_lock() -> IO[str]:
    """Take the run lock of the working folder. Keep the returned file open until the run ends.

    Snakemake's own lock, which the profiles turn off, outlives a killed run and then needs `--unlock`. This lock ends
    with the process. A run also waits for jobs that an interrupted run left running.

    Raises
    ------
    Busy
        Another run holds the lock.
    OSError
        The disk has no locks.
    """
    Path(FOLDER).mkdir(exist_ok=True)
    lock = open(RUN_LOCK, "a", encoding="utf-8")  # noqa: SIM115 - the caller keeps it open
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise Busy(f"{RUN_LOCK}: another run holds the lock of this folder. Wait for it, or stop it.") from None
    except OSError as fault:
        lock.close()
        says = f"cannot be locked ({fault.strerror}). Ask your administrator for `flock` on this disk, or use another."
        raise OSError(fault.errno, says, RUN_LOCK) from None
    os.utime(RUN_LOCK)  # only now: `begun` compares with the start of the run that holds the lock
    with open(JOBS_LOCK, "w", encoding="utf-8") as jobs:
        try:
            fcntl.flock(jobs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("dpbandits: waiting for jobs of an interrupted run to end", file=sys.stderr, flush=True)
            fcntl.flock(jobs, fcntl.LOCK_EX)
    return lock


def begun(page: Path) -> bool:
    """Whether a file was written after the current run took its lock. Snakemake does not report this."""
    return page.exists() and page.stat().st_mtime >= Path(RUN_LOCK).stat().st_mtime
