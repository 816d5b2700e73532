"""Runs an audit in a separate process, so that a sampler that exits or never returns stops nothing else.

The process is a fork of this one, so the sampler may be any object. It reports before and after each call of the
sampler. If no report comes in time, which C code can prevent, it is killed.
"""

import multiprocessing
import sys
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from dpbandits.audits.custom import views
from dpbandits.base.own_code import Fault

Result = TypeVar("Result")
GRACE = 5.0  # seconds beyond its limit in which a signal may still stop a call; our choice


def apart(audit: Callable[[], Result]) -> Result:
    """Return the result of `audit`, run in a separate process, or in this one if forks are not available.

    Raises
    ------
    Fault
        As `audit`; also if the sampler exited or did not return.
    KeyboardInterrupt
        The user interrupts either process.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return audit()
    processes = multiprocessing.get_context("fork")
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=_answer, args=(audit, theirs), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forks with threads: this fork starts none
        process.start()
    theirs.close()
    try:
        return _heard(ours)
    finally:
        process.kill()
        process.join()


def _heard(pipe: Connection) -> Any:
    """The answer of the process."""
    limit: float | None = None
    where = ""
    try:
        while True:
            if not pipe.poll(limit):
                raise Fault("draw", f"does not return on {where} and ignores the time limit; must return in time")
            kind, *said = pipe.recv()
            if kind == "call":
                where, limit = said[0], said[1] + GRACE
            elif kind == "returned":
                limit = None
            elif kind == "fault":
                raise Fault(*said)
            elif kind == "interrupted":
                raise KeyboardInterrupt
            else:
                return said[0]
    except EOFError:
        raise Fault("draw", f"ended its process on {where}; must return {views.VIEWS}") from None


def _answer(audit: Callable[[], Any], pipe: Connection) -> None:
    """Run the audit and send its result."""
    views.WATCHED = pipe.send
    try:
        pipe.send(("found", audit()))
    except Fault as fault:
        pipe.send(("fault", fault.argument, fault.text))
    except KeyboardInterrupt:
        pipe.send(("interrupted",))
    sys.stderr.flush()
