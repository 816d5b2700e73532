"""Time and memory that a job requests from a cluster, from the same estimates that bundle pieces into jobs.

A scheduler ends a job that exceeds its request. Requests therefore leave room for slower nodes and uncompiled kernels,
and each retry requests more.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from dpbandits.config.curves import Curve
from dpbandits.planning.bundles import SECONDS_PER_NUMBER, Chunk, seconds_to_calibrate

START = 5
"""Minutes for Snakemake and Python to start from a shared disk and for kernels to compile."""
SLOWER = 3
"""How many times slower a node may be than the machine on which the estimates were measured."""
MEGABYTES = 2000
"""Base memory of a job, in megabytes; jobs that draw figures or compile kernels used up to 520."""
BYTES_PER_NUMBER = 400
"""Additional bytes per regret value in the largest chunk of a job: all columns, several times over."""
BYTES_PER_RUN = 40
"""Additional bytes per row of the run tables that a job judges; 18 were measured on large tables."""
MOST_TIMES = 3
"""Largest request of a retry, as a multiple of the first; a retry may also follow a node failure or preemption."""
SECONDS_TO_JUDGE = 30.0  # claims of a paper at the scale `full`; measured: 5 to 16
SECONDS_PER_RUN = 2e-6  # per row of the run tables; measured on large tables
SECONDS_TO_FORECAST = 120.0  # claims of a paper from its pilot
SECONDS_TO_RENDER = 60.0  # a notebook with its figures; measured: 10 to 50


def minutes(seconds: float) -> int:
    """Whole minutes to request, given estimated CPU seconds."""
    return START + math.ceil(SLOWER * seconds / 60)


def megabytes(held: int = 0) -> int:
    """Megabytes to request, given the bytes that a job holds beyond the base memory."""
    return MEGABYTES + math.ceil(held / 1e6)


def to_hold(curves: Iterable[Curve], threads: int = 1) -> int:
    """Megabytes of a job that simulates or aggregates curves. It holds one chunk per thread, regardless of seeds."""
    return megabytes(threads * BYTES_PER_NUMBER * max(map(numbers_of_chunk, curves), default=0))


def numbers_of_chunk(curve: Curve) -> int:
    """Number of regret values in one chunk of a curve."""
    horizons = Counter(map(curve.horizon_at, curve.points))
    rounds = sum(count * len(curve.rounds_at({"T": horizon})) for horizon, count in horizons.items())
    return min(curve.chunk, curve.seeds) * curve.replicates * rounds


def runs_of(curves: Iterable[Curve]) -> int:
    """Number of rows in the run tables of these curves."""
    return sum(curve.seeds * len(curve.points) for curve in curves)


def growing(request: int | Callable[[Any], int]) -> Callable[[Any, int], int]:
    """Resource of a rule that grows with each attempt: twice as much on the second, three times on the third."""
    return lambda wildcards, attempt: min(attempt, MOST_TIMES) * (request(wildcards) if callable(request) else request)


def to_simulate(chunks: Iterable[Chunk]) -> int:
    """Minutes of a job that simulates these chunks."""
    return minutes(sum(chunk.curve.seconds_per_chunk for chunk in chunks))


def to_calibrate(curves: Iterable[Curve]) -> int:
    """Minutes of a job that calibrates the noise of these curves."""
    return minutes(sum(map(seconds_to_calibrate, curves)))


def to_aggregate(numbers: int) -> int:
    """Minutes of a job that aggregates this many regret values."""
    return minutes(SECONDS_PER_NUMBER * numbers)


def to_judge(runs: int) -> int:
    """Minutes of a job that judges the claims of a paper from this many rows of run tables."""
    return minutes(SECONDS_TO_JUDGE + SECONDS_PER_RUN * runs)
