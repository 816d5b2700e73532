"""An audit in a process of its own, so that a sampler that ends its process or never returns ends nothing else.

The process is a fork of this one, so that the sampler may be any object. Before and after each call of the sampler it
says so; if no answer comes in time, which code in C can prevent, it is killed.
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
GRACE = 5.0  # seconds that a call may take beyond its limit, until a signal has stopped it; our choice


def apart(audit: Callable[[], Result]) -> Result:
    """Return what `audit` returns in a process of its own; where there are no forks, in this one.

    Raises
    ------
    Fault
        As `audit`; or the sampler ended its process, or did not return.
    KeyboardInterrupt
        In either process.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return audit()
    processes = multiprocessing.get_context("fork")
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=_answer, args=(audit, theirs), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: the fork starts none
        process.start()
    theirs.close()
    try:
        return _heard(ours)
    finally:
        process.kill()
        process.join()


def _heard(pipe: Connection) -> Any:
    """What the process answers."""
    limit: float | None = None
    where = ""
    try:
        while True:
            if not pipe.poll(limit):
                raise Fault("draw", f"does not return on {where}, nor stop when told to; must return in time")
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
    """Run the audit and send what comes of it."""
    views.WATCHED = pipe.send
    try:
        pipe.send(("found", audit()))
    except Fault as fault:
        pipe.send(("fault", fault.argument, fault.text))
    except KeyboardInterrupt:
        pipe.send(("interrupted",))
    sys.stderr.flush()
