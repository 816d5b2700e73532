"""All algorithms, found in the packages of this folder."""

from collections.abc import Mapping

from dpbandits.algorithms.base import Algorithm
from dpbandits.base.registry import ALGORITHMS, Entries

TABLE: Mapping[str, Algorithm] = Entries(ALGORITHMS)
