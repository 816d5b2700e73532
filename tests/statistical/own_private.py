"""Mechanisms as private as they claim, most of them exactly: no audit may call them broken."""

import math

import numpy as np
from scipy import stats

from dpbandits.privacy.gaussian import gaussian_mu

from .own_mechanism import (
    Own,
    exponential,
    gaussian,
    geometric,
    k_response,
    laplace,
    noisy_max,
    odds,
    response,
    shuffled,
    tree,
    unary,
)

E = math.e
USERS, LOCAL = 50, 2.0  # of the shuffled randomized response, and its epsilon before shuffling
FIVE = np.zeros(5), np.ones(5)


def shuffled_delta(users, local, eps):
    """The least delta of a shuffled randomized response, by its two distributions."""
    counts = np.arange(users + 1)
    others = stats.binom.pmf(counts, users - 1, 1 - odds(local))
    moved = np.append(0.0, others[:-1])
    zero, one = (odds(-sign * local) * moved + odds(sign * local) * others for sign in (1, -1))
    return max(float(np.maximum(a - math.exp(eps) * b, 0.0).sum()) for a, b in ((zero, one), (one, zero)))


def staircase(rng, data, n):
    """The staircase mechanism of Geng and Viswanath at eps 1, sensitivity 1, with the optimal step."""
    b, step = math.exp(-1.0), 1.0 / (1.0 + math.exp(0.5))
    sign, g = rng.choice([-1.0, 1.0], n), rng.geometric(1.0 - b, n) - 1
    near = rng.random(n) < step / (step + (1 - step) * b)
    u = rng.random(n)
    return data + sign * np.where(near, (g + step * u), (g + step + (1 - step) * u))


def duchi(rng, data, n):
    """The estimate of a number in [-1, 1] by Duchi et al., one of two values."""
    bound = (E + 1) / (E - 1)
    return np.where(rng.random(n) < 0.5 + 0.5 * data / bound, bound, -bound)


def piecewise(rng, data, n):
    """The piecewise mechanism of Wang et al. at eps 1."""
    c = (math.exp(0.5) + 1) / (math.exp(0.5) - 1)
    low = 0.5 * (c + 1) * data - 0.5 * (c - 1)
    high = low + c - 1
    u = rng.random(n)
    outside = -c + u * (c + 1)
    outside += np.where(outside > low, high - low, 0.0)
    return np.where(rng.random(n) < math.exp(0.5) / (math.exp(0.5) + 1), low + u * (high - low), outside)


def above_threshold(rng, data, n):
    """The index of the first of some queries above 0 (sparse vector technique)."""
    above = laplace(4.0)(rng, data, n) >= rng.laplace(scale=2.0, size=(n, 1))
    return np.where(above.any(axis=1), above.argmax(axis=1), len(data))


def sampled_response(rng, data, n):
    """Randomized response on the bit, or on 0 if the user is not sampled, with probability 1/2 each."""
    return np.where(rng.random(n) < 0.5, response(1.0)(rng, data, n), response(1.0)(rng, 0, n))


def sum_and_count(rng, data, n):
    return laplace(2.0)(rng, [sum(data), len(data)], n)


def clipped(rng, data, n):
    return np.clip(laplace(1.0)(rng, data, n), 0.0, 1.0)


SHUFFLED = shuffled(USERS, LOCAL)
PRIVATE = (
    Own("Laplace noise", laplace(1.0), 0.0, 1.0, tight=True),
    Own("Laplace noise, ε = 0.2", laplace(5.0), 0.0, 1.0, 0.2, tight=True),
    Own("Laplace noise, ε = 3", laplace(1 / 3), 0.0, 1.0, 3.0, tight=True),
    Own("Laplace noise, rounded to whole numbers", lambda *given: np.round(laplace(1.0)(*given)), 0.0, 1.0),
    Own("Laplace noise, clipped to [0, 1]", clipped, 0.0, 1.0),
    Own("vector Laplace, 3 columns", laplace(3.0), np.zeros(3), np.ones(3), tight=True),
    Own("tree of Laplace sums, 4 columns", tree(3.0), [0, 1, 1, 1], [1, 1, 1, 1]),
    Own("sum and count, both noised", sum_and_count, [1.0, 1.0], [1.0, 1.0, 1.0]),
    Own("Gaussian noise, exact scale", gaussian(1 / gaussian_mu(1.0, 1e-5)), 0.0, 1.0, 1.0, 1e-5, tight=True),
    Own("Gaussian noise, exact scale, large δ", gaussian(1 / gaussian_mu(0.5, 0.1)), 0.0, 1.0, 0.5, 0.1, tight=True),
    Own(
        "vector Gaussian, 5 columns",
        gaussian(5**0.5 / gaussian_mu(1.0, 1e-3)),
        np.zeros(5),
        np.ones(5),
        1.0,
        1e-3,
        tight=True,
    ),
    Own("randomized response", response(1.0), 0, 1, tight=True),
    Own("randomized response that reveals with probability δ", response(1.0, 0.01), 0, 1, 1.0, 0.01, tight=True),
    Own("randomized response on half of the users", sampled_response, 0, 1, math.log(0.5 + 0.5 * E), tight=True),
    Own("10-ary randomized response", k_response(10, E**2 / (E**2 + 9)), 3, 7, 2.0, tight=True),
    Own("unary encoding, 8 bits", unary(8, odds(0.5), odds(-0.5)), 2, 5, tight=True),
    Own("optimized unary encoding, 8 bits", unary(8, 0.5, odds(-1.0)), 2, 5, tight=True),
    Own("shuffled randomized response", SHUFFLED, 0, 1, 0.5, shuffled_delta(USERS, LOCAL, 0.5), tight=True),
    Own("geometric noise", geometric(1.0), 4, 5, tight=True),
    Own("geometric noise, clamped to 0..9", lambda *given: np.clip(geometric(1.0)(*given), 0, 9), 4, 5),
    Own("staircase noise", staircase, 0.0, 1.0),
    Own("exponential mechanism", exponential(1.0), [1, 0, 0, 0], [0, 1, 1, 1]),
    Own("report noisy max, index alone", noisy_max(2.0), [1, 0, 0], [0, 1, 1]),
    Own("threshold test, first query above", above_threshold, [0, 0, 0, 0, 1], [1, 1, 1, 1, 0]),
    Own("two-valued estimate of a number", duchi, -1.0, 1.0, tight=True),
    Own("piecewise estimate of a number", piecewise, -1.0, 1.0, tight=True),
)
