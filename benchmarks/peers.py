"""Run public packages in their own environment and process, which answers each JSON line with another."""

import json
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import ROOT
from benchmarks.comparison import LeftOut
from benchmarks.timing import Side

Array = np.ndarray
PYTHON = ROOT / ".venv/peers/bin/python"
WORKER = Path(__file__).with_name("peers_worker.py")
NOT_THERE = "the environment of the peers is not there (make bench makes it where Python is 3.11 or 3.12)"


@dataclass
class Peer:
    """A running worker, and the CPU seconds of its last answer."""

    command: Sequence[str]
    process: subprocess.Popen[str] | None = field(default=None, repr=False)
    seconds: float = float("nan")

    def ask(self, request: dict[str, object]) -> Array:
        """Ask for regrets, shape (seeds, n). The first question starts the process.

        Raises
        ------
        RuntimeError
            The worker ends or reports a fault.
        """
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(  # noqa: S603 - our own worker
                self.command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended, and so has its answer
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise RuntimeError("the worker of the peers has ended")
        answer = json.loads(line)
        if "fault" in answer:
            raise RuntimeError(answer["fault"])
        self.seconds = answer["seconds"]
        return np.array(answer["regrets"])

    def close(self) -> None:
        """End the process. The next question starts a new one."""
        if self.process is not None:
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            self.process.wait()
            self.process = None


def play_of(peer: Peer, policy: str, means: Array) -> Callable[[int, int, Array], Array]:
    """Play function for a policy of the worker."""

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        return peer.ask(
            {
                "policy": policy,
                "means": means.tolist(),
                "first_seed": first_seed,
                "seeds": seeds,
                "checkpoints": checkpoints.tolist(),
            }
        )

    return play


@cache
def peer() -> Peer | None:
    """Worker shared by all sides; None if its environment is missing."""
    return Peer((str(PYTHON), str(WORKER))) if PYTHON.exists() else None


def side(name: str, label: str, policy: str, means: Array, seeds: int, horizon: int) -> Side | LeftOut:
    """Side for a policy, or the reason why it is missing."""
    found = peer()
    if found is None:
        return LeftOut(name, label, NOT_THERE)
    try:
        found.ask({"policy": policy, "means": means.tolist(), "first_seed": 0, "seeds": 1, "checkpoints": [len(means)]})
    except RuntimeError as error:
        return LeftOut(name, label, str(error))
    return Side(name, label, play_of(found, policy, means), seeds, horizon, seconds=lambda: found.seconds)
