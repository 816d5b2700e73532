"""The l2-ball mechanism of han2021: its mean and norm, by formula and from draws of the code."""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.audits.mechanisms.l2_ball import densities
from dpbandits.base.jit import kernel
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius

DIGITS = 9  # to which numbers are rounded for comparison


def mean_height(dimension: int) -> float:
    """E|z_1| of a uniform point on the unit sphere: Gamma(d/2) / (sqrt(pi) Gamma((d + 1) / 2))."""
    return math.exp(math.lgamma(0.5 * dimension) - math.lgamma(0.5 * (dimension + 1))) / math.sqrt(math.pi)


def ball_mean_over_input(eps: list[float], dimension: list[int], length: list[float]) -> Numbers:
    """Section 2: exact mean of Psi(x) along x, over |x|, for |x| = `length` R; less than 1 if |x| > R."""
    return [
        (
            f"mean over input of length {rho:g} R at eps = {each:g}, d = {d}",
            round(mean_over_input(each, d, sphere_radius(each, d, 1.0), rho), DIGITS),
        )
        for each in eps
        for d in dimension
        for rho in length
    ]


def stacked_mean_over_input(calibration: str, eps: list[float], dimension: int, arms: int) -> Numbers:
    """Algorithm 2: as `ball_mean_over_input` for one Psi on K stacked gradients, |x| = R; released: radius for d."""
    stacked = arms * dimension
    of_radius = dimension if calibration == "released" else stacked
    return [
        (
            f"mean over input at eps = {each:g}, d K = {stacked}",
            round(mean_over_input(each, stacked, sphere_radius(each, of_radius, 1.0), 1.0), DIGITS),
        )
        for each in eps
    ]


def mean_over_input(eps: float, dimension: int, radius: float, length: float) -> float:
    """Mean along x, over |x|, of a point on the sphere that is on the side of x as often as Psi(x); R = 1."""
    near, far = densities(eps, length)
    return 0.5 * (near - far) * radius * mean_height(dimension) / length


def ball_draws_z(eps: list[float], dimension: list[int], length: float, draws: int) -> Numbers:
    """Section 2: largest |z| over coordinates for the mean of `draws` draws of Psi(x) against x; |x| = `length` R."""
    found = []
    for each in eps:
        for d in dimension:
            x, mean, sd, _ = drawn(each, d, length, draws)
            z = np.abs(mean - x) / (sd / math.sqrt(draws))
            found.append((f"largest z at eps = {each:g}, d = {d}", float(np.max(z))))
    return found


def ball_draws_norm(eps: list[float], dimension: list[int], length: float, draws: int) -> Numbers:
    """Section 2: largest relative difference between |Psi(x)| and r among `draws` draws."""
    return [
        (f"largest difference at eps = {each:g}, d = {d}", round(drawn(each, d, length, draws)[3], DIGITS))
        for each in eps
        for d in dimension
    ]


def drawn(eps: float, dimension: int, length: float, draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """An input proportional to (1, ..., d), the mean and sd of `draws` outputs, and the largest error of a norm."""
    x = np.arange(1.0, dimension + 1.0)
    x *= length / math.sqrt(float(np.sum(x**2)))
    sums, squares = np.zeros(dimension), np.zeros(dimension)
    radius = sphere_radius(eps, dimension, 1.0)
    worst = add_draws(np.random.default_rng(0), x, keep_probability(eps), radius, draws, sums, squares)
    mean = sums / draws
    return x, mean, np.sqrt(squares / draws - mean**2), worst


@kernel
def add_draws(
    rng: Generator, x: np.ndarray, keep: float, radius: float, draws: int, sums: np.ndarray, squares: np.ndarray
) -> float:
    """Add `draws` outputs and their squares to sums, (d,); return the largest relative error of a norm."""
    out, worst = np.empty(len(x)), 0.0
    for _ in range(draws):
        l2_ball(rng, x, 1.0, keep, radius, out)
        size = 0.0
        for i in range(len(x)):
            sums[i] += out[i]
            squares[i] += out[i] * out[i]
            size += out[i] * out[i]
        worst = max(worst, abs(math.sqrt(size) / radius - 1.0))
    return worst
