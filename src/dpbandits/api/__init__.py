"""Python API with everything the command line does: play algorithms, load results, audit a mechanism.

Names are loaded on first use, so `import dpbandits.api` imports neither pandas nor numba.

>>> import dpbandits.api as dpb
>>> dpb.play.__module__
'dpbandits.api.playing'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbandits.api.figures import figure as figure
    from dpbandits.api.listing import list_algorithms as list_algorithms
    from dpbandits.api.listing import list_environments as list_environments
    from dpbandits.api.own_audit import audit as audit
    from dpbandits.api.playing import play as play
    from dpbandits.api.playing import sweep as sweep
    from dpbandits.api.results import Results as Results
    from dpbandits.api.results import load_results as load_results
    from dpbandits.config.plain_yaml import ConfigError as ConfigError

PLACES = {
    "play": "dpbandits.api.playing",
    "sweep": "dpbandits.api.playing",
    "load_results": "dpbandits.api.results",
    "Results": "dpbandits.api.results",
    "figure": "dpbandits.api.figures",
    "audit": "dpbandits.api.own_audit",
    "list_algorithms": "dpbandits.api.listing",
    "list_environments": "dpbandits.api.listing",
    "ConfigError": "dpbandits.config.plain_yaml",
}
"""Module of each public name."""
__all__ = sorted(PLACES)


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
