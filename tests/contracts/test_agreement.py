"""Every algorithm in the table: its kernel agrees with the transcription, and half of the noise would show.

Where both draw in the same order, they agree on the same stream, to rounding. Otherwise the regrets of many runs are
compared, at an early round and at the horizon. All these tests together reject with probability `FALSE_ALARMS` at most
where every kernel is right. The seeds are fixed.
"""

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.registry import TABLE

from .mutants import HalfTheNoise
from .runs import (
    CHECKPOINTS,
    STATISTICS,
    THRESHOLD,
    checkpoints,
    kernel_regrets,
    literal_regrets,
    module,
    mutant_regrets,
    p_values,
    plain_python,
    play,
    trace,
)

MUTANTS = 250  # runs
TOLERANCE = {"rtol": 1e-7, "atol": 1e-9}


def literal(name, k, seed):
    """(checkpoints, outputs), the first ones of the kernel."""
    found = play(name, k, module(name).run_literal, np.random.default_rng(seed), checkpoints(name, k))
    return found.reshape(CHECKPOINTS, -1)


def kernel_as(name, k, seed, outputs):
    """The first outputs of the kernel."""
    return trace(name, k, seed, checkpoints(name, k))[:, :outputs]


def comparisons(name, k):
    """p-values of one example."""
    entry, transcribed = TABLE[name], literal_regrets(name, k)
    if entry.agrees == "mean":
        expected = kernel_as(name, k, 0, 1)[:, 0]
        return [float(p) for p in stats.ttest_1samp(transcribed, expected).pvalue] * STATISTICS
    assert np.ptp(kernel_regrets(name, k)[:, -1]) > 0.0, "an example whose regret is always the same compares nothing"
    return p_values(kernel_regrets(name, k), transcribed)


@pytest.mark.parametrize("name", TABLE)
def test_kernel_agrees_with_its_transcription(name):
    entry, smallest = TABLE[name], []
    for k in range(len(entry.examples)):
        if entry.agrees == "stream":
            for seed in range(3):
                expected = literal(name, k, seed)
                np.testing.assert_allclose(kernel_as(name, k, seed, expected.shape[1]), expected, **TOLERANCE)
        else:
            found = comparisons(name, k)
            assert len(found) == CHECKPOINTS * STATISTICS
            smallest.append(min(found))
    assert min(smallest, default=1.0) > THRESHOLD, f"p-values of the examples: {smallest}"


def shows(name, k):
    """p-value with which the comparison finds half of the noise; 0 where runs on one stream differ, 1 where not."""
    if TABLE[name].agrees != "stream":
        return min(p_values(mutant_regrets(name, k, MUTANTS, HalfTheNoise), literal_regrets(name, k)))
    return float(all(np.allclose(*mutant_and_literal(name, k, seed), **TOLERANCE) for seed in range(3)))


def mutant_and_literal(name, k, seed):
    """Runs on one stream, of which the mutant draws half of the noise."""
    expected = literal(name, k, seed)
    with plain_python():
        rng = HalfTheNoise(np.random.default_rng(seed))
        mutant = play(name, k, module(name).run, rng, checkpoints(name, k))
    return mutant[:, : expected.shape[1]], expected


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name].private])
def test_half_of_the_noise_is_found(name, say):
    """In at least one example; the directions of `l2_ball`, in some examples, have no scale to halve."""
    found = [shows(name, k) for k in range(len(TABLE[name].examples))]
    say(f"half of the noise, {name}: p-values of the examples {', '.join(f'{p:.2g}' for p in found)}")
    assert min(found) <= THRESHOLD
