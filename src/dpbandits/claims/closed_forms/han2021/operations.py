"""Arithmetic operations of one round of han2021, without the choice of the arm, counted by special numbers.

Least squares: `receive` and `solve_shifted`, the algorithms' own code, in plain Python. `solve_shifted` is elimination
with pivoting, 2/3 d^3. If the matrix is positive definite, the algorithms use a Cholesky factor first, 1/3 d^3: half as
many operations with the same exponent. At d = 2 they use a formula of a dozen operations. Otherwise they do both.
Gradient steps: `l2_ball`, the algorithms' own code, between a gradient and a step that are written out here, because
the kernel has them inline. With the linear link and certified, every round includes a projection, needed or not.
Roots, powers and comparisons are not counted.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from dpbandits.algorithms.shared.noisy_least_squares import receive, solve_shifted
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius

EPS = 1.0  # of the counted messages; no count depends on it


class Counted(float):
    """A float that counts the additions, subtractions, products and quotients of all its instances."""

    operations = 0

    def __new__(cls, value: float, operation: bool = True) -> "Counted":
        cls.operations += operation
        return super().__new__(cls, value)

    def __add__(self, other: float) -> "Counted":
        return Counted(float(self) + float(other))

    def __sub__(self, other: float) -> "Counted":
        return Counted(float(self) - float(other))

    def __rsub__(self, other: float) -> "Counted":
        return Counted(float(other) - float(self))

    def __mul__(self, other: float) -> "Counted":
        return Counted(float(self) * float(other))

    def __truediv__(self, other: float) -> "Counted":
        return Counted(float(self) / float(other))

    def __rtruediv__(self, other: float) -> "Counted":
        return Counted(float(other) / float(self))

    __radd__, __rmul__ = __add__, __mul__


class CountedDraws:
    """A generator that counts each draw as one operation."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def random(self) -> Counted:
        return Counted(self.rng.random())

    def standard_normal(self) -> Counted:
        return Counted(self.rng.standard_normal())


def numbers(*shape: int) -> np.ndarray:
    """An array of counting numbers, each 1 over the root of the length."""
    found = np.empty(shape, dtype=object)
    found.fill(Counted(1.0 / math.sqrt(shape[-1]), operation=False))
    return found


def gradient_round(rng: Any, x: np.ndarray, reward: float, theta: np.ndarray, out: np.ndarray, projected: bool) -> None:
    """A user's gradient, its message and the server's step, as in `ldp_sgd` for a linear link."""
    along = sum((x[i] * theta[i] for i in range(len(x))), Counted(0.0, operation=False))
    residual = along - reward
    gradient = np.array([residual * each for each in x], dtype=object)
    l2_ball.py_func(rng, gradient, 2.0, keep_probability(EPS), sphere_radius(EPS, len(x), 2.0), out)
    for i in range(len(x)):
        theta[i] = theta[i] - 0.01 * out[i]
    if projected:
        length = math.sqrt(sum((each * each for each in theta), Counted(0.0, operation=False)))
        for i in range(len(x)):
            theta[i] = theta[i] / length


def gradient_operations(calibration: str, dimension: int) -> int:
    """Operations of one round of LDP-SGD, without the choice of the arm."""
    Counted.operations = 0
    x, theta, out = (numbers(dimension) for _ in range(3))
    gradient_round(CountedDraws(), x, 0.5, theta, out, calibration == "certified")
    return Counted.operations


def least_squares_operations(dimension: int) -> int:
    """Operations of one round of LDP-OLS, without the choice of the arm, by pivoted elimination for every d."""
    Counted.operations = 0
    gram, work = numbers(dimension, dimension), numbers(dimension, dimension + 1)
    x, target, theta = (numbers(dimension) for _ in range(3))
    receive.py_func(CountedDraws(), x, 0.5, 1.0, 1.0, gram, target)
    solve_shifted.py_func(gram, 2.0 * dimension, target, work, theta)
    return Counted.operations


def operations_ratio(calibration: str, dimension: list[int]) -> Numbers:
    """Section 3: operations of a round of LDP-SGD over those of LDP-OLS."""
    return [
        (f"operations of SGD over OLS at d = {d}", gradient_operations(calibration, d) / least_squares_operations(d))
        for d in dimension
    ]


def gradient_exponents(calibration: str, dimension: list[int]) -> Numbers:
    """Section 3: exponent of d in the operations of LDP-SGD, between consecutive d."""
    return _exponents(dimension, [gradient_operations(calibration, d) for d in dimension])


def least_squares_exponents(dimension: list[int]) -> Numbers:
    """Section 3: exponent of d in the operations of LDP-OLS, by elimination, between consecutive d."""
    return _exponents(dimension, [least_squares_operations(d) for d in dimension])


def _exponents(dimension: list[int], counts: list[int]) -> Numbers:
    return [
        (f"exponent of d from {a} to {b}", math.log(n / m) / math.log(b / a))
        for (a, m), (b, n) in pairwise(zip(dimension, counts, strict=True))
    ]
