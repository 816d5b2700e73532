"""Chunks of a curve as they are read: checked, and a few of them ahead."""

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
    """A chunk as it was read: its columns, their digest and their provenance."""

    columns: Mapping[str, np.ndarray]
    digest: str
    provenance: Mapping[str, Any]


@dataclass(frozen=True)
class Made:
    """How the chunks of a curve are made at present: None is not compared.

    Attributes
    ----------
    root_seed, source : of the runs, and digest of the sources that make them.
    noise : the certified noise that the curve may have.
    """

    root_seed: int
    source: str | None = None
    noise: frozenset[float] | None = None

    def differs(self, provenance: Mapping[str, Any]) -> str:
        """In what a chunk was made otherwise; empty if in nothing."""
        if provenance.get("root_seed") != self.root_seed:
            return "another root seed"
        if self.source not in (None, provenance.get("source")):
            return "other sources"
        used = {value for point in provenance.get("noise", ()) for value in point.values()}
        return "another noise" if self.noise is not None and not used <= self.noise else ""


def read_chunk(curve: Curve, path: Path, first: int, last: int, made: Made) -> Chunk:
    """Read the runs of the seeds from `first` to `last`.

    Raises
    ------
    DamagedFile
        They are damaged, those of another curve or of other seeds, or were made otherwise than at present.
    """
    columns, provenance = read_table(path)
    if provenance.get("id") != json_digest(curve.identity()):
        raise DamagedFile(f"{path}: belongs to another curve")
    if other := made.differs(provenance):
        raise DamagedFile(f"{path}: was made with {other}")
    if not is_range(columns["seed"], first, last):
        raise DamagedFile(f"{path}: holds other seeds than {first} to {last}")
    return Chunk(columns, columns_digest(columns), provenance)


def ahead(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Callable[[], Result]]]:
    """Yield items in their order, each with what gives or raises the result of a function of it.

    With several threads as many items are taken ahead, and no more, so that few results are in memory.
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
    """Whether seeds are those from `first` to `last`, each at least once."""
    within = seeds.size > 0 and seeds.min() == first and seeds.max() == last
    return bool(within and np.bincount(seeds - first).all())
