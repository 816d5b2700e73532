"""Rewards and outcomes, and sums of them: numbers that get Laplace noise, delta 0.

The largest loss of a pair is then the sum of |difference| / scale over all numbers that are released.
"""

import functools
from collections.abc import Callable

import numpy as np

from .search import Array, Domain, largest, one_of, unit


def farthest_in_sum(domain: Domain) -> float:
    """The largest sum of absolute differences that was found between what two neighbors release."""
    return _absolute(domain)


@functools.cache
def _absolute(domain: Domain) -> float:
    def objective(points: Array) -> Array:
        first, second = domain.pair(points)
        return np.abs(first - second).sum(axis=0)

    return largest(objective, domain.parameters)[0]


def replaced(numbers: int, released: Callable[[Array, Array], Array], shared: int = 0) -> Domain:
    """So many numbers are replaced by any others; `released` is a function of them and of numbers that stay."""
    return Domain(
        2 * numbers + shared,
        lambda p: (released(p[:numbers], p[2 * numbers :]), released(p[numbers : 2 * numbers], p[2 * numbers :])),
    )


def nodes_of(leaf: Array, horizon: int) -> Array:
    """How many nodes hold a leaf (n,), leaves counted from 1: dyadic intervals that end at or before `horizon`."""
    found, size = np.zeros(len(leaf)), 1
    while size <= horizon:
        found += np.ceil(leaf / size) * size <= horizon
        size *= 2
    return found


def leaf_of(number: Array, horizon: int) -> Array:
    """Numbers (n,) in [-1, 1] as leaves 1, .., horizon."""
    return 1.0 + one_of(number, horizon)


@functools.cache
def signed_rewards(others: int = 3) -> Domain:
    """The sum of a reward in [-1, 1] and of those of other rounds, which stay."""
    return replaced(1, lambda user, rest: user + rest.sum(axis=0), others)


@functools.cache
def signed_report() -> Domain:
    """A reward in [-1, 1]."""
    return replaced(1, lambda user, rest: user)


@functools.cache
def vector_sums(arms: int, all_seen: bool) -> Domain:
    """The sums over two rounds of vectors in [0, 1]^arms, one of them replaced; of all arms, or of the one pulled."""

    def released(vector: Array, rest: Array) -> Array:
        sums = unit(vector) + unit(rest[:arms])
        return sums if all_seen else np.take_along_axis(sums, one_of(rest[-1], arms)[None], axis=0)

    return replaced(arms, released, arms + 1)


@functools.cache
def outcomes(arms: int, seen: int) -> Domain:
    """Outcomes in [0, 1] of a super arm of `arms` arms: all of them, or that of one of them."""

    def released(vector: Array, rest: Array) -> Array:
        values = unit(vector)
        return values if seen == arms else np.take_along_axis(values, one_of(rest[0], arms)[None], axis=0)

    return replaced(arms, released, 1)


@functools.cache
def outcome_sum(arms: int) -> Domain:
    """The sum of the outcomes in [0, 1] of a super arm."""
    return replaced(arms, lambda vector, rest: unit(vector).sum(axis=0, keepdims=True))


@functools.cache
def trees(count: int, horizon: int, over_rounds: bool) -> Domain:
    """`count` trees with a leaf replaced in each, leaves in [0, 1]: each leaf times the nodes that hold it.

    Over rounds, all leaves are of the round that changes, which is free; else every tree has its own number of leaves.
    """

    def released(leaves: Array, rest: Array) -> Array:
        places = [leaf_of(rest[0 if over_rounds else k], horizon) for k in range(count)]
        return unit(leaves) * np.array([nodes_of(place, horizon) for place in places])

    return replaced(count, released, count)


@functools.cache
def shared_trees(arms: int, horizon: int) -> Domain:
    """A tree of the outcome of one arm, and a tree of the mean outcome of all others; outcomes in [0, 1]."""

    def released(values: Array, rest: Array) -> Array:
        own, mean = unit(values[0]), unit(values[1:]).mean(axis=0)
        held = [nodes_of(leaf_of(each, horizon), horizon) for each in rest]
        return np.array([own * held[0], mean * held[1]])

    return replaced(arms, released, 2)
