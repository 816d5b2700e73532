"""Read and check the chunks of a curve, a few of them ahead of use."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import columns_digest, read_table
from dpbandits.base.storage import DamagedFile
from dpbandits.config.curves import Curve

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Chunk:
    """A chunk read from disk: its columns, their digest and their provenance."""

    columns: Mapping[str, np.ndarray]
    digest: str
    provenance: Mapping[str, Any]


@dataclass(frozen=True)
class Made:
    """Current settings that chunks must match; None is not compared.

    Attributes
    ----------
    root_seed, source : root seed of the runs, and digest of the sources that compute them.
    noise : the certified noise values that the curve may use.
    """

    root_seed: int
    source: str | None = None
    noise: frozenset[float] | None = None

    def differs(self, provenance: Mapping[str, Any]) -> str:
        """How a chunk's provenance differs from these settings; empty if it does not."""
        if provenance.get("root_seed") != self.root_seed:
            return "a different root seed"
        if self.source not in (None, provenance.get("source")):
            return "different sources"
        used = {value for point in provenance.get("noise", ()) for value in point.values()}
        return "different noise" if self.noise is not None and not used <= self.noise else ""


def read_chunk(curve: Curve, path: Path, first: int, last: int, made: Made) -> Chunk:
    """Read the runs of seeds `first` to `last`.

    Raises
    ------
    DamagedFile
        The chunk is damaged, belongs to another curve or to other seeds, or does not match the current settings.
    """
    columns, provenance = read_table(path)
    if provenance.get("id") != json_digest(curve.identity()):
        raise DamagedFile(f"{path}: belongs to another curve")
    if other := made.differs(provenance):
        raise DamagedFile(f"{path}: was computed with {other}")
    if not is_range(columns["seed"], first, last):
        raise DamagedFile(f"{path}: must hold the seeds {first} to {last}, and no others")
    return Chunk(columns, columns_digest(columns), provenance)


def ahead(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Callable[[], Result]]]:
    """Yield each item, in order, with a callable that returns or raises the result of `function` on it.

    With several threads, that many items are processed ahead, and no more, to limit memory.
    """
    if threads == 1:
        yield from ((item, partial(function, item)) for item in items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[Item, Callable[[], Result]]] = deque()
        for item in items:
            waiting.append((item, pool.submit(function, item).result))
            if len(waiting) > threads:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()


def is_range(seeds: np.ndarray, first: int, last: int) -> bool:
    """Whether `seeds` contains every integer from `first` to `last`, and no other."""
    within = seeds.size > 0 and seeds.min() == first and seeds.max() == last
    return bool(within and np.bincount(seeds - first).all())
