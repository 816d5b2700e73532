"""Print the status of a job as Snakemake's executor `cluster-generic` expects it: running, success or failed.

    python status.py NUMBER

The script asks `squeue`, which forgets a job some minutes after its end, and then `sacct`, which not every cluster has.
If `squeue` does not answer, the scheduler is assumed to be busy, and the job counts as `running`. A job that `squeue`
has forgotten and `sacct` does not know, or cannot report, has failed. For another scheduler, change `state` and the two
sets.
"""

import subprocess
import sys

SECONDS = 60  # timeout for an answer
SUCCESS = {"COMPLETED"}
GOING_ON = {
    *("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"),
    *("REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"),
}
"""All other states are ends: BOOT_FAIL, CANCELLED, DEADLINE, FAILED, NODE_FAIL, OUT_OF_MEMORY, PREEMPTED, TIMEOUT."""


class NoAnswer(Exception):
    """The scheduler did not answer."""


def ask(*command: str) -> str:
    """First word that a command prints; empty if it does not know the job."""
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise NoAnswer from fault
    if found.returncode and "Invalid job id" not in found.stderr:
        raise NoAnswer
    return next(iter(found.stdout.split()), "")


def state(number: str) -> str:
    """State of a job in SLURM's terms; empty if no command knows the job."""
    found = ask("squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={number}")
    if found:
        return found
    try:
        return ask("sacct", "--noheader", "--allocations", "--format=State%30", f"--jobs={number}")
    except NoAnswer:  # there is no accounting, and squeue has just reported that it does not know the job
        return ""


def status(number: str) -> str:
    """State in Snakemake's terms."""
    try:
        found = state(number.partition(";")[0])
    except NoAnswer:
        return "running"
    return "success" if found in SUCCESS else "running" if found in GOING_ON else "failed"


if __name__ == "__main__":
    print(status(sys.argv[1]))
