"""The constants that an algorithm really runs with, certified noise included."""

import functools
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from dpbandits.privacy.accounting import least_noise

_least_noise = functools.cache(least_noise)


def constants_of(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Any:
    """`Params` of an algorithm at one setting, as the stages calibrate and simulate give them.

    Raises
    ------
    KeyError
        The setting lacks a constant of the algorithm.
    """
    module = import_module(f"dpbandits.algorithms.{algorithm}")
    certified = calibration == "certified" and hasattr(module, "requests")
    noise = {name: _least_noise(request) for name, request in module.requests(setting).items()} if certified else {}
    return module.params(calibration, setting, noise)
