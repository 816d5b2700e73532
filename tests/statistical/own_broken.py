"""Mechanisms less private than they claim."""

import math

import numpy as np

from .own_mechanism import (
    Own,
    exponential,
    gaussian,
    geometric,
    k_response,
    laplace,
    noisy_max,
    odds,
    rarely,
    response,
    shuffled,
    tree,
    unary,
)
from .own_private import LOCAL, USERS, shuffled_delta

TABLE = np.random.default_rng(0).laplace(size=1000)
CLASSICAL = math.sqrt(2 * math.log(1.25 / 0.3)) / 6.0  # standard deviation at (6, 0.3), where its proof needs eps < 1


def in_clear(views, data, rng):
    return np.broadcast_to(data, views.shape)


def nearly_in_clear(views, data, rng):
    return data + rng.normal(scale=1e-3, size=views.shape)


def second_column(views, data, rng):
    views[:, 1] = data[1]
    return views


def copied_noise(views, data, rng):
    """The noise of the first column in the second as well."""
    views[:, 1] = views[:, 0] - data[0] + data[1]
    return views


def product_of_signs(rng, data, n):
    signs = rng.choice([-1.0, 1.0], size=(n, 3))
    signs[:, 2] = signs[:, 0] * signs[:, 1] * (1.0 if data else -1.0)
    return signs * rng.exponential(size=(n, 3))


def parity(rng, data, n):
    """Four bits, each a fair coin; the parity of the first three is the data."""
    bits = rng.integers(0, 2, size=(n, 4))
    bits[:, 2] = (bits[:, 0] + bits[:, 1] + data) % 2
    return bits


def pair_of_digits(rng, data, n):
    """Two numbers below 100; one pair of them comes up more often on the second input, neither number does."""
    views = rng.integers(0, 100, size=(n, 2))
    views[:, 1] = np.where((views[:, 0] == 7) & (rng.random(n) < 0.2), 7 if data else 8, views[:, 1])
    return views


def max_and_second(rng, data, n):
    """Report noisy max, and the score of the runner-up without noise."""
    order = np.argsort(laplace(2.0)(rng, data, n), axis=1)
    return np.column_stack([order[:, -1], np.asarray(data)[order[:, -2]]])


def one_noise_for_all_tests(rng, data, n):
    """Which queries exceed a threshold that is noised once; the queries are not."""
    return np.asarray(data) >= rng.laplace(scale=2.0, size=(n, 1))


def truncated(rng, data, n):
    """Laplace noise within [-6, 6]."""
    inside = rng.random(n) * -math.expm1(-6.0)
    return data - rng.choice([-1.0, 1.0], n) * np.log1p(-inside)


def uneven(rng, data, n):
    """Noise whose scale is the sensitivity at this input."""
    return rng.laplace(scale=1.0 + data, size=n)


def exact_count(rng, data, n):
    return np.column_stack([laplace(1.0)(rng, sum(data), n), np.full(n, len(data))])


def one_noise_for_all_arms(rng, data, n):
    return np.asarray(data) + rng.laplace(size=(n, 1))


def released_twice(rng, data, n):
    return laplace(1.0)(rng, [data, data], n)


def bare_first_pull(rng, data, n):
    return np.column_stack([np.full(n, data[0]), laplace(1.0)(rng, sum(data), n)])


def even_noise(rng, data, n):
    return data + 2 * geometric(0.5)(rng, 0, n)


def one_sided(rng, data, n):
    return data + rng.geometric(-math.expm1(-1.0), size=n)


def noise_from_a_table(rng, data, n):
    return data + rng.choice(TABLE, size=n)


def little_noise(views, data, rng):
    return laplace(0.1)(rng, data, len(views))


def product_of_four_signs(rng, data, n):
    signs = rng.choice([-1.0, 1.0], size=(n, 4))
    signs[:, 3] = signs[:, :3].prod(axis=1) * (1.0 if data else -1.0)
    return signs * rng.exponential(size=(n, 4))


def last_bits(rng, data, n):
    """The data in the twelfth decimal."""
    return np.round(rng.normal(size=n), 9) + 1e-12 * data


ZEROS, ONES = np.zeros(3), np.ones(3)
BROKEN = (
    Own("raw data with probability 0.001", rarely(laplace(1.0), 1e-3, in_clear), 0.0, 1.0),
    Own("raw data with probability 0.001, δ = 1e-5", rarely(laplace(1.0), 1e-3, in_clear), 0.0, 1.0, 1.0, 1e-5),
    Own("noise absent with probability 0.01", rarely(laplace(1.0), 1e-2, in_clear), 0.0, 1.0),
    Own("noise of 0.001 with probability 0.005", rarely(laplace(1.0), 5e-3, nearly_in_clear), 0.0, 1.0),
    Own("a tenth of the noise with probability 0.1", rarely(laplace(1.0), 0.1, little_noise), 0.0, 1.0),
    Own("raw data in column 2 of 3 with probability 0.001", rarely(laplace(3.0), 1e-3, second_column), ZEROS, ONES),
    Own("noise shared with probability 0.01", rarely(laplace(2.0), 1e-2, copied_noise), [0.0, 0.0], [1.0, 0.0]),
    Own("raw geometric count with probability 0.01, a large number", rarely(
        geometric(1.0), 1e-2, lambda views, data, rng: 1000.0 + data), 4, 5),
    Own("half of the noise", laplace(0.5), 0.0, 1.0),
    Own("sensitivity 1 taken for a range of 2", laplace(1.0), -1.0, 1.0),
    Own("released twice, one ε counted", released_twice, 0.0, 1.0),
    Own("tree of sums, depth forgotten", tree(1.0), [0, 1, 1, 1], [1, 1, 1, 1]),
    Own("one noise for all arms", one_noise_for_all_arms, [3.0, 5.0, 2.0], [4.0, 5.0, 2.0]),
    Own("first pull without noise", bare_first_pull, [0.0, 1.0], [1.0, 1.0]),
    Own("private sum, exact count", exact_count, [1.0, 0.0], [1.0, 0.0, 0.0]),
    Own("noise from a table of 1000 numbers", noise_from_a_table, 0.0, 1.0),
    Own("noise truncated at ±6: a leak in the tails", truncated, 0.0, 1.0),
    Own("one-sided noise", one_sided, 4, 5),
    Own("noise that is always even", even_noise, 4, 5),
    Own("scale that depends on the data: both tails leak", uneven, 0.0, 1.0),
    Own("product of the signs of 3 columns", product_of_signs, 0, 1),
    Own("parity of 3 of 4 bits", parity, 0, 1),
    Own("a pair of values that repeats", pair_of_digits, 0, 1),
    Own("Gaussian noise, classical scale at ε = 6", gaussian(CLASSICAL), 0.0, 1.0, 6.0, 0.3, 300_000),
    Own("Gaussian noise, claimed at δ = 0", gaussian(1.0), 0.0, 2.0),
    Own("reveals with probability 0.01, δ = 0.001", response(1.0, 0.01), 0, 1, 1.0, 1e-3),
    Own("10-ary response with binary odds", k_response(10, odds(1.0)), 3, 7),
    Own("unary encoding, ε for each bit", unary(8, odds(1.0), odds(-1.0)), 2, 5),
    Own("half of the users said to be sampled, all are", response(1.0), 0, 1, math.log(0.5 + 0.5 * math.e)),
    Own("shuffled response with too little noise", shuffled(USERS, LOCAL + 1.0), 0, 1, 0.5,
        shuffled_delta(USERS, LOCAL, 0.5)),
    Own("exponential mechanism without the 2", exponential(2.0), [1, 0, 0, 0], [0, 1, 1, 1]),
    Own("report noisy max, half of the noise", noisy_max(1.0), [2, 1, 1], [1, 2, 2]),
    Own("report noisy max and the runner-up's score", max_and_second, [5, 3, 1], [5, 4, 1]),
    Own("threshold tests with one noise", one_noise_for_all_tests, [0.0, 1.0], [1.0, 0.0]),
    Own("noise 1 % too small", laplace(0.99), 0.0, 1.0, hidden=True),
    Own("raw data with probability 0.0001", rarely(laplace(1.0), 1e-4, in_clear), 0.0, 1.0, hidden=True),
    Own("product of the signs of 4 columns", product_of_four_signs, 0, 1, hidden=True),
    Own("the data in the twelfth decimal", last_bits, 0, 1, hidden=True),
)  # fmt: skip
