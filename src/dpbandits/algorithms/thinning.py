"""Rounds of lazy Thompson sampling between two releases, drawn one by one or skipped.

draft
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.play import Play, decided, pull
from dpbandits.beta_law import draw, log_density, log_peak, log_slope, spread
from dpbandits.jit import formula, kernel
from dpbandits.kl import bernoulli_kl

REACH = 0.25
SHORT = 16
APART = 1.0
OFTEN = 0.4


class Beliefs(NamedTuple):
    noisy: np.ndarray
    bonus: np.ndarray
    n: np.ndarray
    left: np.ndarray


@formula
def clipped(noisy: float, bonus: float, log_t: float) -> float:
    return min(1.0, max(0.0, noisy + bonus * log_t))


@kernel
def every_round(rng: Generator, play: Play, beliefs: Beliefs, now: int, end: int) -> tuple[int, int]:
    """Rounds now+1..end drawn one by one, until a batch ends."""
    noisy, bonus, n, left = beliefs
    i = 0
    while now < end:
        log_t = math.log(now + 1)
        largest = -1.0
        for j in range(len(n)):
            theta = draw(rng, clipped(noisy[j], bonus[j], log_t), n[j])
            if theta > largest:
                i, largest = j, theta
        decided(play)
        now = pull(play, i, 1, now)
        left[i] -= 1
        if left[i] == 0:
            break
    return now, i


class Bound(NamedTuple):
    cut: float
    height: np.ndarray
    slope: np.ndarray
    rate: np.ndarray


@kernel
def leader_and_cut(beliefs: Beliefs, now: int, end: int) -> tuple[int, float, float]:
    noisy, bonus, n, left = beliefs
    first, last = math.log(now + 1), math.log(end)
    i, largest = 0, -1.0
    for j in range(len(n)):
        p = clipped(noisy[j], bonus[j], first)
        mean = (p * n[j] + 1.0) / (n[j] + 2.0)
        if mean > largest:
            i, largest = j, mean
    top = clipped(noisy[i], bonus[i], first)
    width = spread(top, n[i])
    z = math.inf
    for j in range(len(n)):
        if j != i:
            p = clipped(noisy[j], bonus[j], last)
            z = min(z, (top - p) / (width + spread(p, n[j])))
    return i, top - z * width, z


@kernel
def bound(beliefs: Beliefs, i: int, cut: float, now: int, end: int, out: Bound) -> float:
    noisy, bonus, n, left = beliefs
    first, last = math.log(now + 1), math.log(end)
    total = 0.0
    for j in range(len(n)):
        p, q = clipped(noisy[j], bonus[j], first), clipped(noisy[j], bonus[j], last)
        near = p if j == i else q
        out.height[j] = max(log_peak(p, n[j]), log_peak(q, n[j])) - n[j] * bernoulli_kl(near, cut)
        out.slope[j] = log_slope(cut, near, n[j])
        out.rate[j] = math.exp(out.height[j]) / abs(out.slope[j])
        total += out.rate[j]
    return total


@kernel
def chosen(rng, weights, total):
    u = rng.random() * total
    j = 0
    while j < len(weights) - 1 and u >= weights[j]:
        u -= weights[j]
        j += 1
    return j


@kernel
def winner(rng: Generator, beliefs: Beliefs, i: int, j: int, cut: float, value: float, log_t: float) -> int:
    """The arm of the round in which arm j drew value ... or i"""
    noisy, bonus, n, left = beliefs
    best, largest = j, value
    if j != i:
        theta = draw(rng, clipped(noisy[i], bonus[i], log_t), n[i])
        if theta < cut:
            return i
        if theta > largest:
            best, largest = i, theta
    for k in range(len(n)):
        if k != i and k != j:
            theta = draw(rng, clipped(noisy[k], bonus[k], log_t), n[k])
            if j != i and k < j and theta >= cut:
                return i
            if theta > largest:
                best, largest = k, theta
    return best


@kernel
def skipping(rng: Generator, play: Play, beliefs: Beliefs, now: int, end: int, i: int, cut: float, bounds: Bound, total: float) -> tuple[int, int]:
    noisy, bonus, n, left = beliefs
    each = -math.log1p(-total)
    while now < end:
        wait = rng.standard_exponential() / each if each > 0.0 else math.inf
        rounds = end - now
        if wait < rounds:
            rounds = int(wait)
        decided(play)
        if rounds > 0:
            now = pull(play, i, rounds, now)
            left[i] -= rounds
        if now == end:
            break
        j = chosen(rng, bounds.rate, total)
        below = rng.standard_exponential()
        x = cut - below / bounds.slope[j]
        arm = i
        if 0.0 < x < 1.0:
            log_t = math.log(now + 1)
            p = clipped(noisy[j], bonus[j], log_t)
            if bounds.height[j] - below - rng.standard_exponential() <= log_density(x, p, n[j]):
                arm = winner(rng, beliefs, i, j, cut, x, log_t)
        now = pull(play, arm, 1, now)
        left[arm] -= 1
        if left[arm] == 0:
            return now, arm
    return now, i


@kernel
def stretch(rng: Generator, play: Play, beliefs: Beliefs, now: int, horizon: int, bounds: Bound) -> tuple[int, int]:
    noisy, bonus, n, left = beliefs
    end = min(now + max(SHORT, int(REACH * now)), horizon)
    i, cut, z = leader_and_cut(beliefs, now, end)
    if z > APART:
        end = min(end, now + left[i])
        total = bound(beliefs, i, cut, now, end, bounds)
        if total < OFTEN and end - now >= SHORT:
            return skipping(rng, play, beliefs, now, end, i, cut, bounds, total)
    return every_round(rng, play, beliefs, now, end)
