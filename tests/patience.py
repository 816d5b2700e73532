"""Waiting that tells a hang from a slow machine: no limit depends on how fast this machine is.

A wait ends with an error only when the processes that the test started have used almost no CPU time for minutes.
"""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

QUIET = 300.0
"""Seconds without progress after which a wait is given up."""
IDLE = 0.02
"""Share of a core that processes use while they only wait for each other."""
LONGEST = 3600.0
"""Seconds after which a wait is given up, unless it says otherwise."""


def started(folder: Path | None = None) -> Iterator[psutil.Process]:
    """Descendants of this process, and all processes that run in a folder, whose parents may have been killed."""
    yield from psutil.Process().children(recursive=True)
    for process in psutil.process_iter() if folder else ():
        try:
            if Path(process.cwd()).is_relative_to(folder):
                yield process
        except psutil.Error:
            continue


def cpu_seconds(process: psutil.Process) -> float:
    """CPU time of a process and of its children that have ended; 0 once it has ended."""
    try:
        return float(sum(process.cpu_times()[:4]))
    except psutil.Error:
        return 0.0


class Patience:
    """Remembers when the started processes last made progress.

    Parameters
    ----------
    folder : processes that run there count as well.
    longest : seconds after which the wait is given up whatever happens.
    """

    def __init__(self, folder: Path | None = None, longest: float = LONGEST):
        self.folder, self.longest = folder, longest
        self.begun = self.moved = self.looked = time.monotonic()
        self.used: dict[psutil.Process, float] = {}

    def check(self, what: object) -> None:
        """Fail with `what` if nothing has made progress for `QUIET` seconds."""
        now = time.monotonic()
        if now - self.looked < QUIET / 20:
            return
        found = {process: cpu_seconds(process) for process in started(self.folder)}
        spent = sum(max(0.0, seconds - self.used.get(process, 0.0)) for process, seconds in found.items())
        if spent > IDLE * (now - self.looked):
            self.moved = now
        self.looked, self.used = now, found
        assert now - self.moved < QUIET, f"no progress for {QUIET} s: {what}"
        assert now - self.begun < self.longest, f"not ended after {self.longest} s: {what}"


def wait(something: Callable[[], object], what: object = "", folder: Path | None = None) -> None:
    """Wait until `something` is true."""
    patience = Patience(folder)
    while not something():
        patience.check(what)
        time.sleep(0.02)


def finish(process: subprocess.Popen[str], folder: Path | None = None) -> str:
    """Output of a process, once it has ended."""
    patience = Patience(folder)
    while True:
        try:
            return process.communicate(timeout=1.0)[0]
        except subprocess.TimeoutExpired:
            patience.check(process.args)


def run(command: Sequence[str | Path], longest: float = LONGEST, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; its exit code, output and errors as text."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **{**pipes, **options}) as process:
        patience = Patience(longest=longest)
        while True:
            try:
                output, errors = process.communicate(timeout=1.0)
            except subprocess.TimeoutExpired:
                try:
                    patience.check(command)
                except AssertionError:
                    process.kill()
                    raise
            else:
                return subprocess.CompletedProcess(command, process.returncode, output, errors)
