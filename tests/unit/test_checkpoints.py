"""The rounds at which regret is recorded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.base.checkpoints import evenly_spaced, log_spaced


def test_by_hand():
    """10^(k/2): 1, 3.16, 10, 31.6, 100."""
    assert log_spaced(150, 2).tolist() == [1, 3, 10, 32, 100, 150]
    assert log_spaced(100, 1, marks=[37]).tolist() == [1, 10, 37, 100]
    assert log_spaced(1, 5).tolist() == [1]


def test_none_a_decade_leaves_the_marks_and_the_horizon():
    assert log_spaced(150, 0).tolist() == [150]
    assert log_spaced(150, 0, marks=[37, 150]).tolist() == [37, 150]


@given(st.integers(1, 10**12), st.integers(1, 60), st.lists(st.integers(0, 10**6), max_size=4))
def test_increasing_with_powers_of_ten_marks_and_the_horizon(horizon, per_decade, offsets):
    marks = [1 + offset % horizon for offset in offsets]
    rounds = log_spaced(horizon, per_decade, marks)
    assert rounds.dtype == np.int64
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    assert (np.diff(rounds) > 0).all()
    assert {10**k for k in range(13) if 10**k <= horizon} | set(marks) <= set(rounds.tolist())
    assert len(rounds) <= per_decade * len(str(horizon)) + 1 + len(marks)


def test_spacing_is_even_in_the_logarithm():
    rounds = log_spaced(10**9, 40)
    assert len(rounds[rounds >= 10**3]) == 6 * 40 + 1
    np.testing.assert_allclose(np.diff(np.log10(rounds[rounds >= 10**6])), 1 / 40, atol=1e-6)


def test_marks_that_are_there_already_change_nothing():
    assert log_spaced(1000, 3, marks=[1, 10, 1000]).tolist() == log_spaced(1000, 3).tolist()


@pytest.mark.parametrize("mark", [0, -5, 101])
def test_marks_outside_are_refused(mark):
    with pytest.raises(ValueError, match=r"outside \[1, 100\]"):
        log_spaced(100, 1, marks=[mark])


def test_even_rounds_by_hand():
    assert evenly_spaced(1000, 4) == [250, 500, 750, 1000]
    assert evenly_spaced(10, 4) == [2, 5, 8, 10]
    assert evenly_spaced(3, 100) == [1, 2, 3]
    assert evenly_spaced(1000, 0) == []


@given(st.integers(1, 10**12), st.integers(1, 1000))
def test_even_rounds_are_rounds_and_end_at_the_horizon(horizon, count):
    rounds = evenly_spaced(horizon, count)
    assert rounds[0] >= 1
    assert rounds[-1] == horizon
    assert len(rounds) == min(count, horizon)
    assert np.ptp(np.diff([0, *rounds])) <= 1 + horizon / count * 1e-9
