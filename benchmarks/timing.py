"""Sides of a comparison, timed turn by turn, in CPU time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

ADDITIONS, SECONDS = 20_000_000, 1.4
"""What the machine that goals name adds in a loop of Python, and the CPU seconds that it takes."""

Array = np.ndarray
Play = Callable[[int, int, Array], Array]
"""First seed, number of seeds and checkpoints (n,) in; regrets (seeds, n) out. The last checkpoint is the horizon."""


def slowness() -> float:
    """How many times as long this machine takes now as the one whose seconds the goals name.

    A goal in seconds divides by it, so that a slower or a busy machine neither meets nor misses it for that.
    """
    start, total = time.process_time(), 0
    for number in range(ADDITIONS):
        total += number
    return (time.process_time() - start) / SECONDS


@dataclass(frozen=True)
class Side:
    """One way to do the work of a comparison.

    Attributes
    ----------
    name : as in the record, unique in its comparison.
    label : for people.
    play : does it.
    seeds, horizon : of one sample, so that it takes some tenths of a second.
    bound : whether it only draws random numbers, or does some other part of the work: what `play` returns is no regret.
    per_run : whether its speed counts runs instead of rounds, to compare horizons.
    seconds : CPU seconds of the last `play`, where another process does it; None for this process's own.
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
    """What a side did, rounds or runs per CPU second: one number for every repetition."""

    rates: tuple[float, ...]

    @property
    def best(self) -> float:
        """That of the repetition least disturbed."""
        return max(self.rates)


@dataclass(frozen=True)
class Ratio:
    """Speed of one side over that of another: best by best, and the least and largest of repetitions side by side.

    The first lies between the others: the best of both are of repetitions in which the other was no better.
    """

    value: float
    low: float
    high: float


def seed_by_seed(run: Callable[[np.random.Generator, Array], Array]) -> Play:
    """A play that makes one run after another of a function of stream and checkpoints, which returns (n,) regrets.

    All runs go on with one stream: to make one takes as long as a whole run of the kernels that skip rounds.
    """

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        rng = stream(first_seed)
        return np.array([run(rng, checkpoints) for _ in range(seeds)])

    return play


def stream(seed: int) -> np.random.Generator:
    """The random numbers of a seed, or of several seeds at once that begin with it."""
    return np.random.default_rng([2022, seed])


def interleaved(sides: Sequence[Side], repetitions: int) -> dict[str, Speeds]:
    """Time every side once, then every side again: what disturbs the machine disturbs all. The first turn warms up.

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
    """Rounds, or runs, per CPU second of one sample."""
    start = time.process_time()
    side.play(1, side.seeds, np.array([side.horizon]))
    spent = time.process_time() - start if side.seconds is None else side.seconds()
    return side.seeds * (1 if side.per_run else side.horizon) / spent


def ratio(ours: Speeds, other: Speeds) -> Ratio:
    """How many times as fast the first is as the second."""
    paired = [a / b for a, b in zip(ours.rates, other.rates, strict=True)]
    return Ratio(ours.best / other.best, min(paired), max(paired))
