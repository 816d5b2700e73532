"""What a kernel calls to add its noise, and how much of it, beside what its audits call."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.audits.constants import constants_of
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.base import SETS
from dpbandits.planning.cells import Cell
from dpbandits.privacy.mechanisms import Noise
from dpbandits.stages.audit import release_of
from dpbandits.stages.simulate import arguments_of

from .runs import instance, plain_python

Amounts = set[tuple[str, float]]
"""Kind of noise and its amount, to nine digits, of every call."""
Change = Callable[[Noise], Callable[..., Any]]
"""Takes a noise and returns the plain Python function that replaces its `add`."""


def plain(noise: Noise) -> Callable[..., Any]:
    """Return the plain Python function that adds a noise."""
    function: Callable[..., Any] = getattr(noise.add, "py_func", noise.add)
    return function


def listened(noise: Noise, add: Callable[..., Any], heard: Amounts) -> Callable[..., Any]:
    """Return `add`, which notes the amount of noise of every call."""
    place = list(signature(plain(noise)).parameters).index(noise.amount)

    @wraps(add)
    def listening(*arguments: Any) -> Any:
        if arguments[place] > 0.0:
            heard.add((noise.kind, digits(arguments[place])))
        return add(*arguments)

    return listening


def digits(amount: float) -> float:
    """Return an amount of noise to nine digits."""
    return float(f"{amount:.9g}")


def noises_of(algorithm: str) -> tuple[Noise, ...]:
    """Return the noise that an algorithm's entry declares."""
    return TABLE[algorithm].noise


@dataclass(frozen=True)
class Played:
    """An instance, and the setting in which an algorithm plays it, which its audits take over."""

    instance: tuple[Any, ...]
    setting: Mapping[str, float]
    horizon: int


def played(name: str, k: int, more: Mapping[str, float]) -> Played:
    """Return the instance and setting of example `k`; `more` are constants that audits read besides."""
    example, drawn = TABLE[name].examples[k], instance(name, k)
    numbers = {key: value for key, value in example.environment.items() if not isinstance(value, str)}
    given = {**more, **numbers, **example.setting, "T": float(example.horizon)}
    if TABLE[name].plays(SETS):
        given["size"] = float(drawn[0].size)
    return Played(drawn, given, example.horizon)


def of_kernel(algorithm: str, calibration: str, given: Played, change: Change = plain) -> Amounts:
    """Play one run in plain Python; return the amounts of noise with which the kernel calls the functions of its entry.

    With `change` the kernel calls other functions, which may call those.
    """
    heard: Amounts = set()
    module = ALGORITHMS.module(algorithm)
    constants = arguments_of(constants_of(algorithm, calibration, given.setting))
    with plain_python() as patch:
        for noise in noises_of(algorithm):
            spy = listened(noise, plain(noise), heard)
            put(patch, plain(noise), spy if change is plain else change(replace(noise, add=spy)))
        module.run(np.random.default_rng(2), *given.instance, *constants, log_spaced(given.horizon, 1))
    return heard


def put(patch: pytest.MonkeyPatch, old: Any, new: Any) -> None:
    """Put a function in the place of another one in all modules of the package."""
    for module in [found for name, found in sys.modules.items() if name.startswith("dpbandits.")]:
        for name, value in list(vars(module).items()):
            if value is old:
                patch.setattr(module, name, new)


def of_audits(cells: Sequence[Cell], given: Played) -> Amounts:
    """Draw from the releases of some audits in plain Python, at the setting of a run; return the amounts of noise.

    Also the amounts that a release accounts for and does not draw.
    """
    heard: Amounts = set()
    for cell in cells:
        release: Any = release_of(replace(cell, setting={**cell.setting, **given.setting}))
        heard |= {(release.added.kind, digits(scale)) for scale in getattr(release, "besides", ())}
        with plain_python():
            spy = listened(release.added, plain(release.added), heard)
            replace(release, added=replace(release.added, add=spy)).draw(np.random.default_rng(3), 1, 1)
    return heard


def half_alone(noise: Noise) -> Callable[..., Any]:
    """Return a function for a kernel alone that adds half of the noise."""
    place = list(signature(noise.add).parameters).index(noise.amount)
    return lambda *arguments: noise.add(
        *(noise.halved(each) if k == place else each for k, each in enumerate(arguments))
    )
