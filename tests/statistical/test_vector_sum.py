"""The shuffled vector sum, played literally: every user's bits, one shuffle, one analyzer, against the closed forms.

Fixed seeds; the p-values of a test are corrected by Holm and the smallest must exceed 0.001.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpbandits.numerics.statistics import holm
from dpbandits.privacy.vector_sum import P, moments, sums_delta, user_entries

SIGNIFICANCE = 1e-3
DRAWS = 4000


def randomize(rng, value, bits, g, bound):
    """Algorithm 5: the bits of one entry of one user, 2g + b of them, the fraction of b cut off as numpy does."""
    scaled = (value + bound) * g / bound
    low = math.floor(scaled)
    ones = low + int(rng.random() < scaled - low) + sum(rng.random(math.floor(bits)) < P)
    sent = np.zeros(math.ceil(2 * g) + math.floor(bits), dtype=int)
    sent[:ones] = 1
    return sent


def shuffled_and_analyzed(rng, users, bits, g, bound):
    """Algorithms 6 and 7: (k,) outputs and (k,) counts; (n, k) users' entries."""
    n, k = users.shape
    messages = [(j, bit) for user in users for j in range(k) for bit in randomize(rng, user[j], bits, g, bound)]
    counts = np.zeros(k)
    for place in rng.permutation(len(messages)):
        label, bit = messages[place]
        counts[label] += bit
    return bound / g * (counts - P * bits * n) - n * bound, counts


@pytest.mark.parametrize(("bits", "g", "bound"), [(3.0, 4.0, 1.0), (2.7, 4.472, math.sqrt(2.0))])
def test_literal_protocol_has_the_moments(bits, g, bound):
    """Mean and variance of every entry, and their independence; with a fraction of a bit the analyzer is biased."""
    rng = np.random.default_rng([2022, int(10 * bits)])
    users = np.array([user_entries(np.array([0.6, -0.8]), 1.0), user_entries(np.array([0.3, 0.1]), 0.0)])
    outputs = np.array([shuffled_and_analyzed(rng, users, bits, g, bound)[0] for _ in range(DRAWS)])
    p_values = []
    for j in range(users.shape[1]):
        bias, variance = moments(users[:, j], bits, g, bound)
        errors = outputs[:, j] - users[:, j].sum()
        p_values.append(2 * stats.norm.sf(abs(errors.mean() - bias) / math.sqrt(variance / DRAWS)))
        spread = np.std((errors - errors.mean()) ** 2) / math.sqrt(DRAWS)
        p_values.append(2 * stats.norm.sf(abs(errors.var() - variance) / spread))
        if bits != int(bits):
            assert abs(errors.mean()) > 4 * math.sqrt(variance / DRAWS)
    for one, other in pairwise(outputs.T):
        p_values.append(stats.pearsonr(one, other).pvalue)
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_literal_counts_have_the_exact_divergence():
    """Two users, two entries: the frequencies of all pairs of counts give what the exact distribution gives."""
    rng, bits, g = np.random.default_rng(20220256), 4, 4.0
    first, second, other = np.array([0.5, -0.3]), np.array([-0.4, 0.1]), np.array([0.1, 0.9])
    found = []
    for held in (first, second):
        users = np.array([held, other])
        draws = [tuple(shuffled_and_analyzed(rng, users, bits, g, 1.0)[1]) for _ in range(2 * DRAWS)]
        found.append({each: draws.count(each) / len(draws) for each in set(draws)})
    for eps in (0.5, 1.0):
        pairs = [(found[0], found[1]), (found[1], found[0])]
        seen = [sum(max(0.0, p - math.exp(eps) * q.get(k, 0.0)) for k, p in one.items()) for one, q in pairs]
        upper, lower = (
            sums_delta(first, second, eps, 2 * bits, g, others=other[None], upwards=way) for way in (True, False)
        )
        assert lower <= upper <= lower + 0.03
        assert lower - 0.03 <= max(seen) <= upper + 0.06  # frequencies of rare pairs raise what is seen


def test_the_comparison_has_power():
    """One bit more, or the noise of bits that are ones with probability 1/2, is found."""
    rng, users = np.random.default_rng(7), np.zeros((4, 1))
    outputs = np.array([shuffled_and_analyzed(rng, users, 6.0, 4.0, 1.0)[0][0] for _ in range(DRAWS)])
    bias, variance = moments(users[:, 0], 6.0, 4.0)
    assert abs(outputs.mean() - bias) < 4 * math.sqrt(variance / DRAWS)
    assert abs(outputs.var() / variance - 1) < 0.1
    assert abs(outputs.var() / moments(users[:, 0], 7.0, 4.0)[1] - 1) > 0.1
    assert abs(outputs.var() / (variance * 4 / 3) - 1) > 0.1
