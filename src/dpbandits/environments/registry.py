"""All environments, found in the packages of this folder."""

from collections.abc import Mapping

from dpbandits.base.registry import ENVIRONMENTS, Entries
from dpbandits.environments.base import Family

TABLE: Mapping[str, Family] = Entries(ENVIRONMENTS)
