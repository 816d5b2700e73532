"""The kernels of LinUCB against a transcription, for every black box.

The transcription goes round by round, keeps every message, every bit count and the noise of every dyadic interval,
and shares no code with the kernels. Regret has the same distribution at checkpoints inside batches, between them, and
where the horizon cuts a batch; also where V is often not positive definite, so that the rule for negative widths is
exercised. The kernel's plain Python gives the same bits on the same stream.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.linucb import linucb_ldp
from dpbandits.algorithms.linucb.protocol import Bits, gaussian
from dpbandits.algorithms.linucb.rule import Radius
from dpbandits.algorithms.linucb.trace import INDEFINITE, NEGATIVE
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3  # family-wise
RUNS = 500  # a side
HORIZON = 47
CHECKPOINTS = np.array([3, 10, 20, 33, HORIZON])
FEATURES = np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4], [-0.3, 0.6, 0.7], [0.5, 0.5, 0.7], [0.1, -0.5, 0.7]])
THETA = np.array([0.5, 0.2, 0.6])  # means 0.65, 0.5, 0.39, 0.77, 0.37
RADIUS = Radius(0.1, 0.3, 1.0, 1.0, 2.0)
CONSTANT = Radius(0.5, 0.0, 0.0, 1.0, 1.0)
BITS = Bits(5.0, 12, 12.0, 1.0)
FRACTION = Bits(4.472, 3, 3.9, 1.4142)  # as released: neither g nor b is whole
CASES = {  # module, batch, ridge, radius, what else `run` takes
    "linucb": ("linucb", 1, 1.0, RADIUS),
    "linucb in batches": ("linucb", 7, 2.0, RADIUS),
    "local": ("linucb_ldp", 1, 12.0, RADIUS, gaussian(0.7)),
    "local, often indefinite": ("linucb_ldp", 1, 1.0, CONSTANT, gaussian(1.0, beside=0.7071)),
    "local in batches": ("linucb_ldp", 4, 4.0, RADIUS, gaussian(0.5)),
    "amplified": ("linucb_sdp_amp", 5, 6.0, CONSTANT, gaussian(0.6)),
    "vector sum": ("linucb_sdp_vec", 5, 10.0, RADIUS, BITS),
    "vector sum as released": ("linucb_sdp_vec", 5, 2.0, CONSTANT, FRACTION),
    "tree": ("linucb_jdp", 1, 12.0, RADIUS, gaussian(1.0, diagonal=1.4142), 0),
    "tree in batches": ("linucb_jdp", 4, 6.0, RADIUS, gaussian(1.5), 0),
    "frozen": ("linucb_jdp", 1, 12.0, CONSTANT, gaussian(2.0, beside=0.7071), 1),
    "frozen in batches": ("linucb_jdp", 3, 4.0, RADIUS, gaussian(1.0), 1),
}
OFTEN_INDEFINITE = ("local, often indefinite", "vector sum as released", "frozen in batches")
every = pytest.mark.parametrize("name", CASES)


def arguments(name):
    return (FEATURES, THETA, *CASES[name][1:], CHECKPOINTS)


def kernel_traces(name, runs=RUNS):
    """(runs, checkpoints, outputs)"""
    run = ALGORITHMS.module(CASES[name][0]).run
    return np.array([run(np.random.default_rng([1, seed]), *arguments(name)) for seed in range(runs)])


def literal_regrets(name, runs=RUNS):
    """(runs, checkpoints)"""
    run = ALGORITHMS.module(CASES[name][0]).run_literal
    return np.array([run(np.random.default_rng([2, seed]), *arguments(name)) for seed in range(runs)])


def p_values(name):
    """Of the regret at every checkpoint and of its increments, kernel against transcription."""
    fast, slow = np.round(kernel_traces(name)[:, :, 0], 6), np.round(literal_regrets(name), 6)
    pairs = [(fast[:, k], slow[:, k]) for k in range(len(CHECKPOINTS))]
    pairs += [
        (fast[:, k] - fast[:, j], slow[:, k] - slow[:, j]) for j, k in itertools.pairwise(range(len(CHECKPOINTS)))
    ]
    return [stats.ks_2samp(a, b).pvalue for a, b in pairs if np.ptp(np.concatenate([a, b])) > 1e-6]


@pytest.mark.slow
def test_kernel_and_transcription_have_the_same_distribution():
    found = {name: p_values(name) for name in CASES}
    assert all(len(values) >= 7 for values in found.values())
    adjusted = holm([p for values in found.values() for p in values])
    assert min(adjusted) > SIGNIFICANCE, {name: min(values) for name, values in found.items()}


def test_the_comparison_finds_a_noise_that_is_dropped():
    name = "tree"
    slow = np.round(literal_regrets(name), 6)[:, -1]
    *other, _, checkpoints = arguments(name)
    fast = [linucb_ldp.run(np.random.default_rng([3, seed]), *other, checkpoints)[-1, 0] for seed in range(RUNS)]
    assert stats.ks_2samp(np.round(fast, 6), slow).pvalue < SIGNIFICANCE, "fresh noise in every batch is no tree"


@every
def test_states_that_are_not_positive_definite_are_counted(name):
    counts = kernel_traces(name, 60)[:, -1]
    if name in OFTEN_INDEFINITE:
        assert counts[:, INDEFINITE].mean() > 0.5
        assert counts[:, NEGATIVE].mean() > 0.3
    if not TABLE[CASES[name][0]].private:
        assert not counts[:, [INDEFINITE, NEGATIVE]].any()
