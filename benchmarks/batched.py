"""Helpers of NumPy sides that simulate many seeds at once: groups of seeds, and blocks of random numbers."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator

from benchmarks.timing import Play, stream

Array = np.ndarray
GROUP = 50  # seeds simulated at once
BLOCK = 500  # rounds whose random numbers are drawn in one call


def group_by_group(run: Callable[[Generator, int, Array], Array]) -> Play:
    """Play function that runs seeds in groups of `GROUP`; `run` takes the group size and returns regrets (size, n)."""

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        starts = range(first_seed, first_seed + seeds, GROUP)
        return np.concatenate(
            [run(stream(start), min(GROUP, first_seed + seeds - start), checkpoints) for start in starts]
        )

    return play


def in_blocks(draw: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...], rounds: int) -> Iterator[Array]:
    """Draws of this shape, one round after the other, generated in blocks."""
    for start in range(0, rounds, BLOCK):
        yield from draw((min(BLOCK, rounds - start), *shape))
