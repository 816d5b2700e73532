"""Read applications for car loans, as used by Han et al. (arXiv 2106.03365), from a CSV file, and compute the price.

The data set is CRPM-12-001, "On-Line Auto Lending", of Columbia University. These columns of its CSV file are read;
other columns are ignored:

    apply             whether the offer was accepted, 0 or 1
    Primary_FICO      credit score
    onemonth          one-month rate, percent
    Term              months
    Amount_Approved   dollars
    Competition_rate  rate of the competition, percent
    mp                monthly payment, dollars
    CarType           one of three words

The price of a loan is p = mp q (1 - q^Term) / (1 - q) - Amount_Approved with q = 1 / (1 + onemonth / 100). Like the
authors, we use `onemonth` as a monthly rate, although it looks annual.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FILE = "data/auto_lending.csv"
"""Default path of the file, below the project folder."""
LARGEST = 256 * 2**20  # bytes of the file; our choice
COLUMNS = {  # allowed range; source: our choice, wide enough for car loans
    "apply": (0.0, 1.0),
    "Primary_FICO": (300.0, 900.0),
    "onemonth": (0.01, 50.0),
    "Term": (1.0, 600.0),
    "Amount_Approved": (1.0, 1e7),
    "Competition_rate": (0.0, 100.0),
    "mp": (0.0, 1e6),
}
WHOLE = ("apply", "Term")
CAR = "CarType"
CARS = 3
SOURCE = 'CRPM-12-001, "On-Line Auto Lending", of the Center for Pricing and Revenue Management, Columbia University'
"""The data set to request, and its provider."""


@dataclass(frozen=True)
class Applications:
    """Applications for loans.

    Attributes
    ----------
    base : (n, 9), Primary_FICO, onemonth, Term, Amount_Approved, Competition_rate, 1, and indicators of the car types,
        in alphabetical order.
    price : (n,), dollars.
    apply : (n,), 0 or 1.
    """

    base: np.ndarray
    price: np.ndarray
    apply: np.ndarray


def load(path: Path) -> Applications:
    """Read the applications in a CSV file.

    Raises
    ------
    ValueError
        The file is missing or invalid; the message is one line.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is not a regular file. Put a regular file in its place.")
    if path.is_file() and path.stat().st_size > LARGEST:
        raise ValueError(f"{path}: has {path.stat().st_size / 2**20:.0f} MB; must have at most {LARGEST // 2**20}")
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            return applications(_columns(stream))
    except FileNotFoundError:
        raise ValueError(
            f"{path}: does not exist. This data is not part of the project; request it as {SOURCE}"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not UTF-8 text") from None
    except csv.Error as error:
        raise ValueError(f"{path}: is not a csv file ({error})") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def applications(columns: Mapping[str, Sequence[str]]) -> Applications:
    """Convert columns of text to applications.

    Raises
    ------
    ValueError
        A value is not allowed, or there are too few data to fit; the message is one line that names row and column.
    """
    values = {name: _numbers(name, columns[name]) for name in COLUMNS}
    cars = sorted(set(columns[CAR]))
    if len(cars) != CARS or "" in cars:
        raise ValueError(f"column {CAR} has {len(cars)} different values; allowed: {CARS}, none of them empty")
    if np.ptp(values["apply"]) == 0.0:
        raise ValueError(f"column apply is {values['apply'][0]:g} everywhere; allowed: 0 and 1, each at least once")
    features = (values[name] for name in ("Primary_FICO", "onemonth", "Term", "Amount_Approved", "Competition_rate"))
    dummies = (np.array([each == car for each in columns[CAR]], np.float64) for car in cars)
    base = np.stack([*features, np.ones(len(columns[CAR])), *dummies], axis=1)
    terms = zip(*(values[name].tolist() for name in ("mp", "onemonth", "Term", "Amount_Approved")), strict=True)
    return Applications(base, np.array([price(*each) for each in terms]), values["apply"])


def price(payment: float, rate: float, term: float, amount: float) -> float:
    """The price p: the present value of a loan's payments, minus its amount."""
    q = 1.0 / (1.0 + rate / 100.0)
    return payment * q * (1.0 - q**term) / (1.0 - q) - amount


def _columns(stream: Iterable[str]) -> dict[str, list[str]]:
    names = (*COLUMNS, CAR)
    reader = csv.reader(stream, strict=True)
    header = next(reader, [])
    for name in names:
        if (found := header.count(name)) != 1:
            raise ValueError(f"column {name} occurs {found} times; allowed: once, as all of {', '.join(names)}")
    places = [header.index(name) for name in names]
    columns: tuple[list[str], ...] = tuple([] for _ in names)
    for number, row in enumerate(reader, start=2):
        if len(row) != len(header):
            raise ValueError(f"row {number} has {len(row)} values; allowed: {len(header)}, as in row 1")
        for column, place in zip(columns, places, strict=True):
            column.append(row[place])
    return dict(zip(names, columns, strict=True))


def _numbers(name: str, column: Sequence[str]) -> np.ndarray:
    low, high = COLUMNS[name]
    values = np.empty(len(column))
    for i, text in enumerate(column):
        try:
            value = math.nan if "_" in text else float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high or (name in WHOLE and value % 1.0):
            kind = "a whole number" if name in WHOLE else "a number"
            said = f"row {i + 2}, column {name}: got {text[:40]!r}"
            raise ValueError(f"{said}; must be {kind}, {low:g} to {high:g}")
        values[i] = value
    if len(values) == 0:
        raise ValueError(f"column {name} is empty; allowed: one row or more")
    return values
