"""State of a run with a few arms: pulls, regret at the checkpoints, and numbers of releases and decisions.

Pulls are integers, and regret is computed from them at the checkpoints, sum_a pulls_a gap_a. Skipping rounds therefore
gives the same bits as playing them one by one. A block of rounds on one arm, or on several arms in turn, is one call;
checkpoints inside the block are exact.
"""

from typing import NamedTuple

import numpy as np

from dpbandits.base.jit import kernel

OUTPUTS = ("regret", "best_pulls", "releases", "steps")
"""Regret, pulls of the best arm, noisy numbers released, and decisions made, each up to the checkpoint."""


class Play(NamedTuple):
    """The state of a run; arrays are changed in place.

    Attributes
    ----------
    gaps : (arms,) largest mean minus mean.
    pulls : (arms,) int64.
    checkpoints : (n,) int64, increasing; the last is the horizon.
    trace : (n, len(OUTPUTS)).
    counts : (3,) int64: checkpoints recorded, numbers released, decisions made.
    """

    gaps: np.ndarray
    pulls: np.ndarray
    checkpoints: np.ndarray
    trace: np.ndarray
    counts: np.ndarray


@kernel
def open_play(means: np.ndarray, checkpoints: np.ndarray) -> Play:
    """The state before the first round."""
    gaps = np.max(means) - means
    trace = np.empty((len(checkpoints), 4))
    return Play(gaps, np.zeros(len(means), np.int64), checkpoints, trace, np.zeros(3, np.int64))


@kernel
def record(play: Play) -> None:
    """Write the next checkpoint from the current pulls."""
    regret, best = 0.0, 0
    for a in range(len(play.pulls)):
        regret += play.pulls[a] * play.gaps[a]
        if play.gaps[a] == 0.0:
            best += play.pulls[a]
    k = play.counts[0]
    play.trace[k, 0] = regret
    play.trace[k, 1] = best
    play.trace[k, 2] = play.counts[1]
    play.trace[k, 3] = play.counts[2]
    play.counts[0] += 1


@kernel
def released(play: Play, numbers: int) -> None:
    """Count `numbers` more noisy numbers as released; call it before the rounds that follow."""
    play.counts[1] += numbers


@kernel
def decided(play: Play) -> None:
    """Count one more decision; call it before the rounds that it affects."""
    play.counts[2] += 1


@kernel
def decided_once(play: Play, arm: int) -> None:
    """Count a decision and play one round on its arm: with `due` and `record` a faster `decided` and `pull`.

    Checkpoints must be increasing, from 1 on.
    """
    play.counts[2] += 1
    play.pulls[arm] += 1


@kernel
def due(play: Play, now: int) -> bool:
    """Whether round `now`, the last one played, is the next checkpoint."""
    return play.checkpoints[play.counts[0]] == now


@kernel
def pull(play: Play, arm: int, rounds: int, now: int) -> int:
    """Play an arm for `rounds` rounds after round `now`, at most to the horizon; return the last round played."""
    end = min(now + rounds, play.checkpoints[-1])
    while play.counts[0] < len(play.checkpoints) and play.checkpoints[play.counts[0]] <= end:
        at = play.checkpoints[play.counts[0]]
        play.pulls[arm] += at - now
        now = at
        record(play)
    play.pulls[arm] += end - now
    return end


@kernel
def pull_in_turn(play: Play, arms: np.ndarray, each: int, now: int) -> int:
    """Play the arms in turn, `each` times, at most to the horizon; return the last round played."""
    width = len(arms)
    start, end = now, min(now + each * width, play.checkpoints[-1])
    while now < end:
        reached = end
        if play.counts[0] < len(play.checkpoints):
            reached = min(end, play.checkpoints[play.counts[0]])
        for k in range(width):  # turns of arm k in the first x rounds: (x + width - 1 - k) // width
            play.pulls[arms[k]] += (reached - start + width - 1 - k) // width - (now - start + width - 1 - k) // width
        now = reached
        if play.counts[0] < len(play.checkpoints) and play.checkpoints[play.counts[0]] == now:
            record(play)
    return end
