"""What became of a job: prints running, success or failed, as Snakemake's executor `cluster-generic` wants to hear.

    python status.py NUMBER

Asks `squeue`, which forgets a job some minutes after its end, then `sacct`, which not every cluster has. Where `squeue`
does not answer, the scheduler is taken to be busy: the job is `running`. A job that `squeue` has forgotten, and of
which `sacct` knows or says nothing, has failed.
For another scheduler change `state` and the two sets.
"""

import subprocess
import sys

SECONDS = 60  # to wait for an answer
SUCCESS = {"COMPLETED"}
GOING_ON = {
    *("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"),
    *("REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"),
}
"""All other states are ends: BOOT_FAIL, CANCELLED, DEADLINE, FAILED, NODE_FAIL, OUT_OF_MEMORY, PREEMPTED, TIMEOUT."""


class NoAnswer(Exception):
    """The scheduler could not be asked."""


def ask(*command: str) -> str:
    """First word that a command prints; nothing where it knows no such job."""
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise NoAnswer from fault
    if found.returncode and "Invalid job id" not in found.stderr:
        raise NoAnswer
    return next(iter(found.stdout.split()), "")


def state(number: str) -> str:
    """State of a job in SLURM's words; nothing where no command knows the job."""
    found = ask("squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={number}")
    if found:
        return found
    try:
        return ask("sacct", "--noheader", "--allocations", "--format=State%30", f"--jobs={number}")
    except NoAnswer:  # there is no accounting, and squeue has just said that it does not know the job
        return ""


def status(number: str) -> str:
    """The state in Snakemake's words."""
    try:
        found = state(number.partition(";")[0])
    except NoAnswer:
        return "running"
    return "success" if found in SUCCESS else "running" if found in GOING_ON else "failed"


if __name__ == "__main__":
    print(status(sys.argv[1]))
