"""The framework of Chowdhury and Zhou (Algorithm 1 of arXiv 2202.05567), transcribed round by round in plain Python.

Deliberately slow: one reward and one message per user, and NumPy's linear algebra. The black boxes are functions that
every algorithm writes out as the paper lists them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.contextual_literal import first_best

Array = np.ndarray


def framework(
    rng: Generator,
    features: Array,
    theta: Array,
    batch: int,
    ridge: float,
    radius: Any,
    checkpoints: Array,
    randomize: Callable[[Array, float], Any],
    analyze: Callable[[list[Any]], tuple[Array, Array]],
) -> Array:
    """One run.

    Parameters
    ----------
    features : (K, d); theta : (d,); radius : `rule.Radius`.
    randomize : feature (d,) and reward of a user -> what the user sends.
    analyze : messages of a batch -> what is added to u (d,) and V (d, d); includes the shuffler.

    Returns
    -------
    regret : (len(checkpoints),)
    """
    d = features.shape[1]
    means = features @ theta
    gram, target, estimate = ridge * np.eye(d), np.zeros(d), np.zeros(d)
    messages: list[Any] = []
    regret = [0.0]
    closed = 0
    for t in range(1, int(checkpoints[-1]) + 1):
        growth = radius.confidence + d * math.log(radius.start + closed / (d * radius.floor))
        beta = radius.constant + (radius.scale * math.sqrt(growth) if radius.scale else 0.0)
        squared = np.einsum("ai,ij,aj->a", features, np.linalg.inv(gram), features)
        with np.errstate(invalid="ignore"):
            index = features @ estimate + beta * np.sqrt(squared)
        arm = first_best(index)  # the first NaN if there is one
        reward = float(rng.random() < means[arm])
        messages.append(randomize(features[arm], reward))
        regret.append(regret[-1] + means.max() - means[arm])
        if t % batch == 0:
            vector, matrix = analyze(messages)
            target, gram = target + vector, gram + matrix
            estimate = np.linalg.solve(gram, target)
            messages, closed = [], t
    return np.array(regret)[checkpoints]


def summed(messages: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The plain analyzer: the sum of the vectors, and of the matrices."""
    return np.sum([vector for vector, _ in messages], axis=0), np.sum([matrix for _, matrix in messages], axis=0)


def symmetric_noise(rng: Generator, d: int, diagonal_sd: float, beside_sd: float) -> Array:
    """A symmetric matrix (d, d) of Gaussians, drawn above the diagonal and copied below."""
    noise = np.triu(rng.normal(0.0, 1.0, (d, d)) * beside_sd, 1)
    return noise + noise.T + np.diag(rng.normal(0.0, 1.0, d) * diagonal_sd)
