"""How prices decide whether a loan is accepted: Figure 10 of Han et al. (arXiv 2106.03365), after its authors' code.

Features of an application are its base and price times its base, each scaled to [0, 1] by its least and largest value
among all applications; a feature that is the same everywhere becomes 0. The parameter is that of a logistic regression
of `apply` with penalty ||theta||^2 / 2, without intercept. At prices that were not asked features leave [0, 1].
"""

from dataclasses import dataclass

import numpy as np

from dpbandits.environments.contextual.lending.loans import Applications
from dpbandits.numerics.logistic_fit import fit


@dataclass(frozen=True)
class Lending:
    """What is learned from applications.

    Attributes
    ----------
    rows : (n, 9), the base of each.
    lows, highs : (18,), what is scaled to 0 and to 1.
    theta : (18,)
    """

    rows: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    theta: np.ndarray


def lending(given: Applications) -> Lending:
    """Scaling and parameter."""
    features = np.hstack([given.base, given.price[:, None] * given.base])
    lows, highs = features.min(axis=0), features.max(axis=0)
    highs = np.where(highs > lows, highs, lows + 1.0)
    scaled = np.ascontiguousarray((features - lows) / (highs - lows))
    return Lending(given.base, lows, highs, fit(scaled, given.apply))
