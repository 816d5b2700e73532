"""The trace of a LinUCB run: arms played, rewards and checkpoints.

The actions are the same in every round, so a batch plays one arm, and the sum of its rewards is one exact binomial
draw. A batch cut by the horizon plays the remaining rounds.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.linear.bernoulli_linear import probabilities

Array = np.ndarray

OUTPUTS = ("regret", "realized", "updates", "indefinite", "negative", "growing")
"""Columns of the trace, up to the checkpoint.

- `regret`: pseudo-regret.
- `realized`: regret of the rewards drawn.
- `updates`: number of batches released.
- `indefinite`: how many of these left a V that is not positive definite.
- `negative`: number of batches that played an arm for its negative width.
- `growing`: share of releases that made V larger in every direction.
"""
REALIZED, UPDATES, INDEFINITE, NEGATIVE, GROWING = range(1, len(OUTPUTS))


class Play(NamedTuple):
    """The state of a run; arrays are changed in place.

    Attributes
    ----------
    means : (arms,) mean rewards. top : the largest.
    plays : (arms,) int64, number of plays of every arm.
    counts : (len(OUTPUTS),) running totals of the outputs; the regret is computed from `plays`.
    checkpoints : (n,) int64, increasing; the last is the horizon.
    trace : (n, len(OUTPUTS)).
    row : (1,) int64, the next row of the trace.
    """

    means: Array
    top: float
    plays: Array
    counts: Array
    checkpoints: Array
    trace: Array
    row: Array


@kernel
def open_play(features: Array, theta: Array, checkpoints: Array) -> Play:
    """The state before the first round."""
    means = probabilities(features, theta)
    plays, counts = np.zeros(len(means), np.int64), np.zeros(len(OUTPUTS))
    trace = np.empty((len(checkpoints), len(OUTPUTS)))
    return Play(means, np.max(means), plays, counts, checkpoints, trace, np.zeros(1, np.int64))


@round_step
def play_batch(rng: Generator, play: Play, arm: int, negative: bool, t: int, batch: int) -> int:
    """Play an arm in rounds t + 1, ..., t + batch, at most to the horizon; return the number of rewards equal to 1.

    `negative` says whether the arm is played for its negative squared width.
    """
    checkpoints, counts, row = play.checkpoints, play.counts, play.row[0]
    end, ones = min(t + batch, checkpoints[-1]), 0
    counts[NEGATIVE] += negative
    while t < end:
        stop = min(end, checkpoints[row])
        won, best = rewards(rng, stop - t, play.means[arm], play.top)
        ones += won
        counts[REALIZED] += best - won
        play.plays[arm] += stop - t
        t = stop
        if t == checkpoints[row]:
            record(play.trace, row, counts, play.plays, play.means)
            row += 1
    play.row[0] = row
    return ones


@round_step
def rewards(rng: Generator, count: int, mean: float, top: float) -> tuple[int, int]:
    """Numbers of rewards equal to 1 among `count` rewards of the arm and of the best arm; equal for the best arm."""
    if count == 1:
        ones = 1 if rng.random() < mean else 0
        return ones, (1 if rng.random() < top else 0) if mean < top else ones
    ones = rng.binomial(count, mean)
    return ones, rng.binomial(count, top) if mean < top else ones


@kernel
def record(trace: Array, row: int, counts: Array, plays: Array, means: Array) -> None:
    """Write one checkpoint; the pseudo-regret comes from the integer pull counts."""
    regret, top = 0.0, np.max(means)
    for a in range(len(means)):
        regret += plays[a] * (top - means[a])
    trace[row] = counts
    trace[row, 0] = regret
    trace[row, GROWING] /= max(1.0, counts[UPDATES])


@round_step
def released(play: Play, definite: bool, growing: bool) -> None:
    """Count a released batch, and whether V is positive definite and larger than before in every direction."""
    play.counts[UPDATES] += 1.0
    play.counts[INDEFINITE] += not definite
    play.counts[GROWING] += growing
