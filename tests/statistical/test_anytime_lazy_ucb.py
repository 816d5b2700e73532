"""Anytime-Lazy-UCB: the shipped kernel against its transcription, in distribution, and mutants that the comparison
rejects.

The transcription draws one reward a round. A third version, also round by round, is compiled and can be given one
fault at a time; without a fault it has the distribution of the others, with one it has not.
"""

import math

import numba
import numpy as np
import pytest

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.mechanisms import laplace

from .comparison import p_values

SIGNIFICANCE = 1e-3  # family-wise
RUNS, LITERAL = 6000, 400  # a side: compiled, and transcribed
ROUNDS = np.array([4, 13, 40, 90, 200, 400])  # inside batches, and past several ends of them
SETTINGS = {  # means, eps, c1, c2
    "moderate": (np.array([0.3, 0.8, 0.5]), 1.0, 2.0, 3.0),
    "private": (np.array([0.75, 0.25]), 0.2, 1.5, 3.0),
    "large budget": (np.array([0.375, 0.75, 0.25, 0.625, 0.5]), 500.0, 3.0, 3.0),
    "no bonus": (np.array([0.9, 0.6, 0.1]), 0.7, 2.0, 0.0),
}
NOTHING, UNFINISHED, BARE_FIRST, NO_FORGETTING, NO_BUDGET, NO_DOUBLING, REUSED = range(7)
FAULTS = {
    "unfinished batch used": UNFINISHED,
    "first pull without noise": BARE_FIRST,
    "nothing is forgotten": NO_FORGETTING,
    "bonus without 1/eps": NO_BUDGET,
    "n not doubled": NO_DOUBLING,
    "one noise for all releases": REUSED,
}


@numba.njit(error_model="numpy")
def faulty(rng, means, eps, c1, c2, checkpoints, fault):
    """Round by round, one Bernoulli reward a round; the regret at the checkpoints."""
    arms = len(means)
    m, n, noise = np.zeros(arms), np.ones(arms), np.zeros(arms)
    count, total, everything = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    regret, found, k = 0.0, np.zeros(len(checkpoints)), 0
    for t in range(1, checkpoints[-1] + 1):
        i, largest = t - 1, -math.inf
        if t > arms:
            for j in range(arms):
                bonus = c2 * math.log(t) / n[j]
                index = m[j] + math.sqrt(c1 * math.log(t) / n[j]) + (bonus if fault == NO_BUDGET else bonus / eps)
                if index > largest:
                    i, largest = j, index
        reward = 1.0 if rng.random() < means[i] else 0.0
        everything[i] += reward
        if t <= arms:
            noise[i] = 0.0 if fault == BARE_FIRST else laplace(rng, 1.0 / eps)
            m[i] = reward + noise[i]
        else:
            count[i] += 1
            total[i] += reward
            if fault == UNFINISHED:
                m[i] = (total[i] + noise[i]) / count[i]
            if count[i] == 2 * n[i]:
                if fault != REUSED:
                    noise[i] = laplace(rng, 1.0 / eps)
                m[i] = (total[i] + noise[i]) / count[i]
                if fault == NO_FORGETTING:
                    m[i] = (everything[i] + noise[i]) / (2 * count[i] - 1)
                n[i] = n[i] if fault == NO_DOUBLING else count[i]
                count[i], total[i] = 0.0, 0.0
        regret += np.max(means) - means[i]
        if t == checkpoints[k]:
            found[k] = regret
            k += 1
    return found


def kernel_regrets(name, runs=RUNS):
    """(runs, checkpoints), rounded: gaps are added in different orders."""
    found = [anytime_lazy_ucb.run(np.random.default_rng([1, s]), *SETTINGS[name], ROUNDS)[:, 0] for s in range(runs)]
    return np.round(found, 6)


def faulty_regrets(name, fault, runs=RUNS):
    return np.round([faulty(np.random.default_rng([2, s]), *SETTINGS[name], ROUNDS, fault) for s in range(runs)], 6)


def literal_regrets(name, runs=LITERAL):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anytime_lazy_ucb, "laplace", anytime_lazy_ucb.laplace.py_func)
        found = [
            anytime_lazy_ucb.run_literal(np.random.default_rng([3, s]), *SETTINGS[name], ROUNDS) for s in range(runs)
        ]
    return np.round(found, 6)


@pytest.fixture(scope="module")
def shipped():
    return {name: kernel_regrets(name) for name in SETTINGS}


def test_the_kernel_has_the_distribution_of_the_transcription(shipped):
    found = {name: p_values(shipped[name], literal_regrets(name)) for name in SETTINGS}
    for name, values in found.items():
        print(f"{name}: smallest of {len(values)} p-values {min(values):.3g}")
    assert holm([p for values in found.values() for p in values]).min() > SIGNIFICANCE


def test_the_version_without_a_fault_has_the_same_distribution(shipped):
    found = {name: p_values(shipped[name], faulty_regrets(name, NOTHING)) for name in SETTINGS}
    for name, values in found.items():
        print(f"{name}: smallest of {len(values)} p-values {min(values):.3g}")
    assert holm([p for values in found.values() for p in values]).min() > SIGNIFICANCE


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_found(what, shipped):
    """In one setting at least, even by as few runs as the transcription has."""
    found = {name: p_values(shipped[name], faulty_regrets(name, FAULTS[what], LITERAL)) for name in SETTINGS}
    for name, values in found.items():
        print(f"{what}, {name}: {min(values):.3g}")
    assert holm([p for values in found.values() for p in values]).min() < SIGNIFICANCE
