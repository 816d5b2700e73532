"""What one job of the workflow does: so many small pieces that starting a process does not weigh.

Pieces are chunks of curves to simulate, curves whose noise is to be calibrated, experiments to aggregate, audits, and
figures to draw. Jobs that simulate, calibrate or audit recompute only the pieces that are missing or stale.
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
"""To certify the noise of a curve, by its trust model, measured; that of others is a formula."""
SECONDS_OF_A_FORMULA = 0.02
SECONDS_PER_NUMBER = 3e-7  # to aggregate one value of regret, measured
SECONDS_PER_PICTURE = 0.2  # to draw a figure at one calibration, measured
SECONDS_TO_COMPILE = 2.5  # the kernel of an algorithm: 137 s for all 55 of the scale quick
SHARES = 8
"""So many jobs, about, share the simulations of a paper, or all audits, where none would be too short or too long."""
SHORTEST = 15.0
"""Seconds of work below which no job is divided further: starting one takes a fifteenth of them."""
OTHERS_WAIT = {"calibrate": 2.5, "draw": 10.0}
"""Most seconds of work of a job of these stages: simulations wait for noise, and the report for figures."""


@dataclass(frozen=True)
class Chunk:
    """One file of runs: some seeds of one curve."""

    curve: Curve
    first: int
    last: int

    @property
    def name(self) -> str:
        """`<experiment>/<folder of the curve>/0000-0019`, unique in a paper."""
        return f"{self.curve.experiment}/{self.curve.folder}/{seed_range(self.first, self.last)}"

    @property
    def file(self) -> str:
        """Place below the folder of a paper's curves."""
        return f"{self.curve.experiment}/{self.curve.folder}/{chunk_name(self.first, self.last)}"


def chunks_of(found: Iterable[Curve]) -> list[Chunk]:
    """All chunks of some curves, in order."""
    return [Chunk(curve, first, last) for curve in found for first, last in curve.chunks()]


def simulations(project: Project, paper: Paper) -> list[list[Chunk]]:
    """The chunks of all curves of a paper, job by job."""
    return shares(project, chunks_of(every_curve(project, paper)), lambda chunk: chunk.curve.seconds_per_chunk)


def seconds_uncompiled(chunks: Sequence[Chunk]) -> float:
    """Estimated CPU seconds of chunks while no kernel is compiled: a job of many algorithms is longer than it seems."""
    algorithms = {chunk.curve.algorithm for chunk in chunks}
    return sum(chunk.curve.seconds_per_chunk for chunk in chunks) + SECONDS_TO_COMPILE * len(algorithms)


def calibrations(project: Project, paper: Paper) -> list[list[Curve]]:
    """Curves that ask for certified noise, one for each file of it, job by job."""
    asking = {curve.noise_name: curve for curve in every_curve(project, paper) if curve.calibration == "certified"}
    return bundles(list(asking.values()), seconds_to_calibrate, min(project.seconds_per_job, OTHERS_WAIT["calibrate"]))


def seconds_to_calibrate(curve: Curve) -> float:
    """Estimated CPU seconds to certify the noise of a curve."""
    entry = TABLE[curve.algorithm]
    assert isinstance(entry, Algorithm), "bounds have no noise"
    return SECONDS_PER_NOISE.get(entry.trust_model_of(curve.variant), SECONDS_OF_A_FORMULA)


def aggregations(project: Project, paper: Paper) -> list[list[str]]:
    """The experiments of a paper that the scale plays, job by job."""
    return bundles(
        paper.played(project.scale),
        lambda name: SECONDS_PER_NUMBER * numbers_of(project, paper, name),
        project.seconds_per_job,
    )


def readers(project: Project, numbers: int) -> int:
    """Threads of a job that aggregates so many values of regret: two where it is longer than jobs should be."""
    return 1 if SECONDS_PER_NUMBER * numbers <= project.seconds_per_job else 2


def numbers_of(project: Project, paper: Paper, experiment: str) -> int:
    """Values of regret that an experiment records."""
    return sum(
        curve.seeds * curve.replicates * sum(len(curve.rounds_at(point)) for point in curve.points)
        for curve in curves(project, paper, experiment)
    )


def audits(project: Project) -> list[list[tuple[str, str]]]:
    """The audits of all papers, each by paper and name, job by job."""
    return shares(project, sections_of(project), lambda found: seconds_of(project, found))


def pictures(project: Project, paper: Paper) -> list[list[str]]:
    """The figures of a paper, each with all of its calibrations, job by job; they take the same time at every scale."""
    return bundles(
        list(paper.figures),
        lambda name: SECONDS_PER_PICTURE * len(paper.figures[name].calibrations),
        min(project.seconds_per_job, OTHERS_WAIT["draw"]),
    )


def shares(project: Project, pieces: Sequence[Piece], cost: Callable[[Piece], float]) -> list[list[Piece]]:
    """Pieces in their order, divided among about `SHARES` jobs, each of `SHORTEST` seconds to `seconds_per_job`.

    So the work of a small scale is for several cores, and that of a large one for many. The jobs of a paper depend on
    its own work alone, so that a run of some papers has the jobs of a run of all.
    """
    every = list(map(cost, pieces))
    total, largest = math.fsum(every), max(every, default=0.0)
    most = min(project.seconds_per_job, max(SHORTEST, total / SHARES))
    even = total / math.ceil(total / most) if total and most else 0.0
    return bundles(pieces, cost, min(most, even + largest))


def bundles(pieces: Sequence[Piece], cost: Callable[[Piece], float], seconds: float) -> list[list[Piece]]:
    """Pieces in their order, joined as long as their estimated cost is at most `seconds`; at 0 each stands alone."""
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
