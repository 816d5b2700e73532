"""Versions of the software on which stored numbers depend, besides the sources of the package."""

import functools
import sys
from importlib import metadata

RUNS = ("numpy", "numba", "scipy", "pyarrow")
"""Distributions that compute and store runs."""
CALCULATIONS = ("numpy", "numba", "scipy", "dp-accounting")
"""Distributions that calculate noise, audits, and verdicts."""


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """Versions of Python, without its last number, and of some distributions, by name."""
    return {"python": ".".join(map(str, sys.version_info[:2])), **{name: _version(name) for name in names}}


@functools.cache
def _version(name: str) -> str:
    return metadata.version(name)
