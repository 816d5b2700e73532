"""Transcription of `optimism_by_arm`: features in R^D, whole matrices, NumPy's inverse."""

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.glm_multi.optimism_by_arm import Server
from dpbandits.algorithms.shared.contextual_literal import first_best, gaussian, root, symmetric

Array = np.ndarray


class LiteralServer:
    """The server of LDP-UCB and LDP-GLOC."""

    def __init__(self, server: Server, arms: int, d: int) -> None:
        self.server, self.arms, self.d = server, arms, d
        self.V, self.u = np.zeros((arms * d, arms * d)), np.zeros(arms * d)
        self.inverse = np.eye(arms * d) / server.shift
        self.theta, self.beta = np.zeros(arms * d), server.base
        self.last, self.due = 0, 1

    def feature(self, X: Array, arm: int) -> Array:
        """The feature x_a, (D,)."""
        return np.kron(np.eye(self.arms)[arm], X)

    def choose(self, X: Array) -> tuple[int, bool]:
        """The first arm with a negative square and True; otherwise the best arm and False."""
        features = np.array([self.feature(X, arm) for arm in range(self.arms)])
        squares = np.array([x @ self.inverse @ x for x in features])
        arm = first_best(features @ self.theta + self.beta * root(squares))
        return arm, bool(squares[arm] < 0)

    def message(self, x: Array, value: float) -> None:
        """Add a message without noise, which nothing uses before the next refresh."""
        self.V += np.outer(x, x)
        self.u += value * x

    def noise(self, rng: Generator, sd: float) -> Array:
        """The noise of the matrix: (D, D), or one number for all entries."""
        return symmetric(rng, sd, len(self.u))

    def refresh(self, rng: Generator, t: int) -> bool:
        """Refresh after round t if due; return whether it was due and its matrix was not positive definite."""
        if t < self.due:
            return False
        server, D = self.server, len(self.u)
        sd = server.sd * (t - self.last) ** 0.5
        self.V += self.noise(rng, sd)
        self.u += gaussian(rng, sd, D)
        shifted = self.V + server.shift * t**0.5 * np.eye(D)
        self.inverse = np.linalg.inv(shifted)
        self.theta = self.inverse @ self.u
        self.beta = server.base + server.growth * t**0.25
        self.last, self.due = t, t + 1
        if server.lazy and t >= 2 * server.lazy:
            self.due = t + t // server.lazy
        return bool(np.linalg.eigvalsh(shifted)[0] <= 0)
