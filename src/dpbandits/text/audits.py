"""Describe audit records in words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.audits.release import SEARCHED
from dpbandits.text.text import down, number, up

SYMBOLS = {"consistent": "✓", "violated": "✗", "no power": "∅"}
ORDER = ("violated", "no power", "consistent")
Record = Mapping[str, Any]


def symbol(verdict: str) -> str:
    """Symbol for an audit verdict, readable without color."""
    return SYMBOLS[verdict]


def epsilon(value: float | None) -> str:
    """Epsilon as text; None is infinite."""
    return "∞" if value is None else number(value)


def epsilons(pair: Sequence[float | None]) -> str:
    """Epsilon as text: `2`, or `0.5 to 1.3` if only bounds on the actual epsilon are known."""
    least, most = map(epsilon, pair)
    return least if least == most else f"{least} to {most}"


def claimed(record: Record) -> str:
    """Claimed guarantee: `ε = 1`, with δ if δ is claimed."""
    delta = f", δ = {record['delta']:g}" if record["delta"] else ""
    return f"ε = {record['eps']:g}{delta}"


def setting(record: Record) -> str:
    """Setting of the grid point."""
    return ", ".join(f"{name} = {value:g}" for name, value in record["point"].items())


def is_calculated(record: Record) -> bool:
    """Whether calculations bound the actual epsilon; for the user's own releases they do not."""
    return tuple(record["epsilons"]) != (0.0, None)


def truth(record: Record) -> str:
    """What calculations prove about the actual epsilon at the claimed δ."""
    least, most = record["epsilons"]
    if not is_calculated(record):
        return "no calculation bounds the actual ε"
    if record["status"] == SEARCHED:
        return f"the actual ε is {epsilons([least, most])} for the pairs of inputs tried, not proven for all pairs"
    if least is None:
        return "no ε at all holds"
    if most is not None and math.isclose(least, most, rel_tol=1e-3):
        return f"the actual ε is {number(most)} by calculation"
    above = epsilon(None) if most is None else up(most)
    if least == 0.0:
        return f"the actual ε is at most {above} by calculation"
    return f"the actual ε lies between {down(least)} and {above} by calculation"


def shown(record: Record) -> str:
    """What the runs show about the actual epsilon."""
    runs = f"{record['trials']} runs on each input"
    normal = record["lower_if_normal"]
    besides = "" if normal is None else f" (assuming Gaussian noise, at least {down(normal)})"
    return f"{runs} show at least {down(record['lower'])}{besides}; they could not show more than {up(record['cap'])}"


def sentence(record: Record) -> str:
    """Summary of one cell: the claim, the actual epsilon, and what runs show."""
    beyond = ", which the theorem does not cover" if record["in_theorem_range"] is False else ""
    found = f"{claimed(record)} is claimed{beyond}; {truth(record)}; {shown(record)}."
    if record["small_delta"] is not None:
        beside = record["small_delta"]
        tried = " for these pairs" if record["status"] == SEARCHED else ""
        found += f" At δ = {beside['delta']:g} the actual ε would be {epsilons(beside['epsilons'])}{tried}."
    if record["repair"] is not None:
        found += f" The claim holds with {number(record['repair']['factor'])} times the noise."
    if "contradiction" in record:
        found += f" The algorithm's noise is not the stated one: {record['contradiction']}."
    mutant = record["mutant"]
    if mutant is not None:
        seen = "is detected by the same audit" if mutant["found"] else "is not detected, so the runs decide nothing"
        found += f" The algorithm with half the noise {seen}."
    return found


def ratio(records: Sequence[Record]) -> str:
    """Largest ratio of actual to claimed epsilon over several cells; `searched` if not proven for all pairs."""
    if not any(map(is_calculated, records)):
        return "not calculated"
    ends = [[math.inf if end is None else end / record["eps"] for end in record["epsilons"]] for record in records]
    least, most = max(end[0] for end in ends), max(end[1] for end in ends)
    open_ = f" ({SEARCHED})" if any(record["status"] == SEARCHED for record in records) else ""
    return epsilons([None if math.isinf(end) else end for end in (least, most)]) + open_


def worst_case(records: Sequence[Record]) -> str:
    """Claimed and actual epsilon of the cell with the largest ratio: `1 → 2.04`."""
    if not any(map(is_calculated, records)):
        return "not calculated"

    def over_claim(record: Record) -> tuple[float, float]:
        least, most = (math.inf if end is None else end / record["eps"] for end in record["epsilons"])
        return least, most

    worst = max(records, key=over_claim)
    return f"{worst['eps']:g} → {epsilons(worst['epsilons'])}"


def verdict_of_all(records: Sequence[Record]) -> tuple[str, str]:
    """Worst verdict of several cells, with the number of cells that have it if not all do."""
    verdicts = [record["verdict"] for record in records]
    worst = min(verdicts, key=ORDER.index)
    count = verdicts.count(worst)
    return worst, "" if count == len(verdicts) else f" ({count} of {len(verdicts)})"


def groups(records: Sequence[Record]) -> dict[tuple[str, str, str], list[Record]]:
    """Records grouped by audit, algorithm and calibration, in order."""
    found: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        found.setdefault((record["audit"], record["algorithm"], record["calibration"]), []).append(record)
    return found


def noises(records: Sequence[Record]) -> str:
    """Range of noise over several cells: `0.2 to 20`."""
    every = [record["noise"] for record in records]
    if None in every:
        return "not known"
    least, most = number(min(every)), number(max(every))
    return least if least == most else f"{least} to {most}"


def budgets(records: Sequence[Record]) -> str:
    """Range of claimed epsilons over several cells: `0.1 to 10`."""
    every = [record["eps"] for record in records]
    return f"{min(every):g}" if min(every) == max(every) else f"{min(every):g} to {max(every):g}"
