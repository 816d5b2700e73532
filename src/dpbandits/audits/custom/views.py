"""Runs of a user's own sampler: asked for in batches within a time limit, and checked."""

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

MOST_AT_ONCE = 100_000  # runs that a sampler is asked for in one call; our choice
MOST_WHOLE = 2**53  # beyond it a float does not hold every whole number
LARGEST = 1e100  # the square of a number is a number
PROBE = 1000  # runs of a sampler that are looked at first; our choice
CHANGES = 20  # from run to run of a probe: two probes do not agree in so many by chance
VIEWS = "an array (n,) or (n, k) of finite numbers"
RETURNS = f"a function draw(rng, data, n) that returns {VIEWS}"
Draw = Callable[[Generator, Any, int], Any]
WATCHED: Callable[[tuple[Any, ...]], None] | None = None
"""What is told of every call of a sampler before and after it, where another process waits for this one."""


class Late(BaseException):
    """A sampler took too long. It is no `Exception`, so that what catches those within the sampler does not stop it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Late` in what runs here once `seconds` have passed; without effect outside of the main thread.

    Code in C that does not return to the interpreter is stopped only when it returns.
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
    """Number of columns of a view; raises `Fault` if runs share their randomness, or if not all of it is the stream's.

    Independent runs that are all equal under one generator are not all equal to something else under another: the
    probability is at most 4**-`PROBE`. So for a column.
    """
    one, again, other = (_called(draw, data, where, streams[i](), PROBE, timeout) for i in (0, 0, 1))
    if not np.array_equal(one, again):
        says = f"returned other numbers on {where} for equal generators; must take all randomness from rng"
        raise Fault("draw", f"{says}. It may call another generator, or keep something from call to call.")
    changes = [int(np.count_nonzero((views[1:] != views[:-1]).any(axis=1))) for views in (one, other)]
    equal = np.array_equal(one, other)
    if changes[0] >= CHANGES and equal:
        raise Fault(
            "draw", "returned the same numbers for two generators; must depend on rng. Draw all randomness from rng."
        )
    if changes == [0, 0] and not equal and one.shape == other.shape:
        raise Fault(
            "draw", f"returned {PROBE} copies of one draw on {where}; must be independent runs. Draw each run anew."
        )
    if one.shape == other.shape:
        copies = (one == one[0]).all(axis=0) & (other == other[0]).all(axis=0) & (one[0] != other[0])
        if copies.any():
            column = int(np.argmax(copies)) + 1
            says = f"returned {PROBE} copies of one draw in column {column} on {where}; must be independent runs"
            raise Fault("draw", f"{says}. Draw each run anew.")
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
    """(trials, columns) views of one input, asked for in parts, each from a stream of its own."""
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
    """(count, k) float64 of one call, rounded to `DECIMALS`."""
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
    fine = np.abs(table) < MOST_WHOLE  # above, floats have no decimals
    table[fine] = np.round(table[fine], DECIMALS)
    return table
