"""Numbers for the front page: how many claims hold, how many guarantees hold, and the worst case of each paper."""

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
    """Counts of mechanisms: those that violate their guarantee, those audited, and those whose audit has no power."""

    broken: int
    audited: int
    open: int


@dataclass(frozen=True)
class Worst:
    """Setting of a paper in which the actual epsilon exceeds the claimed one by the largest factor."""

    algorithm: str
    calibration: str
    claimed: float
    actual: float

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return TABLE[parts(self.algorithm)[0]].short

    @property
    def factor(self) -> float:
        """Ratio of actual to claimed epsilon."""
        return self.actual / self.claimed


def count_word(count: int) -> str:
    """Count as a word up to ten: `five`, or `12` above."""
    return WORDS[count] if count < len(WORDS) else str(count)


def answer(records: Iterable[Record]) -> dict[str, int]:
    """Number of verdicts of each kind on the papers' own claims."""
    return counted(own_claims(records))


def guarantees(audits: Sequence[Record], calibrations: Sequence[str]) -> Guarantees:
    """Counts of mechanisms at some calibrations. Each algorithm counts once per audit and calibration."""
    worst = [
        verdict_of_all(own)[0] for (_, _, calibration), own in groups(audits).items() if calibration in calibrations
    ]
    return Guarantees(worst.count("violated"), len(worst), worst.count("no power"))


def worst_epsilon(audits: Sequence[Record]) -> Worst | None:
    """Setting with the largest ratio of proven actual to claimed epsilon; None if no ratio exceeds 1."""
    found = [
        Worst(record["algorithm"], record["calibration"], record["eps"], math.inf if least is None else least)
        for record in audits
        if is_calculated(record) and record["verdict"] == "violated"
        for least in [record["epsilons"][0]]
    ]
    return max(found, key=lambda worst: worst.factor, default=None)


def shown_epsilon(epsilon: float) -> str:
    """Epsilon with three digits; `∞` if no epsilon holds."""
    return "∞" if math.isinf(epsilon) else number(float(f"{epsilon:.3g}"))


def arxiv(reference: str) -> str:
    """arXiv address of a paper; empty without an arXiv number."""
    found = ARXIV.search(reference)
    return f"https://arxiv.org/abs/{found[1]}" if found else ""
