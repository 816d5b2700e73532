"""Follow the leader in epochs with full information, transcribed round by round in plain Python.

Hu, Huang, Mehta and Hegde (arXiv 2102.07929), Algorithm 4 with any noise scale; 0 means no noise.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.privacy.mechanisms import laplace


def leader_in_epochs(rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run with noise of scale b; return the regret at the checkpoints, shape (len(checkpoints),)."""
    arms = len(means)
    epoch, total, i = 0, np.zeros(arms), int(rng.integers(arms))
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        regret += means.max() - means[i]
        total += rng.random(arms) < means
        if t in checkpoints:
            found.append(regret)
        if t == 2 ** (epoch + 1) - 1:  # the last round of an epoch
            noisy = total + np.array([laplace(rng, noise_scale) for _ in range(arms)])
            i = int(rng.choice(np.flatnonzero(noisy == noisy.max())))
            epoch, total = epoch + 1, np.zeros(arms)
    return np.array(found)
