"""State shared by the workflow and the progress display, which run in one process."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Run:
    """The current run of this process.

    Attributes
    ----------
    seconds : returns the estimated seconds of a job by rule name.
    idle : shows existing results when a run has nothing to do.
    ends : displays to close before the workflow prints the results of the run.
    """

    seconds: Callable[[], Mapping[str, float]] = dict
    idle: Callable[[], None] = lambda: None
    ends: list[Callable[[], None]] = field(default_factory=list)

    def end(self) -> None:
        """End the run: close all displays."""
        while self.ends:
            self.ends.pop()()


RUN = Run()
