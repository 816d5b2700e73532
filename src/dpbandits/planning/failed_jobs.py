"""What a person needs to see of jobs that failed: the end of their logs, which Snakemake does not show by itself."""

from collections.abc import Iterable, Iterator
from pathlib import Path

LINES = 12  # of a log; with those of Snakemake they fit on one screen
LETTERS = 600  # of a line
JOBS = 2  # whose logs are shown; of others the place


def failures(logs: Iterable[str], all_else: str) -> Iterator[str]:
    """Lines about failed jobs, given the logs of each, and the file of all that Snakemake said."""
    for number, name in enumerate(dict.fromkeys(logs)):
        if number < JOBS:
            yield f"dpbandits: a job failed. Its log, {name}, ends:"
            yield from (f"    {line}" for line in last_lines(Path(name)) or ["(the log is empty)"])
        else:
            yield f"dpbandits: a job failed. Its log is {name}"
    yield f"dpbandits: Snakemake's own log is {all_else}"


def last_lines(path: Path) -> list[str]:
    """The last lines of a log that are not blank, cut to a screen."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    shown = [line.rstrip() for line in text.splitlines() if line.strip()][-LINES:]
    return [line if len(line) <= LETTERS else f"{line[: LETTERS - 3]}..." for line in shown]
