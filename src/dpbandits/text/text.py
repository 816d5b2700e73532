"""Numbers, ranges and verdicts of claim records in words: one home for terminal, page and notebook."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.models.experiments import Gate

CALIBRATIONS = ("printed", "released", "tuned", "certified")
"""In the order in which they are shown."""
SYMBOLS = {"holds": "✓", "fails": "✗", "unclear": "?", "not_tested": "–"}
NOTHING = "nothing is compared, because too few settings are resolved"
NOT_PLAYED = "nothing is compared, because this scale does not play these horizons"


def symbol(verdict: str) -> str:
    """The sign of a verdict."""
    return SYMBOLS[verdict]


def worded(verdict: str) -> str:
    """A verdict in words: `not tested`."""
    return verdict.replace("_", " ")


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


def interval(record: Mapping[str, Any]) -> str:
    """`1.1 [1.06, 1.14]` from the estimate and interval of a record or a comparison."""
    low, high = record["interval"]
    if record["estimate"] is None:
        return "undefined"
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


def decided(record: Mapping[str, Any]) -> str:
    """What a verdict was decided by: the decisive comparison, its estimate and its range."""
    if not record["details"]:
        return nothing(record)
    return f"{readable(record['decisive'])}: {interval(record)}, allowed {range_of(decisive(record))}"


def nothing(record: Mapping[str, Any]) -> str:
    """Why a claim has no comparison."""
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
    if record["verdict"] == "fails" and "equivalent" in detail and record["margin"] >= -1.0:
        return f", no difference: inside {allowed(detail['equivalent'])}"
    side = "inside" if record["margin"] >= 0.0 else "outside"
    return f", {abs(record['margin']):.2f} reaches of its interval {side} the allowed range"


def wants(record: Mapping[str, Any]) -> str:
    """What an undecided claim needs, with its cost or the command that has it."""
    needs = record["needs"]
    if needs["what"] == "seeds":
        return f"{needs['seeds']} seeds in all, {number(needs['cost'])} more CPU seconds"
    if needs["what"] == "horizon":
        return f"longer runs: with ten times the horizon {number(needs['cost'])} CPU seconds"
    if needs["what"] == "unplayed":
        full = f"`make full PAPER={record['paper']}`"
        longer = "a larger `longest` of the experiment" if record["scale"] == "full" else full
        return f"horizons that the scale {record['scale']} does not play: {longer}"
    return "no number of seeds settles it"
