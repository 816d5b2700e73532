"""Rounds of a user in a binary tree of noisy sums, and rounds after which the noise of a sum stays as it is."""

import functools
import math
from itertools import pairwise

import numpy as np

from .search import Array, largest, unit


@functools.cache
def largest_squares(horizon: int, rounds: int) -> float:
    """The largest sum that was found, over all nodes, of the squared number of a user's rounds in a node.

    The user comes in `rounds` different rounds of 1, .., `horizon`, which are free; nodes are dyadic intervals that end
    at or before `horizon`. Only odd ones of a size are released, as any prefix is a sum of these. Her messages are the
    same in all her rounds, so that their differences add up in a node.
    """

    def squares(p: Array) -> Array:
        first = 1.0 + np.floor((horizon - rounds + 1.0) ** unit(p[0]) - 1.0)
        gaps = 1.0 + np.floor((horizon / rounds) ** unit(p[1:]) - 1.0)
        places = first + np.concatenate([np.zeros((1, p.shape[1])), np.cumsum(gaps, axis=0)])
        found, size = np.zeros(p.shape[1]), 1
        while size <= horizon:
            node = np.ceil(places / size)
            released = (node * size <= horizon) & (node % 2 == 1)
            together = (node[:, None] == node[None, :]) & released[None, :]
            found += together.sum(axis=(0, 1))
            size *= 2
        return np.where(places[-1] <= horizon, found, 0.0)

    return largest(squares, rounds, polish=False)[0]


def noise_stays(horizon: int) -> bool:
    """Whether two sums in a row have the same noise, the first floor(ln(1 + t)) + 1 of what was drawn, for some t."""
    columns = [math.floor(math.log(1 + t)) + 1 for t in range(1, horizon + 1)]
    return any(one == other for one, other in pairwise(columns))
