"""Every algorithm in the table: its runs are deterministic, independent of chunks, and have a regret that grows."""

import copy

import numpy as np
import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.environments.base import BINARY, MEANS, SIGNED
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.stages.simulate import run_seeds

from .runs import curve, instance, module, plain_python, play, trace

EXAMPLES = [(name, k) for name, entry in TABLE.items() for k in range(len(entry.examples))]
every_example = pytest.mark.parametrize(("name", "k"), EXAMPLES)


def rounds_of(name, k):
    horizon = TABLE[name].examples[k].horizon
    return [2, 7, horizon // 2, horizon]


def largest_gap(name, k):
    """The largest gap of the instance; infinite for families whose gaps change from round to round."""
    kind = FAMILIES[str(TABLE[name].examples[k].environment["family"])].arms
    if kind in (SIGNED, BINARY):
        actions, theta = instance(name, k)
        return np.ptp(actions @ theta)
    return np.ptp(instance(name, k)[0]) if kind == MEANS else np.inf


@every_example
def test_the_stream_decides_and_nothing_else(name, k):
    """A few streams, as two of them may by chance lead to the same actions."""
    before = copy.deepcopy(instance(name, k))
    one, again, *others = (trace(name, k, seed, rounds_of(name, k)) for seed in (7, 7, *range(6)))
    assert one.shape == (4, len(TABLE[name].outputs))
    assert one.tobytes() == again.tobytes()
    assert any(one.tobytes() != other.tobytes() for other in others) == TABLE[name].random
    np.testing.assert_equal(instance(name, k), before)


@every_example
def test_regret_grows_by_at_most_the_largest_gap(name, k):
    rounds = rounds_of(name, k)
    for seed in range(5):
        regret = trace(name, k, seed, rounds)[:, 0]
        steps = np.diff(regret, prepend=0.0)
        assert np.isfinite(regret).all()
        assert (steps >= -1e-9 * (1.0 + regret)).all()
        assert (steps <= np.diff(rounds, prepend=0) * largest_gap(name, k) * (1.0 + 1e-9)).all()


@every_example
def test_chunks_of_seeds_change_nothing(name, k):
    example = TABLE[name].examples[k]
    whole, *parts = (
        run_seeds(curve(name, example), 7, seeds, [example.noise])
        for seeds in (range(6), range(2), range(2, 6), *(range(seed, seed + 1) for seed in range(6)))
    )
    for chunks in (parts[:2], parts[2:]):
        for column, values in whole.items():
            np.testing.assert_array_equal(np.concatenate([chunk[column] for chunk in chunks]), values)


@every_example
def test_kernel_and_its_plain_python_agree_in_bits(name, k):
    compiled = trace(name, k, 3, rounds_of(name, k))
    with plain_python():
        plain = play(name, k, module(name).run, np.random.default_rng(3), rounds_of(name, k))
    assert compiled.tobytes() == plain.tobytes()
