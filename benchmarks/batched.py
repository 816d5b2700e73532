"""What the sides in NumPy over many seeds at once share: groups of seeds, and random numbers drawn in blocks."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator

from benchmarks.timing import Play, stream

Array = np.ndarray
GROUP = 50  # seeds at once
BLOCK = 500  # rounds for which random numbers are drawn in one call


def group_by_group(run: Callable[[Generator, int, Array], Array]) -> Play:
    """A play that runs the seeds in groups of `GROUP`; `run` takes how many, and returns (that many, n) regrets."""

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        starts = range(first_seed, first_seed + seeds, GROUP)
        return np.concatenate(
            [run(stream(start), min(GROUP, first_seed + seeds - start), checkpoints) for start in starts]
        )

    return play


def in_blocks(draw: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...], rounds: int) -> Iterator[Array]:
    """The draws of one round after the other, each of that shape."""
    for start in range(0, rounds, BLOCK):
        yield from draw((min(BLOCK, rounds - start), *shape))
