"""Time the sides of a comparison in turn, in CPU time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

ADDITIONS, SECONDS = 20_000_000, 1.4
"""Terms of a Python loop on the reference machine, and its CPU seconds."""

Array = np.ndarray
Result = TypeVar("Result")
Play = Callable[[int, int, Array], Array]
"""Takes first seed, number of seeds and checkpoints (n,), whose last is the horizon; returns regrets (seeds, n)."""


def slowness() -> float:
    """How many times slower this machine currently is than the reference machine of the goals.

    Goals in seconds are divided by this, so that a slow or busy machine does not decide whether they are met.
    """
    start, total = time.process_time(), 0
    for number in range(ADDITIONS):
        total += number
    return (time.process_time() - start) / SECONDS


def with_slowness(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result of some work, and the mean slowness of the machine just before and after it."""
    before, found, after = slowness(), work(), slowness()
    return found, (before + after) / 2.0


@dataclass(frozen=True)
class Side:
    """One implementation of the work in a comparison.

    Attributes
    ----------
    name : key in the record, unique in its comparison.
    label : text for display.
    play : performs the work.
    seeds, horizon : size of one sample, chosen to take some tenths of a second.
    bound : whether it does only part of the work, such as drawing random numbers, so that `play` returns no regret.
    per_run : whether speed is counted in runs instead of rounds, to compare horizons.
    seconds : CPU seconds of the last `play` in another process; None if it runs in this process.
    """

    name: str
    label: str
    play: Play
    seeds: int
    horizon: int
    bound: bool = False
    per_run: bool = False
    seconds: Callable[[], float] | None = None


@dataclass(frozen=True)
class Speeds:
    """Speeds of a side in rounds or runs per CPU second, one per repetition."""

    rates: tuple[float, ...]

    @property
    def best(self) -> float:
        """Speed of the least disturbed repetition."""
        return max(self.rates)


@dataclass(frozen=True)
class Ratio:
    """Ratio of two sides' speeds: of the best repetitions, and smallest and largest of simultaneous repetitions.

    The first always lies between the others.
    """

    value: float
    low: float
    high: float


def seed_by_seed(run: Callable[[np.random.Generator, Array], Array]) -> Play:
    """Play function that runs seed after seed, from a function of stream and checkpoints that returns regrets (n,).

    All runs share one stream, because creating one takes as long as a whole run of the kernels that skip rounds.
    """

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        rng = stream(first_seed)
        return np.array([run(rng, checkpoints) for _ in range(seeds)])

    return play


def stream(seed: int) -> np.random.Generator:
    """Random stream of a seed, or of a block of seeds that starts with it."""
    return np.random.default_rng([2022, seed])


def interleaved(sides: Sequence[Side], repetitions: int) -> dict[str, Speeds]:
    """Time every side once per repetition, so that disturbances affect all sides. The first repetition is a warm-up.

    Raises
    ------
    ValueError
        Fewer than three repetitions.
    """
    if repetitions < 3:
        raise ValueError(f"repetitions: at least 3, got {repetitions}")
    rates: dict[str, list[float]] = {side.name: [] for side in sides}
    for side in sides:
        side.play(0, 1, np.array([side.horizon]))
    for _ in range(repetitions):
        for side in sides:
            rates[side.name].append(rate(side))
    return {name: Speeds(tuple(found)) for name, found in rates.items()}


def rate(side: Side) -> float:
    """Rounds or runs per CPU second of one sample."""
    start = time.process_time()
    side.play(1, side.seeds, np.array([side.horizon]))
    spent = time.process_time() - start if side.seconds is None else side.seconds()
    return side.seeds * (1 if side.per_run else side.horizon) / spent


def ratio(ours: Speeds, other: Speeds) -> Ratio:
    """Ratio of the first side's speed to the second's."""
    paired = [a / b for a, b in zip(ours.rates, other.rates, strict=True)]
    return Ratio(ours.best / other.best, min(paired), max(paired))
