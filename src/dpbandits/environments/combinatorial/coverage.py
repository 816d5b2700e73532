"""Probabilistic maximum coverage on a random bipartite graph.

Each pair of a left and a right vertex is an edge with probability `density`. Each left vertex has at least one edge.
All vertices have the same distribution, so that tie-breaking favors none. The oracle is greedy; the best value is found
by exhaustive search.
"""

import math
from itertools import combinations

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.oracles.coverage import ALPHA, choose, value
from dpbandits.environments.combinatorial.problem import COVERAGE, COVERED, Problem, problem

FAMILY = Family(SETS, ("left", "right", "density", "picks"), refuses=True)

LOW, HIGH = 0.1, 0.5  # means of the edges; source: our choice
MOST_SUPER_ARMS = 20_000  # limit for the exhaustive search
MOST_EMPTY = 0.99  # largest probability that a left vertex has no edge and is redrawn


def draw(rng: Generator, left: int, right: int, density: float, picks: int) -> tuple[Problem]:
    """The problem of picking `picks` of `left` vertices; a left vertex without edges is redrawn.

    Left vertices are independent, so that redrawing only those without edges gives the conditional distribution.

    Raises
    ------
    ValueError
        There is only one set of picks or there are too many, or nearly all vertices would have no edge.
    """
    check(left, picks)
    if (1.0 - density) ** right > MOST_EMPTY:
        raise ValueError(f"nearly all left vertices have no edge to {right} right ones")
    joined = np.zeros((left, right), bool)
    for u in range(left):
        while not joined[u].any():
            joined[u] = rng.random(right) < density
    return (instance(rng, joined, picks),)


def check(left: int, picks: int) -> None:
    """Check that there is more than one set of picks, and that there are few enough for exhaustive search.

    Raises
    ------
    ValueError
        The check fails.
    """
    if not 1 <= picks < left:
        raise ValueError(f"{picks} of {left} vertices leave no choice")
    if math.comb(left, picks) > MOST_SUPER_ARMS:
        raise ValueError(f"{picks} of {left} vertices: more than {MOST_SUPER_ARMS} choices, too many to find the best")


def instance(rng: Generator, joined: np.ndarray, picks: int) -> Problem:
    """The problem for a graph `joined` (left, right), means uniform on [0.1, 0.5], edges numbered row by row."""
    left, right = joined.shape
    ends = np.argwhere(joined)
    means = rng.uniform(LOW, HIGH, len(ends))
    chosen = np.empty(len(ends), np.int64)
    found = chosen[: choose(means, ends, left, right, picks, 0, chosen)]
    arms = np.flatnonzero(np.isin(ends[:, 0], best_picks(joined, ends, means, picks)))
    best = value(means, ends, right, arms, len(arms))
    values = (ALPHA * best, best, value(means, ends, right, np.sort(found), len(found)))
    size = int(np.sort(joined.sum(axis=1))[-picks:].sum())
    shape = (left, right, picks)
    return problem(COVERAGE, COVERED, size, means, np.arange(len(ends)), values, ends=ends, shape=shape)


def best_picks(joined: np.ndarray, ends: np.ndarray, means: np.ndarray, picks: int) -> np.ndarray:
    """The best `picks` left vertices, by exhaustive search."""
    missed = np.ones(joined.shape)
    missed[ends[:, 0], ends[:, 1]] -= means
    every = np.array(list(combinations(range(len(joined)), picks)))
    left_out = np.ones((len(every), joined.shape[1]))
    for k in range(picks):
        left_out *= missed[every[:, k]]
    return every[np.argmin(left_out.sum(axis=1))]
