"""A replication pipeline for differentially private bandits; `dpbandits.api` has the functions for Python.

>>> import dpbandits as dpb
>>> dpb.play.__module__
'dpbandits.api.playing'
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """A public name of `dpbandits.api`, which is imported when one is first asked for."""
    public = import_module(f"{__name__}.api")
    if name not in public.PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(public, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module(f"{__name__}.api").PLACES})
