"""The ledger of pulls against a count round by round, for blocks of any length across checkpoints anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.algorithms.shared.play import OUTPUTS, decided, open_play, pull, pull_in_turn, released

MEANS = np.array([0.3, 0.9, 0.55, 0.9, 0.1])  # two best arms; gaps whose sums round
ARMS = range(len(MEANS))
BEST = (1, 3)

blocks = st.tuples(st.just("block"), st.sampled_from(ARMS), st.integers(0, 40))
turns = st.tuples(st.just("turns"), st.permutations(ARMS), st.integers(1, len(MEANS)), st.integers(0, 9))
numbers = st.tuples(st.just("released"), st.integers(0, 3))
decisions = st.tuples(st.just("decided"))
moves = st.lists(st.one_of(blocks, turns, numbers, decisions), max_size=15)
rounds_to_record = st.lists(st.integers(1, 150), min_size=1, max_size=25, unique=True).map(sorted)


def played(checkpoints, what):
    """The ledger after these moves and, to fill it, arm 0 up to the horizon; the last round after every move."""
    play, now, reached = open_play(MEANS, np.array(checkpoints)), 0, []
    for kind, *details in what:
        if kind == "block":
            now = pull(play, details[0], details[1], now)
        elif kind == "turns":
            order, width, each = details
            now = pull_in_turn(play, np.array(order[:width]), each, now)
        elif kind == "released":
            released(play, details[0])
        else:
            decided(play)
        reached.append(now)
    assert pull(play, 0, checkpoints[-1], now) == checkpoints[-1]
    return play, reached


def counted(checkpoints, what):
    """The same, arm by arm: the trace, the pulls, and the last round after every move."""
    horizon, pulls, now, released_now, decided_now = checkpoints[-1], [0] * len(MEANS), 0, 0, 0
    trace, reached = [], []
    for kind, *details in [*what, ("block", 0, horizon)]:
        arms = []
        if kind == "block":
            arms = [details[0]] * details[1]
        elif kind == "turns":
            arms = details[0][: details[1]] * details[2]
        elif kind == "released":
            released_now += details[0]
        else:
            decided_now += 1
        for arm in arms:
            if now == horizon:
                break
            now += 1
            pulls[arm] += 1
            if now in checkpoints:
                regret = sum(pulls[a] * (MEANS.max() - MEANS[a]) for a in ARMS)
                trace.append((regret, sum(pulls[a] for a in BEST), released_now, decided_now))
        reached.append(now)
    return trace, pulls, reached[:-1]


@given(rounds_to_record, moves)
def test_blocks_and_turns_are_what_a_count_round_by_round_finds(checkpoints, what):
    play, reached = played(checkpoints, what)
    trace, pulls, expected = counted(checkpoints, what)
    assert reached == expected
    assert np.array_equal(play.trace, trace)  # to the bit
    assert play.pulls.tolist() == pulls
    assert play.pulls.sum() == checkpoints[-1]


@given(rounds_to_record, st.lists(st.integers(1, 40), min_size=150, max_size=150), st.sampled_from(ARMS))
def test_cutting_a_block_leaves_every_bit(checkpoints, lengths, arm):
    whole, parts = (open_play(MEANS, np.array(checkpoints)) for _ in range(2))
    pull(whole, arm, checkpoints[-1], 0)
    now = 0
    for length in lengths:
        now = pull(parts, arm, length, now)
    assert now == checkpoints[-1]
    assert np.array_equal(whole.trace, parts.trace)


def test_by_hand():
    """Arm 2 three times, arms 0, 1, 2 in turn for four rounds, arm 1 to the end; gaps 0.5, 0, 0.25."""
    play = open_play(np.array([0.25, 0.75, 0.5]), np.array([2, 3, 5, 7, 10]))
    assert OUTPUTS == ("regret", "best_pulls", "releases", "steps")
    decided(play)
    now = pull(play, 2, 3, 0)
    released(play, 2)
    now = pull_in_turn(play, np.array([0, 1, 2]), 1, now)
    now = pull_in_turn(play, np.array([0]), 1, now)
    decided(play)
    assert pull(play, 1, 99, now) == 10
    expected = [[0.5, 0, 0, 1], [0.75, 0, 0, 1], [1.25, 1, 2, 1], [2.0, 1, 2, 1], [2.0, 4, 2, 2]]
    assert play.trace.tolist() == expected
    assert play.pulls.tolist() == [2, 4, 4]


@pytest.mark.parametrize("width", [1, 2, 5])
def test_turns_are_cut_at_the_horizon(width):
    """Whole turns would overrun it: the first arms of the last turn have one pull more."""
    play = open_play(MEANS, np.array([4, 7]))
    assert pull_in_turn(play, np.arange(width), 10, 0) == 7
    assert play.pulls.tolist() == [len(range(a, 7, width)) if a < width else 0 for a in ARMS]
