"""Runs of the examples in the table of algorithms, and the comparison of kernels with their transcriptions."""

import functools
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpbandits import algorithms, audits, environments
from dpbandits.algorithms.base import Example
from dpbandits.algorithms.phased_elimination import batches_literal
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS
from dpbandits.config.curves import Curve
from dpbandits.stages.simulate import arguments_of

FALSE_ALARMS = 1e-3
"""Probability, over all algorithms together, that a comparison fails although every kernel is right."""
LITERAL, KERNEL = 400, 1600
"""Runs of an example: of the transcription and of the kernel."""
CHECKPOINTS, STATISTICS = 2, 2  # early and at the end; Kolmogorov-Smirnov and rank sum
COMPARED = [(name, k) for name, entry in TABLE.items() if entry.agrees != "stream" for k in range(len(entry.examples))]
THRESHOLD = FALSE_ALARMS / (CHECKPOINTS * STATISTICS * len(COMPARED))
"""Smallest p-value that passes: Bonferroni's correction for all tests of all examples in the table."""


def module(name: str) -> ModuleType:
    return ALGORITHMS.module(name)


def curve(name: str, example: Example) -> Curve:
    """The example as the curve of an experiment, with one point."""
    grid = {key: value for key, value in example.setting.items() if key in TABLE[name].grid}
    parameters = {key: value for key, value in example.setting.items() if key not in grid}
    return Curve(
        *("paper", "experiment", name, example.calibration, ""),
        environment=example.environment,
        horizon=example.horizon,
        checkpoints_per_decade=3,
        parameters=parameters,
        points=(grid,),
        replicates=1,
        seeds=6,
        chunk=2,
        milliseconds=1.0,
        noise_asks=TABLE[name].noise_asks,
    )


def setting(name: str, example: Example) -> dict[str, float]:
    """What `params` is told: constants, numbers of the environment and the horizon."""
    (found,) = curve(name, example).settings()
    return dict(found)


@functools.cache
def instance(name: str, k: int) -> tuple[Any, ...]:
    environment = dict(TABLE[name].examples[k].environment)
    family = ENVIRONMENTS.module(environment.pop("family"))
    drawn: tuple[Any, ...] = family.draw(np.random.default_rng(0), **environment)
    return drawn


def constants(name: str, example: Example) -> tuple[Any, ...]:
    return arguments_of(module(name).params(example.calibration, setting(name, example), example.noise))


def play(name: str, k: int, run: Any, rng: Any, rounds: Any) -> np.ndarray:
    """What `run` returns on example `k`: (checkpoints, outputs), or the regret alone, (checkpoints,)."""
    found: np.ndarray = run(rng, *instance(name, k), *constants(name, TABLE[name].examples[k]), np.array(rounds))
    return found


def trace(name: str, k: int, seed: Any, rounds: Any) -> np.ndarray:
    """(checkpoints, outputs) of the kernel."""
    return play(name, k, module(name).run, np.random.default_rng(seed), rounds)


def checkpoints(name: str, k: int) -> list[int]:
    """An early round and the last, at which distributions are compared."""
    horizon = TABLE[name].examples[k].horizon
    return [horizon // 3, horizon]


def regrets(found: list[np.ndarray]) -> np.ndarray:
    """(runs, checkpoints), rounded, since gaps are added in different orders."""
    return np.round([each if each.ndim == 1 else each[:, 0] for each in found], 6)


@functools.cache
def kernel_regrets(name: str, k: int) -> np.ndarray:
    """(KERNEL, CHECKPOINTS)"""
    return regrets([trace(name, k, [1, seed], checkpoints(name, k)) for seed in range(KERNEL)])


@functools.cache
def literal_regrets(name: str, k: int) -> np.ndarray:
    """(LITERAL, CHECKPOINTS)"""
    with plain_python() as patch:  # a call from Python to a small compiled function costs more than the function
        for design in ("design", "frank_wolfe"):  # slow, and without randomness
            patch.setattr(batches_literal, design, remembered(getattr(batches_literal, design)))
        rounds, run = checkpoints(name, k), module(name).run_literal
        return regrets([play(name, k, run, np.random.default_rng([2, seed]), rounds) for seed in range(LITERAL)])


def mutant_regrets(name: str, k: int, runs: int, mutated: Callable[[np.random.Generator], Any]) -> np.ndarray:
    """(runs, CHECKPOINTS) of the kernel as plain Python, whose generator is `mutated`."""
    with plain_python():
        rounds, run = checkpoints(name, k), module(name).run
        return regrets([play(name, k, run, mutated(np.random.default_rng([3, seed])), rounds) for seed in range(runs)])


def remembered(design: Any) -> Any:
    """The function of an array, evaluated once for each array."""
    known: dict[tuple[tuple[int, ...], bytes], np.ndarray] = {}

    def found(points: np.ndarray) -> np.ndarray:
        key = points.shape, points.tobytes()
        if key not in known:
            known[key] = design(points)
        return known[key].copy()

    return found


def p_values(one: np.ndarray, other: np.ndarray) -> list[float]:
    """Kolmogorov-Smirnov and rank-sum test at every checkpoint; 1 where the regret does not vary."""
    found = []
    for x, y in zip(one.T, other.T, strict=True):
        if np.ptp(np.concatenate([x, y])) == 0.0:
            found += [1.0] * STATISTICS
            continue
        found += [stats.ks_2samp(x, y, method="asymp").pvalue, stats.mannwhitneyu(x, y, method="asymptotic").pvalue]
    return [float(p) for p in found]


@contextmanager
def plain_python() -> Iterator[pytest.MonkeyPatch]:
    """Every kernel and helper of the package runs as plain Python."""
    for package in (algorithms, audits, environments):  # a module first imported in here would keep plain functions
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            import_module(found.name)
    with pytest.MonkeyPatch.context() as patch:
        for each in [found for key, found in sys.modules.items() if key.startswith("dpbandits.")]:
            for function in [key for key, value in vars(each).items() if hasattr(value, "py_func")]:
                patch.setattr(each, function, getattr(each, function).py_func)
        yield patch
