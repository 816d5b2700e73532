"""Audits of every private algorithm with half of its noise, made from the registry and the configuration."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import signature

import numba

from dpbandits.algorithms.registry import TABLE
from dpbandits.audits.release import Release
from dpbandits.config.loading import Project
from dpbandits.planning.audits import cells
from dpbandits.planning.cells import Cell
from dpbandits.privacy.auditing import ALPHA, epsilon_bound
from dpbandits.privacy.mechanisms import Noise
from dpbandits.stages.audit import EPSILONS_AGREE, release_of, scores_of_both

MOST_HALVINGS = 5
MOST_CELLS = 3
VIOLATED, KEPT, NO_POWER = "violated", "claim kept", "no power"


@functools.cache
def halved(noise: Noise) -> Noise:
    """Return a function that adds half of the noise, compiled from the one that an algorithm names."""
    names = list(signature(getattr(noise.add, "py_func", noise.add)).parameters)
    given = ", ".join(f"half({name})" if name == noise.amount else name for name in names)
    parts = {"original": noise.add, "half": numba.njit(noise.halved)}
    exec(f"def add({', '.join(names)}):\n    return original({given})", parts)  # noqa: S102 - our own signature
    return replace(noise, add=numba.njit(error_model="numpy")(parts["add"]))


def audited(project: Project) -> Iterator[tuple[Cell, ...]]:
    """Yield, for every mechanism audit, algorithm and own calibration, its cells: epsilon nearest to 1 first."""
    for paper in project.papers.values():
        for audit, section in paper.audits.items():
            if section.target == "mechanism":
                found: dict[tuple[str, str], list[Cell]] = {}
                for cell in cells(project, paper, audit):
                    key = cell.algorithm, TABLE[cell.algorithm].calibrations[cell.calibration]
                    found.setdefault(key, []).append(cell)
                for each in found.values():
                    yield tuple(sorted(each, key=lambda cell: abs(math.log(cell.eps)))[:MOST_CELLS])


@dataclass(frozen=True)
class Outcome:
    """What an audit says of an algorithm with half of its noise.

    Attributes
    ----------
    stated, actual : bounds on epsilon by calculation, with all of the noise and with half of it.
    whole, half : lower bounds on epsilon from runs, with all of the noise and with half of it.
    cap : largest epsilon that so many runs can show.
    seen_at : part of the noise at which the audit answers `violated`; None where it does at none that was tried. Less
        than half is tried where half breaks the claim and the audit does not see it.
    """

    cell: Cell
    stated: tuple[float, float]
    whole: float
    half: float
    actual: tuple[float, float]
    cap: float
    seen_at: float | None

    @property
    def answer(self) -> str:
        """`violated`, or why not: half of the noise still keeps the claim, or the runs do not show it."""
        if self.half > self.cell.eps:
            return VIOLATED
        return KEPT if self.actual[1] <= self.cell.eps * (1.0 + EPSILONS_AGREE) else NO_POWER

    @property
    def order(self) -> tuple[int, float]:
        """The most telling outcome first."""
        return [VIOLATED, NO_POWER, KEPT].index(self.answer), -(self.seen_at or 0.0)

    def line(self) -> str:
        """The outcome as a row of a table."""
        cell, seen = self.cell, f"{self.seen_at:g} of the noise" if self.seen_at else "-"
        least, most = (f"{end:.3g}" for end in self.actual)
        return (
            f"{cell.audit:31}| {cell.algorithm:33}| {cell.calibration:9}| {cell.eps:5g} | {self.whole:8.3f} | "
            f"{self.half:8.3f} | {least if least == most else f'{least} to {most}':16}| {self.answer:10} | {seen}"
        )


HEAD = (
    f"{'audit':31}| {'algorithm':33}| {'noise':9}| claim | runs show| half     | "
    f"{'actual at half':16}| {'answer':10} | seen at"
)


def bound(release: Release, cell: Cell, root_seed: int, attempt: int) -> tuple[float, float]:
    """Return the lower bound on epsilon that runs show, and the largest that they could show."""
    found = epsilon_bound(*scores_of_both(release, cell, root_seed, attempt), cell.delta, ALPHA)
    return found.epsilon, found.cap


def outcome(found: Sequence[Cell], root_seed: int) -> Outcome:
    """Return the first outcome that is `violated`, else the most telling one."""
    outcomes = []
    for cell in found:
        outcomes.append(outcome_at(cell, root_seed))
        if outcomes[-1].answer == VIOLATED:
            break
    return min(outcomes, key=lambda each: each.order)


def outcome_at(cell: Cell, root_seed: int) -> Outcome:
    """Audit an algorithm with all of its noise, with half of it, and with less until the claim is seen to be broken."""
    release = release_of(cell)
    stated, actual = (each.accounted(cell.eps, cell.delta).epsilons for each in (release, release.halved()))
    whole, _ = bound(release, cell, root_seed, 0)
    half, cap = bound(replace(release, added=halved(release.added)), cell, root_seed, 1)
    found = Outcome(cell, stated, whole, half, actual, cap, 0.5 if half > cell.eps else None)
    noise = halved(release.added)
    for halvings in range(2, MOST_HALVINGS + 1) if found.answer == NO_POWER else ():
        noise = halved(noise)
        if bound(replace(release, added=noise), cell, root_seed, halvings)[0] > cell.eps:
            return replace(found, seen_at=0.5**halvings)
    return found
