"""Numbers, ranges and verdicts of claim records in words, shared by terminal, page and notebook."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.models.experiments import Gate

SYMBOLS = {"holds": "✓", "fails": "✗", "fails_ours": "✗", "unclear": "?", "not_tested": "–"}
"""Symbols of verdicts; `fails_ours` is a failure by a threshold that is ours and not stated in the paper."""
WORDS = {"fails_ours": "fails by our threshold", "not_tested": "not tested"}
COUNTED = {
    **{"holds": "hold", "fails": "fail", "fails_ours": "fail by our threshold"},
    **{"unclear": "unclear", "not_tested": "not tested"},
}
"""Plural verb of each verdict, for counts."""
SOURCES = {
    "stated": "stated there",
    "theorem": "a theorem",
    "figure": "read off the figure",
    "ours": "our question",
}
CLASSES = {
    "order": "an order",
    "upper_rate": "an upper bound on growth",
    "exact_rate": "a rate of growth",
    "limit": "a limit",
    "event": "a rare event",
    "privacy": "a privacy guarantee",
    "identity": "an identity",
    "judgement": "a qualitative statement",
}
SUBJECTS = {
    "paper": "the paper",
    "released_code": "the released code",
    "variant_of_ours": "our variant",
}
THRESHOLDS = {"paper": "the paper's", "ours": "ours"}
NOTHING = "nothing is compared, because too few settings are resolved"
NOT_REACHED = "nothing is compared, because these horizons end before the theorem's regime begins"
NOT_PLAYED = "nothing is compared, because this scale does not run these horizons"


def symbol(verdict: str) -> str:
    """Symbol of a verdict."""
    return SYMBOLS[verdict]


def worded(verdict: str) -> str:
    """Verdict in words: `not tested`, `fails by our threshold`."""
    return WORDS.get(verdict, verdict)


def marked(record: Mapping[str, Any]) -> str:
    """Verdict of a record; `fails_ours` if it fails by a threshold of ours."""
    return "fails_ours" if record.get("by_our_threshold") else str(record["verdict"])


def own_claims(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Records of a paper's own claims, without our variants."""
    return [record for record in records if record["subject"] != "variant_of_ours"]


def counted(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Number of records with each verdict, in the order of `SYMBOLS`."""
    found = [marked(record) for record in records]
    return {verdict: found.count(verdict) for verdict in SYMBOLS}


def unseen(record: Mapping[str, Any]) -> str:
    """Rare kinds of runs that may have been missed, and how large their regret must be to change the verdict."""
    if record["resolution"] is None:
        return ""
    said = f"the runs may have missed kinds of runs rarer than 1 in {1 / record['resolution']:.0f}"
    if record["turning_size"] is None:
        return said
    size = number(float(f"{record['turning_size']:.2g}"))
    return f"{said}; one with {size} times the mean regret of its cell would change the verdict"


def flips(record: Mapping[str, Any]) -> str:
    """Thresholds at which the verdict would change: `holds from 1.2 on, fails below 0.9`."""
    said = []
    for bound, ends in record["flips_at"].items():
        holds, fails = ("from {} on", "below {}") if bound == "high" else ("up to {}", "above {}")
        parts = [f"holds {holds.format(number(ends['holds']))}"] if ends["holds"] is not None else []
        parts += [f"fails {fails.format(number(ends['fails']))}"] if ends["fails"] is not None else []
        said += [f"{'upper' if bound == 'high' else 'lower'} threshold: {', '.join(parts)}"] if parts else []
    return "; ".join(said)


def calibrations(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Calibrations of the records, in order."""
    found = {record["calibration"] for record in records}
    return [name for name in CALIBRATIONS if name in found]


def readable(label: str) -> str:
    """Label of a comparison, with short names of algorithms."""

    def short(found: re.Match[str]) -> str:
        algorithm, variant, calibration = parts(found[0])
        if algorithm not in TABLE:
            return found[0].replace("_", " ")
        besides = ", ".join(filter(None, (variant.replace("_", " "), calibration)))
        return TABLE[algorithm].short + (f" ({besides})" if besides else "")

    return re.sub(r"\b[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*(:[a-z0-9_]+)?(@[a-z]+)?", short, label)


def case(record: Mapping[str, Any]) -> str:
    """Calibration and variant of a record: `printed`, or `printed, ls22`."""
    return ", ".join(filter(None, [record["calibration"], record["variant"].replace("_", " ")]))


def number(value: float | None) -> str:
    """Number with four digits, no trailing zeros, commas if large: 412,200. None stands for an infinite end."""
    if value is None:
        return "∞"
    large = 1e4 <= abs(float(f"{value:.4g}")) < 1e9
    return f"{float(f'{value:.4g}'):,.0f}" if large else f"{value:.4g}"


def down(value: float) -> str:
    """Number with four digits, rounded down, for a lower bound."""
    return number(_cut(value, 4, ROUND_FLOOR))


def up(value: float) -> str:
    """Number with four digits, rounded up, for an upper bound."""
    return number(_cut(value, 4, ROUND_CEILING))


def cut_down(value: float, digits: int) -> float:
    """Number rounded down to some digits."""
    return _cut(value, digits, ROUND_FLOOR)


def _cut(value: float, digits: int, rounding: str) -> float:
    return float(Decimal(repr(float(value))).normalize(Context(prec=digits, rounding=rounding)))


def is_infinite(record: Mapping[str, Any]) -> bool:
    """Whether the actual epsilon of a record or comparison is infinite. Only such failures have no number."""
    return record["estimate"] is None and record.get("verdict") == "fails"


def interval(record: Mapping[str, Any]) -> str:
    """Estimate and interval of a record or a comparison: `1.1 [1.06, 1.14]`."""
    low, high = record["interval"]
    if record["estimate"] is None:
        return "∞" if is_infinite(record) else "undefined"
    if low is not None and low == high:
        return number(record["estimate"])
    return f"{number(record['estimate'])} [{'-' * (low is None)}{number(low)}, {number(high)}]"


def basis(record: Mapping[str, Any]) -> str:
    """What a verdict rests on: `24 comparisons over 200 seeds`, `2 numbers in closed form`, or audits."""
    many = record["comparisons"]
    if record["kind"] == "audit":
        return f"{many} epsilon{'s' * (many > 1)} and other numbers in closed form, or shown by runs"
    if record["n"] is None:
        return f"{many} number{'s' * (many > 1)} in closed form"
    return f"{many} comparison{'s' * (many != 1)} over {record['n']} seeds"


def allowed(bounds: Sequence[float | None]) -> str:
    """Allowed range in words: `at most 1.25`, `at least 10`, `0.95 to 1.05`."""
    low, high = bounds
    if low is None:
        return "any" if high is None else f"at most {number(high)}"
    return f"at least {number(low)}" if high is None else f"{number(low)} to {number(high)}"


def range_of(detail: Mapping[str, Any]) -> str:
    """Allowed range, with the range of equivalence if the interval inside it fails: `at most 0; equal: -3 to 3`."""
    besides = f"; equal: {allowed(detail['equivalent'])}" if "equivalent" in detail else ""
    return allowed(detail["allowed"]) + besides


def in_typical_run(detail: Mapping[str, Any]) -> str:
    """Number of runs that are as claimed: `11 of 12 runs`; empty unless a comparison is between two curves."""
    return "{} of {} runs".format(*detail["typical"]) if "typical" in detail else ""


def decided(record: Mapping[str, Any]) -> str:
    """What decided a verdict: the decisive comparison, its estimate and its allowed range."""
    if not record["details"]:
        return nothing(record)
    what = "actual over claimed epsilon, " if record["kind"] == "audit" and "epsilon" in _reading(record) else ""
    return f"{what}{readable(record['decisive'])}: {interval(record)}, allowed {range_of(decisive(record))}"


def _reading(record: Mapping[str, Any]) -> str:
    return str(decisive(record).get("reading", ""))


def nothing(record: Mapping[str, Any]) -> str:
    """Reason why a claim has no comparison."""
    if record["needs"]["what"] == "regime":
        return NOT_REACHED
    return NOT_PLAYED if record["unplayed"] else NOTHING


def left_out(record: Mapping[str, Any]) -> list[str]:
    """What was left out of a claim or measurement: horizons that were not played, and unresolved cells."""
    unplayed = [f"T = {rounds:g}: not run at this scale" for rounds in record["unplayed"]]
    unresolved = (f"{readable(cell)}: not resolved" for cell in record["unresolved"])
    return [*unplayed, *unresolved]


def gate(section: Gate) -> str:
    """Condition of a gate: `late / regret at most 0.35`."""
    return f"{' / '.join(section.columns)} at most {section.at_most:g}"


def decisive(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Comparison that determines the estimate, interval and margin of a record."""
    return next(detail for detail in record["details"] if detail["label"] == record["decisive"])


def distance(record: Mapping[str, Any]) -> str:
    """Distance of the decisive estimate from its bound in half-widths of its interval; empty for closed forms."""
    if record["n"] is None:
        return ""
    detail = decisive(record)
    if detail.get("tied"):
        return f", no difference: inside {allowed(detail['equivalent'])}"
    side = "inside" if record["margin"] >= 0.0 else "outside"
    return f", {abs(record['margin']):.2f} reaches of its interval {side} the allowed range"


def _larger(record: Mapping[str, Any]) -> str:
    """Command that plays more seeds than the scale of a record; empty if there is none."""
    larger = {"smoke": "quick", "quick": "full"}.get(record["scale"])
    return f"; `make {larger} PAPER={record['paper']}` plays more" if larger else ""


def wants(record: Mapping[str, Any]) -> str:
    """What would decide an unclear claim, with its cost or the command."""
    needs = record["needs"]
    if needs["what"] == "seeds":
        chance = "enough in half of all cases, twice as many in most"
        said = f"about {needs['seeds']} seeds in all ({chance}), {number(needs['cost'])} more CPU seconds"
        return said + _larger(record)
    if needs["what"] == "runs":
        seeds = f"{needs['seeds']} seeds in all, {number(needs['cost'])} more CPU seconds"
        return f"enough runs to show rare kinds of runs: {seeds}{_larger(record)}"
    if needs["what"] == "horizon":
        return f"longer runs: with ten times the horizon {number(needs['cost'])} CPU seconds"
    if needs["what"] == "regime":
        return f"horizons from {number(needs['since'])} rounds on: {needs['reason']}"
    if needs["what"] == "unplayed":
        full = f"`make full PAPER={record['paper']}`"
        longer = "a larger `longest` of the experiment" if record["scale"] == "full" else full
        return f"horizons that the scale {record['scale']} does not run: {longer}"
    return "no number of seeds decides it"
