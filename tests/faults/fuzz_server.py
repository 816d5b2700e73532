"""A process that runs commands for the fuzz test, each in its own child, with limits on time and memory.

The package is imported once, and a child is a fork of this process. The process reads cases from standard input, one
JSON object per line, and answers each with another.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

SECONDS = 10
"""CPU seconds allowed per case."""
WAIT = 3
"""Factor by which the duration of a case may exceed its CPU time, because other processes use the same cores."""
MEMORY = 1 << 30
"""Bytes of memory that a case may use."""
RESERVED = 4 << 30
"""Bytes that a case may reserve; memory pools reserve more than they use. Beyond it the case fails, not the machine."""
CRASHED = 70
"""Exit code of a case that ended in an exception."""
READ = 200_000
"""Bytes of output that are checked."""


@dataclass(frozen=True)
class Answer:
    """How a case ended: exit code (or minus the signal), output, and resources used."""

    code: int
    out: str
    err: str
    hung: bool
    seconds: float
    memory: int


class Server:
    """The process, as seen by the test.

    Parameters
    ----------
    here : working folder of every case.
    environment : environment variables of the process.
    """

    def __init__(self, here: Path, environment: Mapping[str, str]):
        self.here = here
        command = [sys.executable, "-m", __name__]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
            env=dict(environment),
            cwd=Path(__file__).parents[2],
        )

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def run(
        self, arguments: Sequence[str], project: Path | None = None, seconds: int = SECONDS, apart: bool = True
    ) -> Answer:
        """Run the command with these arguments.

        Parameters
        ----------
        project : a folder whose configuration is loaded and checked first.
        seconds : CPU time that the case may take.
        apart : whether the case has its own process; else later cases reuse what it loads and compiles.
        """
        case = {
            "apart": apart,
            "arguments": list(arguments),
            "here": str(self.here),
            "project": project and str(project),
            "seconds": seconds,
        }
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the server of the fuzz test has ended: {case}"
        return Answer(**json.loads(line))


def serve() -> None:
    """Answer every case on standard input."""
    import dpbandits
    from dpbandits.planning import dependencies

    for module in pkgutil.walk_packages(dpbandits.__path__, "dpbandits."):
        if module.name != "dpbandits.__main__":
            importlib.import_module(module.name)
    dependencies.everything()  # stores source digests
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answers:
        for line in sys.stdin:
            answers.write(json.dumps(_answer(json.loads(line))) + "\n")
            answers.flush()


def _answer(case: Mapping[str, Any]) -> dict[str, Any]:
    if not case["apart"]:
        return _here(case)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            _be_child(case, out, err)
        descriptor = os.pidfd_open(child)
        ended, _, _ = select.select([descriptor], [], [], WAIT * case["seconds"])
        os.close(descriptor)
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status, used = os.wait4(child, 0)
        with contextlib.suppress(ProcessLookupError):  # processes started by the case end with it
            os.killpg(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(READ).decode("utf-8", "surrogateescape"))
    return {
        "code": code,
        "out": texts[0],
        "err": texts[1],
        "hung": not ended or code == -signal.SIGXCPU,
        "seconds": time.monotonic() - begun,
        "memory": used.ru_maxrss * 1024,
    }


def _here(case: Mapping[str, Any]) -> dict[str, Any]:
    """Answer to a case that runs in this process."""
    with contextlib.chdir(case["here"]), contextlib.redirect_stdout(io.StringIO()) as out:
        code = _run(case)
    gc.freeze()
    return {"code": code, "out": out.getvalue(), "err": "", "hung": False, "seconds": 0.0, "memory": 0}


def _be_child(case: Mapping[str, Any], out: IO[bytes], err: IO[bytes]) -> None:
    """Run a case and end this process."""
    code = CRASHED
    try:
        os.setsid()
        os.chdir(case["here"])
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        for what, most in (
            (resource.RLIMIT_AS, pages * resource.getpagesize() + RESERVED),
            (resource.RLIMIT_CPU, case["seconds"]),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, 2 * most))  # a signal at the first limit, termination at the second
        sys.argv = ["dpbandits", *case["arguments"]]
        code = _run(case)
        sys.stdout.flush()
    except BaseException:
        code = CRASHED
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(code)


def _run(case: Mapping[str, Any]) -> int:
    """Exit code of a case."""
    from dpbandits.cli.main import main
    from dpbandits.config.faults.check import load_and_check
    from dpbandits.config.plain_yaml import ConfigError

    if case["project"]:
        with contextlib.suppress(ConfigError):
            load_and_check(Path(case["project"]))
    try:
        main(case["arguments"], prog_name="dpbandits")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else CRASHED if end.code else 0
    return 0


if __name__ == "__main__":
    serve()
