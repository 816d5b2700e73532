"""Prices for car loans: Figure 10 of arXiv 2106.03365, after its authors' code.

In each round an applicant arrives, in random order, and the algorithm asks one of 25 prices. The prices are the arms,
in random order. The mean reward is the probability that the offer is accepted, not the revenue; the best price is
therefore the one with the highest acceptance probability. The authors' code returns this mean as the reward. The data
are the provided file, or a SYNTHETIC STAND-IN; see `lending.loans`.
"""

import functools
from pathlib import Path

import numpy as np
from numpy.random import Generator

from dpbandits.base.project_folder import project_folder
from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.lending.fit import Lending, lending
from dpbandits.environments.contextual.lending.loans import FILE, load
from dpbandits.environments.contextual.lending.stand_in import stand_in
from dpbandits.environments.contextual.problem import LOANS, Problem, problem

FAMILY = Family(
    CONTEXTS,
    ("arms", "dimension", "source", "link"),
    refuses=True,
    words={"source": ("stand_in", "provided"), "link": ("logistic", "logistic_mean")},
    files={"provided": FILE},
)

PRICES = tuple(np.linspace(0.0, -25_000.0, 25).tolist())
FEATURES = 18  # the base features of an application, and price times the base features


def check_arguments(arms: int, dimension: int, source: str, link: str) -> None:
    """Raise ValueError if `draw` would, without its fit, which takes half a minute in plain Python."""
    _check_numbers(arms, dimension)
    if source == "provided":
        load(project_folder() / FILE)


def draw(rng: Generator, arms: int, dimension: int, source: str, link: str) -> tuple[Problem]:
    """All applicants in random order, starting over after the last one.

    Parameters
    ----------
    arms, dimension : must be 25 prices and 18 features.
    source : `provided`, the file `data/auto_lending.csv` of the project, or `stand_in`.
    link : `logistic`, with rewards 0 or 1, or `logistic_mean`.

    Raises
    ------
    ValueError
        The file is missing or invalid, or the number of prices or features is wrong.
    """
    _check_numbers(arms, dimension)
    known = synthetic_lending() if source == "stand_in" else lending_from_file(project_folder() / FILE)
    rows = known.rows[rng.permutation(len(known.rows))]
    numbers = (*known.lows.tolist(), *known.highs.tolist(), *rng.permutation(PRICES).tolist())
    return (problem(rng, LOANS, known.theta, len(PRICES), link, numbers=numbers, rows=rows),)


def _check_numbers(arms: int, dimension: int) -> None:
    if (arms, dimension) != (len(PRICES), FEATURES):
        raise ValueError(
            f"must have {len(PRICES)} arms (prices) and dimension {FEATURES} (features); got {arms} and {dimension}"
        )


@functools.cache
def synthetic_lending() -> Lending:
    """The fit to the stand-in data, cached per process."""
    return lending(stand_in())


@functools.cache
def lending_from_file(path: Path) -> Lending:
    """The fit to the applications in a CSV file, cached per process."""
    return lending(load(path))
