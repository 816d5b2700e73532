"""Zeros of falling functions to either side of a start."""

import gc
import math
import weakref

import pytest

from dpbandits.numerics.roots import falling_root


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("slope", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("distance", [1e-5, 0.5, 3e4])
def test_the_zero_is_found_whatever_slope_was_guessed(distance, slope, side):
    for start in (2.0, 0.0, -7.0):
        found = falling_root(lambda c, at=start: distance - side * (c - at), [start], side, slope)
        assert found == pytest.approx(start + side * distance, rel=1e-8)


def test_a_function_that_bends_has_its_zero_where_it_is_zero():
    """1 - x^2 / 9 from 0, and e^(-x) - 1/2 from -4."""
    assert falling_root(lambda x: 1.0 - x * x / 9.0, [0.0], 1.0, 1.0) == pytest.approx(3.0)
    assert falling_root(lambda x: math.exp(-x) - 0.5, [-4.0], 1.0, 1.0) == pytest.approx(math.log(2.0))


def test_a_function_that_stays_positive_has_its_zero_at_infinity():
    assert [falling_root(lambda x: 1.0, [2.0], side, 1.0) for side in (-1.0, 1.0)] == [-math.inf, math.inf]


def test_the_farthest_start_counts_at_which_the_function_is_positive():
    """Positive up to 5: of the starts 1 and 3 the second; where all are beyond 5, the farthest of these."""
    asked = []

    def function(x):
        asked.append(x)
        return 5.0 - x

    assert falling_root(function, [1.0, 3.0, 6.0], 1.0, 1.0) == pytest.approx(5.0)
    assert sorted(asked)[:2] == [1.0, 3.0]
    assert all(x in (1.0, 6.0) or 3.0 <= x < 5.2 for x in asked)
    assert falling_root(function, [6.0, 7.0], 1.0, 1.0) == 7.0


def test_what_the_function_uses_is_freed_without_garbage_collection():
    """Would catch: a reference cycle, which holds the samples of all claims judged so far in memory."""

    class Samples:
        root = 5.0

    samples = Samples()
    left = weakref.ref(samples)
    gc.disable()
    try:
        assert falling_root(lambda c, of=samples: of.root - c**3, [0.0], 1.0, 1.0) == pytest.approx(5.0 ** (1 / 3))
        del samples
        assert left() is None
    finally:
        gc.enable()
