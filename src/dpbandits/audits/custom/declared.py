"""Loads what is audited: a sampler, or a user's class that declares a sampler and its neighboring inputs."""

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from dpbandits.audits.custom.views import Draw
from dpbandits.audits.custom.written import Pair, neighbors
from dpbandits.base.own_code import Fault, forget, installed, named

GROUP = "dpbandits.mechanisms"
"""Group of entry points for mechanisms of installed packages."""
RELEASE = "release(rng, data, n), a static method; it may also take eps and delta"


def mechanism(source: Any, setting: Mapping[str, Any]) -> tuple[Any, Draw]:
    """The object of a name, or the object itself, and its sampler.

    Parameters
    ----------
    setting : the arguments that `release` of a class may take, by name.

    Raises
    ------
    Fault
        It cannot be imported, or is a class without `release`.
    """
    found = source
    if isinstance(source, str):
        forget(source)  # the file may have changed
        others = installed(GROUP) if source.isidentifier() else {}
        found = named("draw", others[source].value if source in others else source)
    if not isinstance(found, type):
        return found, found
    release = getattr(found, "release", None)
    if not callable(release):
        raise Fault("draw", f"`{found.__name__}` declares no `release`. Add {RELEASE}.")
    optional = [name for name, each in inspect.signature(release).parameters.items() if each.default is not each.empty]
    given = {name: setting[name] for name in takes(release) if name in setting}
    if given.get("delta") == 0.0 and "delta" in optional:  # pure privacy: the class has its own default
        del given["delta"]
    return found, partial(release, **given)


def takes(release: Any) -> list[str]:
    """Arguments of `release` besides the generator, the data and the number of runs."""
    return [name for name in inspect.signature(release).parameters if name not in ("rng", "data", "n")]


def inputs(found: Any, given: tuple[str, ...]) -> Pair:
    """The neighboring inputs: the given ones, or those that a class declares.

    Raises
    ------
    Fault
        There are no inputs, or they are not a pair.
    """
    if given:
        return neighbors("first", given)
    if not isinstance(found, type):
        raise Fault("first", "required option is missing; a sampler needs it. Add two neighboring inputs.")
    pair = getattr(found, "neighbors", None)
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise Fault("first", f"`{found.__name__}` declares none. Add `neighbors`, a pair of inputs, to it or here.")
    return pair[0], pair[1]
