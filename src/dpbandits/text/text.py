"""Numbers, ranges and verdicts of claim records in words: one home for terminal, page and notebook."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.models.experiments import Gate

SYMBOLS = {"holds": "✓", "fails": "✗", "fails_ours": "✗", "unclear": "?", "not_tested": "–"}
"""Signs of verdicts; `fails_ours` is a failure by a threshold of ours, which the paper's words do not have."""
WORDS = {"fails_ours": "fails by our threshold", "not_tested": "not tested"}
COUNTED = {
    **{"holds": "hold", "fails": "fail", "fails_ours": "fail by our threshold"},
    **{"unclear": "unclear", "not_tested": "not tested"},
}
"""What several claims do that have a verdict."""
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
    "judgement": "a word of degree",
}
SUBJECTS = {
    "paper": "the paper",
    "released_code": "the released code",
    "variant_of_ours": "a variant of ours",
}
THRESHOLDS = {"paper": "the paper's", "ours": "ours"}
NOTHING = "nothing is compared, because too few settings are resolved"
NOT_REACHED = "nothing is compared, because these horizons end before the regime begins"
NOT_PLAYED = "nothing is compared, because this scale does not play these horizons"


def symbol(verdict: str) -> str:
    """The sign of a verdict."""
    return SYMBOLS[verdict]


def worded(verdict: str) -> str:
    """A verdict in words: `not tested`, `fails by our threshold`."""
    return WORDS.get(verdict, verdict)


def marked(record: Mapping[str, Any]) -> str:
    """The verdict of a record, and `fails_ours` where it fails by a threshold of ours."""
    return "fails_ours" if record.get("by_our_threshold") else str(record["verdict"])


def own_claims(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of a paper's own claims, without those about variants of ours."""
    return [record for record in records if record["subject"] != "variant_of_ours"]


def counted(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many records have each verdict, in the order of `SYMBOLS`."""
    found = [marked(record) for record in records]
    return {verdict: found.count(verdict) for verdict in SYMBOLS}


def unseen(record: Mapping[str, Any]) -> str:
    """Which kinds of runs may have been missed, and from which size on they would turn the verdict."""
    if record["resolution"] is None:
        return ""
    said = f"the runs may have missed a kind of run that is rarer than 1 in {1 / record['resolution']:.0f}"
    if record["turning_size"] is None:
        return said
    size = number(float(f"{record['turning_size']:.2g}"))
    return f"{said}; if its regret were {size} times the mean of its cell, the verdict would be another one"


def flips(record: Mapping[str, Any]) -> str:
    """`holds from 1.2 on, fails below 0.9`: the thresholds at which the verdict would be another one."""
    said = []
    for bound, ends in record["flips_at"].items():
        holds, fails = ("from {} on", "below {}") if bound == "high" else ("up to {}", "above {}")
        parts = [f"holds {holds.format(number(ends['holds']))}"] if ends["holds"] is not None else []
        parts += [f"fails {fails.format(number(ends['fails']))}"] if ends["fails"] is not None else []
        said += [f"{'upper' if bound == 'high' else 'lower'} threshold: {', '.join(parts)}"] if parts else []
    return "; ".join(said)


def calibrations(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Those that records have, in order."""
    found = {record["calibration"] for record in records}
    return [name for name in CALIBRATIONS if name in found]


def readable(label: str) -> str:
    """The label of a comparison with the algorithms' short names."""

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
    """Four digits, no trailing zeros, 412,200 for large ones; an infinite end of an interval is stored as None."""
    if value is None:
        return "∞"
    large = 1e4 <= abs(float(f"{value:.4g}")) < 1e9
    return f"{float(f'{value:.4g}'):,.0f}" if large else f"{value:.4g}"


def is_infinite(record: Mapping[str, Any]) -> bool:
    """Whether a record or a comparison is of an epsilon that nothing bounds: it alone fails without a number."""
    return record["estimate"] is None and record.get("verdict") == "fails"


def interval(record: Mapping[str, Any]) -> str:
    """`1.1 [1.06, 1.14]` from the estimate and interval of a record or a comparison."""
    low, high = record["interval"]
    if record["estimate"] is None:
        return "∞" if is_infinite(record) else "undefined"
    if low is not None and low == high:
        return number(record["estimate"])
    return f"{number(record['estimate'])} [{'-' * (low is None)}{number(low)}, {number(high)}]"


def basis(record: Mapping[str, Any]) -> str:
    """What a verdict rests on: `24 comparisons over 200 seeds`, `2 numbers in closed form`, or the like of an audit."""
    many = record["comparisons"]
    if record["kind"] == "audit":
        return f"{many} epsilon{'s' * (many > 1)} and other numbers in closed form, or shown by runs"
    if record["n"] is None:
        return f"{many} number{'s' * (many > 1)} in closed form"
    return f"{many} comparison{'s' * (many != 1)} over {record['n']} seeds"


def allowed(bounds: Sequence[float | None]) -> str:
    """`at most 1.25`, `at least 10`, `0.95 to 1.05`."""
    low, high = bounds
    if low is None:
        return "any" if high is None else f"at most {number(high)}"
    return f"at least {number(low)}" if high is None else f"{number(low)} to {number(high)}"


def range_of(detail: Mapping[str, Any]) -> str:
    """`at most 0`, or `at most 0; equal: -3 to 3` where an interval inside a range of equivalence fails."""
    besides = f"; equal: {allowed(detail['equivalent'])}" if "equivalent" in detail else ""
    return allowed(detail["allowed"]) + besides


def in_typical_run(detail: Mapping[str, Any]) -> str:
    """`11 of 12 runs`: how many runs are as claimed; nothing where a comparison is not one of two curves."""
    return "{} of {} runs".format(*detail["typical"]) if "typical" in detail else ""


def decided(record: Mapping[str, Any]) -> str:
    """What a verdict was decided by: the decisive comparison, its estimate and its range."""
    if not record["details"]:
        return nothing(record)
    what = "actual over claimed epsilon, " if record["kind"] == "audit" and "epsilon" in _reading(record) else ""
    return f"{what}{readable(record['decisive'])}: {interval(record)}, allowed {range_of(decisive(record))}"


def _reading(record: Mapping[str, Any]) -> str:
    return str(decisive(record).get("reading", ""))


def nothing(record: Mapping[str, Any]) -> str:
    """Why a claim has no comparison."""
    if record["needs"]["what"] == "regime":
        return NOT_REACHED
    return NOT_PLAYED if record["unplayed"] else NOTHING


def left_out(record: Mapping[str, Any]) -> list[str]:
    """What was left out of a claim or measurement: horizons that were not played, and cells that are not resolved."""
    unplayed = [f"T = {rounds:g}: not played at this scale" for rounds in record["unplayed"]]
    unresolved = (f"{readable(cell)}: not resolved" for cell in record["unresolved"])
    return [*unplayed, *unresolved]


def gate(section: Gate) -> str:
    """`late / regret at most 0.35`."""
    return f"{' / '.join(section.columns)} at most {section.at_most:g}"


def decisive(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The comparison that estimate, interval and margin of a record belong to."""
    return next(detail for detail in record["details"] if detail["label"] == record["decisive"])


def distance(record: Mapping[str, Any]) -> str:
    """How far the decisive estimate lies from its bound, in half-widths of its interval; nothing for closed forms."""
    if record["n"] is None:
        return ""
    detail = decisive(record)
    if detail.get("tied"):
        return f", no difference: inside {allowed(detail['equivalent'])}"
    side = "inside" if record["margin"] >= 0.0 else "outside"
    return f", {abs(record['margin']):.2f} reaches of its interval {side} the allowed range"


def _larger(record: Mapping[str, Any]) -> str:
    """The command that plays more seeds than the scale of a record; nothing where none does."""
    larger = {"smoke": "quick", "quick": "full"}.get(record["scale"])
    return f"; `make {larger} PAPER={record['paper']}` plays more" if larger else ""


def wants(record: Mapping[str, Any]) -> str:
    """What an undecided claim needs, with its cost or the command that has it."""
    needs = record["needs"]
    if needs["what"] == "seeds":
        chance = "enough half of the time, twice as many most of the time"
        said = f"about {needs['seeds']} seeds in all ({chance}), {number(needs['cost'])} more CPU seconds"
        return said + _larger(record)
    if needs["what"] == "runs":
        seeds = f"{needs['seeds']} seeds in all, {number(needs['cost'])} more CPU seconds"
        return f"runs enough to show kinds of runs that are rare: {seeds}{_larger(record)}"
    if needs["what"] == "horizon":
        return f"longer runs: with ten times the horizon {number(needs['cost'])} CPU seconds"
    if needs["what"] == "regime":
        return f"horizons from {number(needs['since'])} rounds on: {needs['reason']}"
    if needs["what"] == "unplayed":
        full = f"`make full PAPER={record['paper']}`"
        longer = "a larger `longest` of the experiment" if record["scale"] == "full" else full
        return f"horizons that the scale {record['scale']} does not play: {longer}"
    return "no number of seeds settles it"
