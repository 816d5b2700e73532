"""Summarize failed jobs for the user: the end of their logs, which Snakemake does not show."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dpbandits.config.letters import visible

LINES = 12  # of a log; with Snakemake's own lines they fit on one screen
LETTERS = 600  # of a line
JOBS = 2  # logs to show; further failed jobs are listed by path
WORDS = 3  # of the scheduler, the last ones
REFUSED = ("SLURM sbatch failed", "Error submitting jobscript")
"""Prefixes of executor messages that report a job refused by the scheduler."""
REMEDY = (
    "dpbandits: the scheduler refused a job. Change `default-resources` (partition, account) in the profile, or ask for"
    " other time or memory: --set-resources RULE:mem_mb=4000 RULE:runtime=30"
)


def failures(logs: Iterable[str], all_else: str, reasons: Sequence[str] = ()) -> Iterator[str]:
    """Lines that describe failed jobs.

    Parameters
    ----------
    logs : log files of the jobs. Empty logs, of jobs that a scheduler did not start, are left out.
    all_else : Snakemake's own log file.
    reasons : messages of the scheduler about failed jobs, if one ran them.
    """
    written = [name for name in dict.fromkeys(logs) if not reasons or last_lines(Path(name))]
    for number, name in enumerate(written):
        if number < JOBS:
            yield f"dpbandits: a job failed. Its log, {name}, ends:"
            yield from (f"    {line}" for line in last_lines(Path(name)) or ["(the log is empty)"])
        else:
            yield f"dpbandits: a job failed. Its log is {name}"
    yield from (f"dpbandits: {reason}" for reason in reasons[-WORDS:])
    if any(reason.startswith(REFUSED) for reason in reasons):
        yield REMEDY
    yield f"dpbandits: Snakemake's own log is {all_else}"


def last_lines(path: Path) -> list[str]:
    """Last non-blank lines of a log, cut to one screen and stripped of terminal control sequences."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    shown = [visible(line.rstrip()) for line in text.splitlines() if line.strip()][-LINES:]
    return [line if len(line) <= LETTERS else f"{line[: LETTERS - 3]}..." for line in shown]
