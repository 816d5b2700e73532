"""Allocate seeds to the calibrations of each experiment at a scale, from the probabilities that claims are decided.

This is a multiple-choice knapsack problem: choose one number of seeds for each calibration of each experiment, within a
budget of CPU seconds. The objective is lexicographic. First, maximize the number of claims decided with probability at
least `ENOUGH`, counting headline claims twice. Then maximize the expected number of decided claims. Among equal
allocations, take the cheapest.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SIZES = (8, *(size for power in range(3, 13) for size in (3 * 2 ** (power - 1), 2 ** (power + 1))))
"""Numbers of seeds at which probabilities are computed: 8, 12, 16, 24, 32, ..., 8192."""
ENOUGH = 0.8  # target probability of a verdict; our choice
SHARE = 0.8  # share of the CPU budget for seeds; calibration, aggregation and judging use the rest; our choice
STEPS = 2000  # number of steps of the budget; costs are rounded up to whole steps; our choice
WEIGHTS = {"main": 2, "own": 1, "other": 1}
"""Weight of a decided claim; our choice.

`main` is a headline claim of the paper, `own` any other claim of the paper, `other` a claim about released code or a
variant of ours.
"""
MILLIONTHS = 1_000_000  # probabilities are rounded to this unit, so that ties are exact
UNITS = 1_000_000  # units per second of cost; costs are rounded to them


Place = tuple[str, str]
"""An experiment and one of its calibrations."""


@dataclass(frozen=True)
class Study:
    """Cost of one calibration of an experiment.

    Attributes
    ----------
    seconds : CPU seconds per seed, summed over the curves of the calibration.
    chunk : the number of seeds is a multiple of this.
    least : smallest allowed number of seeds.
    fixed : the number of seeds, if it is not to be chosen.
    """

    experiment: str
    calibration: str
    seconds: float
    chunk: int
    least: int
    fixed: int | None = None

    @property
    def place(self) -> Place:
        """The experiment and the calibration."""
        return self.experiment, self.calibration

    def candidates(self) -> list[int]:
        """Candidate numbers of seeds: `SIZES` in whole chunks, from the smallest allowed upwards."""
        if self.fixed is not None:
            return [self.fixed]
        least = whole_chunks(self.least, self.chunk)
        sizes = {whole_chunks(size, self.chunk) for size in SIZES}
        return sorted({least, *(size for size in sizes if size > least)})


@dataclass(frozen=True)
class Forecast:
    """Probability that a claim at a calibration is decided by an experiment's runs, at each of `SIZES`."""

    experiment: str
    calibration: str
    group: str
    chances: tuple[float, ...]

    @property
    def place(self) -> Place:
        """The experiment and the calibration."""
        return self.experiment, self.calibration

    def at(self, seeds: int) -> float:
        """Probability with this many seeds, interpolated in log seeds; 0 below the first size."""
        return chance_at(self.chances, seeds)

    @property
    def testable(self) -> bool:
        """Whether any number of seeds can decide the claim."""
        return max(self.chances) > 0.0


@dataclass(frozen=True)
class Allocation:
    """Numbers of seeds within a budget.

    Attributes
    ----------
    seeds : by experiment and calibration.
    seconds, budget : upper bound on the CPU seconds used, and CPU seconds allowed. A curve shared by several
        calibrations is played once but counted in each of them.
    exceeds : whether even the smallest numbers exceed the budget. They are then used anyway.
    """

    seeds: Mapping[Place, int]
    seconds: float
    budget: float
    exceeds: bool = False


@dataclass(frozen=True)
class Decided:
    """Forecast of decided claims: with probability at least `ENOUGH`, in expectation, and testable at all.

    Attributes
    ----------
    enough : number of claims decided with probability at least `ENOUGH`.
    expected : sum of the probabilities.
    testable : number of claims that some number of seeds can decide.
    """

    enough: int
    expected: float
    testable: int


def whole_chunks(seeds: int, chunk: int) -> int:
    """A number of seeds rounded up to whole chunks."""
    return chunk * -(-seeds // chunk)


def chance_at(chances: Sequence[float], seeds: int) -> float:
    """Probability with this many seeds, given the probabilities at `SIZES`."""
    if seeds < SIZES[0]:
        return 0.0
    above = bisect_left(SIZES, seeds)
    if above == len(SIZES):
        return float(chances[-1])
    if SIZES[above] == seeds:
        return float(chances[above])
    low, high = SIZES[above - 1], SIZES[above]
    part = math.log(seeds / low) / math.log(high / low)
    return float(chances[above - 1] + part * (chances[above] - chances[above - 1]))


def decided(seeds: Mapping[Place, int], forecasts: Sequence[Forecast]) -> Decided:
    """Forecast of decided claims for these numbers of seeds, by experiment and calibration."""
    chances = [each.at(seeds[each.place]) for each in forecasts]
    return Decided(
        enough=sum(chance >= ENOUGH for chance in chances),
        expected=math.fsum(chances),
        testable=sum(each.testable for each in forecasts),
    )


def allocate(studies: Sequence[Study], forecasts: Sequence[Forecast], cpu_budget: float) -> Allocation:
    """Optimal numbers of seeds for the budget of a paper at a scale, of which seeds may use `SHARE`.

    If the smallest allowed numbers already exceed the budget, they are used.
    """
    budget = SHARE * cpu_budget
    candidates = {study.place: study.candidates() for study in studies}
    least = math.fsum(study.seconds * candidates[study.place][0] for study in studies)
    rest = round((budget - least) * UNITS)
    if rest > 0:
        seeds = _best(studies, candidates, forecasts, rest)
    else:
        seeds = {study.place: candidates[study.place][0] for study in studies}
    return Allocation(seeds, math.fsum(study.seconds * seeds[study.place] for study in studies), budget, rest < 0)


def _best(
    studies: Sequence[Study], candidates: Mapping[Place, Sequence[int]], forecasts: Sequence[Forecast], rest: int
) -> dict[Place, int]:
    """Optimal numbers of seeds that cost at most `rest` units more than the smallest allowed ones.

    Dynamic programming over budget steps: after each study, `best[k]` is the highest value with at most k steps. A
    value is one integer whose digits are the parts of the lexicographic objective, so values can be added.
    """
    steps = min(STEPS, rest)
    best, chosen = [0] * (steps + 1), []
    width = 1 + 2 * MILLIONTHS * max(1, len(forecasts)) * max(WEIGHTS.values()), 1 + 2 * rest
    for study in studies:
        own = [each for each in forecasts if each.place == study.place]
        least, *_ = every = candidates[study.place]
        known = []
        for seeds in every:
            cost = round(study.seconds * (seeds - least) * UNITS)
            if cost <= rest:
                known.append((-(-cost * steps // rest), _value(own, seeds, cost, *width), seeds))
        found, choice = [], []
        for limit in range(steps + 1):
            value, picked = max(
                ((value + best[limit - taken], -seeds) for taken, value, seeds in known if taken <= limit)
            )
            found.append(value)
            choice.append(-picked)
        best = found
        chosen.append((choice, {seeds: taken for taken, _, seeds in known}))
    seeds_of, limit = {}, steps
    for study, (choice, taken_by) in zip(reversed(studies), reversed(chosen), strict=True):
        seeds_of[study.place] = choice[limit]
        limit -= taken_by[choice[limit]]
    return {study.place: seeds_of[study.place] for study in studies}


def _value(own: Sequence[Forecast], seeds: int, cost: int, claims: int, costs: int) -> int:
    """Value of a number of seeds for the claims at a calibration of an experiment.

    Its digits, from the most significant: the weighted number of claims with enough probability, the expected number of
    decided claims in millionths, and the cost, which is subtracted.

    Parameters
    ----------
    claims, costs : exclusive upper bounds on the sums, over all experiments, of the claim parts and of the costs.
    """
    chances = [each.at(seeds) for each in own]
    enough = sum(WEIGHTS[each.group] for each, chance in zip(own, chances, strict=True) if chance >= ENOUGH)
    expected = sum(round(chance * MILLIONTHS) for chance in chances)
    return (enough * claims + expected) * costs - cost
