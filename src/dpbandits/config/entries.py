"""The entries of an experiment's curves: algorithms, which are simulated, and bounds, which are evaluated."""

from collections.abc import Iterator, Mapping

from dpbandits.algorithms.base import Algorithm
from dpbandits.algorithms.registry import TABLE as ALGORITHMS
from dpbandits.theory.base import Bound
from dpbandits.theory.registry import TABLE as BOUNDS

Entry = Algorithm | Bound


class _Both(Mapping[str, Entry]):
    """The entries of all algorithms, then those of all bounds."""

    def __getitem__(self, name: str) -> Entry:
        return BOUNDS[name] if name in BOUNDS else ALGORITHMS[name]

    def __contains__(self, name: object) -> bool:
        return name in ALGORITHMS or name in BOUNDS

    def __iter__(self) -> Iterator[str]:
        yield from ALGORITHMS
        yield from BOUNDS

    def __len__(self) -> int:
        return len(ALGORITHMS) + len(BOUNDS)


TABLE: Mapping[str, Entry] = _Both()
