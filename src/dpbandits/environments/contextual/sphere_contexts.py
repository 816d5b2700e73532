"""A context for every arm, uniform on the unit sphere: Figures 6 to 8 and Appendix F of arXiv 2106.03365.

All arms share one parameter. The released code adds no noise to rewards of the linear link.
"""

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import SPHERE, Problem, problem, unit_vectors

FAMILY = Family(
    CONTEXTS,
    ("arms", "dimension", "link", "noise"),
    refuses=True,
    words={"link": ("linear", "logistic", "poisson")},
    ahead=drawn_ahead,
)


def draw(rng: Generator, arms: int, dimension: int, link: str, noise: float) -> tuple[Problem]:
    """Independent contexts, parameter uniform on the unit sphere.

    Parameters
    ----------
    link : `linear`, `logistic` or `poisson`.
    noise : standard deviation of the noise on linear rewards.

    Raises
    ------
    ValueError
        The link is not linear, but noise is requested.
    """
    if noise != 0.0 and link != "linear":
        raise ValueError(f"{link} rewards take no `noise`; only linear rewards do")
    return (problem(rng, SPHERE, unit_vectors(rng, 1, dimension), arms, link, noise),)
