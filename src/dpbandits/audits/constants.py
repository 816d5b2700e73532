"""The constants that an algorithm runs with, including certified noise, and the functions that add its noise."""

import functools
from collections.abc import Mapping
from typing import Any

from dpbandits.base.registry import ALGORITHMS
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import Noise

_least_noise = functools.cache(least_noise)


def constants_of(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Any:
    """`Params` of an algorithm at one setting, as in the stages calibrate and simulate.

    Noise that is found by a search is not rounded up here.

    Raises
    ------
    KeyError
        The setting lacks a constant of the algorithm.
    """
    module = ALGORITHMS.module(algorithm)
    certified = calibration == "certified" and hasattr(module, "requests")
    noise = {name: _least_noise(request) for name, request in module.requests(setting).items()} if certified else {}
    return module.params(calibration, setting, noise)


class NoiseMissing(LookupError):
    """An algorithm does not name the function that adds its noise; the message gives the remedy."""


def noise_of(algorithm: str, *kinds: str) -> Noise:
    """Return the function that adds an algorithm's noise: the first in its entry with one of these kinds.

    Raises
    ------
    NoiseMissing
        The entry names no such function.
    """
    named = ALGORITHMS.module(algorithm).ALGORITHM.noise
    found: Noise | None = next((noise for noise in named if noise.kind in kinds), None)
    if found is None:
        text = f"algorithms/{algorithm}.py: `noise` of the entry has no function of kind `{' or '.join(kinds)}`"
        raise NoiseMissing(f"{text}; its audit draws from it. Add the function with which `run` adds noise.")
    return found
