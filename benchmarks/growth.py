"""Measure how the cost of a run of our kernels grows with the horizon, arms, dimension and number of seeds."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.families import by_arm, events, linucb, linucb_ldp, phases, thompson, ucb1, vector_sum
from benchmarks.record import Entry
from benchmarks.timing import Play, stream
from dpbandits.environments.linear import linear

Array = np.ndarray
SECONDS = 0.03  # smallest CPU time of a sample; shorter runs are repeated
DECADES = (10**3, 10**4, 10**5, 10**6)
ARMS = (2, 5, 10, 20, 50, 100)
SEEDS = (1, 4, 16, 64, 256)
RUNS = "seeds"  # the axis whose values are numbers of runs


@dataclass(frozen=True)
class Line:
    """One axis of one family.

    Attributes
    ----------
    name, title : of the family; axis : T, K, d or `seeds`; setting : fixed values.
    places : increasing values along the axis.
    play : play function at a value.
    horizon : horizon at a value.
    """

    name: str
    title: str
    axis: str
    setting: str
    places: tuple[int, ...]
    play: Callable[[int], Play]
    horizon: Callable[[int], int]


@dataclass(frozen=True)
class Growth:
    """CPU seconds at each value (the minimum over repetitions), and the exponent with its spread over repetitions."""

    costs: tuple[float, ...]
    exponent: float
    low: float
    high: float


def exponent(places: Sequence[int], costs: Sequence[float]) -> float:
    """Least-squares slope of ln cost against ln value."""
    x, y = np.log(places), np.log(costs)
    x = x - x.mean()
    return float(x @ y / (x @ x))


def ends(places: Sequence[int], costs: Sequence[float]) -> dict[str, float]:
    """Exponents of the first and the last step, stored as `low` and `high` of a line that is measured once."""
    low, high = sorted(exponent(places[k : k + 2], costs[k : k + 2]) for k in (0, len(places) - 2))
    return {"low": low, "high": high}


def grown(name: str, title: str, axis: str, setting: str, places: Sequence[int], costs: Sequence[float]) -> Entry:
    """Record entry of a line that is measured once: costs relative to the first."""
    return {
        "name": name,
        "title": title,
        "axis": axis,
        "setting": setting,
        "places": list(places),
        "costs": [cost / costs[0] for cost in costs],
        "exponent": exponent(places, costs),
        **ends(places, costs),
    }


def of_memory(axis: str) -> str:
    """Name of the axis that shows growth of memory along another axis."""
    return f"{axis} (memory)"


def summarized(places: Sequence[int], samples: Array) -> Growth:
    """Growth from samples (repetitions, places) in CPU seconds."""
    best = samples.min(axis=0)
    slopes = [exponent(places, row) for row in samples]
    value = exponent(places, best)
    return Growth(tuple(best.tolist()), value, min(value, *slopes), max(value, *slopes))


def measured(line: Line, repetitions: int) -> Growth:
    """Time all values in turn, for each repetition."""
    jobs = []
    for place in line.places:
        play, checkpoints = line.play(place), np.array([line.horizon(place)])
        seeds = place if line.axis == RUNS else 1
        play(0, 1, checkpoints)
        once = _seconds(play, seeds, checkpoints)
        jobs.append((play, seeds, checkpoints, max(1, math.ceil(SECONDS / max(once, 1e-6)))))
    samples = np.empty((repetitions, len(jobs)))
    for row in samples:
        for k, (play, seeds, checkpoints, times) in enumerate(jobs):
            if line.axis == RUNS:
                row[k] = sum(_seconds(play, seeds, checkpoints) for _ in range(times)) / times
            else:
                row[k] = _seconds(play, times, checkpoints) / times
    return summarized(line.places, samples)


def _seconds(play: Play, seeds: int, checkpoints: Array) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    play(1, seeds, checkpoints)
    return time.process_time() - start


def record_of(line: Line, found: Growth) -> Entry:
    """Record entry; costs are relative to the first value."""
    return {
        "name": line.name,
        "title": line.title,
        "axis": line.axis,
        "setting": line.setting,
        "places": list(line.places),
        "costs": [cost / found.costs[0] for cost in found.costs],
        "exponent": found.exponent,
        "low": found.low,
        "high": found.high,
    }


def text(line: Line, found: Growth) -> str:
    """Text for a terminal."""
    costs = ", ".join(f"{place:g}: {1e3 * cost:.3g} ms" for place, cost in zip(line.places, found.costs, strict=True))
    slope = f"{line.axis}^{found.exponent:.2f} [{found.low:.2f}, {found.high:.2f}]"
    return f"{line.title} ({line.setting})\n  {slope:28} {costs}"


def lines() -> list[Line]:
    """All axes of all families."""
    return [
        *few_arms("ucb1", "UCB1", ucb1.ours),
        *few_arms("thompson", "Thompson sampling", thompson.ours),
        *linear_bandit("linucb", "LinUCB", linucb.ours, (2, 5, 10, 20, 50), 5000),
        *linear_bandit("linucb_ldp", "LinUCB with local noise", linucb_ldp.ours, (2, 5, 10, 20, 40), 1000),
        *shuffled(),
        *events_lines(),
        *phases_lines(),
        *arms_apart(),
    ]


def spread(arms: int) -> Array:
    """Means of `arms` arms, equally spaced from 0.1 to 0.9."""
    return np.linspace(0.1, 0.9, arms)


def few_arms(name: str, title: str, ours: Callable[[Array], Play]) -> list[Line]:
    """Lines of a bandit with Bernoulli arms: T, K and seeds."""
    return [
        Line(name, title, "T", "K = 10", DECADES[:3], lambda T: ours(spread(10)), lambda T: T),
        Line(name, title, "K", "T = 10000", ARMS, lambda K: ours(spread(K)), lambda K: 10**4),
        Line(name, title, RUNS, "K = 10, T = 1000", SEEDS, lambda seeds: ours(spread(10)), lambda seeds: 1000),
    ]


def linear_bandit(
    name: str, title: str, ours: Callable[[Array, Array], Play], dimensions: tuple[int, ...], horizon: int
) -> list[Line]:
    """Lines of a linear bandit: T, K, d and seeds."""

    def of(arms: int, dimension: int) -> Play:
        return ours(*linucb.instance(arms, dimension))

    places = (100, 300, 1000, 3000, 10000)
    arms = (10, 30, 100, 300, 1000)
    fixed = f"T = {horizon}"
    return [
        Line(name, title, "T", "d = 5, K = 100", places, lambda T: of(100, 5), lambda T: T),
        Line(name, title, "K", f"d = 5, {fixed}", arms, lambda K: of(K, 5), lambda K: horizon),
        Line(name, title, "d", f"K = 100, {fixed}", dimensions, lambda d: of(100, d), lambda d: horizon),
        Line(name, title, RUNS, "d = 5, K = 100, T = 300", SEEDS, lambda seeds: of(100, 5), lambda seeds: 300),
    ]


def shuffled() -> list[Line]:
    """Lines of the vector sum: T and d."""
    name, title = "vector_sum", "LinUCB with the shuffled vector sum"

    def of(dimension: int, horizon: int) -> Play:
        return vector_sum.ours(*linucb.instance(vector_sum.ARMS, dimension), horizon)

    batch = f"B = {vector_sum.SETTING['batch']}, K = {vector_sum.ARMS}"
    return [
        Line(name, title, "T", f"{batch}, d = 15", (600, 2000, 6000, 20000), lambda T: of(15, T), lambda T: T),
        Line(name, title, "d", f"{batch}, T = 2000", (2, 5, 10, 20, 40), lambda d: of(d, 2000), lambda d: 2000),
    ]


def events_lines() -> list[Line]:
    """Lines of the event-driven kernels: T, K and seeds."""
    found = []
    for name, title, ours, arms in (
        ("anytime_lazy_ucb", "Anytime-Lazy-UCB", events.anytime_lazy_ucb_play, ARMS),
        ("lazy_dp_ts", "Lazy-DP-TS", events.lazy_thompson_play, ARMS[:-1]),
    ):
        of: Callable[[int], Play] = lambda place, ours=ours: ours(events.MEANS)  # noqa: E731 - one line a place
        wide: Callable[[int], Play] = lambda K, ours=ours: ours(spread(K))  # noqa: E731 - as above
        eps = f"eps = {events.EPS}"
        found += [
            Line(name, title, "T", events.SETTING, (*DECADES, 10**7, 10**8), of, lambda T: T),
            Line(name, title, "K", f"{eps}, T = {events.HORIZON}", arms, wide, lambda K: events.HORIZON),
            Line(name, title, RUNS, f"{events.SETTING}, T = 10000", SEEDS, of, lambda seeds: 10**4),
        ]
    return found


def phases_lines() -> list[Line]:
    """Lines of the phase-driven kernels: T, K and d."""
    far = (*DECADES[1:], 10**7, 10**8)
    fixed = f"T = {events.HORIZON}"

    def phased(arms: int, dimension: int) -> Play:
        return phases.phased_play(*linear.draw(stream(7), arms, dimension))

    def at_horizon(_: int) -> int:
        return events.HORIZON

    name, title = "phased_elimination_central", "Phased elimination, central"
    se, private = "dp_se", "DP-SE"
    eliminate = phases.elimination_play
    return [
        Line(se, private, "T", events.SETTING, far, lambda T: eliminate(phases.MEANS), lambda T: T),
        Line(
            se, private, "K", f"eps = {events.EPS}, T = 10000000", ARMS, lambda K: eliminate(spread(K)), lambda K: 10**7
        ),
        Line(name, title, "T", phases.LINEAR, far, lambda T: phased(10, 2), lambda T: T),
        Line(name, title, "K", f"d = 2, {fixed}", (10, 30, 100, 300, 1000), lambda K: phased(K, 2), at_horizon),
        Line(name, title, "d", f"K = 100, {fixed}", (2, 4, 8, 16), lambda d: phased(100, d), at_horizon),
    ]


def arms_apart() -> list[Line]:
    """Lines of greedy least squares with one parameter per arm: T, d and K."""
    name, title = "by_arm", "Least squares by arm"

    def of(arms: int, dimension: int) -> Play:
        return by_arm.play_of(by_arm.by_arm.run, arms, dimension)

    places = (300, 1000, 3000, 10000)
    return [
        Line(name, title, "T", "d = 20, K = 3", places, lambda T: of(3, 20), lambda T: T),
        Line(name, title, "d", "K = 3, T = 1000", (2, 5, 10, 20, 40), lambda d: of(3, d), lambda d: 1000),
        Line(name, title, "K", "d = 20, T = 300", (2, 4, 8, 16, 32), lambda K: of(K, 20), lambda K: 300),
    ]


NAMES = tuple(dict.fromkeys(line.name for line in lines()))
