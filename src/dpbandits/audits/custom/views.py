"""Draws and checks the runs of a user's own sampler, in batches and within a time limit."""

import copy
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.release import Array
from dpbandits.base.own_code import Fault, raised
from dpbandits.privacy.auditing_scores import DECIMALS

MOST_AT_ONCE = 100_000  # largest number of runs per call of a sampler; our choice
MOST_WHOLE = 2**53  # floats represent all integers up to it
LARGEST = 1e100  # so that squares are finite
PROBE = 1000  # runs of a sampler that are checked first; our choice
CHANGES = 20  # changes from run to run in a probe; two probes do not agree in this many by chance
VIEWS = "an array (n,) or (n, k) of finite numbers"
RETURNS = f"a function draw(rng, data, n) that returns {VIEWS}"
Draw = Callable[[Generator, Any, int], Any]
WATCHED: Callable[[tuple[Any, ...]], None] | None = None
"""Function that is called before and after every call of a sampler if another process waits for this one."""


class Late(BaseException):
    """A sampler took too long. It is not an `Exception`, so that handlers inside the sampler do not catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Late` in the context after `seconds`; without effect outside the main thread.

    C code that does not return to the interpreter is stopped only when it returns.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


def probe(draw: Draw, data: Any, where: str, streams: Sequence[Callable[[], Generator]], timeout: float) -> int:
    """Number of columns of a view; raises `Fault` if runs share randomness or use another source than the generator.

    If all runs are independent and equal under one generator, they are all equal to another value under another
    generator with probability at most 4**-`PROBE`. The same holds for each column.
    """
    one, again, other = (_called(draw, data, where, streams[i](), PROBE, timeout) for i in (0, 0, 1))
    if not np.array_equal(one, again):
        says = f"returned other numbers on {where} for equal generators; must take all randomness from rng"
        raise Fault("draw", f"{says}. It may use another generator or keep state between calls.")
    changes = [int(np.count_nonzero((views[1:] != views[:-1]).any(axis=1))) for views in (one, other)]
    equal = np.array_equal(one, other)
    if changes[0] >= CHANGES and equal:
        raise Fault(
            "draw", "returned the same numbers for two generators; must depend on rng. Draw all randomness from rng."
        )
    if changes == [0, 0] and not equal and one.shape == other.shape:
        raise Fault(
            "draw",
            f"returned {PROBE} copies of one draw on {where}; must be independent runs. "
            "Draw new random numbers for each run.",
        )
    if one.shape == other.shape:
        copies = (one == one[0]).all(axis=0) & (other == other[0]).all(axis=0) & (one[0] != other[0])
        if copies.any():
            column = int(np.argmax(copies)) + 1
            says = f"returned {PROBE} copies of one draw in column {column} on {where}; must be independent runs"
            raise Fault("draw", f"{says}. Draw new random numbers for each run.")
    return one.shape[1]


def drawn(
    draw: Draw,
    data: Any,
    where: str,
    stream: Callable[[int], Generator],
    trials: int,
    columns: int,
    timeout: float,
) -> Array:
    """Views (trials, columns) of one input, drawn in parts, each from its own random stream."""
    views = np.empty((trials, columns))
    for part, start in enumerate(range(0, trials, MOST_AT_ONCE)):
        rows = views[start : start + MOST_AT_ONCE]
        found = _called(draw, data, where, stream(part), len(rows), timeout)
        if found.shape != rows.shape:
            has = f"width {found.shape[1]} on {where}, after width {columns}"
            raise Fault("draw", f"returned {has}; must always be the same width")
        rows[:] = found
    return views


def _called(draw: Draw, data: Any, where: str, rng: Generator, count: int, timeout: float) -> Array:
    """Views (count, k) of one call, float64, rounded to `DECIMALS`."""
    watched = WATCHED or (lambda _: None)
    try:
        watched(("call", where, timeout))
        with limited(timeout):
            views = np.asarray(draw(rng, copy.deepcopy(data), count))
        watched(("returned",))
    except Late:
        raise Fault(
            "draw",
            f"did not return {count:,} runs on {where} within {timeout:g} s; must return in time. "
            "Draw all runs at once as arrays, or raise --timeout.",
        ) from None
    except (Exception, SystemExit) as fault:
        raise Fault("draw", f"failed on {where} with {raised(fault)}; must return {VIEWS}") from fault
    if views.dtype.kind not in "biuf":
        raise Fault("draw", f"returned dtype {views.dtype} on {where}; must be bool, integer or float")
    if views.ndim not in (1, 2) or len(views) != count or 0 in views.shape:
        raise Fault(
            "draw", f"returned shape {views.shape} on {where} for n = {count}; must be ({count},) or ({count}, k)"
        )
    if views.dtype.kind in "iu" and (views.max() > MOST_WHOLE or views.min() < -MOST_WHOLE):
        raise Fault(
            "draw", f"returned whole numbers beyond 2**53 on {where}; must be smaller. Split large ones into columns."
        )
    with np.errstate(over="ignore"):
        table = views.reshape(count, -1).astype(np.float64)
    beyond = ~(np.abs(table) <= LARGEST)
    if beyond.any():
        raise Fault(
            "draw", f"returned {table[beyond][0]} on {where}; must be a number from -{LARGEST:g} to {LARGEST:g}"
        )
    fine = np.abs(table) < MOST_WHOLE  # larger floats have no decimals
    table[fine] = np.round(table[fine], DECIMALS)
    return table
