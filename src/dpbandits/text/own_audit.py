"""Describe the audit of a user's own mechanism in plain words."""

import math
from typing import Any

from dpbandits.audits.custom.evidence import Event, Evidence
from dpbandits.audits.custom.own import MOST_TRIALS, OwnAudit
from dpbandits.audits.custom.power import POWER
from dpbandits.privacy.auditing import ALPHA
from dpbandits.privacy.auditing_scores import DECIMALS
from dpbandits.text.text import down, number, up

CONFIDENCE = f"{100 * (1 - ALPHA):.4g} %"
COLUMNS_SHOWN = 6  # of an example output
OUT_OF_VIEW = (
    f"the last bits of floats (numbers are rounded to {DECIMALS} decimals)",
    "running time",
    "anything that the sampler does not return",
)


def paragraph(audit: OwnAudit) -> str:
    """Verdict as a paragraph: claim, bound, deciding event, number of runs, cap, conclusion, and power."""
    parts = (_claim, _found, _shown_by, _cap, _so, _power)
    hidden = f"It does not test {', '.join(OUT_OF_VIEW[:-1])}, or {OUT_OF_VIEW[-1]}."
    return " ".join([f"{audit.verdict.upper()}.", *(part(audit) for part in parts), hidden])


def record(audit: OwnAudit) -> dict[str, Any]:
    """The same result as data."""
    power = audit.power
    return {
        "verdict": audit.verdict,
        "claimed": {"eps": audit.eps, "delta": audit.delta},
        "lower": audit.lower,
        "tightness": audit.lower / audit.eps,
        "cap": audit.cap,
        "power": {"probability": POWER, "eps": power.epsilon, "leak": power.leak},
        "alpha": ALPHA,
        "trials": audit.trials,
        "seed": audit.seed,
        "columns": audit.columns,
        "rounds": [_round(evidence) for evidence in audit.rounds],
        "out_of_view": list(OUT_OF_VIEW),
        "says": paragraph(audit),
    }


def _round(evidence: Evidence) -> dict[str, Any]:
    bound = evidence.bound
    return {
        "lower": bound.epsilon,
        "test": bound.test,
        "order": bound.order,
        "evaluation_runs": bound.trials,
        "candidate": evidence.kind,
        "bounds": evidence.bounds,
        "score": evidence.scored,
        "columns": [column + 1 for column in evidence.columns],
        "events": [_event_record(event) for event in evidence.events],
    }


def _event_record(event: Event) -> dict[str, Any]:
    ends = {"low": event.low, "high": event.high}
    finite = {name: value if math.isfinite(value) else None for name, value in ends.items()}
    return finite | {"points": event.points, "first": event.first, "second": event.second}


def _claim(audit: OwnAudit) -> str:
    return f"The claim is ε = {number(audit.eps)} at δ = {number(audit.delta)}."


def _found(audit: OwnAudit) -> str:
    first, *again = (down(evidence.bound.epsilon) for evidence in audit.rounds)
    said = f"On these two inputs ε is at least {(again or [first])[0]} at this δ, with {CONFIDENCE} confidence"
    if not again:
        return f"{said}."
    if audit.verdict == "violated":
        return f"{said}, from new runs, after earlier runs had shown {first}."
    return f"{said}, from new runs, which do not confirm the {first} of earlier runs."


def _shown_by(audit: OwnAudit) -> str:
    evidence = audit.rounds[-1]
    runs = evidence.bound.trials
    said = f"Of {audit.trials:,} runs on each input, the last {runs:,} were counted; the others chose what to count"
    if not evidence.events:
        return f"{said}, and found no difference between the inputs."
    counted = _listed([_event(event, evidence, audit.columns) for event in evidence.events])
    guessed = "; these values served to guess the input of each run" if evidence.bound.test == "guesses" else ""
    return f"{said}: {counted}{guessed}."


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _event(event: Event, evidence: Evidence, columns: int) -> str:
    """Description of an event that contributes to a score, with its number of runs."""
    values = [f"{value:.4g}" for value in event.example[:COLUMNS_SHOWN]]
    view = f"[{', '.join([*values, *['...'] * (len(event.example) > COLUMNS_SHOWN)])}]"
    runs = f"{event.first:,} runs on the first input, {event.second:,} on the second"
    if evidence.scored == "view":
        return f"the view {view} ({runs})" if values else f"one view ({runs})"
    example = f", for example the view {view}" if evidence.scored == "learned" and values else ""
    return f"{_score(evidence, columns)} {_place(event)} ({runs}{example})"


def _score(evidence: Evidence, columns: int) -> str:
    if evidence.scored == "learned":
        return "a learned score"
    if evidence.scored == "difference":
        first, second = evidence.columns
        return f"a difference of columns {first + 1} and {second + 1}"
    return "a returned value" if columns == 1 else f"a value in column {evidence.columns[0] + 1}"


def _place(event: Event) -> str:
    if event.low == event.high:
        return f"of exactly {event.low:.10g}"
    if math.isinf(event.high):
        return f"of at least {event.low:.4g}"
    if math.isinf(event.low):
        return f"of at most {event.high:.4g}"
    return f"from {event.low:.6g} to {event.high:.6g}"


def _cap(audit: OwnAudit) -> str:
    return f"This many runs cannot show more than ε = {up(audit.cap)}."


def _power(audit: OwnAudit) -> str:
    power, found = audit.power, f"with {100 * POWER:.4g} % power"
    if power.epsilon is None and power.leak is None:
        return f"An audit of this size detects nothing {found}."
    excess = f"a randomized response of ε = {up(power.epsilon)} or more" if power.epsilon is not None else ""
    leak = "a value that one input alone returns with probability {} or more"
    parts = [excess, leak.format(up(power.leak)) if power.leak is not None else ""]
    return f"An audit of this size detects, {found}, {' and '.join(filter(None, parts))}."


def _so(audit: OwnAudit) -> str:
    if audit.verdict == "violated":
        bare = all(min(event.first, event.second) == 0 for event in audit.rounds[-1].events)
        infinite = "and may be infinite, because the counted event never occurred on the other input"
        return (
            "Therefore the claim does not hold, provided that the inputs are neighbors and the runs independent. "
            f"The actual ε may be larger{f', {infinite}' if bare else ''}."
        )
    if audit.verdict == "no power":
        offered = audit.needed <= MOST_TRIALS
        needed = f"{math.ceil(audit.needed):,}" if offered else f"{MOST_TRIALS:,}, the most that can be asked for"
        return (
            "That does not exceed the claim, so this audit cannot refute any mechanism and says nothing about yours. "
            f"Runs needed on each input: more than {needed}."
        )
    return (
        "Nothing here contradicts the claim, but this does not prove it: other neighbors, other events or more runs "
        "may still refute it."
    )
