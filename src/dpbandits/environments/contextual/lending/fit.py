"""How prices affect the acceptance of a loan: Figure 10 of Han et al. (arXiv 2106.03365), after its authors' code.

The features of an application are its base features and price times its base features. Each is scaled to [0, 1] by its
range over all applications; constant features become 0. The parameter comes from a logistic regression of `apply`
with penalty ||theta||^2 / 2 and no intercept. At prices absent from the data, features may leave [0, 1].
"""

from dataclasses import dataclass

import numpy as np

from dpbandits.environments.contextual.lending.loans import Applications
from dpbandits.numerics.logistic_fit import fit


@dataclass(frozen=True)
class Lending:
    """The model fitted to the applications.

    Attributes
    ----------
    rows : (n, 9), the base features of each application.
    lows, highs : (18,), the feature values that are scaled to 0 and to 1.
    theta : (18,)
    """

    rows: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    theta: np.ndarray


def lending(given: Applications) -> Lending:
    """Fit the scaling and the parameter."""
    features = np.hstack([given.base, given.price[:, None] * given.base])
    lows, highs = features.min(axis=0), features.max(axis=0)
    highs = np.where(highs > lows, highs, lows + 1.0)
    scaled = np.ascontiguousarray((features - lows) / (highs - lows))
    return Lending(given.base, lows, highs, fit(scaled, given.apply))
