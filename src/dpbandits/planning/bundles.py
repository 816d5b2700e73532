"""Bundle small pieces of work into workflow jobs, so that process start-up is a small part of the cost.

A piece is a chunk of a curve to simulate, a curve whose noise to calibrate, an experiment to aggregate, an audit, or a
figure to draw. Jobs that simulate, calibrate or audit recompute only missing or stale pieces.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dpbandits.config.curves import Curve, chunk_name, seed_range
from dpbandits.config.entries import TABLE, Algorithm
from dpbandits.config.grid import curves, every_curve
from dpbandits.config.loading import Paper, Project
from dpbandits.planning.audits import seconds_of, sections_of

Piece = TypeVar("Piece")
SECONDS_PER_NOISE = {"shuffle": 1.0}
"""Measured seconds to certify the noise of a curve, by trust model. Other noise is a closed form."""
SECONDS_OF_A_FORMULA = 0.02
SECONDS_PER_NUMBER = 3e-7  # per regret value to aggregate; measured
SECONDS_PER_PICTURE = 0.2  # per figure and calibration to draw; measured
SECONDS_TO_COMPILE = 2.5  # per kernel to compile: 137 s for all 55 of the scale quick
SHARES = 8
"""Approximate number of jobs for a paper's simulations, or for all audits, unless jobs get too short or too long."""
SHORTEST = 15.0
"""Jobs are not split below this many seconds of work; starting one takes about a fifteenth of that."""
OTHERS_WAIT = {"calibrate": 2.5, "draw": 10.0}
"""Largest job of these stages, in seconds. Simulations wait for noise, and the report waits for figures."""


@dataclass(frozen=True)
class Chunk:
    """One file of runs: a block of consecutive seeds of one curve."""

    curve: Curve
    first: int
    last: int

    @property
    def name(self) -> str:
        """Name within the paper, such as `<experiment>/<folder of the curve>/0000-0019`."""
        return f"{self.curve.experiment}/{self.curve.folder}/{seed_range(self.first, self.last)}"

    @property
    def file(self) -> str:
        """Path below the folder of the paper's curves."""
        return f"{self.curve.experiment}/{self.curve.folder}/{chunk_name(self.first, self.last)}"


def chunks_of(found: Iterable[Curve]) -> list[Chunk]:
    """All chunks of these curves, in order."""
    return [Chunk(curve, first, last) for curve in found for first, last in curve.chunks()]


def simulations(project: Project, paper: Paper) -> list[list[Chunk]]:
    """Chunks of all curves of a paper, grouped into jobs."""
    return shares(project, chunks_of(every_curve(project, paper)), lambda chunk: chunk.curve.seconds_per_chunk)


def seconds_uncompiled(chunks: Sequence[Chunk]) -> float:
    """Estimated CPU seconds of chunks including kernel compilation, which dominates in jobs with many algorithms."""
    algorithms = {chunk.curve.algorithm for chunk in chunks}
    return sum(chunk.curve.seconds_per_chunk for chunk in chunks) + SECONDS_TO_COMPILE * len(algorithms)


def calibrations(project: Project, paper: Paper) -> list[list[Curve]]:
    """Curves that need certified noise, one per noise file, grouped into jobs."""
    asking = {curve.noise_name: curve for curve in every_curve(project, paper) if curve.calibration == "certified"}
    return bundles(list(asking.values()), seconds_to_calibrate, min(project.seconds_per_job, OTHERS_WAIT["calibrate"]))


def seconds_to_calibrate(curve: Curve) -> float:
    """Estimated CPU seconds to certify the noise of a curve."""
    entry = TABLE[curve.algorithm]
    assert isinstance(entry, Algorithm), "bounds have no noise"
    return SECONDS_PER_NOISE.get(entry.trust_model_of(curve.variant), SECONDS_OF_A_FORMULA)


def aggregations(project: Project, paper: Paper) -> list[list[str]]:
    """Experiments of a paper that the scale plays, grouped into jobs."""
    return bundles(
        paper.played(project.scale),
        lambda name: SECONDS_PER_NUMBER * numbers_of(project, paper, name),
        project.seconds_per_job,
    )


def readers(project: Project, numbers: int) -> int:
    """Threads of a job that aggregates this many regret values: two if it exceeds the target job length, else one."""
    return 1 if SECONDS_PER_NUMBER * numbers <= project.seconds_per_job else 2


def numbers_of(project: Project, paper: Paper, experiment: str) -> int:
    """Number of regret values that an experiment records."""
    return sum(
        curve.seeds * curve.replicates * sum(len(curve.rounds_at(point)) for point in curve.points)
        for curve in curves(project, paper, experiment)
    )


def audits(project: Project) -> list[list[tuple[str, str]]]:
    """Audits of all papers, as (paper, name), grouped into jobs."""
    return shares(project, sections_of(project), lambda found: seconds_of(project, found))


def pictures(project: Project, paper: Paper) -> list[list[str]]:
    """Figures of a paper, each with all its calibrations, grouped into jobs. They take the same time at every scale."""
    return bundles(
        list(paper.figures),
        lambda name: SECONDS_PER_PICTURE * len(paper.figures[name].calibrations),
        min(project.seconds_per_job, OTHERS_WAIT["draw"]),
    )


def shares(project: Project, pieces: Sequence[Piece], cost: Callable[[Piece], float]) -> list[list[Piece]]:
    """Split pieces, in order, among about `SHARES` jobs, each of `SHORTEST` seconds to `seconds_per_job`.

    A small scale thus occupies several cores, and a large scale many. The jobs of a paper depend only on its own work,
    so a run of some papers has the same jobs as a run of all. Audits of several papers share jobs.
    """
    every = list(map(cost, pieces))
    total, largest = math.fsum(every), max(every, default=0.0)
    most = min(project.seconds_per_job, max(SHORTEST, total / SHARES))
    even = total / math.ceil(total / most) if total and most else 0.0
    return bundles(pieces, cost, min(most, even + largest))


def bundles(pieces: Sequence[Piece], cost: Callable[[Piece], float], seconds: float) -> list[list[Piece]]:
    """Join pieces, in order, while their estimated cost is at most `seconds`; with 0, each piece is a job."""
    found: list[list[Piece]] = []
    total = seconds
    for piece in pieces:
        own = cost(piece)
        if not found or total >= seconds or total + own > seconds:
            found.append([])
            total = 0.0
        found[-1].append(piece)
        total += own
    return found
