"""What one job of the workflow does: so many small pieces that starting a process does not weigh.

Pieces are chunks of curves to simulate, curves whose noise is to be calibrated, experiments to aggregate, and audits.
All jobs except aggregation recompute only the pieces that are missing or stale.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dpbandits.config.curves import Curve, chunk_name, seed_range
from dpbandits.config.grid import curves, every_curve
from dpbandits.config.loading import Paper, Project
from dpbandits.planning.audits import seconds_of, sections_of

Piece = TypeVar("Piece")
SECONDS_PER_NOISE = 0.2  # to calibrate a curve, measured
SECONDS_PER_NUMBER = 3e-7  # to aggregate one value of regret, measured


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
    return bundles(chunks_of(every_curve(project, paper)), lambda c: c.curve.seconds_per_chunk, project.seconds_per_job)


def calibrations(project: Project, paper: Paper) -> list[list[Curve]]:
    """Curves that ask for certified noise, one for each file of it, job by job."""
    asking = {curve.noise_name: curve for curve in every_curve(project, paper) if curve.calibration == "certified"}
    return bundles(list(asking.values()), lambda _: SECONDS_PER_NOISE, project.seconds_per_job)


def aggregations(project: Project, paper: Paper) -> list[list[str]]:
    """The experiments of a paper that the scale plays, job by job."""
    return bundles(
        paper.played(project.scale),
        lambda name: SECONDS_PER_NUMBER * numbers_of(project, paper, name),
        project.seconds_per_job,
    )


def numbers_of(project: Project, paper: Paper, experiment: str) -> int:
    """Values of regret that an experiment records."""
    return sum(
        curve.seeds * curve.replicates * sum(len(curve.rounds_at(point)) for point in curve.points)
        for curve in curves(project, paper, experiment)
    )


def audits(project: Project) -> list[list[tuple[str, str]]]:
    """The audits of all papers, each by paper and name, job by job."""
    return bundles(sections_of(project), lambda found: seconds_of(project, found), project.seconds_per_job)


def bundles(pieces: Sequence[Piece], cost: Callable[[Piece], float], seconds: float) -> list[list[Piece]]:
    """Pieces in their order, joined until their estimated cost reaches `seconds`; at 0 each stands alone."""
    found: list[list[Piece]] = []
    total = seconds
    for piece in pieces:
        if total >= seconds:
            found.append([])
            total = 0.0
        found[-1].append(piece)
        total += cost(piece)
    return found
