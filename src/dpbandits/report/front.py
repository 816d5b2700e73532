"""What the front page answers: how many claims hold, how many guarantees do, and the worst of each paper."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.text.audits import groups, is_calculated, verdict_of_all
from dpbandits.text.text import counted, number, own_claims

Record = Mapping[str, Any]
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ARXIV = re.compile(r"arXiv[: ](\d{4}\.\d{4,5})")


@dataclass(frozen=True)
class Guarantees:
    """Of some mechanisms, how many break their privacy guarantee, how many were audited, and how many are undecided."""

    broken: int
    audited: int
    open: int


@dataclass(frozen=True)
class Worst:
    """The setting of a paper in which the actual epsilon exceeds the claimed one by the largest factor."""

    algorithm: str
    calibration: str
    claimed: float
    actual: float

    @property
    def name(self) -> str:
        """What figures call the algorithm."""
        return TABLE[parts(self.algorithm)[0]].short

    @property
    def factor(self) -> float:
        """The actual epsilon over the claimed one."""
        return self.actual / self.claimed


def count_word(count: int) -> str:
    """`five`, or `12` above ten."""
    return WORDS[count] if count < len(WORDS) else str(count)


def answer(records: Iterable[Record]) -> dict[str, int]:
    """How many verdicts on the papers' own claims are of each kind."""
    return counted(own_claims(records))


def guarantees(audits: Sequence[Record], calibrations: Sequence[str]) -> Guarantees:
    """The mechanisms at some calibrations: every algorithm in every audit counts once a calibration."""
    worst = [
        verdict_of_all(own)[0] for (_, _, calibration), own in groups(audits).items() if calibration in calibrations
    ]
    return Guarantees(worst.count("violated"), len(worst), worst.count("no power"))


def worst_epsilon(audits: Sequence[Record]) -> Worst | None:
    """The setting whose proven actual epsilon is the largest over the claimed one; None where none exceeds it."""
    found = [
        Worst(record["algorithm"], record["calibration"], record["eps"], math.inf if least is None else least)
        for record in audits
        if is_calculated(record) and record["verdict"] == "violated"
        for least in [record["epsilons"][0]]
    ]
    return max(found, key=lambda worst: worst.factor, default=None)


def shown_epsilon(epsilon: float) -> str:
    """An epsilon with three digits; `∞` where no epsilon holds."""
    return "∞" if math.isinf(epsilon) else number(float(f"{epsilon:.3g}"))


def arxiv(reference: str) -> str:
    """The address of a paper that has a number of arXiv; empty for others."""
    found = ARXIV.search(reference)
    return f"https://arxiv.org/abs/{found[1]}" if found else ""
