"""What the table of mechanisms says of one of them, and samplers that private and broken ones share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Draw = Callable[[np.random.Generator, Any, int], np.ndarray]


@dataclass(frozen=True)
class Own:
    """A sampler, two neighboring inputs, and a claim that holds or not.

    `tight`: the claim is exactly what these inputs show. `hidden`: it is broken, but audits of this size may miss it.
    """

    what: str
    draw: Draw
    first: Any
    second: Any
    eps: float = 1.0
    delta: float = 0.0
    trials: int = 100_000
    tight: bool = False
    hidden: bool = False


def odds(eps):
    """The probability that has odds e^eps."""
    return 1.0 / (1.0 + math.exp(-eps))


def laplace(scale):
    """Each number of the data + Lap(scale)."""
    return lambda rng, data, n: np.asarray(data) + rng.laplace(scale=scale, size=(n, *np.shape(data)))


def gaussian(sd):
    return lambda rng, data, n: np.asarray(data) + rng.normal(scale=sd, size=(n, *np.shape(data)))


def geometric(eps):
    """A count + two-sided geometric noise."""

    def draw(rng, data, n):
        noise = rng.geometric(1.0 - math.exp(-eps), size=(2, n))
        return data + noise[0] - noise[1]

    return draw


def response(eps, delta=0.0):
    """A bit that is right with odds e^eps; with probability delta the bit in clear."""

    def draw(rng, data, n):
        bit = (rng.random(n) >= odds(eps)) ^ bool(data)
        return np.where(rng.random(n) < delta, 2 + data, bit)

    return draw


def k_response(k, keep):
    """One of k values: the true one with probability `keep`, else any other."""

    def draw(rng, data, n):
        other = (data + rng.integers(1, k, size=n)) % k
        return np.where(rng.random(n) < keep, data, other)

    return draw


def unary(k, kept, flipped):
    """(n, k) bits: that of the value is 1 with probability `kept`, the others with probability `flipped`."""

    def draw(rng, data, n):
        return rng.random((n, k)) < np.where(np.arange(k) == data, kept, flipped)

    return draw


def exponential(eps):
    """An index, with probability proportional to e^(eps score / 2)."""

    def draw(rng, data, n):
        weights = np.exp(0.5 * eps * np.asarray(data, dtype=float))
        return rng.choice(len(data), size=n, p=weights / weights.sum())

    return draw


def noisy_max(scale):
    """The index of the largest score after Lap(scale)."""
    return lambda rng, data, n: np.argmax(laplace(scale)(rng, data, n), axis=1)


def tree(scale):
    """(n, 4) prefix sums of four numbers, from the noised nodes of a binary tree."""

    def draw(rng, data, n):
        one, two, four = (laplace(scale)(rng, np.reshape(data, (-1, width)).sum(axis=1), n) for width in (1, 2, 4))
        return np.column_stack([one[:, 0], two[:, 0], two[:, 0] + one[:, 2], four[:, 0]])

    return draw


def shuffled(users, eps):
    """How many of the users say 1 in randomized response; all others have a 0."""

    def draw(rng, data, n):
        return rng.binomial(users - 1, 1 - odds(eps), size=n) + (rng.random(n) < odds(eps if data else -eps))

    return draw


def rarely(draw, probability, instead):
    """In a run of `draw`, with this probability, what `instead(views, data, rng)` makes of it."""

    def mixed(rng, data, n):
        views = np.asarray(draw(rng, data, n), dtype=float)
        rare = rng.random(n) < probability
        views[rare] = instead(views[rare], data, rng)
        return views

    return mixed
