"""Problem instances of seeds: the same for every algorithm and bound on the same environment."""

from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.base.streams import generator


def draw_instances(environment: Mapping[str, Any], name: str, root_seed: int, seeds: Iterable[int]) -> list[Any]:
    """One instance per seed.

    Parameters
    ----------
    environment : `family` and the arguments of its `draw`.
    name : of the random streams, the same for equal environments.
    """
    family = ENVIRONMENTS.module(str(environment["family"]))
    arguments = {key: value for key, value in environment.items() if key != "family"}
    return [family.draw(generator(root_seed, "instance", name, seed), **arguments) for seed in seeds]
