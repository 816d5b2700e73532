"""Draw the problem instances of seeds; they are equal for all algorithms and bounds on the same environment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.base.streams import generator


def draw_instances(environment: Mapping[str, Any], name: str, root_seed: int, seeds: Iterable[int]) -> list[Any]:
    """One instance per seed.

    Parameters
    ----------
    environment : `family` and the arguments of its `draw`.
    name : name of the random streams, equal for equal environments.
    """
    family = ENVIRONMENTS.module(str(environment["family"]))
    arguments = {key: value for key, value in environment.items() if key != "family"}
    return [family.draw(generator(root_seed, "instance", name, seed), **arguments) for seed in seeds]


def drawn_ahead(environment: Mapping[str, Any], instance: Any, rounds: Sequence[int]) -> Any:
    """The instance with shared random draws made in advance, for runs of these horizons, if the family supports it."""
    ahead = ENVIRONMENTS.module(str(environment["family"])).FAMILY.ahead
    return instance if ahead is None or len(rounds) < 2 else ahead(instance, max(rounds))
