"""What the workflow and the line of its progress, which run in one process, tell each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Run:
    """The run of this process.

    Attributes
    ----------
    seconds : asks for the estimated seconds of a job by the name of its rule.
    idle : shows what there is, where a run has nothing to do.
    ends : what must have ended before the workflow prints what the run has made.
    """

    seconds: Callable[[], Mapping[str, float]] = dict
    idle: Callable[[], None] = lambda: None
    ends: list[Callable[[], None]] = field(default_factory=list)

    def end(self) -> None:
        """The run is over: nothing may be drawn any more."""
        while self.ends:
            self.ends.pop()()


RUN = Run()
