"""Logger plugin of Snakemake: a run in one line on a terminal, a line a job in a log.

`snakemake --logger dpbandits` finds it by the name of this module. Snakemake's own messages go to its log file; of them
only errors are shown. A dry run prints a table of jobs by stage; `snakemake --dry-run` alone prints every job.
"""

import sys
import time
from logging import ERROR, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

ASIDE = ("Exiting because a job execution failed",)
"""How errors begin that say nothing of what failed."""
PATIENCE = 2.0
"""Seconds to wait at the end of a run for the last messages of jobs."""
NOTHING = "Nothing to be done"
"""How Snakemake begins to say so."""


class LogHandler(LogHandlerBase):
    """Shows the progress of a run on standard error."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        from dpbandits.text.plain_letters import accept_all_text

        accept_all_text()
        self.progress: Any = None
        self.live: Any = None
        self.cores = 1
        self.seconds: Any = {}

    def emit(self, record: LogRecord) -> None:
        """Show what a message of Snakemake says of a job, or an error."""
        try:
            self._follow(record, getattr(record, "event", None))
        except Exception:  # as in every handler of Python's logging: what cannot be shown does not end a run
            self.handleError(record)

    def close(self) -> None:
        """End the line."""
        self._end()
        super().close()

    def _follow(self, record: LogRecord, event: Any) -> None:
        told: Any = record
        if event == LogEvent.RESOURCES_INFO:
            self.cores = getattr(told, "cores", None) or self.cores
        elif event == LogEvent.RUN_INFO and self.common_settings.dryrun:
            self._plan(told.stats)
        elif event == LogEvent.RUN_INFO:
            self._begin(told.stats)
        elif self.progress and event == LogEvent.JOB_INFO:
            self._start(told)
        elif self.progress and event == LogEvent.JOB_FINISHED:
            self._finish(told.job_id, failed=False)
        elif self.progress and event == LogEvent.JOB_ERROR:
            self._finish(told.jobid, failed=True)
        elif event is None and record.levelno < ERROR and str(record.msg).startswith(NOTHING):
            self._idle()
        elif event in (None, LogEvent.ERROR) and record.levelno >= ERROR:
            said = self.format(record)
            if not said.startswith(ASIDE):
                self._say(said)

    def _begin(self, rules: Any) -> None:
        from dpbandits.planning.running import RUN
        from dpbandits.text.progress import Progress, duration, estimated

        self.seconds = RUN.seconds()
        jobs, seconds = estimated({rule: n for rule, n in rules.items() if rule != "total"}, self.seconds)
        self.progress = Progress(jobs, seconds, self.cores, time.monotonic())
        RUN.ends.append(self._end)
        many = f"{jobs} job{'s' * (jobs != 1)}"
        self._say(f"dpbandits: {many}, about {duration(seconds / self.cores)} on {self.cores} cores")
        if sys.stderr.isatty():
            self._draw()

    def _plan(self, rules: Any) -> None:
        """Once, though Snakemake says before and after the jobs what a dry run would do."""
        from dpbandits.planning.running import RUN
        from dpbandits.text.progress import planned

        if not self.seconds:
            self.seconds = RUN.seconds()
            print("\n".join(planned({k: n for k, n in rules.items() if k != "total"}, self.seconds)))

    def _idle(self) -> None:
        from dpbandits.planning.running import RUN

        if self.common_settings.dryrun:
            print("Nothing to do: all is there, and up to date.")
        else:
            RUN.idle()

    def _draw(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        console = Console(stderr=True, no_color=self.common_settings.nocolor or None, highlight=False)

        def line() -> Text:
            return Text(self.progress.line(time.monotonic(), console.width), no_wrap=True, overflow="crop")

        self.live = Live(console=console, get_renderable=line, refresh_per_second=2, transient=True)
        self.live.start()

    def _start(self, told: Any) -> None:
        if told.rule_name in self.seconds:
            self.progress.start(told.jobid, title(told), self.seconds[told.rule_name], time.monotonic())

    def _finish(self, job: object, failed: bool) -> None:
        said = self.progress.end(job, time.monotonic(), failed)
        if said and (failed or not self.live):
            self._say(said)

    def _say(self, text: str) -> None:
        if text and text != "None":
            print(text, file=sys.stderr, flush=True)

    def _end(self) -> None:
        """Messages of the last jobs may still be on their way: Snakemake hands them over in another thread."""
        until = time.monotonic() + PATIENCE
        while self.progress and self.progress.running and time.monotonic() < until:
            time.sleep(0.01)
        if self.live:
            self.live.stop()
            self.live = None


def title(told: Any) -> str:
    """`simulate/hu2021/3`, from the name of the job's benchmark file, or the name of its rule."""
    _, found, place = str(told.benchmark or "").partition("/benchmarks/")
    return place.removesuffix(".tsv") if found else str(told.rule_name)
