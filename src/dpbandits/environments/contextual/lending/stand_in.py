"""SYNTHETIC STAND-IN for the applications of `loans`: invented columns of its CSV file.

It replaces the data set if that is not provided, so that everything that depends on it can run. The numbers come from
distributions of our choice with round parameters. Results on them say nothing about lending or about the real data.
"""

import math

import numpy as np
from numpy.random import PCG64, Generator

from dpbandits.environments.contextual.lending.loans import Applications, applications

LABEL = "SYNTHETIC STAND-IN"
SEED, SIZE = 20120101, 50_000  # source: our choice, like all numbers below
TERMS, TERM_SHARES = (36, 48, 60, 66, 72), (0.12, 0.15, 0.46, 0.12, 0.15)
CARS, CAR_SHARES = ("new", "used", "refinanced"), (0.45, 0.30, 0.25)


def stand_in() -> Applications:
    """The stand-in applications, from `columns`."""
    return applications(columns())


def columns(size: int = SIZE) -> dict[str, list[str]]:
    """Columns of text, as in the csv file, from one fixed stream."""
    rng = Generator(PCG64(SEED))
    score = np.clip(rng.normal(726.0, 45.0, size), 594.0, 851.0)
    one_month = 1.1 + 1.0 * rng.random(size)
    term = np.array(TERMS)[rng.choice(len(TERMS), size, p=TERM_SHARES)]
    logarithm = rng.normal(10.05, 0.42, size)
    amount = np.clip([math.exp(z) for z in logarithm.tolist()], 4900.0, 100_000.0)
    car = rng.choice(len(CARS), size, p=CAR_SHARES)
    competition = np.clip(5.0 - 0.008 * (score - 726.0) + rng.normal(0.0, 0.7, size), 2.5, 9.5)
    rate = np.maximum(competition + rng.normal(0.7, 1.2, size), 1.5)  # percent per year
    payment = [annuity(*each) for each in zip(amount.tolist(), (rate / 1200.0).tolist(), term.tolist(), strict=True)]
    score_part = -0.9 * (rate - competition) - 0.006 * (score - 726.0)
    z = -0.7 + score_part - 0.25 * (amount - 25_000.0) / 10_000.0 + 0.5 * (car == CARS.index("refinanced"))
    chance = np.array([1.0 / (1.0 + math.exp(-each)) for each in z.tolist()])
    found = {
        "apply": (rng.random(size) < chance).astype(int).tolist(),
        "Primary_FICO": score.tolist(),
        "onemonth": one_month.tolist(),
        "Term": term.tolist(),
        "Amount_Approved": amount.tolist(),
        "Competition_rate": competition.tolist(),
        "mp": payment,
        "CarType": [CARS[each] for each in car],
    }
    return {name: [str(value) for value in column] for name, column in found.items()}


def annuity(amount: float, rate: float, term: int) -> float:
    """The monthly payment that repays `amount` in `term` months at a monthly rate `rate`."""
    return amount * rate / (1.0 - (1.0 + rate) ** -term)
