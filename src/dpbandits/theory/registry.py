"""All bounds, found in this folder."""

from collections.abc import Mapping

from dpbandits.base.registry import BOUNDS, Entries
from dpbandits.theory.base import Bound

TABLE: Mapping[str, Bound] = Entries(BOUNDS)
