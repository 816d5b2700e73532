"""How many seeds each calibration of an experiment gets at a scale, from the chances that claims are decided.

A multiple-choice knapsack: one number of seeds for each calibration of each experiment, within a budget of CPU seconds.
The value is lexicographic. First comes the number of claims that are decided with a chance of at least `ENOUGH`, of
which main claims of the paper count twice. Then comes the expected number of decided claims, and of equal values the
cheapest is taken.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SIZES = (8, *(size for power in range(3, 13) for size in (3 * 2 ** (power - 1), 2 ** (power + 1))))
"""Numbers of seeds for which chances are computed: 8, 12, 16, 24, 32, ..., 8192."""
ENOUGH = 0.8  # chance of a verdict that an allocation aims for; our choice
SHARE = 0.8  # of the CPU budget that seeds may use; the rest is for calibrating, aggregating, judging; our choice
STEPS = 2000  # of the budget: costs are rounded up to whole steps; our choice
WEIGHTS = {"main": 2, "own": 1, "other": 1}
"""What a decided claim counts: one of the paper in its headline, another one of the paper, and one about released code
or a variant of ours; our choice."""
MILLIONTHS = 1_000_000  # chances are rounded to them, so that ties are exact
UNITS = 1_000_000  # of cost in a second; costs are rounded to them


Place = tuple[str, str]
"""An experiment and one of its calibrations."""


@dataclass(frozen=True)
class Study:
    """A calibration of an experiment as it costs.

    Attributes
    ----------
    seconds : CPU seconds of one seed of all curves that stand for the calibration.
    chunk : its number of seeds is a multiple of it.
    least : the fewest seeds that it may have.
    fixed : its number of seeds where that is not to be chosen.
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
        """The numbers of seeds to choose from: the sizes in whole chunks, from the least upwards."""
        if self.fixed is not None:
            return [self.fixed]
        least = whole_chunks(self.least, self.chunk)
        sizes = {whole_chunks(size, self.chunk) for size in SIZES}
        return sorted({least, *(size for size in sizes if size > least)})


@dataclass(frozen=True)
class Forecast:
    """Chances that a claim under a calibration is decided by the runs of an experiment, at each of `SIZES`."""

    experiment: str
    calibration: str
    group: str
    chances: tuple[float, ...]

    @property
    def place(self) -> Place:
        """The experiment and the calibration."""
        return self.experiment, self.calibration

    def at(self, seeds: int) -> float:
        """The chance with so many seeds, interpolated in their logarithm; none below the first size."""
        return chance_at(self.chances, seeds)

    @property
    def testable(self) -> bool:
        """Whether any number of seeds may decide it."""
        return max(self.chances) > 0.0


@dataclass(frozen=True)
class Allocation:
    """Numbers of seeds within a budget.

    Attributes
    ----------
    seeds : by experiment and calibration.
    seconds, budget : CPU seconds that they cost at most, and that they may cost. A curve that stands for several
        calibrations is played once and counted for each of them.
    exceeds : whether even the least numbers, which are taken then, cost more.
    """

    seeds: Mapping[Place, int]
    seconds: float
    budget: float
    exceeds: bool = False


@dataclass(frozen=True)
class Decided:
    """How many claims are forecast to be decided: with a chance of at least `ENOUGH`, on average, and how many at all.

    Attributes
    ----------
    enough : claims with a chance of at least `ENOUGH`.
    expected : sum of the chances.
    testable : claims that some number of seeds may decide.
    """

    enough: int
    expected: float
    testable: int


def whole_chunks(seeds: int, chunk: int) -> int:
    """A number of seeds rounded up to whole chunks."""
    return chunk * -(-seeds // chunk)


def chance_at(chances: Sequence[float], seeds: int) -> float:
    """A chance that is known at `SIZES`, with so many seeds."""
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
    """How many claims are forecast to be decided with these numbers of seeds, by experiment and calibration."""
    chances = [each.at(seeds[each.place]) for each in forecasts]
    return Decided(
        enough=sum(chance >= ENOUGH for chance in chances),
        expected=math.fsum(chances),
        testable=sum(each.testable for each in forecasts),
    )


def allocate(studies: Sequence[Study], forecasts: Sequence[Forecast], cpu_budget: float) -> Allocation:
    """The best numbers of seeds for the budget of a paper at a scale, of which seeds may use `SHARE`.

    If the least sizes alone exceed the budget, these are taken.
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
    """The best numbers of seeds that cost at most `rest` units more than the least ones.

    Dynamic programming over the steps of the budget: after each study, `best[k]` is the highest value with at most k
    steps. A value is one whole number whose digits are the parts of the lexicographic value, so that values add.
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
    """The value of a number of seeds for the claims of a calibration of an experiment.

    Its digits, the highest first: claims with enough chance by their weights, the expected number of decided claims in
    millionths, and the cost, which is subtracted.

    Parameters
    ----------
    claims, costs : more than any sum over all experiments of the parts about claims, and of the costs.
    """
    chances = [each.at(seeds) for each in own]
    enough = sum(WEIGHTS[each.group] for each, chance in zip(own, chances, strict=True) if chance >= ENOUGH)
    expected = sum(round(chance * MILLIONTHS) for chance in chances)
    return (enough * claims + expected) * costs - cost
