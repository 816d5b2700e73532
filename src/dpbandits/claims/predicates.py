"""Predicates: a test of the YAML and samples in, statistics with the range that the claim allows out.

A predicate decides nothing. It names the comparisons that a claim consists of; `verdicts` puts one simultaneous
interval around all comparisons of a claim and reads the verdict from it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dpbandits.statistics import Statistic, difference, mean, ratio

Sample = Callable[[str, Mapping[str, float]], np.ndarray]
"""(algorithm, grid setting) -> final regret by seed, (seeds,), the same seeds in the same order for all."""


@dataclass(frozen=True)
class Comparison:
    """One statistic and the closed range in which the claim wants it."""

    reading: str
    label: str
    statistic: Statistic
    low: float
    high: float


def settings(test: Mapping[str, Any]) -> list[dict[str, float]]:
    """The grid settings of a test, in its order."""
    return [{name: float(value)} for name, values in test["at"].items() for value in values]


def place(setting: Mapping[str, float]) -> str:
    """`eps = 0.1`."""
    return ", ".join(f"{name} = {value:g}" for name, value in setting.items())


def bounds(test: Mapping[str, Any]) -> tuple[float, float]:
    """The allowed range, open sides infinite."""
    low, high = test["bounds"]
    return (-math.inf if low is None else float(low), math.inf if high is None else float(high))


def ratio_between(test: Mapping[str, Any], sample: Sample) -> list[Comparison]:
    """Mean regret of each curve over that of `against` lies within `bounds` at every setting."""
    return [
        Comparison(
            test["reading"],
            f"{curve} / {test['against']} at {place(setting)}",
            ratio(sample(curve, setting), sample(test["against"], setting)),
            *bounds(test),
        )
        for curve in test["curves"]
        for setting in settings(test)
    ]


def excess_ratio_between(test: Mapping[str, Any], sample: Sample) -> list[Comparison]:
    """Mean excess of each curve over `baseline`, relative to that of `against`, lies within `bounds`.

    That the excess of `against` is positive is compared too: over a negative one, a worse curve has a smaller ratio.
    """

    def excess(curve: str, setting: Mapping[str, float]) -> np.ndarray:
        return sample(curve, setting) - sample(test["baseline"], setting)

    against = test["against"]
    premises = [
        Comparison(
            test["reading"], f"excess of {against} at {place(setting)}", mean(excess(against, setting)), 0.0, math.inf
        )
        for setting in settings(test)
    ]
    return premises + [
        Comparison(
            test["reading"],
            f"excess of {curve} / excess of {against} at {place(setting)}",
            ratio(excess(curve, setting), excess(against, setting)),
            *bounds(test),
        )
        for curve in test["curves"]
        for setting in settings(test)
    ]


def ordered(test: Mapping[str, Any], sample: Sample) -> list[Comparison]:
    """Mean regret increases from each curve of the list to the next at every setting."""
    return [
        Comparison(
            test["reading"],
            f"{lower} - {upper} at {place(setting)}",
            difference(sample(lower, setting), sample(upper, setting)),
            -math.inf,
            0.0,
        )
        for lower, upper in pairwise(test["curves"])
        for setting in settings(test)
    ]


def decreasing(test: Mapping[str, Any], sample: Sample) -> list[Comparison]:
    """From each setting to the next the mean regret changes by a factor within `bounds`, and in all it decreases.

    A bound of 1.05 allows a plateau; the comparison of the last setting with the first keeps a curve that is nothing
    but a plateau, or that creeps up, from passing.
    """
    steps = settings(test)
    pairs = [(before, after, "", *bounds(test)) for before, after in pairwise(steps)]
    return [
        Comparison(
            test["reading"],
            f"{curve}: {place(after)} over {place(before)}{remark}",
            ratio(sample(curve, after), sample(curve, before)),
            low,
            high,
        )
        for curve in test["curves"]
        for before, after, remark, low, high in [*pairs, (steps[0], steps[-1], ", in all", -math.inf, 1.0)]
    ]


PREDICATES: Mapping[str, Callable[[Mapping[str, Any], Sample], list[Comparison]]] = {
    "ratio_between": ratio_between,
    "excess_ratio_between": excess_ratio_between,
    "ordered": ordered,
    "decreasing": decreasing,
}
