"""The l2-ball mechanism of Duchi, Jordan and Wainwright (2018), as in Section 2 of arXiv 2106.03365.

    Psi(x), ||x|| <= R:
    1  x becomes R x / ||x|| with probability 1/2 + ||x|| / (2 R), else its opposite
    2  with probability e^eps / (1 + e^eps) the output is uniform on the half of the sphere of radius r around it,
       else on the other half

r = R (sqrt(pi) / 2) ((e^eps + 1) / (e^eps - 1)) d Gamma((d + 1) / 2) / Gamma(d / 2 + 1) makes E Psi(x) = x. The two
halves have odds e^eps, so the output is eps-LDP for any input. For x = 0 no half is defined, and the output is uniform
on the whole sphere, which is the limit for small x. If ||x|| > R, x is projected: still private, but biased.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import Noise

Array = np.ndarray


class Ball(NamedTuple):
    """Constants of Psi.

    Attributes
    ----------
    bound : R.
    keep : `keep_probability`.
    radius : r, the radius of the sphere.
    """

    bound: float
    keep: float
    radius: float


def sphere_radius(eps: float, dimension: int, bound: float) -> float:
    """r, the norm of every output.

    Raises
    ------
    ValueError
        eps, the dimension or the bound is not positive.
    """
    if not (eps > 0.0 and dimension >= 1 and bound > 0.0):
        raise ValueError(f"l2 ball: eps, dimension and bound must be positive; got {eps}, {dimension}, {bound}")
    gammas = math.lgamma(0.5 * (dimension + 1)) - math.lgamma(0.5 * dimension + 1.0)
    return bound * 0.5 * math.sqrt(math.pi) * dimension * math.exp(gammas) / math.tanh(0.5 * eps)


def keep_probability(eps: float) -> float:
    """Probability of the half around x, e^eps / (1 + e^eps)."""
    return 1.0 / (1.0 + math.exp(-eps))


@kernel
def l2_ball(rng: Generator, x: Array, bound: float, keep: float, radius: float, out: Array) -> None:
    """Fill `out` with Psi(x).

    For every x it draws two uniforms, for the sign of x and for the half of the sphere, and then d normals.

    Parameters
    ----------
    x, out : (d,); bound : R; keep : `keep_probability`; radius : `sphere_radius`.
    """
    length = 0.0
    for i in range(len(x)):
        length += x[i] * x[i]
    length = math.sqrt(length)
    same = rng.random() < 0.5 + 0.5 * length / bound
    meant = rng.random() < keep
    along, size = 0.0, 0.0
    for i in range(len(x)):
        out[i] = rng.standard_normal()
        size += out[i] * out[i]
        along += out[i] * x[i]
    scale = radius / math.sqrt(size)
    if length > 0.0 and (along > 0.0) != (same == meant):
        scale = -scale
    for i in range(len(x)):
        out[i] *= scale


def keep_at_twice_eps(keep: float) -> float:
    """Return `keep_probability(2 eps)` from `keep_probability(eps)`."""
    return keep**2 / (keep**2 + (1.0 - keep) ** 2)


L2_BALL_NOISE = Noise("l2 ball", l2_ball, "keep", keep_at_twice_eps)
