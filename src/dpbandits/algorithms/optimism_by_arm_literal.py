"""The transcription of `optimism_by_arm`: features in R^D, whole matrices, NumPy's inverse."""

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm_literal import normals, symmetric_noise
from dpbandits.algorithms.optimism_by_arm import Server

Array = np.ndarray


class Rival:
    """The server of LDP-UCB and LDP-GLOC."""

    def __init__(self, server: Server, arms: int, d: int) -> None:
        self.server, self.arms, self.d = server, arms, d
        self.V, self.u = np.zeros((arms * d, arms * d)), np.zeros(arms * d)
        self.inverse = np.eye(arms * d) / (server.shift + server.ridge)
        self.theta, self.beta = np.zeros(arms * d), server.base
        self.last, self.due = 0, 1

    def feature(self, X: Array, arm: int) -> Array:
        """x_a, (D,)"""
        return np.kron(np.eye(self.arms)[arm], X)

    def choose(self, X: Array) -> tuple[int, bool]:
        """The first arm with a negative square and True; or the best, and False."""
        features = [self.feature(X, arm) for arm in range(self.arms)]
        squares = [x @ self.inverse @ x for x in features]
        with np.errstate(invalid="ignore"):
            arm = int(
                np.argmax([x @ self.theta + self.beta * np.sqrt(s) for x, s in zip(features, squares, strict=True)])
            )
        return arm, squares[arm] < 0

    def message(self, x: Array, value: float) -> None:
        """Without its noise, which nobody reads before the next refresh."""
        self.V += np.full(self.V.shape, x @ x) if self.server.broadcast else np.outer(x, x)
        self.u += value * x

    def refresh(self, rng: Generator, t: int) -> bool:
        """After round t; whether there was a refresh and its matrix was not positive definite."""
        if t < self.due:
            return False
        server, D = self.server, len(self.u)
        sd = server.sd * (t - self.last) ** 0.5
        self.V += normals(rng, 1, sd)[0] if server.broadcast else symmetric_noise(rng, D, sd)
        self.u += normals(rng, D, sd)
        shifted = self.V + (server.shift * t**0.5 + server.ridge) * np.eye(D)
        self.inverse = np.linalg.inv(shifted)
        self.theta = self.inverse @ self.u
        self.beta = server.base + server.growth * t**0.25
        self.last, self.due = t, t + 1
        if server.lazy and t >= 2 * server.lazy:
            self.due = t + t // server.lazy
        return bool(np.linalg.eigvalsh(shifted)[0] <= 0)
