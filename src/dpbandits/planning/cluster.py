"""What a job asks of a cluster: minutes and megabytes, by the estimates that also join pieces to jobs.

A scheduler ends a job that takes more than it asked for. So there is room for a slower node and for kernels that are
not compiled yet, and a further attempt at a job asks for so much more.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from dpbandits.config.curves import Curve
from dpbandits.planning.bundles import SECONDS_PER_NUMBER, Chunk, seconds_to_calibrate

START = 5
"""Minutes for Snakemake and Python to start from a shared disk, and for kernels to be compiled."""
SLOWER = 3
"""A node may take so many times the seconds of the machine on which the estimates were measured."""
MEGABYTES = 2000
"""Room of a job; the largest, of figures and of compiling, were seen to use 520."""
BYTES_PER_NUMBER = 400
"""Room, besides, for each value of regret in the largest chunk of a job: all columns, several times over."""
BYTES_PER_RUN = 40
"""Room, besides, for each row of the tables of runs that a job judges; 18 were measured, where there are many."""
MOST_TIMES = 3
"""Attempts ask for so many times the first at most: an attempt may also have ended with its node, or by preemption."""
SECONDS_TO_JUDGE = 30.0  # the claims of a paper at the scale `full`, measured: 5 to 16
SECONDS_PER_RUN = 2e-6  # to judge a row of the tables of runs, measured where there are many
SECONDS_TO_FORECAST = 120.0  # the claims of a paper from its pilot
SECONDS_TO_RENDER = 60.0  # a notebook with its figures, measured: 10 to 50


def minutes(seconds: float) -> int:
    """Whole minutes to ask for, given estimated CPU seconds."""
    return START + math.ceil(SLOWER * seconds / 60)


def megabytes(held: int = 0) -> int:
    """Megabytes to ask for, given how many bytes a job holds that depend on what it does."""
    return MEGABYTES + math.ceil(held / 1e6)


def to_hold(curves: Iterable[Curve], threads: int = 1) -> int:
    """Megabytes of a job that simulates or aggregates some curves: it holds a chunk a thread, however many seeds."""
    return megabytes(threads * BYTES_PER_NUMBER * max(map(numbers_of_chunk, curves), default=0))


def numbers_of_chunk(curve: Curve) -> int:
    """Values of regret in one chunk of a curve."""
    horizons = Counter(map(curve.horizon_at, curve.points))
    rounds = sum(count * len(curve.rounds_at({"T": horizon})) for horizon, count in horizons.items())
    return min(curve.chunk, curve.seeds) * curve.replicates * rounds


def runs_of(curves: Iterable[Curve]) -> int:
    """Rows of the tables of runs of some curves."""
    return sum(curve.seeds * len(curve.points) for curve in curves)


def growing(request: int | Callable[[Any], int]) -> Callable[[Any, int], int]:
    """As a resource of a rule, given or by its wildcards: twice as much at the second attempt, then three times."""
    return lambda wildcards, attempt: min(attempt, MOST_TIMES) * (request(wildcards) if callable(request) else request)


def to_simulate(chunks: Iterable[Chunk]) -> int:
    """Minutes of a job that simulates some chunks."""
    return minutes(sum(chunk.curve.seconds_per_chunk for chunk in chunks))


def to_calibrate(curves: Iterable[Curve]) -> int:
    """Minutes of a job that calibrates the noise of some curves."""
    return minutes(sum(map(seconds_to_calibrate, curves)))


def to_aggregate(numbers: int) -> int:
    """Minutes of a job whose tables hold so many values of regret."""
    return minutes(SECONDS_PER_NUMBER * numbers)


def to_judge(runs: int) -> int:
    """Minutes of a job that judges the claims of a paper by so many rows of its tables."""
    return minutes(SECONDS_TO_JUDGE + SECONDS_PER_RUN * runs)
