"""Chances that a claim is decided, by number of seeds; a pilot is run to estimate them.

The true value is spread around the pilot's estimate by the pilot's error, and the estimate from other seeds is spread
around the true value. Many such outcomes are drawn, jointly for all comparisons of the claim. Each outcome is judged by
the rule of `judgements`, with the intervals that this number of seeds would have. All numbers of seeds share the draws.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from dpbandits.base.streams import generator
from dpbandits.claims.comparisons import Comparison, Count, Sample
from dpbandits.claims.judgements import ALPHA, HOLDS, LEVEL, NOT_TESTED, UNCLEAR
from dpbandits.claims.statistical import compared
from dpbandits.claims.unseen import lacking
from dpbandits.claims.verdicts import overall
from dpbandits.config.models.claims import Rules, Statistical
from dpbandits.numerics.limits import limits
from dpbandits.numerics.statistics import Floats, Interval, Statistic
from dpbandits.numerics.tails import Tails

DRAWS = 1000  # outcomes; our choice
OUTCOMES = np.array(["fails", NOT_TESTED, UNCLEAR, HOLDS])  # from most to least decisive
FAIL, MISSING, OPEN, HOLD = range(4)
Codes = np.ndarray
"""Indices into `OUTCOMES`, one per draw."""


@dataclass(frozen=True)
class Chances:
    """The chance that a claim is decided, by number of seeds.

    Attributes
    ----------
    decisive : the comparison that is least likely to be decided at the number of seeds nearest to the pilot's.
    effect, interval : the pilot's estimate and interval for it.
    spread : standard deviation of one seed, the error of the effect times the root of the number of seeds.
    values : the chances, one for each number of seeds.
    """

    decisive: str
    effect: float
    spread: float
    interval: tuple[float, float]
    values: tuple[float, ...]


def chances(
    claim: Statistical, calibration: str, rules: Rules, sample: Sample, tails: Tails, sizes: Sequence[int]
) -> Chances:
    """The chance that a claim holds or fails, for each number of seeds.

    Parameters
    ----------
    sample, tails : the runs and tails of the pilot.
    sizes : numbers of seeds, each at least 8.

    Returns
    -------
    The chances; all 0 if gates or missing cells leave nothing to judge.
    """
    each = compared(claim, calibration, rules, sample)
    made: tuple[Comparison | Count, ...] = each.counts or each.comparisons
    labels, readings = [c.label for c in made], [c.reading for c in made]
    if not labels:
        return Chances("", math.nan, math.nan, (math.nan, math.nan), (0.0,) * len(sizes))
    gaps = each.left.incomplete | each.left.bare
    every = list(dict.fromkeys(test.reading for test in each.tests))
    played = each.counts[0].seeds if each.counts else _seeds_of(each.comparisons)
    noise = generator(0, "policy", "chances")
    if each.counts:
        draws: _Comparisons | _Counts = _Counts(each.counts, noise)
    else:
        draws = _Comparisons(each.comparisons, tails, noise)
    values, open_ones = [], np.zeros((len(sizes), len(labels)))
    for k, seeds in enumerate(sizes):
        codes = draws.codes(seeds)
        open_ones[k] = (codes == OPEN).mean(axis=0)
        found = {
            reading: _combined(codes[:, [r == reading for r in readings]], draws.sets(reading), reading in gaps)
            for reading in every
        }
        values.append(float(_decided(found, claim.combine).mean()))
    nearest = int(np.argmin(np.abs(np.log(np.array(sizes) / played))))
    decisive = int(np.argmax(open_ones[nearest]))
    interval, spread = draws.known(decisive)
    return Chances(labels[decisive], interval.estimate, spread, (interval.low, interval.high), tuple(values))


def _seeds_of(comparisons: Sequence[Comparison]) -> int:
    """Number of seeds of the pilot; 1 if all statistics are undefined."""
    return next((c.statistic.influence.size for c in comparisons if c.statistic is not None), 1)


def _combined(codes: Codes, sets: Sequence[object], gap: bool) -> Codes:
    """The verdict of a reading in each draw. Alternatives share a key in `sets`, and the best one counts."""
    best = [codes[:, [key == other for other in sets]].max(axis=1) for key in dict.fromkeys(sets)]
    if gap:
        best.append(np.full(len(codes), MISSING))
    return np.min(best, axis=0) if best else np.full(len(codes), MISSING)


def _decided(readings: Mapping[str, Codes], how: str) -> np.ndarray:
    """Whether the claim is decided in each draw, given the verdicts of its readings."""
    table = np.stack(list(readings.values()), axis=1)
    kinds, place = np.unique(table, axis=0, return_inverse=True)
    verdicts = [overall(dict(zip(readings, OUTCOMES[kind].tolist(), strict=True)), how) for kind in kinds]
    decided = np.array([verdict not in (UNCLEAR, NOT_TESTED) for verdict in verdicts])
    found: np.ndarray = decided[place.ravel()]
    return found


class _Comparisons:
    """Simulated outcomes of comparisons of means."""

    def __init__(self, comparisons: Sequence[Comparison], tails: Tails, noise: np.random.Generator) -> None:
        self.comparisons, self.tails, self.n = comparisons, tails, _seeds_of(comparisons)
        self.keys = [(c.reading, c.any_of) if c.any_of else index for index, c in enumerate(comparisons)]
        rows = [c.statistic.influence if c.statistic else np.zeros(self.n) for c in comparisons]
        influences = np.stack(rows, axis=1) / math.sqrt(max(1, self.n - 1))
        self.deviations: Floats = (
            noise.standard_normal((DRAWS, self.n)) @ influences
        )  # of one seed, (draws, comparisons)
        shares = {k: c.statistic.share for k, c in enumerate(comparisons) if c.statistic and c.statistic.share}
        self.events = {k: _Events(*share, noise) for k, share in shares.items()}

    def sets(self, reading: str) -> list[object]:
        """The keys of the comparisons of a reading, equal for alternatives."""
        return [key for key, c in zip(self.keys, self.comparisons, strict=True) if c.reading == reading]

    def known(self, index: int) -> tuple[Interval, float]:
        """The pilot's interval for a comparison, and the standard deviation of one seed."""
        statistic = self.comparisons[index].statistic
        if statistic is None:
            return Interval(math.nan, -math.inf, math.inf, LEVEL), math.nan
        return self._limits(index, statistic, self.n)[0], statistic.standard_error * math.sqrt(self.n)

    def codes(self, seeds: int) -> Codes:
        """The verdict of every comparison in every draw, (draws, comparisons)."""
        found = np.full(self.deviations.shape, OPEN)
        for index, c in enumerate(self.comparisons):
            if c.statistic is None:
                continue
            own, joint = self._ends(index, c.statistic, seeds)
            outside = (joint[1] < c.tolerated_low) | (joint[0] > c.tolerated_high)
            holds = (own[0] >= c.low) & (own[1] <= c.high)
            on_bound = (own[0] == own[1]) & ((own[0] == c.low) | (own[0] == c.high))
            equal = np.zeros(DRAWS, dtype=bool)
            if c.equivalent is not None:
                equal = (joint[0] >= c.equivalent[0]) & (joint[1] <= c.equivalent[1])
            seen = 1.0 + seeds / self.n  # factor on the pilot's runs, which count together with the new ones
            missing = (lacking(c, alpha, self.tails, seen) for alpha in self._alphas(index))
            may_hold, may_fail = (each == 0.0 for each in missing)
            fails = ((outside & ~on_bound) | equal) & may_fail
            found[:, index] = np.where(holds & ~on_bound & may_hold, HOLD, np.where(fails, FAIL, OPEN))
        return found

    def _ends(self, index: int, statistic: Statistic, seeds: int) -> tuple[tuple[Floats, Floats], ...]:
        """The ends of the individual and the joint interval in every draw, (draws,) each."""
        if statistic.share is not None:
            events = self.events[index].at(seeds)
            return tuple(_exact(events, seeds, alpha) for alpha in self._alphas(index))
        moved = math.sqrt(1.0 / seeds + 1.0 / self.n) * self.deviations[:, index]
        return tuple((each.low + moved, each.high + moved) for each in self._limits(index, statistic, seeds))

    def _alphas(self, index: int) -> tuple[float, float]:
        """One-sided error probability of the individual and the joint interval."""
        return ALPHA / self.keys.count(self.keys[index]), ALPHA / len(set(self.keys))

    def _limits(self, index: int, statistic: Statistic, seeds: float) -> tuple[Interval, Interval]:
        """The individual and the joint interval of a comparison with this number of seeds."""
        first, second = (limits(statistic, alpha, self.tails, seeds) for alpha in self._alphas(index))
        return first, second


class _Events:
    """Numbers of events among new runs; the rate is drawn from its posterior under Jeffreys' prior."""

    def __init__(self, events: int, runs: int, noise: np.random.Generator) -> None:
        self.rates = noise.beta(events + 0.5, runs - events + 0.5, DRAWS)
        self.places = noise.random(DRAWS)

    def at(self, runs: int) -> np.ndarray:
        """Number of events among this number of runs, (draws,); it increases with the runs in each draw."""
        return np.asarray(stats.binom.ppf(self.places, runs, self.rates), dtype=int)


class _Counts:
    """Simulated outcomes of counts of rare events."""

    def __init__(self, counts: Sequence[Count], noise: np.random.Generator) -> None:
        self.counts = counts
        self.events = [_Events(c.events, c.runs, noise) for c in counts]

    def sets(self, reading: str) -> list[object]:
        """A key for each count of a reading."""
        return [index for index, c in enumerate(self.counts) if c.reading == reading]

    def known(self, index: int) -> tuple[Interval, float]:
        """The pilot's rate for a count with exact limits, and the standard deviation of one run."""
        c = self.counts[index]
        rate = c.events / c.runs
        low, high = _exact(np.array([c.events]), c.runs, ALPHA)
        return Interval(rate, float(low[0]), float(high[0]), LEVEL), math.sqrt(rate * (1.0 - rate))

    def codes(self, seeds: int) -> Codes:
        """The verdict of every count in every draw, (draws, counts)."""
        found = []
        for c, drawn in zip(self.counts, self.events, strict=True):
            runs = round(c.runs * seeds / c.seeds)
            events = drawn.at(runs)
            holds = _exact(events, runs, ALPHA)[1] <= c.rate
            fails = _exact(events, runs, ALPHA / len(self.counts))[0] > c.rate
            found.append(np.where(holds, HOLD, np.where(fails, FAIL, OPEN)))
        return np.stack(found, axis=1)


def _exact(events: np.ndarray, runs: int, alpha: float) -> tuple[Floats, Floats]:
    """Clopper-Pearson limits for many counts, as `exact_share`."""
    low = np.where(events == 0, 0.0, special.betaincinv(np.maximum(events, 1), runs - events + 1, alpha))
    rest = np.maximum(runs - events, 1)
    high = np.where(events == runs, 1.0, special.betaincinv(events + 1, rest, 1.0 - alpha))
    return low, high
